//! Recorded runs: something to watch before any weight has arrived.

use std::sync::Arc;

use couplet_protocol::{Settings, Trace};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Shown, Store};
use crate::browser;
use crate::playhead::wants_stillness;

/// One of the runs that come with a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// With a draft: the one that plays first.
    Speculative,
    /// The target alone: with nothing drafted.
    Alone,
}

impl Recording {
    fn file(self) -> &'static str {
        match self {
            Self::Speculative => "recording.json",
            Self::Alone => "recording-alone.json",
        }
    }
}

/// How long a page that was opened by a link waits with the recording of another run: models
/// that are at hand need no longer, and nothing then flashes by.
const GRACE_MS: u32 = 1000;

/// How often a recording that waits looks whether it is its turn.
const PATIENCE_MS: u32 = 50;

impl Store {
    /// Fetches a pair's recording and plays it, unless the page has something better by then.
    pub fn open_recording(&self, pair: &str) {
        let store = *self;
        let pair = pair.to_owned();
        store.watched.set_value(store.form.edits.get_untracked());
        spawn_local(async move {
            let linked = store.asking.linked.get_untracked();
            let asked = untrack(|| store.form.read()).ok().filter(|_| linked);
            let alone = match asked.is_some_and(|asked| asked.gamma == 0) {
                true => fetch(&pair, Recording::Alone).await.ok(),
                false => None,
            };
            let fetched = match alone {
                Some(alone) => Ok(alone),
                None => fetch(&pair, Recording::Speculative).await,
            };
            let trace = match fetched {
                Ok(trace) => trace,
                // A pair without a recording lacks nothing that a person must know.
                Err(why) => return leptos::logging::warn!("no recording of {pair}: {why}"),
            };
            if store.asking.linked.get_untracked() {
                // The recording may be the run that the link asks for.
                let is_it = untrack(|| store.form.read()).as_ref() == Ok(&trace.settings);
                if !(is_it && store.asking.answer()) {
                    TimeoutFuture::new(GRACE_MS).await;
                }
            }
            // A run that the choice of this pair stopped has yet to end.
            while store.is_chosen(&pair) && !store.asking.writing.with_untracked(Vec::is_empty) {
                TimeoutFuture::new(PATIENCE_MS).await;
            }
            if store.lacks_run_of(&pair) {
                store.show_recording(trace);
            }
        });
    }

    /// Whether the page shows no run of this pair, though it is the chosen one.
    fn lacks_run_of(&self, pair: &str) -> bool {
        let shown = self
            .shown
            .with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.pair.name == pair));
        self.is_chosen(pair) && !shown
    }

    fn is_chosen(&self, pair: &str) -> bool {
        self.form.pair.with_untracked(|chosen| chosen == pair)
    }

    fn show_recording(&self, trace: Trace) {
        self.set_aside();
        if !self.asking.linked.get_untracked() && self.form_is_untouched() {
            self.form.write(&trace.settings);
            self.usual.set_value(trace.settings.clone());
        }
        self.begin(Some(Shown {
            settings: trace.settings,
            branch: trace.branch,
            pair: Arc::new(trace.pair),
            device: trace.device,
            recorded: true,
            file: None,
        }));
        self.append(&trace.events);
        // Whoever has changed a setting since it was asked for is done with watching.
        let is_edited = self.watched.get_value() != self.form.edits.get_untracked();
        if self.asking.linked.get_untracked() {
            self.playhead.play();
        } else if self.is_awaited() || !(is_edited || wants_stillness()) {
            // Nobody pressed Play: whoever wants less movement does that first.
            self.play_or_arrive();
        }
        self.playhead.unasked.set_value(true);
    }

    /// Whether the form still says what the page wrote there, the choice of pair aside.
    pub(super) fn form_is_untouched(&self) -> bool {
        let Ok(form) = untrack(|| self.form.read()) else {
            return false;
        };
        let usual = self.usual.get_value();
        self.is_usual_prompt(&form.prompt)
            && form
                == Settings {
                    pair: form.pair.clone(),
                    prompt: form.prompt.clone(),
                    ..usual
                }
    }

    /// Whether a recording is on the page.
    pub fn recorded(&self) -> bool {
        self.shown
            .with(|shown| shown.as_ref().is_some_and(|shown| shown.recorded))
    }

    /// Whether a person has taken hold of a recording: paused it or stepped through it.
    pub(super) fn recording_is_held(&self) -> bool {
        let stands = !self.playhead.playing.get_untracked();
        let at = self.playhead.at.get_untracked();
        let inside = at > 0 && self.run.with_untracked(|run| at < run.steps().len());
        untrack(|| self.recorded()) && stands && inside
    }
}

/// A recording of a pair.
///
/// # Errors
///
/// Why there is none, in a clause in English.
pub async fn fetch(pair: &str, recording: Recording) -> Result<Trace, String> {
    let file = recording.file();
    let bytes = browser::fetch(&format!("pairs/{pair}/{file}")).await?;
    let trace = Trace::from_json(&String::from_utf8_lossy(&bytes))?;
    if trace.settings.pair != pair || trace.pair.name != pair {
        return Err(format!("it is one of {}", trace.settings.pair));
    }
    Ok(trace)
}
