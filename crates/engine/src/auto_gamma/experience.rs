//! What rounds cost and how many tokens they keep, learnt from rounds.

use std::array::from_fn;

use couplet_protocol::{Drafter, Rule, Settings};
use couplet_speculation::formulas::expected_tokens_per_round;
use couplet_speculation::statistics::expected_gain;

use super::LARGEST;
use super::round_costs::RoundCosts;

/// How many judged tokens the acceptance rate remembers.
const MEMORY: f64 = 800.0;

/// How many judged tokens an expectation weighs that nothing on this device has confirmed.
const PRIOR_WEIGHT: f64 = 12.0;

/// How many judged tokens weigh what other settings have shown.
const OTHER_WEIGHT: f64 = 40.0;

/// How many judged tokens at least weigh what was seen long before, when nothing was judged since.
const UNJUDGED_WEIGHT: f64 = 4.0;

/// How many tokens the acceptance rate remembers when none is judged.
const UNJUDGED_MEMORY: f64 = 3000.0;

/// How many tokens in a row tell as much of the acceptance rate as one: neighbours are alike.
const ALIKE: f64 = 2.0;

/// How many times as long as more work less work may seem to take, because clocks are coarse.
const OUT_OF_ORDER: f64 = 1.1;

/// Over how much of it speeds are taken to follow the acceptance rate in a straight line.
const RATE_STEP: f64 = 0.02;

/// Costs of rounds and the acceptance rate, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Experience {
    judged: f64,
    accepted: f64,
    costs: RoundCosts,
    /// What the acceptance rate was seen under.
    filters: Option<Filters>,
}

/// What the acceptance rate depends on besides models and rule.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Filters {
    temperature: f64,
    top_k: u32,
    top_p: f64,
    /// The parameters of rules, those that are not read as usual.
    of_rules: [f64; 3],
}

impl Filters {
    fn new(settings: &Settings) -> Self {
        // By rule and drafter experience is kept apart; the others change no rate.
        let Settings {
            pair: _,
            prompt: _,
            gamma: _,
            auto_gamma: _,
            rule: _,
            lenience,
            epsilon,
            delta,
            drafter: _,
            temperature,
            top_k,
            top_p,
            seed: _,
            max_tokens: _,
        } = settings.as_used();
        Self {
            temperature,
            top_k,
            top_p,
            of_rules: [lenience, epsilon, delta],
        }
    }
}

impl Experience {
    /// What experience is kept apart by.
    pub(crate) fn key(settings: &Settings) -> (Rule, Drafter) {
        (settings.rule, settings.drafter)
    }

    /// Begins with an acceptance rate to be expected and with measured costs of rounds, pairs of
    /// γ and milliseconds with rising γ. Between those that can be believed and beyond is a straight
    /// line.
    pub(crate) fn new(acceptance_rate: f64, samples: &[(usize, f64)]) -> Self {
        let samples = undisturbed(samples);
        Self::with_costs(
            acceptance_rate,
            from_fn(|gamma| interpolate(&samples, gamma as f64)),
        )
    }

    /// Begins with the milliseconds of a round of every γ.
    pub(super) fn with_costs(acceptance_rate: f64, milliseconds: [f64; LARGEST + 1]) -> Self {
        Self {
            judged: PRIOR_WEIGHT,
            accepted: PRIOR_WEIGHT * acceptance_rate.clamp(0.0, 1.0),
            costs: RoundCosts::new(milliseconds),
            filters: None,
        }
    }

    /// A run begins: under other filters than before the acceptance rate is another.
    pub(super) fn begin(&mut self, settings: &Settings) {
        let filters = Filters::new(settings);
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
        self.costs.milliseconds(gamma)
    }

    /// What one more drafted token takes, on average.
    pub(crate) fn slope(&self) -> f64 {
        let more = self.milliseconds(LARGEST) - self.milliseconds(1);
        (more / (LARGEST - 1) as f64).max(0.0)
    }

    /// Tokens per millisecond.
    pub(crate) fn speed(&self, gamma: usize) -> f64 {
        expected_tokens_per_round(self.acceptance_rate(), gamma) / self.milliseconds(gamma)
    }

    /// Milliseconds that a round of `gamma` takes longer for its tokens than rounds of `current`.
    pub(crate) fn waste(&self, gamma: usize, current: usize) -> f64 {
        let tokens = expected_tokens_per_round(self.acceptance_rate(), gamma);
        (self.milliseconds(gamma) - tokens / self.speed(current)).max(1e-9)
    }

    /// By which part of their time rounds of `gamma` are faster than those of `current`, on average
    /// over what so many looks of so many rounds may show and counting only what shows them faster.
    pub(super) fn hope(&self, gamma: usize, current: usize, [looks, rounds]: [usize; 2]) -> f64 {
        let mut variance = self
            .costs
            .to_be_learnt(gamma, current, [looks as f64, rounds as f64]);
        if current == 0 {
            // Only a look tells anything of the acceptance rate.
            let judged = (looks * rounds) as f64
                * expected_tokens_per_round(self.acceptance_rate(), gamma - 1);
            variance += self.rate_variance(gamma) * judged / (judged + self.judged);
        }
        let expected = (self.speed(gamma) / self.speed(current)).ln();
        expected_gain(expected, variance.sqrt().max(1e-9))
    }

    /// Whether a γ could be better than drafting nothing, if what is known of it is off: at γ = 0
    /// nothing is learnt of the acceptance rate, so it may be anything.
    pub(crate) fn may_beat_none(&self, gamma: usize) -> bool {
        let tokens = expected_tokens_per_round(1.0, gamma);
        tokens / (0.8 * self.milliseconds(gamma)) > self.speed(0)
    }

    /// The variance of the logarithm of the tokens that a round writes, because the acceptance rate
    /// is not known better.
    fn rate_variance(&self, gamma: usize) -> f64 {
        let rate = self.acceptance_rate();
        let [less, more] = [rate - RATE_STEP, rate + RATE_STEP].map(|rate| rate.clamp(0.0, 1.0));
        let tokens = |rate| expected_tokens_per_round(rate, gamma).ln();
        let by_rate = (tokens(more) - tokens(less)) / (more - less);
        // As if one token more had been kept and one more had not.
        let judged = self.judged + 2.0;
        let rate = (self.accepted + 1.0) / judged;
        ALIKE * by_rate * by_rate * rate * (1.0 - rate) / judged
    }

    /// A round kept `accepted` of the drafted tokens that it judged.
    pub(crate) fn judge(&mut self, judged: usize, accepted: usize) {
        let judged = judged as f64;
        let forgetting = (1.0 - 1.0 / MEMORY).powf(judged);
        self.judged = forgetting * self.judged + judged;
        self.accepted = forgetting * self.accepted + accepted as f64;
    }

    /// So many rounds drafted nothing: the text went on, and its acceptance rate may be another.
    pub(super) fn unjudged(&mut self, rounds: usize) {
        let forgetting = (1.0 - 1.0 / UNJUDGED_MEMORY).powf(rounds as f64);
        let less = (forgetting * self.judged)
            .max(UNJUDGED_WEIGHT)
            .min(self.judged);
        self.accepted *= less / self.judged;
        self.judged = less;
    }

    /// So many rounds, one after the other, took this long each.
    pub(crate) fn took(&mut self, gamma: usize, rounds: f64, milliseconds: f64) {
        self.costs.took(gamma, rounds, milliseconds);
    }
}

/// The samples without those that took longer than a later one: less work takes less time, unless
/// the machine was at something else every time.
fn undisturbed(samples: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut least = f64::INFINITY;
    let mut kept: Vec<(usize, f64)> = samples
        .iter()
        .rev()
        .filter(|(_, cost)| {
            let believed = *cost <= OUT_OF_ORDER * least;
            least = least.min(*cost);
            believed
        })
        .copied()
        .collect();
    kept.reverse();
    kept
}

/// The straight line through the samples around `at`, and no less than half of the first.
fn interpolate(samples: &[(usize, f64)], at: f64) -> f64 {
    let first = samples.first().map_or(1.0, |first| first.1);
    let after = samples
        .iter()
        .position(|(x, _)| *x as f64 >= at)
        .unwrap_or(samples.len().saturating_sub(1))
        .max(1);
    let (Some(a), Some(b)) = (samples.get(after - 1), samples.get(after)) else {
        return first;
    };
    let slope = (b.1 - a.1) / (b.0 - a.0) as f64;
    (a.1 + slope * (at - a.0 as f64)).max(0.5 * first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_between_and_beyond_the_samples_are_on_straight_lines() {
        let known = Experience::new(0.8, &[(0, 1.0), (1, 1.5), (4, 3.0)]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|gamma| known.milliseconds(gamma)),
            [1.0, 1.5, 2.0, 2.5, 3.0]
        );
        assert_eq!(known.milliseconds(8), 5.0);
        let one = Experience::new(0.8, &[(0, 2.0)]);
        assert_eq!(one.milliseconds(8), 2.0);
        assert_eq!(Experience::new(0.8, &[]).milliseconds(3), 1.0);
    }

    #[test]
    fn a_cost_above_that_of_a_longer_draft_is_not_believed() {
        let known = Experience::new(0.8, &[(0, 1.0), (1, 3.0), (3, 2.5), (4, 3.0)]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|gamma| known.milliseconds(gamma)),
            [1.0, 1.5, 2.0, 2.5, 3.0]
        );
        let known = Experience::new(0.8, &[(0, 9.0), (1, 9.0), (3, 2.5), (4, 3.0)]);
        assert_eq!(
            [0, 1, 2, 3].map(|gamma| known.milliseconds(gamma)),
            [1.25, 1.5, 2.0, 2.5]
        );
        // A coarse clock may tell that much.
        let known = Experience::new(0.8, &[(0, 1.05), (1, 1.0), (3, 2.0)]);
        assert_eq!(known.milliseconds(0), 1.05);
        // But not that much, in steps of a tenth.
        let known = Experience::new(0.8, &[(0, 1.21), (1, 1.1), (3, 1.0)]);
        assert!(known.milliseconds(0) < 1.2);
    }

    #[test]
    fn the_acceptance_rate_follows_what_is_judged() {
        let mut known = Experience::new(0.8, &[(0, 1.0), (8, 2.0)]);
        for _ in 0..1000 {
            known.judge(2, 1);
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
    fn only_parameters_that_the_rule_reads_are_other_settings() {
        let usual = Settings::default();
        let others = [
            Settings {
                lenience: 0.5 * usual.lenience,
                ..usual.clone()
            },
            Settings {
                epsilon: 0.5 * usual.epsilon,
                ..usual.clone()
            },
            Settings {
                delta: 0.5 * usual.delta,
                ..usual.clone()
            },
        ];
        let is_another = |rule: Rule| {
            others.clone().map(|other| {
                let mut known = Experience::new(0.8, &[(0, 1.0), (8, 2.0)]);
                known.begin(&Settings {
                    rule,
                    ..usual.clone()
                });
                for _ in 0..1000 {
                    known.judge(4, 4);
                }
                let judged = known.judged;
                known.begin(&Settings { rule, ..other });
                known.judged < judged
            })
        };
        assert_eq!(is_another(Rule::Lenience), [true, false, false]);
        assert_eq!(is_another(Rule::Typical), [false, true, true]);
        assert_eq!(is_another(Rule::Rejection), [false; 3]);
    }

    #[test]
    fn a_wrong_calibration_is_soon_corrected() {
        let mut known = Experience::new(0.8, &[(0, 9.0), (8, 18.0)]);
        assert_eq!(known.milliseconds(0), 9.0);
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
