//! Twin of `shaders/bigram.wgsl`.

use super::Bindings;
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>, rows: usize) {
    let pass: Pass = bindings.uniform(0);
    let (tokens, state, table) = (bindings.words(1), bindings.words(2), bindings.floats(3));
    let mut logits = bindings.floats_mut(4);
    let vocab = pass.vocab as usize;
    for row in 0..rows {
        if let Some(position) = pass.position(state[0], row) {
            let before = tokens[position] as usize;
            logits[row * vocab..][..vocab].copy_from_slice(&table[before * vocab..][..vocab]);
        }
    }
}
