//! The page as a whole: header, trouble, the one scene there is, keys.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::errors::Notices;
use crate::header::Header;
use crate::help::Help;
use crate::stage::Stage;
use crate::store::Store;
use crate::{api, permalink};

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::new(permalink::read());
    provide_context(store);
    api::install(store);
    let help = RwSignal::new(false);
    let listener = window_event_listener(ev::keydown, move |event| on_key(store, help, &event));
    on_cleanup(move || listener.remove());
    view! {
        <a class="skip" href="#manuscript">"Skip to the text"</a>
        <Header help=help />
        <main>
            <Notices />
            <Stage />
        </main>
        <Help open=help />
    }
}

fn on_key(store: Store, help: RwSignal<bool>, event: &KeyboardEvent) {
    if event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
        || event.default_prevented()
        || help.get_untracked()
    {
        return;
    }
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let within = |selector: &str| {
        element
            .as_ref()
            .is_some_and(|element| element.closest(selector).ok().flatten().is_some())
    };
    if within("input, textarea, select, [contenteditable], dialog") {
        return;
    }
    let playhead = store.playhead;
    match (event.key().as_str(), event.shift_key()) {
        (" ", _) if within("button, summary, a") => return,
        (" ", _) => store.play_or_pause(),
        ("ArrowRight", false) => playhead.step(true),
        ("ArrowLeft", false) => playhead.step(false),
        ("ArrowRight", true) | ("]", _) => playhead.round(true),
        ("ArrowLeft", true) | ("[", _) => playhead.round(false),
        ("Home", _) => playhead.go(0),
        ("End", _) => playhead.end(),
        ("?", _) => help.set(true),
        _ => return,
    }
    event.prevent_default();
}
