//! Proof: why nothing is lost, the test of it, and what the test says of tempting mistakes.

mod bars;
pub(crate) mod chart;
mod counting;
mod from_stage;
mod museum;
mod pair;
mod rules;
mod slices;
mod state;
mod test;
mod theory;
mod verdict;
mod why;
pub(crate) mod words;

use leptos::prelude::*;

use museum::Gallery;
use test::Test;
use why::Why;

pub use museum::mistake_selector;
pub use pair::Preset;
pub use state::{Argued, ProofState};

/// The scene.
#[component]
pub fn Proof() -> impl IntoView {
    view! {
        <div class="proof">
            <Why />
            <div class="proof-live">
                <div class="proof-column">
                    <Test />
                </div>
                <Gallery />
            </div>
        </div>
    }
}
