use couplet_playback::{ClosingKind, Phase, Piece, narrate};
use couplet_protocol::Rule;
use leptos::prelude::*;

use super::columns::{Chips, Columns};
use super::icons::{Sign, icon};
use crate::store::{Notation, Store, use_store};

/// The round under the playhead.
#[component]
pub fn RoundPanel() -> impl IntoView {
    let store = use_store();
    let any = Memo::new(move |_| store.state.with(|state| state.round.is_some()));
    view! {
        <section class="sheet round" data-testid="round" aria-label="Round">
            <Show when=move || any.get() fallback=Invitation>
                <header>
                    <h2>"Round "{move || store.state.with(|state| state.glyphs.len())}</h2>
                    <Phases />
                    <Rules />
                </header>
                <Narration />
                <Chips />
                <Columns />
                <Key />
            </Show>
        </section>
    }
}

#[component]
fn Invitation() -> impl IntoView {
    let store = use_store();
    let sentence = move || {
        if store
            .run
            .with(|run| run.started() && run.finished().is_some() && run.rounds().is_empty())
        {
            "This run ended before its first round: the prompt fills the context, or it was stopped. Shorten the prompt or write anew."
        } else if store.wanted.get() {
            "Your text will be written as soon as the models are here."
        } else if store.run.with(|run| !run.rounds().is_empty()) {
            "The prompt stands. Press Next phase to watch the draft pencil its first tokens."
        } else {
            "Press Write and play: the draft will pencil a few tokens here, and the target will judge all of them in one pass."
        }
    };
    view! {
        <div class="invitation">
            <h2>"The round"</h2>
            <p class="say" data-testid="narration">{sentence}</p>
            <ol class="sketch" aria-hidden="true">
                <li>{icon(Sign::Pencil, 18)}"draft pencils"</li>
                <li>{icon(Sign::Accepted, 18)}"target inks"</li>
                <li>{icon(Sign::Resampled, 18)}"or strikes and redraws"</li>
                <li>{icon(Sign::Bonus, 18)}"all kept: one free"</li>
            </ol>
        </div>
    }
}

#[component]
fn Phases() -> impl IntoView {
    let store = use_store();
    let items = move || {
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else {
                return Vec::new();
            };
            let closing = match round.closing.as_ref().map(|closing| closing.kind) {
                Some(ClosingKind::Bonus) => Phase::Bonus,
                _ => Phase::Resample,
            };
            let phases = [
                Phase::Draft,
                Phase::Verify,
                Phase::Judge,
                closing,
                Phase::Commit,
            ];
            phases
                .into_iter()
                .map(|phase| (phase, step.phase))
                .collect::<Vec<_>>()
        })
    };
    view! {
        <ol class="phases">
            {move || {
                items()
                    .into_iter()
                    .map(|(phase, now)| {
                        let class = if phase == now { "on" } else if phase < now { "done" } else { "" };
                        // What closes a round is known only once it is.
                        let name = if phase > now && phase == Phase::Bonus { "Resample" } else { phase.name() };
                        view! { <li class=class aria-current=(phase == now).then_some("step")>{name}</li> }
                    })
                    .collect_view()
            }}
        </ol>
    }
}

#[component]
fn Rules() -> impl IntoView {
    let store = use_store();
    let greedy = move || rule_of(store) == Rule::Greedy;
    let options = [
        (Notation::Words, "words"),
        (Notation::Chen, "Chen"),
        (Notation::Leviathan, "Leviathan"),
    ];
    view! {
        <div class="rules">
            <p class="formula">
                {move || {
                    let notation = store.notation.get();
                    let x = if notation == Notation::Words { "" } else { "(x)" };
                    if greedy() {
                        view! { "keep if first in "<em class="t">{notation.target()}</em> }.into_any()
                    } else {
                        view! {
                            <em>"u"</em>" < min(1, "<em class="t">{notation.target()}{x}</em>" / "
                            <em class="d">{notation.draft()}{x}</em>")"
                        }
                        .into_any()
                    }
                }}
            </p>
            <div class="segments small" role="group" aria-label="Notation">
                {options
                    .map(|(notation, label)| {
                        view! {
                            <button type="button"
                                aria-pressed=move || if store.notation.get() == notation { "true" } else { "false" }
                                on:click=move |_| store.notation.set(notation)>
                                {label}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
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
            narrate(round, step, rule_of(store), |token| store.show(token))
        })
    };
    view! {
        <p class="say" data-testid="narration">
            {move || {
                pieces()
                    .into_iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.into_any(),
                        Piece::Token(token) => view! { <b class="said">{token}</b> }.into_any(),
                    })
                    .collect_view()
            }}
        </p>
    }
}

#[component]
fn Key() -> impl IntoView {
    let store = use_store();
    let letter = move |name: fn(Notation) -> &'static str| {
        move || {
            Some(store.notation.get())
                .filter(|notation| *notation != Notation::Words)
                .map(name)
        }
    };
    view! {
        <p class="key">
            <i class="swatch draft"></i>"draft "<em>{letter(Notation::draft)}</em>
            <i class="swatch overlap"></i>"overlap "
            <i class="swatch target"></i>"target "<em>{letter(Notation::target)}</em>
            <span class="key-gauge">
                "the draft bar stretched to 1; the needle "<em>"u"</em>" lands anywhere on it with equal chance"
            </span>
        </p>
    }
}

/// The rule of the run on the page.
pub fn rule_of(store: Store) -> Rule {
    store.shown.with_untracked(|shown| {
        shown
            .as_ref()
            .map_or(Rule::Rejection, |shown| shown.settings.rule)
    })
}
