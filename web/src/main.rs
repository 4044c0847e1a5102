//! The page: draws what the engine states, in a browser that may or may not have one.

mod api;
mod app;
mod couplings;
mod dialog;
mod engine_client;
mod errors;
mod form;
mod header;
mod help;
mod lessons;
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
mod width;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
    if let Some(shell) = leptos::prelude::document().get_element_by_id("shell") {
        shell.remove();
    }
}
