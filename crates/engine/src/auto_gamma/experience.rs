//! What rounds cost and how many tokens they keep, learnt from rounds.

use couplet_protocol::{Drafter, Settings};
use couplet_speculation::formulas::expected_tokens_per_round;

use super::LARGEST;
use crate::batch::judged;
use crate::rule::run_settings;

/// How many judged tokens the acceptance rate remembers.
const MEMORY: f64 = 800.0;

/// How many judged tokens an expectation weighs that nothing on this device has confirmed.
const PRIOR_WEIGHT: f64 = 12.0;

/// How many judged tokens weigh what other settings have shown.
const OTHER_WEIGHT: f64 = 40.0;

/// How far one round at least moves the cost of its own γ, on a logarithmic scale. The first
/// ones move it farther: a calibration is short.
const OWN_RATE: f64 = 0.03;

/// How far it moves the others: a device that becomes slower does so for all.
const SHARED_RATE: f64 = 0.01;

/// The part of the first surprise that is every γ's.
const COMMON: f64 = 0.8;

/// How much longer than known a round may seem, in parts of it: a pause of the whole machine is
/// not a property of γ. Several rounds together scatter less and so may seem less.
const LONGER: f64 = 0.25;

/// How many times shorter, as long as little is known of its γ: nothing makes a round shorter than
/// it is. Later as much as longer, or the γ in use would seem ever faster than those that are not.
const SHORTER: f64 = 4.0;

/// Rounds after which a γ is known.
const FAMILIAR: f64 = 40.0;

/// Costs of rounds and the acceptance rate, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Experience {
    judged: f64,
    accepted: f64,
    /// Of a round, by its γ.
    milliseconds: [f64; LARGEST + 1],
    /// Rounds in which it was observed.
    seen: [f64; LARGEST + 1],
    /// What the acceptance rate was seen under: temperature, top-k, top-p.
    filters: Option<(f64, u32, f64)>,
}

impl Experience {
    /// What experience is kept apart by.
    pub(crate) fn key(settings: &Settings) -> (u32, Drafter) {
        (run_settings(settings).rule, settings.drafter)
    }

    /// Begins with an acceptance rate to be expected and with measured costs of rounds, pairs of
    /// γ and milliseconds with rising γ; between them and beyond is a straight line.
    pub(crate) fn new(acceptance_rate: f64, samples: &[(usize, f64)]) -> Self {
        let mut milliseconds = [0.0; LARGEST + 1];
        for (gamma, cost) in milliseconds.iter_mut().enumerate() {
            *cost = interpolate(samples, gamma as f64);
        }
        Self {
            judged: PRIOR_WEIGHT,
            accepted: PRIOR_WEIGHT * acceptance_rate.clamp(0.0, 1.0),
            milliseconds,
            seen: [0.0; LARGEST + 1],
            filters: None,
        }
    }

    /// A run begins: under other filters than before the acceptance rate is another.
    pub(super) fn begin(&mut self, settings: &Settings) {
        let filters = (settings.temperature, settings.top_k, settings.top_p);
        if self.filters.replace(filters) != Some(filters) && self.judged > OTHER_WEIGHT {
            self.accepted *= OTHER_WEIGHT / self.judged;
            self.judged = OTHER_WEIGHT;
        }
    }

    /// The share of judged tokens that is kept.
    pub(crate) fn acceptance_rate(&self) -> f64 {
        self.accepted / self.judged
    }

    /// What a round takes.
    pub(crate) fn milliseconds(&self, gamma: usize) -> f64 {
        self.milliseconds[gamma]
    }

    /// What one more drafted token takes, on average.
    pub(crate) fn slope(&self) -> f64 {
        let longest = self.milliseconds.len() - 1;
        let more = self.milliseconds[longest] - self.milliseconds[1];
        (more / (longest - 1) as f64).max(0.0)
    }

    /// Tokens per millisecond.
    pub(crate) fn speed(&self, gamma: usize) -> f64 {
        expected_tokens_per_round(self.acceptance_rate(), gamma) / self.milliseconds[gamma]
    }

    /// How many tokens a round judges.
    pub(crate) fn judged(&self, gamma: usize) -> f64 {
        match gamma {
            0 => 0.0,
            _ => expected_tokens_per_round(self.acceptance_rate(), gamma - 1),
        }
    }

    /// Milliseconds that a round of `gamma` takes longer for its tokens than rounds of `current`.
    pub(crate) fn waste(&self, gamma: usize, current: usize) -> f64 {
        let tokens = expected_tokens_per_round(self.acceptance_rate(), gamma);
        (self.milliseconds[gamma] - tokens / self.speed(current)).max(1e-9)
    }

    /// Whether a γ could be better than drafting nothing, if what is known of it is off: at γ = 0
    /// nothing is learnt of the acceptance rate, so it may be anything.
    pub(crate) fn may_beat_none(&self, gamma: usize) -> bool {
        let tokens = expected_tokens_per_round(1.0, gamma);
        tokens / (0.8 * self.milliseconds[gamma]) > self.speed(0)
    }

    /// A round kept `accepted` of `gamma` drafted tokens.
    pub(crate) fn judge(&mut self, gamma: usize, accepted: usize) {
        let judged = judged(gamma, accepted) as f64;
        let forgetting = (1.0 - 1.0 / MEMORY).powf(judged);
        self.judged = forgetting * self.judged + judged;
        self.accepted = forgetting * self.accepted + accepted as f64;
    }

    /// So many rounds took this long each.
    pub(crate) fn took(&mut self, gamma: usize, rounds: f64, milliseconds: f64) {
        let together = |rate: f64| 1.0 - (1.0 - rate).powf(rounds);
        // What the first rounds take beyond the calibration is more likely the mode's, such as a
        // readback for every round, than this γ's.
        let all: f64 = self.seen.iter().sum();
        let shared_rate = together(SHARED_RATE).max(COMMON * rounds / (all + rounds + 1.0));
        let seen = &mut self.seen[gamma];
        *seen += rounds;
        let own_rate = together(OWN_RATE)
            .max(rounds / (*seen + 1.0))
            .max(shared_rate);
        // A coarse clock may see no time pass at all.
        let longest = 1.0 + LONGER / rounds.sqrt();
        let shortest = if self.seen[gamma] > FAMILIAR {
            1.0 / longest
        } else {
            1.0 / SHORTER
        };
        let surprise = (milliseconds / self.milliseconds[gamma]).clamp(shortest, longest);
        for (other, cost) in self.milliseconds.iter_mut().enumerate() {
            let rate = if other == gamma {
                own_rate
            } else {
                shared_rate
            };
            *cost *= surprise.powf(rate);
        }
    }
}

/// The straight line through the samples around `at`, and no less than the smallest sample.
fn interpolate(samples: &[(usize, f64)], at: f64) -> f64 {
    let least = samples
        .iter()
        .map(|(_, y)| *y)
        .fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() {
        least.max(1e-6)
    } else {
        1.0
    };
    let after = samples
        .iter()
        .position(|(x, _)| *x as f64 >= at)
        .unwrap_or(samples.len().saturating_sub(1))
        .max(1);
    let (Some(a), Some(b)) = (samples.get(after - 1), samples.get(after)) else {
        return least;
    };
    let slope = (b.1 - a.1) / (b.0 - a.0) as f64;
    (a.1 + slope * (at - a.0 as f64)).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_between_and_beyond_the_samples_are_on_straight_lines() {
        let known = Experience::new(0.8, &[(0, 1.0), (1, 1.5), (4, 3.0)]);
        assert_eq!(known.milliseconds[..5], [1.0, 1.5, 2.0, 2.5, 3.0]);
        assert_eq!(known.milliseconds(8), 5.0);
        let one = Experience::new(0.8, &[(0, 2.0)]);
        assert_eq!(one.milliseconds(8), 2.0);
        assert_eq!(Experience::new(0.8, &[]).milliseconds(3), 1.0);
    }

    #[test]
    fn the_acceptance_rate_follows_what_is_judged() {
        let mut known = Experience::new(0.8, &[(0, 1.0), (8, 2.0)]);
        for _ in 0..1000 {
            known.judge(4, 1);
        }
        assert!((known.acceptance_rate() - 0.5).abs() < 0.01);
    }

    #[test]
    fn other_settings_weigh_what_was_seen_before_less() {
        let mut known = Experience::new(0.8, &[(0, 1.0), (8, 2.0)]);
        let usual = Settings::default();
        known.begin(&usual);
        for _ in 0..1000 {
            known.judge(4, 4);
        }
        let judged = known.judged;
        known.begin(&usual);
        assert_eq!(known.judged, judged);
        let rate = known.acceptance_rate();
        known.begin(&Settings {
            temperature: 2.0,
            ..usual
        });
        assert_eq!(known.judged, OTHER_WEIGHT);
        assert!((known.acceptance_rate() - rate).abs() < 1e-12);
    }

    #[test]
    fn a_wrong_calibration_is_soon_corrected() {
        let mut known = Experience::new(0.8, &[(0, 9.0), (8, 2.0)]);
        for _ in 0..8 {
            known.took(0, 1.0, 3.0);
        }
        assert!(known.milliseconds(0) < 4.0, "{}", known.milliseconds(0));
    }

    #[test]
    fn a_pause_of_the_machine_changes_little() {
        let mut known = Experience::new(0.8, &[(0, 1.0), (8, 2.0)]);
        for _ in 0..20 {
            known.took(4, 1.0, 1.5);
        }
        known.took(4, 1.0, 1000.0);
        assert!(known.milliseconds(4) < 1.6);
        for _ in 0..200 {
            known.took(4, 1.0, 1.5);
        }
        assert!((known.milliseconds(4) - 1.5).abs() < 0.02);
    }
}
