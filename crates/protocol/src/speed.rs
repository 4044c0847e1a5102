//! Speculation against the target alone, measured: what is asked for and the report.

use serde::{Deserialize, Serialize};

use crate::{DeviceInfo, MAX_GAMMA, Settings, SettingsError};

/// What to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedRequest {
    /// What to write; its γ is not looked at, and every pair of runs has a seed of its own, from
    /// this one on.
    pub settings: Settings,
    /// The draft lengths to time, each from 1 to [`MAX_GAMMA`], ascending, without repetition.
    #[serde(default = "SpeedRequest::all_gammas")]
    pub gammas: Vec<u32>,
    /// Whether the draft length that the engine chooses by itself is timed too.
    #[serde(default)]
    pub auto: bool,
    /// How often each is timed beside the target alone, 5 to 50.
    #[serde(default = "SpeedRequest::usual_pairs")]
    pub pairs: u32,
}

impl SpeedRequest {
    /// So many give the range of their ratios; an interval at 95 % takes more ([`Self::enough_pairs`]).
    pub const FEWEST_PAIRS: u32 = 5;

    /// More keep a person waiting for digits that noise hides.
    pub const MOST_PAIRS: u32 = 50;

    /// The draft lengths that are timed unless others are asked for.
    pub fn all_gammas() -> Vec<u32> {
        (1..=8).collect()
    }

    /// How many are timed beside the target alone: draft lengths, and the engine's own choice.
    pub fn contenders(&self) -> usize {
        self.gammas.len() + usize::from(self.auto)
    }

    /// Whether [the formula in α](Settings::has_formula) predicts the speed-up.
    pub fn has_formula(&self) -> bool {
        self.settings.has_formula()
    }

    /// Runs before the timed ones: one of each contender and one of the target alone.
    pub fn warm_ups(&self) -> usize {
        self.contenders() + 1
    }

    /// Runs in all.
    pub fn runs(&self) -> usize {
        self.warm_ups() + 2 * self.contenders() * self.pairs as usize
    }

    /// The fewest pairs of runs for which the intervals of so many contenders can hold their medians
    /// together at [`SpeedReport::CONFIDENCE`]. The widest interval that `n` pairs have, from the
    /// least of their ratios to the largest, misses its median with a probability of `2^(1 − n)`, and
    /// each contender has its share of what may be missed.
    pub fn enough_pairs(contenders: usize) -> u32 {
        let share = (1.0 - SpeedReport::CONFIDENCE) / contenders.max(1) as f64;
        1 + (-share.log2()).ceil() as u32
    }

    /// Whether its pairs allow to say anything of what it times.
    pub fn has_enough_pairs(&self) -> bool {
        self.pairs >= Self::enough_pairs(self.contenders())
    }

    /// The pairs of runs unless others are asked for: enough for [`Self::all_gammas`].
    pub fn usual_pairs() -> u32 {
        Self::enough_pairs(Self::all_gammas().len())
    }

    /// Checks everything that can be judged without a model.
    ///
    /// # Errors
    ///
    /// Names the first field that is out of range and says what would be right.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.settings.check()?;
        let ascending = self.gammas.windows(2).all(|pair| pair[0] < pair[1]);
        let in_range = |gamma: &u32| (1..=MAX_GAMMA).contains(gamma);
        if !ascending || !self.gammas.iter().all(in_range) {
            return Err(SettingsError {
                field: "gammas",
                sentence: format!(
                    "must be a rising list of whole numbers, each from 1 to {MAX_GAMMA}"
                ),
            });
        }
        if self.gammas.is_empty() && !self.auto {
            return Err(SettingsError {
                field: "gammas",
                sentence: "must name at least one draft length, or auto must be on".to_owned(),
            });
        }
        if !(Self::FEWEST_PAIRS..=Self::MOST_PAIRS).contains(&self.pairs) {
            return Err(SettingsError {
                field: "pairs",
                sentence: format!(
                    "must be a whole number, {} to {}",
                    Self::FEWEST_PAIRS,
                    Self::MOST_PAIRS
                ),
            });
        }
        Ok(())
    }
}

/// Median and range of a speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TokensPerSecond {
    /// Median over the runs.
    pub median: f64,
    /// Slowest run.
    pub min: f64,
    /// Fastest run.
    pub max: f64,
}

/// What one timed run wrote, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTime {
    /// Tokens written.
    pub tokens: u32,
    /// How long all its rounds took.
    pub milliseconds: f64,
}

impl RunTime {
    /// Tokens per second.
    pub fn speed(&self) -> f64 {
        // A coarse clock may see no time pass.
        1000.0 * f64::from(self.tokens) / self.milliseconds.max(1e-3)
    }
}

/// One draft length beside the target alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GammaSpeed {
    /// Tokens drafted per round; under `auto` the mean over its rounds.
    pub gamma: f64,
    /// Its speed.
    pub speculation: TokensPerSecond,
    /// The target alone in the runs beside it.
    pub target_alone: TokensPerSecond,
    /// The pairs of runs in their order: speculation, and the target alone beside it. Empty in reports
    /// from before they were told.
    #[serde(default)]
    pub runs: Vec<[RunTime; 2]>,
    /// Speculation ÷ the target alone, in tokens per second, of each pair of runs.
    #[serde(default)]
    pub ratios: Vec<f64>,
    /// Median of the ratios.
    pub speed_up: f64,
    /// Interval of that median at 95 % where the number of pairs allows, else its range.
    pub interval: [f64; 2],
    /// The same, so wide that at 95 % those of everything that the report timed hold their medians
    /// together: what may be said of any of them that is picked out. Absent in reports from before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_among_all: Option<[f64; 2]>,
    /// Confidence of `interval`, in (0, 1); `None` where there are too few pairs for it, so that the
    /// interval is the range of the ratios, and in reports from before it was told.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// The same of `interval_among_all`: of all of them together.
    #[serde(default)]
    pub confidence_among_all: Option<f64>,
    /// What may be said of it ([`SpeedReport::verdict`]). Absent in reports from before it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Rounds of all its runs.
    pub rounds: u32,
    /// Tokens that were drafted in them, fewer than γ a round where the context ends. Absent in
    /// reports from before they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafted: Option<u32>,
    /// Drafted tokens that were judged in them: those up to the first that was not kept.
    pub judged: u32,
    /// Drafted tokens that were kept.
    pub accepted: u32,
    /// Tokens that all its runs wrote.
    pub tokens: u32,
    /// What the formula says with the α of all runs of the report, `accepted / judged` over every
    /// draft length, and its [`PassCosts`]; absent for `auto`, whose γ varies, where there is [no
    /// formula](SpeedRequest::has_formula), and where nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<f64>,
}

/// What the passes of this device cost, each timed by itself between the runs. In milliseconds,
/// sampling and the share of a readback included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PassCosts {
    /// One token of the target alone.
    pub target_step: f64,
    /// One more drafted token.
    pub draft_step: f64,
    /// What the draft's first step of a round costs more than the others, because it also reads a
    /// token that the draft has not seen.
    pub draft_first_extra: f64,
    /// What a round costs besides its γ drafted tokens, for every γ of the request in its order:
    /// the target's pass over γ + 1 rows, the verdict, and `draft_first_extra`.
    pub verify: Vec<f64>,
}

/// Where the time of one token written goes, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeShare {
    /// Tokens drafted per round.
    pub gamma: u32,
    /// The draft's passes, with its draws where one kernel does both.
    pub draft: f64,
    /// The target's passes.
    pub target: f64,
    /// Probabilities, draws and the verdict, as far as they are kernels of their own.
    pub sampling: f64,
    /// Everything else of the measured time: encoding, submitting, waiting for the readback;
    /// below 0 where parts that were timed alone overlap in the run.
    pub rest: f64,
}

/// How [`TimeShare`] was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeSource {
    /// The GPU's own timestamps around each pass.
    Timestamps,
    /// Each part run by itself, many times over, after all runs; their sum is what such a round cost
    /// between them ([`PassCosts`]).
    #[default]
    Apart,
}

/// One round of a timed run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceRound {
    /// When its tokens were there, in milliseconds from the first round's start. Rounds that were
    /// read back together share the time between their readbacks evenly.
    pub end: f64,
    /// How many tokens were drafted.
    pub gamma: u32,
    /// How many of them were kept.
    pub accepted: u32,
    /// What the round wrote.
    pub tokens: Vec<u32>,
}

/// One of the timed runs, whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RaceLane {
    /// Tokens drafted per round; 0 for the target alone, and where the engine chose by itself.
    pub gamma: u32,
    /// Its rounds in order.
    pub rounds: Vec<RaceRound>,
    /// Readbacks of the run; 0 on the CPU.
    pub readbacks: u32,
}

/// Which weights were timed: SHA-256 of their files, in hexadecimal, as model cards have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightHashes {
    /// Of the target.
    pub target: String,
    /// Of the draft.
    pub draft: String,
}

/// Speculation against the target alone on one device; drawing and prompts excluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedReport {
    /// [`crate::VERSION`] at the time of writing.
    pub version: u32,
    /// What was asked for.
    pub request: SpeedRequest,
    /// Where.
    pub device: DeviceInfo,
    /// Tokens written in each run, past the end of a text; fewer than asked for where the context is full.
    pub tokens: u32,
    /// The models' weights; a pair may be trained anew under its name. Absent in reports from before
    /// they were told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightHashes>,
    /// The shortest time that the clock could tell from none, in milliseconds; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<f64>,
    /// The target alone, over the runs of all draft lengths.
    pub target_alone: TokensPerSecond,
    /// Every draft length of the request, in its order.
    pub gammas: Vec<GammaSpeed>,
    /// The draft length that the engine chose by itself, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<GammaSpeed>,
    /// What the passes cost.
    pub costs: PassCosts,
    /// Where the time goes: for the target alone, then for the fastest draft length.
    pub shares: Vec<TimeShare>,
    /// How the shares were found.
    pub shares_from: TimeSource,
    /// Of [`Self::headline`] the pair of runs whose ratio is the median: the target alone, then
    /// speculation.
    pub race: Vec<RaceLane>,
    /// Whether the page was out of sight for a part of it: browsers then leave it less of the device.
    /// Only the page knows this and what follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// When the page was given it, in UTC: `2026-03-01T12:34:56.789Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<String>,
    /// Couplet's version, and after it what names this build of the page, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// How the browser calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

impl SpeedReport {
    /// Confidence of every interval in it that the number of pairs allows one, in (0, 1).
    pub const CONFIDENCE: f64 = 0.95;

    /// What may be said of one of its contenders while all of them are looked at: what its
    /// [simultaneous interval](GammaSpeed::simultaneous_interval) allows, and nothing where there are
    /// too few pairs for one. The best of many is good by luck too, and the worst bad.
    pub fn verdict(&self, row: &GammaSpeed) -> Verdict {
        match self.request.has_enough_pairs() {
            true => Verdict::of(row.simultaneous_interval()),
            false => Verdict::CannotTell,
        }
    }

    /// One of its contenders with its verdict, and with the confidence of its intervals.
    pub fn with_verdict(&self, row: &GammaSpeed) -> GammaSpeed {
        let pairs = self.request.pairs;
        let confidence = |contenders| {
            (pairs >= SpeedRequest::enough_pairs(contenders)).then_some(Self::CONFIDENCE)
        };
        GammaSpeed {
            confidence: confidence(1),
            confidence_among_all: confidence(self.request.contenders()),
            verdict: Some(self.verdict(row)),
            ..row.clone()
        }
    }

    /// The fastest of the draft lengths that were asked for: of those that are faster than the target
    /// alone beyond the noise, where there are any, since of several medians the largest is often one
    /// that met a slow moment; else of those that may be, since one that is slower says nothing of the
    /// others. Of several that are equally fast, as a coarse clock makes them, the first.
    pub fn best(&self) -> Option<&GammaSpeed> {
        // `max_by` takes the last of several.
        self.gammas.iter().rev().max_by(|a, b| {
            let by_verdict = self.verdict(a).cmp(&self.verdict(b));
            by_verdict.then(a.speed_up.total_cmp(&b.speed_up))
        })
    }

    /// Whether the report is about the engine's own choice: where nothing else was asked for, or
    /// where more may be said for it than for any fixed draft length, such as that it alone is faster
    /// than the target beyond the noise.
    pub fn is_about_auto(&self) -> bool {
        match (self.best(), &self.auto) {
            (Some(best), Some(auto)) => self.verdict(auto) > self.verdict(best),
            (best, auto) => best.is_none() && auto.is_some(),
        }
    }

    /// What the report is about in one number: the fastest draft length, or the engine's own choice
    /// ([`Self::is_about_auto`]).
    pub fn headline(&self) -> Option<Headline<'_>> {
        let row = match self.is_about_auto() {
            true => self.auto.as_ref(),
            false => self.best(),
        }?;
        Some(Headline {
            row,
            interval: row.simultaneous_interval(),
            among: self.request.contenders(),
            verdict: self.verdict(row),
        })
    }
}

/// The one number of a [`SpeedReport`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline<'a> {
    /// What it is about.
    pub row: &'a GammaSpeed,
    /// Interval of its speed-up, in which the choice is allowed for.
    pub interval: [f64; 2],
    /// Among how many it was chosen, itself included.
    pub among: usize,
    /// What may be said of it ([`SpeedReport::verdict`]).
    pub verdict: Verdict,
}

/// What may be said of a speed-up: the later here, the more for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval is below 1.
    Slower,
    /// The interval holds 1, or there are too few pairs for one.
    CannotTell,
    /// The whole interval is above 1.
    Faster,
}

impl Verdict {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::CannotTell => "cannot_tell",
            Self::Faster => "faster",
        }
    }

    /// What the interval of a speed-up allows to say.
    pub fn of(interval: [f64; 2]) -> Self {
        match interval {
            [low, _] if low > 1.0 => Self::Faster,
            [_, high] if high < 1.0 => Self::Slower,
            _ => Self::CannotTell,
        }
    }
}

impl GammaSpeed {
    /// The interval in which the choice among all contenders of the report is allowed for; in reports
    /// from before there was one, its own.
    pub fn simultaneous_interval(&self) -> [f64; 2] {
        self.interval_among_all.unwrap_or(self.interval)
    }

    /// Share of the judged tokens that were kept; `None` where none was judged.
    pub fn acceptance_rate(&self) -> Option<f64> {
        (self.judged > 0).then(|| f64::from(self.accepted) / f64::from(self.judged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackendKind, Rule};

    fn request(json: &str) -> SpeedRequest {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_field_out_of_range_is_named() {
        let field = |json| request(json).check().unwrap_err().field;
        assert_eq!(field(r#"{"settings": {}, "gammas": [0]}"#), "gammas");
        assert_eq!(field(r#"{"settings": {}, "gammas": [2, 2]}"#), "gammas");
        assert_eq!(field(r#"{"settings": {}, "gammas": [17]}"#), "gammas");
        assert_eq!(field(r#"{"settings": {}, "gammas": []}"#), "gammas");
        assert_eq!(field(r#"{"settings": {}, "pairs": 4}"#), "pairs");
        assert_eq!(field(r#"{"settings": {}, "pairs": 51}"#), "pairs");
        assert_eq!(field(r#"{"settings": {"temperature": 9}}"#), "temperature");
        let auto_only = request(r#"{"settings": {}, "gammas": [], "auto": true}"#);
        assert_eq!(auto_only.check(), Ok(()));
        assert_eq!(request(r#"{"settings": {}}"#).check(), Ok(()));
    }

    /// At temperature 0 and at top-k 1 nothing is left for Block to weigh.
    #[test]
    fn a_formula_predicts_what_is_judged_token_by_token() {
        for rule in Rule::ALL {
            let predicts = |temperature, top_k| {
                let settings = Settings {
                    rule,
                    temperature,
                    top_k,
                    ..Settings::default()
                };
                let request = SpeedRequest {
                    settings,
                    ..request(r#"{"settings": {}}"#)
                };
                request.has_formula()
            };
            assert_eq!(predicts(0.8, 0), rule != Rule::Block, "{rule:?}");
            assert!(predicts(0.0, 0), "{rule:?}");
            assert!(predicts(0.8, 1), "{rule:?}");
        }
    }

    /// One whose interval among all is this one.
    fn speed(interval: [f64; 2]) -> GammaSpeed {
        GammaSpeed {
            gamma: 3.0,
            speculation: TokensPerSecond::default(),
            target_alone: TokensPerSecond::default(),
            runs: Vec::new(),
            ratios: interval.to_vec(),
            speed_up: (interval[0] + interval[1]) / 2.0,
            interval: [interval[0] + 0.02, interval[1] - 0.02],
            interval_among_all: Some(interval),
            confidence: None,
            confidence_among_all: None,
            verdict: None,
            rounds: 0,
            drafted: None,
            judged: 0,
            accepted: 0,
            tokens: 0,
            predicted: None,
        }
    }

    fn report(gammas: &[[f64; 2]], auto: Option<[f64; 2]>) -> SpeedReport {
        SpeedReport {
            version: crate::VERSION,
            request: SpeedRequest {
                gammas: (1..=gammas.len() as u32).collect(),
                auto: auto.is_some(),
                pairs: 13,
                ..request(r#"{"settings": {}}"#)
            },
            device: DeviceInfo {
                backend: BackendKind::Cpu,
                name: String::new(),
                variant: String::new(),
                reason: None,
            },
            tokens: 0,
            weights: None,
            tick: None,
            target_alone: TokensPerSecond::default(),
            gammas: gammas.iter().copied().map(speed).collect(),
            auto: auto.map(speed),
            costs: PassCosts::default(),
            shares: Vec::new(),
            shares_from: TimeSource::default(),
            race: Vec::new(),
            hidden: None,
            taken_at: None,
            build: None,
            user_agent: None,
        }
    }

    #[test]
    fn the_best_of_many_is_faster_only_where_luck_is_allowed_for() {
        let verdict = |gammas: &[[f64; 2]], auto| {
            let report = report(gammas, auto);
            report
                .headline()
                .map(|headline| (headline.verdict, headline.among))
        };
        let alone = verdict(&[[1.1, 1.3]], None);
        assert_eq!(alone, Some((Verdict::Faster, 1)));
        // By itself it would be: its own interval begins at 1.01.
        let chosen = verdict(&[[0.99, 1.3], [0.9, 1.2]], None);
        assert_eq!(chosen, Some((Verdict::CannotTell, 2)));
        let clear = verdict(&[[1.05, 1.3], [0.9, 1.2]], Some([1.0, 1.1]));
        assert_eq!(clear, Some((Verdict::Faster, 3)));
        let slower = verdict(&[[0.8, 0.9], [0.7, 0.9]], None);
        assert_eq!(slower, Some((Verdict::Slower, 2)));
        let mut old = report(&[[0.99, 1.3], [0.9, 1.2]], None);
        old.gammas[0].interval_among_all = None;
        assert_eq!(old.verdict(&old.gammas[0]), Verdict::Faster);
    }

    #[test]
    fn too_few_pairs_allow_to_say_nothing() {
        let enough = [1, 2, 3, 4, 6, 7, 8, 9, 12, 13, 17].map(SpeedRequest::enough_pairs);
        assert_eq!(enough, [6, 7, 7, 8, 8, 9, 9, 9, 9, 10, 10]);
        let of = |count: usize, interval: [f64; 2], pairs: u32| {
            let mut report = report(&vec![interval; count], None);
            report.request.pairs = pairs;
            report.headline().map(|headline| headline.verdict)
        };
        let (faster, slower) = ([1.2, 1.5], [0.7, 0.8]);
        assert_eq!(of(1, faster, 5), Some(Verdict::CannotTell));
        assert_eq!(of(1, faster, 6), Some(Verdict::Faster));
        assert_eq!(of(8, faster, 8), Some(Verdict::CannotTell));
        assert_eq!(of(8, slower, 8), Some(Verdict::CannotTell));
        assert_eq!(of(8, slower, 9), Some(Verdict::Slower));
        assert_eq!(of(8, faster, 9), Some(Verdict::Faster));
        assert!(request(r#"{"settings": {}}"#).has_enough_pairs());
    }

    #[test]
    fn a_row_by_itself_tells_how_sure_it_is() {
        let of = |pairs: u32| {
            let mut report = report(&[[1.2, 1.5]; 8], None);
            report.request.pairs = pairs;
            let row = report.with_verdict(&report.gammas[0]);
            (row.confidence, row.confidence_among_all, row.verdict)
        };
        let (sure, open) = (Some(0.95), Some(Verdict::CannotTell));
        assert_eq!(of(5), (None, None, open));
        assert_eq!(of(6), (sure, None, open));
        assert_eq!(of(9), (sure, sure, Some(Verdict::Faster)));
        let mut row = serde_json::to_value(speed([1.2, 1.5])).unwrap();
        // A range says that it is none; reports from before there was this are read.
        assert_eq!(row["confidence"], serde_json::Value::Null);
        let fields = row.as_object_mut().unwrap();
        fields.remove("confidence").unwrap();
        fields.remove("confidence_among_all").unwrap();
        let read: GammaSpeed = serde_json::from_value(row).unwrap();
        assert_eq!(read, speed([1.2, 1.5]));
        for verdict in [Verdict::Slower, Verdict::CannotTell, Verdict::Faster] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }

    #[test]
    fn the_engines_own_choice_is_the_headline_only_where_more_may_be_said_for_it() {
        let about = |gammas: &[[f64; 2]], auto: Option<[f64; 2]>| {
            let report = report(gammas, auto);
            let headline = report.headline();
            let interval = headline.map(|headline| headline.interval);
            interval.map(|interval| (interval, report.is_about_auto()))
        };
        let (open, faster, slower) = ([0.9, 2.0], [1.1, 1.3], [0.8, 0.9]);
        assert_eq!(about(&[open, slower], Some(faster)), Some((faster, true)));
        let better = Some([1.2, 1.9]);
        assert_eq!(about(&[open, faster], better), Some((faster, false)));
        assert_eq!(about(&[open], Some(open)), Some((open, false)));
        assert_eq!(about(&[slower], Some(open)), Some((open, true)));
        assert_eq!(about(&[slower], Some(slower)), Some((slower, false)));
        // What is surely slower says nothing of what may be faster, however near 1 it is.
        let (near, wide) = ([0.97, 0.99], [0.7, 1.1]);
        assert_eq!(about(&[near, wide], None), Some((wide, false)));
        assert_eq!(about(&[slower], None), Some((slower, false)));
        let (as_fast, narrower) = ([1.125, 1.375], [1.1875, 1.3125]);
        assert_eq!(about(&[as_fast, narrower], None), Some((as_fast, false)));
        assert_eq!(about(&[], Some(slower)), Some((slower, true)));
        assert_eq!(about(&[], None), None);
        assert!(!report(&[], None).is_about_auto());
    }

    #[test]
    fn nothing_is_claimed_while_the_interval_holds_one() {
        assert_eq!(Verdict::of([1.01, 1.2]), Verdict::Faster);
        assert_eq!(Verdict::of([0.8, 0.99]), Verdict::Slower);
        assert_eq!(Verdict::of([0.99, 1.2]), Verdict::CannotTell);
        assert_eq!(Verdict::of([1.0, 1.2]), Verdict::CannotTell);
        assert_eq!(Verdict::of([0.8, 1.0]), Verdict::CannotTell);
    }

    #[test]
    fn what_was_never_judged_has_no_acceptance() {
        let of = |judged, accepted| {
            let row = GammaSpeed {
                judged,
                accepted,
                ..speed([1.0, 1.2])
            };
            row.acceptance_rate()
        };
        assert_eq!(of(0, 0), None);
        assert_eq!(of(8, 6), Some(0.75));
        assert_eq!(of(8, 0), Some(0.0));
    }
}
