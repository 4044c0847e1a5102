//! Where a name covers nothing that is drawn.

use super::frame::{Frame, LEFT, RIGHT};

/// What is drawn at one place of the axis: pixels from the left, and its lower and upper end.
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) ends: [f64; 2],
}

/// How far the middle of letters is at least from what they leave whole: half of what they are high,
/// with their halo, and the ring of a point.
pub(super) const FREE: f64 = 14.0;

/// How far what is drawn is at least from letters beside it.
pub(super) const APART: f64 = 12.0;

/// Pixels that letters take at most.
pub(super) fn room(text: &str) -> f64 {
    8.0 * text.chars().count() as f64
}

/// Where letters stand: pixels from the left, their base line, and what of them is at the first.
pub(super) type LetterPlace = (f64, f64, &'static str);

/// How far the nearest mark is above or below letters on a base line, whose middle and half width
/// these are.
pub(super) fn distance(marks: &[Mark], middle: f64, half: f64, base_line: f64) -> f64 {
    let height = base_line - 5.0;
    marks
        .iter()
        .filter(|mark| (mark.x - middle).abs() <= half + APART)
        .map(|mark| {
            let [one, other] = mark.ends;
            let (high, low) = (one.min(other), one.max(other));
            (high - height).max(height - low).max(0.0)
        })
        .fold(60.0, f64::min)
}

/// Where a name of the line where nothing is gained is furthest from all that is drawn, at either end
/// of that line or behind a mark, above or below it; `None` where it would cover something. The axis
/// tells the line by itself.
pub(super) fn free_place(frame: &Frame, marks: &[Mark], name: &str) -> Option<LetterPlace> {
    let room = room(name);
    let line = frame.y(1.0);
    let right = frame.width - RIGHT;
    let behind = marks
        .iter()
        .map(|mark| mark.x + APART + 2.0)
        .filter(|left| left + room < right)
        .map(|left| (left, left, "start"));
    // Of places that are as free as others the last one is taken.
    let places = behind
        .chain([
            (LEFT + 6.0, LEFT + 6.0, "start"),
            (right - 4.0, right - 4.0 - room, "end"),
        ])
        .flat_map(|(x, left, anchor)| {
            let below = (frame.bottom - line > 22.0).then_some(line + 16.0);
            [below, Some(line - 6.0)]
                .into_iter()
                .flatten()
                .map(move |y| {
                    let free = distance(marks, left + 0.5 * room, 0.5 * room, y);
                    (free, (x, y, anchor))
                })
        });
    let free = places.max_by(|a, b| a.0.total_cmp(&b.0));
    free.filter(|(free, _)| *free >= FREE)
        .map(|(_, place)| place)
}

/// What letters on a line cover, whose middle and half width these are.
pub(super) fn letters(middle: f64, half: f64, y: f64) -> [Mark; 3] {
    [-half, 0.0, half].map(|from| Mark {
        x: middle + from,
        ends: [y, y - 10.0],
    })
}

pub(super) fn curve_marks(frame: &Frame, curve: &[(f64, f64)]) -> impl Iterator<Item = Mark> {
    curve.iter().map(|(gamma, factor)| Mark {
        x: frame.x(*gamma),
        ends: [frame.y(*factor); 2],
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
        }
    }

    const NAME: &str = "break-even";

    #[test]
    fn the_name_of_break_even_keeps_off_every_interval() {
        let frame = frame(600.0, [1.0, 8.0]);
        let spanning = |gamma| spanning(&frame, gamma);
        // Both ends of the line are taken, and after 4 is room.
        let marks = [1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0].map(spanning);
        let (x, _, anchor) = free_place(&frame, &marks, NAME).unwrap();
        assert_eq!(anchor, "start");
        assert!(frame.x(4.0) < x && x + room(NAME) < frame.x(6.0), "{x}");
        // An end that is free is preferred.
        let marks = [1.0, 2.0, 3.0].map(spanning);
        assert_eq!(free_place(&frame, &marks, NAME).unwrap().2, "end");
        // So is what no other name covers.
        let marks = letters(frame.width - 60.0, 60.0, frame.y(1.0) - 7.0);
        assert!(free_place(&frame, &marks, NAME).unwrap().0 < frame.width - 200.0);
    }

    #[test]
    fn where_it_would_cover_the_end_of_an_interval_there_is_none() {
        let frame = frame(600.0, [1.0, 8.0]);
        let all = |ends: [f64; 2]| {
            let mark = |gamma: u32| Mark {
                x: frame.x(f64::from(gamma)),
                ends: ends.map(|value| frame.y(value)),
            };
            let marks: Vec<Mark> = (1..=8).map(mark).collect();
            free_place(&frame, &marks, NAME)
        };
        assert_eq!(all([0.5, 2.0]), None);
        // One value is 91 pixels: these end where letters above and below the line would be.
        assert_eq!(all([0.9, 1.15]), None);
        assert!(all([1.1, 2.0]).is_some_and(|(_, y, _)| y > frame.y(1.0)));
        assert!(all([0.3, 0.9]).is_some_and(|(_, y, _)| y < frame.y(1.0)));
    }
}
