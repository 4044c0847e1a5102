//! What a round of each γ takes, by a Kalman filter over the logarithms.
//!
//! A machine that shares its caches and its clock with others is a third slower in one moment than
//! in the next, and slower at every γ. Whoever compares a γ that was timed now with one that was
//! timed then compares the moments. So what a round takes is an unknown pace, which changes
//! quickly and is common to all γ, and what is particular to each γ, which hardly changes: rounds
//! of the γ in use tell the pace, and what others take right before and after tells the rest.
//! (Kalman, “A new approach to linear filtering and prediction problems”, 1960.)

use std::array::from_fn;

use super::LARGEST;

const LENGTHS: usize = LARGEST + 1;

/// How far the calibration may be off, as standard deviations of logarithms: for all γ alike, by
/// what every round takes longer however long its draft is (a readback for each, where one for
/// many was timed), and for one γ.
const PACE: f64 = 0.3;
const ADDED: f64 = 0.3;
const OWN: f64 = 0.12;

/// How much of what is particular to a γ its neighbour shares: costs that were not timed lie on
/// lines between those that were.
const SHARED: f64 = 0.6;

/// Variance that a millisecond adds to the pace, up to so many of them, and to each γ's own.
const PACE_DRIFT: f64 = 4e-4;
const PACE_FORGOTTEN: f64 = 100.0;
const OWN_DRIFT: f64 = 1e-7;

/// Standard deviations of what was timed together, and of one round among those.
const BLOCK_NOISE: f64 = 0.06;
const ROUND_NOISE: f64 = 0.1;

/// Standard deviations beyond which a longer time is a pause of the machine and no property of γ,
/// and beyond which a shorter one shows that what was known is wrong.
const SURPRISING: f64 = 1.5;
const WRONG: f64 = 2.5;

/// How far a surprise may be that is a shorter time: a coarse clock may see no time pass at all.
const SHORTEST: f64 = 1.4;

/// Milliseconds of a round by its γ, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct RoundCosts {
    /// Their logarithms.
    expected: [f64; LENGTHS],
    covariance: [[f64; LENGTHS]; LENGTHS],
    milliseconds: [f64; LENGTHS],
}

impl RoundCosts {
    /// Begins with a calibration.
    pub(super) fn new(milliseconds: [f64; LENGTHS]) -> Self {
        let added = milliseconds.map(|cost| ADDED * milliseconds[0] / cost);
        let covariance = from_fn(|a| {
            from_fn(|b| {
                PACE * PACE + added[a] * added[b] + OWN * OWN * SHARED.powi(a.abs_diff(b) as i32)
            })
        });
        Self {
            expected: milliseconds.map(f64::ln),
            covariance,
            milliseconds,
        }
    }

    /// What a round takes.
    pub(super) fn milliseconds(&self, gamma: usize) -> f64 {
        self.milliseconds[gamma]
    }

    /// The part that so many looks at `gamma`, of so many rounds each, would take away of the
    /// variance of the logarithm of how much longer they take than those of `current`.
    pub(super) fn to_be_learnt(
        &self,
        gamma: usize,
        current: usize,
        [looks, rounds]: [f64; 2],
    ) -> f64 {
        let of = &self.covariance;
        let unknown = of[gamma][gamma] + of[current][current] - 2.0 * of[gamma][current];
        let noise = noise(rounds) / looks;
        unknown * unknown / (unknown + noise)
    }

    /// So many rounds, one after the other, took this long each.
    pub(super) fn took(&mut self, gamma: usize, rounds: f64, milliseconds: f64) {
        let passed = rounds * self.milliseconds[gamma];
        let pace = PACE_DRIFT * passed.min(PACE_FORGOTTEN);
        for (place, row) in self.covariance.iter_mut().enumerate() {
            for entry in &mut *row {
                *entry += pace;
            }
            row[place] += OWN_DRIFT * passed;
        }
        let noise = noise(rounds);
        // A coarse clock may see no time pass at all.
        let surprise = milliseconds.max(1e-6).ln() - self.expected[gamma];
        let surprise = surprise.max(-SHORTEST);
        let deviations = surprise / (self.covariance[gamma][gamma] + noise).sqrt();
        if deviations < -WRONG {
            // Nothing makes rounds shorter than they are, so what was known is wrong.
            self.doubt(gamma, surprise * surprise);
        }
        let told = self.covariance[gamma];
        // The longer, the more likely the machine paused, and the less is learnt.
        let variance = (told[gamma] + noise) * (deviations / SURPRISING).max(1.0).powi(2);
        for (place, row) in self.covariance.iter_mut().enumerate() {
            let gain = told[place] / variance;
            self.expected[place] += gain * surprise;
            self.milliseconds[place] = self.expected[place].exp();
            for (entry, told) in row.iter_mut().zip(told) {
                *entry -= gain * told;
            }
        }
    }

    /// Adds a variance, one half to what is particular to a γ and one to what is common.
    fn doubt(&mut self, gamma: usize, variance: f64) {
        for entry in self.covariance.iter_mut().flatten() {
            *entry += 0.5 * variance;
        }
        self.covariance[gamma][gamma] += 0.5 * variance;
    }
}

/// The variance of the logarithm of what so many rounds took together.
fn noise(rounds: f64) -> f64 {
    BLOCK_NOISE * BLOCK_NOISE + ROUND_NOISE * ROUND_NOISE / rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALIBRATED: [f64; LENGTHS] = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0];

    /// One γ in use, and looks at another now and then, at a pace.
    fn write(costs: &mut RoundCosts, [used, other]: [(usize, f64); 2], pace: f64) {
        for _ in 0..20 {
            for _ in 0..5 {
                costs.took(used.0, 4.0, pace * used.1);
            }
            costs.took(other.0, 4.0, pace * other.1);
        }
    }

    fn check(costs: &RoundCosts, gamma: usize, expected: f64) {
        let found = costs.milliseconds(gamma);
        assert!(
            (found / expected - 1.0).abs() < 0.04,
            "{found} instead of {expected} at γ {gamma}"
        );
    }

    #[test]
    fn a_slower_machine_is_slower_at_every_draft_length() {
        let mut costs = RoundCosts::new(CALIBRATED);
        write(&mut costs, [(2, 2.0), (0, 1.0)], 1.0);
        for _ in 0..20 {
            costs.took(2, 4.0, 2.8);
        }
        check(&costs, 2, 2.8);
        check(&costs, 0, 1.4);
        // What was only calibrated too.
        assert!(costs.milliseconds(7) > 1.2 * CALIBRATED[7]);
    }

    #[test]
    fn what_is_particular_shows_however_the_pace_changes() {
        let mut costs = RoundCosts::new(CALIBRATED);
        for pace in [1.0, 1.4, 0.8, 1.2, 1.0] {
            write(&mut costs, [(1, 1.5), (3, 2.0)], pace);
        }
        check(&costs, 1, 1.5);
        check(&costs, 3, 2.0);
    }

    #[test]
    fn a_pause_says_little_and_of_no_draft_length_in_particular() {
        let mut costs = RoundCosts::new(CALIBRATED);
        write(&mut costs, [(4, 3.0), (0, 1.0)], 1.0);
        costs.took(0, 1.0, 1000.0);
        check(&costs, 4, 3.0);
        check(&costs, 0, 1.0);
    }

    #[test]
    fn what_takes_less_than_it_could_was_known_wrongly() {
        let mut wrong = CALIBRATED;
        wrong[0] = 4.0;
        let mut costs = RoundCosts::new(wrong);
        write(&mut costs, [(1, 1.5), (0, 1.0)], 1.0);
        check(&costs, 1, 1.5);
        check(&costs, 0, 1.0);
    }

    #[test]
    fn a_clock_that_stands_still_leaves_numbers_that_can_be_computed_with() {
        let mut costs = RoundCosts::new(CALIBRATED);
        for _ in 0..100 {
            costs.took(3, 4.0, 0.0);
        }
        for gamma in 0..LENGTHS {
            let found = costs.milliseconds(gamma);
            assert!(found.is_finite() && found > 0.0, "{found}");
            assert!(costs.to_be_learnt(gamma, 3, [1.0, 4.0]) >= 0.0);
        }
    }
}
