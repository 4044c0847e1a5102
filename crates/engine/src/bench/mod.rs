//! Speculation against the target alone, on one clock.

mod costs;
mod runs;
mod shares;

use couplet_protocol::{
    DeviceInfo, GammaSpeed, MAX_SEED, PassCosts, RaceLane, Settings, SpeedReport, SpeedRequest,
    TimeSource, TokensPerSecond, VERSION, WeightHashes,
};
use couplet_speculation::formulas::speed_up;
use couplet_speculation::statistics::{confidence_of_each, median, median_interval};

use self::costs::CostSamples;
pub(crate) use self::costs::Sample;
use self::runs::{TimedRun, timed_run};
use crate::{Engine, EngineError};

/// How often a clock has to move while the target alone writes a text: a ratio of two such times is
/// then off by about a fifth at most.
const LEAST_TICKS: f64 = 10.0;

/// How far a bench has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being timed, for people: "4 drafted tokens".
    pub stage: &'a str,
    /// Runs done.
    pub done: u32,
    /// Runs in all.
    pub runs: u32,
}

/// What is timed beside the target alone.
struct Contender {
    /// Absent where the engine chooses by itself.
    gamma: Option<u32>,
    stage: String,
    /// Its runs and those of the target alone beside them.
    pairs: Vec<[TimedRun; 2]>,
}

impl Contender {
    fn new(gamma: Option<u32>) -> Self {
        let stage = match gamma {
            None => "γ chosen by the engine".to_owned(),
            Some(1) => "1 drafted token".to_owned(),
            Some(gamma) => format!("{gamma} drafted tokens"),
        };
        Self {
            gamma,
            stage,
            pairs: Vec::new(),
        }
    }

    fn settings(&self, request: &SpeedRequest, pair: u32) -> Settings {
        Settings {
            gamma: self.gamma.unwrap_or_default(),
            auto_gamma: self.gamma.is_none(),
            ..seeded(request, pair)
        }
    }
}

/// Every pair of runs writes another text.
fn seeded(request: &SpeedRequest, pair: u32) -> Settings {
    let settings = request.settings.clone();
    Settings {
        seed: (settings.seed + u64::from(pair)) % (MAX_SEED + 1),
        gamma: 0,
        auto_gamma: false,
        ..settings
    }
}

/// Runs one after the other, which somebody follows and may end.
struct Runs<F> {
    between: F,
    done: u32,
    runs: u32,
}

impl<F: AsyncFnMut(Progress<'_>) -> bool> Runs<F> {
    /// Whether to go on.
    async fn go_on(&mut self, stage: &str) -> bool {
        let (done, runs) = (self.done, self.runs);
        (self.between)(Progress { stage, done, runs }).await
    }

    /// Runs one text; `None` when it is enough.
    async fn run(
        &mut self,
        engine: &Engine,
        settings: &Settings,
        stage: &str,
    ) -> Result<Option<TimedRun>, EngineError> {
        let timed = timed_run(engine, settings, async || self.go_on(stage).await).await?;
        self.done += 1;
        Ok(timed)
    }
}

/// Times every draft length of the request in turn with the target alone, after a warm-up of
/// each. Only rounds are timed: neither prompts nor what `between` does.
///
/// `between` is called between runs, between the passes that are timed by themselves, and within
/// runs on the CPU; `None` is returned when it says not to go on.
///
/// # Errors
///
/// If the request is out of range, its prompt cannot be read, its drafter lacks its table, the clock
/// is too coarse for what is asked for, or the device fails.
pub async fn bench(
    engine: &Engine,
    request: &SpeedRequest,
    device: DeviceInfo,
    between: impl AsyncFnMut(Progress<'_>) -> bool,
) -> Result<Option<SpeedReport>, EngineError> {
    request.check()?;
    let mut contenders: Vec<Contender> = request
        .gammas
        .iter()
        .copied()
        .map(Some)
        .chain(request.auto.then_some(None))
        .map(Contender::new)
        .collect();
    let mut runs = Runs {
        between,
        done: 0,
        runs: request.runs() as u32,
    };
    let warm_up = contenders
        .iter()
        .map(|contender| contender.settings(request, 0));
    let mut alone = 0.0;
    for settings in warm_up.chain([seeded(request, 0)]) {
        match runs.run(engine, &settings, "Warm-up").await? {
            Some(timed) => alone = timed.time().milliseconds,
            None => return Ok(None),
        }
    }
    let tick = engine.tick();
    if alone < LEAST_TICKS * tick {
        return Err(EngineError::CoarseClock { run: alone, tick });
    }
    // What comes next: it is told as soon as a run is done.
    let next = contenders
        .first()
        .map(|contender| contender.stage.clone())
        .unwrap_or_default();
    let mut costs = CostSamples::new(request);
    for pair in 0..request.pairs {
        for (index, contender) in contenders.iter_mut().enumerate() {
            let settings = [contender.settings(request, pair), seeded(request, pair)];
            // Whoever comes first finds the device cooler.
            let alone_first = (pair as usize + index) % 2 == 1;
            let mut times = Vec::new();
            for which in [usize::from(alone_first), usize::from(!alone_first)] {
                match runs.run(engine, &settings[which], &contender.stage).await? {
                    Some(timed) => times.push(timed),
                    None => return Ok(None),
                }
            }
            if alone_first {
                times.reverse();
            }
            if let Ok(times) = times.try_into() {
                contender.pairs.push(times);
            }
        }
        let share = (f64::from(pair) + 0.5) / f64::from(request.pairs);
        let settings = seeded(request, pair);
        let go_on = async || runs.go_on(&next).await;
        if !costs.sample(engine, &settings, share, go_on).await? {
            return Ok(None);
        }
    }
    let mut report = report(request, device, contenders, &costs.medians());
    let card = &engine.pair().card;
    report.weights = Some(WeightHashes {
        target: card.target.weights.sha256.clone(),
        draft: card.draft.weights.sha256.clone(),
    });
    report.tick = Some(tick);
    let go_on = async || runs.go_on(&next).await;
    let is_whole = shares::fill(engine, &mut report, go_on).await?;
    Ok(is_whole.then_some(report))
}

/// All of a report but for the shares of the time, and for what engine and clock say of themselves.
fn report(
    request: &SpeedRequest,
    device: DeviceInfo,
    contenders: Vec<Contender>,
    costs: &PassCosts,
) -> SpeedReport {
    let all = || contenders.iter().flat_map(|contender| &contender.pairs);
    let alone: Vec<f64> = all().map(|[_, alone]| alone.speed()).collect();
    let tokens = all().flatten().map(TimedRun::tokens).max().unwrap_or(0);
    let mut gammas = Vec::new();
    let mut auto = None;
    let alpha = acceptance(&contenders);
    let each = confidence_of_each(SpeedReport::CONFIDENCE, contenders.len());
    for contender in &contenders {
        let mut speed = gamma_speed(contender, each);
        match contender.gamma {
            Some(gamma) => {
                let verify = costs.verify.get(gammas.len());
                let known = alpha.zip(verify).filter(|_| request.has_formula());
                speed.predicted = known.map(|(alpha, verify)| {
                    let [c, v] = [costs.draft_step, *verify].map(|cost| cost / costs.target_step);
                    speed_up(alpha, gamma as usize, c, v)
                });
                gammas.push(speed);
            }
            None => auto = Some(speed),
        }
    }
    let mut report = SpeedReport {
        version: VERSION,
        request: request.clone(),
        device,
        tokens,
        weights: None,
        tick: None,
        target_alone: summary(&alone),
        gammas,
        auto,
        costs: costs.clone(),
        shares: Vec::new(),
        shares_from: TimeSource::default(),
        race: Vec::new(),
        hidden: None,
        taken_at: None,
        build: None,
        user_agent: None,
    };
    report.gammas = report
        .gammas
        .iter()
        .map(|row| report.with_verdict(row))
        .collect();
    report.auto = report.auto.as_ref().map(|row| report.with_verdict(row));
    let raced = match report.is_about_auto() {
        true => None,
        false => report.best().map(|best| best.gamma as u32),
    };
    if let Some(contender) = contenders.iter().find(|contender| contender.gamma == raced) {
        report.race = race(contender);
    }
    report
}

/// Share of the judged tokens of all contenders that were kept; `None` where none was judged.
fn acceptance(contenders: &[Contender]) -> Option<f64> {
    let runs = || contenders.iter().flat_map(|contender| &contender.pairs);
    let judged: u32 = runs().map(|[run, _]| run.judged()).sum();
    let accepted: u32 = runs().map(|[run, _]| run.accepted()).sum();
    (judged > 0).then(|| f64::from(accepted) / f64::from(judged))
}

/// What was timed of a contender, with neither prediction nor verdict.
fn gamma_speed(contender: &Contender, confidence_among_all: f64) -> GammaSpeed {
    let of = |which: usize| -> Vec<f64> {
        contender
            .pairs
            .iter()
            .map(|pair| pair[which].speed())
            .collect()
    };
    let (speculation, alone) = (of(0), of(1));
    let ratios: Vec<f64> = speculation.iter().zip(&alone).map(|(a, b)| a / b).collect();
    let sum = |count: fn(&TimedRun) -> u32| contender.pairs.iter().map(|[run, _]| count(run)).sum();
    let (rounds, judged, accepted): (u32, u32, u32) = (
        sum(TimedRun::rounds),
        sum(TimedRun::judged),
        sum(TimedRun::accepted),
    );
    let drafted: u32 = sum(TimedRun::drafted);
    GammaSpeed {
        gamma: match contender.gamma {
            Some(gamma) => f64::from(gamma),
            None => f64::from(drafted) / f64::from(rounds.max(1)),
        },
        speculation: summary(&speculation),
        target_alone: summary(&alone),
        speed_up: median(&ratios),
        interval: median_interval(&ratios, SpeedReport::CONFIDENCE),
        interval_among_all: Some(median_interval(&ratios, confidence_among_all)),
        confidence: None,
        confidence_among_all: None,
        verdict: None,
        runs: contender
            .pairs
            .iter()
            .map(|pair| pair.each_ref().map(TimedRun::time))
            .collect(),
        ratios,
        rounds,
        drafted: Some(drafted),
        judged,
        accepted,
        tokens: sum(TimedRun::tokens),
        predicted: None,
    }
}

/// The pair of runs whose ratio is the middle one, the target alone first.
fn race(contender: &Contender) -> Vec<RaceLane> {
    let ratio = |pair: &[TimedRun; 2]| pair[0].speed() / pair[1].speed();
    let mut pairs: Vec<&[TimedRun; 2]> = contender.pairs.iter().collect();
    pairs.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    match pairs.get(pairs.len().saturating_sub(1) / 2) {
        Some([speculation, alone]) => {
            vec![
                alone.lane(0),
                speculation.lane(contender.gamma.unwrap_or(0)),
            ]
        }
        None => Vec::new(),
    }
}

fn summary(speeds: &[f64]) -> TokensPerSecond {
    TokensPerSecond {
        median: median(speeds),
        min: speeds.iter().copied().fold(f64::INFINITY, f64::min),
        max: speeds.iter().copied().fold(0.0, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_runs_writes_a_text_of_its_own_and_both_of_its_runs_the_same() {
        let request = SpeedRequest {
            settings: Settings {
                seed: MAX_SEED,
                gamma: 5,
                auto_gamma: true,
                ..Settings::default()
            },
            gammas: vec![3],
            auto: true,
            pairs: 5,
        };
        let alone = |pair| seeded(&request, pair);
        let seeds: Vec<u64> = (0..3).map(|pair| alone(pair).seed).collect();
        assert_eq!(seeds, [MAX_SEED, 0, 1]);
        assert_eq!((alone(2).gamma, alone(2).auto_gamma), (0, false));
        let of = |gamma| Contender::new(gamma).settings(&request, 2);
        assert_eq!((of(Some(3)).gamma, of(Some(3)).auto_gamma), (3, false));
        assert!(of(None).auto_gamma);
        assert_eq!([of(Some(3)).seed, of(None).seed], [1, 1]);
    }
}
