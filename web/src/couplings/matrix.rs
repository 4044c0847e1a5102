//! Joint distributions: rows are the draft's tokens, columns the target's.

use std::fmt::Write;

use couplet_playback::tr;
use leptos::prelude::*;

use super::exhibit::Exact;
use crate::words::Kind;

const LEFT: f64 = 46.0;
const TOP: f64 = 40.0;
const SIDE: f64 = 150.0;
/// Room before all that for words of the corner that are longer than it.
const BEFORE: f64 = 8.0;
/// More tokens than this make a map without digits.
const WRITTEN: usize = 8;
/// Up to so many tokens the cells of a map are large enough to be told apart.
const MAPPED: usize = 20;
/// Shades of a map.
const SHADES: usize = 12;
/// The darkest shade, so that digits keep their contrast.
const DARKEST: f64 = 0.46;

/// The least probability of a cell with a digit: of less, rounded, nothing would be left.
const LEAST_WRITTEN: f64 = 0.005;

/// How dark a cell is, 0 to 1. `full` is the probability of the darkest.
fn shade(prob: f64, full: f64, power: f64) -> f64 {
    0.12 + 0.88 * (prob / full).min(1.0).powf(power)
}

/// The matrix with the marginal distributions beside it. `probs`: row after row, (tokens, tokens).
pub fn matrix(exact: &Exact, probs: &[f64], label: String) -> impl IntoView + use<> {
    let tokens = exact.len();
    let cell = SIDE / tokens as f64;
    let written = tokens <= WRITTEN;
    // Where cells have digits, one without is empty.
    let least = if written { LEAST_WRITTEN } else { 1e-9 };
    let gap = match tokens {
        _ if written => 1.5,
        _ if tokens <= MAPPED => 0.8,
        _ => 0.0,
    };
    // The diagonal would leave everything beside it pale.
    let largest = |diagonal: bool| {
        let of = probs.iter().enumerate();
        of.filter(|(index, _)| (index % (tokens + 1) == 0) == diagonal)
            .map(|(_, prob)| *prob)
            .fold(1e-6, f64::max)
    };
    let full = [largest(false).max(largest(true) / 4.0), largest(true)];
    // Cells of a few pixels need more ink to be seen at all.
    let power = if tokens <= MAPPED { 0.5 } else { 0.3 };
    let mut shades = vec![String::new(); 2 * (SHADES + 1)];
    for (index, prob) in probs.iter().enumerate() {
        if *prob < least {
            continue;
        }
        let (row, column) = (index / tokens, index % tokens);
        let diagonal = usize::from(row == column);
        let level = (shade(*prob, full[diagonal], power) * SHADES as f64).ceil() as usize;
        let (x, y) = (LEFT + column as f64 * cell, TOP + row as f64 * cell);
        let side = cell - gap;
        let path = &mut shades[diagonal * (SHADES + 1) + level.min(SHADES)];
        let _ = write!(path, "M{x:.2} {y:.2}h{side:.2}v{side:.2}h-{side:.2}z");
    }
    let filled = shades
        .into_iter()
        .enumerate()
        .filter(|(_, path)| !path.is_empty())
        .map(|(index, path)| {
            let class = if index > SHADES { "cell same" } else { "cell" };
            let level = (index % (SHADES + 1)) as f64 / SHADES as f64;
            let most = if written { DARKEST } else { 0.95 };
            view! { <path class=class d=path style=format!("opacity:{:.3}", level * most) /> }
        })
        .collect_view();
    let digits = written.then(|| digits(probs, tokens, cell));
    view! {
        <svg class="matrix" viewBox=format!("{} 0 {} 194", -BEFORE, 200.0 + BEFORE) role="img" aria-label=label>
            {filled}
            {frames(tokens, cell, gap, written)}
            {digits}
            {marginals(exact, cell)}
            <text class="matrix-side on-target" x=LEFT - 2.0 y=TOP - 18.0 text-anchor="end">{tr!("target")}" →"</text>
            <text class="matrix-side on-draft" x=LEFT - 2.0 y=TOP - 5.0 text-anchor="end">{tr!("draft")}" ↓"</text>
        </svg>
    }
}

fn frames(tokens: usize, cell: f64, gap: f64, written: bool) -> impl IntoView {
    let side = cell - gap;
    let square = |row: usize, column: usize| {
        let (x, y) = (LEFT + column as f64 * cell, TOP + row as f64 * cell);
        format!("M{x:.2} {y:.2}h{side:.2}v{side:.2}h-{side:.2}z")
    };
    let all = written.then(|| {
        let cells = (0..tokens).flat_map(|row| (0..tokens).map(move |column| (row, column)));
        let path: String = cells.map(|(row, column)| square(row, column)).collect();
        view! { <path class="cell-frame" d=path /> }
    });
    let diagonal = written.then(|| {
        let path: String = (0..tokens).map(|token| square(token, token)).collect();
        view! { <path class="cell-frame same" d=path /> }
    });
    let border = (!written).then(|| {
        view! { <path class="cell-frame" d=format!("M{LEFT} {TOP}h{SIDE}v{SIDE}h-{SIDE}z") /> }
    });
    view! { {all} {diagonal} {border} }
}

fn digits(probs: &[f64], tokens: usize, cell: f64) -> impl IntoView + use<> {
    probs
        .iter()
        .enumerate()
        .filter(|(_, prob)| **prob >= LEAST_WRITTEN)
        .map(|(index, prob)| {
            let (row, column) = (index / tokens, index % tokens);
            let (x, y) = (
                LEFT + (column as f64 + 0.5) * cell - 0.7,
                TOP + (row as f64 + 0.5) * cell + 3.8,
            );
            view! {
                <text class="number" x=format!("{x:.1}") y=format!("{y:.1}") text-anchor="middle">
                    {format!("{}", (prob * 100.0).round())}
                </text>
            }
        })
        .collect_view()
}

fn marginals(exact: &Exact, cell: f64) -> impl IntoView + use<> {
    let largest = exact.largest().max(1e-6);
    let (across, down) = (22.0 / largest, 15.0 / largest);
    let thick = (cell * 0.68).max(0.6);
    let inset = (cell - thick) / 2.0;
    // Words have no room beside cells of a few pixels.
    let letters = exact.kind() == Kind::Letter;
    let named = exact.len() <= 12 || letters;
    let needed = if letters { 12.5 } else { 15.0 };
    let every = (needed / cell).ceil().max(1.0) as usize;
    let longest = (cell / 9.0).clamp(2.0, 4.0) as usize;
    (0..exact.len())
        .map(|token| {
            let (draft, target) = (
                exact.pair.draft_probs()[token],
                exact.pair.target_probs()[token],
            );
            let place = token as f64 * cell;
            let bar = |class: &'static str| {
                view! {
                    <rect class=class x=format!("{:.1}", LEFT - 4.0 - draft * across) y=format!("{:.2}", TOP + place + inset)
                        width=format!("{:.1}", draft * across) height=format!("{thick:.2}") />
                }
            };
            let hatched = exact.len() <= WRITTEN;
            let label = (token % every == 0 && named).then(|| {
                let label: String = exact.label(token).chars().take(longest).collect();
                let column = label.clone();
                let class = if exact.len() <= WRITTEN && label.chars().count() < 3 { "letter" } else { "letter small" };
                view! {
                    <text class=class x=format!("{:.1}", LEFT + place + cell / 2.0) y="16" text-anchor="middle">{column}</text>
                    <text class=class x=(1.0 - BEFORE).to_string() y=format!("{:.1}", TOP + place + cell / 2.0 + 4.0)>{label}</text>
                }
            });
            view! {
                <rect class="bar-target" x=format!("{:.2}", LEFT + place + inset) y=format!("{:.1}", TOP - 4.0 - target * down)
                    width=format!("{thick:.2}") height=format!("{:.1}", target * down) />
                {bar("bar-draft")}
                {hatched.then(|| view! { {bar("bar-hatch")} {bar("bar-outline")} })}
                {(!hatched).then(|| bar("bar-thin"))}
                {label}
            }
        })
        .collect_view()
}
