//! The one glyph of the page: draft bar hatched behind, target bar solid in front, their common
//! part green; and the draft bar stretched to 1, on which the needle u lands.

use couplet_playback::Verdict;
use couplet_protocol::Rule;
use leptos::prelude::*;

const WIDTH: f64 = 120.0;
const BASE: f64 = 144.0;
const TOP: f64 = 14.0;
const BAR: f64 = 22.0;
const SHIFT: f64 = 8.0;
const LEFT: f64 = 28.0;
const GAUGE: f64 = 87.0;
const GAUGE_WIDTH: f64 = 15.0;

/// Two decimals; what would read 0.00 says that it is not nothing.
pub fn probability(value: f32) -> String {
    if value > 0.0 && value < 0.005 {
        "<.01".to_owned()
    } else {
        format!("{value:.2}")
    }
}

/// `12345` as `12,345`.
pub fn grouped(number: usize) -> String {
    let (thousands, rest) = (number / 1000, number % 1000);
    if thousands == 0 {
        rest.to_string()
    } else {
        format!("{},{rest:03}", grouped(thousands))
    }
}

/// Draft and target bars over a base line, with what they share.
pub fn bars(
    x: f64,
    base: f64,
    scale: f64,
    draft: f64,
    target: f64,
    width: f64,
    shift: f64,
) -> impl IntoView {
    let bar = move |class: &'static str, x: f64, width: f64, value: f64| {
        let height = value * scale;
        (height > 0.25 && width > 0.0).then(|| {
            view! {
                <rect class=class x=format!("{x:.1}") y=format!("{:.1}", base - height) width=format!("{width:.1}")
                    height=format!("{height:.1}") />
            }
        })
    };
    view! {
        {bar("bar-draft", x, width, draft)}
        {bar("bar-hatch", x, width, draft)}
        <g class="bar-rise">
            {bar("bar-target", x + shift, width, target)}
            {bar("bar-overlap", x + shift, width - shift, target.min(draft))}
        </g>
        {bar("bar-outline", x, width, draft)}
    }
}

/// One drafted token: its bars and the gauge of its verdict.
#[component]
pub fn Gauge(
    /// Its probability under the draft.
    draft_prob: f32,
    /// What the target said; absent behind a rejected token.
    verdict: Option<Verdict>,
    /// The probability that fills the height.
    full: f32,
    /// Greedy needs no needle.
    rule: Rule,
) -> impl IntoView {
    let height = BASE - TOP;
    let scale = height / f64::from(full.max(0.05));
    let draft = f64::from(draft_prob);
    let target = verdict
        .as_ref()
        .map_or(0.0, |verdict| f64::from(verdict.target_prob));
    let draft_top = BASE - draft * scale;
    let target_top = BASE - target * scale;
    let label = match &verdict {
        Some(verdict) => format!(
            "draft {}, target {}, threshold {:.2}, u {:.2}",
            probability(draft_prob),
            probability(verdict.target_prob),
            verdict.threshold(),
            verdict.draw
        ),
        None => format!("draft {}, never tested", probability(draft_prob)),
    };
    // Labels keep clear of each other and of the top.
    let draft_y = (draft_top + 9.0).clamp(TOP + 6.0, BASE - 3.0);
    let target_y = (target_top + 9.0).clamp(TOP + 6.0, BASE - 3.0);
    let judged = verdict.filter(|_| rule == Rule::Rejection).map(|verdict| {
        let threshold = BASE - f64::from(verdict.threshold()) * height;
        let needle = BASE - f64::from(verdict.draw) * height;
        let zoom = format!(
            "M{:.1} {draft_top:.1}L{GAUGE} {TOP}V{BASE}H{:.1}Z",
            LEFT + BAR,
            LEFT + BAR
        );
        let lines = format!(
            "M{:.1} {draft_top:.1}L{GAUGE} {TOP}M{:.1} {:.1}L{GAUGE} {threshold:.1}",
            LEFT + BAR,
            LEFT + BAR,
            draft_top.max(target_top)
        );
        view! {
            <g class="gauge">
                <path class="zoom" d=zoom />
                <path class="zoom-line" d=lines />
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
            <g class="needle" style=format!("--y:{needle:.1}px")>
                <path class="needle-line" d=format!("M{:.1} 0H{:.1}", GAUGE - 4.0, GAUGE + GAUGE_WIDTH + 3.0) />
                <path class="needle-point" d=format!("M{:.1} 0l7-4.5v9z", GAUGE + GAUGE_WIDTH + 1.0) />
                <text class="italic" x=format!("{:.1}", GAUGE + GAUGE_WIDTH + 9.0) y="4.5">"u"</text>
            </g>
        }
    });
    view! {
        <svg class="figure" viewBox=format!("0 0 {WIDTH} 150") role="img" aria-label=label>
            <path class="axis" d=format!("M0 {:.1}H{WIDTH}", BASE + 0.5) />
            {judged}
            {bars(LEFT, BASE, scale, draft, target, BAR, SHIFT)}
            <text class="number on-draft" x=format!("{:.1}", LEFT - 3.0) y=format!("{draft_y:.1}") text-anchor="end">
                {probability(draft_prob)}
            </text>
            <text class="number on-target halo" x=format!("{:.1}", LEFT + BAR + SHIFT + 2.0) y=format!("{target_y:.1}")>
                {(target > 0.0).then(|| probability(target as f32))}
            </text>
        </svg>
    }
}
