//! Twin of `shaders/logits.wgsl`.

use super::multiply::multiply;
use super::{Bindings, norm_factor};
use crate::{Pass, padded};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    let (stream, table) = (bindings.floats(2), bindings.floats(3));
    let mut logits = bindings.floats_mut(4);
    let (rows, first) = (pass.rows as usize, pass.source_row as usize);
    let (inputs, vocab) = (pass.input_size as usize, pass.vocab as usize);
    let width = padded(vocab);
    let stream = &stream[first * inputs..(first + rows) * inputs];
    let mut projected = vec![0.0f32; rows * width];
    multiply(stream, rows, &table, &mut projected);
    for (row, projected) in projected.chunks_exact(width).enumerate() {
        if pass.position(length, first + row).is_none() {
            continue;
        }
        let factor = norm_factor(&stream[row * inputs..][..inputs], pass.epsilon);
        for (logit, sum) in logits[row * vocab..][..vocab].iter_mut().zip(projected) {
            *logit = sum * factor;
        }
    }
}
