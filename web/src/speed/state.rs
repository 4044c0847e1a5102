//! What the scene remembers while another one is open.

use couplet_protocol::{BackendChoice, MAX_GAMMA, Settings, SpeedRequest};
use leptos::prelude::*;
use tr::tr;

use super::race::Clock;
use super::what_if::{Measured, Terms};
use crate::form::FieldError;
use crate::permalink::Exhibits;
use crate::store::{AskedBy, Kept, Store};

/// Pairs of runs unless a person wants others: enough for an interval at 95 % that leaves the
/// slowest and the fastest pair out, which a busy moment of the machine makes, for the best of nine
/// too ([`couplet_protocol::Headline`]).
const USUAL_PAIRS: u32 = 13;

/// The longest draft unless a person wants another.
const USUAL_LONGEST: u32 = 8;

/// Everything that the scene knows; copies are the same.
#[derive(Clone, Copy)]
pub struct SpeedState {
    store: Store,
    /// The longest draft to time, as it is written.
    pub longest: RwSignal<String>,
    /// Pairs of runs per draft length, as it is written.
    pub pairs: RwSignal<String>,
    /// Whether the engine's own choice is timed too.
    pub auto: RwSignal<bool>,
    /// The report that a person wants above, by when it was there; the newest unless they say.
    pub chosen: RwSignal<Option<f64>>,
    /// The report above.
    pub main: Memo<Option<Kept>>,
    /// The report of the other backend for the same task.
    pub other: Memo<Option<Kept>>,
    /// The time of the race.
    pub clock: Clock,
    /// What somebody asked the formula about.
    pub terms: RwSignal<Option<Terms>>,
    /// What the report above found.
    pub measured: Memo<Option<Measured>>,
    /// What the formula is asked about: what somebody chose, else what was measured, else an example.
    pub asked: Memo<Terms>,
    /// Whether somebody in this scene asked for the measurement in progress.
    pub awaited: StoredValue<bool>,
}

impl SpeedState {
    /// The scene as it opens first.
    pub fn new(store: Store) -> Self {
        let reports = store.measuring.reports;
        let chosen = RwSignal::new(None);
        let main = Memo::new(move |_| {
            let chosen = chosen.get();
            reports.with(|reports| {
                let wanted = reports.iter().find(|kept| chosen == Some(kept.at));
                let newest = || newest_whole(reports).or(reports.last());
                wanted.or_else(newest).cloned()
            })
        });
        // What is new is shown, whatever was looked at before.
        Effect::new(move |before: Option<Option<f64>>| {
            let newest = reports.with(|reports| newest_whole(reports).map(|kept| kept.at));
            if before.is_some_and(|before| before != newest) {
                chosen.set(None);
            }
            newest
        });
        let other = Memo::new(move |_| {
            let main = main.get()?;
            reports.with(|reports| {
                let wanted = |kept: &&Kept| {
                    kept.backend() != main.backend()
                        && kept.pair.name == main.pair.name
                        && kept.is_comparable(&main)
                        && kept.asked_by == main.asked_by
                };
                reports.iter().rev().find(wanted).cloned()
            })
        });
        let terms = RwSignal::new(None);
        let measured = Memo::new(move |_| {
            main.with(|main| main.as_ref().and_then(|main| Measured::of(&main.report)))
        });
        let clock = Clock::new();
        Effect::new(move |_| {
            main.track();
            clock.finish();
        });
        Effect::new(move |_| {
            if store.measuring.busy() {
                clock.pause();
            }
        });
        Self {
            store,
            longest: RwSignal::new(USUAL_LONGEST.to_string()),
            pairs: RwSignal::new(USUAL_PAIRS.to_string()),
            auto: RwSignal::new(true),
            chosen,
            main,
            other,
            clock,
            terms,
            measured,
            asked: Memo::new(move |_| {
                let terms = terms.get();
                let terms = terms.or_else(|| measured.with(|it| it.as_ref().map(|it| it.terms)));
                terms.unwrap_or(Terms::EXAMPLE)
            }),
            awaited: StoredValue::new(false),
        }
    }

    /// Asks the formula what a link asks it.
    pub fn follow_link(&self, link: &Exhibits) {
        if let Some(terms) = link.terms {
            self.terms.set(Some(Terms::of_hundredths(terms)));
        }
    }

    /// What a link to this should name, tracked.
    pub fn for_link(&self) -> Exhibits {
        Exhibits {
            terms: self.terms.get().map(Terms::in_hundredths),
            ..Exhibits::default()
        }
    }

    /// What would be timed, tracked.
    ///
    /// # Errors
    ///
    /// The first field that does not work, and why.
    pub fn request(&self) -> Result<SpeedRequest, FieldError> {
        let settings: Settings = self.store.form.read()?;
        let whole = |text: RwSignal<String>, field: &str, least: u32, most: u32| {
            let value = text.with(|text| text.trim().parse::<u32>().ok());
            value
                .filter(|value| (least..=most).contains(value))
                .ok_or_else(|| FieldError {
                    field: field.to_owned(),
                    sentence: tr!("write a whole number, {least} to {most}", least, most),
                })
        };
        let longest = whole(self.longest, "longest", 1, MAX_GAMMA)?;
        let (fewest, most) = (SpeedRequest::FEWEST_PAIRS, SpeedRequest::MOST_PAIRS);
        Ok(SpeedRequest {
            settings,
            gammas: (1..=longest).collect(),
            auto: self.auto.get(),
            pairs: whole(self.pairs, "pairs", fewest, most)?,
        })
    }

    /// Measures on the backend that is loaded.
    pub fn measure(&self) {
        if let Ok(request) = untrack(|| self.request()) {
            self.bench(request);
        }
    }

    fn bench(&self, request: SpeedRequest) {
        self.chosen.set(None);
        self.awaited.set_value(true);
        self.store.bench(request, AskedBy::Speed, |_| {});
    }

    /// Whether something is being timed, tracked.
    pub fn is_busy(&self) -> bool {
        self.store.measuring.busy()
    }

    /// Loads the pair on another backend and measures there what the report above measured.
    pub fn measure_on(&self, backend: BackendChoice) {
        let request = self
            .main
            .with_untracked(|main| main.as_ref().map(|main| main.report.request.clone()));
        let Some(request) = request else { return };
        self.use_backend(backend);
        self.bench(request);
    }

    /// Has the page run on another backend from now on.
    pub fn use_backend(&self, backend: BackendChoice) {
        self.store.message.set(None);
        self.store.engine.restart_with(backend);
    }
}

/// The newest that this scene or a script asked for.
fn newest_whole(reports: &[Kept]) -> Option<&Kept> {
    let whole = |kept: &&Kept| kept.asked_by == AskedBy::Speed;
    reports.iter().rev().find(whole)
}

/// The state of the scene.
pub fn use_speed() -> SpeedState {
    expect_context::<SpeedState>()
}
