//! Noise that draft and target share, drawn: the race of clocks and the board with the darts.

use couplet_playback::{Board, Cut, Proposal, Race, Runner, Throw, decimal, grouped, tr};
use leptos::prelude::*;

use super::bars::bars;
use super::columns::Status;
use super::gauge::{BAR, BASE, Bars, SHIFT, TOP, WIDTH, probability};
use crate::store::Store;
use crate::words::cut_to;

/// Where the race is won.
const FINISH: f64 = 114.0;
const LANE: f64 = 33.0;

/// The earliest tokens of both models. In each model the first has reached the line, and the
/// others are as far as they are by then.
pub fn race(store: Store, proposal: &Proposal, race: Race, status: Memo<Status>) -> AnyView {
    let pieces = store
        .pair()
        .is_some_and(|pair| Cut::of(&pair.tokens) == Cut::WordPieces);
    let (start, letters) = if pieces { (54.0, 6) } else { (24.0, 2) };
    let own = proposal
        .verdict
        .as_ref()
        .and_then(|verdict| verdict.own_token);
    let far = |time: Option<f32>, first: Option<f32>| {
        let (time, first) = (time?, first?);
        Some(f64::from(first / time) * (FINISH - start))
    };
    let lanes = race
        .runners
        .iter()
        .enumerate()
        .map(|(index, runner)| {
            let y = TOP + index as f64 * LANE;
            let draft = far(runner.draft, Some(race.draft_first)).unwrap_or(0.0);
            let target = far(runner.target, race.target_first).unwrap_or(0.0);
            let wins = runner.token == proposal.token || Some(runner.token) == own;
            let bar = |class: &'static str, y: f64, width: f64| {
                (width > 0.2).then(|| {
                    view! {
                        <rect class=class x=start.to_string() y=format!("{y:.1}") width=format!("{width:.1}") height="11" />
                    }
                })
            };
            let runner = *runner;
            view! {
                <g>
                    <title>{move || told(store.show(runner.token), &runner, status.get())}</title>
                    <text class="letter" class:on=wins x=format!("{:.1}", start - 6.0) y=format!("{:.1}", y + 16.0)
                        text-anchor="end">
                        {cut_to(&store.show(runner.token), letters)}
                    </text>
                    {bar("bar-draft", y, draft)}
                    {bar("bar-hatch", y, draft)}
                    {bar("bar-outline", y, draft)}
                    <g class="bar-run">{bar("bar-target", y + 12.0, target)}</g>
                </g>
            }
        })
        .collect_view();
    let label = move || tr!("Race, {}", heard(store, &race, status.get()));
    view! {
        <svg class="figure" viewBox=format!("0 0 {WIDTH} 150") role="img" aria-label=label>
            <path class="axis" d=format!("M{start} {:.1}V146", TOP - 6.0) />
            {lanes}
            <path class="threshold" d=format!("M{FINISH} {:.1}V146", TOP - 2.0) />
            <text class="small" x=FINISH.to_string() y=format!("{:.1}", TOP - 5.0) text-anchor="end">{tr!("finish")}</text>
        </svg>
    }
    .into_any()
}

/// A runner's clock and arrivals, those of the target once it was asked.
fn told(name: String, runner: &Runner, status: Status) -> String {
    let digits = |time: f32| decimal(time, 3);
    let clock = digits(runner.clock);
    let clock = tr!("{token}: clock {clock}", token = name, clock);
    let draft = runner.draft.map(digits);
    let draft = draft.map(|time| tr!("clock / draft {}", time));
    let target = runner.target.filter(|_| status != Status::Pencil);
    let target = target.map(|time| tr!("clock / target {}", digits(time)));
    let told: Vec<String> = [clock].into_iter().chain(draft).chain(target).collect();
    told.join(", ")
}

fn heard(store: Store, race: &Race, status: Status) -> String {
    let told = |runner: &Runner| told(store.say(runner.token), runner, status);
    let runners: Vec<String> = race.runners.iter().map(told).collect();
    runners.join("; ")
}

/// The drafted token's bars with the draft's first dart and, where it is another token, the
/// target's own with the target's first.
pub fn board(
    store: Store,
    proposal: &Proposal,
    probs: Bars,
    darts: &Board,
    status: Memo<Status>,
) -> AnyView {
    /// The board stands higher than other bars: names and numbers are below it.
    const GROUND: f64 = 110.0;
    /// Where the bars of the drafted token begin, and of another.
    const PLACES: [f64; 2] = [14.0, 76.0];
    let scale = probs.scale() * (GROUND - TOP) / (BASE - TOP);
    let top = |prob: f32| GROUND - f64::from(prob) * scale;
    let middle = |place: usize| PLACES[place] + (BAR + SHIFT) / 2.0;
    let dart = |place: usize, throw: Throw| {
        let y = GROUND - throw.height * scale;
        view! { <circle class="dart" cx=format!("{:.1}", middle(place)) cy=format!("{y:.1}") r="3.6" /> }
    };
    let below = |place: usize, token: u32, class: &'static str, number: String| {
        view! {
            <text class="letter on" x=format!("{:.1}", middle(place)) y="126" text-anchor="middle">
                {cut_to(&store.show(token), 8)}
            </text>
            <text class=format!("number {class}") x=format!("{:.1}", middle(place)) y="143" text-anchor="middle">
                {number}
            </text>
        }
    };
    let nth = |throw: Throw| grouped(throw.number as usize);
    let same = |throw: &Throw| throw.token == proposal.token;
    // The target may pass over the draft's dart and still hit the same token later.
    let again = darts
        .target
        .filter(same)
        .filter(|throw| throw.number != darts.draft.number);
    let numbers = again.map_or_else(
        || tr!("dart {}", nth(darts.draft)),
        |throw| format!("{}, {}", nth(darts.draft), nth(throw)),
    );
    let other = darts.target.filter(|throw| !same(throw)).and_then(|throw| {
        let verdict = proposal.verdict.as_ref()?;
        let target = verdict.distribution.prob(throw.token)?;
        let draft = proposal.distribution.prob(throw.token).unwrap_or(0.0);
        Some(view! {
            <g class="late">
                {bars(PLACES[1], GROUND, scale, f64::from(draft), f64::from(target), BAR, SHIFT)}
                {dart(1, throw)}
                {below(1, throw.token, "on-target", tr!("dart {}", nth(throw)))}
                <text class="number on-target halo" x=format!("{:.1}", PLACES[1] + SHIFT + BAR / 2.0)
                    y=format!("{:.1}", top(target.max(draft)) - 4.0) text-anchor="middle">
                    {probability(target)}
                </text>
            </g>
        })
    });
    let target = probs.target.unwrap_or(0.0);
    let draft = probs.draft.unwrap_or(0.0);
    let beside = (top(target) + 9.0).clamp(TOP + 4.0, GROUND - 3.0);
    let (first, its) = (darts.draft, darts.target);
    let label = move || {
        let parts = |throw: Throw| {
            let height = decimal(throw.height, 3);
            (throw.number, store.say(throw.token), height)
        };
        let (number, token, height) = parts(first);
        let draft = tr!(
            "dart {number} is the draft’s first, on {token} at {height}",
            number,
            token,
            height
        );
        let target = its.filter(|_| status.get().is_judged()).map(|throw| {
            let (number, token, height) = parts(throw);
            tr!(
                "dart {number} is the target’s first, on {token} at {height}",
                number,
                token,
                height
            )
        });
        let told: Vec<String> = [draft].into_iter().chain(target).collect();
        tr!("Board: {}", told.join("; "))
    };
    view! {
        <svg class="figure" viewBox=format!("0 0 {WIDTH} 150") role="img" aria-label=label>
            <path class="axis" d=format!("M0 {:.1}H{WIDTH}", GROUND + 0.5) />
            {bars(PLACES[0], GROUND, scale, f64::from(draft), f64::from(target), BAR, SHIFT)}
            <text class="number on-draft halo" x=format!("{:.1}", PLACES[0] + SHIFT) y=format!("{:.1}", top(draft) - 4.0)
                text-anchor="end">
                {probability(draft)}
            </text>
            <text class="number on-target halo" x=format!("{:.1}", PLACES[0] + BAR + SHIFT + 2.0) y=format!("{beside:.1}")>
                {(target > 0.0).then(|| probability(target))}
            </text>
            {dart(0, darts.draft)}
            {below(0, proposal.token, "on-draft", numbers)}
            {again.map(|throw| view! { <g class="late">{dart(0, throw)}</g> })}
            {other}
        </svg>
    }
    .into_any()
}
