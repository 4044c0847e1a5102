//! What both drawings have: where numbers stand, the axes, the line where nothing is gained.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use super::place::{LetterPlace, Mark, free_place, room};

pub(super) const LEFT: f64 = 46.0;
pub(super) const RIGHT: f64 = 10.0;
/// Room above for the name of what goes up.
pub(super) const TOP: f64 = 26.0;
pub(super) const BOTTOM: f64 = 44.0;

/// Where numbers stand in the drawing.
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) bottom: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) first: f64,
    pub(super) last: f64,
}

impl Frame {
    pub(super) fn x(&self, gamma: f64) -> f64 {
        let room = self.width - LEFT - RIGHT;
        let count = self.last - self.first + 1.0;
        LEFT + (gamma - self.first + 0.5) / count * room
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - share * (self.bottom - TOP)
    }
}

pub(super) fn path(frame: &Frame, line: &[(f64, f64)]) -> String {
    line.iter()
        .enumerate()
        .map(|(index, (gamma, value))| {
            let verb = if index == 0 { 'M' } else { 'L' };
            format!("{verb}{:.1} {:.1}", frame.x(*gamma), frame.y(*value))
        })
        .collect()
}

/// Below 1 is the ground: there drafting costs more than it saves.
pub(super) fn ground(frame: &Frame) -> impl IntoView + use<> {
    let top = frame.y(1.0);
    view! {
        <rect class="sweep-slower" x=LEFT.to_string() y=format!("{top:.1}")
            width=format!("{:.1}", frame.width - LEFT - RIGHT) height=format!("{:.1}", (frame.bottom - top).max(0.0)) />
    }
}

/// The line where nothing is gained, with its name where that covers nothing that is drawn.
pub(super) fn even(frame: &Frame, marks: &[Mark]) -> impl IntoView + use<> {
    let y = frame.y(1.0);
    let name = tr!("break-even");
    let place = free_place(frame, marks, &name);
    view! {
        <path class="sweep-even" d=format!("M{LEFT} {y:.1}H{:.1}", frame.width - RIGHT) />
        {place.map(|place| text("strong halo", place, name))}
    }
}

/// Letters at a place.
pub(super) fn text(
    class: &'static str,
    (x, y, anchor): LetterPlace,
    says: String,
) -> impl IntoView + use<> {
    view! { <text class=class x=format!("{x:.1}") y=format!("{y:.1}") text-anchor=anchor>{says}</text> }
}

/// The axis that goes up: what it counts, its numbers and a line for each.
pub(super) fn grid(frame: &Frame, step: f64) -> impl IntoView + use<> {
    let count = ((frame.high - frame.low) / step).round().clamp(0.0, 40.0) as usize;
    let decimals = if step < 0.0999 { 2 } else { 1 };
    let tick = |y: f64, class, says| text(class, (LEFT - 8.0, y + 4.0, "end"), says);
    // Where nothing is gained there is another line, and always a number.
    let even = frame.y(1.0);
    let others = (0..=count)
        .map(|index| frame.low + index as f64 * step)
        .map(|value| (value, frame.y(value)))
        .filter(|(_, y)| (y - even).abs() > 13.0)
        .map(|(value, y)| {
            view! {
                <path class="grid" d=format!("M{LEFT} {y:.1}H{:.1}", frame.width - RIGHT) />
                {tick(y, "number small", format!("{}×", decimal(value, decimals)))}
            }
        })
        .collect_view();
    view! {
        {text("number small", (0.0, 10.0, "start"), tr!("speed-up"))}
        {others}
        {tick(even, "number strong", "1×".to_owned())}
    }
}

/// A draft length under the axis.
pub(super) struct Name {
    pub(super) gamma: f64,
    pub(super) says: String,
    pub(super) strong: bool,
}

pub(super) fn gamma_axis(frame: &Frame, names: &[Name], height: f64) -> impl IntoView + use<> {
    let bottom = frame.bottom;
    let names = names
        .iter()
        .map(|name| {
            view! {
                <text class="number" class:strong=name.strong x=format!("{:.1}", frame.x(name.gamma))
                    y=format!("{:.1}", bottom + 18.0) text-anchor="middle">
                    {name.says.clone()}
                </text>
            }
        })
        .collect_view();
    view! {
        <path class="axis" d=format!("M{LEFT} {bottom:.1}H{:.1}", frame.width - RIGHT) />
        {names}
        <text class="number small" x=format!("{:.1}", (LEFT + frame.width - RIGHT) / 2.0) y=format!("{:.1}", height - 6.0)
            text-anchor="middle">
            {tr!("tokens drafted per round, γ")}
        </text>
    }
}

/// Words above a point; at either side they stay inside the drawing.
pub(super) struct Words {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) half: f64,
    text: String,
}

impl Words {
    pub(super) fn above(frame: &Frame, gamma: f64, y: f64, text: String) -> Self {
        let half = 0.5 * room(&text);
        let most = (frame.width - RIGHT - half).max(LEFT + half);
        let x = frame.x(gamma).clamp(LEFT + half, most);
        Self { x, y, half, text }
    }

    pub(super) fn view(self) -> impl IntoView {
        text(
            "strong halo sweep-best",
            (self.x, self.y, "middle"),
            self.text,
        )
    }
}
