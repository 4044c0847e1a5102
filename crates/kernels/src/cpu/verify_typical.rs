//! Twin of `shaders/verify_typical.wgsl`.

use couplet_speculation::rules::is_typical;

use super::Bindings;
use super::verdict::{NO_TOKEN, Verdicts};
use crate::RunSettings;

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
                let RunSettings { epsilon, delta, .. } = round.settings;
                if is_typical(round.target(i), it.token as usize, epsilon, delta) {
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
