//! The address line follows what the page shows, so that copying it copies the state.

use std::time::Duration;

use couplet_protocol::Settings;
use leptos::prelude::*;

use super::{Sharing, link};
use crate::permalink::{self, View};
use crate::store::Store;
use crate::{language, projector, theme};

/// The address waits until nobody moves: browsers slow pages down that change it all the time.
const STILL: Duration = Duration::from_millis(400);

/// Has the address follow from now on.
pub fn follow(sharing: Sharing) {
    let store = sharing.store;
    let mut write_soon = debounce(STILL, move |view| write(store, view, false));
    Effect::new(move |_| write_soon(view_of(sharing)));
}

/// What the address is to say: while the run plays its place is of no interest, the rest of the page is.
fn view_of(sharing: Sharing) -> View {
    if sharing.store.playhead.playing.get() {
        link::current_but_run(sharing)
    } else {
        link::current(sharing)
    }
}

/// After the browser's Back or Forward: the address names the run on the page even where the form has
/// been edited since, and has no more of what was chosen otherwise during this visit.
pub fn follow_history(sharing: Sharing) {
    if language::was_chosen() {
        permalink::forget_language();
    }
    // Once the page has gone where the address leads.
    let follow = move || write(sharing.store, untrack(|| view_of(sharing)), true);
    set_timeout(follow, STILL);
}

fn write(store: Store, view: View, by_history: bool) {
    // The address may still name a run that has not come, and no address can bring back a run from
    // a file.
    let settings = store.shown.with_untracked(|shown| {
        let own = shown.as_ref().filter(|shown| shown.file.is_none());
        own.map(|shown| shown.settings.as_used())
    });
    let waits = store.is_arriving()
        || store.asking.linked.get_untracked()
        || store.asking.wanted.get_untracked();
    let form = untrack(|| store.form.read()).ok();
    let is_named = |settings: &Settings| {
        form.as_ref() == Some(settings)
            || by_history
                && store
                    .form
                    .pair
                    .with_untracked(|pair| *pair == settings.pair)
    };
    let known = settings.filter(|settings| !waits && is_named(settings));
    let at = view.at;
    // What is hidden is for whoever gets a link: the address keeps what it was opened with, so that a
    // teacher who hides something has it back by loading the page.
    let keep = |now: &mut View| {
        (now.lesson, now.step) = (view.lesson, view.step);
        now.exhibits = view.exhibits;
        (now.letters, now.marks) = (view.letters, view.marks);
        // As it is now: who presses the button does not wait until the address follows.
        now.projector = projector::is_on();
        if theme::was_chosen() {
            now.theme = None;
        }
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
