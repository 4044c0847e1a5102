//! What the page knows: the form, the run and where the playhead stands in it.

mod arrival;
mod asking;
mod branching;
mod measuring;
mod pair;
mod quote;
mod recording;
mod replay;
mod told;
mod versions;
mod view;
mod writing;

use std::sync::Arc;

use couplet_playback::{Cut, Phase, Run, StageState, spoken, visible};
use couplet_protocol::{
    BackendChoice, Branch, DeviceInfo, Event, PairInfo, Settings, Trace, VERSION,
};
use leptos::prelude::*;

use crate::engine_client::{EngineClient, EngineState};
use crate::errors::Said;
use crate::form::{Form, Texts};
use crate::language::Language;
use crate::permalink::{self, Left, Link};
use crate::playhead::Playhead;
use crate::unwritten;

use arrival::Arrival;
pub use asking::Asking;
use asking::{Asked, AskedFrom};
pub use branching::Elsewhere;
pub use measuring::{AskedBy, Kept, Measuring};
pub use recording::{Recording, fetch as fetch_recording};
pub use replay::Aside;
pub use told::{Told, nothing_told};
pub use versions::{Compared, Versions};
pub use view::{MarksShown, Notation, Scene, Selection};
pub use writing::is_end;

/// The run on the page: what was asked for, of whom, and where it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Everything that determined it.
    pub settings: Settings,
    /// What stood after the prompt already, where it went on from another run.
    pub branch: Option<Branch>,
    /// The pair that wrote it.
    pub pair: Arc<PairInfo>,
    /// Where.
    pub device: DeviceInfo,
    /// Whether it came with the page instead of being written here.
    pub recorded: bool,
    /// Name of the file that it was replayed from; such a run counts as recorded.
    pub file: Option<String>,
}

impl Shown {
    /// As a file.
    pub fn with_events(self, events: Vec<Event>) -> Trace {
        Trace {
            version: VERSION,
            settings: self.settings,
            branch: self.branch,
            pair: Arc::unwrap_or_clone(self.pair),
            device: self.device,
            events,
        }
    }
}

/// Everything shared by the views. Copies are the same store.
#[derive(Clone, Copy)]
pub struct Store {
    /// The engine.
    pub engine: EngineClient,
    /// The part of the page that is open.
    pub scene: RwSignal<Scene>,
    /// The controls.
    pub form: Form,
    /// The run.
    pub run: RwSignal<Run>,
    /// Counts runs, so that lists never mix two.
    pub epoch: RwSignal<u32>,
    /// What the run is.
    pub shown: RwSignal<Option<Shown>>,
    /// What is to be written.
    pub asking: Asking,
    /// Where we stand.
    pub playhead: Playhead,
    /// The run folded up to the playhead.
    pub state: Memo<StageState>,
    /// What branched from it, or what it branched from.
    pub versions: Versions,
    /// The run beside its closest relative, once something has branched.
    pub compared: Memo<Option<Compared>>,
    /// What the person picked for the inspector.
    pub selected: RwSignal<Option<Selection>>,
    /// The playhead moves to what is picked, which therefore stays picked.
    keeps_pick: StoredValue<bool>,
    /// Letters for the distributions.
    pub notation: RwSignal<Notation>,
    /// Which marks are drawn.
    pub marks: RwSignal<MarksShown>,
    /// Measurements of speed.
    pub measuring: Measuring,
    /// What the page speaks.
    pub language: RwSignal<Language>,
    /// A sentence above everything.
    pub message: RwSignal<Option<Said>>,
    /// Whether the settings are unfolded where they fold.
    pub settings_open: RwSignal<bool>,
    arrival: Arrival,
    /// The runs that files and lessons took the place of, the last one last.
    pub aside: RwSignal<Vec<Aside>>,
    /// Counts runs that were put on the page whole.
    taken_over: StoredValue<u32>,
    /// How many runs were taken off the page.
    taken_off: StoredValue<u32>,
    /// How often the form had been edited when a recording was asked for last.
    watched: StoredValue<u32>,
    events: StoredValue<Vec<Event>>,
    /// The settings that the page itself wrote into the form last.
    usual: StoredValue<Settings>,
}

impl Store {
    /// The state of a page with this address; fetches the recording and starts the engine.
    pub fn new(link: Link, language: Language) -> Self {
        let engine = EngineClient::new(&link.settings.pair, link.backend);
        let run = RwSignal::new(Run::default());
        let playhead = Playhead::new(run);
        let state = Memo::new(move |_| run.with(|run| run.state(playhead.at.get())));
        let left = link.view.left.as_deref();
        let left = left.and_then(|text| Left::parse(text, &link.settings));
        let mut store = Self {
            engine,
            scene: RwSignal::new(link.view.scene),
            form: Form::new(&link.settings),
            run,
            epoch: RwSignal::new(0),
            shown: RwSignal::new(None),
            asking: Asking::new(link.asks, link.view.branch, left),
            playhead,
            state,
            versions: Versions::default(),
            compared: Memo::new(|_| None),
            selected: RwSignal::new(None),
            keeps_pick: StoredValue::new(false),
            notation: RwSignal::new(link.view.letters),
            marks: RwSignal::new(link.view.marks),
            measuring: Measuring::default(),
            language: RwSignal::new(language),
            message: RwSignal::new(link.trouble.map(|_| permalink::said_trouble())),
            settings_open: RwSignal::new(false),
            arrival: Arrival::new(link.view.at, link.view.pick),
            aside: RwSignal::new(Vec::new()),
            taken_over: StoredValue::new(0),
            taken_off: StoredValue::new(0),
            watched: StoredValue::new(0),
            events: StoredValue::new(Vec::new()),
            usual: StoredValue::new(Settings::default()),
        };
        let of = store;
        store.compared = Memo::new(move |_| of.compare());
        Effect::new(move |_| {
            let brought = store.brought_pick(playhead.at.get());
            // The way to a picked token is not a step away from it.
            let keeps = store.keeps_pick.get_value();
            store.keeps_pick.set_value(false);
            if brought.is_some() || !keeps {
                store.selected.set(brought);
            }
        });
        Effect::new(move |_| {
            if engine.state.get() == EngineState::Ready && store.asking.wanted.get_untracked() {
                let is_link = store.asking.linked.get_untracked();
                if !is_link || untrack(|| store.knows_prompt()) {
                    return store.ask_waiting();
                }
                // Which prompt is the pair's own stands in the list of pairs.
                engine.when_pairs_are_known(move |_| {
                    let is_ready = engine.state.get_untracked() == EngineState::Ready;
                    if is_ready && store.asking.wanted.get_untracked() {
                        store.ask_waiting();
                    }
                });
            }
        });
        let (linked_pair, names_prompt) = (link.settings.pair.clone(), link.names_prompt);
        Effect::new(move |_| {
            engine.pairs.track();
            store.leave_unknown_pair(&linked_pair);
            if !names_prompt {
                store.adopt_prompt();
            }
        });
        Effect::new(move |before: Option<u32>| {
            let edits = store.form.edits.get();
            // Whoever changes a setting is done with watching.
            if before.is_some_and(|before| before != edits) {
                store.forget_link();
                if untrack(|| store.recorded()) {
                    store.playhead.pause();
                }
            }
            edits
        });
        store.watch_arrival();
        store.take_up_form(unwritten::kept_by_tab(&link.settings));
        store.open_recording(&link.settings.pair);
        engine.start();
        store
    }

    /// Writes what waited for the models.
    fn ask_waiting(&self) {
        // Nothing is taken from under the eyes of someone who only followed a link.
        if self.asking.linked.get_untracked() && self.recording_is_held() {
            self.asking.wanted.set(false);
        } else {
            self.ask_linked();
        }
    }

    /// Has the form say again what stood there when the page was loaded anew, as soon as nothing waits
    /// any more for what the address says.
    fn take_up_form(&self, kept: Option<Texts>) {
        let (store, kept) = (*self, StoredValue::new(kept));
        Effect::new(move |_| {
            if store.asking.linked.get() || store.asking.wanted.get() {
                return;
            }
            let kept = kept.try_update_value(Option::take).flatten();
            // Unless somebody has begun anew, or opened a file.
            let is_first = store.form.edits.get_untracked() == 0 && store.turn() == 0;
            if let Some(kept) = kept.filter(|_| is_first) {
                store.form.put(&kept);
            }
        });
    }

    /// The pair of the run on the page, else the loaded one.
    pub fn pair(&self) -> Option<Arc<PairInfo>> {
        let of_run = self
            .shown
            .with(|shown| shown.as_ref().map(|shown| shown.pair.clone()));
        of_run.or_else(|| self.engine.pair.get())
    }

    /// Text of a token; a dot while no pair is known.
    pub fn text(&self, token: u32) -> String {
        untrack(|| self.pair())
            .and_then(|pair| pair.tokens.get(token as usize).cloned())
            .unwrap_or_else(|| "·".to_owned())
    }

    /// A token as it can be seen.
    pub fn show(&self, token: u32) -> String {
        let cut = untrack(|| self.pair()).map_or(Cut::Characters, |pair| Cut::of(&pair.tokens));
        visible(&self.text(token), cut)
    }

    /// A token as it can be heard.
    pub fn say(&self, token: u32) -> String {
        spoken(&self.show(token))
    }

    /// Whether a run is being written, or is to be.
    pub fn is_writing(&self) -> bool {
        self.asking.wanted.get() || !self.asking.writing.with(Vec::is_empty)
    }

    /// Whether a run was asked for that waits for the models, which are on their way. Where they
    /// cannot be had, nothing is to be waited for, though it is written if they come after all.
    pub fn is_waiting(&self) -> bool {
        let is_coming = |state: &EngineState| {
            matches!(state, EngineState::Starting | EngineState::Loading { .. })
        };
        self.asking.wanted.get() && self.engine.state.with(is_coming)
    }

    /// Whether Play would write a new text.
    pub fn would_write(&self) -> bool {
        if self.is_writing() {
            return false;
        }
        let form = self.form.read().ok();
        self.shown.with(|shown| match shown {
            None => true,
            Some(shown) if shown.recorded => form != Some(shown.settings.as_used()),
            // A form in error leaves the run on the page as it is.
            Some(shown) => form.is_some_and(|form| form != shown.settings.as_used()),
        })
    }

    /// What Play and Space do: a run that was edited in its middle goes on from there.
    pub fn play_or_pause(&self) {
        if self.playhead.playing.get_untracked() {
            self.playhead.pause();
        } else if untrack(|| self.branch_point()).is_some() {
            self.branch_here();
        } else if untrack(|| self.would_write()) {
            self.generate();
        } else {
            self.playhead.play();
        }
    }

    /// The token under consideration: the one picked, else the last one judged.
    pub fn focus(&self) -> Option<Selection> {
        self.selected.get().or_else(|| {
            self.state.with(|state| {
                let (step, round) = (state.step?, state.round.as_ref()?);
                let bonus = state.closed() && round.rejected().is_none();
                let column = if bonus {
                    round.proposals.len()
                } else {
                    state.judged().saturating_sub(1)
                };
                // The end of a text cuts its last round: what did not fit is not in it.
                let column = if step.phase >= Phase::Commit {
                    column.min(round.committed.len().saturating_sub(1))
                } else {
                    column
                };
                Some(Selection {
                    round: step.round,
                    column,
                })
            })
        })
    }

    /// Picks a token for the inspector. Time stops, or the next step would take it away again.
    pub fn pick(&self, place: Selection) {
        self.playhead.pause();
        self.selected.set(Some(place));
    }

    /// Stands where the token at a place got its verdict, with that token picked.
    pub fn go_to_verdict(&self, place: Selection) {
        let known = |run: &Run| run.verdict_of(place.round, place.column);
        if let Some(at) = self.run.with_untracked(known) {
            let moves = at != self.playhead.at.get_untracked();
            self.keeps_pick.set_value(moves);
            self.playhead.go(at);
            self.pick(place);
        }
    }

    /// The run on the page as a file, unless it came with the page.
    pub fn trace(&self) -> Option<Trace> {
        let own = |shown: &Shown| !shown.recorded || shown.file.is_some();
        self.shown
            .with_untracked(|shown| shown.as_ref().is_some_and(own))
            .then(|| self.record())
            .flatten()
    }

    /// The run on the page as a file, wherever it is from.
    pub fn record(&self) -> Option<Trace> {
        let shown = self.shown.get_untracked()?;
        Some(shown.with_events(self.events.get_value()))
    }

    /// Has the page run on another backend from now on.
    pub fn use_backend(&self, backend: BackendChoice) {
        self.message.set(None);
        let pair = self.form.pair.get_untracked();
        self.engine.restart_with(backend, &pair);
    }
}

/// The store of the page.
pub fn use_store() -> Store {
    expect_context::<Store>()
}
