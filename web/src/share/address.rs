//! The address line follows what the page shows, so that copying it copies the state.

use std::time::Duration;

use leptos::prelude::*;

use super::link;
use crate::permalink;
use crate::store::Store;

/// The address waits until nobody moves: browsers slow pages down that change it all the time.
const STILL: Duration = Duration::from_millis(400);

/// Has the address follow from now on.
pub fn follow(store: Store) {
    let pending = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move |_| {
        let view = link::current(store);
        let playing = store.playhead.playing.get();
        if let Some(handle) = pending.get_value() {
            handle.clear();
        }
        if playing {
            return;
        }
        let write = move || {
            // The address still names a run that has not come, or a run from a file, which no
            // address can bring back.
            let settings = store.shown.with_untracked(|shown| {
                let own = shown.as_ref().filter(|shown| shown.file.is_none());
                own.map(|shown| shown.settings.clone())
            });
            let waits =
                store.is_arriving() || store.linked.get_untracked() || store.wanted.get_untracked();
            let form = untrack(|| store.form.read()).ok();
            let known = settings
                .filter(|_| !waits)
                .filter(|settings| form.as_ref() == Some(settings));
            let keep = |view_now: &mut permalink::View, view: permalink::View| {
                (view_now.lesson, view_now.step) = (view.lesson, view.step);
                (view_now.example, view_now.part) = (view.example, view.part);
            };
            match known {
                Some(settings) => permalink::write_all(&settings, |now| {
                    now.at = view.at;
                    keep(now, view);
                }),
                None => permalink::write_view(false, |now| keep(now, view)),
            }
        };
        pending.set_value(set_timeout_with_handle(write, STILL).ok());
    });
}
