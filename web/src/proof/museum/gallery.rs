//! "Break the rule": the museum of mistakes.

use couplet_playback::{capital, count_word, grouped, tr};
use couplet_protocol::Mistake;
use leptos::prelude::*;

use super::exhibit::{card, heard, scale};
use super::{Found, GAMMA};
use crate::heard::Heard;
use crate::proof::counting::{BATCH, waits_for};
use crate::proof::pair::ProofPair;
use crate::proof::state::use_proof;
use crate::store::use_store;

/// The section.
#[component]
pub fn Gallery() -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    let museum = proof.museum;
    let all = Mistake::ALL.len();
    let about = tr!(
        "{} tempting mistakes, the same draws, the same test of {} texts of {} tokens (γ = {gamma}).",
        capital(&count_word(all)),
        grouped(BATCH as usize),
        count_word(GAMMA as usize + 1),
        gamma = GAMMA
    );
    let entry = |mark: &str, says| {
        view! { <span class="key-entry"><i class=format!("swatch {mark}")></i>{says}</span> }
    };
    let every = move || museum.on() == all;
    let waits = move || {
        let sentence = waits_for(store)?;
        (museum.on() > 0)
            .then(|| view! { <p class="muted" data-testid="museum-waits">{sentence}</p> })
    };
    // One voice for all of them, which is silent until the last one is counted.
    let said = Signal::derive(move || {
        museum.exhibits.with_value(|exhibits| {
            let waits = |found: &Found| matches!(found, Found::Waiting(_));
            if exhibits.iter().any(|exhibit| exhibit.found.with(waits)) {
                return Some(tr!("Counting …"));
            }
            let of = |pair: &ProofPair| {
                exhibits
                    .iter()
                    .filter_map(|exhibit| heard(*exhibit, pair))
                    .collect()
            };
            let all: Vec<String> = proof.pair.with(of);
            (!all.is_empty()).then(|| all.join(". "))
        })
    });
    let scale = Memo::new(move |_| proof.pair.with(scale));
    let cards = museum.exhibits.with_value(|exhibits| {
        exhibits
            .iter()
            .enumerate()
            .map(|(place, exhibit)| card(museum, place, *exhibit, proof.pair.into(), scale))
            .collect_view()
    });
    view! {
        <section class="museum" data-testid="museum" aria-labelledby="museum-title">
            <header>
                <div>
                    <h2 id="museum-title">{tr!("Break the rule")}</h2>
                    <p class="muted">{about}</p>
                    <p class="muted">{tr!("They exist only here: no setting of the Stage makes them.")}</p>
                </div>
                <button type="button" class="button" data-testid="all-mistakes" on:click=move |_| museum.switch_all(!every())>
                    {move || if every() { tr!("All off") } else { tr!("All on") }}
                </button>
            </header>
            {waits}
            <Heard said=said known=true />
            <p class="key">
                {entry("counted", tr!("first tokens drawn"))}
                {entry("level", tr!("target"))}
                {entry("tick", tr!("theory"))}
                <span class="key-entry">{tr!("numbers: percentage points off")}</span>
                {entry("wrong", tr!("a deviation that an exact sampler shows only once in a thousand times"))}
            </p>
            <div class="exhibits">{cards}</div>
        </section>
    }
}
