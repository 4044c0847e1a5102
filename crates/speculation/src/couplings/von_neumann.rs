//! Acceptance-rejection sampling, from which the rule of speculative decoding descends.

use super::Pair;
use crate::distribution::{draw, pairs};
use crate::input::InputError;
use crate::random::{Purpose, uniform};

/// One point thrown under the scaled proposal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The token drawn from the proposal.
    pub token: usize,
    /// How high the point is: a uniform number times `M·draft` of that token.
    pub height: f64,
    /// Whether that is below the target's probability.
    pub kept: bool,
}

/// A draw from the target by way of the draft.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptanceRejection {
    /// `M = max target/draft`: how far the proposal is scaled to lie above the target, and how many
    /// attempts it takes on average.
    pub bound: f64,
    /// The attempts in order; only the last may be kept.
    pub attempts: Vec<Attempt>,
}

impl AcceptanceRejection {
    /// The token drawn; none when all attempts failed.
    pub fn token(&self) -> Option<usize> {
        self.attempts
            .last()
            .filter(|last| last.kept)
            .map(|last| last.token)
    }
}

impl Pair {
    /// `M = max target/draft`, at least 1: the mean number of attempts of
    /// [`accept_or_reject`](Self::accept_or_reject), each of which succeeds with probability `1/M`.
    ///
    /// # Errors
    /// When the target draws a token that the draft never does.
    pub fn expected_attempts(&self) -> Result<f64, InputError> {
        let mut bound = 1.0f64;
        for (token, (draft, target)) in pairs(&self.draft_probs, &self.target_probs).enumerate() {
            if target > 0.0 {
                let ratio = target / draft;
                if !ratio.is_finite() {
                    return Err(InputError::Unreachable { token });
                }
                bound = bound.max(ratio);
            }
        }
        Ok(bound)
    }

    /// Draws from the target with the draft as proposal: tokens are drawn from the draft until a
    /// point under `M·draft` lies under the target as well, at most `max_attempts` (at most 2^24)
    /// times.
    ///
    /// # Errors
    /// When the target draws a token that the draft never does.
    ///
    /// Source: von Neumann 1951, "Various techniques used in connection with random digits".
    pub fn accept_or_reject(
        &self,
        seed: u64,
        trial: u32,
        max_attempts: u32,
    ) -> Result<AcceptanceRejection, InputError> {
        let bound = self.expected_attempts()?;
        let mut attempts = Vec::new();
        for attempt in 0..max_attempts.min(1 << 24) {
            let number = |purpose| f64::from(uniform(seed, trial, purpose, attempt));
            let token = draw(&self.draft_probs, number(Purpose::Draft));
            let height = number(Purpose::Accept) * bound * self.draft_probs[token];
            let kept = height < self.target_probs[token];
            attempts.push(Attempt {
                token,
                height,
                kept,
            });
            if kept {
                break;
            }
        }
        Ok(AcceptanceRejection { bound, attempts })
    }
}
