//! "Why the ink is exact": the argument in three steps.

mod chooser;
mod panels;

use leptos::prelude::*;

use crate::lessons::{Cover, Covered, covered};
use crate::proof::pair::{NOTHING, ProofPair};
use crate::proof::state::use_proof;
use crate::proof::words::{capital, count_word, plural};
use crate::store::{Notation, use_store};
use crate::table::{Numbers, Table};
use chooser::Chooser;
use panels::panel;

const TITLES: [&str; 3] = [
    "1. The draft guesses",
    "2. Accept what the target allows",
    "3. Pour the rejected mass back",
];

/// The section.
#[component]
pub fn Why() -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    let covered = covered(Covered::Numbers);
    let panels = move || {
        let pair = proof.pair.get();
        let shown = proof.step.get();
        (1..=3)
            .zip(TITLES)
            .map(|(step, title)| {
                let drawn = step <= shown;
                let words = drawn.then(|| sentence(&pair, step, store.notation.get()));
                view! {
                    <div class="why-panel" class:current=step == shown data-testid=format!("why-{step}")>
                        <h3>{title}</h3>
                        {panel(&pair, step, drawn, !covered.get())}
                        {(!covered.get()).then_some(view! { <p class="why-say">{words}</p> })}
                    </div>
                }
            })
            .collect_view()
    };
    view! {
        <section class="card why" data-testid="why" aria-labelledby="why-title">
            <header>
                <div>
                    <h2 id="why-title">"Why the ink is exact"</h2>
                    <p class="muted">
                        {move || format!(
                            "The draft steals from some {0}s and lavishes on others. Every stolen bit is handed back, to the {0}s it was taken from.",
                            proof.pair.with(noun),
                        )}
                    </p>
                </div>
                <p class="formula">{move || identity(store.notation.get())}</p>
            </header>
            <Chooser>
                <Steps />
            </Chooser>
            <div class="why-panels">{panels}</div>
            <Cover what=Covered::Numbers>
                <Numbers content=Signal::derive(move || steps_table(&proof.pair.get(), store.notation.get())) />
            </Cover>
        </section>
    }
}

/// How far the argument is drawn.
#[component]
fn Steps() -> impl IntoView {
    let proof = use_proof();
    view! {
        <div class="why-steps">
            <span class="muted" id="why-steps">"Step by step"</span>
            <div class="segments" role="group" aria-labelledby="why-steps">
                {["Guess", "Accept", "Pour back"]
                    .into_iter()
                    .zip(1..)
                    .map(|(title, step)| {
                        view! {
                            <button type="button" data-testid=format!("why-step-{step}")
                                aria-pressed=move || (proof.step.get() == step).to_string()
                                on:click=move |_| proof.step.set(step)>
                                {format!("{step} {title}")}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
    }
}

/// What a bar stands for.
fn noun(pair: &ProofPair) -> &'static str {
    pair.kind
}

fn identity(notation: Notation) -> impl IntoView {
    view! {
        <em class="t">{notation.target()}</em>"("<em>"x"</em>") = min("<em class="d">{notation.draft()}</em>", "
        <em class="t">{notation.target()}</em>")("<em>"x"</em>") + TV · "<em class="r">"residual"</em>"("<em>"x"</em>")"
    }
}

fn sentence(pair: &ProofPair, step: usize, notation: Notation) -> AnyView {
    let decimals = pair.decimals();
    let number = |value: f64| view! { <b>{format!("{value:.decimals$}")}</b> };
    let (kept, lost) = (pair.overlap(), pair.total_variation());
    let ratio = view! {
        "min(1, "<em class="t">{notation.target()}</em>"/"<em class="d">{notation.draft()}</em>")"
    };
    let equal = lost < NOTHING;
    let disjoint = kept < NOTHING;
    match step {
        1 if equal => "The draft’s guess is the target already: nothing gets too much, nothing too little, and the total variation is 0."
            .into_any(),
        1 => {
            let off = || pair.draft.iter().zip(&pair.target).map(|(draft, target)| draft - target);
            let few = off().filter(|off| *off < -NOTHING).count();
            let many = off().filter(|off| *off > NOTHING).count();
            view! {
                {format!("{} {} {} too little\u{a0}", capital(&count_word(few)), plural(noun(pair), few), if few == 1 { "gets" } else { "get" })}
                <b class="on-target">"−"</b>
                {format!(", {} hatched {} too much\u{a0}", count_word(many), if many == 1 { "one" } else { "ones" })}
                <b class="on-draft">"+"</b>
                ". Both add to "{number(lost)}", the total variation."
            }
            .into_any()
        }
        2 if equal => view! { {ratio}" is 1 everywhere: all of it is accepted, and nothing is rejected." }.into_any(),
        2 if disjoint => view! {
            {ratio}" is 0 for everything that the draft proposes: nothing is accepted, "{number(lost)}" is rejected."
        }
        .into_any(),
        2 => view! {
            {ratio}" trims each bar to the smaller one. "{number(kept)}" is accepted, "{number(lost)}" is rejected."
        }
        .into_any(),
        _ if equal => "Nothing was stolen, so there is nothing to hand back: the residual has no mass and is never drawn from."
            .into_any(),
        _ if disjoint => "All of it is poured back: the residual is the target itself, and every bar ends at the target line."
            .into_any(),
        _ => view! {
            {format!(
                "The residual fills exactly the gaps: {kept:.decimals$} + {lost:.decimals$} = 1, and every bar ends at the target line.",
            )}
        }
        .into_any(),
    }
}

fn steps_table(pair: &ProofPair, notation: Notation) -> Table {
    let head = [
        "",
        notation.draft(),
        notation.target(),
        "accepted",
        "rejected",
        "poured back",
        "comes out",
    ];
    let print = |value: f64| format!("{value:.4}");
    let mut sums = [0.0; 6];
    let mut rows: Vec<Vec<String>> = pair
        .tokens
        .iter()
        .zip(pair.draft.iter().zip(&pair.target))
        .map(|(token, (draft, target))| {
            let kept = draft.min(*target);
            let poured = (target - draft).max(0.0);
            let cells = [*draft, *target, kept, draft - kept, poured, kept + poured];
            for (sum, cell) in sums.iter_mut().zip(cells) {
                *sum += cell;
            }
            std::iter::once(token.clone())
                .chain(cells.map(print))
                .collect()
        })
        .collect();
    rows.push(
        std::iter::once("sum".to_owned())
            .chain(sums.map(print))
            .collect(),
    );
    Table {
        name: "The three steps in numbers",
        head: head.map(str::to_owned).to_vec(),
        rows,
    }
}
