//! What the test says, in print.

use couplet_playback::{grouped, tr};
use couplet_speculation::ChiSquare;
use leptos::prelude::*;

use super::words::{p_value, statistic};

/// "χ² = 774, 5 df, p < 10⁻¹⁶⁴".
pub fn figures(test: &ChiSquare) -> impl IntoView + use<> {
    let line = tr!(
        "χ² = {}, {} df",
        statistic(test.statistic),
        grouped(test.degrees_of_freedom)
    );
    let exact = test.is_binomial.then(|| format!(" {}", tr!("(exact)")));
    view! { {line}", "{p_value(test.p_value)}{exact} }
}

/// A white cross for ink blocks.
pub fn cross() -> impl IntoView {
    view! {
        <svg class="cross" width="15" height="15" viewBox="-7 -7 14 14" aria-hidden="true">
            <path d="M-5-5L5 5M5-5L-5 5" />
        </svg>
    }
}
