//! Twin of `shaders/draw.wgsl`.

use couplet_speculation::random::{Purpose, uniform};

use super::Bindings;
use super::inverse_cdf::draw_token;
use crate::{Pass, RunSettings};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let (state, probs) = (bindings.words(2), bindings.floats(3));
    let (mut tokens, mut draws) = (bindings.words_mut(4), bindings.floats_mut(5));
    let (row, vocab) = (pass.source_row as usize, pass.vocab as usize);
    let position = state[0] + pass.source_row;
    let lane = settings.round_lane(state[0]);
    let u = uniform(settings.seed(), position, Purpose::Draft, lane);
    draws[row] = u;
    tokens[position as usize] = draw_token(probs[row * vocab..][..vocab].iter().copied(), u);
}
