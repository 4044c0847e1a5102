//! Pieces of the scene's charts. They are as wide as their card: across, everything is in per cent,
//! so that letters keep their size; upwards, in pixels.

use crate::words::cut_to;
use leptos::prelude::*;

use super::pair::ProofPair;

/// Where the bars of a chart stand, in per cent of its width.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    left: f64,
    slot: f64,
    bar: f64,
}

impl Slots {
    /// So many bars to the right of a margin of `left` per cent.
    pub fn new(count: usize, left: f64) -> Self {
        let slot = (100.0 - left) / count.max(1) as f64;
        // Few bars would be slabs, many need room for their numbers.
        let bar = if count > 6 {
            0.72 * slot
        } else {
            (0.62 * slot).min(14.0)
        };
        Self { left, slot, bar }
    }

    /// The middle of a bar.
    pub fn middle(&self, index: usize) -> String {
        percent(self.centre(index))
    }

    /// The left side of a bar.
    pub fn start(&self, index: usize) -> String {
        percent(self.centre(index) - self.bar / 2.0)
    }

    /// How wide a bar is.
    pub fn width(&self) -> String {
        percent(self.bar)
    }

    /// The two ends of a line across a bar that sticks out by a part of the bar's width.
    pub fn across(&self, index: usize, out: f64) -> (String, String) {
        let half = self.bar * (0.5 + out);
        (
            percent(self.centre(index) - half),
            percent(self.centre(index) + half),
        )
    }

    fn centre(&self, index: usize) -> f64 {
        self.left + (index as f64 + 0.5) * self.slot
    }
}

fn percent(value: f64) -> String {
    format!("{value:.2}%")
}

/// A rectangle from one height to another, in pixels from the top.
pub fn bar(slots: Slots, index: usize, class: &'static str, top: f64, bottom: f64) -> AnyView {
    let height = (bottom - top).max(0.0);
    view! {
        <rect class=class x=slots.start(index) y=format!("{top:.1}") width=slots.width() height=format!("{height:.1}") />
    }
    .into_any()
}

/// A horizontal line over a bar.
pub fn level(slots: Slots, index: usize, class: &'static str, y: f64, out: f64) -> AnyView {
    let (from, to) = slots.across(index, out);
    let y = format!("{y:.1}");
    view! { <line class=class x1=from x2=to y1=y.clone() y2=y /> }.into_any()
}

/// A word or number above or in a bar.
pub fn label(
    slots: Slots,
    index: usize,
    class: &'static str,
    y: f64,
    text: impl IntoView + 'static,
) -> AnyView {
    view! {
        <text class=class x=slots.middle(index) y=format!("{y:.1}") text-anchor="middle">{text}</text>
    }
    .into_any()
}

/// The base line with the tokens under it.
pub fn base(slots: Slots, pair: &ProofPair, y: f64, small: bool) -> AnyView {
    let longest = pair.tokens.iter().map(|token| token.chars().count()).max();
    let class = match longest {
        Some(0..=2) if !small => "letter large",
        _ => "letter",
    };
    let drop = if small { 16.0 } else { 22.0 };
    // A long token is cut where bars stand close.
    let letters = if pair.len() > 4 { 6 } else { 9 };
    let names = pair
        .tokens
        .iter()
        .enumerate()
        .map(|(index, token)| label(slots, index, class, y + drop, cut_to(token, letters)))
        .collect_view();
    let y = format!("{:.1}", y + 0.5);
    view! {
        <line class="axis" x1=percent(slots.left) x2="100%" y1=y.clone() y2=y />
        {names}
    }
    .into_any()
}
