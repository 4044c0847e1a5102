//! Twin of `shaders/sample.wgsl`: its three parts, one after the other.

use super::{Bindings, draw, probabilities};
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let part = |places: &[usize]| -> Vec<_> {
        let buffers = places.iter().map(|place| bindings.0[*place].clone());
        buffers.collect()
    };
    probabilities::run(&Bindings(&part(&[0, 1, 2, 3])), 1);
    draw::run(&Bindings(&part(&[0, 1, 4, 3, 5])), [1, 1]);
    let pass: Pass = bindings.uniform(0);
    let position = bindings.words(4)[0] + pass.source_row;
    let token = bindings.words(5)[position as usize] as usize;
    let hidden = pass.output_size as usize;
    let table = bindings.floats(6);
    bindings.floats_mut(7)[..hidden].copy_from_slice(&table[token * hidden..][..hidden]);
}
