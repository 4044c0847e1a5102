//! The rules that judge one drafted token after the other and stop at the first that they do not
//! keep.

use super::{Chance, Closing, Coin, Outcome, Round, SharedNoise, Typical};
use crate::distribution::{argmax, entropy, residual};

/// What a rule says about a drafted token.
enum Judgement {
    /// It is kept.
    Kept,
    /// This token takes its place.
    Replaced(usize),
}

/// Judges token by token; after the last one `bonus` draws one more.
fn judge(
    round: &Round,
    chance: &mut dyn Chance,
    mut judge: impl FnMut(&mut dyn Chance, usize, usize) -> Judgement,
    bonus: impl FnOnce(&mut dyn Chance, &[f64]) -> usize,
) -> Outcome {
    for (i, &token) in round.drafted.iter().enumerate() {
        if let Judgement::Replaced(token) = judge(chance, i, token) {
            return Outcome {
                accepted: i,
                token,
                closing: Closing::Residual,
            };
        }
    }
    let gamma = round.gamma();
    Outcome {
        accepted: gamma,
        token: bonus(chance, &round.target_probs[gamma]),
        closing: Closing::Bonus,
    }
}

/// Keeps what the target itself draws, and puts that in the place of anything else.
fn keep_if_equal(drafted: usize, own: usize) -> Judgement {
    if drafted == own {
        Judgement::Kept
    } else {
        Judgement::Replaced(own)
    }
}

/// Rejection with the draft's probabilities times `lenience`; 1 is Rejection itself.
pub(super) fn rejection(round: &Round, chance: &mut dyn Chance, lenience: f64) -> Outcome {
    judge(
        round,
        chance,
        |chance, i, token| {
            let target = &round.target_probs[i];
            let draft: Vec<f64> = round.draft_probs[i]
                .iter()
                .map(|prob| lenience * prob)
                .collect();
            if chance.keeps(Coin::Accept(i), draft[token], target[token]) {
                return Judgement::Kept;
            }
            Judgement::Replaced(match residual(&draft, target) {
                Some(residual) => chance.draws(Coin::Residual(i), &residual),
                // Only rounding leaves no residual here, and then the two rows are the same but
                // for rounding.
                None => chance.draws(Coin::Residual(i), target),
            })
        },
        draw_bonus,
    )
}

pub(super) fn greedy(round: &Round, chance: &mut dyn Chance) -> Outcome {
    judge(
        round,
        chance,
        |_, i, token| keep_if_equal(token, argmax(&round.target_probs[i])),
        |_, target| argmax(target),
    )
}

pub(super) fn shared_noise(round: &Round, chance: &mut dyn Chance, noise: SharedNoise) -> Outcome {
    judge(
        round,
        chance,
        |chance, i, token| {
            let drafted = Some((token, round.draft_probs[i].as_slice()));
            keep_if_equal(
                token,
                chance.shares(Coin::Shared(i), noise, drafted, &round.target_probs[i]),
            )
        },
        |chance, target| chance.shares(Coin::Shared(round.gamma()), noise, None, target),
    )
}

pub(super) fn sample_and_match(round: &Round, chance: &mut dyn Chance) -> Outcome {
    judge(
        round,
        chance,
        |chance, i, token| keep_if_equal(token, chance.draws(Coin::Own(i), &round.target_probs[i])),
        |chance, target| chance.draws(Coin::Own(round.gamma()), target),
    )
}

pub(super) fn typical(round: &Round, chance: &mut dyn Chance, typical: Typical) -> Outcome {
    judge(
        round,
        chance,
        |chance, i, token| {
            let target = &round.target_probs[i];
            if target[token] > typical.threshold(entropy(target)) {
                Judgement::Kept
            } else {
                Judgement::Replaced(chance.draws(Coin::Residual(i), target))
            }
        },
        draw_bonus,
    )
}

fn draw_bonus(chance: &mut dyn Chance, target_probs: &[f64]) -> usize {
    chance.draws(Coin::Target, target_probs)
}
