//! Darts on a board with one column per token; the first below each row counts.

use couplet_playback::{grouped, tr};
use couplet_speculation::couplings::DartPair;
use leptos::prelude::*;

use super::WIDTH;
use crate::couplings::clock::Clock;
use crate::couplings::exhibit::Drawn;
use crate::stage::bars::bars;

const BASE: f64 = 112.0;
/// Where the board is cut off: higher darts are drawn in the strip above.
const CUT: f64 = 20.0;
const LEFT: f64 = 12.0;
/// Darts before the deciding ones that are drawn.
const DRAWN: usize = 16;
/// More tokens than this have no letters.
const LETTERED: usize = 16;

/// A dart and what it decides.
struct Thrown<'a> {
    dart: &'a DartPair,
    /// Its number among the darts on the board, from 1.
    number: usize,
    draft: bool,
    target: bool,
}

impl Thrown<'_> {
    fn decides(&self) -> bool {
        self.draft || self.target
    }
}

/// Every dart with its number and what it decides. Only the last one can have others between it
/// and the one listed before, and its number is how many were thrown.
fn numbered(darts: &[DartPair], thrown: usize) -> Vec<Thrown<'_>> {
    let (mut draft_waits, mut target_waits) = (true, true);
    darts
        .iter()
        .enumerate()
        .map(|(index, dart)| {
            let draft = draft_waits && dart.under_draft;
            let target = target_waits && dart.under_target;
            draft_waits &= !draft;
            target_waits &= !target;
            let last = index + 1 == darts.len();
            Thrown {
                dart,
                number: if last { thrown } else { index + 1 },
                draft,
                target,
            }
        })
        .collect()
}

/// The darts in words.
pub fn outcome(drawn: &Drawn, darts: &[DartPair], thrown: usize) -> String {
    let all = numbered(darts, thrown);
    let of =
        |find: fn(&Thrown<'_>) -> bool| all.iter().find(|dart| find(dart)).map(|dart| dart.number);
    let label = |token| drawn.exact.label(token);
    let (draft, target) = (label(drawn.outcome.draft), label(drawn.outcome.target));
    match (of(|dart| dart.draft), of(|dart| dart.target)) {
        (Some(a), Some(b)) if a == b => {
            tr!(
                "dart {dart} counts for both: both {draft}",
                dart = grouped(a),
                draft
            )
        }
        (Some(a), Some(b)) if drawn.outcome.agrees() => tr!(
            "draft keeps dart {}, target dart {}: both {}",
            grouped(a),
            grouped(b),
            draft
        ),
        (Some(a), Some(b)) => tr!(
            "draft keeps dart {}, target dart {}: {} and {}, they differ",
            grouped(a),
            grouped(b),
            draft,
            target
        ),
        _ => tr!("draft keeps {draft}, target {target}", draft, target),
    }
}

/// Places in `all` of the darts that are drawn, in their order.
fn drawn_darts(all: &[Thrown<'_>]) -> Vec<usize> {
    let from = all.len().saturating_sub(DRAWN);
    (0..all.len())
        .filter(|index| *index >= from || all[*index].decides())
        .collect()
}

/// When the darts land that the draft and the target keep.
pub fn lands(darts: &[DartPair], thrown: usize) -> [f64; 2] {
    let all = numbered(darts, thrown);
    let shown = drawn_darts(&all);
    let after = |keeps: fn(&Thrown<'_>) -> bool| {
        let rank = shown.iter().position(|index| keeps(&all[*index]));
        rank.map_or(1.0, |rank| (rank + 1) as f64 / shown.len() as f64)
    };
    [after(|dart| dart.draft), after(|dart| dart.target)]
}

/// The board and its darts, as far as they are thrown.
pub fn drawing(
    drawn: &Drawn,
    darts: &[DartPair],
    thrown: usize,
    clock: Clock,
) -> impl IntoView + use<> {
    let exact = &drawn.exact;
    let tokens = exact.len();
    let column = (WIDTH - 2.0 * LEFT) / tokens as f64;
    let full = (exact.largest() * 1.15).min(1.0);
    let scale = (BASE - CUT) / full;
    let wide = (column * 0.5).min(38.0);
    let shift = wide * 0.45;
    let board = (0..tokens)
        .map(|token| {
            let middle = LEFT + (token as f64 + 0.5) * column;
            let label = exact.label(token);
            let label = (tokens <= LETTERED && label.chars().count() <= 3).then(|| {
                view! { <text class="letter" x=format!("{middle:.1}") y=format!("{}", BASE + 17.0) text-anchor="middle">{label}</text> }
            });
            let frame = (tokens <= LETTERED).then(|| {
                view! {
                    <rect class="board" x=format!("{:.1}", middle - column * 0.42) y="4" width=format!("{:.1}", column * 0.84)
                        height=(BASE - 4.0).to_string() />
                }
            });
            view! {
                {frame}
                {bars(
                    middle - (wide + shift) / 2.0,
                    BASE,
                    scale,
                    exact.pair.draft_probs()[token],
                    exact.pair.target_probs()[token],
                    wide,
                    shift,
                )}
                {label}
            }
        })
        .collect_view();
    let all = numbered(darts, thrown);
    let shown: Vec<&Thrown<'_>> = drawn_darts(&all)
        .into_iter()
        .map(|index| &all[index])
        .collect();
    let count = shown.len() as f64;
    let times: Vec<f64> = (1..=shown.len()).map(|rank| rank as f64 / count).collect();
    let timed = times.into_iter().zip(shown.iter().copied());
    // Those that count lie on top.
    let (on_top, mut timed): (Vec<_>, Vec<_>) = timed.partition(|(_, dart)| dart.decides());
    timed.extend(on_top);
    let numbers = thrown <= 40;
    // Those above the board stand beside each other, in the order in which they were thrown.
    let above: Vec<(usize, usize)> = shown
        .iter()
        .filter(|dart| dart.dart.height > full)
        .map(|dart| (dart.dart.token, dart.number))
        .collect();
    let mut taken = Vec::new();
    let landed = timed
        .into_iter()
        .map(|(after, dart)| {
            let high = dart.dart.height > full;
            let y = if high { 11.0 } else { BASE - dart.dart.height * scale };
            let middle = LEFT + (dart.dart.token as f64 + 0.5) * column;
            let left = middle - (wide + shift) / 2.0;
            let beside = || above.iter().filter(|(token, _)| *token == dart.dart.token);
            let gaps = beside().count().saturating_sub(1) as f64;
            let apart = ((column * 0.84 - 14.0) / gaps.max(1.0)).min(14.0);
            let x = if high {
                let rank = beside().filter(|(_, number)| *number < dart.number).count() as f64;
                middle + (rank - gaps / 2.0) * apart
            } else {
                free_place(&places(dart.dart, left, wide, shift), y, &taken)
            };
            taken.push((x, y));
            let decides = dart.decides();
            let (class, radius) = match (decides, high) {
                (true, _) if dart.number > 99 => ("dart counts", 11.0),
                (true, _) if dart.number > 9 => ("dart counts", 9.5),
                (true, _) => ("dart counts", 8.5),
                (false, true) => ("dart high", 6.5),
                (false, false) => ("dart", 7.0),
            };
            // Where numbers would lie over each other, points say how many there are.
            let numbered = numbers && !(high && (tokens > LETTERED || apart < 12.0));
            let radius = if numbered || decides { radius } else { 2.6 };
            let text = (numbered || (decides && dart.number < 1000)).then(|| {
                view! {
                    <text class="dart-number" x=format!("{x:.1}") y=format!("{:.1}", y + 3.8) text-anchor="middle">{dart.number}</text>
                }
            });
            view! {
                <g class=class class:away=move || clock.at.get() < after - 1e-9>
                    <circle cx=format!("{x:.1}") cy=format!("{y:.1}") r=radius.to_string() />
                    {text}
                </g>
            }
        })
        .collect_view();
    let left_out = (all.len().max(thrown) > shown.len()).then(|| {
        let hidden = thrown - shown.len();
        view! {
            <text class="number small" x=(WIDTH - LEFT).to_string() y=(BASE + 17.0).to_string() text-anchor="end">
                {tr!("{} more darts missed", grouped(hidden))}
            </text>
        }
    });
    view! {
        <path class="cut" d=format!("M{LEFT} {CUT}H{}", WIDTH - LEFT) />
        {board}
        <path class="axis" d=format!("M{LEFT} {}H{}", BASE + 0.5, WIDTH - LEFT) />
        {landed}
        {left_out.filter(|_| tokens > LETTERED)}
    }
}

/// Where across its column a dart on the board may be drawn. Its height is its own, the place across is
/// nobody's: a dart under a bar is drawn on the part of the bars that it is under.
fn places(dart: &DartPair, left: f64, wide: f64, shift: f64) -> [f64; 5] {
    let (from, to) = match (dart.under_draft, dart.under_target) {
        (true, true) => (left + shift, left + wide),
        (true, false) => (left, left + wide),
        (false, true) => (left + shift, left + wide + shift),
        (false, false) => (left - shift * 0.4, left + wide + shift * 1.4),
    };
    [0.5, 0.25, 0.75, 0.05, 0.95].map(|share| from + share * (to - from))
}

/// Of the places the one furthest from the darts that are `taken` already.
fn free_place(places: &[f64], y: f64, taken: &[(f64, f64)]) -> f64 {
    let room = |x: f64| {
        let distance = |(other_x, other_y): &(f64, f64)| (x - other_x).hypot(y - other_y);
        taken.iter().map(distance).fold(18.0, f64::min)
    };
    let start = (0.0, f64::NEG_INFINITY);
    let best = places.iter().fold(start, |best, &x| {
        let room = room(x);
        if room > best.1 { (x, room) } else { best }
    });
    best.0
}
