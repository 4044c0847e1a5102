//! Twin of `shaders/museum.wgsl`.

use couplet_speculation::random::Purpose;
use couplet_speculation::rules::wrong::IMPROBABLE;

use super::Bindings;
use super::verdict::{NO_TOKEN, Verdicts};
use crate::KernelRule;

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    let mistake = round.settings.kernel_rule();
    for text in 0..texts {
        let length = round.length(text);
        let (mut accepted, mut rejected, mut dropped) = (0, false, false);
        for i in 0..round.gamma() {
            let it = round.drafted_at(length, i);
            round.write_entry(text, i, it, 0.0, NO_TOKEN);
            if rejected {
                continue;
            }
            let own_token = || {
                let u = round.uniform(length + i as u32, Purpose::Target, 0);
                round.draw(i, false, u)
            };
            let ratio = it.u * it.draft_prob < it.target_prob;
            let keep = match mistake {
                KernelRule::RatioUpsideDown => it.u * it.target_prob < it.draft_prob,
                KernelRule::OneCoinForAllPositions => {
                    round.drafted_at(length, 0).u * it.draft_prob < it.target_prob
                }
                KernelRule::DropsImprobableDrafts if it.draft_prob < IMPROBABLE as f32 => {
                    dropped = true;
                    false
                }
                KernelRule::MatchThenResidual => own_token() == it.token,
                KernelRule::MatchOrRatio => ratio || own_token() == it.token,
                _ => ratio,
            };
            if keep {
                accepted += 1;
            } else {
                rejected = true;
            }
        }
        let from_target = dropped || mistake == KernelRule::ResamplesFromTarget;
        let mut closing = round.closing_after(length, accepted, !from_target);
        if rejected && mistake == KernelRule::ReplacementWithTheSameCoin {
            closing.u = round.drafted_at(length, accepted).u;
            closing.token = round.draw(accepted, closing.mass > 0.0, closing.u);
        }
        round.commit_round(text, accepted, &closing);
    }
}
