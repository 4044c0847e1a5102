//! The drawing of the formula: what it says of every draft length.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use super::frame::{BOTTOM, Frame, Name, Words, even, gamma_axis, grid, ground, path};
use super::place::{Mark, curve_marks};
use crate::speed::reading::Promise;
use crate::speed::words;

/// What the formula says of draft lengths from 1 on, on so many pixels.
///
/// Guesses have a line and no points. `beside` is drawn thinner: what the same formula says of other
/// numbers.
pub fn curve(
    promises: &[Promise],
    beside: Option<&[Promise]>,
    width: f64,
    height: f64,
) -> impl IntoView + use<> {
    let width = width.max(220.0);
    let both = promises.iter().chain(beside.unwrap_or_default());
    let largest = both.map(|it| it.speed_up).fold(1.0, f64::max);
    // Few heights, so that the line moves and not the axis.
    let heights = [(2.5, 0.5), (5.0, 1.0), (10.0, 2.0), (20.0, 4.0)];
    let fits = |(high, _): &(f64, f64)| largest <= 0.92 * high;
    let (high, step) = heights.into_iter().find(fits).unwrap_or((20.0, 4.0));
    let frame = Frame {
        width,
        bottom: height - BOTTOM,
        low: 0.0,
        high,
        first: 1.0,
        last: promises.len() as f64,
    };
    let place = |it: &Promise| (f64::from(it.gamma), it.speed_up);
    let line = |all: &[Promise]| all.iter().map(place).collect::<Vec<_>>();
    let points = line(promises);
    let beside = beside.map(line);
    let known = promises.iter().filter(|it| !it.is_guess).map(place);
    let known: Vec<(f64, f64)> = known.collect();
    let best = known.iter().copied().fold(
        (0.0, 1.0),
        |best, point| if point.1 > best.1 { point } else { best },
    );
    let pays = best.0 > 0.0;
    let every = if width < 420.0 { 2 } else { 1 };
    let names: Vec<Name> = promises
        .iter()
        .map(|it| Name {
            gamma: f64::from(it.gamma),
            says: it.gamma.to_string(),
            strong: pays && f64::from(it.gamma) == best.0,
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
    view! {
        <svg class="figure sweep-chart" role="img" aria-label=label viewBox=format!("0 0 {width:.0} {height:.0}")
            width=format!("{width:.0}") height=format!("{height:.0}")>
            {ground(&frame)}
            {grid(&frame, step)}
            {gamma_axis(&frame, &names, height)}
            {beside.map(|beside| view! { <path class="sweep-beside" d=path(&frame, &beside) /> })}
            <path class="sweep-line" d=path(&frame, &points) />
            {known.iter().map(|(gamma, factor)| {
                let on = pays && *gamma == best.0;
                view! {
                    <circle class="sweep-point predicted" class:best=on cx=format!("{:.1}", frame.x(*gamma))
                        cy=format!("{:.1}", frame.y(*factor)) r=if on { "6" } else { "3" } />
                }
            }).collect_view()}
            {even(&frame, &marks)}
            {pays.then(|| {
                let text = tr!("best γ = {}, {number}", format!("{:.0}", best.0), number = words::factor(best.1));
                Words::above(&frame, best.0, frame.y(best.1) - 12.0, text).view()
            })}
        </svg>
    }
}
