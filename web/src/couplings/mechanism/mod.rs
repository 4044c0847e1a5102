//! How each coupling draws, from the numbers of the throw on the page.

mod gumbel;
mod independent;
mod minhash;
mod optimal;

use couplet_speculation::couplings::{Coupling, Region, Steps};
use leptos::prelude::*;
use tr::tr;

use super::clock::Clock;
use super::exhibit::Drawn;
use super::line::title;

/// Width of every drawing.
const WIDTH: f64 = 300.0;
/// Height of every drawing.
const HEIGHT: f64 = 136.0;

/// The throw, drawn as far as the clock is.
pub fn drawing(coupling: Coupling, drawn: &Drawn, clock: Clock) -> AnyView {
    let inner = match &drawn.steps {
        Steps::Independent {
            draft_number,
            target_number,
        } => independent::drawing(drawn, [*draft_number, *target_number], clock).into_any(),
        Steps::MinHash { darts, thrown } => {
            minhash::drawing(drawn, darts, *thrown, clock).into_any()
        }
        Steps::Gumbel { clocks } => gumbel::drawing(drawn, clocks, clock).into_any(),
        Steps::Optimal {
            height,
            region,
            residual_number,
            ..
        } => {
            let residual = residual_number.filter(|_| *region == Region::DraftOnly);
            optimal::drawing(drawn, *height, residual, clock).into_any()
        }
    };
    let label = format!("{}: {}", title(coupling), outcome(drawn));
    view! {
        <svg class="mechanism" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
            {inner}
        </svg>
    }
    .into_any()
}

/// The throw in words.
pub fn outcome(drawn: &Drawn) -> String {
    let (draft, target) = (
        drawn.exact.label(drawn.outcome.draft),
        drawn.exact.label(drawn.outcome.target),
    );
    let agrees = drawn.outcome.agrees();
    match &drawn.steps {
        Steps::Independent { .. } if agrees => tr!("both land on {draft}, by luck", draft),
        Steps::Independent { .. } => {
            tr!(
                "draft lands on {draft}, target on {target}: they differ",
                draft,
                target
            )
        }
        Steps::MinHash { darts, thrown } => minhash::outcome(drawn, darts, *thrown),
        Steps::Gumbel { .. } if agrees => {
            tr!(
                "the clock of {draft} rings first in both races: both {draft}",
                draft
            )
        }
        Steps::Gumbel { .. } => {
            tr!(
                "{draft} rings first for the draft, {target} for the target: they differ",
                draft,
                target
            )
        }
        Steps::Optimal { .. } if agrees => {
            tr!("the needle lands on what both have: both {draft}", draft)
        }
        Steps::Optimal { .. } => {
            tr!(
                "the needle lands outside: draft {draft}, target {target}",
                draft,
                target
            )
        }
    }
}

/// A segment's letter, if it fits.
fn fits(label: &str, width: f64) -> bool {
    width >= 5.0 + 7.5 * label.chars().count() as f64
}

/// A needle that drops once the clock reaches `after`; `length` is how far it goes down.
fn needle(x: f64, y: f64, length: f64, after: f64, clock: Clock) -> impl IntoView {
    view! {
        <g class="needle" class:away=move || clock.at.get() < after>
            <path class="needle-line" d=format!("M{x:.1} {:.1}v{length}", y) />
            <path class="needle-point" d=format!("M{x:.1} {:.1}l-5-8h10z", y + 3.0) />
        </g>
    }
}
