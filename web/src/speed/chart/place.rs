//! Where a name covers least of what is drawn.

use super::frame::{Frame, LEFT, RIGHT};

/// What is drawn at one place of the axis: pixels from the left, and its lower and upper end.
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) ends: [f64; 2],
    /// Whether it is letters, which nothing else may cover.
    pub(super) is_name: bool,
}

/// Where the name of the line where nothing is gained covers least of what is drawn: at either end of
/// that line or behind a mark, above or below it.
pub(super) fn free_place(frame: &Frame, marks: &[Mark]) -> (f64, f64, &'static str) {
    const ROOM: f64 = 96.0;
    const APART: f64 = 12.0;
    /// Half of what letters are high, and some room.
    const LETTERS: f64 = 8.0;
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
    // How far the nearest mark is from the middle of the letters; less than nothing where they would
    // stand on others.
    let distance = |y: f64, left: f64| {
        let middle = y - 5.0;
        marks
            .iter()
            .filter(|mark| (left - APART..=left + ROOM + APART).contains(&mark.x))
            .map(|mark| {
                let [low, high] = mark.ends;
                let apart = (high - middle).max(middle - low).max(0.0);
                match mark.is_name && apart < LETTERS {
                    true => apart - LETTERS,
                    false => apart,
                }
            })
            .fold(60.0, f64::min)
    };
    let free = places.max_by(|a, b| distance(a.1, a.2).total_cmp(&distance(b.1, b.2)));
    free.map_or((LEFT + 6.0, line - 6.0, "start"), |(x, y, _, anchor)| {
        (x, y, anchor)
    })
}

/// What letters on a line cover, whose middle and half width these are.
pub(super) fn letters(middle: f64, half: f64, y: f64) -> [Mark; 3] {
    [-half, 0.0, half].map(|from| Mark {
        x: middle + from,
        ends: [y, y - 10.0],
        is_name: true,
    })
}

pub(super) fn curve_marks(frame: &Frame, curve: &[(f64, f64)]) -> impl Iterator<Item = Mark> {
    curve.iter().map(|(gamma, factor)| Mark {
        x: frame.x(*gamma),
        ends: [frame.y(*factor); 2],
        is_name: false,
    })
}

/// Whether a level line runs through, or close by, letters that stand at this height.
pub(super) fn is_crossed(baseline: f64, line: f64) -> bool {
    (baseline - 15.0..baseline + 7.0).contains(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: f64, [first, last]: [f64; 2]) -> Frame {
        Frame {
            width,
            bottom: 300.0,
            low: 0.0,
            high: 3.0,
            first,
            last,
        }
    }

    /// An interval with break-even in it.
    fn spanning(frame: &Frame, gamma: f64) -> Mark {
        Mark {
            x: frame.x(gamma),
            ends: [frame.y(0.5), frame.y(2.0)],
            is_name: false,
        }
    }

    #[test]
    fn the_name_of_break_even_keeps_off_every_interval() {
        let frame = frame(600.0, [1.0, 8.0]);
        let spanning = |gamma| spanning(&frame, gamma);
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

    #[test]
    fn where_everything_is_covered_it_is_an_interval_and_no_other_name() {
        let frame = frame(330.0, [0.0, 3.0]);
        let spanning = |gamma| spanning(&frame, gamma);
        let line = frame.y(1.0);
        let name = letters(frame.x(2.0), 60.0, line - 8.0);
        let marks: Vec<Mark> = [0.0, 1.0, 2.0, 3.0]
            .map(spanning)
            .into_iter()
            .chain(name)
            .collect();
        let (_, y, anchor) = free_place(&frame, &marks);
        assert_eq!((y > line, anchor), (true, "end"));
    }
}
