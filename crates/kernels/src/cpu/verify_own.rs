//! Twin of `shaders/verify_own.wgsl`.

use couplet_speculation::random::Purpose;

use super::Bindings;
use super::verdict::{Closing, Verdicts};
use crate::KernelRule;

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    let own_tokens = bindings.words(7);
    let own_number = round.settings.kernel_rule() == KernelRule::SampleAndMatch;
    for text in 0..texts {
        let length = round.length(text);
        let own = |i: usize| own_tokens[length as usize + i];
        let mut accepted = 0;
        let mut rejected = false;
        for i in 0..round.gamma() {
            let it = round.drafted_at(length, i);
            round.write_entry(text, i, it, 0.0, own(i));
            rejected = rejected || it.token != own(i);
            if !rejected {
                accepted += 1;
            }
        }
        let u = if own_number {
            round.uniform(length + accepted as u32, Purpose::Target, 0)
        } else {
            0.0
        };
        let closing = Closing {
            token: own(accepted),
            mass: 0.0,
            u,
            ratio: 1.0,
        };
        round.commit_round(text, accepted, &closing);
    }
}
