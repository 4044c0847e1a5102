//! How far a count strays from its expectation by chance.

/// The central interval `[lowest, highest]` in which a count of `trials` independent trials lies
/// with a probability of at least `confidence`, when each succeeds with `prob`: below it and above
/// it lies at most half of the rest each.
///
/// Exact up to rounding: the binomial probabilities are added up, not approximated.
///
/// # Panics
/// When `prob` is not in [0, 1] or `confidence` not in (0, 1).
pub fn count_interval(trials: u64, prob: f64, confidence: f64) -> [u64; 2] {
    assert!((0.0..=1.0).contains(&prob), "the probability is {prob}");
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "the confidence is {confidence}"
    );
    if prob == 0.0 || trials == 0 {
        return [0, 0];
    }
    if prob == 1.0 {
        return [trials, trials];
    }
    let n = trials as f64;
    let odds = prob / (1.0 - prob);
    let mode = (((n + 1.0) * prob).floor() as u64).min(trials);
    // Weights relative to the mode's, outwards until nothing more can be added.
    let mut above = vec![];
    let mut weight = 1.0;
    let mut count = mode;
    while count < trials && weight > NEGLIGIBLE {
        weight *= (n - count as f64) / (count as f64 + 1.0) * odds;
        above.push(weight);
        count += 1;
    }
    let mut below = vec![];
    let mut weight = 1.0;
    let mut count = mode;
    while count > 0 && weight > NEGLIGIBLE {
        weight *= count as f64 / (n - count as f64 + 1.0) / odds;
        below.push(weight);
        count -= 1;
    }
    // Smallest first, so that the many small ones are not lost.
    let total = above.iter().rev().sum::<f64>() + below.iter().rev().sum::<f64>() + 1.0;
    let tail = 0.5 * (1.0 - confidence) * total;
    let cut = |weights: &[f64]| {
        let mut outside = 0.0;
        let kept = weights.iter().rposition(|weight| {
            outside += weight;
            outside > tail
        });
        kept.map_or(0, |index| index as u64 + 1)
    };
    [mode - cut(&below), mode + cut(&above)]
}

/// Relative to the most probable count.
const NEGLIGIBLE: f64 = 1e-18;

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities of all counts, from the coefficients themselves.
    fn probabilities(trials: u64, prob: f64) -> Vec<f64> {
        let mut row = vec![1.0];
        for _ in 0..trials {
            let mut next = vec![0.0; row.len() + 1];
            for (count, weight) in row.iter().enumerate() {
                next[count] += weight * (1.0 - prob);
                next[count + 1] += weight * prob;
            }
            row = next;
        }
        row
    }

    #[test]
    fn the_interval_is_the_smallest_with_both_tails_small() {
        for trials in [1, 2, 7, 40, 200] {
            for prob in [0.001, 0.1, 0.5, 0.73, 0.999] {
                let [low, high] = count_interval(trials, prob, 0.95);
                let row = probabilities(trials, prob);
                let below = |end: u64| row[..end as usize].iter().sum::<f64>();
                let above = |end: u64| row[end as usize + 1..].iter().sum::<f64>();
                let case = format!("{trials} {prob}: {low} {high}");
                assert!(below(low) <= 0.025 && above(high) <= 0.025, "{case}");
                let mode = ((trials as f64 + 1.0) * prob) as u64;
                assert!(low >= mode || below(low + 1) > 0.025, "{case}");
                assert!(high <= mode || above(high - 1) > 0.025, "{case}");
            }
        }
    }

    #[test]
    fn many_trials_are_nearly_normal() {
        for (trials, prob) in [(20_000, 0.16), (1_000_000, 0.3), (10_000_000, 0.002)] {
            let [low, high] = count_interval(trials, prob, 0.95);
            let n = trials as f64;
            let half = 1.959_964 * (n * prob * (1.0 - prob)).sqrt();
            assert!((n * prob - half - low as f64).abs() < 2.0, "{low}");
            assert!((n * prob + half - high as f64).abs() < 2.0, "{high}");
        }
    }

    #[test]
    fn what_is_certain_does_not_stray() {
        assert_eq!(count_interval(0, 0.3, 0.95), [0, 0]);
        assert_eq!(count_interval(9, 0.0, 0.95), [0, 0]);
        assert_eq!(count_interval(9, 1.0, 0.95), [9, 9]);
    }
}
