//! Closed formulas: how many tokens a round yields, what that saves, and how often two couplings
//! agree on a token.
//!
//! `alpha` is the probability in [0, 1] that a drafted token is kept, taken as the same and
//! independent at every position; `gamma` is how many tokens are drafted. Costs are in units of
//! one target step for one token.

use crate::couplings::Race;
use crate::distribution::{entropy, pairs, residual, total_variation};
use crate::rules::{Lenience, Typical};

/// The mean number of tokens per round, `(1 − α^(γ+1)) / (1 − α)`, between 1 and `gamma + 1`.
///
/// Computed as the sum `1 + α + … + α^γ`, which is the same number and needs no limit at α = 1.
///
/// Source: Leviathan, Kalman, Matias 2023, equation 1.
pub fn expected_tokens_per_round(alpha: f64, gamma: usize) -> f64 {
    debug_assert!((0.0..=1.0).contains(&alpha), "alpha is {alpha}");
    // Horner's scheme.
    (0..gamma).fold(1.0, |sum, _| sum * alpha + 1.0)
}

/// How many times faster than plain decoding a round makes the text:
/// `(1 − α^(γ+1)) / ((1 − α)(γc + v))`.
///
/// `c` is the cost of one draft step and `v` the cost of verifying `gamma + 1` positions in one
/// pass. With `gamma = 0` the pass verifies one position, which is the unit itself: `v` is then 1
/// by definition, the argument is not read, and the speed-up is 1.
///
/// Source: Leviathan, Kalman, Matias 2023, theorem 3.8, there with v = 1.
pub fn speed_up(alpha: f64, gamma: usize, c: f64, v: f64) -> f64 {
    if gamma == 0 {
        return 1.0;
    }
    expected_tokens_per_round(alpha, gamma) / (gamma as f64 * c + v)
}

/// How many times more arithmetic than plain decoding a token costs:
/// `(1 − α)(γĉ + γ + 1) / (1 − α^(γ+1))`.
///
/// `c_hat` is the arithmetic of one draft step divided by that of one target step.
///
/// Source: Leviathan, Kalman, Matias 2023, theorem 3.11.
pub fn operations_factor(alpha: f64, gamma: usize, c_hat: f64) -> f64 {
    let gamma_steps = gamma as f64;
    (gamma_steps * c_hat + gamma_steps + 1.0) / expected_tokens_per_round(alpha, gamma)
}

/// The draft length from 0 to `max` with the largest [`speed_up`]; of several, the shortest. `v` is
/// the same for every length; where it grows with them, see [`ever_pays`].
pub fn best_gamma(alpha: f64, c: f64, v: f64, max: usize) -> usize {
    let mut best = 0;
    for gamma in 1..=max {
        if speed_up(alpha, gamma, c, v) > speed_up(alpha, best, c, v) {
            best = gamma;
        }
    }
    best
}

/// Whether any draft length is faster than plain decoding where verifying each further position
/// adds `row` to a pass, `v = 1 + γ·row`: whether `α > c + row`.
///
/// The token at place `i` of a draft adds `α^i` tokens to a round and `c + row` to its cost. If
/// the first one is not worth it, none is, and if it is, γ = 1 pays.
///
/// Source: Leviathan, Kalman, Matias 2023, corollary 3.9, which has `row = 0`.
pub fn ever_pays(alpha: f64, c: f64, row: f64) -> bool {
    alpha > c + row
}

/// The distribution of the number of drafted tokens kept in a round: `α^k (1 − α)` for
/// `k < gamma`, and `α^γ` for all of them.
///
/// # Shapes
/// Returns (gamma + 1), probabilities of 0 to `gamma` kept tokens.
pub fn accepted_length_probabilities(alpha: f64, gamma: usize) -> Vec<f64> {
    debug_assert!((0.0..=1.0).contains(&alpha), "alpha is {alpha}");
    let mut all_before = 1.0;
    let mut probs = Vec::with_capacity(gamma + 1);
    for _ in 0..gamma {
        probs.push(all_before * (1.0 - alpha));
        all_before *= alpha;
    }
    probs.push(all_before);
    probs
}

/// How often a draw from the draft and an independent one from the target are the same token:
/// `Σ t·d`.
///
/// # Panics
/// When the lengths differ.
pub fn independent_agreement(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    pairs(draft_probs, target_probs)
        .map(|(draft, target)| draft * target)
        .sum()
}

/// How often weighted MinHash gives both models the same token:
/// `Σ min(t, d)·(1 + |t − d|) / (1 + TV)`.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Daliri, Musco, Suresh 2025, "Coupling without communication and drafter-invariant
/// speculative decoding".
pub fn minhash_agreement(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    let distance = total_variation(draft_probs, target_probs);
    pairs(draft_probs, target_probs)
        .map(|(draft, target)| draft.min(target) * (1.0 + (target - draft).abs()))
        .sum::<f64>()
        / (1.0 + distance)
}

/// How often Gumbel noise shared by both models gives them the same token:
/// `Σ_i 1 / Σ_j max(t_j/t_i, d_j/d_i)`, where a token that either model cannot draw adds nothing.
///
/// Computed in the order of the ratios `d_j/t_j`, so that all inner sums take one pass.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Moulton, Jiang 2018, "Maximally consistent sampling and the Jaccard index of probability
/// distributions"; for speculative decoding Daliri, Musco, Suresh 2025, as [`minhash_agreement`].
pub fn gumbel_agreement(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    Race::new(draft_probs, target_probs).agreement()
}

/// `(1 − TV) / (1 + TV)`: what the couplings by Gumbel noise and MinHash reach at least, and the
/// most that any coupling without communication can promise for all pairs of distributions.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Bavarian et al. 2020, "Optimality of correlated sampling strategies"; for Gumbel noise
/// Daliri, Musco, Suresh 2025, as [`minhash_agreement`].
pub fn agreement_bound(draft_probs: &[f64], target_probs: &[f64]) -> f64 {
    let distance = total_variation(draft_probs, target_probs);
    (1.0 - distance) / (1.0 + distance)
}

/// How often [`Rule::Lenience`](crate::Rule::Lenience) keeps a drafted token:
/// `Σ min(d, t/l)`, with `t/l` above everything at `l = 0` unless `t = 0`.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Leviathan, Kalman, Matias 2023, appendix A.5.
pub fn lenience_acceptance(draft_probs: &[f64], target_probs: &[f64], lenience: Lenience) -> f64 {
    kept_by_lenience(draft_probs, target_probs, lenience)
        .iter()
        .sum()
}

/// The distribution of a position after [`Rule::Lenience`](crate::Rule::Lenience):
/// `min(d, t/l) + (1 − Σ min(d, t/l))·norm(max(0, t − l·d))`.
///
/// # Shapes
/// Returns (vocabulary).
///
/// # Panics
/// When the lengths differ.
///
/// Source: as [`lenience_acceptance`]; of the residual, [`Rule::Lenience`](crate::Rule::Lenience).
pub fn lenience_output(draft_probs: &[f64], target_probs: &[f64], lenience: Lenience) -> Vec<f64> {
    let kept = kept_by_lenience(draft_probs, target_probs, lenience);
    let rejected = 1.0 - kept.iter().sum::<f64>();
    let shrunk: Vec<f64> = draft_probs
        .iter()
        .map(|draft| lenience.get() * draft)
        .collect();
    let residual = residual(&shrunk, target_probs).unwrap_or_else(|| target_probs.to_vec());
    kept.iter()
        .zip(residual)
        .map(|(kept, weight)| kept + rejected * weight)
        .collect()
}

fn kept_by_lenience(draft_probs: &[f64], target_probs: &[f64], lenience: Lenience) -> Vec<f64> {
    pairs(draft_probs, target_probs)
        .map(|(draft, target)| {
            // Compared before it is divided: l may be 0.
            if target >= lenience.get() * draft && target > 0.0 {
                draft
            } else if target > 0.0 {
                target / lenience.get()
            } else {
                0.0
            }
        })
        .collect()
}

/// How often [`Rule::Typical`](crate::Rule::Typical) keeps a drafted token: the draft's mass on the
/// tokens with `t > min(ε, δ·e^(−H))`.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Cai et al. 2024, "Medusa", section 2.3.1.
pub fn typical_acceptance(draft_probs: &[f64], target_probs: &[f64], typical: Typical) -> f64 {
    let threshold = typical.threshold(entropy(target_probs));
    pairs(draft_probs, target_probs)
        .filter(|&(_, target)| target > threshold)
        .map(|(draft, _)| draft)
        .sum()
}

/// The distribution of a position after [`Rule::Typical`](crate::Rule::Typical): the draft's mass
/// on the typical tokens, and the rest of it spread as the target is.
///
/// # Shapes
/// Returns (vocabulary).
///
/// # Panics
/// When the lengths differ.
///
/// Source: as [`typical_acceptance`].
pub fn typical_output(draft_probs: &[f64], target_probs: &[f64], typical: Typical) -> Vec<f64> {
    let threshold = typical.threshold(entropy(target_probs));
    let rejected = 1.0 - typical_acceptance(draft_probs, target_probs, typical);
    pairs(draft_probs, target_probs)
        .map(|(draft, target)| {
            let kept = if target > threshold { draft } else { 0.0 };
            kept + rejected * target
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed with two decimals.
    fn check(found: f64, printed: f64) {
        assert!(
            (found - printed).abs() <= 0.005 + 1e-12,
            "{found} is not {printed}"
        );
    }

    #[test]
    fn leviathans_table_1_comes_out() {
        for (alpha, gamma, operations, speed) in [
            (0.6, 2, 1.53, 1.96),
            (0.8, 5, 1.63, 3.69),
            (0.9, 10, 1.60, 6.86),
        ] {
            // The table neglects the cost of the draft.
            check(operations_factor(alpha, gamma, 0.0), operations);
            check(speed_up(alpha, gamma, 0.0, 1.0), speed);
        }
    }

    #[test]
    fn the_best_draft_lengths_come_out() {
        for (alpha, gamma) in [(0.5, 3), (0.6, 4), (0.7, 6), (0.8, 8), (0.9, 13)] {
            assert_eq!(best_gamma(alpha, 0.05, 1.0, 64), gamma, "alpha = {alpha}");
        }
    }

    #[test]
    fn a_draft_that_cannot_pay_is_not_used() {
        assert_eq!(best_gamma(0.3, 0.5, 1.0, 64), 0);
        assert_eq!(
            best_gamma(0.0, 0.0, 1.0, 64),
            0,
            "no gain is no reason to draft"
        );
        assert_eq!(best_gamma(1.0, 0.0, 1.0, 7), 7);
        // A pass over several positions that costs as much as three steps.
        assert_eq!(best_gamma(0.5, 0.05, 3.0, 64), 0);
        assert_eq!(speed_up(0.5, 0, 0.05, 3.0), 1.0);
    }

    #[test]
    fn drafting_pays_where_a_token_is_kept_more_often_than_it_costs() {
        for alpha in [0.0, 0.2, 0.55, 0.8, 1.0] {
            for c in [0.0, 0.07, 0.3, 0.9] {
                for row in [0.0, 0.11, 0.5, 1.0] {
                    let pays = (1..=40).any(|gamma| {
                        speed_up(alpha, gamma, c, 1.0 + row * gamma as f64) > 1.0 + 1e-12
                    });
                    assert_eq!(ever_pays(alpha, c, row), pays, "{alpha} {c} {row}");
                }
            }
        }
    }

    #[test]
    fn tokens_per_round_is_the_closed_formula_and_its_limit() {
        for gamma in 0..12 {
            for alpha in [0.0, 0.1, 0.5, 0.9, 0.999] {
                let closed = (1.0 - f64::powi(alpha, gamma as i32 + 1)) / (1.0 - alpha);
                assert!((expected_tokens_per_round(alpha, gamma) - closed).abs() < 1e-10);
            }
            assert_eq!(expected_tokens_per_round(1.0, gamma), gamma as f64 + 1.0);
        }
    }

    #[test]
    fn costs_enter_where_the_formula_has_them() {
        // α = ½, γ = 2: 1.75 tokens.
        assert!((speed_up(0.5, 2, 0.25, 1.5) - 1.75 / 2.0).abs() < 1e-15);
        assert!((operations_factor(0.5, 2, 0.25) - 3.5 / 1.75).abs() < 1e-15);
    }

    #[test]
    fn accepted_lengths_sum_to_one_and_their_mean_is_one_less_than_the_tokens() {
        assert_eq!(accepted_length_probabilities(0.5, 2), [0.5, 0.25, 0.25]);
        assert_eq!(accepted_length_probabilities(0.5, 0), [1.0]);
        assert_eq!(accepted_length_probabilities(1.0, 2), [0.0, 0.0, 1.0]);
        for alpha in [0.0, 0.3, 0.7, 1.0] {
            let probs = accepted_length_probabilities(alpha, 6);
            let mean: f64 = probs
                .iter()
                .enumerate()
                .map(|(k, prob)| k as f64 * prob)
                .sum();
            assert!((probs.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((mean + 1.0 - expected_tokens_per_round(alpha, 6)).abs() < 1e-12);
        }
    }

    #[test]
    fn three_equal_tokens_against_three_others_meet_the_bound() {
        let third = 1.0 / 3.0;
        let draft = [third, third, third, 0.0];
        let target = [0.0, third, third, third];
        for agreement in [
            minhash_agreement(&draft, &target),
            gumbel_agreement(&draft, &target),
            agreement_bound(&draft, &target),
        ] {
            assert!((agreement - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn two_tokens_agree_as_often_as_they_can() {
        let (draft, target) = ([0.8, 0.2], [0.35, 0.65]);
        let most = 1.0 - total_variation(&draft, &target);
        assert!((minhash_agreement(&draft, &target) - most).abs() < 1e-12);
        assert!((gumbel_agreement(&draft, &target) - most).abs() < 1e-12);
    }
}
