//! The drawing of a sweep: points with intervals, the prediction, the line where nothing is gained.

use couplet_playback::{decimal, tr};
use couplet_protocol::{GammaSpeed, SpeedReport, Verdict};
use leptos::prelude::*;

use super::frame::{
    BOTTOM, Frame, LEFT, Name, RIGHT, TOP, Words, even, gamma_axis, grid, ground, path, text,
};
use super::place::{
    APART, FREE, LetterPlace, Mark, curve_marks, distance, is_crossed, letters, room,
};
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
pub fn chart(report: &SpeedReport, width: f64, height: f64, size: Size) -> impl IntoView + use<> {
    let width = width.max(220.0);
    let bottom = height - BOTTOM;
    let rows: Vec<&GammaSpeed> = report.gammas.iter().chain(&report.auto).collect();
    let line: Vec<(f64, f64)> = prediction(report);
    let values = || {
        rows.iter()
            .flat_map(|row| {
                let [low, high] = row.simultaneous_interval();
                [low, high, row.speed_up]
            })
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
    let (first, last) = reach(report);
    let frame = Frame {
        width,
        bottom,
        low: low.max(0.0),
        high,
        first,
        last,
    };
    let best = report.best();
    let names = names(&frame, report);
    let label = label(report);
    let name = best.map(|best| best_name(&frame, report, best, &line, size));
    let drawn = drawn(&frame, report, &line, name.as_ref());
    let auto_name = report.auto.as_ref().and_then(|row| {
        let place = auto_place(&frame, report, row, &drawn)?;
        Some((place, auto_words(row))).filter(|_| size == Size::Large)
    });
    let even = even(&frame, &with_auto(&frame, report, drawn, &auto_name));
    view! {
        <svg class="figure sweep-chart" role="img" aria-label=label viewBox=format!("0 0 {width:.0} {height:.0}")
            width=format!("{width:.0}") height=format!("{height:.0}")>
            {ground(&frame)}
            {grid(&frame, step)}
            {gamma_axis(&frame, &names, height)}
            {(line.len() > 1).then(|| view! { <path class="sweep-line" d=path(&frame, &line) /> })}
            {report.gammas.iter().map(|row| point(&frame, row, best.is_some_and(|best| best == row), size)).collect_view()}
            {report.auto.as_ref().map(|row| auto(&frame, report, row))}
            {auto_name.map(|(place, says)| text("halo", place, says))}
            {name.map(Words::view)}
            {even}
        </svg>
    }
}

/// The first and the last draft length of the axis.
fn reach(report: &SpeedReport) -> (f64, f64) {
    let rows = report.gammas.iter().chain(&report.auto);
    let gammas = rows.map(|row| row.gamma);
    let first = gammas.clone().fold(f64::INFINITY, f64::min);
    (first.floor(), gammas.fold(0.0, f64::max).ceil())
}

/// The numbers under the axis, as far as it reaches: each draft length that was timed, and of those
/// that only the engine's own mean has made room for as many as fit.
fn names(frame: &Frame, report: &SpeedReport) -> Vec<Name> {
    const ROOM: f64 = 15.0;
    let best = report.best().map(|best| best.gamma);
    let is_wide = frame.x(1.0) - frame.x(0.0) >= ROOM;
    let all = frame.first as u32..=frame.last as u32;
    all.filter(|gamma| is_wide || gamma.is_multiple_of(2) || report.request.gammas.contains(gamma))
        .map(|gamma| Name {
            gamma: f64::from(gamma),
            says: gamma.to_string(),
            strong: best == Some(f64::from(gamma)),
        })
        .collect()
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

/// What is drawn besides the engine's own choice.
fn drawn(
    frame: &Frame,
    report: &SpeedReport,
    line: &[(f64, f64)],
    best: Option<&Words>,
) -> Vec<Mark> {
    let fixed = report.gammas.iter().map(|row| whisker_mark(frame, row));
    let best = best
        .into_iter()
        .flat_map(|name| letters(name.x, name.half, name.y));
    fixed.chain(best).chain(curve_marks(frame, line)).collect()
}

/// The same and the engine's own choice, with its name.
fn with_auto(
    frame: &Frame,
    report: &SpeedReport,
    mut drawn: Vec<Mark>,
    name: &Option<(LetterPlace, String)>,
) -> Vec<Mark> {
    drawn.extend(report.auto.iter().map(|row| whisker_mark(frame, row)));
    drawn.extend(name.iter().flat_map(|(place, says)| {
        let room = room(says);
        letters(middle(*place, room), 0.5 * room, place.1)
    }));
    drawn
}

fn whisker_mark(frame: &Frame, row: &GammaSpeed) -> Mark {
    Mark {
        x: frame.x(row.gamma),
        ends: row.simultaneous_interval().map(|value| frame.y(value)),
    }
}

/// An interval, each end of it so many pixels wide.
fn whisker(
    frame: &Frame,
    row: &GammaSpeed,
    class: &'static str,
    end: f64,
) -> impl IntoView + use<> {
    let x = frame.x(row.gamma);
    let left = x - 0.5 * end;
    let [low, high] = row.simultaneous_interval().map(|value| frame.y(value));
    view! {
        <path class=class d=format!("M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{end}M{left:.1} {high:.1}h{end}") />
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
        {whisker(frame, row, "sweep-whisker", 8.0)}
        <circle class="sweep-point" class:best=best cx=format!("{x:.1}") cy=format!("{y:.1}") r=radius.to_string() />
    }
}

/// Where the square of the engine's own choice stands, and whether it does so around a fixed one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Square {
    x: f64,
    y: f64,
    half: f64,
    is_around: bool,
}

impl Square {
    /// At its own γ, whatever else is there: a point that it would cover it stands around.
    fn new(frame: &Frame, report: &SpeedReport, row: &GammaSpeed) -> Self {
        const SMALL: f64 = 5.0;
        /// Leaves the ring of a point free.
        const LARGE: f64 = 9.0;
        const NEAR: f64 = 12.0;
        let place = |row: &GammaSpeed| (frame.x(row.gamma), frame.y(row.speed_up));
        let (x, y) = place(row);
        let is_around = report
            .gammas
            .iter()
            .map(place)
            .any(|(at, level)| (at - x).abs() < NEAR && (level - y).abs() < NEAR);
        let half = if is_around { LARGE } else { SMALL };
        Self {
            x,
            y,
            half,
            is_around,
        }
    }

    fn view(self, class: &'static str) -> impl IntoView {
        let side = 2.0 * self.half;
        view! {
            <rect class=class class:around=self.is_around x=format!("{:.1}", self.x - self.half)
                y=format!("{:.1}", self.y - self.half) width=side.to_string() height=side.to_string() />
        }
    }
}

/// The engine's own choice: a square, so that it is no draft length like the others, and an interval
/// that can be seen on that of a fixed one.
fn auto(frame: &Frame, report: &SpeedReport, row: &GammaSpeed) -> impl IntoView + use<> {
    let square = Square::new(frame, report, row);
    view! {
        {whisker(frame, row, "sweep-whisker auto", 14.0)}
        {square.view("sweep-auto-halo")}
        {square.view("sweep-auto")}
    }
}

fn auto_words(row: &GammaSpeed) -> String {
    tr!("auto {}", words::factor(row.speed_up))
}

/// The middle of letters that take so many pixels.
fn middle((x, _, anchor): LetterPlace, room: f64) -> f64 {
    match anchor {
        "start" => x + 0.5 * room,
        "end" => x - 0.5 * room,
        _ => x,
    }
}

/// Where the name of the engine's own choice stands, above its interval or below, wherever it is
/// further from what else is drawn; where it would cover some of that, beyond all of it, if that is
/// not far, else nowhere.
fn auto_place(
    frame: &Frame,
    report: &SpeedReport,
    row: &GammaSpeed,
    drawn: &[Mark],
) -> Option<LetterPlace> {
    const FAR: f64 = 60.0;
    let room = room(&auto_words(row));
    let (letters, anchor) = beside_fixed(frame, row.gamma, room);
    let even = frame.y(1.0);
    let [below, above] = row.simultaneous_interval().map(|value| frame.y(value));
    // Off a large square with a short interval too.
    let square = Square::new(frame, report, row);
    let below = below.max(square.y + square.half - 4.0);
    let above = above.min(square.y - square.half + 3.0);
    let off = |level: f64, instead: f64| match is_crossed(level, even) {
        true => instead,
        false => level,
    };
    let places =
        |below: f64, above: f64| [off(below + 17.0, even + 17.0), off(above - 8.0, even - 7.0)];
    let (middle, half) = (middle((letters, below, anchor), room), 0.5 * room);
    let ends = || {
        let in_reach = move |mark: &&Mark| (mark.x - middle).abs() <= half + APART;
        drawn.iter().filter(in_reach).flat_map(|mark| mark.ends)
    };
    let beyond = places(
        ends().fold(below, f64::max) + 3.0,
        ends().fold(above, f64::min) - 3.0,
    );
    let free = |level: f64| distance(drawn, middle, half, level).min(40.0);
    let fits = |level: &f64| {
        let is_near = (above - FAR..below + FAR).contains(level);
        is_near && (TOP..frame.bottom - 3.0).contains(level) && free(*level) >= FREE
    };
    // Of places that are as free the last one is taken.
    let freest = |places: [f64; 2]| {
        let fitting = places.into_iter().filter(fits);
        fitting.max_by(|a, b| free(*a).total_cmp(&free(*b)))
    };
    let level = freest(places(below, above)).or_else(|| freest(beyond))?;
    Some((letters, level, anchor))
}

/// Where the letters of a mean draft length, which take so many pixels, stand so that they keep off the
/// interval of the nearest fixed one: under its square where there is room, else with an end of it or
/// further off.
fn beside_fixed(frame: &Frame, gamma: f64, room: f64) -> (f64, &'static str) {
    const APART: f64 = 11.0;
    const HALF_SQUARE: f64 = 5.0;
    let (x, fixed) = (frame.x(gamma), frame.x(gamma.round()));
    let right = frame.width - RIGHT;
    let fits_left = fixed - APART - room > LEFT;
    let fits_right = fixed + APART + room < right;
    if (x - fixed).abs() >= 3.0 * APART {
        let half = 0.5 * room;
        (x.clamp(LEFT + half, right - half), "middle")
    } else if (x < fixed && fits_left) || !fits_right {
        ((x + HALF_SQUARE).min(fixed - APART), "end")
    } else {
        ((x - HALF_SQUARE).max(fixed + APART), "start")
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
    let beside = report
        .auto
        .iter()
        .filter(|auto| (frame.x(auto.gamma) - frame.x(best.gamma)).abs() < 60.0)
        .map(|auto| {
            let square = Square::new(frame, report, auto);
            let top = square.y - square.half + 6.0;
            frame.y(auto.simultaneous_interval()[1]).min(top)
        });
    let above = beside.fold(frame.y(best.simultaneous_interval()[1]), f64::min) - 10.0;
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
        .max(TOP);
    Words::above(frame, best.gamma, above, best_words(report, best, size))
}

fn best_words(report: &SpeedReport, best: &GammaSpeed, size: Size) -> String {
    let number = words::factor(best.speed_up);
    match size {
        Size::Small => number,
        Size::Large if report.gammas.len() < 2 => tr!("{} at γ = {}", number, words::gamma(best)),
        // Slower beyond the noise, it is best of nothing good.
        Size::Large if report.verdict(best) == Verdict::Slower => {
            tr!("least slow: γ = {}, {number}", words::gamma(best), number)
        }
        // The others are slower beyond the noise, and this one may be faster, whatever the medians.
        Size::Large if report.verdict(best) == Verdict::CannotTell && is_behind(report, best) => {
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
        let [low, high] = row.simultaneous_interval().map(words::bound);
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

    /// Fixed draft lengths from 1 on of one speed, and the engine's own choice at another.
    fn with_auto(longest: u32, gamma: f64, speed_up: f64) -> SpeedReport {
        let rows: Vec<_> = (1..=longest).map(|gamma| (gamma, [1.2, 1.4])).collect();
        let mut report = report(&rows);
        let mut auto = report.gammas[0].clone();
        (auto.gamma, auto.speed_up) = (gamma, speed_up);
        auto.interval = [speed_up - 0.1, speed_up + 0.1];
        report.auto = Some(auto);
        report
    }

    fn frame(report: &SpeedReport, width: f64) -> Frame {
        let (first, last) = reach(report);
        Frame {
            width,
            bottom: 256.0,
            low: 0.8,
            high: 1.6,
            first,
            last,
        }
    }

    #[test]
    fn the_square_stands_at_its_own_gamma_and_its_letters_keep_off_the_fixed_one() {
        for width in [330.0, 620.0] {
            for gamma in [1.0, 1.2, 1.5, 2.4, 6.9, 8.0] {
                let report = with_auto(8, gamma, 1.0);
                let frame = frame(&report, width);
                let row = report.auto.as_ref().unwrap();
                let square = Square::new(&frame, &report, row);
                assert_eq!(square.x, frame.x(gamma), "{width}, {gamma}");
                assert!(!square.is_around, "{width}, {gamma}");
                let room = room(&auto_words(row));
                let (letters, anchor) = beside_fixed(&frame, gamma, room);
                let middle = middle((letters, 0.0, anchor), room);
                let (left, right) = (middle - 0.5 * room, middle + 0.5 * room);
                let fixed = frame.x(gamma.round());
                // Under the square there is room between two fixed ones, or the letters are outside.
                let is_off = (left - fixed).max(fixed - right) >= 11.0 - 1e-9;
                let is_under = anchor == "middle" && (square.x - fixed).abs() >= 33.0;
                assert!(is_off || is_under, "{width}, {gamma}: {left} to {right}");
                assert!(left >= LEFT && right <= width, "{width}, {gamma}");
            }
        }
    }

    /// The bars of a narrow drawing are nearer to each other than letters are wide.
    #[test]
    fn no_name_lies_on_the_interval_of_a_fixed_one() {
        let named = |rows: &[(u32, [f64; 2])], own: f64, interval: [f64; 2], width| {
            let mut report = report(rows);
            let mut auto = report.gammas[0].clone();
            (auto.gamma, auto.speed_up, auto.interval) = (own, 1.02, interval);
            report.auto = Some(auto);
            let frame = Frame {
                low: 0.4,
                high: 1.6,
                ..frame(&report, width)
            };
            let drawn = drawn(&frame, &report, &[], None);
            let auto = report.auto.as_ref().unwrap();
            let place = auto_place(&frame, &report, auto, &drawn)?;
            let room = room(&auto_words(auto));
            let off = distance(&drawn, middle(place, room), 0.5 * room, place.1);
            assert!(off >= FREE, "{rows:?}: {place:?}");
            Some(place.1 < frame.y(interval[1]) || place.1 > frame.y(interval[0]))
        };
        let all = |interval| (1..=8).map(move |gamma| (gamma, interval));
        let rows: Vec<_> = all([0.8, 1.2]).collect();
        // Beyond the bars beside it there is room, not far away.
        assert_eq!(named(&rows, 2.4, [0.95, 1.1], 420.0), Some(true));
        assert_eq!(named(&rows, 2.4, [0.95, 1.1], 620.0), Some(true));
        // Where that is only far away there are no letters.
        let rows: Vec<_> = all([0.45, 1.55]).collect();
        assert_eq!(named(&rows, 2.4, [0.95, 1.1], 420.0), None);
    }

    #[test]
    fn a_point_that_the_square_would_cover_is_seen_in_it() {
        let square = |gamma, speed_up| {
            let report = with_auto(8, gamma, speed_up);
            Square::new(
                &frame(&report, 620.0),
                &report,
                report.auto.as_ref().unwrap(),
            )
        };
        // The fixed ones are at 1.3; one γ has 70 pixels, and .01 has 3.
        let over = square(3.0, 1.3);
        assert!(over.is_around);
        // The ring of a point that is not the best is 4.8 + 1.3 pixels wide, a stroke of the square 1.1.
        assert!(over.half - 1.1 > 4.8 + 1.3);
        assert!(square(3.1, 1.31).is_around);
        assert!(!square(3.4, 1.3).is_around);
        assert!(!square(3.0, 1.2).is_around);
    }

    #[test]
    fn every_draft_length_that_the_axis_reaches_has_its_number() {
        let says = |width| {
            let report = with_auto(3, 8.0, 1.0);
            let names = names(&frame(&report, width), &report);
            let says: Vec<String> = names.into_iter().map(|name| name.says).collect();
            says.join(" ")
        };
        assert_eq!(says(620.0), "1 2 3 4 5 6 7 8");
        // Where they would run into each other, every other one of those that were not timed.
        assert_eq!(says(150.0), "1 2 3 4 6 8");
    }

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
