//! The one product behind every matrix: a few rows times weights in panels.
//!
//! On a CPU a pass is bound by how fast weights arrive as long as there is one row, and by
//! arithmetic soon after. So every weight that arrives is used for all rows while it is near,
//! sums stay in registers, and their number is what 128-bit instruction sets have room for.

use std::array::from_fn;
use std::borrow::Cow;

use wide::f32x4;

use crate::PANEL;

/// Rows whose sums fit into registers together.
const TILE: usize = 4;

/// Inputs over which all rows pass before the next ones are touched: their weights, 4 KB of a
/// panel, stay in the nearest cache meanwhile.
const NEAR: usize = 64;

/// Four numbers from `at` on.
pub(super) fn load(numbers: &[f32], at: usize) -> f32x4 {
    let mut four = [0.0; 4];
    four.copy_from_slice(&numbers[at..at + 4]);
    f32x4::new(four)
}

/// `output[row] = input[row] * weights` for every row. The terms of each result are added in the
/// order of the inputs, whatever the number of rows.
///
/// Shapes: `input` (rows, inputs), `weights` (panels, inputs, [`PANEL`]), `output`
/// (rows, panels [`PANEL`]).
pub(super) fn multiply(input: &[f32], rows: usize, weights: &[f32], output: &mut [f32]) {
    let inputs = input.len() / rows;
    let width = output.len() / rows;
    let groups = rows.div_ceil(TILE);
    let first_row = |group: usize| group * rows / groups;
    let woven: Vec<_> = (0..groups)
        .map(|group| {
            let (first, end) = (first_row(group), first_row(group + 1));
            (
                first,
                end - first,
                weave(&input[first * inputs..end * inputs], end - first),
            )
        })
        .collect();
    // Sums of two rows over a whole panel fit into registers: weights are read once, on and on.
    let near = if rows <= 2 { inputs } else { NEAR };
    for (panel, weights) in weights.chunks_exact(PANEL * inputs).enumerate() {
        for (piece, weights) in weights.chunks(PANEL * near).enumerate() {
            for (first, count, woven) in &woven {
                let woven = &woven[piece * near * count..][..weights.len() / PANEL * count];
                let output = &mut output[first * width + panel * PANEL..];
                add(*count, woven, weights, output, width, piece > 0);
            }
        }
    }
}

/// Woven rows times a panel or a part of one; `output` begins at the first row's first column. With
/// `further` it holds the sums of the inputs before.
fn add(
    rows: usize,
    woven: &[f32],
    weights: &[f32],
    output: &mut [f32],
    width: usize,
    further: bool,
) {
    match rows {
        1 => add_rows::<1, 4>(woven, weights, output, width, further),
        2 => add_rows::<2, 4>(woven, weights, output, width, further),
        3 => add_rows::<3, 2>(woven, weights, output, width, further),
        _ => add_rows::<TILE, 2>(woven, weights, output, width, further),
    }
}

/// [`add`] for so many rows, with the sums of so many vectors of each in registers: sixteen of
/// those are what 128-bit instruction sets have. Eight sums hide an addition's delay; one row has
/// fewer because its panel ends there, and three because twelve leave too few for the rest.
#[inline(never)]
fn add_rows<const ROWS: usize, const VECTORS: usize>(
    woven: &[f32],
    weights: &[f32],
    output: &mut [f32],
    width: usize,
    further: bool,
) {
    for first in (0..PANEL).step_by(4 * VECTORS) {
        let mut sums = [[f32x4::ZERO; VECTORS]; ROWS];
        if further {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (vector, sum) in sums.iter_mut().enumerate() {
                    *sum = load(output, row * width + first + 4 * vector);
                }
            }
        }
        for (xs, weights) in woven.chunks_exact(ROWS).zip(weights.chunks_exact(PANEL)) {
            let weights: [f32x4; VECTORS] = from_fn(|vector| load(weights, first + 4 * vector));
            for (x, sums) in xs.iter().zip(&mut sums) {
                let x = f32x4::splat(*x);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum += x * weights;
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let output = &mut output[row * width + first..][..4 * VECTORS];
            for (output, sum) in output.chunks_exact_mut(4).zip(sums) {
                output.copy_from_slice(&sum.to_array());
            }
        }
    }
}

/// Inputs of a few rows side by side: one address to follow instead of one for each row.
fn weave(input: &[f32], rows: usize) -> Cow<'_, [f32]> {
    if rows == 1 {
        return Cow::Borrowed(input);
    }
    let mut woven = vec![0.0; input.len()];
    match rows {
        2 => weave_rows::<2>(input, &mut woven),
        3 => weave_rows::<3>(input, &mut woven),
        _ => weave_four(input, &mut woven),
    }
    Cow::Owned(woven)
}

fn weave_rows<const ROWS: usize>(rows: &[f32], woven: &mut [f32]) {
    for (row, numbers) in rows.chunks_exact(rows.len() / ROWS).enumerate() {
        for (woven, x) in woven.chunks_exact_mut(ROWS).zip(numbers) {
            woven[row] = *x;
        }
    }
}

/// [`weave_rows`] for four rows, four numbers of each at a time.
fn weave_four(rows: &[f32], woven: &mut [f32]) {
    let inputs = rows.len() / 4;
    if !inputs.is_multiple_of(4) {
        return weave_rows::<4>(rows, woven);
    }
    for (at, woven) in (0..inputs).step_by(4).zip(woven.chunks_exact_mut(16)) {
        let square = f32x4::transpose([0, 1, 2, 3].map(|row| load(rows, row * inputs + at)));
        for (woven, numbers) in woven.chunks_exact_mut(4).zip(square) {
            woven.copy_from_slice(&numbers.to_array());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_rows_gives_the_rows_of_one_alone_to_the_bit() {
        for (inputs, panels) in [(8, 1), (20, 3), (33, 4), (150, 2)] {
            let number = |i: usize| ((i * 7919) % 1009) as f32 / 505.0 - 1.0;
            let weights: Vec<f32> = (0..panels * inputs * PANEL).map(number).collect();
            let input: Vec<f32> = (0..32 * inputs).map(|i| number(3 * i + 1)).collect();
            for rows in 1..=32 {
                let mut together = vec![0.0; rows * panels * PANEL];
                multiply(&input[..rows * inputs], rows, &weights, &mut together);
                for (row, found) in together.chunks_exact(panels * PANEL).enumerate() {
                    let x = &input[row * inputs..][..inputs];
                    for (column, found) in found.iter().enumerate() {
                        let at =
                            |i: usize| column / PANEL * inputs * PANEL + i * PANEL + column % PANEL;
                        let expected =
                            (0..inputs).fold(0.0f32, |sum, i| sum + x[i] * weights[at(i)]);
                        assert_eq!(
                            found.to_bits(),
                            expected.to_bits(),
                            "{rows} rows, {row}, {column}"
                        );
                    }
                }
            }
        }
    }
}
