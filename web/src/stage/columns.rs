//! The drafted tokens of a round, one column each, and the token that closes it.

use std::iter;
use std::sync::Arc;

use couplet_playback::{Board, ClosingKind, Cut, Proposal, Round, StageState, count_word, tr};
use couplet_protocol::Rule;
use leptos::html::Div;
use leptos::prelude::*;
use web_sys::Element;

use super::caption::{Captioned, arithmetic, caption};
use super::figure::{Drawn, figure};
use super::icons::{Sign, icon};
use super::residual::ClosingPanel;
use super::rule_formula::settings_of;
use crate::browser;
use crate::lessons::{Covered, covered, why_covered};
use crate::projector;
use crate::store::{Selection, Store, use_store};

/// How a drafted token stands at the playhead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Drafted.
    Pencil,
    /// The target's probability is known.
    Weighed,
    /// Kept.
    Accepted,
    /// The first that is not kept.
    Rejected,
    /// Behind it.
    Discarded,
}

impl Status {
    fn of(state: &StageState, column: usize) -> Self {
        let Some(round) = &state.round else {
            return Self::Pencil;
        };
        let judged = state.judged();
        let rejected = round.rejected().filter(|rejected| *rejected < judged);
        let over = judged > 0 && judged == round.tested();
        let weighed = |column: usize| round.proposals.get(column)?.target_prob();
        match rejected {
            Some(rejected) if column == rejected => Self::Rejected,
            _ if over && column >= judged => Self::Discarded,
            _ if column < judged => Self::Accepted,
            _ if state.verified() && weighed(column).is_some() => Self::Weighed,
            _ => Self::Pencil,
        }
    }

    /// Classes of a token in this state. What is known of discarded ones differs.
    fn class(self, proposal: &Proposal) -> &'static str {
        match self {
            Self::Pencil => "pen",
            Self::Weighed => "pen weighed",
            Self::Accepted => "acc weighed judged",
            Self::Rejected => "rej weighed judged",
            Self::Discarded if proposal.verdict.is_some() => "dis weighed judged",
            Self::Discarded if proposal.unjudged.is_some() => "dis weighed",
            Self::Discarded => "dis",
        }
    }

    /// Whether the token's fate is decided.
    pub fn is_judged(self) -> bool {
        !matches!(self, Self::Pencil | Self::Weighed)
    }

    fn sign(self) -> (Sign, String) {
        match self {
            Self::Pencil | Self::Weighed => (Sign::Pencil, tr!("drafted")),
            Self::Accepted => (Sign::Accepted, tr!("column" => "accepted")),
            Self::Rejected => (Sign::Rejected, tr!("rejected")),
            Self::Discarded => (Sign::Discarded, tr!("discarded")),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Column(usize),
    Closing,
    BonusPlace,
}

/// One column per drafted token, then the bonus or the place where it would stand.
#[component]
pub fn Columns() -> impl IntoView {
    let store = use_store();
    let items = move || {
        let epoch = store.epoch.get();
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else {
                return Vec::new();
            };
            items(state, round)
                .into_iter()
                .map(|item| (epoch, step.round, item))
                .collect()
        })
    };
    // The bonus's place has what is left.
    let tracks = move || {
        let bonus = store.state.with(|state| {
            let closing = state
                .round
                .as_ref()
                .and_then(|round| round.closing.as_ref());
            closing.is_some_and(|closing| closing.kind == ClosingKind::Bonus)
        });
        let tracks = items().into_iter().filter_map(|(_, _, item)| match item {
            Item::Column(_) => Some("var(--column)"),
            // A bonus opens nothing, and is the last that there is.
            Item::Closing if bonus => Some("minmax(228px, 1fr)"),
            Item::Closing => Some("228px"),
            Item::BonusPlace => None,
        });
        format!("--tracks:{}", tracks.collect::<Vec<_>>().join(" "))
    };
    let row = NodeRef::<Div>::new();
    Effect::new(move |_| {
        store.focus();
        store.state.track();
        // A replacement stands for the token that it replaces; where none is in focus, what the target
        // adds is.
        keep_in_sight(row, &[".focused + .closing", ".focused", ".closing"]);
    });
    view! {
        <div class="columns" class:pieces=move || of_pieces(store) style=tracks node_ref=row>
            <For each=items key=|item| *item children=move |(_, index, item)| {
                let Some(round) = store.state.with_untracked(|state| state.round.clone()) else {
                    return ().into_any();
                };
                match item {
                    Item::Column(column) => view! { <Column round=round index=index column=column /> }.into_any(),
                    Item::Closing => round
                        .closing
                        .clone()
                        .map(|closing| view! { <ClosingPanel round=round closing=closing /> })
                        .into_any(),
                    Item::BonusPlace => view! { <BonusPlace round=round /> }.into_any(),
                }
            } />
        </div>
    }
}

/// To be called before the run is moved: where that takes away what has the focus, the token in the same
/// place of the round that then stands there gets it, or else the timeline.
pub fn keep_focus() {
    let Some(focused) = document().active_element() else {
        return;
    };
    let within = |parts| focused.closest(parts).ok().flatten();
    let same = match within(".phases") {
        Some(_) => ".phases .on button".to_owned(),
        None => {
            let column = within(".columns > *");
            let before = iter::successors(column, Element::previous_element_sibling).skip(1);
            format!(".columns > :nth-child({}) .tok-button", before.count() + 1)
        }
    };
    request_animation_frame(move || {
        // Narrow windows show one column and one phase: the others are there and hidden.
        let is_shown = focused.get_bounding_client_rect().width() > 0.0;
        if !(focused.is_connected() && is_shown) {
            let column = ".column.focused .tok-button";
            let places = [same.as_str(), column, ".columns .tok-button", ".timeline"];
            places.into_iter().any(browser::focus);
        }
    });
}

/// Scrolls a row by the next frame so that the first of its `parts` that there is can be seen.
fn keep_in_sight(row: NodeRef<Div>, parts: &'static [&'static str]) {
    request_animation_frame(move || {
        // By the next frame another run may have taken the place of this one.
        let Some(row) = row.try_get_untracked().flatten() else {
            return;
        };
        let find = |part: &&str| row.query_selector(part).ok().flatten();
        let Some(found) = parts.iter().find_map(find) else {
            return;
        };
        let (place, frame) = (
            found.get_bounding_client_rect(),
            row.get_bounding_client_rect(),
        );
        if place.left() < frame.left() || place.right() > frame.right() {
            let by = (place.left() - frame.left() - frame.width() / 3.0) / projector::scale();
            row.set_scroll_left(row.scroll_left() + by as i32);
        }
    });
}

/// Word pieces need more room than characters do.
fn of_pieces(store: Store) -> bool {
    store
        .pair()
        .is_some_and(|pair| Cut::of(&pair.tokens) == Cut::WordPieces)
}

fn items(state: &StageState, round: &Round) -> Vec<Item> {
    let mut items: Vec<Item> = (0..round.proposals.len()).map(Item::Column).collect();
    let kind = round
        .closing
        .as_ref()
        .map(|closing| closing.kind)
        .filter(|_| state.closed());
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
    let Some(proposal) = round.proposals.get(column).cloned() else {
        return ().into_any();
    };
    let settings = settings_of(store);
    let status = Memo::new(move |_| store.state.with(|state| Status::of(state, column)));
    let focused = move || {
        store
            .focus()
            .is_some_and(|focus| focus.round == index && focus.column == column)
    };
    // One value for the whole attribute: a second directive would be overwritten by it.
    let drawn = Arc::clone(&round);
    let class = move || {
        let focus = if focused() { " focused" } else { "" };
        let status = status.get().class(&drawn.proposals[column]);
        format!("column {status}{focus}")
    };
    let token = store.show(proposal.token);
    let name = store.say(proposal.token);
    let board = (settings.rule == Rule::MinHash)
        .then(|| Board::new(settings.seed, vocabulary(store), &proposal))
        .flatten();
    let drawing = figure(
        store,
        &Drawn {
            proposal: &proposal,
            settings: &settings,
            full: full(&round, settings.rule),
            board: board.as_ref(),
            status,
        },
    );
    let last_kept = round.accepted() == column + 1;
    let two_lines = settings.rule == Rule::Block;
    let caption = move || {
        let about = Captioned {
            proposal: &proposal,
            status: status.get(),
            last_kept,
            settings: &settings,
            board: board.as_ref(),
        };
        caption(store, &about)
    };
    let place = tr!("position {} of {}", column + 1, round.proposals.len());
    let label = move || format!("{place}: {name}, {}", status.get().sign().1);
    view! {
        <figure class=class>
            <figcaption>
                <button type="button" class="tok-button" aria-label=label
                    on:click=move |_| store.pick(Selection { round: index, column })>
                    <span class="tok-mark">
                        <span class="tok" lang="en">{token}</span>
                        {move || icon(status.get().sign().0, 15)}
                    </span>
                    " "
                    {move || {
                        let (sign, word) = status.get().sign();
                        view! { <span class=format!("verdict k {}", sign.class())>{word}</span> }
                    }}
                </button>
            </figcaption>
            {drawing}
            <p class="inequality" class:two-lines=two_lines>{caption}</p>
        </figure>
    }
    .into_any()
}

/// How many tokens there are.
fn vocabulary(store: Store) -> usize {
    untrack(|| store.pair()).map_or(0, |pair| pair.tokens.len())
}

/// All bars of a round share one scale.
fn full(round: &Round, rule: Rule) -> f32 {
    let of = |proposal: &Proposal| {
        let draft = proposal.draft_prob().unwrap_or(0.0);
        let both = draft.max(proposal.target_prob().unwrap_or(0.0));
        let Some(verdict) = &proposal.verdict else {
            return both;
        };
        // Where the target draws a token of its own, its bars stand beside those of the drafted.
        let own = verdict.own_token.map_or(0.0, |own| {
            let target = verdict.distribution.prob(own).unwrap_or(0.0);
            target.max(proposal.distribution.prob(own).unwrap_or(0.0))
        });
        // Greedy draws the target's first beside it.
        let first = match rule {
            Rule::Greedy => verdict
                .distribution
                .iter()
                .map(|(_, prob)| prob)
                .fold(0.0, f32::max),
            Rule::Rejection
            | Rule::Block
            | Rule::Gumbel
            | Rule::MinHash
            | Rule::SampleAndMatch
            | Rule::Lenience
            | Rule::Typical => 0.0,
        };
        both.max(own).max(first)
    };
    round.proposals.iter().map(of).fold(0.3, f32::max)
}

#[component]
fn BonusPlace(round: Arc<Round>) -> impl IntoView {
    let (covered, why) = (covered(Covered::Bonus), why_covered());
    let (count, ended) = (round.proposals.len(), round.text_ends_with.is_some());
    let condition = move || match count {
        _ if covered.get() => why(),
        _ if ended => tr!("A drafted token ends the text, so none is added."),
        0 => tr!("Nothing is drafted: the target writes one token per pass."),
        1 => tr!("Only if it is accepted is one more drawn from the same pass."),
        count => tr!(
            "Only if all {} are accepted is one more drawn from the same pass.",
            count_word(count)
        ),
    };
    view! {
        <figure class="bonus-place">
            <figcaption>{icon(Sign::Bonus, 20)}<span class="verdict">{tr!("bonus")}</span></figcaption>
            <p>{condition}</p>
        </figure>
    }
}

/// The rule's formula with the numbers of the token in focus, where only one column fits.
#[component]
pub fn Arithmetic() -> impl IntoView {
    let store = use_store();
    let line = move || {
        let column = store.focus()?.column;
        store.state.with(|state| {
            let kept = match Status::of(state, column) {
                Status::Accepted => true,
                Status::Rejected => false,
                _ => return None,
            };
            let proposal = state.round.as_ref()?.proposals.get(column)?;
            arithmetic(proposal, kept, &settings_of(store))
        })
    };
    view! { <p class="formula arithmetic" aria-hidden="true">{line}</p> }
}

/// The round's tokens in small, where only one column fits.
#[component]
pub fn Chips() -> impl IntoView {
    let store = use_store();
    let chips = move || {
        store.state.with(|state| {
            let (Some(step), Some(round)) = (state.step, &state.round) else {
                return Vec::new();
            };
            let status = |column| Status::of(state, column);
            let chip = |(column, proposal): (usize, &Proposal)| {
                let status = status(column);
                (
                    step.round,
                    column,
                    proposal.token,
                    status,
                    status.class(proposal),
                )
            };
            round
                .proposals
                .iter()
                .enumerate()
                .map(chip)
                .collect::<Vec<_>>()
        })
    };
    // Its panel gives way to a token that is picked: it is picked like one.
    let bonus = move || {
        store.state.with(|state| {
            let (step, round) = (state.step?, state.round.as_ref()?);
            let closing = round.closing.as_ref().filter(|_| state.closed())?;
            let place = Selection {
                round: step.round,
                column: round.proposals.len(),
            };
            (closing.kind == ClosingKind::Bonus).then_some((place, closing.token))
        })
    };
    let row = NodeRef::<Div>::new();
    Effect::new(move |_| {
        store.focus();
        store.state.track();
        keep_in_sight(row, &["[aria-pressed=true]"]);
    });
    view! {
        <div class="chips" class:pieces=move || of_pieces(store) node_ref=row role="group" aria-label=tr!("Tokens of the round")>
            {move || {
                chips()
                    .into_iter()
                    .map(|(round, column, token, status, class)| {
                        let pressed = move || {
                            let focused = store.focus().is_some_and(|focus| focus.round == round && focus.column == column);
                            if focused { "true" } else { "false" }
                        };
                        let (sign, word) = status.sign();
                        let label = format!("{}, {word}", store.say(token));
                        let token = store.show(token);
                        view! {
                            <button type="button" class=format!("chip {class}") aria-pressed=pressed
                                aria-label=label
                                on:click=move |_| store.pick(Selection { round, column })>
                                <span class="tok" lang="en">{token}</span>
                                {icon(sign, 13)}
                            </button>
                        }
                    })
                    .collect_view()
            }}
            {move || bonus().map(|(place, token)| {
                let pressed = move || if store.focus() == Some(place) { "true" } else { "false" };
                let label = format!("{}, {}", store.say(token), tr!("bonus"));
                let token = store.show(token);
                view! {
                    <button type="button" class="chip bon" data-testid="chip-bonus" aria-pressed=pressed
                        aria-label=label on:click=move |_| store.pick(place)>
                        <span class="tok" lang="en">{token}</span>
                        {icon(Sign::Bonus, 13)}
                    </button>
                }
            })}
        </div>
    }
}
