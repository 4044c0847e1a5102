//! The drawing of the formula: what it says of every draft length.

use couplet_playback::decimal;
use leptos::prelude::*;
use tr::tr;

use super::frame::{BOTTOM, Frame, Name, Words, even_at, gamma_axis, grid, ground, path};
use super::place::{Mark, curve_marks, free_place};
use crate::speed::words;

/// What the formula says of draft lengths from 1 on, on so many pixels.
///
/// `beside` is drawn thinner: what the same formula says of other numbers.
pub fn curve(
    speed_ups: &[f64],
    beside: Option<&[f64]>,
    width: f64,
    height: f64,
) -> impl IntoView + use<> {
    let width = width.max(220.0);
    let both = speed_ups.iter().chain(beside.unwrap_or_default());
    let largest = both.copied().fold(1.0, f64::max);
    // Few heights, so that the line moves and not the axis.
    let heights = [(2.5, 0.5), (5.0, 1.0), (10.0, 2.0), (20.0, 4.0)];
    let fits = |(high, _): &(f64, f64)| largest <= 0.92 * high;
    let (high, step) = heights.into_iter().find(fits).unwrap_or((20.0, 4.0));
    let count = speed_ups.len() as f64;
    let frame = Frame {
        width,
        bottom: height - BOTTOM,
        low: 0.0,
        high,
        first: 1.0,
        last: count,
    };
    let line = |values: &[f64]| -> Vec<(f64, f64)> {
        let gammas = (1..).map(f64::from);
        gammas.zip(values.iter().copied()).collect()
    };
    let points = line(speed_ups);
    let beside = beside.map(line);
    let best = points.iter().copied().fold(
        (0.0, 1.0),
        |best, point| if point.1 > best.1 { point } else { best },
    );
    let pays = best.0 > 0.0;
    let every = if width < 420.0 { 2 } else { 1 };
    let names: Vec<Name> = (1..=speed_ups.len())
        .map(|gamma| Name {
            gamma: gamma as f64,
            says: gamma.to_string(),
            strong: pays && gamma as f64 == best.0,
        })
        .filter(|name| name.strong || (name.gamma as usize - 1).is_multiple_of(every))
        .collect();
    let says = points
        .iter()
        .map(|(gamma, factor)| format!("γ {gamma}: {}", decimal(*factor, 2)));
    let label = tr!(
        "Speed-up by tokens drafted per round, by the formula. {}.",
        says.collect::<Vec<_>>().join("; ")
    );
    let marks: Vec<Mark> = curve_marks(&frame, &points).collect();
    let (x, name, anchor) = free_place(&frame, &marks);
    view! {
        <svg class="figure sweep-chart" role="img" aria-label=label viewBox=format!("0 0 {width:.0} {height:.0}")
            width=format!("{width:.0}") height=format!("{height:.0}")>
            {ground(&frame)}
            {grid(&frame, step)}
            {gamma_axis(&frame, &names, height)}
            {beside.map(|beside| view! { <path class="sweep-beside" d=path(&frame, &beside) /> })}
            <path class="sweep-line" d=path(&frame, &points) />
            {points.iter().map(|(gamma, factor)| {
                let on = pays && *gamma == best.0;
                view! {
                    <circle class="sweep-point predicted" class:best=on cx=format!("{:.1}", frame.x(*gamma))
                        cy=format!("{:.1}", frame.y(*factor)) r=if on { "6" } else { "3" } />
                }
            }).collect_view()}
            {even_at(&frame, x, name, anchor)}
            {pays.then(|| {
                let text = tr!("best γ = {}, {number}", format!("{:.0}", best.0), number = words::factor(best.1));
                Words::above(&frame, best.0, frame.y(best.1) - 12.0, text).view()
            })}
        </svg>
    }
}
