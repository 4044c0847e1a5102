//! Twin of `shaders/verify_typical.wgsl`.

use couplet_speculation::random::arithmetic::{entropy, minus_ln};

use super::Bindings;
use super::verdict::{NO_TOKEN, Verdicts};

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    for text in 0..texts {
        let length = round.length(text);
        let mut accepted = 0;
        let mut rejected = false;
        for i in 0..round.gamma() {
            let it = round.drafted_at(length, i);
            round.write_entry(text, i, it, 0.0, NO_TOKEN);
            if !rejected {
                let keep = it.target_prob > round.settings.epsilon
                    || (it.target_prob.is_normal()
                        && minus_ln(it.target_prob.min(1.0))
                            < entropy(round.target(i)) + minus_ln(round.settings.delta));
                if keep {
                    accepted += 1;
                } else {
                    rejected = true;
                }
            }
        }
        let closing = round.closing_after(length, accepted, false);
        round.commit_round(text, accepted, &closing);
    }
}
