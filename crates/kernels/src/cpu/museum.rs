//! Twin of `shaders/museum.wgsl`.

use couplet_speculation::random::Purpose;
use couplet_speculation::rules::wrong::IMPROBABLE;

use super::Bindings;
use super::verdict::{NO_TOKEN, Verdicts};
use crate::params::{
    MISTAKE_DROPS_IMPROBABLE_DRAFTS, MISTAKE_MATCH_OR_RATIO, MISTAKE_MATCH_THEN_RESIDUAL,
    MISTAKE_ONE_COIN_FOR_ALL_POSITIONS, MISTAKE_RATIO_UPSIDE_DOWN,
    MISTAKE_REPLACEMENT_WITH_THE_SAME_COIN, MISTAKE_RESAMPLES_FROM_TARGET,
};

pub(super) fn run(bindings: &Bindings<'_>, texts: usize) {
    let mut round = Verdicts::new(bindings);
    let mistake = round.settings.rule;
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
                MISTAKE_RATIO_UPSIDE_DOWN => it.u * it.target_prob < it.draft_prob,
                MISTAKE_ONE_COIN_FOR_ALL_POSITIONS => {
                    round.drafted_at(length, 0).u * it.draft_prob < it.target_prob
                }
                MISTAKE_DROPS_IMPROBABLE_DRAFTS if it.draft_prob < IMPROBABLE as f32 => {
                    dropped = true;
                    false
                }
                MISTAKE_MATCH_THEN_RESIDUAL => own_token() == it.token,
                MISTAKE_MATCH_OR_RATIO => ratio || own_token() == it.token,
                _ => ratio,
            };
            if keep {
                accepted += 1;
            } else {
                rejected = true;
            }
        }
        let from_target = dropped || mistake == MISTAKE_RESAMPLES_FROM_TARGET;
        let mut closing = round.closing_after(length, accepted, !from_target);
        if rejected && mistake == MISTAKE_REPLACEMENT_WITH_THE_SAME_COIN {
            closing.u = round.drafted_at(length, accepted).u;
            closing.token = round.draw(accepted, closing.mass > 0.0, closing.u);
        }
        round.commit_round(text, accepted, &closing);
    }
}
