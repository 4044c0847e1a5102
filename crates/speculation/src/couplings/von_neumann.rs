//! Acceptance-rejection sampling, from which the rule of speculative decoding descends.

use super::Pair;
use crate::distribution::pairs;
use crate::input::InputError;

impl Pair {
    /// `M = max target/draft`, at least 1: how many tokens are drawn from the draft on average until a
    /// point thrown under `M·draft` lies under the target as well, which each does with probability
    /// `1/M`. That token has the target's distribution.
    ///
    /// # Errors
    /// When the target draws a token that the draft never does.
    ///
    /// Source: von Neumann 1951, "Various techniques used in connection with random digits".
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
}
