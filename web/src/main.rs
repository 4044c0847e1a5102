//! The page: draws what the engine states, in a browser that may or may not have one.

mod api;
mod app;
mod axis;
mod browser;
mod couplings;
mod dialog;
mod engine_client;
mod errors;
mod form;
mod header;
mod heard;
mod help;
mod language;
mod lessons;
mod number_input;
mod permalink;
mod playhead;
mod projector;
mod proof;
mod release;
mod share;
mod speed;
mod stage;
mod store;
mod table;
mod theme;
mod typed_list;
mod unwritten;
mod width;
mod words;

use app::App;
use errors::Said;
use language::Language;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

fn main() {
    console_error_panic_hook::set_once();
    // Without an origin of its own, as in some frames, the page would come without its styles and its
    // engine: `web/inline/release.js`, which tells such frames from files alike, says so in its place.
    let is_file = window().location().protocol().is_ok_and(|it| it == "file:");
    if window().origin() == "null" && !is_file {
        return;
    }
    let language = Language::first();
    match language {
        // Nothing to wait for.
        Language::English => open(language, None),
        // Not the spawner of leptos, which is there once something is mounted.
        language => spawn_local(async move {
            match language.speak().await {
                Ok(()) => open(language, None),
                Err(_) => {
                    // Needs no file, so it cannot fail.
                    let _ = Language::English.speak().await;
                    open(Language::English, Some(Said::new(language::not_had)));
                }
            }
        }),
    }
}

/// Puts the page in the place of the shell, with a sentence above everything if there is one.
fn open(language: Language, message: Option<Said>) {
    mount_to_body(move || view! { <App language=language message=message /> });
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
}
