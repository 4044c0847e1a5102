//! The one product behind every matrix: a few rows times weights in panels.
//!
//! On a CPU a pass is bound by how fast weights arrive as long as there is one row, and by
//! arithmetic soon after. So every weight that arrives is used for all rows while it is near,
//! sums stay in registers, and their number is what 128-bit instruction sets have room for.

use wide::f32x4;

use crate::PANEL;

/// Sums of a row over one panel.
const VECTORS: usize = PANEL / 4;

/// Rows whose sums fit into registers together, half a panel wide.
const TILE: usize = 4;

/// Panels that every group of rows passes over before the next ones are touched: they stay in
/// the nearest cache meanwhile.
const NEAR: usize = 2;

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
    if rows == 1 {
        return multiply_one(input, weights, output);
    }
    // Inputs of a group side by side: one address to follow instead of one for each row.
    let groups = rows.div_ceil(TILE);
    let first_row = |group: usize| group * rows / groups;
    let mut woven = vec![0.0; input.len()];
    for group in 0..groups {
        let range = first_row(group) * inputs..first_row(group + 1) * inputs;
        let (from, to) = (&input[range.clone()], &mut woven[range]);
        match from.len() / inputs {
            1 => to.copy_from_slice(from),
            2 => weave::<2>(from, to),
            3 => weave::<3>(from, to),
            _ => weave_four(from, to),
        }
    }
    for (block, panels) in weights.chunks(NEAR * PANEL * inputs).enumerate() {
        for group in 0..groups {
            let (first, end) = (first_row(group), first_row(group + 1));
            let woven = &woven[first * inputs..end * inputs];
            let output = &mut output[first * width + block * NEAR * PANEL..];
            match end - first {
                1 => over_panels::<1>(woven, panels, output, width),
                2 => over_panels::<2>(woven, panels, output, width),
                3 => over_panels::<3>(woven, panels, output, width),
                _ => over_panels::<TILE>(woven, panels, output, width),
            }
        }
    }
}

/// One row: two panels at a time, since the sums of one are too few to hide an addition's delay.
fn multiply_one(input: &[f32], weights: &[f32], output: &mut [f32]) {
    let size = input.len() * PANEL;
    let mut pairs = weights.chunks_exact(2 * size);
    let mut outputs = output.chunks_exact_mut(2 * PANEL);
    for (pair, output) in (&mut pairs).zip(&mut outputs) {
        let (left, right) = pair.split_at(size);
        let mut sums = [f32x4::ZERO; 2 * VECTORS];
        let weights = left.chunks_exact(PANEL).zip(right.chunks_exact(PANEL));
        for (x, (left, right)) in input.iter().zip(weights) {
            let x = f32x4::splat(*x);
            let (of_left, of_right) = sums.split_at_mut(VECTORS);
            for (vector, sum) in of_left.iter_mut().enumerate() {
                *sum += x * load(left, 4 * vector);
            }
            for (vector, sum) in of_right.iter_mut().enumerate() {
                *sum += x * load(right, 4 * vector);
            }
        }
        for (output, sum) in output.chunks_exact_mut(4).zip(sums) {
            output.copy_from_slice(&sum.to_array());
        }
    }
    let rest = pairs.remainder();
    if !rest.is_empty() {
        over_panels::<1>(input, rest, outputs.into_remainder(), PANEL);
    }
}

/// `ROWS` woven rows times a few panels; `output` begins at the first row's first column.
#[inline(never)]
fn over_panels<const ROWS: usize>(woven: &[f32], panels: &[f32], output: &mut [f32], width: usize) {
    let size = woven.len() / ROWS * PANEL;
    for (index, panel) in panels.chunks_exact(size).enumerate() {
        let output = &mut output[index * PANEL..];
        half_panel::<ROWS, 0>(woven, panel, output, width);
        half_panel::<ROWS, { PANEL / 2 }>(woven, panel, output, width);
    }
}

#[inline(always)]
fn half_panel<const ROWS: usize, const FIRST: usize>(
    woven: &[f32],
    panel: &[f32],
    output: &mut [f32],
    width: usize,
) {
    let mut sums = [[f32x4::ZERO; 2]; ROWS];
    for (xs, weights) in woven.chunks_exact(ROWS).zip(panel.chunks_exact(PANEL)) {
        let (low, high) = (load(weights, FIRST), load(weights, FIRST + 4));
        for row in 0..ROWS {
            let x = f32x4::splat(xs[row]);
            sums[row][0] += x * low;
            sums[row][1] += x * high;
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let output = &mut output[row * width + FIRST..][..8];
        output[..4].copy_from_slice(&sums[0].to_array());
        output[4..].copy_from_slice(&sums[1].to_array());
    }
}

fn weave<const ROWS: usize>(rows: &[f32], woven: &mut [f32]) {
    for (row, numbers) in rows.chunks_exact(rows.len() / ROWS).enumerate() {
        for (woven, x) in woven.chunks_exact_mut(ROWS).zip(numbers) {
            woven[row] = *x;
        }
    }
}

/// [`weave`] for four rows, four numbers of each at a time.
fn weave_four(rows: &[f32], woven: &mut [f32]) {
    let inputs = rows.len() / 4;
    if !inputs.is_multiple_of(4) {
        return weave::<4>(rows, woven);
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
        for (inputs, panels) in [(8, 1), (20, 3), (33, 4)] {
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
