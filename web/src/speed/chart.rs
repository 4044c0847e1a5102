//! The drawing of a sweep: points with intervals, the prediction, the line where nothing is gained.

use couplet_playback::decimal;
use couplet_protocol::{GammaSpeed, SpeedReport, Verdict};
use leptos::prelude::*;
use tr::tr;

use super::reading::predicted;
use super::words;
use crate::axis::round_step;

/// How large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// With a label at the best.
    Large,
    /// Beside a sentence.
    Small,
}

const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;

/// Where numbers stand in the drawing.
struct Frame {
    width: f64,
    bottom: f64,
    low: f64,
    high: f64,
    first: f64,
    last: f64,
}

impl Frame {
    fn x(&self, gamma: f64) -> f64 {
        let room = self.width - LEFT - RIGHT;
        let count = self.last - self.first + 1.0;
        LEFT + (gamma - self.first + 0.5) / count * room
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - share * (self.bottom - TOP)
    }
}

/// A sweep on so many pixels.
pub fn chart(
    report: &SpeedReport,
    width: f64,
    height: f64,
    size: Size,
    id: Option<&'static str>,
) -> impl IntoView + use<> {
    let width = width.max(220.0);
    let bottom = height - BOTTOM;
    let rows: Vec<&GammaSpeed> = report.gammas.iter().chain(&report.auto).collect();
    let line: Vec<(f64, f64)> = prediction(report);
    let values = || {
        rows.iter()
            .flat_map(|row| [row.interval[0], row.interval[1], row.speed_up])
            .chain(line.iter().map(|(_, value)| *value))
            .filter(|value| value.is_finite())
    };
    let low = values().fold(1.0, f64::min);
    let high = values().fold(1.0, f64::max);
    let step = round_step(
        (high - low).max(0.2) * 1.15,
        if size == Size::Large { 6.0 } else { 4.0 },
    );
    let low = ((low - 0.35 * step) / step).floor() * step;
    let high = ((high + 0.35 * step) / step).ceil() * step;
    let gammas = || rows.iter().map(|row| row.gamma);
    let frame = Frame {
        width,
        bottom,
        low: low.max(0.0),
        high,
        first: gammas().fold(f64::INFINITY, f64::min).floor(),
        last: gammas().fold(0.0, f64::max).ceil(),
    };
    let best = report.best();
    let names: Vec<Name> = report
        .gammas
        .iter()
        .map(|row| Name {
            gamma: row.gamma,
            says: words::gamma(row),
            strong: best.is_some_and(|best| best == row),
        })
        .collect();
    let label = label(report);
    let name = best.map(|best| best_name(&frame, report, best, size));
    let even = even(&frame, report, &line, name.as_ref());
    view! {
        <svg class="figure sweep-chart" id=id role="img" aria-label=label viewBox=format!("0 0 {width:.0} {height:.0}")
            width=format!("{width:.0}") height=format!("{height:.0}")>
            {ground(&frame)}
            {grid(&frame, step)}
            {gamma_axis(&frame, &names, height)}
            {(line.len() > 1).then(|| view! { <path class="sweep-line" d=path(&frame, &line) /> })}
            {report.gammas.iter().map(|row| point(&frame, row, best.is_some_and(|best| best == row), size)).collect_view()}
            {report.auto.as_ref().map(|row| auto(&frame, row, size))}
            {name.map(Words::view)}
            {even}
        </svg>
    }
}

/// What the formula says from the shortest to the longest draft that was timed.
fn prediction(report: &SpeedReport) -> Vec<(f64, f64)> {
    let ends = report
        .request
        .gammas
        .first()
        .zip(report.request.gammas.last());
    let Some((first, last)) = ends else {
        return Vec::new();
    };
    (*first..=*last)
        .filter_map(|gamma| Some((f64::from(gamma), predicted(report, gamma)?)))
        .collect()
}

fn path(frame: &Frame, line: &[(f64, f64)]) -> String {
    line.iter()
        .enumerate()
        .map(|(index, (gamma, value))| {
            let verb = if index == 0 { 'M' } else { 'L' };
            format!("{verb}{:.1} {:.1}", frame.x(*gamma), frame.y(*value))
        })
        .collect()
}

/// Below 1 is the ground: there drafting costs more than it saves.
fn ground(frame: &Frame) -> impl IntoView + use<> {
    let top = frame.y(1.0);
    view! {
        <rect class="sweep-slower" x=LEFT.to_string() y=format!("{top:.1}")
            width=format!("{:.1}", frame.width - LEFT - RIGHT) height=format!("{:.1}", (frame.bottom - top).max(0.0)) />
    }
}

/// The line where nothing is gained, its name clear of every interval, and of the best one's name,
/// where that can be.
fn even(
    frame: &Frame,
    report: &SpeedReport,
    line: &[(f64, f64)],
    best: Option<&Words>,
) -> impl IntoView + use<> {
    let of = |row: &GammaSpeed, x| Mark {
        x,
        ends: row.interval.map(|value| frame.y(value)),
    };
    let fixed = report.gammas.iter().map(|row| of(row, frame.x(row.gamma)));
    let auto = report.auto.iter().flat_map(|row| {
        let (x, y, anchor) = auto_name(frame, row);
        let middle = match anchor {
            "start" => x + 0.5 * LETTERS,
            "end" => x - 0.5 * LETTERS,
            _ => x,
        };
        letters(middle, 0.5 * LETTERS, y)
            .into_iter()
            .chain([of(row, beside_fixed(frame, row.gamma).0)])
    });
    let best = best
        .into_iter()
        .flat_map(|name| letters(name.x, name.half, name.y));
    let curve = curve_marks(frame, line);
    let marks: Vec<Mark> = fixed.chain(auto).chain(best).chain(curve).collect();
    let (x, name, anchor) = free_place(frame, &marks);
    even_at(frame, x, name, anchor)
}

/// What letters on a line cover, whose middle and half width these are.
fn letters(middle: f64, half: f64, y: f64) -> [Mark; 3] {
    [-half, 0.0, half].map(|from| Mark {
        x: middle + from,
        ends: [y, y - 10.0],
    })
}

fn curve_marks(frame: &Frame, curve: &[(f64, f64)]) -> impl Iterator<Item = Mark> {
    curve.iter().map(|(gamma, factor)| Mark {
        x: frame.x(*gamma),
        ends: [frame.y(*factor); 2],
    })
}

/// The line where nothing is gained, with its name at this place.
fn even_at(frame: &Frame, x: f64, name: f64, anchor: &'static str) -> impl IntoView + use<> {
    let y = frame.y(1.0);
    view! {
        <path class="sweep-even" d=format!("M{LEFT} {y:.1}H{:.1}", frame.width - RIGHT) />
        <text class="strong halo" x=format!("{x:.1}") y=format!("{name:.1}") text-anchor=anchor>
            {tr!("break-even 1×")}
        </text>
    }
}

fn grid(frame: &Frame, step: f64) -> impl IntoView + use<> {
    let count = ((frame.high - frame.low) / step).round().clamp(0.0, 40.0) as usize;
    let decimals = if step < 0.0999 { 2 } else { 1 };
    (0..=count)
        .map(|index| frame.low + index as f64 * step)
        .map(|value| {
            let y = frame.y(value);
            let line = ((value - 1.0).abs() > 1e-9).then(|| {
                view! { <path class="grid" d=format!("M{LEFT} {y:.1}H{:.1}", frame.width - RIGHT) /> }
            });
            view! {
                {line}
                <text class="number small" x=format!("{:.1}", LEFT - 8.0) y=format!("{:.1}", y + 4.0) text-anchor="end">
                    {format!("{}×", decimal(value, decimals))}
                </text>
            }
        })
        .collect_view()
}

/// A draft length under the axis.
struct Name {
    gamma: f64,
    says: String,
    strong: bool,
}

fn gamma_axis(frame: &Frame, names: &[Name], height: f64) -> impl IntoView + use<> {
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

fn whisker(frame: &Frame, row: &GammaSpeed, x: f64) -> impl IntoView + use<> {
    let [low, high] = row.interval.map(|value| frame.y(value));
    view! {
        <path class="sweep-whisker"
            d=format!("M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8", x - 4.0, x - 4.0) />
    }
}

fn point(frame: &Frame, row: &GammaSpeed, best: bool, size: Size) -> impl IntoView + use<> {
    let (x, y) = (frame.x(row.gamma), frame.y(row.speed_up));
    let radius = match (best, size) {
        (true, Size::Large) => 7.0,
        (true, Size::Small) => 6.0,
        (false, Size::Large) => 4.8,
        (false, Size::Small) => 4.0,
    };
    view! {
        {whisker(frame, row, x)}
        <circle class="sweep-point" class:best=best cx=format!("{x:.1}") cy=format!("{y:.1}") r=radius.to_string() />
    }
}

/// The engine's own choice: a square, so that it is no draft length like the others.
fn auto(frame: &Frame, row: &GammaSpeed, size: Size) -> impl IntoView + use<> {
    let (x, _) = beside_fixed(frame, row.gamma);
    let y = frame.y(row.speed_up);
    let (letters, below, anchor) = auto_name(frame, row);
    let large = size == Size::Large;
    view! {
        {whisker(frame, row, x)}
        <rect class="sweep-auto" x=format!("{:.1}", x - 5.0) y=format!("{:.1}", y - 5.0) width="10" height="10" />
        {large.then(|| view! {
            <text class="halo" x=format!("{letters:.1}") y=format!("{below:.1}") text-anchor=anchor>
                {tr!("auto {}", words::factor(row.speed_up))}
            </text>
        })}
    }
}

/// Room for the name of the engine's own choice.
const LETTERS: f64 = 80.0;

/// Where the name of the engine's own choice stands, below its interval.
fn auto_name(frame: &Frame, row: &GammaSpeed) -> (f64, f64, &'static str) {
    let (x, anchor) = beside_fixed(frame, row.gamma);
    // Letters end, or begin, with the square.
    let letters = x + match anchor {
        "start" => -5.0,
        "end" => 5.0,
        _ => 0.0,
    };
    let line = frame.y(1.0);
    let below = frame.y(row.interval[0]) + 17.0;
    let below = if is_crossed(below, line) {
        line + 17.0
    } else {
        below
    };
    (letters, below, anchor)
}

/// Where a mean draft length stands so that it covers no fixed one, and how its letters keep off
/// that too.
fn beside_fixed(frame: &Frame, gamma: f64) -> (f64, &'static str) {
    const APART: f64 = 16.0;
    let (x, fixed) = (frame.x(gamma), frame.x(gamma.round()));
    let fits_left = fixed - APART - LETTERS > LEFT;
    let fits_right = fixed + APART + LETTERS < frame.width;
    if (x - fixed).abs() >= 2.0 * APART {
        (x, "middle")
    } else if (x < fixed && fits_left) || !fits_right {
        (x.min(fixed - APART), "end")
    } else {
        (x.max(fixed + APART), "start")
    }
}

/// Whether a level line runs through, or close by, letters that stand at this height.
fn is_crossed(baseline: f64, line: f64) -> bool {
    (baseline - 15.0..baseline + 7.0).contains(&line)
}

/// Words above a point; at either side they stay inside the drawing.
struct Words {
    x: f64,
    y: f64,
    half: f64,
    text: String,
}

impl Words {
    fn above(frame: &Frame, gamma: f64, y: f64, text: String) -> Self {
        let half = 4.0 * text.chars().count() as f64;
        let most = (frame.width - RIGHT - half).max(LEFT + half);
        let x = frame.x(gamma).clamp(LEFT + half, most);
        Self { x, y, half, text }
    }

    fn view(self) -> impl IntoView {
        view! {
            <text class="strong halo sweep-best" x=format!("{:.1}", self.x) y=format!("{:.1}", self.y) text-anchor="middle">{self.text}</text>
        }
    }
}

/// What is written above the best draft length.
fn best_name(frame: &Frame, report: &SpeedReport, best: &GammaSpeed, size: Size) -> Words {
    let line = frame.y(1.0);
    // Clear of the engine's own choice, where that stands beside it.
    let beside = report.auto.iter().filter(|auto| {
        let (x, _) = beside_fixed(frame, auto.gamma);
        (x - frame.x(best.gamma)).abs() < 60.0
    });
    let high = beside.fold(best.interval[1], |high, auto| high.max(auto.interval[1]));
    let above = frame.y(high) - 10.0;
    let above = if is_crossed(above, line) {
        line - 7.0
    } else {
        above
    };
    let number = words::factor(best.speed_up);
    let text = match size {
        Size::Small => number,
        Size::Large if report.gammas.len() < 2 => tr!("{} at γ = {}", number, words::gamma(best)),
        // Slower beyond the noise, it is best of nothing good.
        Size::Large if best.verdict() == Verdict::Slower => {
            tr!("least slow: γ = {}, {number}", words::gamma(best), number)
        }
        Size::Large => tr!("best γ = {}, {number}", words::gamma(best), number),
    };
    Words::above(frame, best.gamma, above, text)
}

/// What is drawn at one place of the axis: pixels from the left, and its lower and upper end.
struct Mark {
    x: f64,
    ends: [f64; 2],
}

/// Where the name of the line where nothing is gained covers least of what is drawn: at either end of
/// that line or behind a mark, above or below it.
fn free_place(frame: &Frame, marks: &[Mark]) -> (f64, f64, &'static str) {
    const ROOM: f64 = 96.0;
    const APART: f64 = 12.0;
    let line = frame.y(1.0);
    let right = frame.width - RIGHT;
    let behind = marks
        .iter()
        .map(|mark| mark.x + APART + 2.0)
        .filter(|left| left + ROOM < right)
        .map(|left| (left, left, "start"));
    // Of places that are as free as others the last one is taken.
    let places = behind
        .chain([
            (LEFT + 6.0, LEFT + 6.0, "start"),
            (right - 4.0, right - ROOM, "end"),
        ])
        .flat_map(|(x, left, anchor)| {
            let below = (frame.bottom - line > 22.0).then_some(line + 16.0);
            [below, Some(line - 6.0)]
                .into_iter()
                .flatten()
                .map(move |y| (x, y, left, anchor))
        });
    // How far the nearest mark is from the middle of the letters.
    let distance = |y: f64, left: f64| {
        let middle = y - 5.0;
        marks
            .iter()
            .filter(|mark| (left - APART..=left + ROOM + APART).contains(&mark.x))
            .map(|mark| {
                let [low, high] = mark.ends;
                (high - middle).max(middle - low).max(0.0)
            })
            .fold(60.0, f64::min)
    };
    let free = places.max_by(|a, b| distance(a.1, a.2).total_cmp(&distance(b.1, b.2)));
    free.map_or((LEFT + 6.0, line - 6.0, "start"), |(x, y, _, anchor)| {
        (x, y, anchor)
    })
}

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

fn label(report: &SpeedReport) -> String {
    let row = |row: &GammaSpeed| {
        let [low, high] = row.interval.map(|bound| decimal(bound, 2));
        tr!(
            "γ {gamma}: {factor}, {low} to {high}",
            gamma = words::gamma(row),
            factor = decimal(row.speed_up, 2),
            low,
            high
        )
    };
    let fixed = report.gammas.iter().map(row);
    let auto = report.auto.iter().map(row);
    let auto = auto.map(|row| tr!("chosen by the engine, {row}", row));
    tr!(
        "Speed-up by tokens drafted per round, with intervals. {}.",
        fixed.chain(auto).collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_break_even_keeps_off_every_interval() {
        let frame = Frame {
            width: 600.0,
            bottom: 300.0,
            low: 0.0,
            high: 3.0,
            first: 1.0,
            last: 8.0,
        };
        let spanning = |gamma| Mark {
            x: frame.x(gamma),
            ends: [frame.y(0.5), frame.y(2.0)],
        };
        // Both ends of the line are taken, and behind 4 is room.
        let marks = [1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0].map(spanning);
        let (x, _, anchor) = free_place(&frame, &marks);
        assert_eq!(anchor, "start");
        assert!(frame.x(4.0) < x && x + 96.0 < frame.x(6.0), "{x}");
        // An end that is free is preferred.
        let marks = [1.0, 2.0, 3.0].map(spanning);
        assert_eq!(free_place(&frame, &marks).2, "end");
        // So is what no other name covers.
        let marks = letters(frame.width - 60.0, 60.0, frame.y(1.0) - 7.0);
        assert!(free_place(&frame, &marks).0 < frame.width - 250.0);
    }
}
