//! Labels that never touch, and marks of equal values.

use couplet_speculation::ranked;

/// Marks that are nearer to each other than this are stacked.
const NEAR: f64 = 13.0;
/// Between two labels.
const GAP: f64 = 14.0;

/// Centres of labels as near as possible to where they belong, in order, without touching.
pub fn spread(wanted: &[(f64, f64)], low: f64, high: f64) -> Vec<f64> {
    let order = ranked(wanted.iter().map(|(centre, _)| -centre));
    let mut centres = vec![0.0; wanted.len()];
    let mut end = low - GAP;
    for &index in &order {
        let (centre, width) = wanted[index];
        let left = (centre - width / 2.0).max(end + GAP);
        centres[index] = left + width / 2.0;
        end = left + width;
    }
    let mut limit = high;
    for &index in order.iter().rev() {
        let half = wanted[index].1 / 2.0;
        centres[index] = f64::min(centres[index], limit - half);
        limit = centres[index] - half - GAP;
    }
    centres
}

/// How far marks move up or down so that equal values can be told apart: those first that have
/// their labels above, so that every label is on its mark's side of the stack.
pub fn stacked(marks: &[(f64, bool)]) -> Vec<f64> {
    let place = |index: usize| marks[index].0;
    let order = ranked(marks.iter().map(|(place, _)| -place));
    let mut heights = vec![0.0; marks.len()];
    let mut from = 0;
    while from < order.len() {
        let mut to = from + 1;
        while to < order.len() && place(order[to]) - place(order[to - 1]) < NEAR {
            to += 1;
        }
        let middle = (to - from - 1) as f64 / 2.0;
        let of_side = |above: bool| {
            order[from..to]
                .iter()
                .filter(move |it| marks[**it].1 == above)
        };
        for (rank, &index) in of_side(true).chain(of_side(false)).enumerate() {
            heights[index] = (rank as f64 - middle) * 15.0;
        }
        from = to;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_touch() {
        for wanted in [
            vec![(10.0, 80.0), (10.0, 60.0), (10.0, 110.0)],
            vec![(390.0, 80.0), (390.0, 60.0), (395.0, 110.0)],
            vec![(10.0, 80.0), (200.0, 60.0), (390.0, 110.0)],
        ] {
            let centres = spread(&wanted, 0.0, 400.0);
            let mut spans: Vec<(f64, f64)> = centres
                .iter()
                .zip(&wanted)
                .map(|(centre, (_, width))| (centre - width / 2.0, centre + width / 2.0))
                .collect();
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(spans[0].0 >= 0.0 && spans[2].1 <= 400.0);
            assert!(spans.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    #[test]
    fn equal_values_are_stacked_around_the_line() {
        let marks = [(5.0, true), (5.0, true), (100.0, false)];
        assert_eq!(stacked(&marks), [-7.5, 7.5, 0.0]);
    }

    #[test]
    fn marks_are_on_the_side_of_their_labels() {
        let marks = [(5.0, true), (5.0, false), (7.0, true)];
        assert_eq!(stacked(&marks), [-15.0, 15.0, 0.0]);
    }
}
