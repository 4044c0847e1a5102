//! One clock per token, run at two speeds.

use couplet_playback::{grouped, tr};
use couplet_speculation::couplings::ClockPair;
use couplet_speculation::ranked;
use leptos::prelude::*;

use crate::couplings::clock::Clock;
use crate::couplings::exhibit::{Drawn, Row};

const LEFT: f64 = 44.0;
const RIGHT: f64 = 288.0;
const BASE: f64 = 119.0;
/// Clocks that are drawn; of more, the soonest.
const DRAWN: usize = 8;

/// The clocks that are drawn, by their tokens.
fn drawn_clocks(clocks: &[ClockPair]) -> Vec<usize> {
    let soonest = |pair: &ClockPair| {
        let of = |time: Option<f32>| time.map_or(f64::INFINITY, f64::from);
        of(pair.draft).min(of(pair.target))
    };
    let mut order = ranked(clocks.iter().map(|pair| -soonest(pair)));
    order.truncate(DRAWN);
    order.sort_unstable();
    order
}

/// When the draft's and the target's winner ring, in the clocks' own time.
fn winners_ring(drawn: &Drawn, clocks: &[ClockPair]) -> [Option<f64>; 2] {
    let (draft, target) = (drawn.outcome.draft, drawn.outcome.target);
    [
        clocks.get(draft).and_then(|pair| pair.draft),
        clocks.get(target).and_then(|pair| pair.target),
    ]
    .map(|time| time.map(f64::from))
}

/// When the draft's and the target's winner ring, of the time that is drawn.
pub fn rings(drawn: &Drawn, clocks: &[ClockPair]) -> [f64; 2] {
    let ring = winners_ring(drawn, clocks);
    let end = length(&drawn_clocks(clocks), clocks, ring);
    ring.map(|time| time.map_or(1.0, |time| time / end))
}

/// The clocks, as far as the time is. `clocks`: (tokens).
pub fn drawing(drawn: &Drawn, clocks: &[ClockPair], clock: Clock) -> impl IntoView + use<> {
    let order = drawn_clocks(clocks);
    let hidden = clocks.len() - order.len();
    let winners = [drawn.outcome.draft, drawn.outcome.target];
    let end = length(&order, clocks, winners_ring(drawn, clocks));
    let x = move |time: f64| LEFT + (time / end).min(1.0) * (RIGHT - LEFT);
    let front = move || clock.at.get() * end;
    let row_height = (BASE - 6.0) / order.len() as f64;
    // Words lie over the lines of the rows that follow.
    let mut said = Vec::new();
    let rows = order
        .into_iter()
        .enumerate()
        .map(|(rank, token)| {
            let y = 5.0 + (rank as f64 + 0.5) * row_height;
            let apart = (row_height * 0.22).min(5.0);
            let pair = clocks[token];
            let wins = winners.map(|winner| winner == token);
            // Beside its own line: that of the same clock in the other race runs on.
            let words = match wins {
                [true, true] => Some((tr!("first for both"), y)),
                [true, false] => Some((tr!("first for draft"), y - apart)),
                [false, true] => Some((tr!("first for target"), y + apart)),
                [false, false] => None,
            };
            let rung = [pair.draft, pair.target]
                .into_iter()
                .zip(wins)
                .filter(|(_, wins)| *wins)
                .filter_map(|(time, _)| time)
                .map(f64::from)
                .fold(0.0, f64::max);
            said.extend(words.map(|(words, y)| {
                view! {
                    <text class="rings halo" class:away=move || front() < rung x=format!("{:.1}", x(rung) + 10.0) y=format!("{:.1}", y + 4.5)>
                        {words}
                    </text>
                }
            }));
            let on = wins[0] || wins[1];
            let label: String = drawn.exact.label(token).chars().take(5).collect();
            view! {
                <path class="grid" d=format!("M{LEFT} {y:.1}H{RIGHT}") />
                <text class="letter" class:on=on x=format!("{:.1}", LEFT - 8.0) y=format!("{:.1}", y + 4.5) text-anchor="end">{label}</text>
                {race(Row::Draft, pair.draft, wins[0], y - apart, end, clock)}
                {race(Row::Target, pair.target, wins[1], y + apart, end, clock)}
            }
        })
        .collect_view();
    let others = (hidden > 0).then(|| {
        view! {
            <text class="number small" x=LEFT.to_string() y="133">
                {tr!("{} more clocks ring later", grouped(hidden))}
            </text>
        }
    });
    view! {
        {rows}
        {said}
        <path class="axis" d=format!("M{LEFT} 3V{BASE}H{RIGHT}") />
        {others}
        <text class="number small" x=RIGHT.to_string() y="133" text-anchor="end">{tr!("time")}</text>
    }
}

/// How much time is drawn: most of the clocks ring in it, and the later winner before its middle,
/// so that words fit after it.
fn length(shown: &[usize], clocks: &[ClockPair], winners: [Option<f64>; 2]) -> f64 {
    let last_winner = winners.into_iter().flatten().fold(1e-6, f64::max);
    let mut times: Vec<f64> = shown
        .iter()
        .flat_map(|token| [clocks[*token].draft, clocks[*token].target])
        .flatten()
        .map(f64::from)
        .collect();
    times.sort_by(f64::total_cmp);
    let most = times.get(times.len() * 3 / 4).or(times.last());
    let wanted = most.map_or(0.0, |time| time * 1.04);
    wanted.clamp(last_winner * 2.4, last_winner * 12.0)
}

/// One clock in one race: a line that grows with the time, and a mark where it rings.
fn race(row: Row, time: Option<f32>, wins: bool, y: f64, end: f64, clock: Clock) -> AnyView {
    let Some(time) = time.map(f64::from) else {
        return ().into_any();
    };
    let x = move |time: f64| LEFT + (time / end).min(1.0) * (RIGHT - LEFT);
    let line = move || format!("M{LEFT} {y:.1}H{:.1}", x(time.min(clock.at.get() * end)));
    let name = row.name();
    let class = if wins {
        format!("race {name} wins")
    } else {
        format!("race {name}")
    };
    let size = if wins { 4.6 } else { 3.0 };
    let late = time > end;
    let away = move || late || clock.at.get() * end < time - 1e-9;
    let at = x(time);
    let mark = match row {
        Row::Draft => view! { <circle cx=format!("{at:.1}") cy=format!("{y:.1}") r=size.to_string() class:away=away /> }.into_any(),
        Row::Target => view! {
            <rect x=format!("{:.1}", at - size) y=format!("{:.1}", y - size) width=(2.0 * size).to_string()
                height=(2.0 * size).to_string() class:away=away />
        }
        .into_any(),
    };
    view! { <g class=class><path d=line />{mark}</g> }.into_any()
}
