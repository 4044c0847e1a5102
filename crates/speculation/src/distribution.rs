//! Probability distributions over a vocabulary: from logits to filtered probabilities, distances
//! between two distributions, and the inverse-CDF draw.
//!
//! A distribution is a slice with one probability per token id, in id order. Sorting happens
//! inside a function and never leaves it, so ids and ranks cannot be confused.

use serde::{Deserialize, Serialize};

/// How far from one the sum of a distribution may be.
///
/// Rows that come back from the GPU are f32: one rounding is 6e-8, and the roundings of a row
/// mostly cancel. Rows computed here in f64 are below 1e-12.
pub const SUM_TOLERANCE: f64 = 1e-6;

/// What turns logits into the probabilities that a model samples from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    let mass: f64 = left.iter().sum();
    (mass > 0.0).then(|| left.iter().map(|weight| weight / mass).collect())
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain() -> Filter {
        Filter::default()
    }

    fn logits_of(probs: &[f64]) -> Vec<f32> {
        probs.iter().map(|prob| prob.ln() as f32).collect()
    }

    fn check(logits: &[f32], filter: Filter, expect: &[f64]) {
        let probs = probabilities(logits, &filter);
        assert_eq!(probs.len(), expect.len());
        for (prob, expect) in probs.iter().zip(expect) {
            // The logits are f32.
            assert!((prob - expect).abs() < 1e-6, "{probs:?} is not {expect:?}");
        }
    }

    #[test]
    fn temperature_divides_the_logits() {
        let logits = logits_of(&[0.5, 0.3, 0.2]);
        check(&logits, plain(), &[0.5, 0.3, 0.2]);
        // Temperature ½ squares the odds.
        let squared = [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38];
        check(
            &logits,
            Filter {
                temperature: 0.5,
                ..plain()
            },
            &squared,
        );
    }

    #[test]
    fn temperature_zero_is_the_first_of_the_largest() {
        let greedy = Filter {
            temperature: 0.0,
            top_k: 2,
            top_p: 0.1,
        };
        check(&[1.0, 3.0, 3.0], greedy, &[0.0, 1.0, 0.0]);
        check(&[-0.0, 0.0], greedy, &[1.0, 0.0]);
    }

    #[test]
    fn tiny_temperatures_and_masked_logits_stay_finite() {
        check(
            &[3e38, -3e38],
            Filter {
                temperature: 1e-300,
                ..plain()
            },
            &[1.0, 0.0],
        );
        check(&[0.0, f32::NEG_INFINITY, 0.0], plain(), &[0.5, 0.0, 0.5]);
        check(&[0.0, -1e30, 0.0], plain(), &[0.5, 0.0, 0.5]);
    }

    #[test]
    fn top_k_keeps_the_largest_in_place_and_lower_ids_first() {
        let logits = logits_of(&[0.1, 0.4, 0.2, 0.3]);
        check(
            &logits,
            Filter {
                top_k: 2,
                ..plain()
            },
            &[0.0, 4.0 / 7.0, 0.0, 3.0 / 7.0],
        );
        check(
            &logits,
            Filter {
                top_k: 9,
                ..plain()
            },
            &[0.1, 0.4, 0.2, 0.3],
        );
        check(
            &[0.0; 4],
            Filter {
                top_k: 2,
                ..plain()
            },
            &[0.5, 0.5, 0.0, 0.0],
        );
        check(
            &[0.0, -0.0, 1.0],
            Filter {
                top_k: 2,
                ..plain()
            },
            &[1.0 / (1.0 + 1f64.exp()), 0.0, 1.0 / (1.0 + (-1f64).exp())],
        );
    }

    #[test]
    fn top_p_keeps_a_token_while_the_mass_before_it_is_below() {
        let logits = logits_of(&[0.2, 0.5, 0.3]);
        check(
            &logits,
            Filter {
                top_p: 0.6,
                ..plain()
            },
            &[0.0, 0.625, 0.375],
        );
        check(
            &logits,
            Filter {
                top_p: 0.4,
                ..plain()
            },
            &[0.0, 1.0, 0.0],
        );
        // Exactly reached is reached: the third of four equal tokens has ½ before it.
        check(
            &[0.0; 4],
            Filter {
                top_p: 0.5,
                ..plain()
            },
            &[0.5, 0.5, 0.0, 0.0],
        );
        // The first rank stays whatever top-p is.
        check(
            &logits,
            Filter {
                top_p: 0.0,
                ..plain()
            },
            &[0.0, 1.0, 0.0],
        );
    }

    #[test]
    fn top_p_sees_the_distribution_renormalised_after_top_k() {
        // Of .4, .3, .3 two stay as 4/7 and 3/7. Before the second there is .571 of the
        // renormalised mass, but only .4 of the original.
        let logits = logits_of(&[0.4, 0.3, 0.3]);
        check(
            &logits,
            Filter {
                top_k: 2,
                top_p: 0.5,
                ..plain()
            },
            &[1.0, 0.0, 0.0],
        );
        check(
            &logits,
            Filter {
                top_p: 0.5,
                ..plain()
            },
            &[4.0 / 7.0, 3.0 / 7.0, 0.0],
        );
    }

    #[test]
    fn draws_are_the_first_id_above() {
        let weights = [1.0, 0.0, 2.0, 1.0, 0.0];
        for (u, id) in [
            (0.0, 0),
            (0.2499, 0),
            (0.25, 2),
            (0.7499, 2),
            (0.75, 3),
            (1.0, 3),
        ] {
            assert_eq!(draw(&weights, u), id, "u = {u}");
        }
        assert_eq!(draw(&[0.0, 0.0, 5.0], 0.0), 2);
    }

    #[test]
    #[should_panic(expected = "nothing can be drawn")]
    fn nothing_is_drawn_from_zero_mass() {
        draw(&[0.0, 0.0], 0.5);
    }

    #[test]
    fn equal_distributions_have_no_residual() {
        assert_eq!(residual(&[0.5, 0.5], &[0.5, 0.5]), None);
        assert_eq!(residual(&[0.6, 0.4], &[0.5, 0.4]), None);
    }

    #[test]
    fn the_residual_stays_in_id_order() {
        let residual = residual(&[0.5, 0.3, 0.2, 0.0], &[0.2, 0.4, 0.2, 0.2]).unwrap();
        for (prob, expect) in residual.iter().zip([0.0, 1.0 / 3.0, 0.0, 2.0 / 3.0]) {
            assert!((prob - expect).abs() < 1e-12);
        }
    }

    #[test]
    fn entropies_are_in_nats() {
        assert_eq!(entropy(&[1.0, 0.0]), 0.0);
        assert!((entropy(&[0.25; 4]) - 4f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_bad_distribution_is_named() {
        let error = |probs: &[f64]| check_distribution(probs).unwrap_err();
        assert_eq!(check_distribution(&[0.5, 0.5]), Ok(()));
        assert_eq!(error(&[]), DistributionError::Empty);
        assert_eq!(
            error(&[1.5, -0.5]),
            DistributionError::Negative {
                token: 1,
                prob: -0.5
            }
        );
        assert_eq!(error(&[0.0, 0.0]), DistributionError::AllZero);
        assert_eq!(
            error(&[0.5, 0.25]),
            DistributionError::NotOne {
                sum: 0.75,
                excess: -0.25
            }
        );
        assert_eq!(
            error(&[f64::NAN, 1.0]).to_string(),
            "the probability of token 0 is NaN"
        );
        assert_eq!(
            error(&[f64::INFINITY]).to_string(),
            "the probability of token 0 is inf"
        );
        assert_eq!(
            error(&[0.5, 0.25]).to_string(),
            "the probabilities sum to 0.75, which is -0.25 away from one"
        );
    }

    prop_compose! {
        /// Two distributions over one vocabulary; about a third of the entries are zero.
        fn couple()(size in 1usize..8)(
            draft in prop::collection::vec(prop_oneof![1 => Just(0.0), 2 => 0.0..1.0f64], size),
            target in prop::collection::vec(prop_oneof![1 => Just(0.0), 2 => 0.0..1.0f64], size),
            fallback in 0..size,
        ) -> (Vec<f64>, Vec<f64>) {
            let normalised = |mut weights: Vec<f64>| {
                if weights.iter().sum::<f64>() == 0.0 {
                    weights[fallback] = 1.0;
                }
                let total: f64 = weights.iter().sum();
                weights.iter().map(|weight| weight / total).collect()
            };
            (normalised(draft), normalised(target))
        }
    }

    proptest! {
        #[test]
        fn the_residual_mass_is_the_total_variation((draft, target) in couple()) {
            let mass: f64 = pairs(&draft, &target).map(|(d, t)| (t - d).max(0.0)).sum();
            let distance = total_variation(&draft, &target);
            prop_assert!((mass - distance).abs() < 1e-12);
            prop_assert!((1.0 - overlap(&draft, &target) - distance).abs() < 1e-12);
        }

        #[test]
        fn one_position_of_rejection_is_the_target((draft, target) in couple()) {
            let distance = total_variation(&draft, &target);
            let residual = residual(&draft, &target).unwrap_or_else(|| target.clone());
            for id in 0..target.len() {
                let output = draft[id].min(target[id]) + distance * residual[id];
                prop_assert!((output - target[id]).abs() < 1e-12);
            }
        }

        #[test]
        fn probabilities_are_a_distribution_that_respects_its_filter(
            logits in prop::collection::vec(prop_oneof![-8.0..8.0f32, Just(1.0f32)], 1..20),
            temperature in prop_oneof![1 => Just(0.0), 5 => 0.05..3.0f64],
            top_k in 0usize..8,
            top_p in 0.01..=1.0f64,
        ) {
            let probs = probabilities(&logits, &Filter { temperature, top_k, top_p });
            prop_assert!((probs.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert_eq!(check_distribution(&probs), Ok(()));

            let kept: Vec<usize> = (0..probs.len()).filter(|&id| probs[id] > 0.0).collect();
            prop_assert!(top_k == 0 || kept.len() <= top_k);
            // Nothing that was cut ranks before anything that stayed.
            for &stays in &kept {
                for cut in (0..probs.len()).filter(|id| !kept.contains(id)) {
                    let before = logits[cut] > logits[stays]
                        || (logits[cut] == logits[stays] && cut < stays);
                    prop_assert!(!before, "{cut} was cut and {stays} stayed");
                }
            }
            // Whatever stays has the proportions of the softmax.
            if temperature > 0.0 {
                for pair in kept.windows(2) {
                    let odds = f64::from(logits[pair[0]] - logits[pair[1]]) / temperature;
                    let found = (probs[pair[0]] / probs[pair[1]]).ln();
                    prop_assert!((odds - found).abs() < 1e-4 * (1.0 + odds.abs()));
                }
            }
        }

        #[test]
        fn top_p_is_reached_by_what_stays_and_by_no_less(
            logits in prop::collection::vec(-8.0..8.0f32, 1..20),
            top_p in 0.01..0.99f64,
        ) {
            let full = probabilities(&logits, &plain());
            let cut = probabilities(&logits, &Filter { top_p, ..plain() });
            let mut kept: Vec<f64> =
                (0..full.len()).filter(|&id| cut[id] > 0.0).map(|id| full[id]).collect();
            kept.sort_by(f64::total_cmp);
            let mass: f64 = kept.iter().sum();
            prop_assert!(mass >= top_p - 1e-12);
            prop_assert!(mass - kept[0] < top_p + 1e-12);
        }

        #[test]
        fn a_draw_has_positive_weight((weights, _) in couple(), u in prop_oneof![
            Just(0.0), Just(1.0), 0.0..=1.0f64
        ]) {
            prop_assert!(weights[draw(&weights, u)] > 0.0);
        }
    }
}
