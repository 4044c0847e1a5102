//! Runs that the engine writes here.

use std::cell::Cell;

use couplet_playback::Run;
use couplet_protocol::{Command, Event, Failure, FailureKind, Reply, Settings};
use leptos::prelude::*;

use super::{Shown, Store};
use crate::engine_client::EngineState;
use crate::form::FieldError;
use crate::permalink;

impl Store {
    /// Writes a new text with the settings of the form and plays it.
    pub fn generate(&self) {
        if !self.linked.get_untracked() {
            self.place.set_value(None);
        }
        self.linked.set(false);
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
        let started = Cell::new(false);
        self.write(settings, move |reply| {
            if matches!(reply, Reply::Events { .. }) && !started.replace(true) {
                store.play_or_arrive();
            }
        });
    }

    /// Sends a run to the engine and shows it; `also` sees every reply after the page has.
    pub fn write(&self, settings: Settings, mut also: impl FnMut(&Reply) + 'static) {
        self.linked.set(false);
        let store = *self;
        let pair = settings.pair.clone();
        let asked = settings.clone();
        let mut first = true;
        let before = self.taken_over.get_value();
        let id = self.engine.request_with_pair(
            &pair,
            |id| Command::Generate { id, settings },
            move |reply| {
                if store.taken_over.get_value() != before {
                    return also(reply);
                }
                match reply {
                    Reply::Events { id, events } => {
                        if std::mem::take(&mut first) {
                            store.writing.set(Some(*id));
                            store.begin(store.written_here(&asked));
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

    fn written_here(&self, settings: &Settings) -> Option<Shown> {
        let (pair, device) = (
            self.engine.pair.get_untracked(),
            self.engine.device.get_untracked(),
        );
        pair.zip(device).map(|(pair, device)| Shown {
            settings: settings.clone(),
            pair,
            device,
            recorded: false,
            file: None,
        })
    }

    /// Clears the page for a run.
    pub(super) fn begin(&self, shown: Option<Shown>) {
        self.playhead.pause();
        self.playhead.reset();
        self.arriving.set(None);
        self.run.set(Run::default());
        self.epoch.update(|epoch| *epoch += 1);
        self.shown.set(shown);
        self.events.set_value(Vec::new());
    }

    /// Adds to the run on the page.
    pub(super) fn append(&self, events: &[Event]) {
        self.events
            .update_value(|known| known.extend_from_slice(events));
        self.run
            .update(|run| events.iter().for_each(|event| run.push(event)));
    }

    pub(super) fn refuse(&self, failure: &Failure) {
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

    /// Ends the run that is being written, or is to be.
    pub fn stop(&self) {
        self.wanted.set(false);
        if let Some(id) = self.writing.get_untracked() {
            self.engine.stop(id);
        }
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
