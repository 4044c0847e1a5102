//! Proof: why nothing is lost, the test of it, and what the test says of famous mistakes.

use leptos::prelude::*;

/// The scene.
#[component]
pub fn Proof() -> impl IntoView {
    view! { <h2>"Why the ink is exact"</h2> }
}
