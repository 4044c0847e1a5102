//! The drawing of a sweep: points with intervals, the prediction, the line where nothing is gained.

use couplet_playback::decimal;
use couplet_protocol::{GammaSpeed, SpeedReport, Verdict};
use leptos::prelude::*;
use tr::tr;

use super::frame::{BOTTOM, Frame, LEFT, Name, Words, even_at, gamma_axis, grid, ground, path};
use super::place::{Mark, curve_marks, free_place, is_crossed, letters};
use crate::axis::round_step;
use crate::speed::reading::predicted;
use crate::speed::words;

/// How large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// With a label at the best.
    Large,
    /// Beside a sentence.
    Small,
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
    let name = best.map(|best| best_name(&frame, report, best, &line, size));
    let auto_name = report
        .auto
        .as_ref()
        .map(|row| auto_name(&frame, report, row, &line, name.as_ref()));
    let even = even(&frame, report, &line, name.as_ref(), auto_name);
    view! {
        <svg class="figure sweep-chart" id=id role="img" aria-label=label viewBox=format!("0 0 {width:.0} {height:.0}")
            width=format!("{width:.0}") height=format!("{height:.0}")>
            {ground(&frame)}
            {grid(&frame, step)}
            {gamma_axis(&frame, &names, height)}
            {(line.len() > 1).then(|| view! { <path class="sweep-line" d=path(&frame, &line) /> })}
            {report.gammas.iter().map(|row| point(&frame, row, best.is_some_and(|best| best == row), size)).collect_view()}
            {report.auto.as_ref().zip(auto_name).map(|(row, name)| auto(&frame, row, name, size))}
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

/// The line where nothing is gained, its name clear of every interval, and of the best one's name,
/// where that can be.
fn even(
    frame: &Frame,
    report: &SpeedReport,
    line: &[(f64, f64)],
    best: Option<&Words>,
    auto_name: Option<Place>,
) -> impl IntoView + use<> {
    let auto = report.auto.iter().zip(auto_name).flat_map(|(row, name)| {
        letters(middle(name), 0.5 * LETTERS, name.1)
            .into_iter()
            .chain([whisker_mark(frame, row, beside_fixed(frame, row.gamma).0)])
    });
    let marks: Vec<Mark> = drawn(frame, report, line, best).chain(auto).collect();
    let (x, name, anchor) = free_place(frame, &marks);
    even_at(frame, x, name, anchor)
}

/// What is drawn besides the engine's own choice.
fn drawn(
    frame: &Frame,
    report: &SpeedReport,
    line: &[(f64, f64)],
    best: Option<&Words>,
) -> impl Iterator<Item = Mark> {
    let fixed = report
        .gammas
        .iter()
        .map(|row| whisker_mark(frame, row, frame.x(row.gamma)));
    let best = best
        .into_iter()
        .flat_map(|name| letters(name.x, name.half, name.y));
    fixed.chain(best).chain(curve_marks(frame, line))
}

fn whisker_mark(frame: &Frame, row: &GammaSpeed, x: f64) -> Mark {
    Mark {
        x,
        ends: row.interval.map(|value| frame.y(value)),
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
fn auto(
    frame: &Frame,
    row: &GammaSpeed,
    (letters, level, anchor): Place,
    size: Size,
) -> impl IntoView + use<> {
    let (x, _) = beside_fixed(frame, row.gamma);
    let y = frame.y(row.speed_up);
    let large = size == Size::Large;
    view! {
        {whisker(frame, row, x)}
        <rect class="sweep-auto" x=format!("{:.1}", x - 5.0) y=format!("{:.1}", y - 5.0) width="10" height="10" />
        {large.then(|| view! {
            <text class="halo" x=format!("{letters:.1}") y=format!("{level:.1}") text-anchor=anchor>
                {tr!("auto {}", words::factor(row.speed_up))}
            </text>
        })}
    }
}

/// Room for the name of the engine's own choice.
const LETTERS: f64 = 80.0;

/// Where letters stand: pixels from the left, their base line, and what of them is at the first.
type Place = (f64, f64, &'static str);

/// The middle of the letters of the engine's own choice.
fn middle((x, _, anchor): Place) -> f64 {
    match anchor {
        "start" => x + 0.5 * LETTERS,
        "end" => x - 0.5 * LETTERS,
        _ => x,
    }
}

/// Where the name of the engine's own choice stands, above its interval or below, wherever it is
/// further from what else is drawn.
fn auto_name(
    frame: &Frame,
    report: &SpeedReport,
    row: &GammaSpeed,
    line: &[(f64, f64)],
    best: Option<&Words>,
) -> Place {
    let (x, anchor) = beside_fixed(frame, row.gamma);
    // Letters end, or begin, with the square.
    let letters = x + match anchor {
        "start" => -5.0,
        "end" => 5.0,
        _ => 0.0,
    };
    let even = frame.y(1.0);
    let [below, above] = row.interval.map(|value| frame.y(value));
    let off = |level: f64, instead: f64| match is_crossed(level, even) {
        true => instead,
        false => level,
    };
    let places = [off(below + 17.0, even + 17.0), off(above - 8.0, even - 7.0)];
    let middle = middle((letters, below, anchor));
    let marks: Vec<Mark> = drawn(frame, report, line, best)
        .filter(|mark| (mark.x - middle).abs() < 0.5 * LETTERS + 12.0)
        .collect();
    // Letters over letters can be read even less than letters over a line.
    let covers = |level: f64| {
        best.is_some_and(|best| {
            let apart = (best.x - middle).abs();
            apart < best.half + 0.5 * LETTERS && (best.y - level).abs() < 16.0
        })
    };
    let room = |level: f64| {
        if covers(level) {
            return -1.0;
        }
        let middle = level - 5.0;
        let distance = |mark: &Mark| {
            let [one, other] = mark.ends;
            let (high, low) = (one.min(other), one.max(other));
            (high - middle).max(middle - low).max(0.0)
        };
        marks.iter().map(distance).fold(40.0, f64::min)
    };
    // Of places that are as free the last one is taken.
    let free = places
        .into_iter()
        .max_by(|a, b| room(*a).total_cmp(&room(*b)));
    (letters, free.unwrap_or(below), anchor)
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

/// What is written above the best draft length.
fn best_name(
    frame: &Frame,
    report: &SpeedReport,
    best: &GammaSpeed,
    curve: &[(f64, f64)],
    size: Size,
) -> Words {
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
    // Nor does the prediction run through it, where there is room above that.
    let above = curve
        .iter()
        .filter(|(gamma, _)| (gamma - best.gamma).abs() <= 1.0)
        .map(|(_, factor)| frame.y(*factor))
        .filter(|y| is_crossed(above, *y))
        .map(|y| y - 8.0)
        .fold(above, f64::min)
        .max(14.0);
    Words::above(frame, best.gamma, above, best_words(report, best, size))
}

fn best_words(report: &SpeedReport, best: &GammaSpeed, size: Size) -> String {
    let number = words::factor(best.speed_up);
    match size {
        Size::Small => number,
        Size::Large if report.gammas.len() < 2 => tr!("{} at γ = {}", number, words::gamma(best)),
        // Slower beyond the noise, it is best of nothing good.
        Size::Large if best.verdict() == Verdict::Slower => {
            tr!("least slow: γ = {}, {number}", words::gamma(best), number)
        }
        // The others are slower beyond the noise, and this one may be faster, whatever the medians.
        Size::Large if best.verdict() == Verdict::CannotTell && is_behind(report, best) => {
            tr!("may pay: γ = {}, {number}", words::gamma(best), number)
        }
        Size::Large => tr!("best γ = {}, {number}", words::gamma(best), number),
    }
}

/// Whether another draft length has the larger median.
fn is_behind(report: &SpeedReport, best: &GammaSpeed) -> bool {
    let mut rows = report.gammas.iter();
    rows.any(|row| row.speed_up > best.speed_up)
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
    use crate::speed::reading::tests::report;

    #[test]
    fn only_what_is_best_is_called_so() {
        let name = |rows: &[(u32, [f64; 2])]| {
            let report = report(rows);
            best_words(&report, report.best().unwrap(), Size::Large)
        };
        let check = |rows: &[(u32, [f64; 2])], begins: &str| {
            assert!(name(rows).starts_with(begins), "{}", name(rows));
        };
        check(&[(1, [0.9, 1.1]), (2, [0.95, 1.2])], "best γ = 2");
        check(&[(1, [0.7, 0.95]), (2, [0.5, 1.1])], "may pay: γ = 2");
        check(&[(1, [1.1, 1.3]), (2, [0.9, 2.0])], "best γ = 1");
        check(&[(1, [0.7, 0.8]), (2, [0.5, 0.7])], "least slow: γ = 1");
    }
}
