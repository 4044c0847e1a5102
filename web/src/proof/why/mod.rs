//! "Why the ink is exact": the argument in three steps.

mod chooser;
mod panels;

use couplet_playback::{capital, count_word, decimal, separator, tr};
use couplet_speculation::Pair;
use leptos::prelude::*;

use crate::language::{filled, slot};
use crate::lessons::{Cover, Covered, covered};
use crate::proof::pair::{NOTHING, ProofPair};
use crate::proof::state::use_proof;
use crate::proof::words::share;
use crate::store::{Notation, use_store};
use crate::table::{Numbers, Table};
use crate::words::tied;
use chooser::Chooser;
use panels::panel;

fn titles() -> [String; 3] {
    [
        tr!("1. The draft guesses"),
        tr!("2. Accept what the target allows"),
        tr!("3. Pour the rejected mass back"),
    ]
}

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
            .zip(titles())
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
                    <h2 id="why-title">{tr!("Why the ink is exact")}</h2>
                    <p class="muted">
                        {tr!("Bars: the draft; lines: the target.")}" "
                        {move || tr!(
                            "The draft steals from some {kinds} and lavishes on others. Every stolen bit is handed back, to the {kinds} it was taken from.",
                            kinds = proof.pair.with(|pair| pair.kind.noun(0))
                        )}
                    </p>
                </div>
                <p class="formula">{move || identity(store.notation.get())}</p>
            </header>
            <Chooser>
                <Steps />
            </Chooser>
            <div class="why-panels">{panels}</div>
            <div class="serif why-onward" data-testid="why-onward" class:drawn=move || proof.step.get() == 3>
                <p>{tr!("So it is at every place in turn. Whatever was written so far, both models have read the same text, and given that text the next token comes out with exactly the target’s probabilities again. Multiplied along the text, these are the target’s probability of the whole. A rejected token ends the round, and what was drafted after it is never looked at.")}</p>
                {move || proof.pair.with(retrying).map(|words| view! { <p>{words}</p> })}
            </div>
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
            <span class="muted" id="why-steps">{tr!("Step by step")}</span>
            <div class="segments" role="group" aria-labelledby="why-steps">
                {[tr!("step" => "Guess"), tr!("Accept"), tr!("Pour back")]
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

/// What the residual saves: the classic way to turn draws from one distribution into draws from
/// another asks again until one is accepted.
fn retrying(pair: &ProofPair) -> Option<String> {
    if pair.total_variation() < NOTHING || (0.0 < pair.overlap() && pair.overlap() < NOTHING) {
        return None;
    }
    let both = Pair::new(&pair.draft, &pair.target).ok()?;
    Some(match both.expected_attempts() {
        Ok(guesses) => tied(&tr!(
            "To ask the draft again and again, and keep a guess with probability target / ({guesses} · draft), would be exact too (von Neumann 1951), but takes {guesses} guesses on average.",
            guesses = decimal(guesses, 2)
        )),
        Err(_) => tr!(
            "To ask the draft again and again until a guess is kept would never write what only the target writes."
        ),
    })
}

fn identity(notation: Notation) -> impl IntoView {
    view! {
        <em class="t">{notation.target()}</em>"("<em>"x"</em>") = min("<em class="d">{notation.draft()}</em>{separator()}
        <em class="t">{notation.target()}</em>")("<em>"x"</em>") + TV\u{a0}·\u{a0}"<em class="r">{tr!("residual")}</em>"("<em>"x"</em>")"
    }
}

fn sentence(pair: &ProofPair, step: usize, notation: Notation) -> AnyView {
    let decimals = pair.decimals();
    let number = |value: f64| view! { <b>{share(value, decimals)}</b> }.into_any();
    let (kept, lost) = (pair.overlap(), pair.total_variation());
    let ratio = view! {
        {format!("min(1{}", separator())}<em class="t">{notation.target()}</em>"/"<em class="d">{notation.draft()}</em>")"
    }
    .into_any();
    let equal = lost < NOTHING;
    let disjoint = kept < NOTHING;
    match step {
        1 if equal => tr!("The draft’s guess is the target already: nothing gets too much, nothing too little, and the total variation is 0.")
            .into_any(),
        1 => {
            let off = || pair.draft.iter().zip(&pair.target).map(|(draft, target)| draft - target);
            let few = off().filter(|off| *off < -NOTHING).count();
            let many = off().filter(|off| *off > NOTHING).count();
            let little = tr!(
                "{count} {kind} gets too little\u{a0}{minus}" | "{count} {kind} get too little\u{a0}{minus}" % few,
                count = capital(&count_word(few)),
                kind = pair.kind.noun(few),
                minus = slot(0)
            );
            let much = tr!(
                "{count} hatched one too much\u{a0}{plus}" | "{count} hatched ones too much\u{a0}{plus}" % many,
                count = count_word(many),
                plus = slot(1)
            );
            let words = tr!(
                "{little}, {much}. Each side adds up to {sum}, the total variation.",
                little,
                much,
                sum = slot(2)
            );
            let minus = view! { <b class="on-target">"−"</b> }.into_any();
            let plus = view! { <b class="on-draft">"+"</b> }.into_any();
            filled(&words, [minus, plus, number(lost)]).into_any()
        }
        2 => {
            let words = if equal {
                tr!(
                    "{ratio} is 1 everywhere: all of it is accepted, and nothing is rejected.",
                    ratio = slot(0)
                )
            } else if disjoint {
                tr!(
                    "{ratio} is 0 for everything that the draft proposes: nothing is accepted, {lost} is rejected.",
                    ratio = slot(0),
                    lost = slot(2)
                )
            } else {
                tr!(
                    "{ratio} trims each bar to the smaller one. {kept} is accepted, {lost} is rejected.",
                    ratio = slot(0),
                    kept = slot(1),
                    lost = slot(2)
                )
            };
            filled(&words, [ratio, number(kept), number(lost)]).into_any()
        }
        _ if equal => tr!("Nothing was stolen, so there is nothing to hand back: the residual has no mass and is never drawn from.")
            .into_any(),
        _ if disjoint => tr!("All of it is poured back: the residual is the target itself, and every bar ends at the target line.")
            .into_any(),
        _ => tied(&tr!(
            "The residual fills exactly the gaps: {kept} + {lost} = 1, and every bar ends at the target line.",
            kept = share(kept, decimals),
            lost = share(lost, decimals)
        ))
        .into_any(),
    }
}

fn steps_table(pair: &ProofPair, notation: Notation) -> Table {
    let head = [
        tr!("token"),
        notation.draft(),
        notation.target(),
        tr!("accepted"),
        tr!("rejected"),
        tr!("poured back"),
        tr!("comes out"),
    ];
    let print = |value: f64| decimal(value, 4);
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
    rows.push(std::iter::once(tr!("sum")).chain(sums.map(print)).collect());
    Table {
        name: tr!("The three steps in numbers"),
        head: head.to_vec(),
        rows,
    }
}
