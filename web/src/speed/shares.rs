//! Where the time of a token goes.

use std::sync::Arc;

use couplet_protocol::{Drafter, SpeedReport, TimeShare, TimeSource};
use leptos::html;
use leptos::prelude::*;
use tr::tr;

use super::words::milliseconds;
use crate::width::width_of;

/// Width of a bar's label by its number of letters, in pixels.
const LETTER: f64 = 5.9;

/// The parts of a token's time, in the order in which they are drawn.
const PARTS: [Part; 4] = [
    Part {
        name: "draft",
        class: "bar-draft",
        milliseconds: |share| share.draft,
    },
    Part {
        name: "verify",
        class: "bar-target",
        milliseconds: |share| share.target,
    },
    Part {
        name: "sampling",
        class: "bar-overlap",
        milliseconds: |share| share.sampling,
    },
    Part {
        name: "rest",
        class: "bar-rest",
        milliseconds: |share| share.rest,
    },
];

struct Part {
    name: &'static str,
    class: &'static str,
    milliseconds: fn(&TimeShare) -> f64,
}

impl Part {
    fn title(&self, share: &TimeShare) -> String {
        match self.name {
            "draft" => tr!("time" => "draft"),
            "verify" if share.gamma == 0 => tr!("time" => "one pass"),
            "verify" => tr!("time" => "verify"),
            "sampling" => tr!("time" => "sampling"),
            _ => tr!("time" => "rest"),
        }
    }
}

fn total(share: &TimeShare) -> f64 {
    PARTS
        .iter()
        .map(|part| (part.milliseconds)(share).max(0.0))
        .sum()
}

/// The section about a report; nothing where it has no shares.
#[component]
pub fn Shares(
    /// What was measured.
    report: Arc<SpeedReport>,
) -> impl IntoView {
    let longest = report.shares.iter().map(total).fold(0.0, f64::max);
    (longest > 0.0).then(|| {
        let frame = NodeRef::<html::Div>::new();
        let width = width_of(frame, 600.0);
        let source = source(&report);
        let overlap = report.shares.iter().any(|share| share.rest < -OVERLAP * total(share));
        let more = overlap.then(|| format!(" {}", tr!(
            "Timed alone the parts come to more than the whole run took, which ends at the line."
        )));
        let first_step = report.shares.iter().any(|share| share.gamma > 0)
            && report.request.settings.drafter == Drafter::Model;
        let drafting = first_step.then(|| format!(" {}", tr!(
            "The first draft step reads two tokens; its extra cost is counted in v, not in c."
        )));
        view! {
            <section class="card shares" data-testid="shares" aria-labelledby="shares-title">
                <header>
                    <h2 id="shares-title">{tr!("Where the time goes")}</h2>
                </header>
                <div node_ref=frame>
                    {move || {
                        report
                            .shares
                            .iter()
                            .map(|share| row(share, longest, width.get()))
                            .collect_view()
                    }}
                </div>
                <p class="muted">{tr!("Milliseconds per token written.")}" "{source}{more}{drafting}</p>
            </section>
        }
    })
}

fn source(report: &SpeedReport) -> String {
    match report.shares_from {
        TimeSource::Timestamps => tr!(
            "From the GPU’s own timestamps around every pass; the rest is encoding, submitting and waiting for the readback."
        ),
        TimeSource::Apart => tr!(
            "Every part was timed alone, many times over; the rest is what the whole takes beyond that."
        ),
    }
}

/// Narrower cards have the name above its bar.
const BESIDE: f64 = 460.0;
/// By which part of the whole its parts may be longer before that is said.
const OVERLAP: f64 = 0.005;
/// Room for the name beside a bar.
const NAME: f64 = 112.0;

fn row(share: &TimeShare, longest: f64, width: f64) -> impl IntoView + use<> {
    let gamma = (share.gamma > 0).then(|| format!(" γ {}", share.gamma));
    let name = if gamma.is_some() {
        tr!("Speculative")
    } else {
        tr!("Target alone")
    };
    let beside = width > BESIDE;
    let width = if beside { width - NAME } else { width };
    view! {
        <div class="share-row" class:beside=beside>
            <h3>{name}{gamma.map(|gamma| view! { <span class="muted">{gamma}</span> })}</h3>
            {bar(share, longest, width)}
        </div>
    }
}

fn bar(share: &TimeShare, longest: f64, width: f64) -> impl IntoView + use<> {
    let whole = share.draft + share.target + share.sampling + share.rest;
    // Parts that were timed alone may take longer than the whole, which then ends inside the bar.
    let overlap = share.rest < -OVERLAP * total(share);
    let room = (width - if overlap { 92.0 } else { 60.0 }).max(80.0);
    let scale = room / longest;
    let mut left = 0.0;
    let mut outside: Vec<(f64, String)> = Vec::new();
    let mut pieces = Vec::new();
    let mut spoken = Vec::new();
    for part in &PARTS {
        let time = (part.milliseconds)(share).max(0.0);
        if time <= 0.0 {
            continue;
        }
        let long = time * scale;
        let text = format!("{} {}", part.title(share), milliseconds(time));
        spoken.push(text.clone());
        let inside = text.chars().count() as f64 * LETTER + 10.0 <= long;
        let middle = left + long / 2.0;
        let x = format!("{left:.1}");
        let wide = format!("{:.1}", long.max(1.0));
        let draft = part.class == "bar-draft";
        pieces.push(view! {
            <rect class=part.class x=x.clone() y="0" width=wide.clone() height="34" />
            {draft.then(|| view! {
                <rect class="bar-hatch" x=x.clone() y="0" width=wide.clone() height="34" />
                <rect class="bar-outline" x=x y="0" width=wide height="34" />
            })}
            {inside.then(|| view! {
                <text class=format!("number share-name {}", part.name) x=format!("{middle:.1}") y="22" text-anchor="middle">
                    {text.clone()}
                </text>
            })}
        });
        if !inside {
            outside.push((middle, text));
        }
        left += long;
    }
    let lines = legend(&outside, width);
    let height = 36.0 + 18.0 * rows(&lines);
    let marks = lines
        .into_iter()
        .map(|line| {
            let y = 34.0 + 17.0 + line.row as f64 * 18.0;
            view! {
                <path class="share-lead" d=format!("M{:.1} 35V{:.1}H{:.1}", line.from, y - 4.0, line.x) />
                <text class="number small" x=format!("{:.1}", line.x + if line.end { -3.0 } else { 3.0 }) y=format!("{y:.1}")
                    text-anchor=if line.end { "end" } else { "start" }>
                    {line.text}
                </text>
            }
        })
        .collect_view();
    view! {
            <svg class="figure" role="img" aria-label=tr!("{}: {} milliseconds in all", spoken.join(", "), milliseconds(whole))
                viewBox=format!("0 0 {width:.0} {height:.0}") width=format!("{width:.0}") height=format!("{height:.0}")>
                {pieces}
                {overlap.then(|| view! { <path class="share-whole" d=format!("M{:.1} -3V37", whole * scale) /> })}
                <text class="number strong" x=format!("{:.1}", left + 8.0) y="22">
                    {if overlap { tr!("run {}", milliseconds(whole)) } else { milliseconds(whole) }}
                </text>
                {marks}
            </svg>
    }
}

/// A label under the bar and the line that leads to it.
struct Line {
    from: f64,
    x: f64,
    row: usize,
    end: bool,
    text: String,
}

fn rows(lines: &[Line]) -> f64 {
    lines.iter().map(|line| line.row + 1).max().unwrap_or(0) as f64
}

/// Labels of pieces that are too short for one: the last to the right of its piece, those before
/// it to the left, each in a row of its own. Whoever has no room on its side takes the other one.
fn legend(outside: &[(f64, String)], width: f64) -> Vec<Line> {
    let room = |text: &str| text.chars().count() as f64 * LETTER + 14.0;
    let last = outside.len().saturating_sub(1);
    let sides: Vec<bool> = outside
        .iter()
        .enumerate()
        .map(|(index, (from, text))| {
            let (left, right) = (from - room(text) > 0.0, from + room(text) < width);
            if index == last { !right } else { left }
        })
        .collect();
    let rights = sides.iter().map(|left| !left).collect::<Vec<_>>();
    let rights_between = |index: usize| {
        let between = rights.iter().take(last).skip(index + 1);
        between.filter(|right| **right).count()
    };
    let lefts = sides.iter().filter(|left| **left).count();
    let mut before = 0;
    outside
        .iter()
        .zip(sides)
        .enumerate()
        .map(|(index, ((from, text), end))| {
            // A lead to the right goes deepest, so that it meets none of the others.
            let row = match (end, index == last) {
                (true, _) => before,
                (false, true) => 0,
                (false, false) => lefts.max(1) + rights_between(index),
            };
            before += usize::from(end);
            Line {
                from: *from,
                x: *from + if end { -8.0 } else { 8.0 },
                row,
                end,
                text: text.clone(),
            }
        })
        .collect()
}
