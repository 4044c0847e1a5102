//! Couplings: ways to draw one token from the draft and one from the target so that each has its
//! own distribution and the two often agree.
//!
//! | coupling | how | agreement |
//! |---|---|---|
//! | [`Independent`](Coupling::Independent) | two draws | `Σ t·d` |
//! | [`MinHash`](Coupling::MinHash) | the same darts | `Σ min(t, d)·(1 + \|t − d\|) / (1 + TV)` |
//! | [`Gumbel`](Coupling::Gumbel) | the same clocks | `Σ_i 1 / Σ_j max(t_j/t_i, d_j/d_i)` |
//! | [`Optimal`](Coupling::Optimal) | one side sees both rows | `1 − TV` |
//!
//! MinHash and Gumbel need no communication: each model looks only at its own row and at numbers
//! that both have. No such coupling can promise more than `(1 − TV) / (1 + TV)`, and both keep that
//! promise.

mod clocks;
mod joint;
mod sample;
mod von_neumann;

pub use joint::Joint;
pub use sample::{ClockPair, DartPair, MAX_RECORDED_DARTS, Region, Steps, TokenPair};

use crate::distribution::{overlap, pairs, total_variation};
use crate::formulas::{
    agreement_bound, gumbel_agreement, independent_agreement, minhash_agreement,
};
use crate::input::{Argument, InputError, MAX_JOINT_TOKENS, check_argument};

pub(crate) use clocks::Race;

/// How a token of the draft and one of the target are drawn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coupling {
    /// Two independent draws.
    Independent,
    /// The first dart below each row, of one sequence of darts.
    ///
    /// Source: Daliri, Musco, Suresh 2025.
    MinHash,
    /// The first clock of each row to strike, of one clock per token.
    ///
    /// Source: Daliri, Musco, Suresh 2025.
    Gumbel,
    /// The draft's token if a point under its probability is also under the target's, and otherwise
    /// a draw from the residual. No coupling agrees more often.
    ///
    /// Source: maximal couplings: Lindvall 2002, "Lectures on the coupling method"; it is one
    /// position of Rejection.
    Optimal,
}

impl Coupling {
    /// Every coupling, from the least to the most agreement.
    pub const ALL: [Self; 4] = [
        Self::Independent,
        Self::MinHash,
        Self::Gumbel,
        Self::Optimal,
    ];

    /// The probability, in [0, 1], that both tokens are the same.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn agreement(self, draft_probs: &[f64], target_probs: &[f64]) -> f64 {
        match self {
            Self::Independent => independent_agreement(draft_probs, target_probs),
            Self::MinHash => minhash_agreement(draft_probs, target_probs),
            Self::Gumbel => gumbel_agreement(draft_probs, target_probs),
            Self::Optimal => overlap(draft_probs, target_probs),
        }
    }

    /// The probabilities that the draft draws `draft_token` and the target each of its tokens. They
    /// sum to the probability of `draft_token`.
    ///
    /// # Shapes
    /// Returns (vocabulary).
    ///
    /// # Panics
    /// When the lengths differ, or `draft_token` is not in the vocabulary.
    pub fn joint_row(
        self,
        draft_probs: &[f64],
        target_probs: &[f64],
        draft_token: usize,
    ) -> Vec<f64> {
        let rows = JointRows::new(self, draft_probs, target_probs);
        rows.row(draft_token)
    }
}

/// What all rows of a joint distribution need once.
pub(crate) struct JointRows<'a> {
    coupling: Coupling,
    draft_probs: &'a [f64],
    target_probs: &'a [f64],
    distance: f64,
    race: Option<Race>,
}

impl<'a> JointRows<'a> {
    /// # Panics
    /// When the lengths differ.
    pub(crate) fn new(coupling: Coupling, draft_probs: &'a [f64], target_probs: &'a [f64]) -> Self {
        Self {
            coupling,
            draft_probs,
            target_probs,
            distance: total_variation(draft_probs, target_probs),
            race: (coupling == Coupling::Gumbel).then(|| Race::new(draft_probs, target_probs)),
        }
    }

    /// The row of [`Coupling::joint_row`].
    pub(crate) fn row(&self, draft_token: usize) -> Vec<f64> {
        let draft = self.draft_probs[draft_token];
        let both = draft.min(self.target_probs[draft_token]);
        let only_draft = draft - both;
        let mut row: Vec<f64> = pairs(self.draft_probs, self.target_probs)
            .enumerate()
            .map(|(token, (other_draft, target))| {
                let only_target = (target - other_draft).max(0.0);
                match (self.coupling, &self.race) {
                    (Coupling::Independent, _) => draft * target,
                    // The first dart under either row decides; if it is under one row only, the
                    // other model waits for a dart of its own.
                    (Coupling::MinHash, _) => {
                        (only_draft * target + only_target * draft) / (1.0 + self.distance)
                    }
                    (Coupling::Gumbel, Some(race)) => race.joint(draft_token, token),
                    (Coupling::Gumbel, None) => unreachable!("a race comes with its coupling"),
                    (Coupling::Optimal, _) if self.distance > 0.0 => {
                        only_draft * only_target / self.distance
                    }
                    (Coupling::Optimal, _) => 0.0,
                }
            })
            .collect();
        match self.coupling {
            Coupling::MinHash => row[draft_token] += both / (1.0 + self.distance),
            Coupling::Optimal => row[draft_token] += both,
            Coupling::Independent | Coupling::Gumbel => {}
        }
        row
    }
}

/// Two distributions over one vocabulary, checked, to couple.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    draft_probs: Vec<f64>,
    target_probs: Vec<f64>,
    /// The same in f32, as the noise that both models share sees them.
    rounded: [Vec<f32>; 2],
}

impl Pair {
    /// Checks both rows: from 2 to [`MAX_TOKENS`](crate::input::MAX_TOKENS) tokens, as many in both,
    /// and distributions.
    ///
    /// # Errors
    /// The first thing that is wrong, by the name of its argument.
    pub fn new(draft_probs: &[f64], target_probs: &[f64]) -> Result<Self, InputError> {
        check_argument(Argument::Draft, draft_probs)?;
        check_argument(Argument::Target, target_probs)?;
        if draft_probs.len() != target_probs.len() {
            return Err(InputError::LengthsDiffer {
                draft: draft_probs.len(),
                target: target_probs.len(),
            });
        }
        let rounded = [draft_probs, target_probs]
            .map(|probs| probs.iter().map(|&prob| prob as f32).collect());
        Ok(Self {
            draft_probs: draft_probs.to_vec(),
            target_probs: target_probs.to_vec(),
            rounded,
        })
    }

    /// The draft's probabilities.
    pub fn draft_probs(&self) -> &[f64] {
        &self.draft_probs
    }

    /// The target's probabilities.
    pub fn target_probs(&self) -> &[f64] {
        &self.target_probs
    }

    /// How many tokens there are, at least 2.
    pub fn vocabulary(&self) -> usize {
        self.draft_probs.len()
    }

    /// The total variation distance, in [0, 1].
    pub fn total_variation(&self) -> f64 {
        total_variation(&self.draft_probs, &self.target_probs)
    }

    /// `(1 − TV) / (1 + TV)`, at least which the tokens agree under [`Coupling::Gumbel`] and
    /// [`Coupling::MinHash`].
    pub fn agreement_bound(&self) -> f64 {
        agreement_bound(&self.draft_probs, &self.target_probs)
    }

    /// The exact probability that the tokens agree, in [0, 1].
    pub fn agreement(&self, coupling: Coupling) -> f64 {
        coupling.agreement(&self.draft_probs, &self.target_probs)
    }

    /// The exact joint distribution of both tokens.
    ///
    /// # Errors
    /// With more than [`MAX_JOINT_TOKENS`] tokens; [`Coupling::joint_row`] gives single rows.
    pub fn joint(&self, coupling: Coupling) -> Result<Joint, InputError> {
        let count = self.vocabulary();
        if count > MAX_JOINT_TOKENS {
            return Err(InputError::JointTooLarge { count });
        }
        Ok(Joint::new(&JointRows::new(
            coupling,
            &self.draft_probs,
            &self.target_probs,
        )))
    }
}
