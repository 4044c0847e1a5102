//! Twin of `shaders/project_residual.wgsl`.

use super::Bindings;
use super::multiply::multiply;
use crate::{Pass, padded};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    let (inputs, weights) = (bindings.floats(2), bindings.floats(3));
    let mut stream = bindings.floats_mut(4);
    let rows = pass.from_source_row();
    let (input_size, columns) = (pass.input_size as usize, pass.output_size as usize);
    let width = padded(columns);
    // Summed apart from the stream, because that is the order in which the shader adds.
    let mut projected = vec![0.0f32; rows.len() * width];
    let inputs = &inputs[rows.start * input_size..rows.end * input_size];
    multiply(inputs, rows.len(), &weights, &mut projected);
    for (row, projected) in rows.zip(projected.chunks_exact(width)) {
        if pass.position(length, row).is_some() {
            for (x, sum) in stream[row * columns..][..columns].iter_mut().zip(projected) {
                *x += sum;
            }
        }
    }
}
