//! Couplings: ways for two distributions to share chance.

use leptos::prelude::*;

/// The scene.
#[component]
pub fn Couplings() -> impl IntoView {
    view! { <h2>"How often can two draws agree?"</h2> }
}
