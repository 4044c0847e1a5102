use couplet_playback::{ClosingKind, decimal, grouped, tr};
use couplet_protocol::{Distribution, Rule};
use couplet_speculation::{ranked, total_variation};
use leptos::html::Div;
use leptos::prelude::*;

use super::fate::Fate;
use super::icons::Sign;
use super::kinds;
use super::likely::{self, LISTED, list};
use super::picking::{Areas, Picking};
use super::rule_formula::settings_of;
use super::typecase::{Hit, TypeCase, WIDTH, room};
use crate::browser;
use crate::heard::Heard;
use crate::language::{filled, slot};
use crate::store::{Selection, Store, use_store};
use crate::table::{Folded, framed};
use crate::width::width_of;

const CONTEXT: usize = 16;

/// What is known about one place of the text at the playhead.
#[derive(Clone, PartialEq)]
pub struct Place {
    at: Selection,
    context: String,
    column: usize,
    columns: usize,
    /// What the draft said, where it said something.
    pub draft: Option<Distribution>,
    /// What the target said, once it has.
    pub target: Option<Distribution>,
    /// Tokens to point out.
    pub hits: Vec<Hit>,
    /// What is known of tokens that may be too improbable to be kept in the distributions.
    drawn: Vec<(u32, Option<f32>, Option<f32>)>,
    /// Total variation between the two, as far as the log tells it.
    total_variation: Option<f64>,
    /// Whether another token can be written here.
    standing: Standing,
    /// The token that stands here, once one does.
    token: Option<u32>,
    /// What became of the token that was drafted or added here.
    fate: Option<Fate>,
}

/// Whether the text before a place stands, so that another token can be written there.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    Stands,
    /// A token before it was rejected.
    Discarded,
    /// The run ended before it, in the midst of a round.
    PastTheEnd,
}

impl Standing {
    /// Of a column, as far as so many tokens were judged; `accepted` of those drafted were kept.
    fn of(column: usize, judged: usize, accepted: usize, committed: usize) -> Self {
        if column > accepted.min(judged) {
            Self::Discarded
        } else if committed > 0 && column >= committed {
            Self::PastTheEnd
        } else {
            Self::Stands
        }
    }
}

impl Place {
    /// What the two models said of a token, where it was kept.
    pub fn probs(&self, token: u32) -> [Option<f32>; 2] {
        [&self.draft, &self.target].map(|said| said.as_ref()?.prob(token))
    }
}

fn place(store: Store, at: Selection) -> Option<Place> {
    let state = store.state.get();
    let run = store.run;
    run.with_untracked(|run| {
        let round = run.rounds().get(at.round)?.clone();
        let current = state.step.is_some_and(|step| step.round == at.round);
        if state.step.is_none_or(|step| at.round > step.round) {
            return None;
        }
        let (verified, closed, judged) = if current {
            (state.verified(), state.closed(), state.judged())
        } else {
            (true, true, usize::MAX)
        };
        let mut hits = Vec::new();
        let mut drawn = Vec::new();
        let mut total_variation = None;
        let mut draft = None;
        let mut target = None;
        if let Some(proposal) = round.proposals.get(at.column) {
            draft = Some(proposal.distribution.clone());
            let accepted = proposal.verdict.as_ref().map(|verdict| verdict.accepted);
            let sign = match accepted {
                Some(true) if at.column < judged => Sign::Accepted,
                Some(false) if at.column < judged => Sign::Rejected,
                _ => Sign::Pencil,
            };
            hits.push((proposal.token, sign));
            drawn.push((
                proposal.token,
                proposal.draft_prob().filter(|_| verified),
                proposal.target_prob().filter(|_| verified),
            ));
            target = proposal.target_distribution().filter(|_| verified).cloned();
        }
        if let Some(closing) = round.closing.as_ref().filter(|_| closed) {
            let here = match closing.kind {
                ClosingKind::Resampled => round.rejected() == Some(at.column),
                ClosingKind::Bonus => at.column == round.proposals.len(),
            };
            if here && closing.kind == ClosingKind::Bonus {
                target = Some(closing.distribution.clone());
                hits.push((closing.token, Sign::Bonus));
                drawn.push((closing.token, None, None));
            } else if here {
                hits.push((closing.token, Sign::Resampled));
                drawn.push((closing.token, None, None));
                // The mass of Rejection's residual is the total variation, whatever was kept of
                // the two distributions.
                if settings_of(store).rule == Rule::Rejection {
                    total_variation = Some(f64::from(closing.mass));
                }
            }
        }
        let kept = round.accepted();
        let standing = Standing::of(at.column, judged, kept, round.committed.len());
        let token = if at.column < kept.min(judged) {
            round
                .proposals
                .get(at.column)
                .map(|proposal| proposal.token)
        } else {
            let closing = round
                .closing
                .as_ref()
                .filter(|_| closed && at.column == kept);
            closing.map(|closing| closing.token)
        };
        let total_variation =
            complete_variation(draft.as_ref(), target.as_ref()).or(total_variation);
        let context = store.text_before(at, CONTEXT);
        let fate = Fate::of(&state, &round, at, &settings_of(store));
        Some(Place {
            at,
            context,
            column: at.column,
            columns: round.proposals.len(),
            draft,
            target,
            hits,
            drawn,
            total_variation,
            standing,
            token,
            fate,
        })
    })
}

/// Everything the two models said about one place.
#[component]
pub fn Inspector() -> impl IntoView {
    let store = use_store();
    let table_open = RwSignal::new(false);
    let here = Memo::new(move |_| store.focus().and_then(|at| place(store, at)));
    let frame = NodeRef::<Div>::new();
    let width = width_of(frame, WIDTH);
    let room = Memo::new(move |_| room(width.get()));
    let picking = Picking::new(store, here, room);
    // Of a token that somebody picks it is heard what became of it: what is shown of it is elsewhere.
    let heard = Signal::derive(move || {
        store.selected.get()?;
        here.with(|place| Some(place.as_ref()?.fate.as_ref()?.heard(store)))
    });
    view! {
        <section class="sheet inspector" class:follows=move || store.selected.with(Option::is_none) data-testid="inspector" aria-label=tr!("Inspector")>
            // Where it stands below the text, a press on a letter leads here.
            <Show when=move || store.selected.with(Option::is_some)>
                <button type="button" class="button to-text" data-testid="to-text" on:click=move |_| {
                    browser::focus(".tk[aria-current]");
                    browser::show("#manuscript");
                }>
                    {tr!("Back to the text")}
                </button>
            </Show>
            {move || here.with(|place| match place {
                Some(place) => above(store, place).into_any(),
                None => view! {
                    <header>
                        <h2>{tr!("What the models said")}</h2>
                        <p class="muted">
                            {tr!("Both distributions of the current token appear here. Pick any token of the text or of the round to see its own.")}
                        </p>
                    </header>
                }
                .into_any(),
            })}
            <Show when=move || here.with(Option::is_some)>
                <div class="chart" node_ref=frame>
                    {move || here.with(|place| place.as_ref().map(|place| chart(store, place, room.get())))}
                    {picking.areas()}
                </div>
            </Show>
            {move || here.get().map(|place| below(store, place, picking, table_open))}
            <Heard said=heard known=true testid="fate-heard" />
        </section>
    }
}

/// What became of the token, and what the chart is about.
fn above(store: Store, place: &Place) -> impl IntoView + use<> {
    let pair = untrack(|| store.pair());
    let (tokens, kind) = pair
        .as_ref()
        .map_or((&[][..], "token"), |pair| (&pair.tokens, &pair.token_kind));
    let which = if place.columns == 0 {
        tr!("from the target alone")
    } else if place.column >= place.columns {
        tr!("bonus position")
    } else {
        tr!("position {} of {}", place.column + 1, place.columns)
    };
    let about = if TypeCase::fits(tokens) {
        tr!(
            "{which}, all {tokens}, one scale",
            which,
            tokens = kinds::tokens(kind, tokens.len())
        )
    } else {
        tr!(
            "{which}, top {listed} of {all} and the rest, draft / target",
            which,
            listed = LISTED,
            all = grouped(tokens.len())
        )
    };
    view! {
        {place.fate.as_ref().map(|fate| fate.view(store))}
        <header>
            <h2>{filled(&tr!("After {}", slot(0)), [view! { <q lang="en">{place.context.clone()}</q> }.into_any()])}</h2>
            <p class="muted">{about}</p>
        </header>
    }
}

fn chart(store: Store, place: &Place, room: Option<f64>) -> AnyView {
    let pair = untrack(|| store.pair());
    let tokens = pair.as_ref().map_or(&[][..], |pair| &pair.tokens);
    match TypeCase::of(tokens, place, room) {
        Some(case) => case.view(store, place).into_any(),
        None => list(store, place, room).into_any(),
    }
}

/// Where the chart of a place has tokens that can be picked; `None` where none can be written.
pub fn areas(store: Store, place: &Place, room: Option<f64>) -> Option<Areas> {
    if place.standing != Standing::Stands {
        return None;
    }
    let pair = untrack(|| store.pair());
    let tokens = pair.as_ref().map_or(&[][..], |pair| &pair.tokens);
    let entry = entries(place).first().map_or(0, |(token, ..)| *token);
    Some(match TypeCase::of(tokens, place, room) {
        Some(case) => case.areas(place, entry),
        None => likely::areas(store, place, entry, room),
    })
}

fn below(
    store: Store,
    place: Place,
    picking: Picking,
    table_open: RwSignal<bool>,
) -> impl IntoView {
    let waiting = match (&place.draft, &place.target) {
        (Some(_), None) => Some(tr!(
            "The target has said nothing about this place yet, or never did."
        )),
        (None, Some(_)) => Some(tr!(
            "Nothing was drafted here: this token is the target’s alone."
        )),
        _ => None,
    };
    let (drafted, read) = (place.draft.is_some(), place.target.is_some());
    let cannot = |why: String| view! { <p class="offer muted">{why}</p> }.into_any();
    let offer = match place.standing {
        Standing::Stands => picking.offer(place.at, place.token).into_any(),
        Standing::Discarded => cannot(tr!("Discarded: the text before it never stood.")),
        Standing::PastTheEnd => cannot(tr!(
            "The run ended before this place, so no other token can be written here."
        )),
    };
    view! {
        <p class="key">
            {drafted.then(|| view! { <i class="swatch draft"></i>{tr!("draft")} })}
            {(drafted && read).then(|| view! { <i class="swatch overlap"></i>{tr!("overlap")} })}
            {read.then(|| view! { <i class="swatch target"></i>{tr!("target")} })}
        </p>
        <div class="verdict-line">
            {waiting.map(|sentence| view! { <p class="muted">{sentence}</p> })}
            {mass(&place, settings_of(store).rule)}
        </div>
        <div class="inspector-foot">
            {offer}
            <Table place=place picking=picking open=table_open />
        </div>
    }
}

/// Total variation of two distributions that are known whole.
fn complete_variation(draft: Option<&Distribution>, target: Option<&Distribution>) -> Option<f64> {
    let (draft, target) = (draft?, target?);
    if !draft.is_whole() || !target.is_whole() || draft.probs.len() != target.probs.len() {
        return None;
    }
    let wide = |distribution: &Distribution| {
        distribution
            .probs
            .iter()
            .map(|prob| f64::from(*prob))
            .collect::<Vec<_>>()
    };
    Some(total_variation(&wide(draft), &wide(target)))
}

/// `1 - TV | TV`, where it is known. Only under Rejection is the chance to stay the overlap.
fn mass(place: &Place, rule: Rule) -> Option<impl IntoView + use<>> {
    let tv = place.total_variation?;
    let [overlap, rest] = [1.0 - tv, tv].map(|share| {
        let style = format!("width:{:.1}%", 100.0 * share);
        (style, view! { <b>{decimal(share, 3)}</b> }.into_any())
    });
    let said = if rule == Rule::Rejection {
        tr!(
            "overlap {mass} (mean chance to stay), TV {tv}",
            mass = slot(0),
            tv = slot(1)
        )
    } else {
        tr!("overlap {mass}, TV {tv}", mass = slot(0), tv = slot(1))
    };
    Some(view! {
        <p class="mass" aria-hidden="true">
            <span class="mass-overlap" style=overlap.0></span>
            <span class="mass-rest" style=rest.0></span>
        </p>
        <p class="mass-said">{filled(&said, [overlap.1, rest.1])}</p>
    })
}

/// (token, draft, target) of everything that was kept, most probable first.
pub fn entries(place: &Place) -> Vec<(u32, Option<f32>, Option<f32>)> {
    let both = [place.draft.as_ref(), place.target.as_ref()];
    let mut ids: Vec<u32> = both
        .iter()
        .flatten()
        .flat_map(|distribution| distribution.iter().map(|(id, _)| id))
        .chain(place.drawn.iter().map(|(id, ..)| *id))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let of = |distribution: Option<&Distribution>, id| {
        distribution.and_then(|distribution| distribution.prob(id))
    };
    let entries: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let drawn = place.drawn.iter().find(|(drawn, ..)| *drawn == id);
            (
                id,
                of(place.draft.as_ref(), id).or_else(|| drawn?.1),
                of(place.target.as_ref(), id).or_else(|| drawn?.2),
            )
        })
        .collect();
    let larger = |(_, draft, target): &(u32, Option<f32>, Option<f32>)| {
        f64::from(draft.unwrap_or(0.0).max(target.unwrap_or(0.0)))
    };
    let ranks = ranked(entries.iter().map(larger));
    ranks.into_iter().map(|place| entries[place]).collect()
}

#[component]
fn Table(
    /// What is in it.
    place: Place,
    /// Where another token can be picked.
    picking: Picking,
    /// Whether it is unfolded, which it stays while the place changes.
    open: RwSignal<bool>,
) -> impl IntoView {
    let store = use_store();
    let number =
        |value: Option<f32>| value.map_or_else(|| "–".to_owned(), |value| decimal(value, 4));
    let rows = move || {
        let entries = entries(&place);
        let tokens: Vec<u32> = entries.iter().map(|(token, ..)| *token).collect();
        let stop = Memo::new(move |_| picking.stop(&tokens, tokens.first().copied()));
        entries
            .into_iter()
            .map(|(token, draft, target)| {
                view! {
                    <tr>
                        <th scope="row">
                            {if place.standing == Standing::Stands {
                                picking.button(token, stop).into_any()
                            } else {
                                store.show(token).into_any()
                            }}
                        </th>
                        <td>{number(draft)}</td>
                        <td>{number(target)}</td>
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <Folded open=open name=tr!("Probabilities")>
            {framed(
                tr!("Probabilities"),
                vec![tr!("token"), tr!("draft"), tr!("target")],
                rows.clone().into_any(),
            )}
        </Folded>
    }
}
