//! Twin of `shaders/verify.wgsl`.

use super::Bindings;
use super::verdict::{Closing, NO_TOKEN, Verdicts};
use crate::KernelRule;

fn most_probable(probs: &[f32]) -> u32 {
    let mut best = 0;
    for token in 1..probs.len() {
        if probs[token] > probs[best] {
            best = token;
        }
    }
    best as u32
}

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    let rule = round.settings.kernel_rule();
    let greedy = rule == KernelRule::Greedy;
    if rule == KernelRule::Lenience {
        round.draft_factor = round.settings.lenience;
    }
    for text in 0..texts {
        let length = round.length(text);
        let mut accepted = 0;
        let mut rejected = false;
        for i in 0..round.gamma() {
            let it = round.drafted_at(length, i);
            round.write_entry(text, i, it, 0.0, NO_TOKEN);
            if !rejected {
                let keep = if greedy {
                    it.token == most_probable(round.target(i))
                } else {
                    it.u * (round.draft_factor * it.draft_prob) < it.target_prob
                };
                if keep {
                    accepted += 1;
                } else {
                    rejected = true;
                }
            }
        }
        let closing = if greedy {
            Closing {
                token: most_probable(round.target(accepted)),
                mass: 0.0,
                u: 0.0,
                ratio: 1.0,
            }
        } else {
            round.closing_after(length, accepted, true)
        };
        round.commit_round(text, accepted, &closing);
    }
}
