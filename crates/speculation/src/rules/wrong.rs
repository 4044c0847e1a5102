//! Wrong rules: the mistakes that are easy to make, each with what it does to the text.
//!
//! Every one of them looks reasonable and produces fluent text. [`deviation`] says by enumeration
//! how far that text is from the target's; [`WrongRule::output`] what one position becomes. Nothing
//! that writes text uses this module.

use super::{
    Chance, Closing, Coin, Numbers, Outcome, Procedure, Round, SharedNoise, block_prefixes,
    deviation, exact_round,
};
use crate::distribution::{argmax, normalised_weights, residual};
use crate::input::normalised;

/// Drafted tokens below this probability are dropped by [`WrongRule::DropsImprobableDrafts`].
pub const IMPROBABLE: f64 = 0.25;

/// The chance of a coin of 23 bits to be exactly 0, if 0 is one of its values.
pub const COIN_OF_ZERO: f64 = 1.0 / 8_388_608.0;

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrongRule {
    /// Replaces a rejected token by a draw from the target instead of the residual.
    ResamplesFromTarget,
    /// Replaces a rejected token by the most probable one of the residual.
    GreedyResidual,
    /// Draws from `max(0, t − d)` as if it summed to one: what is missing goes to the last token.
    ResidualNotNormalised,
    /// Draws from `|t − d|`: the residual is not cut at zero.
    ResidualNotClipped,
    /// Subtracts sorted rows, so that ranks are taken for ids.
    ResidualOfRanks,
    /// Draws the draft's token greedily and verifies it with its soft probabilities.
    GreedyDraft,
    /// Draws the draft's token at temperature 1.25 and verifies it with the row at temperature 1.
    OtherTemperature,
    /// Keeps with probability `min(1, d/t)`: the ratio is upside down.
    RatioUpsideDown,
    /// Keeps iff `u·d ≤ t` with coins of 23 bits that can be 0: an impossible token passes once in
    /// 8 million times.
    NotStrict,
    /// Uses the first position's coin at every position.
    OneCoinForAllPositions,
    /// Draws the replacement with the coin that rejected.
    ReplacementWithTheSameCoin,
    /// Rejects what the draft itself gave less than [`IMPROBABLE`], and draws from the target.
    DropsImprobableDrafts,
    /// Keeps a token that matches an independent draw from the target, or else passes the ratio.
    MatchOrRatio,
    /// Keeps a token only if it matches an independent draw from the target, but replaces it from
    /// the residual.
    MatchThenResidual,
    /// Draws the bonus token from the row before the last drafted token.
    BonusFromTheRowBefore,
    /// Shares Gumbel noise, but replaces a token that does not match from the residual.
    SharedNoiseThenResidual,
    /// Block verification that ends at the first prefix that is not kept.
    BlockStopsAtTheFirst,
    /// Block verification that draws from `max(0, t − d)` without the prefix's ratio.
    BlockWithPlainResidual,
}

impl WrongRule {
    /// Every mistake.
    pub const ALL: [Self; 18] = [
        Self::ResamplesFromTarget,
        Self::GreedyResidual,
        Self::ResidualNotNormalised,
        Self::ResidualNotClipped,
        Self::ResidualOfRanks,
        Self::GreedyDraft,
        Self::OtherTemperature,
        Self::RatioUpsideDown,
        Self::NotStrict,
        Self::OneCoinForAllPositions,
        Self::ReplacementWithTheSameCoin,
        Self::DropsImprobableDrafts,
        Self::MatchOrRatio,
        Self::MatchThenResidual,
        Self::BonusFromTheRowBefore,
        Self::SharedNoiseThenResidual,
        Self::BlockStopsAtTheFirst,
        Self::BlockWithPlainResidual,
    ];

    /// The exact distribution of the first token of a round of one drafted token.
    ///
    /// Some mistakes show only in longer blocks; [`deviation`] sees them.
    ///
    /// # Shapes
    /// Returns (vocabulary).
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn output(self, draft_probs: &[f64], target_probs: &[f64]) -> Vec<f64> {
        let round = exact_round(self, 1, |_| draft_probs.to_vec(), |_| target_probs.to_vec());
        let mut probs = vec![0.0; target_probs.len()];
        for ((committed, _), prob) in &round {
            probs[committed[0]] += prob;
        }
        probs
    }

    /// The total variation distance, in [0, 1], between the first `gamma + 1` tokens and the
    /// target's when every position has the same two rows.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn deviation(self, gamma: usize, draft_probs: &[f64], target_probs: &[f64]) -> f64 {
        deviation(
            self,
            gamma,
            |_| draft_probs.to_vec(),
            |_| target_probs.to_vec(),
        )
    }

    /// Whether the drafted token at a position is kept.
    fn keeps(self, round: &Round, i: usize, chance: &mut dyn Chance) -> bool {
        let token = round.drafted[i];
        let (draft, target) = (round.draft_probs[i][token], round.target_probs[i][token]);
        match self {
            Self::RatioUpsideDown => chance.keeps(Coin::Accept(i), target, draft),
            // The coin is 0 with this probability, whatever the ratio is.
            Self::NotStrict => {
                chance.keeps(Coin::Accept(i), draft, target.max(COIN_OF_ZERO * draft))
            }
            Self::OneCoinForAllPositions => chance.keeps(Coin::Accept(0), draft, target),
            Self::DropsImprobableDrafts if draft < IMPROBABLE => false,
            Self::MatchOrRatio => {
                let own = chance.draws(Coin::Own(i), &round.target_probs[i]);
                own == token || chance.keeps(Coin::Accept(i), draft, target)
            }
            Self::MatchThenResidual => chance.draws(Coin::Own(i), &round.target_probs[i]) == token,
            Self::BlockStopsAtTheFirst => {
                let prefix = block_prefixes(round)[i + 1];
                chance.keeps(Coin::Accept(i), 1.0, prefix.keep_prob)
            }
            Self::SharedNoiseThenResidual => {
                let drafted = Some((token, round.draft_probs[i].as_slice()));
                let target = &round.target_probs[i];
                chance.shares(Coin::Shared(i), SharedNoise::Gumbel, drafted, target) == token
            }
            _ => chance.keeps(Coin::Accept(i), draft, target),
        }
    }

    /// How many drafted tokens are kept.
    fn accepted(self, round: &Round, chance: &mut dyn Chance) -> usize {
        let gamma = round.gamma();
        if self == Self::BlockWithPlainResidual {
            let prefixes = block_prefixes(round);
            return (1..=gamma)
                .rev()
                .find(|&length| {
                    chance.keeps(Coin::Accept(length - 1), 1.0, prefixes[length].keep_prob)
                })
                .unwrap_or(0);
        }
        (0..gamma)
            .find(|&i| !self.keeps(round, i, chance))
            .unwrap_or(gamma)
    }

    /// What the position of a rejected token is drawn from.
    fn replacement(self, round: &Round, i: usize) -> Vec<f64> {
        let (draft, target) = (&round.draft_probs[i], &round.target_probs[i]);
        let from_pairs = |weight: fn(f64, f64) -> f64| -> Vec<f64> {
            draft
                .iter()
                .zip(target)
                .map(|(&draft, &target)| weight(draft, target))
                .collect()
        };
        let right = residual(draft, target);
        let wrong = match self {
            Self::ResamplesFromTarget => None,
            Self::DropsImprobableDrafts if draft[round.drafted[i]] < IMPROBABLE => None,
            Self::GreedyResidual => right.map(|residual| one_hot(&residual)),
            Self::ResidualNotNormalised => {
                let mut left = from_pairs(|draft, target| (target - draft).max(0.0));
                let missing = 1.0 - left.iter().sum::<f64>();
                *left.last_mut().expect("a row has tokens") += missing.max(0.0);
                Some(left)
            }
            Self::ResidualNotClipped => {
                normalised_weights(from_pairs(|draft, target| (target - draft).abs()))
            }
            Self::ResidualOfRanks => residual(&sorted(draft), &sorted(target)),
            Self::BlockStopsAtTheFirst => {
                let ratio = block_prefixes(round)[i].ratio;
                let scaled: Vec<f64> = target.iter().map(|target| ratio * target).collect();
                residual(draft, &scaled)
            }
            _ => right,
        };
        wrong.unwrap_or_else(|| target.clone())
    }
}

impl Procedure for WrongRule {
    fn proposal(&self, draft_probs: &[f64]) -> Vec<f64> {
        match self {
            Self::GreedyDraft => one_hot(draft_probs),
            Self::OtherTemperature => {
                let flatter: Vec<f64> = draft_probs.iter().map(|prob| prob.powf(0.8)).collect();
                normalised(&flatter).unwrap_or_else(|_| draft_probs.to_vec())
            }
            _ => draft_probs.to_vec(),
        }
    }

    fn numbers(&self) -> Numbers {
        match self {
            Self::SharedNoiseThenResidual => Numbers::Shared(SharedNoise::Gumbel),
            Self::BlockStopsAtTheFirst | Self::BlockWithPlainResidual => Numbers::ByRound,
            _ => Numbers::ByPosition,
        }
    }

    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        round.check_or_panic();
        let gamma = round.gamma();
        let accepted = self.accepted(round, chance);
        let (coin, weights, closing) = if accepted < gamma {
            let coin = match self {
                Self::ReplacementWithTheSameCoin => Coin::Accept(accepted),
                _ => Coin::Residual(accepted),
            };
            (coin, self.replacement(round, accepted), Closing::Residual)
        } else {
            let row = match self {
                Self::BonusFromTheRowBefore => gamma.saturating_sub(1),
                _ => gamma,
            };
            (
                Coin::Target,
                round.target_probs[row].clone(),
                Closing::Bonus,
            )
        };
        Outcome {
            accepted,
            token: chance.draws(coin, &weights),
            closing,
        }
    }
}

fn one_hot(probs: &[f64]) -> Vec<f64> {
    let mut one_hot = vec![0.0; probs.len()];
    one_hot[argmax(probs)] = 1.0;
    one_hot
}

fn sorted(probs: &[f64]) -> Vec<f64> {
    let mut sorted = probs.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.reverse();
    sorted
}
