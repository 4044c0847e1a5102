//! Where the time of a token goes.

use std::sync::Arc;

use couplet_playback::tr;
use couplet_protocol::{Drafter, SpeedReport, TimeShare, TimeSource};
use leptos::html;
use leptos::prelude::*;

use super::reading::points_elsewhere;
use super::words::milliseconds;
use crate::width::width_of;

/// Width of a bar's label by its number of letters, in pixels.
const LETTER: f64 = 5.9;

/// A part of a token's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Draft,
    Verify,
    Sampling,
    Rest,
}

impl Part {
    /// In the order in which they are drawn.
    const ALL: [Self; 4] = [Self::Draft, Self::Verify, Self::Sampling, Self::Rest];

    /// Of its bar and of its name.
    fn classes(self) -> [&'static str; 2] {
        match self {
            Self::Draft => ["bar-draft", "draft"],
            Self::Verify => ["bar-target", "verify"],
            Self::Sampling => ["bar-overlap", "sampling"],
            Self::Rest => ["bar-rest", "rest"],
        }
    }

    /// Milliseconds; none where what was timed apart overlaps.
    fn time(self, share: &TimeShare) -> f64 {
        let time = match self {
            Self::Draft => share.draft,
            Self::Verify => share.target,
            Self::Sampling => share.sampling,
            Self::Rest => share.rest,
        };
        time.max(0.0)
    }

    fn title(self, share: &TimeShare) -> String {
        match self {
            Self::Draft => tr!("time" => "draft"),
            Self::Verify if share.gamma == 0 => tr!("time" => "one pass"),
            Self::Verify => tr!("time" => "verify"),
            Self::Sampling => tr!("time" => "sampling"),
            Self::Rest => tr!("time" => "rest"),
        }
    }
}

fn total(share: &TimeShare) -> f64 {
    Part::ALL.into_iter().map(|part| part.time(share)).sum()
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
            "The first draft step reads two tokens, as after a round kept whole the draft has yet to read its own last; the extra cost is counted in v, not in c."
        )));
        let elsewhere = report.best().is_some_and(points_elsewhere);
        let medians = elsewhere.then(|| format!(" {}", tr!(
            "The speeds behind it are medians of the runs; the verdict compares them pair by pair."
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
                <p class="muted">{tr!("Milliseconds per token written.")}" "{source}{more}{drafting}{medians}</p>
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

/// A part in its place of the bar, in pixels.
struct Piece {
    part: Part,
    left: f64,
    long: f64,
    text: String,
}

impl Piece {
    fn middle(&self) -> f64 {
        self.left + self.long / 2.0
    }

    /// Whether its name has room inside.
    fn is_named(&self) -> bool {
        self.text.chars().count() as f64 * LETTER + 10.0 <= self.long
    }

    /// The middle of its name, which a line across the bar at `stroke` does not go through where there
    /// is room beside it.
    fn middle_of_name(&self, stroke: Option<f64>) -> f64 {
        let middle = self.middle();
        let half = self.text.chars().count() as f64 * LETTER / 2.0 + 5.0;
        let Some(stroke) = stroke.filter(|stroke| (stroke - middle).abs() < half) else {
            return middle;
        };
        let right = self.left + self.long;
        let (before, behind) = (stroke - self.left, right - stroke);
        match before.max(behind) {
            longest if longest < 2.0 * half => middle,
            longest if longest == before => self.left + before / 2.0,
            _ => stroke + behind / 2.0,
        }
    }

    fn view(&self, stroke: Option<f64>) -> impl IntoView + use<> {
        let [bar, name] = self.part.classes();
        let x = format!("{:.1}", self.left);
        let wide = format!("{:.1}", self.long.max(1.0));
        let draft = self.part == Part::Draft;
        let middle = format!("{:.1}", self.middle_of_name(stroke));
        let text = self.is_named().then(|| self.text.clone());
        view! {
            <rect class=bar x=x.clone() y="0" width=wide.clone() height="34" />
            {draft.then(|| view! {
                <rect class="bar-hatch" x=x.clone() y="0" width=wide.clone() height="34" />
                <rect class="bar-outline" x=x y="0" width=wide height="34" />
            })}
            {text.map(|text| view! {
                <text class=format!("number share-name {name}") x=middle y="22" text-anchor="middle">{text}</text>
            })}
        }
    }
}

/// The parts beside each other, so many pixels a millisecond.
fn pieces(share: &TimeShare, scale: f64) -> Vec<Piece> {
    let mut left = 0.0;
    let timed = Part::ALL.into_iter().map(|part| (part, part.time(share)));
    timed
        .filter(|(_, time)| *time > 0.0)
        .map(|(part, time)| {
            let long = time * scale;
            let piece = Piece {
                part,
                left,
                long,
                text: format!("{} {}", part.title(share), milliseconds(time)),
            };
            left += long;
            piece
        })
        .collect()
}

fn bar(share: &TimeShare, longest: f64, width: f64) -> impl IntoView + use<> {
    let whole = share.draft + share.target + share.sampling + share.rest;
    // Parts that were timed alone may take longer than the whole, which then ends inside the bar.
    let overlap = share.rest < -OVERLAP * total(share);
    let room = (width - if overlap { 92.0 } else { 60.0 }).max(80.0);
    let scale = room / longest;
    let pieces = pieces(share, scale);
    let left = pieces.last().map_or(0.0, |last| last.left + last.long);
    let outside: Vec<(f64, String)> = pieces
        .iter()
        .filter(|piece| !piece.is_named())
        .map(|piece| (piece.middle(), piece.text.clone()))
        .collect();
    let spoken: Vec<String> = pieces.iter().map(|piece| piece.text.clone()).collect();
    let stroke = overlap.then_some(whole * scale);
    let pieces = pieces.iter().map(|piece| piece.view(stroke)).collect_view();
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
                {stroke.map(|stroke| view! { <path class="share-whole" d=format!("M{stroke:.1} -3V37") /> })}
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
