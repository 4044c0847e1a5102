//! Checks of what people type in: two distributions and a number of trials.

use crate::distribution::{DistributionError, check_distribution};

/// The most tokens that a typed-in distribution may have, `2^16`.
pub const MAX_TOKENS: usize = 1 << 16;

/// The most trials of one request.
pub const MAX_TRIALS: u64 = 1_000_000_000;

/// The most tokens for which a whole joint distribution is made: its matrix then has `2^22`
/// entries, 32 MiB. A single row can be had at any size.
pub const MAX_JOINT_TOKENS: usize = 2048;

/// What an [`InputError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The draft's probabilities.
    Draft,
    /// The target's probabilities.
    Target,
    /// The number of trials.
    Trials,
}

impl Argument {
    /// Its name in calls and forms.
    pub fn name(self) -> &'static str {
        match self {
            Argument::Draft => "draft",
            Argument::Target => "target",
            Argument::Trials => "trials",
        }
    }
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.name())
    }
}

/// Why something that was typed in cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// The numbers are no distribution. If only the sum is wrong, [`normalised`] repairs it.
    #[error("{argument}: {error}")]
    Distribution {
        /// Which one.
        argument: Argument,
        /// What is wrong with it.
        error: DistributionError,
    },
    /// Fewer than two tokens.
    #[error("{argument} has only {count}; at least 2 probabilities are needed")]
    TooFew {
        /// Which one.
        argument: Argument,
        /// How many it has.
        count: usize,
    },
    /// More than [`MAX_TOKENS`].
    #[error("{argument} has {count} probabilities; at most {MAX_TOKENS} are possible")]
    TooMany {
        /// Which one.
        argument: Argument,
        /// How many it has.
        count: usize,
    },
    /// The two are over different vocabularies.
    #[error("`draft` has {draft} probabilities and `target` has {target}; they need equally many")]
    LengthsDiffer {
        /// How many `draft` has.
        draft: usize,
        /// How many `target` has.
        target: usize,
    },
    /// None, or more than [`MAX_TRIALS`].
    #[error("`trials` is {0}; it must be between 1 and {MAX_TRIALS}")]
    Trials(u64),
    /// More than [`MAX_JOINT_TOKENS`].
    #[error(
        "`draft` and `target` have {count} probabilities; the whole joint distribution is made for \
         at most {MAX_JOINT_TOKENS}"
    )]
    JointTooLarge {
        /// How many both have.
        count: usize,
    },
    /// Acceptance-rejection sampling needs a proposal that can draw whatever its target can.
    #[error(
        "`draft` never draws token {token}, which `target` does: no number of trials is enough"
    )]
    Unreachable {
        /// The token's id.
        token: usize,
    },
}

impl InputError {
    /// The argument to show the sentence at. Of two that do not fit together it is the target.
    pub fn argument(&self) -> Argument {
        match *self {
            InputError::Distribution { argument, .. }
            | InputError::TooFew { argument, .. }
            | InputError::TooMany { argument, .. } => argument,
            InputError::LengthsDiffer { .. } | InputError::JointTooLarge { .. } => Argument::Target,
            InputError::Trials(_) => Argument::Trials,
            InputError::Unreachable { .. } => Argument::Draft,
        }
    }
}

/// Checks one typed-in distribution: from 2 to [`MAX_TOKENS`] tokens, and a distribution.
///
/// # Errors
/// The first thing that is wrong; a wrong sum is carried by the error.
pub fn check_argument(argument: Argument, probs: &[f64]) -> Result<(), InputError> {
    let count = probs.len();
    if count < 2 {
        return Err(InputError::TooFew { argument, count });
    }
    if count > MAX_TOKENS {
        return Err(InputError::TooMany { argument, count });
    }
    check_distribution(probs).map_err(|error| InputError::Distribution { argument, error })
}

/// Checks a number of trials: from 1 to [`MAX_TRIALS`].
///
/// # Errors
/// When it is not.
pub fn check_trials(trials: u64) -> Result<(), InputError> {
    if (1..=MAX_TRIALS).contains(&trials) {
        Ok(())
    } else {
        Err(InputError::Trials(trials))
    }
}

/// The weights divided by their sum, so that they are a distribution.
///
/// # Errors
/// When there are none, one of them is negative or not finite, or all are zero. Weights whose sum
/// overflows are scaled down first.
pub fn normalised(weights: &[f64]) -> Result<Vec<f64>, DistributionError> {
    if weights.is_empty() {
        return Err(DistributionError::Empty);
    }
    for (token, &prob) in weights.iter().enumerate() {
        if !prob.is_finite() {
            return Err(DistributionError::NotFinite { token, prob });
        }
        if prob < 0.0 {
            return Err(DistributionError::Negative { token, prob });
        }
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(DistributionError::AllZero);
    }
    let scaled: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
    let sum: f64 = scaled.iter().sum();
    Ok(scaled.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::couplings::Pair;

    fn sentence(draft: &[f64], target: &[f64]) -> (Argument, String) {
        let error = Pair::new(draft, target).unwrap_err();
        (error.argument(), error.to_string())
    }

    #[test]
    fn everything_wrong_is_refused_by_the_name_of_its_argument() {
        let good = [0.5, 0.5];
        for (bad, expect) in [
            (
                vec![1.5, -0.5],
                "the probability of token 1 is negative: -0.5",
            ),
            (vec![f64::NAN, 1.0], "the probability of token 0 is NaN"),
            (
                vec![0.0, f64::INFINITY],
                "the probability of token 1 is inf",
            ),
            (vec![0.0, 0.0], "every probability is zero"),
            (
                vec![0.5, 0.25],
                "the probabilities sum to 0.75, which is -0.25 away from one",
            ),
        ] {
            assert_eq!(
                sentence(&bad, &good),
                (Argument::Draft, format!("`draft`: {expect}"))
            );
            assert_eq!(
                sentence(&good, &bad),
                (Argument::Target, format!("`target`: {expect}"))
            );
        }
    }

    #[test]
    fn a_wrong_sum_is_carried_and_can_be_repaired() {
        let error = Pair::new(&[0.5, 0.25], &[0.5, 0.5]).unwrap_err();
        let InputError::Distribution {
            error: DistributionError::NotOne { sum, .. },
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(sum, 0.75);
        let repaired = normalised(&[0.5, 0.25]).unwrap();
        assert!(Pair::new(&repaired, &[0.5, 0.5]).is_ok());
        assert_eq!(normalised(&[1e308, 1e308]), Ok(vec![0.5, 0.5]));
        assert_eq!(normalised(&[5e-324, 0.0]), Ok(vec![1.0, 0.0]));
        assert_eq!(normalised(&[]), Err(DistributionError::Empty));
        assert_eq!(normalised(&[0.0, 0.0]), Err(DistributionError::AllZero));
        assert!(normalised(&[1.0, -1.0]).is_err());
        assert!(normalised(&[1.0, f64::NAN]).is_err());
        assert!(normalised(&[1.0, f64::INFINITY]).is_err());
    }

    #[test]
    fn lengths_are_limited_and_equal() {
        let uniform = |count: usize| vec![1.0 / count as f64; count];
        assert!(Pair::new(&uniform(MAX_TOKENS), &uniform(MAX_TOKENS)).is_ok());
        assert_eq!(
            sentence(&uniform(1), &uniform(2)),
            (
                Argument::Draft,
                "`draft` has only 1; at least 2 probabilities are needed".to_owned()
            )
        );
        assert_eq!(sentence(&uniform(2), &[]).0, Argument::Target);
        assert_eq!(
            sentence(&uniform(2), &uniform(MAX_TOKENS + 1)).1,
            "`target` has 65537 probabilities; at most 65536 are possible"
        );
        assert_eq!(
            sentence(&uniform(2), &uniform(3)).1,
            "`draft` has 2 probabilities and `target` has 3; they need equally many"
        );
    }

    #[test]
    fn trials_are_limited() {
        for good in [1, MAX_TRIALS] {
            assert_eq!(check_trials(good), Ok(()));
        }
        for bad in [0, MAX_TRIALS + 1, u64::MAX] {
            let error = check_trials(bad).unwrap_err();
            assert_eq!(error.argument(), Argument::Trials);
            assert_eq!(
                error.to_string(),
                format!("`trials` is {bad}; it must be between 1 and 1000000000")
            );
        }
    }
}
