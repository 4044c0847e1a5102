//! One way of drawing: what it does, a throw of it, its joint distribution, how often it agrees.

use couplet_playback::{decimal, grouped, tr};
use couplet_speculation::couplings::Coupling;
use couplet_speculation::ranked;
use leptos::prelude::*;

use super::exhibit::{Cells, Exact, use_exhibit};
use super::line::title;
use super::mark::mark_icon;
use super::matrix::matrix;
use super::mechanism;
use super::throwing::{Board, Measured, Throwing, name_of};
use crate::table::Folded;
use crate::words::{at_95, backend};

fn shares(coupling: Coupling) -> String {
    match coupling {
        Coupling::Independent => tr!("nothing shared"),
        Coupling::MinHash | Coupling::Gumbel => tr!("shared chance only"),
        Coupling::Optimal => tr!("must see both"),
    }
}

fn sentence(coupling: Coupling, exact: &Exact) -> String {
    match coupling {
        Coupling::Independent => tr!("Two separate draws. They agree only by luck."),
        Coupling::MinHash => {
            tr!("Both throw the same darts; each keeps the first that lands under its own bar.")
        }
        Coupling::Gumbel => {
            tr!(
                "Each {noun} gets a shared clock: the more probable, the faster. First to ring wins.",
                noun = exact.kind().noun(1)
            )
        }
        Coupling::Optimal => {
            tr!("Lay the shared mass together. Differ only on what is left. Needs to see both.")
        }
    }
}

/// The card.
#[component]
pub fn Card(coupling: Coupling) -> impl IntoView {
    let exhibit = use_exhibit();
    let index = Coupling::ALL
        .iter()
        .position(|other| *other == coupling)
        .unwrap_or_default();
    let board = exhibit.boards[index];
    let drawn = Memo::new(move |_| exhibit.drawn(coupling));
    let exact_rate = move || exhibit.exact.with(|exact| exact.agreement[index]);
    let counted = Memo::new(move |_| {
        exhibit.cells.get() == Cells::Measured && board.measured.with(Option::is_some)
    });
    let cells = move || {
        let exact = exhibit.exact.get();
        match board.measured.get().filter(|_| counted.get()) {
            Some(measured) => matrix(
                &exact,
                &shares_of(&measured),
                label(coupling, Cells::Measured),
            )
            .into_any(),
            None => match exact.pair.joint(coupling) {
                Ok(joint) => {
                    matrix(&exact, joint.probs(), label(coupling, Cells::Exact)).into_any()
                }
                Err(error) => view! { <p class="muted">{error.to_string()}</p> }.into_any(),
            },
        }
    };
    let name = name_of(coupling).name();
    view! {
        <article class="card coupling-card" data-testid=format!("card-{name}") aria-labelledby=format!("{name}-title")>
            <header>
                {mark_icon(coupling)}
                <h3 id=format!("{name}-title")>{title(coupling)}</h3>
                <span class="muted">{shares(coupling)}</span>
            </header>
            <p class="serif what">{move || exhibit.exact.with(|exact| sentence(coupling, exact))}</p>
            {move || drawn.with(|drawn| mechanism::drawing(coupling, drawn, exhibit.clock))}
            <p class="muted outcome" class:waits=move || exhibit.clock.at.get() < 1.0 data-testid=format!("outcome-{name}")>
                {move || drawn.with(mechanism::outcome)}
            </p>
            <div class="joint">
                <div class="joint-scroll">{cells}</div>
                <dl>
                    <dt>{tr!("same token, exact")}</dt>
                    <dd class="exact" data-testid=format!("exact-{name}")>{move || decimal(exact_rate(), 3)}</dd>
                    <dt>
                        {move || match board.measured.with(|measured| measured.as_ref().map(|measured| measured.trials)) {
                            Some(trials) => tr!("measured, {} pairs", grouped(trials as usize)),
                            None => tr!("measured"),
                        }}
                    </dt>
                    <dd class="measured" data-testid=format!("measured-{name}")>
                        {move || board.measured.with(|measured| measured.as_ref().map_or_else(|| "–".to_owned(), |measured| decimal(measured.rate(), 3)))}
                    </dd>
                    <dd class="muted">
                        {move || board.measured.with(|measured| measured.as_ref().map(|measured| {
                            let [low, high] = measured.interval();
                            at_95(decimal(low, 3), decimal(high, 3))
                        }))}
                    </dd>
                    <dd class="muted state" data-testid=format!("state-{name}")>{move || state(&board.state.get(), board.measured.get().as_ref())}</dd>
                </dl>
            </div>
            <JointTable coupling=coupling board=board counted=counted />
        </article>
    }
}

fn label(coupling: Coupling, cells: Cells) -> String {
    let title = title(coupling);
    match cells {
        Cells::Exact => tr!(
            "Joint distribution, exact, {title}; rows draft, columns target",
            title
        ),
        Cells::Measured => tr!(
            "Joint distribution, measured, {title}; rows draft, columns target",
            title
        ),
    }
}

fn shares_of(measured: &Measured) -> Vec<f64> {
    let trials = measured.trials as f64;
    measured
        .counts
        .iter()
        .map(|count| *count as f64 / trials)
        .collect()
}

/// What the measurement is up to, and where it was made.
fn state(state: &Throwing, measured: Option<&Measured>) -> String {
    match (state, measured) {
        (Throwing::UnderWay(trials), _) => {
            tr!("throwing {} pairs…", grouped(*trials as usize))
        }
        (Throwing::Failed(said), _) => said.now(),
        (Throwing::Idle, Some(measured)) => {
            let place = measured.backends.iter().copied().map(backend);
            let place = place.collect::<Vec<_>>().join(" + ");
            tr!(
                "on the {place} in {milliseconds}\u{a0}ms",
                place,
                milliseconds = measured.milliseconds.round().max(1.0)
            )
        }
        (Throwing::Idle, None) => tr!("not thrown yet"),
    }
}

/// Tokens beyond which the table would be a wall of numbers: the largest cells are listed then.
const WHOLE: usize = 12;
const LISTED: usize = 40;

/// What the cells above show, exact or measured, in numbers.
#[component]
fn JointTable(coupling: Coupling, board: Board, counted: Memo<bool>) -> impl IntoView {
    let exhibit = use_exhibit();
    let open = RwSignal::new(false);
    let name = move || match counted.get() {
        true => label(coupling, Cells::Measured),
        false => label(coupling, Cells::Exact),
    };
    let table = move || {
        let exact = exhibit.exact.get();
        let measured = board.measured.get().filter(|_| counted.get());
        let probs = match (measured, exact.pair.joint(coupling)) {
            (Some(measured), _) => shares_of(&measured),
            (None, Ok(joint)) => joint.probs().to_vec(),
            (None, Err(_)) => return ().into_any(),
        };
        if exact.len() <= WHOLE {
            whole(&exact, &probs, name()).into_any()
        } else {
            listed(&exact, &probs, name()).into_any()
        }
    };
    view! {
        <Folded open=open name=title(coupling)>
            <div class="table-scroll" tabindex="0" role="region" aria-label=name>{table}</div>
        </Folded>
    }
}

fn whole(exact: &Exact, probs: &[f64], name: String) -> impl IntoView + use<> {
    let rows = probs
        .chunks(exact.len())
        .enumerate()
        .map(|(token, row)| {
            let cells = row
                .iter()
                .map(|prob| view! { <td>{decimal(*prob, 4)}</td> })
                .collect_view();
            view! { <tr><th scope="row">{exact.label(token)}</th>{cells}</tr> }
        })
        .collect_view();
    let heads = (0..exact.len())
        .map(|token| view! { <th scope="col">{exact.label(token)}</th> })
        .collect_view();
    view! {
        <table aria-label=name>
            <thead><tr><th scope="col">{tr!("draft \\ target")}</th>{heads}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn listed(exact: &Exact, probs: &[f64], name: String) -> impl IntoView + use<> {
    let rows = ranked(probs.iter().copied())
        .into_iter()
        .take(LISTED)
        .map(|index| {
            let (draft, target) = (exact.label(index / exact.len()), exact.label(index % exact.len()));
            view! { <tr><th scope="row">{draft}</th><td>{target}</td><td>{decimal(probs[index], 4)}</td></tr> }
        })
        .collect_view();
    view! {
        <table aria-label=name>
            <caption>{tr!("the {} most probable pairs", LISTED)}</caption>
            <thead><tr><th scope="col">{tr!("draft")}</th><th scope="col">{tr!("target")}</th><th scope="col">{tr!("both")}</th></tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}
