//! Probability distributions over a vocabulary: from logits to filtered probabilities, distances
//! between two distributions, and the inverse-CDF draw.
//!
//! A distribution is a slice with one probability per token id, in id order. Sorting happens
//! inside a function and never leaves it, so ids and ranks cannot be confused.

/// How far from one the sum of a distribution may be.
///
/// Rows that come back from the GPU are f32: one rounding is 6e-8, and the roundings of a row
/// mostly cancel. Rows computed here in f64 are below 1e-12.
pub const SUM_TOLERANCE: f64 = 1e-6;

/// What turns logits into the probabilities that a model samples from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Divides the logits. 0 or more; 0 puts all mass on the largest logit.
    pub temperature: f64,
    /// How many of the largest logits stay. 0 keeps all.
    pub top_k: usize,
    /// The mass that the largest probabilities must reach to be all that stays, in (0, 1].
    /// 1 keeps all.
    pub top_p: f64,
}

impl Default for Filter {
    /// The plain softmax.
    fn default() -> Self {
        Self {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
        }
    }
}

/// The filtered distribution of one row of logits.
///
/// Tokens are ranked by logit, larger first, equal logits by lower id. Top-k keeps the first k
/// ranks. Top-p then looks at what is left, renormalised: a token stays if the mass ranked
/// strictly before it is below `top_p`, so the first rank always stays. What stays is
/// renormalised.
///
/// # Shapes
/// `logits`: (vocabulary), no unit. Returns (vocabulary), probabilities.
///
/// # Panics
/// When `logits` is empty, holds a NaN or has no finite maximum, and when the temperature is
/// negative or not a number. Negative infinity is a token that is never drawn.
///
/// Source: top-k: Fan, Lewis, Dauphin 2018; top-p: Holtzman et al. 2020, "The curious case of
/// neural text degeneration".
pub fn probabilities(logits: &[f32], filter: &Filter) -> Vec<f64> {
    assert!(
        filter.temperature >= 0.0,
        "the temperature is {}",
        filter.temperature
    );
    assert!(
        !logits.iter().any(|logit| logit.is_nan()),
        "a logit is not a number"
    );
    let first = argmax_by(logits, |logit| f64::from(*logit));
    let largest = f64::from(logits[first]);
    assert!(largest.is_finite(), "the largest logit is {largest}");

    if filter.temperature == 0.0 {
        let mut one_hot = vec![0.0; logits.len()];
        one_hot[first] = 1.0;
        return one_hot;
    }

    // The difference comes before the division, so a tiny temperature cannot overflow.
    let mut weights: Vec<f64> = logits
        .iter()
        .map(|&logit| ((f64::from(logit) - largest) / filter.temperature).exp())
        .collect();

    let cuts_by_rank = filter.top_k > 0 && filter.top_k < logits.len();
    let cuts_by_mass = filter.top_p < 1.0;
    if cuts_by_rank || cuts_by_mass {
        let mut ranked: Vec<usize> = (0..logits.len()).collect();
        // A stable sort keeps equal logits in id order; `partial_cmp` makes -0 equal to 0.
        ranked.sort_by(|&a, &b| {
            logits[b]
                .partial_cmp(&logits[a])
                .expect("no logit is a NaN")
        });
        let mut kept = if cuts_by_rank {
            filter.top_k
        } else {
            ranked.len()
        };
        if cuts_by_mass {
            let total: f64 = ranked[..kept].iter().map(|&id| weights[id]).sum();
            let mut before = 0.0;
            let mut rank = 0;
            while rank < kept && (rank == 0 || before / total < filter.top_p) {
                before += weights[ranked[rank]];
                rank += 1;
            }
            kept = rank;
        }
        for &id in &ranked[kept..] {
            weights[id] = 0.0;
        }
    }

    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The id of the largest value; of several, the lowest id.
///
/// # Panics
/// When `values` is empty.
pub fn argmax(values: &[f64]) -> usize {
    argmax_by(values, |value| *value)
}

/// The places of values, the largest value first; of equal ones, the lowest place first.
///
/// Everything that is ranked for the eye comes through here: a sort of its own for every type
/// would make the page's download larger by a kilobyte each.
///
/// # Shapes
/// `values`: (n), no NaN; returns a permutation of `0..n`.
pub fn ranked(values: impl IntoIterator<Item = f64>) -> Vec<usize> {
    places_by_value(values.into_iter().collect())
}

fn places_by_value(values: Vec<f64>) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    places
}

fn argmax_by<T>(values: &[T], value: impl Fn(&T) -> f64) -> usize {
    assert!(!values.is_empty(), "an empty row has no largest value");
    let mut best = 0;
    for id in 1..values.len() {
        if value(&values[id]) > value(&values[best]) {
            best = id;
        }
    }
    best
}

/// The mass that two distributions share: `Σ min(draft, target)`, in [0, 1].
///
/// It is the largest probability with which two draws can be made to agree, and the acceptance
/// of [`Rule::Rejection`](crate::Rule::Rejection).
///
/// # Panics
/// When the lengths differ.
pub fn overlap(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    pairs(draft_probs, target_probs)
        .map(|(draft, target)| draft.min(target))
        .sum()
}

/// The total variation distance `½ Σ |target − draft|`, in [0, 1]; `1 − overlap`.
///
/// # Panics
/// When the lengths differ.
pub fn total_variation(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    0.5 * pairs(draft_probs, target_probs)
        .map(|(draft, target)| (target - draft).abs())
        .sum::<f64>()
}

/// The entropy `−Σ x ln x` in nats, with `0 ln 0 = 0`; between 0 and `ln(vocabulary)`.
pub fn entropy(probs: &[f64]) -> f64 {
    -probs
        .iter()
        .filter(|&&prob| prob > 0.0)
        .map(|prob| prob * prob.ln())
        .sum::<f64>()
}

/// What a rejected position is drawn from: `max(0, target − draft)`, normalised, id by id.
///
/// None when nothing is left of it, which happens only when the two are equal or rounding made
/// them so; the caller then draws from the target.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Leviathan, Kalman, Matias 2023, algorithm 1; Chen et al. 2023, equation 2.
pub fn residual(draft_probs: &[f64], target_probs: &[f64]) -> Option<Vec<f64>> {
    let left: Vec<f64> = pairs(draft_probs, target_probs)
        .map(|(draft, target)| (target - draft).max(0.0))
        .collect();
    normalised_weights(left)
}

/// Weights divided by their sum; none when they sum to zero.
pub(crate) fn normalised_weights(weights: Vec<f64>) -> Option<Vec<f64>> {
    let mass: f64 = weights.iter().sum();
    (mass > 0.0).then(|| weights.iter().map(|weight| weight / mass).collect())
}

/// Draws an id with probability proportional to its weight: the first id whose cumulative weight
/// is above `u` times the total, or the last id of positive weight when rounding leaves none.
///
/// An id of weight 0 is never returned, for any `u` in [0, 1].
///
/// # Panics
/// When the total is not positive and finite.
pub fn draw(weights: &[f64], u: f64) -> usize {
    debug_assert!((0.0..=1.0).contains(&u), "a uniform number is {u}");
    debug_assert!(
        weights.iter().all(|&weight| weight >= 0.0),
        "a weight is negative"
    );
    let total: f64 = weights.iter().sum();
    assert!(
        total > 0.0 && total.is_finite(),
        "weights sum to {total}: nothing can be drawn"
    );
    let threshold = u * total;
    let mut cumulative = 0.0;
    let mut last_positive = 0;
    for (id, &weight) in weights.iter().enumerate() {
        cumulative += weight;
        if weight > 0.0 {
            last_positive = id;
            if cumulative > threshold {
                return id;
            }
        }
    }
    last_positive
}

/// Why a slice is not a distribution.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DistributionError {
    /// There are no tokens.
    #[error("the distribution has no tokens")]
    Empty,
    /// A probability is NaN or infinite.
    #[error("the probability of token {token} is {prob}")]
    NotFinite {
        /// The token's id.
        token: usize,
        /// Its value.
        prob: f64,
    },
    /// A probability is below zero.
    #[error("the probability of token {token} is negative: {prob}")]
    Negative {
        /// The token's id.
        token: usize,
        /// Its value.
        prob: f64,
    },
    /// Every probability is zero.
    #[error("every probability is zero")]
    AllZero,
    /// The sum is further from one than [`SUM_TOLERANCE`].
    #[error("the probabilities sum to {sum}, which is {excess:+} away from one")]
    NotOne {
        /// The sum.
        sum: f64,
        /// The sum minus one.
        excess: f64,
    },
}

/// Checks that `probs` is a distribution: finite, nowhere negative, and a sum of one to within
/// [`SUM_TOLERANCE`].
///
/// # Errors
/// The first thing that is wrong, values before the sum.
pub fn check_distribution(probs: &[f64]) -> Result<(), DistributionError> {
    if probs.is_empty() {
        return Err(DistributionError::Empty);
    }
    for (token, &prob) in probs.iter().enumerate() {
        if !prob.is_finite() {
            return Err(DistributionError::NotFinite { token, prob });
        }
        if prob < 0.0 {
            return Err(DistributionError::Negative { token, prob });
        }
    }
    let sum: f64 = probs.iter().sum();
    if sum == 0.0 {
        return Err(DistributionError::AllZero);
    }
    let excess = sum - 1.0;
    if excess.abs() > SUM_TOLERANCE {
        return Err(DistributionError::NotOne { sum, excess });
    }
    Ok(())
}

pub(crate) fn pairs<'a>(
    draft_probs: &'a [f64],
    target_probs: &'a [f64],
) -> impl Iterator<Item = (f64, f64)> + 'a {
    assert_eq!(
        draft_probs.len(),
        target_probs.len(),
        "draft and target have other vocabularies"
    );
    draft_probs
        .iter()
        .copied()
        .zip(target_probs.iter().copied())
}

#[cfg(test)]
mod tests;
