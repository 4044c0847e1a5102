//! Twin of `shaders/gate_up.wgsl`.

use super::{Bindings, multiply_rows, norm_factor};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let state = bindings.words(1);
    let (stream, weights) = (bindings.floats(2), bindings.floats(3));
    let mut activated = bindings.floats_mut(4);
    let (rows, inputs, columns) = (
        pass.rows as usize,
        pass.input_size as usize,
        pass.output_size as usize,
    );
    let mut projected = vec![0.0f32; rows * 2 * columns];
    multiply_rows(
        &stream[..rows * inputs],
        inputs,
        &weights,
        &mut projected,
        2 * columns,
    );
    for row in 0..rows {
        if pass.position(state[0], row).is_none() {
            continue;
        }
        let factor = norm_factor(&stream[row * inputs..][..inputs], pass.epsilon);
        let (gate, up) = projected[row * 2 * columns..][..2 * columns].split_at(columns);
        for column in 0..columns {
            let gate = gate[column] * factor;
            let up = up[column] * factor;
            activated[row * columns + column] = gate / (1.0 + (-gate).exp()) * up;
        }
    }
}
