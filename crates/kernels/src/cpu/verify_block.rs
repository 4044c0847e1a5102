//! Twin of `shaders/verify_block.wgsl`.

use super::Bindings;
use super::verdict::{NO_TOKEN, Verdicts};

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    let gamma = round.gamma();
    for text in 0..texts {
        let length = round.length(text);
        let (mut accepted, mut ratio, mut ratio_of_accepted) = (0, 1.0f32, 1.0f32);
        for i in 0..gamma {
            let it = round.drafted_at(length, i);
            ratio = if it.target_prob <= 0.0 || ratio <= 0.0 {
                0.0
            } else {
                (ratio * it.target_prob / it.draft_prob).min(1.0)
            };
            let mut keep_prob = ratio;
            if i + 1 < gamma {
                round.target_factor = ratio;
                let mass = round.residual_mass(i + 1);
                let refused = mass + (1.0 - ratio);
                keep_prob = if refused <= 0.0 { 1.0 } else { mass / refused };
            }
            round.write_entry(text, i, it, keep_prob, NO_TOKEN);
            if it.u < keep_prob {
                (accepted, ratio_of_accepted) = (i + 1, ratio);
            }
        }
        round.target_factor = ratio_of_accepted;
        let closing = round.closing_after(length, accepted, true);
        round.commit_round(text, accepted, &closing);
    }
}
