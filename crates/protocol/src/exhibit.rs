//! What the scenes Couplings and Proof ask of the kernels: many draws from distributions that a
//! person supplies.

use serde::{Deserialize, Serialize};

use crate::{BackendKind, Rule};

/// How a token of the draft and one of the target are drawn together. What each does is in
/// `couplet_speculation::Coupling`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouplingName {
    /// Two draws with nothing in common.
    Independent,
    /// The same darts.
    #[serde(rename = "minhash")]
    MinHash,
    /// The same clocks.
    Gumbel,
    /// The largest agreement there is; whoever draws sees both distributions.
    Optimal,
}

impl CouplingName {
    /// Every coupling, from the least to the most agreement.
    pub const ALL: [Self; 4] = [
        Self::Independent,
        Self::MinHash,
        Self::Gumbel,
        Self::Optimal,
    ];

    /// Its name in calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::MinHash => "minhash",
            Self::Gumbel => "gumbel",
            Self::Optimal => "optimal",
        }
    }
}

/// Pairs of tokens to throw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoupleRequest {
    /// The draft's probabilities, which sum to 1 to within 10⁻⁶. Shape: (tokens), at least 2.
    pub draft: Vec<f64>,
    /// The target's probabilities, likewise. Shape: (tokens).
    pub target: Vec<f64>,
    /// How the two are drawn together.
    pub rule: CouplingName,
    /// How many pairs, from 1 to 10^9.
    pub trials: u64,
    /// The seed of their numbers, at most [`MAX_SEED`](crate::MAX_SEED).
    pub seed: u64,
}

/// What was thrown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupled {
    /// How often which pair, rows draft, columns target, row after row. Shape: (tokens, tokens).
    pub counts: Vec<u32>,
    /// How many pairs; fewer than were asked for if they were stopped.
    pub trials: u64,
    /// Where.
    pub backend: BackendKind,
    /// How long it took.
    pub milliseconds: f64,
}

/// A tempting mistake, to show that the test finds it. No run can be asked for with one:
/// [`crate::Settings`] has no place for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mistake {
    /// Replaces a rejected token by a draw from the target instead of the residual.
    ResamplesFromTarget,
    /// Drafts the draft's most probable token and tests it with its soft probability.
    GreedyDraft,
    /// Keeps a token only if it equals a draw of the target's own, but replaces it from the
    /// residual.
    MatchThenResidual,
    /// Throws away drafted tokens that the draft gave less than a quarter, and draws from the
    /// target.
    DropsImprobableDrafts,
    /// Keeps a token that matches a draw of the target's own, or else passes the ratio.
    MatchOrRatio,
    /// Keeps with probability `min(1, draft / target)`.
    RatioUpsideDown,
    /// Uses the first position's coin at every position.
    OneCoinForAllPositions,
    /// Draws the replacement with the coin that rejected.
    ReplacementWithTheSameCoin,
}

impl Mistake {
    /// Every mistake, in the order in which the page shows them.
    pub const ALL: [Self; 8] = [
        Self::ResamplesFromTarget,
        Self::GreedyDraft,
        Self::MatchThenResidual,
        Self::DropsImprobableDrafts,
        Self::MatchOrRatio,
        Self::RatioUpsideDown,
        Self::OneCoinForAllPositions,
        Self::ReplacementWithTheSameCoin,
    ];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::ResamplesFromTarget => "resamples_from_target",
            Self::GreedyDraft => "greedy_draft",
            Self::MatchThenResidual => "match_then_residual",
            Self::DropsImprobableDrafts => "drops_improbable_drafts",
            Self::MatchOrRatio => "match_or_ratio",
            Self::RatioUpsideDown => "ratio_upside_down",
            Self::OneCoinForAllPositions => "one_coin_for_all_positions",
            Self::ReplacementWithTheSameCoin => "replacement_with_the_same_coin",
        }
    }
}

/// Rounds to play between one draft's and one target's distribution, the same at every position.
///
/// Each trial is a text of its own, written round after round until `gamma + 1` tokens stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundsRequest {
    /// The draft's probabilities, which sum to 1 to within 10⁻⁶. Shape: (tokens), at least 2.
    pub draft: Vec<f64>,
    /// The target's probabilities, likewise. Shape: (tokens).
    pub target: Vec<f64>,
    /// Tokens drafted per round, 1 to [`Self::MAX_GAMMA`]; `tokens^(gamma + 1)` is at most
    /// [`Self::MAX_OUTCOMES`].
    pub gamma: u32,
    /// The rule.
    pub rule: Rule,
    /// As in [`crate::Settings`].
    pub lenience: f64,
    /// As in [`crate::Settings`].
    pub epsilon: f64,
    /// As in [`crate::Settings`].
    pub delta: f64,
    /// The mistake to make instead of following the rule, which is then Rejection.
    pub mistake: Option<Mistake>,
    /// How many texts, at least 1; one seed serves for [`Self::MAX_TEXTS`],
    /// those of `first_trial` included.
    pub trials: u64,
    /// How many texts of this seed were counted before: those are not repeated.
    pub first_trial: u64,
    /// The seed of their numbers, at most [`MAX_SEED`](crate::MAX_SEED).
    pub seed: u64,
}

impl RoundsRequest {
    /// Most drafted tokens per round.
    pub const MAX_GAMMA: u32 = 8;

    /// Most texts that can differ.
    pub const MAX_OUTCOMES: usize = 1 << 20;

    /// Most texts that one seed serves for.
    pub const MAX_TEXTS: u64 = 1 << 24;
}

/// What the rounds wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundsCounted {
    /// How often which text of `gamma + 1` tokens; the first token changes slowest. Shape:
    /// (tokens, ..., tokens).
    pub counts: Vec<u32>,
    /// How often the first round kept 0, 1, ... `gamma` tokens. Shape: (gamma + 1).
    pub accepted: Vec<u64>,
    /// How many texts; fewer than were asked for if they were stopped.
    pub trials: u64,
    /// Where.
    pub backend: BackendKind,
    /// How long it took.
    pub milliseconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn couplings_and_mistakes_have_one_name_each() {
        for coupling in CouplingName::ALL {
            let json = serde_json::to_string(&coupling).unwrap();
            assert_eq!(json, format!("{:?}", coupling.name()));
        }
        for mistake in Mistake::ALL {
            let json = serde_json::to_string(&mistake).unwrap();
            assert_eq!(json, format!("{:?}", mistake.name()));
        }
    }
}
