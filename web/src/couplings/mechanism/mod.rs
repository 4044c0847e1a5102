//! How each coupling draws, from the numbers of the throw on the page.

mod gumbel;
mod independent;
mod minhash;
mod optimal;

use couplet_playback::{spoken, tr};
use couplet_speculation::couplings::{Coupling, Region, Steps};
use leptos::prelude::*;

use super::clock::{Clock, STEPS};
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
    let (label, decided) = (
        title(coupling),
        format!("{}: {}", title(coupling), outcome(drawn)),
    );
    // Who listens is not told how a throw ends before it has, either.
    let label = move || match clock.at.get() >= 1.0 {
        true => decided.clone(),
        false => label.clone(),
    };
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

/// When the draft's and the target's token are decided, on a clock from 0 to 1.
fn decided(drawn: &Drawn) -> [f64; 2] {
    match &drawn.steps {
        Steps::Independent { .. } => independent::DROPS,
        Steps::MinHash { darts, thrown } => minhash::lands(darts, *thrown),
        Steps::Gumbel { clocks } => gumbel::rings(drawn, clocks),
        Steps::Optimal { region, .. } => match region {
            Region::DraftOnly => optimal::DROPS,
            _ => [optimal::DROPS[0]; 2],
        },
    }
}

/// What the step that ended at a time of the clock has decided, for whoever hears it.
pub fn newly(coupling: Coupling, drawn: &Drawn, at: f64) -> Option<String> {
    let title = title(coupling);
    let step = 1.0 / STEPS as f64;
    let label = |token| spoken(&drawn.exact.label(token));
    let (draft, target) = (label(drawn.outcome.draft), label(drawn.outcome.target));
    let newly = decided(drawn).map(|decided| (0.0..step).contains(&(at - decided + 1e-9)));
    Some(match newly {
        [false, false] => return None,
        [true, false] => tr!("{title}: draft {draft}", title, draft),
        [false, true] => tr!("{title}: target {target}", title, target),
        [true, true] => tr!(
            "{title}: draft {draft}, target {target}",
            title,
            draft,
            target
        ),
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::couplings::exhibit::{Exact, Origin};
    use couplet_speculation::couplings::Pair;
    use std::sync::Arc;

    #[test]
    fn every_token_is_said_at_the_step_that_decides_it() {
        let pair = Pair::new(&[0.5, 0.3, 0.2], &[0.2, 0.3, 0.5]).unwrap();
        let exact = Arc::new(Exact {
            labels: ["a", "b", "c"].map(String::from).to_vec(),
            agreement: Coupling::ALL.map(|coupling| pair.agreement(coupling)),
            bound: pair.agreement_bound(),
            distance: pair.total_variation(),
            pair,
            origin: Origin::Edited,
        });
        for coupling in Coupling::ALL {
            for trial in 0..40 {
                let (outcome, steps) = exact.pair.sample_with_steps(coupling, 7, trial);
                let drawn = Drawn {
                    exact: Arc::clone(&exact),
                    outcome,
                    steps,
                };
                let all = decided(&drawn);
                assert!(
                    all.iter().all(|at| 0.0 < *at && *at <= 1.0),
                    "{coupling:?}, {trial}: {all:?}"
                );
                let said: Vec<String> = (0..=STEPS)
                    .filter_map(|step| newly(coupling, &drawn, step as f64 / STEPS as f64))
                    .collect();
                // Each token once, at the step that decides it.
                for (whose, token) in [("draft", outcome.draft), ("target", outcome.target)] {
                    let word = format!("{whose} {}", exact.label(token));
                    let times = said.iter().filter(|said| said.contains(&word)).count();
                    assert_eq!(times, 1, "{coupling:?}, {trial}: {said:?}");
                }
            }
        }
    }
}
