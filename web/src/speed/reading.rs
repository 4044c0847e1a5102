//! What a report says, derived from it and from nothing else.

use couplet_protocol::{GammaSpeed, MAX_GAMMA, RunTime, SpeedReport, SpeedRequest, Verdict};
use couplet_speculation::formulas::{expected_tokens_per_round, speed_up};
use couplet_speculation::statistics::{confidence_of_each, median, median_interval};

/// The acceptance rate, the share of the judged tokens that were kept, over all rounds of all draft
/// lengths; `None` where nothing was judged. It has no interval: the runs of a pair write with one
/// seed, so their rounds are not independent.
pub fn alpha(report: &SpeedReport) -> Option<f64> {
    let rows = || report.gammas.iter().chain(&report.auto);
    let judged: u64 = rows().map(|row| u64::from(row.judged)).sum();
    let accepted: u64 = rows().map(|row| u64::from(row.accepted)).sum();
    (judged > 0 && accepted <= judged).then(|| accepted as f64 / judged as f64)
}

/// Cost of one draft step in target steps; `None` where it was not measured.
pub fn c(report: &SpeedReport) -> Option<f64> {
    let costs = &report.costs;
    positive(costs.draft_step / costs.target_step)
}

/// Cost of verifying γ + 1 positions in target steps, between measured γ on a straight line.
/// γ = 0 is one target step.
pub fn v(report: &SpeedReport, gamma: f64) -> Option<f64> {
    let step = report.costs.target_step;
    let known = std::iter::once((0.0, 1.0)).chain(
        report
            .request
            .gammas
            .iter()
            .zip(&report.costs.verify)
            .map(|(gamma, verify)| (f64::from(*gamma), verify / step)),
    );
    let mut before: Option<(f64, f64)> = None;
    for (at, cost) in known {
        if gamma <= at {
            let cost = match before {
                Some((from, low)) if at > from => low + (cost - low) * (gamma - from) / (at - from),
                _ => cost,
            };
            return positive(cost);
        }
        before = Some((at, cost));
    }
    None
}

/// What verifying each further position adds, in target steps: the slope of the line from one
/// target step that is nearest to everything measured (least squares).
pub fn further_row(report: &SpeedReport) -> Option<f64> {
    let step = positive(report.costs.target_step)?;
    let gammas = report.request.gammas.iter().map(|gamma| f64::from(*gamma));
    let (mut with, mut of) = (0.0, 0.0);
    for (gamma, verify) in gammas.zip(&report.costs.verify) {
        with += gamma * (verify / step - 1.0);
        of += gamma * gamma;
    }
    let slope = with / of;
    slope.is_finite().then_some(slope)
}

/// The same as [`v`], and beyond the longest draft that was timed a guess: from there each further
/// token adds what [`further_row`] says.
pub fn v_or_guess(report: &SpeedReport, gamma: f64) -> Option<f64> {
    v(report, gamma).or_else(|| {
        let longest = f64::from(*report.request.gammas.last()?);
        let further = (gamma - longest).max(0.0) * further_row(report)?.max(0.0);
        positive(v(report, longest)? + further)
    })
}

fn positive(value: f64) -> Option<f64> {
    (value.is_finite() && value > 0.0).then_some(value)
}

/// What the formula says of a draft length, from α, c and v alone.
pub fn predicted(report: &SpeedReport, gamma: u32) -> Option<f64> {
    if !report.request.has_formula() {
        return None;
    }
    let alpha = alpha(report)?;
    let (c, v) = (c(report)?, v(report, f64::from(gamma))?);
    Some(speed_up(alpha, gamma as usize, c, v))
}

/// What the formula says of a draft length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// Tokens drafted per round.
    pub gamma: u32,
    /// Speed-up over the target alone.
    pub speed_up: f64,
    /// Whether what it costs to check so many tokens was not measured but guessed from others.
    pub is_guess: bool,
}

/// What the formula says of every draft length from 1 to [`MAX_GAMMA`], with v as it was measured
/// for each that was timed; `None` where there is no formula or nothing was timed.
pub fn promises(report: &SpeedReport) -> Option<Vec<Promise>> {
    report.request.has_formula().then_some(())?;
    let (alpha, c) = (alpha(report)?, c(report)?);
    let promise = |gamma: u32| {
        let v = v_or_guess(report, f64::from(gamma))?;
        Some(Promise {
            gamma,
            speed_up: speed_up(alpha, gamma as usize, c, v),
            is_guess: !report.request.gammas.contains(&gamma),
        })
    };
    (1..=MAX_GAMMA).map(promise).collect()
}

/// How many times the arithmetic of the target alone a written token took: every drafted
/// token costs `c_hat` target steps of arithmetic, and the target computes a position for each and one
/// more in every round, whatever becomes of them. `None` where nothing was written.
///
/// Source: as [`operations_factor`](couplet_speculation::formulas::operations_factor), with the rounds
/// that were counted in the place of those that α promises.
pub fn arithmetic(row: &GammaSpeed, c_hat: f64) -> Option<f64> {
    let rounds = f64::from(row.rounds);
    let drafted = row.drafted.map_or(row.gamma * rounds, f64::from);
    positive((drafted * (c_hat + 1.0) + rounds) / f64::from(row.tokens))
}

/// Tokens that a round of a draft length writes by the formula, and what it costs in target steps.
pub fn round_of(report: &SpeedReport, gamma: u32) -> Option<(f64, f64)> {
    let alpha = alpha(report)?;
    let cost = f64::from(gamma) * c(report)? + v(report, f64::from(gamma))?;
    Some((expected_tokens_per_round(alpha, gamma as usize), cost))
}

/// The draft lengths whose intervals reach that of the best, itself among them.
pub fn level<'a>(report: &'a SpeedReport, best: &GammaSpeed) -> Vec<&'a GammaSpeed> {
    let rows = report.gammas.iter();
    rows.filter(|row| row.simultaneous_interval()[1] >= best.simultaneous_interval()[0])
        .collect()
}

/// Whether any draft length, the engine's own among them, is faster beyond the noise.
pub fn pays(report: &SpeedReport) -> bool {
    let mut rows = report.gammas.iter().chain(&report.auto);
    rows.any(|row| report.verdict(row) == Verdict::Faster)
}

/// Whether the medians of both speeds point another way than the median of the ratios, run by run.
pub fn points_elsewhere(row: &GammaSpeed) -> bool {
    (row.speculation.median > row.target_alone.median) != (row.speed_up > 1.0)
}

/// How many draft lengths were timed, if more than one was.
pub fn several_lengths(report: &SpeedReport) -> Option<usize> {
    (report.gammas.len() > 1).then_some(report.gammas.len())
}

/// What a backend does at its best: tokens per second, and the draft length behind them, if any.
pub struct Fastest {
    /// Over its runs.
    pub median: f64,
    /// Interval of that median, so wide that at [`SpeedReport::CONFIDENCE`] those of everything that
    /// was timed, the target alone among it, hold their medians together; `None` where there are too
    /// few runs for one.
    pub interval: Option<[f64; 2]>,
    /// `None` for the target alone.
    pub row: Option<GammaSpeed>,
    /// Whether the engine chose the draft length.
    pub auto: bool,
}

/// What the speed of a report comes to when everything is chosen well.
pub fn fastest(report: &SpeedReport) -> Fastest {
    let fixed = report.gammas.iter().map(|row| (row, false));
    let rows = fixed.chain(report.auto.iter().map(|row| (row, true)));
    let alone = report.target_alone.median;
    let best = rows
        .clone()
        .max_by(|(a, _), (b, _)| a.speculation.median.total_cmp(&b.speculation.median))
        .filter(|(row, _)| row.speculation.median > alone);
    let speeds: Vec<f64> = match best {
        Some((row, _)) => row.runs.iter().map(|[run, _]| run.speed()).collect(),
        // One number for each pair of runs: those beside all that was timed come from one text, and from one
        // stretch of time.
        None => {
            let runs: Vec<&[[RunTime; 2]]> = rows.map(|(row, _)| row.runs.as_slice()).collect();
            let pairs = runs.iter().map(|runs| runs.len()).min().unwrap_or(0);
            let alone = |pair: usize| -> Vec<f64> {
                runs.iter().map(|runs| runs[pair][1].speed()).collect()
            };
            (0..pairs).map(|pair| median(&alone(pair))).collect()
        }
    };
    let among = report.request.contenders() + 1;
    let is_enough = speeds.len() >= SpeedRequest::enough_pairs(among) as usize;
    let confidence = confidence_of_each(SpeedReport::CONFIDENCE, among);
    Fastest {
        median: match best {
            Some((row, _)) => row.speculation.median,
            None if speeds.is_empty() => alone,
            None => median(&speeds),
        },
        interval: is_enough.then(|| median_interval(&speeds, confidence)),
        row: best.map(|(row, _)| row.clone()),
        auto: best.is_some_and(|(_, auto)| auto),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use couplet_protocol::{
        BackendKind, DeviceInfo, PassCosts, Settings, SpeedRequest, TokensPerSecond,
    };

    /// A report in which the draft lengths have these intervals.
    pub fn report(intervals: &[(u32, [f64; 2])]) -> SpeedReport {
        let row = |(gamma, interval): &(u32, [f64; 2])| GammaSpeed {
            gamma: f64::from(*gamma),
            speculation: TokensPerSecond::default(),
            target_alone: TokensPerSecond::default(),
            runs: Vec::new(),
            ratios: interval.to_vec(),
            speed_up: (interval[0] + interval[1]) / 2.0,
            interval: *interval,
            interval_among_all: None,
            confidence: None,
            confidence_among_all: None,
            verdict: None,
            rounds: 10,
            drafted: None,
            judged: 50,
            accepted: 40,
            tokens: 50,
            predicted: None,
        };
        SpeedReport {
            version: couplet_protocol::VERSION,
            request: SpeedRequest {
                settings: Settings::default(),
                gammas: intervals.iter().map(|(gamma, _)| *gamma).collect(),
                auto: false,
                pairs: 13,
            },
            device: DeviceInfo {
                backend: BackendKind::Cpu,
                name: "CPU".to_owned(),
                variant: String::new(),
                reason: None,
            },
            tokens: 10,
            weights: None,
            tick: None,
            target_alone: TokensPerSecond::default(),
            gammas: intervals.iter().map(row).collect(),
            auto: None,
            costs: PassCosts {
                target_step: 2.0,
                draft_step: 0.2,
                draft_first_extra: 0.0,
                verify: intervals
                    .iter()
                    .map(|(gamma, _)| 2.0 + 0.2 * f64::from(*gamma))
                    .collect(),
            },
            shares: Vec::new(),
            shares_from: Default::default(),
            race: Vec::new(),
            hidden: None,
            taken_at: None,
            build: None,
            user_agent: None,
        }
    }

    #[test]
    fn costs_are_in_target_steps_and_lie_on_lines_between_what_was_measured() {
        let report = report(&[(2, [1.0, 1.1]), (4, [1.0, 1.1])]);
        assert!((c(&report).unwrap() - 0.1).abs() < 1e-12);
        for (gamma, cost) in [(0.0, 1.0), (1.0, 1.1), (2.0, 1.2), (3.0, 1.3), (4.0, 1.4)] {
            assert!((v(&report, gamma).unwrap() - cost).abs() < 1e-12, "{gamma}");
        }
        assert_eq!(v(&report, 5.0), None);
        assert!((further_row(&report).unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_prediction_is_the_formula() {
        let report = report(&[(2, [1.0, 1.1])]);
        assert!((alpha(&report).unwrap() - 0.8).abs() < 1e-12);
        // (1 + .8 + .64) / (2 * .1 + 1.2)
        assert!((predicted(&report, 2).unwrap() - 2.44 / 1.4).abs() < 1e-12);
    }

    /// v rises fast, stays and rises again, so that the line through all of it is nowhere near.
    fn bent() -> SpeedReport {
        let mut report = report(&[1, 2, 3, 5].map(|gamma| (gamma, [1.0, 1.1])));
        report.costs.verify = vec![2.2, 2.4, 2.6, 6.0];
        report
    }

    #[test]
    fn what_was_timed_is_promised_with_its_own_v() {
        let report = bent();
        let promises = promises(&report).unwrap();
        assert_eq!(promises.len(), MAX_GAMMA as usize);
        for gamma in [1, 2, 3, 5] {
            let promise = promises[gamma as usize - 1];
            assert!(!promise.is_guess, "{gamma}");
            assert_eq!(Some(promise.speed_up), predicted(&report, gamma));
        }
        // On the line it would be 1.36.
        assert!(promises[2].speed_up > 1.8);
        assert_eq!(promises.iter().filter(|it| it.is_guess).count(), 12);
        // Beyond, no guess makes a longer draft cheaper to check.
        let costs = (1..=MAX_GAMMA).map(|gamma| v_or_guess(&report, f64::from(gamma)).unwrap());
        assert!(costs.clone().is_sorted(), "{:?}", costs.collect::<Vec<_>>());
        let slope = further_row(&report).unwrap();
        assert!((v_or_guess(&report, 7.0).unwrap() - (3.0 + 2.0 * slope)).abs() < 1e-12);
    }

    #[test]
    fn arithmetic_is_that_of_the_paper_where_the_rounds_are() {
        let mut report = report(&[(2, [1.0, 1.1])]);
        let row = &mut report.gammas[0];
        // α = .6: 1.96 tokens a round, operations 1.53 (Leviathan et al., table 1).
        (row.rounds, row.tokens) = (100, 196);
        assert!((arithmetic(row, 0.0).unwrap() - 1.53).abs() < 0.005);
        assert!((arithmetic(row, 0.25).unwrap() - 3.5 / 1.96).abs() < 1e-12);
        // With room for one token nothing is drafted, whatever was asked for.
        let cramped = GammaSpeed {
            drafted: Some(0),
            tokens: 100,
            ..row.clone()
        };
        assert_eq!(arithmetic(&cramped, 0.25), Some(1.0));
        row.tokens = 0;
        assert_eq!(arithmetic(row, 0.0), None);
    }

    #[test]
    fn medians_of_speeds_may_point_another_way_than_their_ratios() {
        let mut row = report(&[(3, [0.96, 1.08])]).gammas.remove(0);
        row.speculation.median = 3687.0;
        row.target_alone.median = 4045.0;
        assert!(points_elsewhere(&row));
        row.target_alone.median = 3600.0;
        assert!(!points_elsewhere(&row));
        row.speed_up = 0.98;
        assert!(points_elsewhere(&row));
    }

    #[test]
    fn nothing_is_derived_from_nothing() {
        let mut report = report(&[(2, [1.0, 1.1])]);
        report.costs = PassCosts::default();
        assert_eq!(c(&report), None);
        assert_eq!(predicted(&report, 2), None);
        assert_eq!(further_row(&report), None);
        assert_eq!(promises(&report), None);
        report.gammas.clear();
        assert_eq!(alpha(&report), None);
        assert_eq!(report.headline(), None);
    }
}
