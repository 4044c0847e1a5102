//! The two charts of the live test: what came out, and how far off it is.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use crate::axis::round_step;
use crate::proof::bars::{Bar, tallest};
use crate::proof::chart::{Slots, bar, base, label, level};
use crate::proof::pair::ProofPair;
use crate::proof::words::{share, signed};
use crate::table::told;

/// Room for the numbers of the axis, in per cent.
const MARGIN: f64 = 8.0;

const HEIGHT: f64 = 300.0;
const BASE: f64 = 270.0;
const TALLEST: f64 = 244.0;

/// Bars of what came out against the target's lines.
pub fn output(pair: &ProofPair, bars: &[Bar], place: usize) -> impl IntoView + use<> {
    let slots = Slots::new(pair.len(), MARGIN);
    let most = tallest(bars);
    let y = |share: f64| BASE - share / most * TALLEST;
    let step = round_step(most, 5.0);
    let grid = (1..)
        .map(|line| f64::from(line) * step)
        .take_while(|value| *value <= most * 1.0001)
        .map(|value| {
            let at = format!("{:.1}", y(value));
            let text = format!("{:.1}", y(value) + 4.0);
            let decimals = if step < 0.0999 { 2 } else { 1 };
            view! {
                <line class="grid" x1=format!("{MARGIN}%") x2="100%" y1=at.clone() y2=at />
                <text class="number small" x="0" y=text>{decimal(value, decimals)}</text>
            }
        })
        .collect_view();
    let drawn = bars
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let share = token
                .share
                .map(|share| bar(slots, index, "bar-out", y(share), BASE));
            let theory = token
                .theory
                .map(|theory| level(slots, index, "theory-line", y(theory), 0.0));
            view! {
                {share}
                {level(slots, index, "target-line", y(token.target), 0.11)}
                {theory}
            }
        })
        .collect_view();
    let alt = tr!(
        "What came out as token {} of the texts, against the target",
        place + 1
    );
    let number = |bar: &Bar| {
        let target = tr!("target {}", share(bar.target, 3));
        let theory = bar.theory.map(|theory| tr!("theory {}", share(theory, 3)));
        let parts = [bar.share.map(|came| share(came, 3)), Some(target), theory];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ")
    };
    let alt = told(
        &alt,
        pair.tokens.iter().cloned().zip(bars.iter().map(number)),
    );
    view! {
        <svg class="figure" height=HEIGHT.to_string() role="img" aria-label=alt>
            {grid}
            {drawn}
            {base(slots, pair, BASE, false)}
        </svg>
    }
}

const OFF_HEIGHT: f64 = 128.0;
const OFF_MIDDLE: f64 = 62.0;
const OFF_HALF: f64 = 50.0;

/// Points off in percentage points, and the band in which an exact sampler stays.
pub fn difference(pair: &ProofPair, bars: &[Bar]) -> impl IntoView + use<> {
    let slots = Slots::new(pair.len(), MARGIN);
    let most = bars
        .iter()
        .flat_map(|token| {
            let band = token
                .band
                .map(|[low, high]| (token.target - low).max(high - token.target));
            [band, token.off().map(f64::abs)]
        })
        .flatten()
        .fold(1e-4, f64::max);
    let y = |off: f64| OFF_MIDDLE - off / most * OFF_HALF;
    let step = round_step(100.0 * most, 2.0) / 100.0;
    // As many decimals as one step needs; without counts there is no scale.
    let counted = bars.iter().any(|token| token.share.is_some());
    let decimals = (-(100.0 * step).log10().floor()).clamp(0.0, 4.0) as usize;
    let grid = [-2.0, -1.0, 1.0, 2.0]
        .map(|line| line * step)
        .into_iter()
        .filter(|value| counted && value.abs() <= most * 1.05)
        .map(|value| {
            let at = format!("{:.1}", y(value));
            let text = format!("{:.1}", y(value) + 4.0);
            view! {
                <line class="grid" x1=format!("{MARGIN}%") x2="100%" y1=at.clone() y2=at />
                <text class="number small" x="0" y=text>{signed(100.0 * value, decimals)}</text>
            }
        })
        .collect_view();
    let drawn =
        bars.iter()
            .enumerate()
            .map(|(index, token)| {
                let band = token.band.map(|[low, high]| {
                    bar(
                        slots,
                        index,
                        "null-band",
                        y(high - token.target),
                        y(low - token.target),
                    )
                });
                let point = token.off().map(|off| {
                view! {
                    <circle class="point" cx=slots.middle(index) cy=format!("{:.1}", y(off)) r="5" />
                    // Below all bands: beside its dot it would lie on their edges.
                    {label(slots, index, "number points", OFF_HEIGHT - 2.0, signed(100.0 * off, 2))}
                }
            });
                view! { {band}{point} }
            })
            .collect_view();
    let middle = OFF_MIDDLE.to_string();
    let alt = tr!(
        "Difference from the target in percentage points, with the band in which an exact sampler stays"
    );
    let number = |(token, bar): (&String, &Bar)| {
        let off = signed(100.0 * bar.off()?, 2);
        let number = match bar.inside() {
            true => off,
            false => tr!("{off}, outside the band", off),
        };
        Some((token.clone(), number))
    };
    let alt = match counted {
        true => told(&alt, pair.tokens.iter().zip(bars).filter_map(number)),
        false => alt,
    };
    view! {
        <svg class="figure difference" height=OFF_HEIGHT.to_string() role="img"
            aria-label=alt>
            {grid}
            <line class="axis" x1=format!("{MARGIN}%") x2="100%" y1=middle.clone() y2=middle />
            <text class="number small" x="0" y=format!("{:.1}", OFF_MIDDLE + 4.0)>"0"</text>
            {drawn}
        </svg>
    }
}
