//! The throw on the page: which one, once more, step by step; and many at once.

use std::iter;

use couplet_playback::{decimal, grouped, tr};
use couplet_protocol::MAX_SEED;
use couplet_speculation::couplings::Coupling;
use leptos::prelude::*;

use super::clock::STEPS;
use super::exhibit::{Cells, use_exhibit};
use super::mechanism::newly;
use super::throwing::{Board, ON_REQUEST, Throwing};
use crate::heard::{Heard, STEP};
use crate::language::{filled, slot};
use crate::stage::error_line;

/// The bar between the distributions and the cards.
#[component]
pub fn Throws() -> impl IntoView {
    let exhibit = use_exhibit();
    // What a step comes to is heard; a throw that plays says only how it ended, and one that other
    // distributions change says nothing.
    let (by_hand, asked) = (RwSignal::new(false), RwSignal::new(false));
    Effect::new(move |_| {
        exhibit.exact.track();
        exhibit.seed.track();
        asked.set(false);
    });
    let step = move |_| {
        by_hand.set(true);
        asked.set(true);
        if !exhibit.clock.step() {
            exhibit.trial.update(|trial| *trial = trial.wrapping_add(1));
            exhibit.clock.rewind();
        }
    };
    let busy = move || {
        let busy = |board: Board| matches!(board.state.get(), Throwing::UnderWay(_));
        exhibit.boards.into_iter().any(busy)
    };
    // What becomes of many is shown on each card, and heard here once for all of them.
    let heard = Signal::derive(move || {
        let states = exhibit.boards.map(|board| board.state.get());
        if states.contains(&Throwing::UnderWay(ON_REQUEST)) {
            return Some(tr!("throwing {} pairs…", grouped(ON_REQUEST as usize)));
        }
        let failed = states.into_iter().find_map(|state| match state {
            Throwing::Failed(said) => Some(said.now()),
            _ => None,
        });
        let trials = |board: Board| {
            let measured = board.measured.get();
            measured.map_or(0, |measured| measured.trials)
        };
        let least = exhibit.boards.into_iter().map(trials).min();
        // What is thrown by itself, at every change of the distributions, is less.
        let asked = least.filter(|trials| *trials >= ON_REQUEST).map(|trials| {
            let measured = tr!("measured, {} pairs", grouped(trials as usize));
            let rates = Coupling::ALL.into_iter().zip(exhibit.boards);
            let rates: Vec<String> = rates
                .filter_map(|(coupling, board)| {
                    let rate = board.measured.get()?.rate();
                    Some(format!("{} {}", short_title(coupling), decimal(rate, 3)))
                })
                .collect();
            format!("{measured}: {}", rates.join(", "))
        });
        failed.or(asked)
    });
    // Nothing of a throw changes while its clock goes on.
    let throws = Coupling::ALL.map(|coupling| Memo::new(move |_| exhibit.drawn(coupling)));
    let stands = Signal::derive(move || {
        let at = exhibit.clock.at.get();
        (by_hand.get() && at < 1.0).then(|| {
            let step = (at * STEPS as f64).round();
            let heading = tr!("Throw {}, step {} of {}", exhibit.trial.get(), step, STEPS);
            let newly = Coupling::ALL
                .into_iter()
                .zip(throws)
                .filter_map(|(coupling, drawn)| drawn.with(|drawn| newly(coupling, drawn, at)));
            let said: Vec<String> = iter::once(heading).chain(newly).collect();
            format!("{}.", said.join(". "))
        })
    });
    // Spoken once a throw is decided.
    let said = move || {
        (exhibit.clock.at.get() >= 1.0).then(|| {
            let exact = exhibit.exact.get();
            let (seed, trial) = (exhibit.seed.get(), exhibit.trial.get());
            let agreeing: Vec<String> = Coupling::ALL
                .into_iter()
                .filter(|coupling| exact.pair.sample(*coupling, seed, trial).agrees())
                .map(short_title)
                .collect();
            match agreeing.as_slice() {
                [] => tr!("In this throw the two differ under all four."),
                all if all.len() == Coupling::ALL.len() => {
                    tr!("In this throw the two agree under all four.")
                }
                [one] => tr!("In this throw the two agree under {one} only.", one),
                [names @ .., last] => tr!(
                    "In this throw the two agree under {names} and {last}.",
                    names = names.join(", "),
                    last
                ),
            }
        })
    };
    let number = view! { <b class="figures">{move || exhibit.trial.get()}</b> };
    let throw = filled(&tr!("throw {}", slot(0)), [number.into_any()]);
    let many = tr!("Throw {} pairs", grouped(ON_REQUEST as usize));
    view! {
        <section class="throws" aria-label=tr!("Throws")>
            // On a phone a bar under the cards, which stand far below the rest.
            <div class="throw-bar">
                <button type="button" class="button primary" data-testid="throw-again" on:click=move |_| {
                    by_hand.set(false);
                    asked.set(true);
                    exhibit.throw_again();
                }>
                    {tr!("Throw again")}
                </button>
                <button type="button" class="button" data-testid="throw-step" on:click=step>{tr!("Step")}</button>
                <p class="muted throw-number">{throw}</p>
            </div>
            <SeedField />
            <p class="serif throw-said" role="status" aria-live=move || if asked.get() { "polite" } else { "off" } data-testid="throw-said">{said}</p>
            <Heard said=stands waits=STEP testid="throw-heard" />
            <Heard said=heard known=true />
            <div class="throws-end">
                <div class="segments" role="group" aria-label=tr!("What the cells show, in hundredths") title=tr!("What the cells show, in hundredths")>
                    {[(Cells::Exact, tr!("cells: exact %")), (Cells::Measured, tr!("measured %"))]
                        .map(|(cells, name)| {
                            view! {
                                <button type="button" aria-pressed=move || if exhibit.cells.get() == cells { "true" } else { "false" }
                                    on:click=move |_| exhibit.cells.set(cells)>
                                    {name}
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
                <button type="button" class="button" data-testid="throw-many" aria-disabled=move || busy().to_string()
                    on:click=move |_| if !busy() { exhibit.throw_many(ON_REQUEST) }>
                    {many}
                </button>
            </div>
        </section>
    }
}

fn short_title(coupling: Coupling) -> String {
    match coupling {
        Coupling::Independent => tr!("independent draws"),
        Coupling::MinHash => "MinHash".to_owned(),
        Coupling::Gumbel => "Gumbel".to_owned(),
        Coupling::Optimal => tr!("optimal overlap"),
    }
}

#[component]
fn SeedField() -> impl IntoView {
    let exhibit = use_exhibit();
    let text = RwSignal::new(exhibit.seed.get_untracked().to_string());
    let read = move || {
        text.get()
            .trim()
            .parse::<u64>()
            .ok()
            .filter(|seed| *seed <= MAX_SEED)
    };
    let bad = Memo::new(move |_| read().is_none());
    let input = move |event| {
        text.set(event_target_value(&event));
        if let Some(seed) = untrack(read)
            && seed != exhibit.seed.get_untracked()
        {
            exhibit.seed.set(seed);
        }
    };
    view! {
        <div class="field throw-seed">
            <label for="throw-seed">{tr!("seed")}</label>
            <input id="throw-seed" data-testid="throw-seed" inputmode="numeric" prop:value=move || text.get() on:input=input
                aria-invalid=move || bad.get().then_some("true") aria-describedby="throw-seed-error" />
            {error_line("throw-seed", Signal::derive(move || bad.get().then(|| tr!("write a whole number, 0 to {}", MAX_SEED))))}
        </div>
    }
}
