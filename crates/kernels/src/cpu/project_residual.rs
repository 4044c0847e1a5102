//! Twin of `shaders/project_residual.wgsl`.

use super::{Bindings, multiply_rows};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let state = bindings.words(1);
    let (inputs, weights) = (bindings.floats(2), bindings.floats(3));
    let mut stream = bindings.floats_mut(4);
    let (rows, input_size, columns) = (
        pass.rows as usize,
        pass.input_size as usize,
        pass.output_size as usize,
    );
    // Summed apart from the stream, because that is the order in which the shader adds.
    let mut projected = vec![0.0f32; rows * columns];
    multiply_rows(
        &inputs[..rows * input_size],
        input_size,
        &weights,
        &mut projected,
        columns,
    );
    for row in 0..rows {
        if pass.position(state[0], row).is_none() {
            continue;
        }
        let range = row * columns..(row + 1) * columns;
        for (x, sum) in stream[range.clone()].iter_mut().zip(&projected[range]) {
            *x += sum;
        }
    }
}
