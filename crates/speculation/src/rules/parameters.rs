//! Parameters of the rules that have some, checked when they are made.

use std::hash::{Hash, Hasher};

/// Why a rule cannot have a parameter.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// Outside `[0, 1]`, or not a number.
    #[error("`lenience` is {0}; it must be between 0 and 1")]
    Lenience(f64),
    /// Outside `(0, 1]`, or not a number.
    #[error("`epsilon` is {0}; it must be above 0 and at most 1")]
    Epsilon(f64),
    /// Outside `(0, 1]`, or not a number.
    #[error("`delta` is {0}; it must be above 0 and at most 1")]
    Delta(f64),
}

/// The factor by which [`Rule::Lenience`](super::Rule::Lenience) shrinks the draft's
/// probabilities: 1 is Rejection, 0 keeps whatever the target can draw at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lenience(f64);

impl Lenience {
    /// # Errors
    /// When `lenience` is not in `[0, 1]`.
    pub fn new(lenience: f64) -> Result<Self, ParameterError> {
        if (0.0..=1.0).contains(&lenience) {
            // Adding zero turns −0 into 0, so equal values have equal bits.
            Ok(Self(lenience + 0.0))
        } else {
            Err(ParameterError::Lenience(lenience))
        }
    }

    /// The factor, in `[0, 1]`.
    pub fn get(self) -> f64 {
        self.0
    }
}

// Never a NaN and never −0.
impl Eq for Lenience {}

impl Hash for Lenience {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// The threshold of [`Rule::Typical`](super::Rule::Typical): `min(ε, δ·e^(−H))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    epsilon: f64,
    delta: f64,
}

impl Typical {
    /// # Errors
    /// When `epsilon` or `delta` is not in `(0, 1]`.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self, ParameterError> {
        let is_valid = |value: f64| value > 0.0 && value <= 1.0;
        if !is_valid(epsilon) {
            return Err(ParameterError::Epsilon(epsilon));
        }
        if !is_valid(delta) {
            return Err(ParameterError::Delta(delta));
        }
        Ok(Self { epsilon, delta })
    }

    /// What a token's probability must exceed in a row with this entropy, in nats.
    pub fn threshold(self, entropy: f64) -> f64 {
        self.epsilon.min(self.delta * (-entropy).exp())
    }
}

/// Whether [`Rule::Typical`](super::Rule::Typical) keeps the token of a row, decided as on a GPU:
/// the entropy and the logarithms are [portable](crate::random::arithmetic) integers. It is `t > ε`
/// or `−ln t < H − ln δ`, which is `t > min(ε, δ·e^(−H))` but where `t` is within some 1e-4 of that:
/// products of integers are cut there.
///
/// # Panics
/// When `token` is not in the row.
pub fn is_typical(target_probs: &[f32], token: usize, epsilon: f32, delta: f32) -> bool {
    use crate::random::arithmetic::{entropy, minus_ln};
    let prob = target_probs[token];
    prob > epsilon
        || (prob.is_normal() && minus_ln(prob.min(1.0)) < entropy(target_probs) + minus_ln(delta))
}

impl Default for Typical {
    /// ε = 0.09 and δ = 0.3, which is its root: `posterior_threshold` and `posterior_alpha` in
    /// Medusa's code.
    fn default() -> Self {
        Self {
            epsilon: 0.09,
            delta: 0.3,
        }
    }
}

// Never a NaN and never −0.
impl Eq for Typical {}

impl Hash for Typical {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.epsilon.to_bits().hash(state);
        self.delta.to_bits().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_outside_their_range_are_refused_by_name() {
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let sentence = Lenience::new(bad).unwrap_err().to_string();
            assert!(sentence.starts_with("`lenience` is "), "{sentence}");
        }
        for bad in [0.0, -0.1, 1.1, f64::NAN, f64::NEG_INFINITY] {
            let sentence = Typical::new(bad, 0.1).unwrap_err().to_string();
            assert!(sentence.starts_with("`epsilon` is "), "{sentence}");
            let sentence = Typical::new(0.1, bad).unwrap_err().to_string();
            assert!(sentence.starts_with("`delta` is "), "{sentence}");
        }
        assert_eq!(Lenience::new(-0.0), Lenience::new(0.0));
        assert_eq!(Lenience::new(0.5).map(Lenience::get), Ok(0.5));
    }

    #[test]
    fn the_threshold_is_the_lower_of_two() {
        let of = |typical: Typical, probs: &[f64]| typical.threshold(crate::entropy(probs));
        // Example A: H = 1.029653, and 0.3·e^(−H) is 0.107.
        let example_a = [0.2, 0.3, 0.5];
        assert_eq!(of(Typical::default(), &example_a), 0.09);
        let other = of(Typical::new(0.3, 0.09).unwrap(), &example_a);
        assert!((other - 0.032_141_8).abs() < 5e-8, "{other}");
        // Many tokens alike: their own probability, times 0.3.
        let even = of(Typical::default(), &[1.0 / 65.0; 65]);
        assert!((even - 0.3 / 65.0).abs() < 1e-12, "{even}");
    }

    #[test]
    fn the_portable_decision_is_that_of_the_formula() {
        use crate::random::threefry2x32;
        let typical = Typical::new(0.3, 0.6).unwrap();
        let mut kept = 0;
        for case in 0..2_000 {
            let weights: Vec<f32> = (0..20)
                .map(|token| {
                    (threefry2x32([case, 0], [token, 0])[0] as f32 / u32::MAX as f32).powi(6)
                })
                .collect();
            let total: f32 = weights.iter().sum();
            let row: Vec<f32> = weights.iter().map(|weight| weight / total).collect();
            let exact: Vec<f64> = row.iter().map(|&prob| f64::from(prob)).collect();
            let threshold = typical.threshold(crate::entropy(&exact));
            for (token, &prob) in exact.iter().enumerate() {
                // Nearer than roundings reach, either answer is right.
                if (prob / threshold - 1.0).abs() > 1e-4 {
                    let keeps = is_typical(&row, token, 0.3, 0.6);
                    assert_eq!(keeps, prob > threshold);
                    kept += usize::from(prob > threshold);
                }
            }
        }
        assert!(kept > 1_000 && kept < 39_000, "{kept}");
    }
}
