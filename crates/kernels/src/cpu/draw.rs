//! Twin of `shaders/draw.wgsl`.

use couplet_speculation::random::{Purpose, uniform};

use super::Bindings;
use super::inverse_cdf::draw_token;
use crate::{Pass, RunSettings};

pub(super) fn run(bindings: &Bindings<'_>, [rows, texts]: [u32; 2]) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let (state, probs) = (bindings.words(2), bindings.floats(3));
    let mut tokens = bindings.words_mut(4);
    let purpose = if pass.purpose == Purpose::Target as u32 {
        Purpose::Target
    } else {
        Purpose::Draft
    };
    let vocab = pass.vocab as usize;
    for text in 0..texts as usize {
        let length = state[text];
        for row in pass.source_row..pass.source_row + rows {
            let position = length + row;
            let lane = settings.round_lane(length);
            let u = uniform(settings.seed(), position, purpose, lane);
            let weights = &probs[row as usize * vocab..][..vocab];
            tokens[position as usize] = draw_token(vocab, |token| weights[token], u);
        }
    }
}
