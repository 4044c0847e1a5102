//! What a rule, or a mistake, must write between two fixed distributions: exactly, by enumeration.

use std::iter::Sum;

use couplet_playback::wrong;
use couplet_protocol::{Mistake, Rule, Settings};
use couplet_speculation::rules::joint_of_rounds;
use couplet_speculation::{Procedure, exact_round};

use super::pair::ProofPair;

/// The exact distribution of a text of `gamma + 1` tokens that is written round after round.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// The probability of every text; the first token changes slowest. Shape:
    /// (tokens, ..., tokens).
    pub joint: Vec<f64>,
    /// How probable it is that the first round keeps 0, 1, ... `gamma` drafted tokens. Shape:
    /// (gamma + 1).
    pub kept: Vec<f64>,
}

/// Total variations below it come from the [`counted`] precision.
pub const ROUNDING: f64 = 1e-6;

/// A distribution in the single precision in which texts are counted. Where two numbers are equal in it, a
/// rule that compares them goes another way than where the last place of a quotient tells them apart.
fn counted(probs: &[f64]) -> Vec<f64> {
    probs.iter().map(|prob| f64::from(*prob as f32)).collect()
}

/// What a mistake makes of the first token. Shape: (tokens).
pub fn written(mistake: Mistake, pair: &ProofPair) -> Vec<f64> {
    wrong(mistake).output(&counted(&pair.draft), &counted(&pair.target))
}

impl Law {
    /// Enumerates rounds of `gamma` drafted tokens.
    pub fn of(procedure: impl Procedure, gamma: usize, pair: &ProofPair) -> Self {
        let tokens = pair.len();
        let (draft, target) = (counted(&pair.draft), counted(&pair.target));
        let round = exact_round(procedure, gamma, |_| draft.clone(), |_| target.clone());
        let mut joint = vec![0.0; tokens.pow(gamma as u32 + 1)];
        for (text, prob) in joint_of_rounds(&round, gamma + 1) {
            let place = text.iter().fold(0, |place, token| place * tokens + token);
            if let Some(cell) = joint.get_mut(place) {
                *cell += prob;
            }
        }
        let mut kept = vec![0.0; gamma + 1];
        for ((_, accepted), prob) in &round {
            if let Some(cell) = kept.get_mut(*accepted) {
                *cell += prob;
            }
        }
        Self { joint, kept }
    }

    /// How many drafted tokens the first round keeps on average.
    pub fn mean_kept(&self) -> f64 {
        (self.kept.iter().enumerate())
            .map(|(count, prob)| count as f64 * prob)
            .sum()
    }

    /// How probable it is that the first drafted token stays.
    pub fn keeps_first(&self) -> f64 {
        1.0 - self.kept.first().copied().unwrap_or(0.0)
    }

    /// The total variation distance to another distribution of the same texts, in [0, 1].
    pub fn distance(&self, joint: &[f64]) -> f64 {
        couplet_speculation::total_variation(&self.joint, joint)
    }
}

/// The texts of `length` tokens that the target writes by itself. Shape: (tokens, ..., tokens).
pub fn target_joint(target: &[f64], length: usize) -> Vec<f64> {
    (0..length).fold(vec![1.0], |joint, _| {
        joint
            .iter()
            .flat_map(|before| target.iter().map(move |prob| before * prob))
            .collect()
    })
}

/// One position of a joint of `length` tokens, the others added up. Shape: (tokens).
pub fn marginal<T: Copy + Sum>(
    joint: &[T],
    tokens: usize,
    length: usize,
    position: usize,
) -> Vec<T> {
    let behind = tokens.pow(length.saturating_sub(position + 1) as u32);
    (0..tokens)
        .map(|token| {
            (joint.iter().enumerate())
                .filter(|(place, _)| place / behind % tokens == token)
                .map(|(_, value)| *value)
                .sum()
        })
        .collect()
}

/// The tokens of one text of a joint.
pub fn text_of(place: usize, tokens: usize, length: usize) -> Vec<usize> {
    (0..length)
        .rev()
        .map(|behind| place / tokens.pow(behind as u32) % tokens)
        .collect()
}

/// Whether a rule writes the target's text whatever the two distributions are.
pub fn is_exact(rule: Rule) -> bool {
    let settings = Settings {
        rule,
        temperature: 1.0,
        ..Settings::default()
    };
    couplet_playback::is_exact(&settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::pair::typed;
    use couplet_playback::procedure;
    use couplet_speculation::Rule::Rejection;

    /// Quotients that differ from a threshold, or from each other, in their last place only are equal to the
    /// kernels, which compare strictly.
    #[test]
    fn theory_falls_on_the_kernels_side_of_an_edge() {
        let about = |found: &[f64], expected: [f64; 3]| {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
            assert!(
                found.iter().zip(&expected).all(near),
                "{found:?}, {expected:?}"
            );
        };
        let typical = procedure(&Settings {
            rule: Rule::Typical,
            ..Settings::default()
        });
        // A probability of ε, which is not above it: redrawn from the target.
        let pair = typed("0.5 0.3 0.2", "0.09 0.2 0.71").unwrap();
        let law = Law::of(typical, 1, &pair);
        about(&marginal(&law.joint, 3, 2, 0), [0.045, 0.4, 0.555]);
        assert!((law.keeps_first() - 0.5).abs() < 1e-6);
        // A draft of a quarter, which is not below one.
        let pair = typed("0.2 0.55 0.25", "0.5 0.4 0.1").unwrap();
        let unsure = written(Mistake::DropsImprobableDrafts, &pair);
        about(&unsure, [0.4, 0.48, 0.12]);
        // Equal rows, which leave no residual.
        let pair = typed("0.1 0.3 0.6", "1 3 6").unwrap();
        let matching = written(Mistake::MatchThenResidual, &pair);
        about(&matching, [0.064, 0.252, 0.684]);
        assert!(Law::of(Rejection, 2, &pair).distance(&target_joint(&pair.target, 3)) < ROUNDING);
    }
}
