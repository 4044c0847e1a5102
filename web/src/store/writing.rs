//! Runs that the engine writes here.

use std::cell::Cell;

use couplet_playback::Run;
use couplet_protocol::{
    Branch, Command, Event, Failure, FailureKind, FinishReason, Reply, Settings, Trace,
};
use leptos::prelude::*;

use super::versions::Origin;
use super::{Asked, AskedFrom, Shown, Store};
use crate::engine_client::{EngineState, reply_id};
use crate::errors::Said;
use crate::form::FieldError;
use crate::permalink::{self, Left};
use crate::unwritten;

impl Store {
    /// Writes a new text with the settings of the form and plays it; what the address asks for, as
    /// long as nobody has changed those.
    pub fn generate(&self) {
        let ready = self.engine.state.get_untracked() == EngineState::Ready;
        match self.asking.linked.get_untracked() {
            true if ready => self.ask_linked(),
            true => self.ask_for(self.asked_branch()),
            false => return self.ask(None),
        }
        self.asking.count();
    }

    /// Writes with the settings of the form, from the prompt on or from the end of a branch, and
    /// plays it; as soon as the engine is ready. A text from the prompt on takes the place of what
    /// is being written.
    pub(super) fn ask(&self, branch: Option<Branch>) {
        let form = untrack(|| self.form.read());
        if form.is_ok() {
            self.asking.count();
        }
        let asked = match (branch, form) {
            (Some(branch), Ok(settings)) => {
                let origin = self.versions.here();
                Some(Asked {
                    branch,
                    from: Some(AskedFrom { settings, origin }),
                    left: None,
                })
            }
            // What a branch leaves is finished first, so that both can be compared to their ends.
            (None, Ok(_)) => {
                self.stop_writing();
                None
            }
            // What waits goes on waiting.
            (_, Err(_)) => return,
        };
        self.ask_for(asked);
    }

    /// Writes what was asked for beside what others have asked for.
    fn ask_for(&self, asked: Option<Asked>) {
        let linked = self.asking.linked.get_untracked();
        if !linked {
            self.arrival.forget_asked();
        }
        self.asking.linked.set(false);
        let from = asked.as_ref().and_then(|asked| asked.from.clone());
        // What waited for the engine is written even if the form is just being corrected.
        let waited = match &asked {
            Some(_) => from.as_ref().map(|from| from.settings.clone()),
            None if self.asking.branch.with_value(Option::is_none) => {
                self.asking.waiting.get_value()
            }
            None => None,
        };
        let form = untrack(|| self.form.read()).ok();
        let Some(settings) = form.or(waited) else {
            self.asking.wanted.set(false);
            return;
        };
        let here = self.versions.here();
        let (origin, settings) = match from {
            // The form has come to be about another version meanwhile.
            Some(from) if from.origin != here => (from.origin, from.settings),
            _ => (here, settings),
        };
        self.form.refused.set(None);
        if let Some(failure) = self.engine.unknown_pair(&settings.pair) {
            self.asking.wanted.set(false);
            self.refuse(&failure);
            return;
        }
        // What was said of the link is still to be read when its run begins.
        if !linked {
            self.message.set(None);
        }
        let branch = asked.as_ref().map(|asked| asked.branch.clone());
        self.asking.branch.set_value(asked);
        if self.engine.state.get_untracked() != EngineState::Ready {
            self.asking.wanted.set(true);
            self.engine.bring(&settings.pair);
            self.asking.waiting.set_value(Some(settings));
            return;
        }
        self.asking.wanted.set(false);
        let beginning = Some((settings.clone(), branch.clone()));
        // Pressed twice before anything of it is there, the same branch comes once.
        if branch.is_some() && self.asking.beginning.get_value() == beginning {
            return;
        }
        self.asking.beginning.set_value(beginning);
        let store = *self;
        let turn = self.turn();
        let started = Cell::new(false);
        let (asked, asked_branch) = (settings.clone(), branch.clone());
        self.write_from(origin, settings, branch, move |reply| {
            let begins = matches!(reply, Reply::Events { events, .. } if begins(events));
            if !started.get() && (begins || is_end(reply)) {
                store.asking.beginning.set_value(None);
            }
            // Another run has taken the page.
            if store.turn() != turn {
                return;
            }
            if begins && !started.replace(true) {
                // Not before: what is refused leaves on the page, and in the address, what was there.
                permalink::write(&asked, asked_branch.as_ref());
                store.keep_unwritten(&asked);
                store.play_or_arrive();
            }
            if let Reply::Failed { failure, .. } = reply
                && !store.form_says(&asked)
            {
                store.refuse_of(failure, &asked);
            }
        });
    }

    /// Writes what the address asks for, or what was wanted before the engine was ready. Where an
    /// address names a branch and the run that it left, that one comes first, and the branch then
    /// stands beside it.
    pub fn ask_linked(&self) {
        let store = *self;
        let Some(Left { settings, branch }) = self.asking.take_left() else {
            return self.ask_for(self.asked_branch());
        };
        self.asking.wanted.set(false);
        let here = self.versions.here();
        self.write_from(here, settings, branch, move |reply| {
            // Unless somebody wanted something else meanwhile.
            if is_end(reply) && store.asking.linked.get_untracked() {
                store.ask_for(store.asked_branch());
            }
        });
        // The run that the address asks for is still to come.
        self.asking.linked.set(true);
    }

    /// The branch that was asked for, unless the form has come to begin another text meanwhile.
    fn asked_branch(&self) -> Option<Asked> {
        let asked = self.asking.branch.get_value()?;
        let begins = untrack(|| [self.form.pair.get(), self.form.prompt.get()]);
        let still = |from: &AskedFrom| {
            let Settings { pair, prompt, .. } = &from.settings;
            [pair, prompt] == begins.each_ref()
        };
        asked.from.as_ref().is_none_or(still).then_some(asked)
    }

    /// Sends a run to the engine and shows it; `also` sees every reply after the page has.
    pub fn write(
        &self,
        settings: Settings,
        branch: Option<Branch>,
        also: impl FnMut(&Reply) + 'static,
    ) {
        self.asking.count();
        self.write_from(self.versions.here(), settings, branch, also);
    }

    fn write_from(
        &self,
        origin: Origin,
        settings: Settings,
        branch: Option<Branch>,
        mut also: impl FnMut(&Reply) + 'static,
    ) {
        self.asking.linked.set(false);
        let store = *self;
        let pair = settings.pair.clone();
        let asked = (settings.clone(), branch.clone());
        let mut version = None;
        let before = self.taken_over.get_value();
        self.engine.request_with_pair(
            &pair,
            |id| {
                store.asking.writing.update(|all| all.push(id));
                Command::Generate {
                    id,
                    settings,
                    branch,
                }
            },
            move |reply| {
                if is_end(reply) {
                    let ended = reply_id(reply);
                    store
                        .asking
                        .writing
                        .update(|all| all.retain(|id| Some(*id) != ended));
                }
                if store.taken_over.get_value() != before {
                    return also(reply);
                }
                match reply {
                    Reply::Events { events, .. } => {
                        let version = *version
                            .get_or_insert_with(|| store.begin_written(&asked, origin, events));
                        if let Some(version) = version {
                            store.append_to(version, events);
                        }
                    }
                    Reply::Failed { failure, .. } => {
                        // What has been written stays, and is all that comes.
                        if let Some(version) = version.flatten() {
                            store.append_to(version, &[CUT_OFF]);
                        }
                        if failure.field.is_none() || store.form_says(&asked.0) {
                            store.refuse(failure);
                        }
                    }
                    _ => {}
                }
                also(reply);
            },
        );
    }

    /// Shows a run whose first events have come, and tells as which version; none where it was
    /// stopped before it began, which leaves the page as it is.
    fn begin_written(
        &self,
        (settings, branch): &(Settings, Option<Branch>),
        origin: Origin,
        events: &[Event],
    ) -> Option<usize> {
        if !begins(events) {
            return None;
        }
        let shown = self.shown_here(settings, branch);
        let parent = shown
            .as_ref()
            .and_then(|shown| self.parent_of(shown, origin));
        match (parent, shown) {
            (Some(parent), Some(shown)) => self.begin_branch(parent, shown),
            (_, shown) => {
                // No link names them all.
                if self.versions.has_own() {
                    // The form is about the new run already.
                    self.set_aside_by_itself();
                }
                self.begin(shown);
            }
        }
        Some(self.versions.current.get_untracked())
    }

    fn shown_here(&self, settings: &Settings, branch: &Option<Branch>) -> Option<Shown> {
        let (pair, device) = (
            self.engine.pair.get_untracked(),
            self.engine.device.get_untracked(),
        );
        pair.zip(device).map(|(pair, device)| Shown {
            settings: settings.clone(),
            branch: branch.clone(),
            pair,
            device,
            recorded: false,
            file: None,
        })
    }

    /// A run that the engine writes here, as a file; none while no pair is loaded.
    pub fn written_here(
        &self,
        settings: &Settings,
        branch: &Option<Branch>,
        events: &[Event],
    ) -> Option<Trace> {
        let shown = self.shown_here(settings, branch)?;
        Some(shown.with_events(events.to_vec()))
    }

    /// Changes when another run takes the place of those that are being written.
    pub fn turn(&self) -> u32 {
        self.taken_over.get_value()
    }

    /// Whether nobody has asked for a run since the one that this reply is about.
    pub fn is_asked_last(&self, reply: &Reply) -> bool {
        let id = reply_id(reply);
        let is_later = |other: &u32| Some(*other) > id;
        self.asking
            .writing
            .with_untracked(|all| !all.iter().any(is_later))
    }

    /// Clears the page for a run that has nothing to do with the one on it.
    pub(super) fn begin(&self, shown: Option<Shown>) {
        self.versions.clear();
        self.clear(shown);
    }

    /// Puts a run without events on the page.
    pub(super) fn clear(&self, shown: Option<Shown>) {
        self.playhead.pause();
        self.playhead.reset();
        self.arrival.clear();
        self.run.set(Run::default());
        self.epoch.update(|epoch| *epoch += 1);
        self.shown.set(shown);
        self.events.set_value(Vec::new());
    }

    /// The events of the run on the page, which then has none.
    pub(super) fn take_events(&self) -> Vec<Event> {
        let mut taken = Vec::new();
        self.events
            .update_value(|events| taken = std::mem::take(events));
        taken
    }

    /// Puts back what a run was left with.
    pub(super) fn restore(&self, events: Vec<Event>, run: Run) {
        self.events.set_value(events);
        self.run.set(run);
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
            None => self.say_by_engine(&failure.sentence),
        }
    }

    /// Tells why what a person asked for with these settings does not come. A field of the form is
    /// only wrong if the form still says the same.
    pub(super) fn refuse_of(&self, failure: &Failure, asked: &Settings) {
        if self.form_says(asked) {
            self.refuse(failure);
        } else if failure.field.is_some() {
            self.say_by_engine(&failure.sentence);
        }
    }

    fn say_by_engine(&self, sentence: &str) {
        let said = Said::ByEngine(sentence.to_owned());
        self.message.set(Some(said));
    }

    pub(super) fn form_says(&self, settings: &Settings) -> bool {
        untrack(|| self.form.read()).as_ref() == Ok(settings)
    }

    /// Has the tab keep what the form says else than the run that the address has come to name.
    pub(super) fn keep_unwritten(&self, named: &Settings) {
        match self.form_says(&named.as_used()) {
            true => unwritten::forget(),
            false => unwritten::keep(&self.form.texts()),
        }
    }

    /// Ends the run that is being written, and all that are to be.
    pub fn stop(&self) {
        self.asking.wanted.set(false);
        // A branch that a link names waits for the run that it left.
        self.asking.linked.set(false);
        self.asking.beginning.set_value(None);
        self.arrival.forget_asked();
        self.stop_writing();
    }

    /// Neither waits for the run that the address asks for nor goes to its place in it.
    pub fn forget_link(&self) {
        self.asking.take_left();
        if self.asking.linked.get_untracked() {
            self.asking.wanted.set(false);
            self.asking.linked.set(false);
            self.arrival.forget_asked();
        }
    }

    fn stop_writing(&self) {
        for id in self.asking.writing.get_untracked() {
            self.engine.stop(id);
        }
    }
}

/// How a run ends whose own end does not come.
pub(super) const CUT_OFF: Event = Event::Finished {
    reason: FinishReason::Stopped,
};

/// Whether events are the first of a run; one that is stopped before has only an end.
fn begins(events: &[Event]) -> bool {
    matches!(events.first(), Some(Event::Started { .. }))
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
