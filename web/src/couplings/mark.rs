//! The mark of each coupling: shape first, colour second.

use couplet_speculation::couplings::Coupling;
use leptos::prelude::*;

/// A coupling's mark inside a drawing, centred on a point.
pub fn mark_at(coupling: Coupling, x: f64, y: f64) -> impl IntoView {
    let (class, path) = shape(coupling);
    let transform = format!("translate({x:.1} {y:.1})");
    view! { <path class=class d=path transform=transform /> }
}

/// A coupling's mark in running text.
pub fn mark_icon(coupling: Coupling) -> impl IntoView {
    view! {
        <svg class="icon" width="16" height="16" viewBox="-9 -9 18 18" aria-hidden="true">
            {mark_at(coupling, 0.0, 0.0)}
        </svg>
    }
}

fn shape(coupling: Coupling) -> (&'static str, &'static str) {
    match coupling {
        Coupling::Independent => (
            "coupling independent",
            "M6.5 0A6.5 6.5 0 1 1-6.5 0A6.5 6.5 0 1 1 6.5 0",
        ),
        Coupling::MinHash => ("coupling minhash", "M-6-6H6V6H-6Z"),
        Coupling::Gumbel => ("coupling gumbel", "M0-8L8 6H-8Z"),
        Coupling::Optimal => ("coupling optimal", "M7 0A7 7 0 1 1-7 0A7 7 0 1 1 7 0"),
    }
}
