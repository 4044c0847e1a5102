//! The address line follows what the page shows, so that copying it copies the state.

use std::time::Duration;

use leptos::prelude::*;

use super::{Sharing, link};
use crate::permalink::{self, View};
use crate::projector;
use crate::store::Store;

/// The address waits until nobody moves: browsers slow pages down that change it all the time.
const STILL: Duration = Duration::from_millis(400);

/// Has the address follow from now on.
pub fn follow(sharing: Sharing) {
    let store = sharing.store;
    let mut write_soon = debounce(STILL, move |view| write(store, view));
    let moving = move || store.playhead.playing.get();
    Effect::new(move |_| {
        // While the run plays its place is of no interest, the rest of the page is.
        let view = if moving() {
            link::current_but_run(sharing)
        } else {
            link::current(sharing)
        };
        write_soon(view);
    });
}

fn write(store: Store, view: View) {
    // The address may still name a run that has not come, and no address can bring back a run from
    // a file.
    let settings = store.shown.with_untracked(|shown| {
        let own = shown.as_ref().filter(|shown| shown.file.is_none());
        own.map(|shown| shown.settings.clone())
    });
    let waits = store.is_arriving()
        || store.asking.linked.get_untracked()
        || store.asking.wanted.get_untracked();
    let form = untrack(|| store.form.read()).ok();
    let known = settings.filter(|settings| !waits && form.as_ref() == Some(settings));
    let at = view.at;
    // What is hidden is for whoever gets a link: the address keeps what it was opened with, so that a
    // teacher who hides something has it back by loading the page.
    let keep = |now: &mut View| {
        (now.lesson, now.step) = (view.lesson, view.step);
        now.exhibits = view.exhibits;
        (now.letters, now.marks) = (view.letters, view.marks);
        // As it is now: who presses the button does not wait until the address follows.
        now.projector = projector::is_on();
    };
    match known {
        // While a run plays, the browser's Back may lead to the address of the one before it.
        Some(settings) if at.is_some() || permalink::names_another(&settings, &view.branch) => {
            permalink::write_all(&settings, |now| {
                (now.at, now.pick) = (at, view.pick);
                (now.branch, now.left) = (view.branch.clone(), view.left.clone());
                keep(now);
            });
        }
        _ => permalink::write_view(false, keep),
    }
}
