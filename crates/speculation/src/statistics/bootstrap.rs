//! Bootstrap intervals.

use super::median;
use crate::random::arithmetic::multiply_high;
use crate::random::{Purpose, words};

/// An interval `[lower, upper]` for how many times faster the second series is than the first:
/// for `median(plain) / median(speculative)`, by the percentile bootstrap.
///
/// Each of `resamples` times both series are drawn anew from themselves, with replacement and
/// independently, and the ratio is taken; the interval leaves out as many of the smallest ratios as
/// of the largest. The same values and seed give the same interval. 2,000 resamples are enough for
/// `confidence` 0.95.
///
/// # Panics
/// When a series is empty, has 2^24 values or more, or holds a value that is not positive and
/// finite; when `confidence` is not in (0, 1) or `resamples` is 0.
///
/// Source: Efron and Tibshirani 1993, "An introduction to the bootstrap", section 13.3.
pub fn speed_up_interval(
    plain: &[f64],
    speculative: &[f64],
    confidence: f64,
    resamples: u32,
    seed: u64,
) -> [f64; 2] {
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "the confidence is {confidence}"
    );
    assert!(resamples > 0, "no resamples make no interval");
    for series in [plain, speculative] {
        assert!(
            series.iter().all(|value| *value > 0.0 && value.is_finite()),
            "a duration is not positive and finite"
        );
    }
    let mut ratios: Vec<f64> = (0..resamples)
        .map(|resample| {
            // Both words of a number are used: the first for one series, the second for the other.
            let drawn = |series: &[f64], word: usize| {
                let values: Vec<f64> = (0..series.len() as u32)
                    .map(|lane| {
                        let bits = words(seed, resample, Purpose::Bootstrap, lane)[word];
                        series[multiply_high(bits, series.len() as u32) as usize]
                    })
                    .collect();
                median(&values)
            };
            drawn(plain, 0) / drawn(speculative, 1)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let left_out = (0.5 * (1.0 - confidence) * f64::from(resamples)) as usize;
    let left_out = left_out.min((ratios.len() - 1) / 2);
    [ratios[left_out], ratios[ratios.len() - 1 - left_out]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform_from_bits;

    /// Durations around `centre` with a spread of ±10 %, from `seed`.
    fn durations(centre: f64, count: u32, seed: u64) -> Vec<f64> {
        (0..count)
            .map(|i| {
                let bits = words(seed, i, Purpose::Training, 0)[0];
                centre * (0.9 + 0.2 * f64::from(uniform_from_bits(bits)))
            })
            .collect()
    }

    #[test]
    fn the_interval_covers_the_ratio_about_as_often_as_it_says() {
        let mut covered = 0;
        let experiments = 300;
        for experiment in 0..experiments {
            let plain = durations(3.0, 25, 2 * experiment);
            let speculative = durations(1.5, 25, 2 * experiment + 1);
            let [lower, upper] = speed_up_interval(&plain, &speculative, 0.95, 400, 7);
            assert!(0.0 < lower && lower <= upper);
            covered += u32::from(lower <= 2.0 && 2.0 <= upper);
        }
        let rate = f64::from(covered) / experiments as f64;
        assert!((0.90..=0.99).contains(&rate), "{rate}");
    }

    #[test]
    fn constant_durations_have_an_interval_of_one_point() {
        assert_eq!(
            speed_up_interval(&[3.0; 5], &[1.5; 4], 0.95, 100, 1),
            [2.0, 2.0]
        );
        assert_eq!(speed_up_interval(&[3.0], &[1.5], 0.95, 1, 1), [2.0, 2.0]);
    }

    #[test]
    fn a_seed_gives_its_interval_again() {
        let (plain, speculative) = (durations(3.0, 9, 1), durations(1.0, 11, 2));
        let of = |seed| speed_up_interval(&plain, &speculative, 0.9, 200, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    #[should_panic(expected = "not positive and finite")]
    fn a_duration_of_zero_is_refused() {
        speed_up_interval(&[0.0], &[1.0], 0.95, 10, 1);
    }
}
