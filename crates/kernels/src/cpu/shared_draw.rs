//! Twin of `shaders/shared_draw.wgsl`.

use couplet_speculation::random::{first_dart, race};

use super::Bindings;
use crate::{KernelRule, Pass, RunSettings};

pub(super) fn run(bindings: &Bindings<'_>, [rows, texts]: [u32; 2]) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let (state, probs) = (bindings.words(2), bindings.floats(3));
    let mut tokens = bindings.words_mut(4);
    let vocab = pass.vocab as usize;
    let darts = settings.kernel_rule() == KernelRule::MinHash;
    for text in 0..texts as usize {
        for row in pass.source_row..pass.source_row + rows {
            let position = state[text] + row;
            let probs = &probs[row as usize * vocab..][..vocab];
            let token = if darts {
                first_dart(settings.seed(), position, probs)
            } else {
                race(settings.seed(), position, probs.iter().copied())
            };
            tokens[position as usize] = token as u32;
        }
    }
}
