//! Twin of `shaders/embed.wgsl`.

use super::Bindings;
use crate::Pass;

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let (tokens, state, table) = (bindings.words(1), bindings.words(2), bindings.floats(3));
    let mut stream = bindings.floats_mut(4);
    let hidden = pass.output_size as usize;
    for row in 0..pass.rows as usize {
        let Some(position) = pass.position(state[0], row) else {
            continue;
        };
        let token = tokens[position] as usize;
        stream[row * hidden..][..hidden].copy_from_slice(&table[token * hidden..][..hidden]);
    }
}
