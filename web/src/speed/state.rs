//! What the scene remembers while another one is open.

use couplet_playback::tr;
use couplet_protocol::{BackendChoice, MAX_GAMMA, SpeedRequest};
use leptos::prelude::*;

use super::race::Clock;
use super::what_if::{Measured, Terms};
use crate::permalink::{Exhibits, Sweep};
use crate::store::{AskedBy, Kept, Store};

/// Pairs of runs unless a person wants others: enough for an interval at 95 % that leaves the
/// slowest and the fastest pair out, which a busy moment of the machine makes, for the best of nine
/// too ([`couplet_protocol::Headline`]).
pub const USUAL_PAIRS: u32 = 13;

/// What is measured unless a person wants something else.
const USUAL: Sweep = Sweep {
    longest: 8,
    pairs: USUAL_PAIRS,
    auto: true,
};

/// A whole number as it is written, and what it may be. Copies are the same.
#[derive(Clone, Copy)]
pub struct Whole {
    /// What stands in its field.
    pub text: RwSignal<String>,
    /// The smallest that works.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Whole {
    fn new(usual: u32, least: u32, most: u32) -> Self {
        Self {
            text: RwSignal::new(usual.to_string()),
            least,
            most,
        }
    }

    /// The number, tracked, whatever stands in other fields.
    ///
    /// # Errors
    ///
    /// What would work.
    pub fn read(&self) -> Result<u32, String> {
        let Self { text, least, most } = *self;
        let value = text.with(|text| text.trim().parse::<u32>().ok());
        value
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| tr!("write a whole number, {least} to {most}", least, most))
    }
}

/// Everything that the scene knows; copies are the same.
#[derive(Clone, Copy)]
pub struct SpeedState {
    store: Store,
    /// The longest draft to time.
    pub longest: Whole,
    /// Pairs of runs per draft length.
    pub pairs: Whole,
    /// Whether the engine's own choice is timed too.
    pub auto: RwSignal<bool>,
    /// The report that a person wants above, by when it was there; the newest unless they say.
    pub chosen: RwSignal<Option<f64>>,
    /// The report above.
    pub main: Memo<Option<Kept>>,
    /// The same task on the other backend; where the report above is from a file, here.
    pub other: Memo<Option<Kept>>,
    /// The time of the race.
    pub clock: Clock,
    /// What somebody asked the formula about.
    pub terms: RwSignal<Option<Terms>>,
    /// What a link or a lesson asked it about last.
    taught: StoredValue<Option<Terms>>,
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
        let (reports, opened) = (store.measuring.reports, store.measuring.opened);
        let chosen = RwSignal::new(None);
        let main = Memo::new(move |_| {
            let chosen = chosen.get();
            let wanted = |all: &Vec<Kept>| all.iter().find(|kept| chosen == Some(kept.at)).cloned();
            let newest = |all: &Vec<Kept>| newest_whole(all).or(all.last()).cloned();
            let any = reports.with(wanted).or_else(|| opened.with(wanted));
            any.or_else(|| reports.with(newest))
                .or_else(|| opened.with(newest))
        });
        // What is new is shown, whatever was looked at before: above, or beside the same of a file.
        Effect::new(move |before: Option<Option<f64>>| {
            let newest = reports.with(|reports| newest_whole(reports).cloned());
            let at = newest.as_ref().map(|kept| kept.at);
            if before.is_some_and(|before| before != at) {
                let main = main.get_untracked();
                let file = main.filter(|main: &Kept| main.file.is_some());
                if !file
                    .zip(newest)
                    .is_some_and(|(file, newest)| newest.is_comparable(&file))
                {
                    chosen.set(None);
                }
            }
            at
        });
        let other = Memo::new(move |_| {
            let main = main.get()?;
            reports.with(|reports| {
                let wanted = |kept: &&Kept| {
                    (main.file.is_some() || kept.backend() != main.backend())
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
            longest: Whole::new(USUAL.longest, 1, MAX_GAMMA),
            pairs: Whole::new(
                USUAL.pairs,
                SpeedRequest::FEWEST_PAIRS,
                SpeedRequest::MOST_PAIRS,
            ),
            auto: RwSignal::new(USUAL.auto),
            chosen,
            main,
            other,
            clock,
            terms,
            taught: StoredValue::new(None),
            measured,
            asked: Memo::new(move |_| {
                let terms = terms.get();
                let terms = terms.or_else(|| measured.with(|it| it.as_ref().map(|it| it.terms)));
                terms.unwrap_or(Terms::EXAMPLE)
            }),
            awaited: StoredValue::new(false),
        }
    }

    /// Asks the formula what a link asks it, and is ready to measure what it measures.
    pub fn follow_link(&self, link: &Exhibits) {
        if let Some(sweep) = link.sweep {
            self.longest.text.set(sweep.longest.to_string());
            self.pairs.text.set(sweep.pairs.to_string());
            self.auto.set(sweep.auto);
        }
        if let Some(terms) = link.terms {
            self.teach(Some(Terms::of_hundredths(terms)));
        }
    }

    /// Asks the formula what a lesson asks it.
    pub fn teach(&self, terms: Option<Terms>) {
        self.taught.set_value(terms);
        self.terms.set(terms);
    }

    /// Asks it again what it was asked before a lesson; what a person has asked since stays.
    pub fn put_back(&self, before: Option<Terms>) {
        if self.terms.get_untracked() == self.taught.get_value() {
            self.terms.set(before);
        }
    }

    /// What a link to this should name, tracked.
    pub fn for_link(&self) -> Exhibits {
        let sweep = self.longest.read().ok().zip(self.pairs.read().ok());
        let sweep = sweep.map(|(longest, pairs)| Sweep {
            longest,
            pairs,
            auto: self.auto.get(),
        });
        Exhibits {
            terms: self.terms.get().map(Terms::in_hundredths),
            sweep: sweep.filter(|sweep| *sweep != USUAL),
            ..Exhibits::default()
        }
    }

    /// What would be timed, tracked; `None` while some field does not work, which says so itself.
    pub fn request(&self) -> Option<SpeedRequest> {
        let settings = self.store.form.read().ok()?;
        Some(SpeedRequest {
            settings,
            gammas: (1..=self.longest.read().ok()?).collect(),
            auto: self.auto.get(),
            pairs: self.pairs.read().ok()?,
        })
    }

    /// Measures on the backend that is loaded.
    pub fn measure(&self) {
        if let Some(request) = untrack(|| self.request()) {
            self.bench(request);
        }
    }

    fn bench(&self, request: SpeedRequest) {
        self.awaited.set_value(true);
        self.store.bench(request, AskedBy::Speed, |_| {});
    }

    /// Whether something is being timed, tracked.
    pub fn is_busy(&self) -> bool {
        self.store.measuring.busy()
    }

    /// Measures what the report above measured: on another backend, for which it loads the pair
    /// there, or on the one that is loaded.
    pub fn measure_same(&self, backend: Option<BackendChoice>) {
        let request = self
            .main
            .with_untracked(|main| main.as_ref().map(|main| main.report.request.clone()));
        let Some(request) = request else { return };
        if let Some(backend) = backend {
            self.store.use_backend(backend);
        }
        self.bench(request);
    }

    /// Shows a report of a file.
    pub fn open(&self, kept: Kept) {
        let at = kept.at;
        self.store.measuring.open(kept);
        self.chosen.set(Some(at));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_says_by_itself_what_is_wrong() {
        let reads = |text: &str, least, most| {
            let whole = Whole::new(7, least, most);
            whole.text.set(text.to_owned());
            whole
                .read()
                .map_err(|sentence| sentence.contains(&format!("{least} to {most}")))
        };
        assert_eq!(reads("17", 1, 16), Err(true));
        assert_eq!(reads("4", 5, 50), Err(true));
        assert_eq!(reads("", 5, 50), Err(true));
        assert_eq!(reads("1.5", 1, 16), Err(true));
        assert_eq!(reads(" 16 ", 1, 16), Ok(16));
    }
}
