//! The shared mass laid together, and what is left of each row behind it.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use super::{fits, needle};
use crate::couplings::clock::Clock;
use crate::couplings::exhibit::Drawn;
use crate::stage::gauge::clear_of;

const LEFT: f64 = 18.0;
const LENGTH: f64 = 264.0;
const TOP: f64 = 24.0;
const TALL: f64 = 60.0;
const HALF: f64 = 28.0;

/// Where tokens begin on the strip: on the shared part and on what is left of either row.
struct Strip {
    shared: Vec<f64>,
    draft_only: Vec<f64>,
    /// Where the shared part ends.
    end: f64,
}

fn strip(draft: &[f64], target: &[f64]) -> Strip {
    let running = |start: f64, parts: Vec<f64>| {
        let mut at = start;
        let starts = parts
            .iter()
            .map(|part| {
                let start = at;
                at += part;
                start
            })
            .collect();
        (starts, at)
    };
    let pairs = || draft.iter().zip(target);
    let (shared, end) = running(0.0, pairs().map(|(d, t)| d.min(*t)).collect());
    let (draft_only, _) = running(end, pairs().map(|(d, t)| (d - t).max(0.0)).collect());
    Strip {
        shared,
        draft_only,
        end,
    }
}

/// When the needle drops, and when the second one where the first fell on what only the draft has.
pub const DROPS: [f64; 2] = [0.4, 0.85];

/// `height` is how high the point is under the draft's probability of the drawn token, `residual`
/// the number that drew the target's token from what is left, if one did.
pub fn drawing(
    drawn: &Drawn,
    height: f64,
    residual: Option<f64>,
    clock: Clock,
) -> impl IntoView + use<> {
    let exact = &drawn.exact;
    let (draft, target) = (exact.pair.draft_probs(), exact.pair.target_probs());
    let strip = strip(draft, target);
    let token = drawn.outcome.draft;
    // A point under the draft's bar is a point of the strip: the part below the target's
    // probability lies on the shared part, the rest on what only the draft has.
    let point = match residual {
        None => strip.shared[token] + height,
        Some(_) => strip.draft_only[token] + (height - target[token]).max(0.0),
    };
    let x = |at: f64| LEFT + at * LENGTH;
    let first = x(point);
    let second = residual.map_or(-LENGTH, |number| x(strip.end + number * (1.0 - strip.end)));
    let mut all = Vec::new();
    let (mut draft_at, mut target_at, mut shared_at) = (strip.end, strip.end, 0.0);
    for index in 0..exact.len() {
        let (d, t) = (draft[index], target[index]);
        let label = exact.label(index);
        all.push(segment(
            ["bar-overlap", "letter on-overlap"],
            &label,
            shared_at,
            d.min(t),
            TOP,
            TALL,
            first,
        ));
        shared_at += d.min(t);
        if d > t {
            all.push(segment(
                ["bar-draft outlined", "letter on-draft-bar"],
                &label,
                draft_at,
                d - t,
                TOP,
                HALF,
                first,
            ));
            draft_at += d - t;
        } else if t > d {
            let y = TOP + TALL - HALF;
            all.push(segment(
                ["bar-target", "letter on-target-bar"],
                &label,
                target_at,
                t - d,
                y,
                HALF,
                second,
            ));
            target_at += t - d;
        }
    }
    let below = residual.map(|_| {
        let at = second;
        view! {
            <g class="needle" class:away=move || clock.at.get() < DROPS[1]>
                <path class="needle-line" d=format!("M{at:.1} {}v{}", TOP + TALL + 7.0, -(HALF + 7.0)) />
                <path class="needle-point" d=format!("M{at:.1} {}l-5 8h10z", TOP + TALL + 4.0) />
            </g>
        }
    });
    let long = if residual.is_some() {
        HALF + 7.0
    } else {
        TALL + 10.0
    };
    let end = x(strip.end);
    let shared = (strip.end * LENGTH > 6.0).then(|| format!("M{LEFT} 102v6H{:.1}v-6", end - 2.0));
    let rest = ((1.0 - strip.end) * LENGTH > 6.0)
        .then(|| format!("M{:.1} 102v6H{}v-6", end + 1.0, LEFT + LENGTH));
    let overlap = exact.agreement[3];
    let same = tr!(
        "shared: same {noun}, {overlap}",
        noun = exact.kind().noun(1),
        overlap = decimal(overlap, 2)
    );
    let differ = tr!("differ, {}", decimal(1.0 - overlap, 2));
    view! {
        {all}
        {needle(first, TOP - 8.0, long, DROPS[0], clock)}
        {below}
        <path class="brace" d=shared />
        <path class="brace" d=rest />
        <text x=LEFT.to_string() y="126">{same}</text>
        <text x=(LEFT + LENGTH).to_string() y="126" text-anchor="end">{differ}</text>
    }
}

fn segment(
    [bar, letter]: [&'static str; 2],
    label: &str,
    from: f64,
    length: f64,
    y: f64,
    height: f64,
    needle: f64,
) -> AnyView {
    let (x, width) = (LEFT + from * LENGTH, length * LENGTH);
    if width < 0.05 {
        return ().into_any();
    }
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    let text = fits(label, width).then(|| {
        let label = label.to_owned();
        let middle = clear_of(needle, x, width, label.chars().count());
        view! {
            <text class=letter x=format!("{middle:.1}") y=format!("{:.1}", y + height / 2.0 + 5.0) text-anchor="middle">{label}</text>
        }
    });
    let rect = |class: &'static str| {
        view! { <rect class=class x=format!("{x:.2}") y=y.to_string() width=format!("{:.2}", width - gap) height=height.to_string() /> }
    };
    view! {
        {rect(bar)}
        {bar.starts_with("bar-draft").then(|| rect("bar-hatch"))}
        {text}
    }
    .into_any()
}
