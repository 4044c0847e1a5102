//! Block verification: the drafted tokens are judged together.
//!
//! Source: Sun, Mendlovic, Leviathan, Aharoni, Ro, Beirami, Suresh 2024, "Block verification
//! accelerates speculative decoding", algorithm 2.

use super::{Chance, Closing, Coin, Outcome, Round};
use crate::distribution::normalised_weights;

/// What block verification knows after a number of drafted tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockPrefix {
    /// `p_i = min(1, p_(i−1)·t_i/d_i)`, in [0, 1]; 1 for no tokens.
    pub ratio: f64,
    /// `S_i = Σ max(0, p_i·t − d)` over the next position, in [0, 1]; none after all tokens, where
    /// the draft has no next position.
    pub residual_mass: Option<f64>,
    /// `h_i`, the probability with which the prefix of this length is kept if no longer one is, in
    /// [0, 1]; 1 for no tokens.
    pub keep_prob: f64,
}

/// The prefixes of a round, from none to all of its drafted tokens.
///
/// # Shapes
/// Returns (gamma + 1).
///
/// # Panics
/// When the rows of `round` do not fit together.
pub fn block_prefixes(round: &Round) -> Vec<BlockPrefix> {
    round.check_or_panic();
    let gamma = round.gamma();
    let mut ratio = 1.0f64;
    (0..=gamma)
        .map(|length| {
            if let Some(last) = length.checked_sub(1) {
                let token = round.drafted[last];
                let draft = round.draft_probs[last][token];
                let target = round.target_probs[last][token];
                // A token that the target never draws ends the block, whatever the draft says and
                // whatever comes after it.
                ratio = if target <= 0.0 || ratio <= 0.0 {
                    0.0
                } else {
                    (ratio * target / draft).min(1.0)
                };
            }
            let residual_mass = (length < gamma)
                .then(|| residual_weights(round, length, ratio).iter().sum::<f64>());
            let keep_prob = match residual_mass {
                _ if length == 0 => 1.0,
                None => ratio,
                // 0/0: the next rows are equal and nothing is missing, so the next prefix is kept
                // as well and this one need not be refused.
                Some(mass) if mass + (1.0 - ratio) <= 0.0 => 1.0,
                Some(mass) => mass / (mass + (1.0 - ratio)),
            };
            BlockPrefix {
                ratio,
                residual_mass,
                keep_prob,
            }
        })
        .collect()
}

/// `max(0, p·t − d)` at the position after `length` drafted tokens, not normalised.
fn residual_weights(round: &Round, length: usize, ratio: f64) -> Vec<f64> {
    round.draft_probs[length]
        .iter()
        .zip(&round.target_probs[length])
        .map(|(draft, target)| (ratio * target - draft).max(0.0))
        .collect()
}

pub(super) fn decide(round: &Round, chance: &mut dyn Chance) -> Outcome {
    let prefixes = block_prefixes(round);
    let gamma = round.gamma();
    // From the longest on: the first prefix to be kept is the longest.
    let accepted = (1..=gamma)
        .rev()
        .find(|&length| chance.keeps(Coin::Accept(length - 1), 1.0, prefixes[length].keep_prob))
        .unwrap_or(0);
    if accepted == gamma {
        let token = chance.draws(Coin::Target, &round.target_probs[gamma]);
        return Outcome {
            accepted,
            token,
            closing: Closing::Bonus,
        };
    }
    let weights = residual_weights(round, accepted, prefixes[accepted].ratio);
    let token = match normalised_weights(weights) {
        Some(residual) => chance.draws(Coin::Residual(accepted), &residual),
        // Only rounding leaves nothing here, and then the two rows are the same but for rounding.
        None => chance.draws(Coin::Residual(accepted), &round.target_probs[accepted]),
    };
    Outcome {
        accepted,
        token,
        closing: Closing::Residual,
    }
}
