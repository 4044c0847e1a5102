//! What the page knows: the form, the run and where the playhead stands in it.

use std::sync::Arc;

use couplet_playback::{Run, StageState};
use couplet_protocol::{
    BackendChoice, Command, Event, Failure, FailureKind, Measurement, Reply, Settings, Trace,
    VERSION,
};
use leptos::prelude::*;

use crate::engine_client::{EngineClient, EngineState};
use crate::form::{FieldError, Form};
use crate::permalink::{self, Link};
use crate::playhead::Playhead;

/// Letters for the two distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// draft, target.
    Words,
    /// p, q.
    Chen,
    /// q, p.
    Leviathan,
}

impl Notation {
    /// What the draft is called.
    pub fn draft(self) -> &'static str {
        match self {
            Self::Words => "draft",
            Self::Chen => "p",
            Self::Leviathan => "q",
        }
    }

    /// What the target is called.
    pub fn target(self) -> &'static str {
        match self {
            Self::Words => "target",
            Self::Chen => "q",
            Self::Leviathan => "p",
        }
    }
}

/// Which marks the manuscript shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarksShown {
    /// Of every round.
    All,
    /// Of the round under the playhead.
    Last,
    /// None.
    Clean,
}

/// A token whose distributions the inspector shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Index of the round.
    pub round: usize,
    /// Its column; a bonus stands behind the last drafted token.
    pub column: usize,
}

/// A measurement in progress or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Measuring {
    /// Pairs done, pairs asked for.
    Running(u32, u32),
    /// The result.
    Done(Box<Measurement>),
    /// Why not.
    Failed(String),
}

/// Everything shared by the views. Copies are the same store.
#[derive(Clone, Copy)]
pub struct Store {
    /// The engine.
    pub engine: EngineClient,
    /// The controls.
    pub form: Form,
    /// The run.
    pub run: RwSignal<Run>,
    /// Counts runs, so that lists never mix two.
    pub epoch: RwSignal<u32>,
    /// Settings of the run.
    pub settings: RwSignal<Option<Settings>>,
    /// Request that writes at the moment.
    pub writing: RwSignal<Option<u32>>,
    /// A run was asked for before the engine was ready.
    pub wanted: RwSignal<bool>,
    /// Where we stand.
    pub playhead: Playhead,
    /// The run folded up to the playhead.
    pub state: Memo<StageState>,
    /// What the person picked for the inspector.
    pub selected: RwSignal<Option<Selection>>,
    /// Letters for the distributions.
    pub notation: RwSignal<Notation>,
    /// Which marks are drawn.
    pub marks: RwSignal<MarksShown>,
    /// Measurement of speed.
    pub measuring: RwSignal<Option<Measuring>>,
    /// A sentence above everything.
    pub message: RwSignal<Option<String>>,
    trace: StoredValue<Option<Trace>>,
}

impl Store {
    /// The state of a page with this address; starts the engine.
    pub fn new(link: Link) -> Self {
        let engine = EngineClient::new(&link.settings.pair, link.backend);
        let run = RwSignal::new(Run::default());
        let playhead = Playhead::new(run);
        let state = Memo::new(move |_| run.with(|run| run.state(playhead.at.get())));
        let store = Self {
            engine,
            form: Form::new(&link.settings),
            run,
            epoch: RwSignal::new(0),
            settings: RwSignal::new(None),
            writing: RwSignal::new(None),
            wanted: RwSignal::new(false),
            playhead,
            state,
            selected: RwSignal::new(None),
            notation: RwSignal::new(Notation::Words),
            marks: RwSignal::new(MarksShown::All),
            measuring: RwSignal::new(None),
            message: RwSignal::new(link.trouble),
            trace: StoredValue::new(None),
        };
        Effect::new(move |_| {
            playhead.at.track();
            store.selected.set(None);
        });
        Effect::new(move |_| {
            if engine.state.get() == EngineState::Ready && store.wanted.get_untracked() {
                store.generate();
            }
        });
        engine.start();
        store
    }

    /// Text of a token; a dot while no pair is known.
    pub fn text(&self, token: u32) -> String {
        let run_text = self.trace.with_value(|trace| {
            trace
                .as_ref()
                .and_then(|trace| trace.pair.tokens.get(token as usize).cloned())
        });
        run_text
            .or_else(|| {
                self.engine.pair.with_untracked(|pair| {
                    pair.as_ref()
                        .and_then(|pair| pair.tokens.get(token as usize).cloned())
                })
            })
            .unwrap_or_else(|| "·".to_owned())
    }

    /// A token as it can be seen.
    pub fn show(&self, token: u32) -> String {
        couplet_playback::visible(&self.text(token))
    }

    /// Whether Play would write a new text.
    pub fn would_write(&self) -> bool {
        if self.wanted.get() || self.writing.get().is_some() {
            return false;
        }
        let form = self.form.read().ok();
        let changed = self
            .settings
            .with(|settings| settings.is_none() || (form.is_some() && *settings != form));
        changed || self.run.with(|run| !run.started())
    }

    /// What Play and Space do.
    pub fn play_or_pause(&self) {
        if self.playhead.playing.get_untracked() {
            self.playhead.pause();
        } else if untrack(|| self.would_write()) {
            self.generate();
        } else {
            self.playhead.play();
        }
    }

    /// Writes a new text with the settings of the form and plays it.
    pub fn generate(&self) {
        let Ok(settings) = untrack(|| self.form.read()) else {
            self.wanted.set(false);
            return;
        };
        self.form.refused.set(None);
        self.message.set(None);
        if self.engine.state.get_untracked() != EngineState::Ready {
            self.wanted.set(true);
            match self.engine.state.get_untracked() {
                EngineState::Failed(_) => self.engine.retry(),
                EngineState::Crashed => self.engine.restart(),
                _ => {}
            }
            return;
        }
        self.wanted.set(false);
        if let Some(id) = self.writing.get_untracked() {
            self.engine.stop(id);
        }
        permalink::write(&settings);
        let store = *self;
        let started = std::cell::Cell::new(false);
        self.write(settings, move |reply| {
            if matches!(reply, Reply::Events { .. }) && !started.replace(true) {
                store.playhead.play();
            }
        });
    }

    /// Sends a run to the engine and shows it; `also` sees every reply after the page has.
    pub fn write(&self, settings: Settings, mut also: impl FnMut(&Reply) + 'static) {
        let store = *self;
        let pair = settings.pair.clone();
        let asked = settings.clone();
        let mut first = true;
        let id = self.engine.request_with_pair(
            &pair,
            |id| Command::Generate { id, settings },
            move |reply| {
                match reply {
                    Reply::Events { id, events } => {
                        if std::mem::take(&mut first) {
                            store.begin(*id, &asked);
                        }
                        store.append(events);
                    }
                    Reply::Failed { failure, .. } => store.refuse(failure),
                    _ => {}
                }
                if is_end(reply) {
                    store.writing.set(None);
                }
                also(reply);
            },
        );
        self.writing.set(Some(id));
    }

    fn begin(&self, id: u32, settings: &Settings) {
        self.writing.set(Some(id));
        self.playhead.pause();
        self.playhead.reset();
        self.run.set(Run::default());
        self.epoch.update(|epoch| *epoch += 1);
        self.settings.set(Some(settings.clone()));
        let pair = self.engine.pair.get_untracked();
        let device = self.engine.device.get_untracked();
        self.trace
            .set_value(pair.zip(device).map(|(pair, device)| Trace {
                version: VERSION,
                settings: settings.clone(),
                pair: Arc::unwrap_or_clone(pair),
                device,
                events: Vec::new(),
            }));
    }

    fn append(&self, events: &[Event]) {
        self.trace.update_value(|trace| {
            if let Some(trace) = trace {
                trace.events.extend_from_slice(events);
            }
        });
        self.run
            .update(|run| events.iter().for_each(|event| run.push(event)));
    }

    fn refuse(&self, failure: &Failure) {
        match &failure.field {
            Some(field) => {
                let error = FieldError {
                    field: field.clone(),
                    sentence: failure.sentence.clone(),
                };
                self.form.refused.set(Some(error));
            }
            // Trouble of the engine itself is told by the engine's own notice.
            None if failure.kind == FailureKind::Internal => {}
            None => self.message.set(Some(failure.sentence.clone())),
        }
    }

    /// Ends the run that is being written.
    pub fn stop(&self) {
        self.wanted.set(false);
        if let Some(id) = self.writing.get_untracked() {
            self.engine.stop(id);
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
                Some(Selection {
                    round: step.round,
                    column,
                })
            })
        })
    }

    /// The current run as a file.
    pub fn trace(&self) -> Option<Trace> {
        self.trace.get_value()
    }

    /// Times speculation against the target alone, with the form's settings.
    pub fn measure(&self) {
        let Ok(settings) = untrack(|| self.form.read()) else {
            return;
        };
        self.playhead.pause();
        let store = *self;
        self.measure_with(settings, 5, move |reply| {
            if let Reply::Failed { failure, .. } = reply {
                store.refuse(failure);
            }
        });
    }

    /// Times with any settings; `also` sees every reply after the page has.
    pub fn measure_with(
        &self,
        settings: Settings,
        pairs: u32,
        mut also: impl FnMut(&Reply) + 'static,
    ) {
        let store = *self;
        self.measuring.set(Some(Measuring::Running(0, pairs)));
        let pair = settings.pair.clone();
        self.engine.request_with_pair(
            &pair,
            |id| Command::Measure {
                id,
                settings,
                pairs,
            },
            move |reply| {
                match reply {
                    Reply::Measuring { done, pairs, .. } => {
                        store.playhead.pause();
                        store.measuring.set(Some(Measuring::Running(*done, *pairs)));
                    }
                    Reply::Measured { measurement, .. } => {
                        store
                            .measuring
                            .set(Some(Measuring::Done(Box::new(measurement.clone()))));
                    }
                    Reply::Failed { failure, .. } => {
                        store
                            .measuring
                            .set(Some(Measuring::Failed(failure.sentence.clone())));
                    }
                    _ => {}
                }
                also(reply);
            },
        );
    }

    /// Loads again on the CPU.
    pub fn use_cpu(&self) {
        self.message.set(None);
        self.engine.restart_with(BackendChoice::Cpu);
    }
}

/// Whether a reply ends a run.
pub fn is_end(reply: &Reply) -> bool {
    match reply {
        Reply::Events { events, .. } => events
            .iter()
            .any(|event| matches!(event, Event::Finished { .. })),
        Reply::Failed { .. } => true,
        _ => false,
    }
}

/// The store of the page.
pub fn use_store() -> Store {
    expect_context::<Store>()
}
