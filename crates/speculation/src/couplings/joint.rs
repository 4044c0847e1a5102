//! Joint distributions of a pair of tokens.

use super::JointRows;

/// The joint distribution of a draft's and a target's token: a square matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    vocabulary: usize,
    /// Row by row; rows are the draft's tokens, columns the target's.
    probs: Vec<f64>,
}

impl Joint {
    pub(super) fn new(rows: &JointRows) -> Self {
        let vocabulary = rows.draft_probs.len();
        Self {
            vocabulary,
            probs: (0..vocabulary).flat_map(|token| rows.row(token)).collect(),
        }
    }

    /// How many tokens there are.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The matrix row by row. Shape: (vocabulary · vocabulary), draft token first.
    pub fn probs(&self) -> &[f64] {
        &self.probs
    }

    /// The row of a draft's token. Shape: (vocabulary), the target's tokens.
    ///
    /// # Panics
    /// When the token is not in the vocabulary.
    pub fn row(&self, draft_token: usize) -> &[f64] {
        &self.probs[draft_token * self.vocabulary..][..self.vocabulary]
    }

    /// The probability that both tokens are the same: the sum of the diagonal.
    pub fn agreement(&self) -> f64 {
        (0..self.vocabulary)
            .map(|token| self.row(token)[token])
            .sum()
    }

    /// The draft's distribution: the sums of the rows. Shape: (vocabulary).
    pub fn draft_marginal(&self) -> Vec<f64> {
        (0..self.vocabulary)
            .map(|token| self.row(token).iter().sum())
            .collect()
    }

    /// The target's distribution: the sums of the columns. Shape: (vocabulary).
    pub fn target_marginal(&self) -> Vec<f64> {
        let mut marginal = vec![0.0; self.vocabulary];
        for token in 0..self.vocabulary {
            for (sum, prob) in marginal.iter_mut().zip(self.row(token)) {
                *sum += prob;
            }
        }
        marginal
    }
}
