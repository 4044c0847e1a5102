//! The one glyph of the page: draft bar hatched behind, target bar solid in front, their common
//! part green; and beside it the gauge from 0 to 1, on which the needle u lands.

use couplet_playback::{Test, decimal};
use leptos::prelude::*;

use super::bars::bars;

/// Width of the drawing of a column.
pub const WIDTH: f64 = 120.0;
/// Where its bars stand.
pub const BASE: f64 = 144.0;
/// Where the tallest bar ends.
pub const TOP: f64 = 14.0;
/// Width of a bar.
pub const BAR: f64 = 22.0;
/// How far the target's bar stands to the right of the draft's.
pub const SHIFT: f64 = 8.0;
/// Where the draft's bar begins.
pub const LEFT: f64 = 28.0;
/// Where the gauge begins.
pub const GAUGE: f64 = 87.0;
/// Width of the gauge.
pub const GAUGE_WIDTH: f64 = 15.0;

/// Two decimals; what would read 0.00 says that it is not nothing.
pub fn probability(value: f32) -> String {
    probability_to(value, 2)
}

/// The same to so many decimals.
pub fn probability_to(value: f32, decimals: usize) -> String {
    let least = 0.1_f32.powi(decimals as i32);
    if value > 0.0 && value < 0.5 * least {
        format!("<{}", decimal(least, decimals))
    } else {
        decimal(value, decimals)
    }
}

/// The two probabilities of a drafted token, on a scale.
#[derive(Clone, Copy)]
pub struct Bars {
    /// Under the draft, where the log holds it.
    pub draft: Option<f32>,
    /// Under the target, once it is known.
    pub target: Option<f32>,
    /// The probability that fills the height.
    pub full: f32,
}

impl Bars {
    /// Units of the drawing per unit of probability.
    pub fn scale(self) -> f64 {
        (BASE - TOP) / f64::from(self.full.max(0.05))
    }

    /// Where a bar of this probability ends.
    pub fn top(self, prob: f32) -> f64 {
        BASE - f64::from(prob) * self.scale()
    }

    /// The base line of its number beside it, which keeps clear of the top and of the base.
    pub fn number(self, prob: f32) -> f64 {
        (self.top(prob) + 9.0).clamp(TOP + 6.0, BASE - 7.0)
    }
}

/// The glyph with its numbers, and what belongs to the rule behind it.
pub fn glyph(probs: Bars, label: Signal<String>, mechanism: Option<AnyView>) -> AnyView {
    let target = probs.target.unwrap_or(0.0);
    let draft = probs.draft.unwrap_or(0.0);
    view! {
        <svg class="figure" viewBox=format!("0 0 {WIDTH} 150") role="img" aria-label=label>
            <path class="axis" d=format!("M0 {:.1}H{WIDTH}", BASE + 0.5) />
            {mechanism}
            {bars(LEFT, BASE, probs.scale(), f64::from(draft), f64::from(target), BAR, SHIFT)}
            <text class="number on-draft" x=format!("{:.1}", LEFT - 3.0) y=format!("{:.1}", probs.number(draft))
                text-anchor="end">
                {probs.draft.map_or_else(|| "–".to_owned(), probability)}
            </text>
            <text class="number on-target halo" x=format!("{:.1}", LEFT + BAR + SHIFT + 2.0)
                y=format!("{:.1}", probs.number(target))>
                {(target > 0.0).then(|| probability(target))}
            </text>
        </svg>
    }
    .into_any()
}

/// The gauge of a test with a needle. `counted` is the part of the draft's probability that is
/// stretched to its whole height; none where the gauge is no stretched bar.
pub fn gauge(probs: Bars, test: Test, counted: Option<f64>) -> AnyView {
    let (Test::Share { u, below } | Test::Prefix { u, below }) = test else {
        return ().into_any();
    };
    let height = BASE - TOP;
    let threshold = BASE - f64::from(below) * height;
    let stretched = counted.map(|counted| {
        let edge = LEFT + BAR;
        let top = BASE - counted * probs.scale();
        let met = top.max(probs.top(probs.target.unwrap_or(0.0)));
        let lines =
            format!("M{edge:.1} {top:.1}L{GAUGE} {TOP}M{edge:.1} {met:.1}L{GAUGE} {threshold:.1}");
        let part = counted < f64::from(probs.draft.unwrap_or(0.0)) * 0.999;
        view! {
            <path class="zoom" d=format!("M{edge:.1} {top:.1}L{GAUGE} {TOP}V{BASE}H{edge:.1}Z") />
            <path class="zoom-line" d=lines />
            {part.then(|| view! { <path class="zoom-line" d=format!("M{LEFT} {top:.1}H{edge:.1}") /> })}
        }
    });
    view! {
        <g class="gauge">
            {stretched}
            <rect class="gauge-back" x=GAUGE.to_string() y=TOP.to_string() width=GAUGE_WIDTH.to_string()
                height=format!("{height:.1}") />
            <rect class="bar-hatch" x=GAUGE.to_string() y=TOP.to_string() width=GAUGE_WIDTH.to_string()
                height=format!("{:.1}", threshold - TOP) />
            <rect class="bar-overlap" x=GAUGE.to_string() y=format!("{threshold:.1}") width=GAUGE_WIDTH.to_string()
                height=format!("{:.1}", BASE - threshold) />
            <rect class="gauge-frame" x=GAUGE.to_string() y=TOP.to_string() width=GAUGE_WIDTH.to_string()
                height=format!("{height:.1}") />
            <path class="threshold" d=format!("M{:.1} {threshold:.1}H{:.1}", GAUGE - 3.0, GAUGE + GAUGE_WIDTH + 3.0) />
        </g>
        {needle(u)}
    }
    .into_any()
}

/// The middle of a word of so many letters, on a part of a strip, that leaves a needle free where there is room:
/// what a number picks can be read.
pub fn clear_of(needle: f64, from: f64, width: f64, letters: usize) -> f64 {
    let half = 3.5 * letters as f64 + 1.0;
    let middle = from + width / 2.0;
    if (needle - middle).abs() > half + 1.0 {
        return middle;
    }
    let end = from + width;
    let beside = if needle > middle { from } else { end };
    let least = from + half;
    ((needle + beside) / 2.0).clamp(least, (end - half).max(least))
}

/// The needle at a number between 0 and 1.
pub fn needle(u: f32) -> AnyView {
    let y = BASE - f64::from(u) * (BASE - TOP);
    // The letter stays above the line that the columns stand on.
    let letter = (BASE - 2.0 - y).min(4.5);
    view! {
        <g class="needle" style=format!("--y:{y:.1}px")>
            <path class="needle-line" d=format!("M{:.1} 0H{:.1}", GAUGE - 4.0, GAUGE + GAUGE_WIDTH + 3.0) />
            <path class="needle-point" d=format!("M{:.1} 0l7-4.5v9z", GAUGE + GAUGE_WIDTH + 1.0) />
            <text class="italic" x=format!("{:.1}", GAUGE + GAUGE_WIDTH + 9.0) y=format!("{letter:.1}")>"u"</text>
        </g>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_makes_room_for_the_needle_that_picks_it() {
        assert_eq!(clear_of(90.0, 0.0, 40.0, 1), 20.0);
        for (needle, from, to) in [(18.0, 22.5, 35.5), (22.0, 4.5, 17.5)] {
            let middle = clear_of(needle, 0.0, 40.0, 1);
            assert!((from..=to).contains(&middle), "{middle}");
        }
        // Where neither side has room, it stays on its part.
        let middle = clear_of(7.0, 0.0, 14.0, 1);
        assert!((4.5..=9.5).contains(&middle), "{middle}");
    }
}
