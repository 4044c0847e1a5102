use std::sync::Arc;

use couplet_playback::{ClosingKind, Phase, Piece, Round, narrate, tr};
use leptos::prelude::*;

use super::columns::{Arithmetic, Chips, Columns};
use super::icons::{Sign, icon};
use super::rule_formula::{Key, RuleFormula, settings_of, shown_settings};
use crate::store::use_store;

/// The round under the playhead.
#[component]
pub fn RoundPanel() -> impl IntoView {
    let store = use_store();
    let any = Memo::new(move |_| store.state.with(|state| state.round.is_some()));
    let alone = Memo::new(move |_| {
        store.state.with(|state| {
            let round = state.round.as_ref();
            round.is_some_and(|round| round.proposals.is_empty())
        })
    });
    view! {
        <section class="sheet round" class:alone=alone data-testid="round" aria-label=tr!("Round")>
            <Show when=move || any.get() fallback=Invitation>
                <header>
                    <h2>{move || tr!("Round {}", store.state.with(|state| state.glyphs.len()))}</h2>
                    <Phases alone=alone />
                    <RuleFormula />
                </header>
                <Narration />
                <Chips />
                <Arithmetic />
                <Columns />
                <Key />
            </Show>
        </section>
    }
}

#[component]
fn Invitation() -> impl IntoView {
    let store = use_store();
    // A run whose first round drafts nothing.
    let alone = Memo::new(move |_| {
        let of = |round: &Arc<Round>| round.proposals.is_empty();
        store.run.with(|run| run.rounds().first().is_some_and(of))
    });
    let sentence = move || {
        if store
            .run
            .with(|run| run.started() && run.finished().is_some() && run.rounds().is_empty())
        {
            tr!(
                "This run ended before its first round: the prompt fills the context, or it was stopped. Shorten the prompt or write anew."
            )
        } else if store.is_waiting() {
            tr!("Your text will be written as soon as the models are here.")
        } else if alone.get() {
            tr!("The prompt stands. Press Next to watch the target write by itself.")
        } else if store.run.with(|run| !run.rounds().is_empty()) {
            tr!("The prompt stands. Press Next to watch the draft pencil its first tokens.")
        } else {
            tr!(
                "Press Write and play: the draft will pencil a few tokens here, and the target will judge all of them in one pass."
            )
        }
    };
    view! {
        <div class="invitation">
            <h2>{tr!("The round")}</h2>
            <p class="say" data-testid="narration">{sentence}</p>
            <Show when=move || !alone.get()>
                <ol class="sketch" aria-hidden="true">
                    <li>{icon(Sign::Pencil, 18)}{tr!("draft pencils")}</li>
                    <li>{icon(Sign::Accepted, 18)}{tr!("target inks")}</li>
                    <li>{icon(Sign::Resampled, 18)}{tr!("or strikes and redraws")}</li>
                    <li>{icon(Sign::Bonus, 18)}{tr!("all kept: one more")}</li>
                </ol>
            </Show>
        </div>
    }
}

/// The phases of the round, each a way to its end, as the keys between phases go.
#[component]
fn Phases(
    /// Whether nothing was drafted: then nothing is judged either.
    alone: Memo<bool>,
) -> impl IntoView {
    let store = use_store();
    // The buttons stay while the playhead moves, so that none loses the focus by being pressed.
    let step = Memo::new(move |_| store.state.with(|state| state.step));
    let bonus = Memo::new(move |_| {
        store.state.with(|state| {
            let closing = state.round.as_ref()?.closing.as_ref()?;
            Some(closing.kind == ClosingKind::Bonus)
        }) == Some(true)
    });
    let settings = shown_settings(store);
    let rule = move || settings.with(|settings| settings.rule);
    let item = move |phase: fn(bool) -> Phase| {
        let phase = move || phase(bonus.get());
        let now = move || step.get().map(|step| step.phase);
        let class = move || match now() {
            Some(now) if phase() == now => "on",
            Some(now) if phase() < now => "done",
            _ => "",
        };
        let current = move || (now() == Some(phase())).then_some("step");
        // What closes a round is known only once it is.
        let name = move || match phase() {
            Phase::Bonus if alone.get() => tr!("phase" => "Draw"),
            Phase::Bonus if now() < Some(Phase::Bonus) => Phase::Resample.name(rule()),
            phase => phase.name(rule()),
        };
        let place = move || {
            let round = step.get()?.round;
            store.run.with(|run| run.end_of_phase(round, phase()))
        };
        let go = move |_| {
            if let Some(at) = untrack(place) {
                store.playhead.go(at);
            }
        };
        view! {
            <li class=class>
                <button type="button" aria-current=current disabled=move || place().is_none() on:click=go>
                    {name}
                </button>
            </li>
        }
    };
    view! {
        <ol class="phases">
            {item(|_| Phase::Draft)}
            {item(|_| Phase::Verify)}
            {item(|_| Phase::Judge)}
            {item(|bonus| if bonus { Phase::Bonus } else { Phase::Resample })}
            {item(|_| Phase::Commit)}
        </ol>
    }
}

#[component]
fn Narration() -> impl IntoView {
    let store = use_store();
    let pieces = move || {
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else {
                return Vec::new();
            };
            narrate(round, step, &settings_of(store), |token| store.show(token))
        })
    };
    view! {
        <p class="say" data-testid="narration">
            {move || {
                pieces()
                    .into_iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.into_any(),
                        Piece::Token(token) => view! { <b class="said" lang="en">{token}</b> }.into_any(),
                    })
                    .collect_view()
            }}
        </p>
    }
}
