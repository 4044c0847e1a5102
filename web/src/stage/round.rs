use std::sync::Arc;

use couplet_playback::{ClosingKind, Phase, Piece, Proposal, Round, StageState, count_word, narrate};
use couplet_protocol::Rule;
use leptos::prelude::*;

use super::gauge::{Gauge, probability};
use super::icons::{Sign, icon};
use super::residual::ClosingPanel;
use crate::store::{Notation, Selection, Store, use_store};

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
        if store.run.with(|run| run.started() && run.finished().is_some() && run.rounds().is_empty()) {
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
            let (Some(step), Some(round)) = (state.step, &state.round) else { return Vec::new() };
            let closing = match round.closing.as_ref().map(|closing| closing.kind) {
                Some(ClosingKind::Bonus) => Phase::Bonus,
                _ => Phase::Resample,
            };
            let phases = [Phase::Draft, Phase::Verify, Phase::Judge, closing, Phase::Commit];
            phases.into_iter().map(|phase| (phase, step.phase)).collect::<Vec<_>>()
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
    let options = [(Notation::Words, "words"), (Notation::Chen, "Chen"), (Notation::Leviathan, "Leviathan")];
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
            let (Some(step), Some(round)) = (state.step, &state.round) else { return Vec::new() };
            narrate(round, step, rule_of(store), |token| store.text(token))
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Pencil,
    Weighed,
    Accepted,
    Rejected,
    Discarded,
}

impl Status {
    fn of(state: &StageState, column: usize) -> Self {
        let Some(round) = &state.round else { return Self::Pencil };
        let judged = state.judged();
        let Some(verdict) = round.proposals.get(column).and_then(|proposal| proposal.verdict.as_ref()) else {
            let over = round.rejected().is_some_and(|rejected| rejected < judged);
            return if over { Self::Discarded } else { Self::Pencil };
        };
        match (column < judged, verdict.accepted) {
            (true, true) => Self::Accepted,
            (true, false) => Self::Rejected,
            (false, _) if state.verified() => Self::Weighed,
            (false, _) => Self::Pencil,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Pencil => "pen",
            Self::Weighed => "pen weighed",
            Self::Accepted => "acc weighed judged",
            Self::Rejected => "rej weighed judged",
            Self::Discarded => "dis",
        }
    }

    fn sign(self) -> (Sign, &'static str) {
        match self {
            Self::Pencil | Self::Weighed => (Sign::Pencil, "drafted"),
            Self::Accepted => (Sign::Accepted, "accepted"),
            Self::Rejected => (Sign::Rejected, "rejected"),
            Self::Discarded => (Sign::Discarded, "discarded"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Column(usize),
    Closing,
    BonusPlace,
}

#[component]
fn Columns() -> impl IntoView {
    let store = use_store();
    let items = move || {
        let epoch = store.epoch.get();
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else { return Vec::new() };
            items(state, round).into_iter().map(|item| (epoch, step.round, item)).collect()
        })
    };
    let count = move || store.state.with(|state| state.round.as_ref().map_or(0, |round| round.proposals.len()));
    view! {
        <div class="columns" style=move || format!("--count:{}", count())>
            <For each=items key=|item| *item children=move |(_, index, item)| {
                let Some(round) = store.state.with_untracked(|state| state.round.clone()) else {
                    return ().into_any();
                };
                match item {
                    Item::Column(column) => view! { <Column round=round index=index column=column /> }.into_any(),
                    Item::Closing => round
                        .closing
                        .clone()
                        .map(|closing| view! { <ClosingPanel closing=closing rule=rule_of(store) /> })
                        .into_any(),
                    Item::BonusPlace => view! { <BonusPlace count=round.proposals.len() /> }.into_any(),
                }
            } />
        </div>
    }
}

fn items(state: &StageState, round: &Round) -> Vec<Item> {
    let mut items: Vec<Item> = (0..round.proposals.len()).map(Item::Column).collect();
    let kind = round.closing.as_ref().map(|closing| closing.kind).filter(|_| state.closed());
    match kind {
        Some(ClosingKind::Resampled) => {
            let place = round.rejected().map_or(items.len(), |column| column + 1);
            items.insert(place, Item::Closing);
            items.push(Item::BonusPlace);
        }
        Some(ClosingKind::Bonus) => items.push(Item::Closing),
        None => items.push(Item::BonusPlace),
    }
    items
}

#[component]
fn Column(round: Arc<Round>, index: usize, column: usize) -> impl IntoView {
    let store = use_store();
    let Some(proposal) = round.proposals.get(column).cloned() else { return ().into_any() };
    let rule = rule_of(store);
    let status = Memo::new(move |_| store.state.with(|state| Status::of(state, column)));
    let focused = move || store.focus().is_some_and(|focus| focus.round == index && focus.column == column);
    let token = store.show(proposal.token);
    let name = token.clone();
    let favourite = round.closing.as_ref().map(|closing| store.show(closing.token)).unwrap_or_default();
    let caption = {
        let proposal = proposal.clone();
        move || caption(&proposal, status.get(), rule, &favourite)
    };
    let label = move || format!("{name}, {}: show its distributions", status.get().sign().1);
    view! {
        <figure class=move || format!("column {}", status.get().class()) class:focused=focused>
            <figcaption>
                <button type="button" class="tok-button" aria-label=label
                    on:click=move |_| store.selected.set(Some(Selection { round: index, column }))>
                    <span class="tok">{token}</span>
                    {move || {
                        let (sign, word) = status.get().sign();
                        view! { {icon(sign, 15)}<span class=format!("verdict k {}", sign.class())>{word}</span> }
                    }}
                </button>
            </figcaption>
            <Gauge draft_prob=proposal.draft_prob() verdict=proposal.verdict.clone() full=full(&round) rule=rule />
            <p class="inequality">{caption}</p>
        </figure>
    }
    .into_any()
}

fn caption(proposal: &Proposal, status: Status, rule: Rule, favourite: &str) -> AnyView {
    let Some(verdict) = &proposal.verdict else {
        let text = if status == Status::Discarded { "never tested".to_owned() } else { format!("draft {}", probability(proposal.draft_prob())) };
        return view! { <span class="muted">{text}</span> }.into_any();
    };
    let (u, threshold) = (verdict.draw, verdict.threshold());
    let digits = if format!("{u:.2}") == format!("{threshold:.2}") { 4 } else { 2 };
    match (status, rule) {
        (Status::Accepted, Rule::Greedy) => view! { "the target’s first" }.into_any(),
        (Status::Rejected, Rule::Greedy) => view! { "first is "<b>{favourite.to_owned()}</b> }.into_any(),
        (Status::Accepted | Status::Rejected, Rule::Rejection) => {
            let sign = if status == Status::Accepted { " < " } else { " > " };
            view! { <em>"u"</em>" "<b>{format!("{u:.digits$}")}</b>{format!("{sign}{threshold:.digits$}")} }.into_any()
        }
        (Status::Weighed, Rule::Rejection) => view! { <span class="muted">{format!("stays if u < {threshold:.2}")}</span> }.into_any(),
        _ => view! { <span class="muted">{format!("draft {}", probability(proposal.draft_prob()))}</span> }.into_any(),
    }
}

/// All bars of a round share one scale.
fn full(round: &Round) -> f32 {
    let of = |proposal: &Proposal| {
        proposal.draft_prob().max(proposal.verdict.as_ref().map_or(0.0, |verdict| verdict.target_prob))
    };
    round.proposals.iter().map(of).fold(0.3, f32::max)
}

#[component]
fn BonusPlace(count: usize) -> impl IntoView {
    let condition = match count {
        0 => "Nothing is drafted: the target writes one token per pass.".to_owned(),
        1 => "Only if it is accepted, the target adds one more for free.".to_owned(),
        count => format!("Only if all {} are accepted, the target adds one more for free.", count_word(count)),
    };
    view! {
        <figure class="bonus-place">
            <figcaption>{icon(Sign::Bonus, 20)}<span class="verdict">"bonus"</span></figcaption>
            <p>{condition}</p>
        </figure>
    }
}

/// The round's tokens in small, where only one column fits.
#[component]
fn Chips() -> impl IntoView {
    let store = use_store();
    let chips = move || {
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else { return Vec::new() };
            let status = |column| Status::of(state, column);
            let chip = |(column, proposal): (usize, &Proposal)| (step.round, column, proposal.token, status(column));
            round.proposals.iter().enumerate().map(chip).collect::<Vec<_>>()
        })
    };
    view! {
        <div class="chips" role="group" aria-label="Tokens of the round">
            {move || {
                chips()
                    .into_iter()
                    .map(|(round, column, token, status)| {
                        let pressed = move || {
                            let focused = store.focus().is_some_and(|focus| focus.round == round && focus.column == column);
                            if focused { "true" } else { "false" }
                        };
                        let (sign, word) = status.sign();
                        let token = store.show(token);
                        let label = format!("{token}, {word}");
                        view! {
                            <button type="button" class=format!("chip {}", status.class()) aria-pressed=pressed
                                aria-label=label
                                on:click=move |_| store.selected.set(Some(Selection { round, column }))>
                                <span class="tok">{token}</span>
                                {icon(sign, 13)}
                            </button>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}

#[component]
fn Key() -> impl IntoView {
    let store = use_store();
    let letter = move |name: fn(Notation) -> &'static str| {
        move || Some(store.notation.get()).filter(|notation| *notation != Notation::Words).map(name)
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

fn rule_of(store: Store) -> Rule {
    store.settings.with_untracked(|settings| settings.as_ref().map_or(Rule::Rejection, |settings| settings.rule))
}
