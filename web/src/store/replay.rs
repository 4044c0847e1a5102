//! Runs that come from elsewhere, and those that they took the place of.

use std::sync::Arc;

use couplet_protocol::Trace;
use leptos::prelude::*;

use super::versions::KeptVersions;
use super::writing::CUT_OFF;
use super::{Scene, Shown, Store};
use crate::form::Texts;
use crate::permalink;

/// How many runs are kept that were taken off the page.
const MOST_ASIDE: usize = 4;

/// A run that was taken off the page, with all that is needed to put it back.
#[derive(Clone, Debug)]
pub struct Aside {
    id: u32,
    /// Whether anything of it was written here, or in the form beside it; a file can be opened again.
    own: bool,
    trace: Trace,
    shown: Shown,
    at: usize,
    form: Texts,
    versions: KeptVersions,
}

impl Store {
    /// Opens a part of the page; the browser's Back button leads back.
    pub fn open_scene(&self, scene: Scene) {
        if self.scene.get_untracked() == scene {
            return;
        }
        permalink::write_view(true, |view| {
            view.scene = scene;
            view.exhibits = permalink::Exhibits::default();
        });
        self.scene.set(scene);
    }

    /// Shows a run that is complete. Whatever the page showed before can be brought back, and a
    /// run that is still being written is stopped.
    ///
    /// `file` names the file that it comes from; without one it came with the page. Returns the
    /// number of what can be brought back, where there was something.
    pub fn replay(&self, trace: Trace, file: Option<String>) -> Option<u32> {
        // A lesson gives back by itself what stood in the form.
        let says_shown = |shown: &Shown| self.form_says(&shown.settings.as_used());
        let is_own = || !self.form_is_untouched();
        let typed = file.is_some()
            && is_own()
            && !self
                .shown
                .with_untracked(|shown| shown.as_ref().is_some_and(says_shown));
        let kept = self.keep_aside(self.form.texts(), typed);
        self.stop();
        self.form.write(&trace.settings);
        // What came with the page is nobody's wish.
        if file.is_none() {
            self.usual.set_value(trace.settings.clone());
        }
        self.put(
            Shown {
                settings: trace.settings.clone(),
                branch: trace.branch.clone(),
                pair: Arc::new(trace.pair.clone()),
                device: trace.device.clone(),
                recorded: true,
                file,
            },
            &trace,
        );
        kept
    }

    /// Goes back to a form that another run's took the place of, and to the recording of its pair;
    /// `wanted` asks for the run that it was about to ask for.
    pub fn go_back_to(&self, form: &Texts, wanted: bool) {
        self.form.put(form);
        if let Ok(settings) = untrack(|| self.form.read()) {
            permalink::write(&settings, None);
        }
        self.open_recording(form.pair());
        if wanted {
            self.generate();
        }
    }

    fn put(&self, shown: Shown, trace: &Trace) {
        self.asking.count();
        // What a run still has to say that was under way is not about this one.
        self.taken_over.update_value(|count| *count += 1);
        self.asking.writing.update(Vec::clear);
        self.begin(Some(shown));
        self.append(&trace.events);
        // A file may hold a run that was still being written.
        if self.run.with_untracked(|run| run.finished().is_none()) {
            self.run.update(|run| run.push(&CUT_OFF));
        }
    }

    /// Keeps the run on the page, if it is one that cannot be had again by a click; returns its
    /// number.
    pub(super) fn set_aside(&self) -> Option<u32> {
        self.keep_aside(self.form.texts(), false)
    }

    /// The same, with its own settings in the form, which is about another one by now.
    pub(super) fn set_aside_by_itself(&self) -> Option<u32> {
        let settings = self
            .shown
            .with_untracked(|shown| shown.as_ref().map(|it| Texts::from(&it.settings)));
        self.keep_aside(settings?, false)
    }

    /// Keeps the run on the page with a form, for the sake of that too if somebody has `typed` there.
    fn keep_aside(&self, form: Texts, typed: bool) -> Option<u32> {
        let shown = self.shown.get_untracked()?;
        let own = self.versions.has_own() || !shown.recorded || typed;
        if !own && shown.file.is_none() {
            return None;
        }
        let mut trace = self.record()?;
        // What it still had to say is stopped.
        if self.run.with_untracked(|run| run.finished().is_none()) {
            trace.events.push(CUT_OFF);
        }
        // Where another pair has been chosen, the form is about that one already.
        let form = match form.pair() == shown.settings.pair {
            true => form,
            false => Texts::from(&shown.settings),
        };
        self.taken_off.update_value(|count| *count += 1);
        let id = self.taken_off.get_value();
        let aside = Aside {
            id,
            own,
            trace,
            form,
            shown,
            at: self.playhead.at.get_untracked(),
            versions: self.versions.keep(),
        };
        self.aside.update(|all| {
            all.retain(|old| old.own);
            all.push(aside);
            if all.len() > MOST_ASIDE {
                // Whichever was taken off first, wherever it stands.
                let first = all.iter().map(|old| old.id).min();
                all.retain(|old| Some(old.id) != first);
            }
        });
        Some(id)
    }

    /// Puts the run with this number back, where it still is the one that was taken off the page
    /// last: somebody may have wanted it gone.
    /// Tells whether it was.
    pub fn bring_back_if_last(&self, id: u32) -> bool {
        let last = |all: &Vec<Aside>| all.last().is_some_and(|aside| aside.id == id);
        let is_last = self.aside.with_untracked(last);
        if is_last {
            self.bring_back();
        }
        is_last
    }

    /// Takes the run off the page; what was written of it can be brought back.
    pub fn take_off(&self) {
        self.asking.count();
        self.set_aside();
        self.stop();
        self.begin(None);
    }

    /// Puts a run back that was taken off the page, and what had branched from it: the last one
    /// first, and then the others in turn.
    pub fn bring_back(&self) {
        let Some(aside) = self.aside.try_update(Vec::pop).flatten() else {
            return;
        };
        // What was written here meanwhile changes places with it.
        let is_written_here = |shown: &Shown| !shown.recorded;
        if self.versions.has_own()
            || self
                .shown
                .with_untracked(|shown| shown.as_ref().is_some_and(is_written_here))
        {
            self.set_aside();
            // As the first: every one that is kept comes before it does again.
            self.aside.update(|all| all.rotate_right(1));
        }
        self.stop();
        self.form.put(&aside.form);
        permalink::write(&aside.shown.settings, aside.shown.branch.as_ref());
        self.keep_unwritten(&aside.shown.settings);
        self.put(aside.shown, &aside.trace);
        self.versions.bring_back(aside.versions);
        self.playhead.go(aside.at);
    }
}
