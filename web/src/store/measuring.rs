//! Timing speculation against the target alone: one bench at a time, and what the last ones said.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use couplet_protocol::{
    BackendKind, Command, FailureKind, PairInfo, Reply, Settings, SpeedReport, SpeedRequest,
    VERSION,
};
use js_sys::Date;
use leptos::ev;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::Store;
use crate::browser;
use crate::engine_client::reply_id;
use crate::errors::Said;
use crate::form::label;
use crate::language;
use crate::playhead::now;

/// How many reports are kept.
const KEPT: usize = 8;

/// Where the tab remembers them: measuring takes minutes, and a page is loaded anew in a moment.
const KEY: &str = "couplet-reports-3";

/// Who asked for a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskedBy {
    /// The button on the Stage: one draft length.
    Stage,
    /// The Speed scene, or a script.
    Speed,
}

/// A report and the pair that it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// What was measured.
    pub report: Arc<SpeedReport>,
    /// The pair, for the texts of its tokens.
    pub pair: Arc<PairInfo>,
    /// For whom.
    pub asked_by: AskedBy,
    /// When it was there, in milliseconds since 1970; no two have the same.
    pub at: f64,
    /// Seconds that all its runs took, and what was timed between them; 0 where nobody told.
    pub seconds: f64,
    /// Name of the file that it is from: it may have been measured anywhere.
    pub file: Option<String>,
}

impl Kept {
    /// A report from a file, for the Speed scene.
    pub fn of_file(report: SpeedReport, pair: Arc<PairInfo>, file: String) -> Self {
        Self {
            report: report.into(),
            pair,
            asked_by: AskedBy::Speed,
            at: Date::now(),
            seconds: 0.0,
            file: Some(file),
        }
    }

    /// Where it was measured.
    pub fn backend(&self) -> BackendKind {
        self.report.device.backend
    }

    /// Whether two reports are about the same task, wherever they were measured.
    pub fn is_comparable(&self, other: &Self) -> bool {
        let task = |report: &SpeedReport| Settings {
            // Neither decides how long a token takes.
            gamma: 0,
            auto_gamma: false,
            seed: 0,
            ..report.request.settings.as_used()
        };
        task(&self.report) == task(&other.report)
    }
}

/// How far a bench is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being timed, for people.
    pub stage: String,
    /// Runs done.
    pub done: u32,
    /// Runs in all; 0 before the engine has said.
    pub runs: u32,
    /// Seconds that the rest takes, once that can be known.
    pub left: Option<f64>,
}

/// Everything about benches. Copies are the same.
#[derive(Clone, Copy)]
pub struct Measuring {
    /// How far the bench in progress is; `None` while there is none.
    pub progress: RwSignal<Option<Progress>>,
    /// Why the last one gave no report.
    pub failed: RwSignal<Option<Said>>,
    /// Whether the last one was stopped, and nothing has come to be shown since.
    pub stopped: RwSignal<bool>,
    /// The reports, the oldest first.
    pub reports: RwSignal<Vec<Kept>>,
    /// Those of files, the oldest first. They say nothing of this device.
    pub opened: RwSignal<Vec<Kept>>,
    /// Requests that have no last reply yet.
    waiting: StoredValue<Vec<u32>>,
}

impl Default for Measuring {
    fn default() -> Self {
        Self {
            progress: RwSignal::new(None),
            failed: RwSignal::new(None),
            stopped: RwSignal::new(false),
            reports: RwSignal::new(remembered()),
            opened: RwSignal::new(Vec::new()),
            waiting: StoredValue::new(Vec::new()),
        }
    }
}

/// When the page first heard of a bench, and of how many runs.
#[derive(Default)]
struct Clock {
    began: Option<(f64, u32)>,
}

impl Clock {
    /// Seconds since the engine began.
    fn seconds(&self) -> f64 {
        self.began
            .map_or(0.0, |(began, _)| (now() - began) / 1000.0)
    }

    /// The seconds that are left, if they can be known.
    fn left(&mut self, done: u32, runs: u32) -> Option<f64> {
        let now = now();
        let (began, first) = *self.began.get_or_insert((now, done));
        let since = done.saturating_sub(first);
        let left = f64::from(runs.saturating_sub(done));
        (since > 0).then(|| (now - began) / 1000.0 / f64::from(since) * left)
    }
}

/// Watches whether the page is out of sight.
struct Watch {
    hidden: Rc<Cell<bool>>,
    listener: WindowListenerHandle,
}

impl Watch {
    fn begin() -> Self {
        let hidden = Rc::new(Cell::new(document().hidden()));
        let seen = hidden.clone();
        // Told to the document, and it rises to the window.
        let changed = ev::Custom::<web_sys::Event>::new("visibilitychange");
        let listener = window_event_listener(changed, move |_| {
            seen.set(seen.get() || document().hidden());
        });
        Self { hidden, listener }
    }

    /// Whether it ever was.
    fn end(self) -> bool {
        self.listener.remove();
        self.hidden.get()
    }
}

impl Measuring {
    /// Whether something is being timed.
    pub fn busy(&self) -> bool {
        self.progress.with(Option::is_some)
    }

    /// The last reply to a bench has come.
    fn ended(&self, reply: &Reply) {
        let id = reply_id(reply);
        self.waiting
            .update_value(|waiting| waiting.retain(|waits| Some(*waits) != id));
        if self.waiting.with_value(Vec::is_empty) {
            self.progress.set(None);
        }
        if let Reply::Failed { failure, .. } = reply {
            if failure.kind == FailureKind::Stopped {
                self.stopped.set(true);
                return;
            }
            let failure = failure.clone();
            self.failed.set(Some(Said::new(move || {
                let sentence = language::of_engine(&failure.sentence);
                match &failure.field {
                    Some(field) => format!("{}: {sentence}", label(field)),
                    None => sentence,
                }
            })));
        }
    }

    /// Keeps a report, the same as an earlier one too: only several show how much one sweep differs
    /// from the next.
    fn keep(&self, kept: Kept) {
        self.reports.update(|reports| {
            reports.push(kept);
            bound(reports);
        });
        self.reports.with_untracked(|reports| remember(reports));
    }

    /// Keeps a report of a file.
    pub fn open(&self, kept: Kept) {
        self.stopped.set(false);
        self.opened.update(|opened| {
            opened.push(kept);
            bound(opened);
        });
    }
}

/// Lets the oldest reports go that are too many: first those for the Stage, which take seconds to make
/// again and not minutes, but never the newest.
fn bound(reports: &mut Vec<Kept>) {
    while reports.len() > KEPT {
        let of_stage = |kept: &Kept| kept.asked_by == AskedBy::Stage;
        let first = reports.iter().position(of_stage).unwrap_or(0);
        reports.remove(if first + 1 < reports.len() { first } else { 0 });
    }
}

/// A report with what the page knows of its making and the engine does not.
fn attributed(report: &SpeedReport, hidden: bool) -> SpeedReport {
    SpeedReport {
        hidden: Some(hidden),
        taken_at: Some(browser::now()),
        build: Some(browser::build()),
        user_agent: browser::navigator("userAgent").and_then(|name| name.as_string()),
        ..report.clone()
    }
}

/// A report as the tab remembers it.
#[derive(Serialize, Deserialize)]
struct Remembered {
    report: SpeedReport,
    pair: PairInfo,
    asked_by: AskedBy,
    at: f64,
    seconds: f64,
}

/// What was measured before the page was loaded anew; nothing where the tab remembers nothing, or
/// nothing of this version.
fn remembered() -> Vec<Kept> {
    let all: Vec<Remembered> = browser::remembered_by_tab(KEY)
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    all.into_iter()
        .filter(|it| it.report.version == VERSION)
        .map(|it| Kept {
            report: Arc::new(it.report),
            pair: Arc::new(it.pair),
            asked_by: it.asked_by,
            at: it.at,
            seconds: it.seconds,
            file: None,
        })
        .collect()
}

/// Has the tab remember reports, where it does and has room.
fn remember(reports: &[Kept]) {
    let all = reports.iter().map(|kept| Remembered {
        report: (*kept.report).clone(),
        pair: (*kept.pair).clone(),
        asked_by: kept.asked_by,
        at: kept.at,
        seconds: kept.seconds,
    });
    if let Ok(text) = serde_json::to_string(&all.collect::<Vec<_>>()) {
        browser::have_tab_remember(KEY, &text);
    }
}

impl Store {
    /// Times what the form says, its one γ or the engine's choice, for the Stage.
    pub fn measure(&self) {
        let Ok(settings) = untrack(|| self.form.read()) else {
            return;
        };
        // The target alone cannot be faster than itself: then the usual γ is timed.
        let gamma = match settings.gamma {
            0 => Settings::default().gamma,
            gamma => gamma,
        };
        let auto = settings.auto_gamma;
        let request = SpeedRequest {
            gammas: if auto { Vec::new() } else { vec![gamma] },
            auto,
            pairs: SpeedRequest::enough_pairs(1),
            settings: settings.clone(),
        };
        let store = *self;
        self.bench(request, AskedBy::Stage, move |reply| {
            // Whatever is about no field stands beside the button.
            if let Reply::Failed { failure, .. } = reply
                && failure.field.is_some()
            {
                store.refuse_of(failure, &settings);
            }
        });
    }

    /// Times whatever is asked for; `done` sees the last reply after the page has.
    pub fn bench(
        &self,
        request: SpeedRequest,
        asked_by: AskedBy,
        done: impl FnOnce(&Reply) + 'static,
    ) {
        let store = *self;
        let measuring = self.measuring;
        measuring.failed.set(None);
        measuring.stopped.set(false);
        measuring.progress.set(Some(Progress {
            stage: "Waiting for the engine".to_owned(),
            done: 0,
            runs: 0,
            left: None,
        }));
        self.playhead.hold(true);
        let pair = request.settings.pair.clone();
        let mut done = Some(done);
        let mut clock = Clock::default();
        let mut watch = None;
        let id = self.engine.request_with_pair(
            &pair,
            |id| Command::Bench { id, request },
            move |reply| match reply {
                Reply::Benching {
                    stage, done, runs, ..
                } => {
                    watch.get_or_insert_with(Watch::begin);
                    measuring.progress.set(Some(Progress {
                        stage: stage.clone(),
                        done: *done,
                        runs: *runs,
                        left: clock.left(*done, *runs),
                    }));
                }
                // What has to be there first ends nothing.
                Reply::Loading { .. } | Reply::Loaded { .. } => {}
                reply => {
                    let hidden = watch.take().is_some_and(Watch::end);
                    let attributed = match reply {
                        Reply::Benched { id, report } => Some(Reply::Benched {
                            id: *id,
                            report: Box::new(attributed(report, hidden)),
                        }),
                        _ => None,
                    };
                    let reply = attributed.as_ref().unwrap_or(reply);
                    measuring.ended(reply);
                    if measuring.waiting.with_value(Vec::is_empty) {
                        store.playhead.hold(false);
                    }
                    if let (Reply::Benched { report, .. }, Some(pair)) =
                        (reply, store.engine.pair.get_untracked())
                    {
                        measuring.keep(Kept {
                            report: Arc::new((**report).clone()),
                            pair,
                            asked_by,
                            at: Date::now(),
                            seconds: clock.seconds(),
                            file: None,
                        });
                    }
                    if let Some(done) = done.take() {
                        done(reply);
                    }
                }
            },
        );
        measuring.waiting.update_value(|waiting| waiting.push(id));
    }

    /// Ends whatever is being timed; the reports before it stay.
    pub fn stop_measuring(&self) {
        for id in self.measuring.waiting.get_value() {
            self.engine.stop(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::test::kept;

    #[test]
    fn the_same_is_kept_again_and_the_oldest_goes_where_there_are_too_many() {
        let of = |asked_by, at: usize| Kept {
            asked_by,
            at: at as f64,
            ..kept(&[(1, [1.0, 1.1])], |_| {})
        };
        let left = |asked: &[AskedBy]| {
            let mut reports = Vec::new();
            for (at, asked_by) in asked.iter().enumerate() {
                reports.push(of(*asked_by, at));
                bound(&mut reports);
            }
            reports
                .iter()
                .map(|kept| kept.at as usize)
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&[AskedBy::Speed; KEPT]), (0..KEPT).collect::<Vec<_>>());
        let more = [AskedBy::Speed; KEPT + 2];
        assert_eq!(left(&more), (2..KEPT + 2).collect::<Vec<_>>());
        // What the Stage asks for takes the place of no sweep but the oldest.
        let mut asked = [AskedBy::Stage; KEPT + 3];
        asked[0] = AskedBy::Speed;
        assert_eq!(left(&asked)[0], 0);
        let mut asked = [AskedBy::Speed; KEPT + 1];
        asked[KEPT] = AskedBy::Stage;
        assert_eq!(left(&asked), (1..KEPT + 1).collect::<Vec<_>>());
    }
}
