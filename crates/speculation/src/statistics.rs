//! Intervals and tests behind the numbers that the page shows: acceptance rates, timings, and
//! whether sampled text has the target's distribution.

mod binomial;

pub use binomial::count_interval;

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::{
    beta::beta_reg,
    erf::{erf_inv, erfc},
    gamma::gamma_ur,
};

use crate::distribution::{check_distribution, ranked};

/// The smallest expected count that a cell of [`chi_square`] may have.
pub const SMALLEST_EXPECTED_COUNT: f64 = 5.0;

/// The Wilson score interval of a rate, `[lower, upper]` within [0, 1]; `[0, 1]` without trials.
///
/// It always contains `successes / trials`. `confidence` is in (0, 1), for instance 0.95.
///
/// # Panics
/// When there are more successes than trials, or `confidence` is not in (0, 1).
///
/// Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
pub fn wilson_interval(successes: u64, trials: u64, confidence: f64) -> [f64; 2] {
    assert!(
        successes <= trials,
        "{successes} successes in {trials} trials"
    );
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "the confidence is {confidence}"
    );
    if trials == 0 {
        return [0.0, 1.0];
    }
    let n = trials as f64;
    let rate = successes as f64 / n;
    let z = std::f64::consts::SQRT_2 * erf_inv(confidence);
    let scale = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / scale;
    let half_width = z / scale * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    // Without successes the lower end is exactly 0, and without failures the upper exactly 1:
    // the comparison with the rate removes what rounding leaves.
    [
        (centre - half_width).clamp(0.0, rate),
        (centre + half_width).clamp(rate, 1.0),
    ]
}

/// An interval `[lower, upper]` for the mean of the values' source by Student's t, assuming that
/// the mean of so many values is nearly normal. One value alone gives an infinite interval.
///
/// `confidence` is in (0, 1), for instance 0.95.
///
/// # Panics
/// When `values` is empty or holds a NaN, or `confidence` is not in (0, 1).
///
/// Source: Student 1908, "The probable error of a mean".
pub fn mean_interval(values: &[f64], confidence: f64) -> [f64; 2] {
    assert!(!values.is_empty(), "no values have no mean");
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "the confidence is {confidence}"
    );
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    assert!(!mean.is_nan(), "a value is not a number");
    let Ok(student) = StudentsT::new(0.0, 1.0, n - 1.0) else {
        return [f64::NEG_INFINITY, f64::INFINITY];
    };
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half_width = student.inverse_cdf(0.5 + 0.5 * confidence) * (variance / n).sqrt();
    [mean - half_width, mean + half_width]
}

/// The middle value, or the mean of the two middle ones. The order of `values` does not matter.
///
/// # Panics
/// When `values` is empty or holds a NaN.
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let n = sorted.len();
    if n % 2 == 1 {
        sorted[n / 2]
    } else {
        0.5 * (sorted[n / 2 - 1] + sorted[n / 2])
    }
}

/// An interval `[lower, upper]` that covers the median of the values' source with a probability
/// of at least `confidence`, which lies between 0 and 1, whatever that source's distribution. The
/// order of `values` does not matter.
///
/// Its ends are the k-th smallest and the k-th largest value, with the largest k for which
/// `2·P(Binomial(n, ½) < k) ≤ 1 − confidence`. Where no k is, as of fewer than six values at 95 %, the
/// interval is their minimum and maximum, which cover the median with a probability of `1 − 2^(1−n)`.
///
/// # Panics
/// When `values` is empty or holds a NaN.
///
/// Source: David and Nagaraja 2003, "Order statistics", section 7.1.
pub fn median_interval(values: &[f64], confidence: f64) -> [f64; 2] {
    let sorted = sorted(values);
    let n = sorted.len();
    let mut k = 1;
    while 2 * (k + 1) <= n && 2.0 * fair_coins_below(k + 1, n) <= 1.0 - confidence {
        k += 1;
    }
    [sorted[k - 1], sorted[n - k]]
}

/// The confidence that each of several intervals has to have, so that all of them together hold
/// what they are about with a probability of `confidence`: what may be said of the one that was
/// chosen because it looks best. For one it is `confidence` itself, which lies between 0 and 1.
///
/// Source: Bonferroni's inequality; Miller 1981, "Simultaneous statistical inference", section 1.3.
pub fn confidence_of_each(confidence: f64, intervals: usize) -> f64 {
    1.0 - (1.0 - confidence) / intervals.max(1) as f64
}

/// What a normal variable exceeds 0 by, on average: `E max(0, X)`. What trying something is worth
/// that may be better or worse, if it can be left again.
///
/// # Panics
/// When `deviation` is not positive.
///
/// Source: Jones, Schonlau and Welch 1998, "Efficient global optimization of expensive black-box
/// functions", equation 15.
pub fn expected_gain(mean: f64, deviation: f64) -> f64 {
    assert!(
        deviation > 0.0,
        "a deviation of {deviation} is not positive"
    );
    let z = mean / deviation;
    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let below = 0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
    deviation * (density + z * below).max(0.0)
}

/// `P(Binomial(n, ½) < k)` for `1 ≤ k ≤ n`.
fn fair_coins_below(k: usize, n: usize) -> f64 {
    beta_reg((n - k + 1) as f64, k as f64, 0.5)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    assert!(!values.is_empty(), "no values have no median");
    assert!(
        !values.iter().any(|value| value.is_nan()),
        "a value is not a number"
    );
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// What [`chi_square`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// `Σ (observed − expected)² / expected` over the pooled cells; infinite when something was
    /// observed that has probability 0.
    pub statistic: f64,
    /// The number of pooled cells less one.
    pub degrees_of_freedom: usize,
    /// The probability that chance alone makes the statistic at least this large, in [0, 1].
    pub p_value: f64,
    /// Whether that is the exact binomial test's, of two cells of which one expects too little for the
    /// law of the statistic.
    pub is_binomial: bool,
}

/// Pearson's test of whether counts come from a distribution.
///
/// Cells whose expected count is below [`SMALLEST_EXPECTED_COUNT`] are pooled into one. If the
/// pool still expects less than that, the cell with the smallest expected count joins it, and so
/// on. A cell of probability 0 is never pooled: if it was observed, the hypothesis is impossible
/// and the p-value is 0; if not, it is left out. Where all cells but one would be pooled and that one
/// expects enough by itself, it stays apart, and the p-value is that of the exact binomial test of how
/// often the others came, both tails alike. With a single cell there is nothing to test: the statistic
/// is 0 and the p-value 1.
///
/// # Shapes
/// `observed`: (cells), counts. `expected_probs`: (cells), probabilities.
///
/// # Panics
/// When the lengths differ or `expected_probs` is not a distribution.
///
/// Source: Pearson 1900; the limit of five is Cochran's rule (1954).
pub fn chi_square(observed: &[u64], expected_probs: &[f64]) -> ChiSquare {
    assert_eq!(
        observed.len(),
        expected_probs.len(),
        "counts and probabilities differ in length"
    );
    if let Err(error) = check_distribution(expected_probs) {
        panic!("{error}");
    }
    let total = observed.iter().sum::<u64>() as f64;
    let mut impossible = false;
    // (observed, expected) counts, smallest expectation first.
    let mut cells: Vec<(f64, f64)> = Vec::with_capacity(observed.len());
    for (&count, &prob) in observed.iter().zip(expected_probs) {
        if prob > 0.0 {
            cells.push((count as f64, prob * total));
        } else if count > 0 {
            impossible = true;
        }
    }
    let rising = ranked(cells.iter().map(|(_, expected)| -expected));
    let cells: Vec<(f64, f64)> = rising.into_iter().map(|place| cells[place]).collect();

    // The largest stays apart where it expects enough: the pool would tell nothing with it inside.
    let is_large = |cell: &(f64, f64)| cell.1 >= SMALLEST_EXPECTED_COUNT;
    let poolable = cells.len() - usize::from(cells.last().is_some_and(is_large));
    let mut pooled = 0;
    let mut pool = (0.0, 0.0);
    while pooled < poolable
        && (cells[pooled].1 < SMALLEST_EXPECTED_COUNT
            || (pooled > 0 && pool.1 < SMALLEST_EXPECTED_COUNT))
    {
        pool = (pool.0 + cells[pooled].0, pool.1 + cells[pooled].1);
        pooled += 1;
    }
    let mut kept = cells[pooled..].to_vec();
    if pooled > 0 {
        kept.push(pool);
    }
    let degrees_of_freedom = kept.len() - 1;
    if impossible {
        return ChiSquare {
            statistic: f64::INFINITY,
            degrees_of_freedom,
            p_value: 0.0,
            is_binomial: false,
        };
    }
    if degrees_of_freedom == 0 {
        return ChiSquare {
            statistic: 0.0,
            degrees_of_freedom,
            p_value: 1.0,
            is_binomial: false,
        };
    }
    let statistic = kept
        .iter()
        .map(|(count, expected)| (count - expected).powi(2) / expected)
        .sum::<f64>();
    // Two cells, one of them too rare for the square's law.
    let is_binomial = pooled > 0 && !is_large(&pool);
    let p_value = if is_binomial {
        binomial_tails(pool.0, total, pool.1 / total)
    } else {
        chi_square_tail(statistic, degrees_of_freedom)
    };
    ChiSquare {
        statistic,
        degrees_of_freedom,
        p_value,
        is_binomial,
    }
}

/// Twice the probability that so many of `total` or more are there by chance, or so many or fewer,
/// whichever is rarer; in [0, 1]. `prob` is in (0, 1).
fn binomial_tails(count: f64, total: f64, prob: f64) -> f64 {
    // P(X ≥ k) = I_p(k, n − k + 1); Abramowitz, Stegun 1964, 26.5.24.
    let at_least = |count: f64| match count {
        none if none <= 0.0 => 1.0,
        more if more > total => 0.0,
        count => beta_reg(count, total - count + 1.0, prob),
    };
    let fewer = 1.0 - at_least(count + 1.0);
    (2.0 * at_least(count).min(fewer)).min(1.0)
}

/// The probability that a chi-squared variable is at least `statistic`: the upper tail
/// `Q(df/2, statistic/2)`, in [0, 1].
pub fn chi_square_tail(statistic: f64, degrees_of_freedom: usize) -> f64 {
    if statistic == 0.0 {
        return 1.0;
    }
    gamma_ur(degrees_of_freedom as f64 / 2.0, statistic / 2.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expect: f64, tolerance: f64) {
        assert!(
            (found - expect).abs() < tolerance,
            "{found} is not {expect}"
        );
    }

    #[test]
    fn a_mean_has_the_interval_of_student() {
        // Table value: t(0.975, 4 degrees of freedom) = 2.776.
        let [lower, upper] = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95);
        let half_width = 2.776 * (2.5f64 / 5.0).sqrt();
        assert!((upper - 3.0 - half_width).abs() < 1e-3, "{upper}");
        assert!((lower - 3.0 + half_width).abs() < 1e-3, "{lower}");
        assert_eq!(
            mean_interval(&[7.0], 0.95),
            [f64::NEG_INFINITY, f64::INFINITY]
        );
    }

    #[test]
    fn wilson_gives_known_intervals() {
        // 95 %, z = 1.959964: by hand for 8 of 10, and the closed ends z²/(n + z²) at 0 and n.
        let [lower, upper] = wilson_interval(8, 10, 0.95);
        close(lower, 0.490_162, 1e-6);
        close(upper, 0.943_318, 1e-6);
        let z_squared = 1.959_963_984_540_054_f64.powi(2);
        let [lower, upper] = wilson_interval(0, 10, 0.95);
        assert_eq!(lower, 0.0);
        close(upper, z_squared / (10.0 + z_squared), 1e-9);
        let [lower, upper] = wilson_interval(10, 10, 0.95);
        close(lower, 10.0 / (10.0 + z_squared), 1e-9);
        assert_eq!(upper, 1.0);
        assert_eq!(wilson_interval(0, 0, 0.95), [0.0, 1.0]);
    }

    #[test]
    fn medians_do_not_need_sorted_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
    }

    #[test]
    fn a_gain_counts_only_what_is_above_zero() {
        let tau = std::f64::consts::TAU;
        close(expected_gain(0.0, 2.0), 2.0 / tau.sqrt(), 1e-12);
        // What is surely far above or below.
        close(expected_gain(5.0, 0.1), 5.0, 1e-12);
        close(expected_gain(-5.0, 0.1), 0.0, 1e-12);
        // E max(0, X) - E max(0, -X) = E X.
        close(
            expected_gain(0.3, 1.0) - expected_gain(-0.3, 1.0),
            0.3,
            1e-9,
        );
        // Unit normal loss at one deviation, as tabulated.
        close(expected_gain(-1.0, 1.0), 0.0833, 5e-5);
    }

    #[test]
    fn median_intervals_have_the_tabulated_ranks() {
        // (values, rank of the lower end), ranks counted from 1.
        for (n, rank) in [
            (1, 1),
            (5, 1),
            (6, 1),
            (8, 1),
            (9, 2),
            (10, 2),
            (20, 6),
            (50, 18),
            (100, 40),
        ] {
            let mut values: Vec<f64> = (1..=n).map(f64::from).collect();
            values.reverse();
            let expect = [f64::from(rank), f64::from(n + 1 - rank)];
            assert_eq!(median_interval(&values, 0.95), expect, "n = {n}");
        }
    }

    #[test]
    fn the_best_of_several_takes_a_wider_interval() {
        close(confidence_of_each(0.95, 1), 0.95, 1e-12);
        let each = confidence_of_each(0.95, 9);
        close(each, 1.0 - 0.05 / 9.0, 1e-12);
        for (n, rank) in [(8, 1), (9, 1), (12, 1), (13, 2)] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let expect = [f64::from(rank), f64::from(n + 1 - rank)];
            assert_eq!(median_interval(&values, each), expect, "n = {n}");
        }
    }

    #[test]
    fn fair_coins_are_counted_exactly() {
        close(fair_coins_below(1, 6), 1.0 / 64.0, 1e-12);
        close(fair_coins_below(2, 10), 11.0 / 1024.0, 1e-12);
        close(fair_coins_below(3, 10), 56.0 / 1024.0, 1e-12);
        close(fair_coins_below(10, 10), 1023.0 / 1024.0, 1e-12);
    }

    #[test]
    fn tails_have_tabulated_values() {
        close(chi_square_tail(3.841_458_820_694_124, 1), 0.05, 1e-9);
        close(chi_square_tail(5.991_464_547_107_979, 2), 0.05, 1e-9);
        close(chi_square_tail(23.209_251_158_954_356, 10), 0.01, 1e-9);
        // Two degrees of freedom: exactly e^(−x/2).
        close(chi_square_tail(60.0, 2), (-30f64).exp(), 1e-20);
    }

    #[test]
    fn chi_square_tests_a_die() {
        let found = chi_square(&[5, 8, 9, 8, 10, 20], &[1.0 / 6.0; 6]);
        close(found.statistic, 13.4, 1e-9);
        assert_eq!(found.degrees_of_freedom, 5);
        close(found.p_value, 0.019_905, 1e-5);
    }

    #[test]
    fn small_cells_are_pooled() {
        // Expected 50, 44, 4, 2: the last two make one cell of 6.
        let found = chi_square(&[50, 42, 6, 2], &[0.5, 0.44, 0.04, 0.02]);
        assert_eq!(found.degrees_of_freedom, 2);
        close(found.statistic, 4.0 / 44.0 + 4.0 / 6.0, 1e-12);
        // Expected 90, 7, 3: the pool of 3 takes in the 7.
        let found = chi_square(&[85, 9, 6], &[0.9, 0.07, 0.03]);
        assert_eq!((found.degrees_of_freedom, found.is_binomial), (1, false));
        close(found.statistic, 25.0 / 90.0 + 25.0 / 10.0, 1e-12);
    }

    #[test]
    fn what_is_all_but_impossible_is_not_pooled_with_the_one_cell_that_is_not() {
        let probs = [0.99999, 6e-6, 4e-6];
        let found = chi_square(&[19_999, 1, 0], &probs);
        assert_eq!((found.degrees_of_freedom, found.is_binomial), (1, true));
        // Twice 1 − (1 − 10⁻⁵)^20000.
        close(found.p_value, 2.0 * 0.181_270_066, 1e-8);
        assert_eq!(chi_square(&[20_000, 0, 0], &probs).p_value, 1.0);
        assert!(chi_square(&[19_995, 3, 2], &probs).p_value < 1e-5);
        assert_eq!(chi_square(&[1_000, 9_000, 10_000], &probs).p_value, 0.0);
        // However rare.
        let rarer = chi_square(&[0, 20_000], &[1.0 - 1e-12, 1e-12]);
        assert_eq!((rarer.degrees_of_freedom, rarer.p_value), (1, 0.0));
        assert!(rarer.statistic > 1e15);
    }

    #[test]
    fn cells_that_expect_just_enough_are_not_pooled() {
        assert_eq!(chi_square(&[3, 7], &[0.5, 0.5]).degrees_of_freedom, 1);
        // Expected 48, 47, 4, 1: the pool of exactly 5 takes in no other.
        let found = chi_square(&[48, 44, 6, 2], &[0.48, 0.47, 0.04, 0.01]);
        assert_eq!(found.degrees_of_freedom, 2);
        close(found.statistic, 9.0 / 47.0 + 9.0 / 5.0, 1e-12);
    }

    #[test]
    fn an_impossible_observation_is_never_pooled_away() {
        let found = chi_square(&[500, 499, 1], &[0.5, 0.5, 0.0]);
        assert_eq!((found.statistic, found.p_value), (f64::INFINITY, 0.0));
        let found = chi_square(&[500, 500, 0], &[0.5, 0.5, 0.0]);
        assert_eq!((found.degrees_of_freedom, found.p_value), (1, 1.0));
    }

    #[test]
    fn too_few_observations_test_nothing() {
        for observed in [[0, 0], [3, 0]] {
            let found = chi_square(&observed, &[0.5, 0.5]);
            assert_eq!((found.degrees_of_freedom, found.p_value), (0, 1.0));
        }
    }

    proptest! {
        #[test]
        fn wilson_contains_the_rate(
            (trials, successes) in (1u64..5000).prop_flat_map(|n| (Just(n), 0..=n)),
            confidence in 0.01..0.9999f64,
        ) {
            let rate = successes as f64 / trials as f64;
            let [lower, upper] = wilson_interval(successes, trials, confidence);
            prop_assert!(0.0 <= lower && lower <= rate && rate <= upper && upper <= 1.0);
            prop_assert!(lower < upper);
        }

        #[test]
        fn the_median_lies_in_its_interval(values in prop::collection::vec(-1e3..1e3f64, 1..60)) {
            let [lower, upper] = median_interval(&values, 0.95);
            let middle = median(&values);
            prop_assert!(lower <= middle && middle <= upper);
        }
    }
}
