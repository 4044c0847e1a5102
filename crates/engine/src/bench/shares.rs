//! Where the time of one token goes.

use couplet_protocol::{Settings, SpeedReport, TimeShare, TimeSource};
use couplet_speculation::statistics::median;

use super::costs::Sample;
use super::seeded;
use crate::programs::Portion;
use crate::rule::kernel_rule;
use crate::{Engine, EngineError};

/// Samples of each part.
const SAMPLES: u32 = 5;

/// Puts the shares of the target alone and of the fastest draft length into a report. Each part is
/// timed by the GPU's own clock where it can be read, else by itself. `go_on` is asked before each;
/// `false` when it says no.
pub(super) async fn fill(
    engine: &Engine,
    report: &mut SpeedReport,
    mut go_on: impl AsyncFnMut() -> bool,
) -> Result<bool, EngineError> {
    let best = report.best();
    // Its own pairs' target alone: all pairs together may have met a slower hour.
    let alone = best.map_or(report.target_alone.median, |best| best.target_alone.median);
    let mut lengths = vec![(0, 1.0, alone)];
    if let Some(best) = best {
        let tokens = f64::from(best.tokens) / f64::from(best.rounds.max(1));
        lengths.push((best.gamma as u32, tokens, best.speculation.median));
    }
    let settings = seeded(&report.request, 0);
    for (gamma, tokens, speed) in lengths {
        let Some((parts, source)) = parts(engine, &settings, gamma as usize, &mut go_on).await?
        else {
            return Ok(false);
        };
        let parts = match source {
            TimeSource::Timestamps => parts,
            TimeSource::Apart => scaled(parts, round(report, gamma)),
        };
        let [draft, target, sampling] = parts.map(|milliseconds| milliseconds / tokens);
        report.shares_from = source;
        report.shares.push(TimeShare {
            gamma,
            draft,
            target,
            sampling,
            rest: 1000.0 / speed - draft - target - sampling,
        });
    }
    Ok(true)
}

/// What a round costs by the passes that were timed between the runs; `None` where they were not.
fn round(report: &SpeedReport, gamma: u32) -> Option<f64> {
    let costs = &report.costs;
    if gamma == 0 {
        return Some(costs.target_step);
    }
    let place = report.request.gammas.iter().position(|it| *it == gamma)?;
    Some(f64::from(gamma) * costs.draft_step + costs.verify.get(place)?)
}

/// Parts that come to a whole. They are timed after all runs, in one moment, which may be a slow one of
/// the machine: only what they are of each other is told by them, and their sum by what was timed between
/// the runs, from which c and v come too.
fn scaled(parts: [f64; 3], whole: Option<f64>) -> [f64; 3] {
    let sum: f64 = parts.iter().sum();
    let factor = whole.map_or(1.0, |whole| whole / sum);
    match factor.is_finite() && factor > 0.0 {
        true => parts.map(|part| part * factor),
        false => parts,
    }
}

/// Milliseconds of a round in the draft's passes, the target's pass and sampling. Where one kernel
/// drafts a block, what it samples counts as drafting. `None` when `go_on` says no.
async fn parts(
    engine: &Engine,
    settings: &Settings,
    gamma: usize,
    go_on: &mut impl AsyncFnMut() -> bool,
) -> Result<Option<([f64; 3], TimeSource)>, EngineError> {
    let rule = kernel_rule(settings.rule);
    let portions = if engine.drafts_at_once(rule, settings.drafter) {
        [Portion::Draft, Portion::TargetPass, Portion::Judging]
    } else {
        [Portion::DraftPasses, Portion::TargetPass, Portion::Sampling]
    };
    let mut samples = [const { Vec::new() }; 3];
    let mut source = TimeSource::Timestamps;
    for sample in 0..SAMPLES {
        let place = (f64::from(sample) + 0.5) / f64::from(SAMPLES);
        for (portion, samples) in portions.into_iter().zip(&mut samples) {
            if gamma == 0 && matches!(portion, Portion::Draft | Portion::DraftPasses) {
                samples.push(0.0);
                continue;
            }
            if !go_on().await {
                return Ok(None);
            }
            let sample = Sample::new(engine, settings, gamma, portion, place)?;
            let passes = [(&*sample.program, sample.repeats)];
            let milliseconds = match engine.device.pass_times(&passes).await? {
                Some(times) => times[0],
                None => {
                    source = TimeSource::Apart;
                    sample.time(engine).await?
                }
            };
            samples.push(milliseconds);
        }
    }
    // A clock that is rounded to a tenth of a millisecond is right on average.
    let mean = |samples: Vec<f64>| samples.iter().sum::<f64>() / samples.len() as f64;
    let middle = |samples: Vec<f64>| median(&samples);
    let parts = match source {
        TimeSource::Timestamps => samples.map(mean),
        TimeSource::Apart => samples.map(middle),
    };
    Ok(Some((parts, source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_timed_in_a_slow_moment_come_to_what_a_round_cost_between_the_runs() {
        assert_eq!(scaled([2.0, 6.0, 2.0], Some(5.0)), [1.0, 3.0, 1.0]);
        let unknown = [1.0, 2.0, 3.0];
        assert_eq!(scaled(unknown, None), unknown);
        assert_eq!(scaled(unknown, Some(0.0)), unknown);
        assert_eq!(scaled([0.0; 3], Some(1.0)), [0.0; 3]);
    }
}
