//! Two rows, two needles.

use couplet_playback::decimal;
use leptos::prelude::*;

use super::{fits, needle};
use crate::couplings::clock::Clock;
use crate::couplings::exhibit::{Drawn, Row};
use crate::stage::gauge::clear_of;

const LEFT: f64 = 22.0;
const LENGTH: f64 = 256.0;

/// When the draft's and the target's needle drop.
pub const DROPS: [f64; 2] = [0.35, 0.85];

/// `numbers`: what drew the draft's and the target's token, in (0, 1).
pub fn drawing(drawn: &Drawn, numbers: [f64; 2], clock: Clock) -> impl IntoView + use<> {
    [
        (Row::Draft, 26.0, "u", numbers[0], DROPS[0]),
        (Row::Target, 90.0, "v", numbers[1], DROPS[1]),
    ]
    .map(|(row, y, name, number, after)| {
        let x = LEFT + number * LENGTH;
        let (anchor, beside) = if number > 0.75 { ("end", -9.0) } else { ("start", 9.0) };
        view! {
            {segments(drawn, row, y, x)}
            {needle(x, y - 7.0, 38.0, after, clock)}
            <text class="needle-text" class:away=move || clock.at.get() < after x=format!("{:.1}", x + beside)
                y=format!("{:.1}", y - 6.0) text-anchor=anchor>
                <tspan class="italic">{name}</tspan>{format!(" = {}", decimal(number, 2))}
            </text>
        }
    })
    .collect_view()
}

fn segments(drawn: &Drawn, row: Row, y: f64, needle: f64) -> impl IntoView + use<> {
    let mut left = LEFT;
    let exact = &drawn.exact;
    exact
        .row(row)
        .iter()
        .enumerate()
        .map(|(token, prob)| {
            let width = prob * LENGTH;
            let x = left;
            left += width;
            let label = exact.label(token);
            let rect = |class: &'static str| {
                // Among many letters the gap between two would eat both.
                let gap = if width > 4.0 { 1.0 } else { 0.0 };
                view! { <rect class=class x=format!("{x:.2}") y=y.to_string() width=format!("{:.2}", (width - gap).max(0.0)) height="24" /> }
            };
            let bar = match row {
                Row::Draft => view! { {rect("bar-draft")} {rect("bar-hatch")} {rect("bar-outline thin")} }.into_any(),
                Row::Target if token % 2 == 1 && width <= 4.0 => rect("bar-target alternate").into_any(),
                Row::Target => rect("bar-target").into_any(),
            };
            let class = if row == Row::Target { "letter on-target-bar" } else { "letter on-draft-bar" };
            let text = fits(&label, width).then(|| {
                let middle = clear_of(needle, x, width, label.chars().count());
                view! { <text class=class x=format!("{middle:.1}") y=format!("{}", y + 17.0) text-anchor="middle">{label}</text> }
            });
            view! { {bar} {text} }
        })
        .collect_view()
}
