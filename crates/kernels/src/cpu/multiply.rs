//! The one product behind every matrix: a few rows times weights in panels.
//!
//! On a CPU a pass is bound by how fast weights arrive as long as there is one row, and by
//! arithmetic soon after. So every weight that arrives is used for all rows while it is near,
//! sums stay in registers, and their number is what 128-bit instruction sets have room for.

use std::array;
use std::borrow::Cow;
use std::hint::black_box;

use wide::f32x4;

use super::fused::{self, Products, compute};
use crate::CPU_PANEL;

/// Most rows whose sums over a panel fit into registers together.
const TILE: usize = 5;

/// Vectors of a panel.
const OF_PANEL: usize = CPU_PANEL / 4;

/// How many turns ahead weights are touched, 1 KB: processors fetch by themselves only what follows
/// within a page of 4 KB, and where the next one begins everything would wait.
const AHEAD: usize = 32;

/// Four numbers from `at` on.
#[inline(always)]
pub(super) fn load(numbers: &[f32], at: usize) -> f32x4 {
    let mut four = [0.0; 4];
    four.copy_from_slice(&numbers[at..at + 4]);
    f32x4::new(four)
}

/// `output[row] = input[row] * weights` for every row. The terms of each result are added in the
/// order of the inputs, whatever the number of rows.
///
/// Shapes: `input` (rows, inputs), `weights` (panels, inputs, [`CPU_PANEL`]) with an even number of
/// panels, `output` (rows, panels [`CPU_PANEL`]).
pub(super) fn multiply(input: &[f32], rows: usize, weights: &[f32], output: &mut [f32]) {
    let inputs = input.len() / rows;
    let width = output.len() / rows;
    assert_eq!(
        weights.len(),
        inputs * width,
        "a column of weights for each result"
    );
    // Where a product is added in two instructions, it needs a register in between.
    let most = if fused::is_fused() { TILE } else { TILE - 1 };
    let tiles = tiles(input, rows, most);
    let mut column = 0;
    while column < width {
        let left = (width - column) / CPU_PANEL;
        let panels = match (rows, left) {
            (1, 4..) => 4,
            (3, 3..) => 3,
            _ => left.min(2),
        };
        let weights = &weights[column * inputs..];
        for Rows { first, rows, woven } in &tiles {
            let output = Columns {
                output: &mut output[first * width + column..],
                width,
            };
            match (rows, panels) {
                (1, 4) => compute(SideBySide::<'_, 1, 0, 8>(woven, weights, output)),
                (1, _) => compute(SideBySide::<'_, 1, 0, 4>(woven, weights, output)),
                (2, _) => compute(SideBySide::<'_, 2, 0, 4>(woven, weights, output)),
                (3, 3) => three_panels(woven, weights, output),
                (3, _) => each_panel::<3>(panels, woven, weights, output),
                (4, _) => each_panel::<4>(panels, woven, weights, output),
                _ => each_panel::<TILE>(panels, woven, weights, output),
            }
        }
        column += panels * CPU_PANEL;
    }
}

/// Rows that are computed together.
struct Rows<'a> {
    first: usize,
    rows: usize,
    /// Shape (inputs, rows).
    woven: Cow<'a, [f32]>,
}

/// All rows, in tiles of as many as there are registers for and what is left, but none of one row
/// beside others, which has too few sums to keep a core busy.
fn tiles(input: &[f32], rows: usize, most: usize) -> Vec<Rows<'_>> {
    let inputs = input.len() / rows;
    let mut tiles = Vec::with_capacity(rows.div_ceil(most) + 1);
    let mut first = 0;
    while first < rows {
        let count = match rows - first {
            left if left <= most => left,
            5 => 3,
            6 | 8 => 4,
            _ => most,
        };
        tiles.push(Rows {
            first,
            rows: count,
            woven: weave(&input[first * inputs..(first + count) * inputs], count),
        });
        first += count;
    }
    tiles
}

/// Where results go.
struct Columns<'a> {
    /// From the first row's first column on, `width` numbers a row.
    output: &'a mut [f32],
    width: usize,
}

impl Columns<'_> {
    /// The same from a column further right on.
    fn from(&mut self, column: usize) -> Columns<'_> {
        Columns {
            output: &mut self.output[column..],
            width: self.width,
        }
    }

    /// Stores the sums of every row over the vectors from the so-many-th on.
    #[inline(always)]
    fn store<const VECTORS: usize>(&mut self, first: usize, sums: &[[f32x4; VECTORS]]) {
        for (row, sums) in sums.iter().enumerate() {
            let output = &mut self.output[row * self.width + 4 * first..][..4 * VECTORS];
            for (output, sum) in output.chunks_exact_mut(4).zip(sums) {
                output.copy_from_slice(&sum.to_array());
            }
        }
    }
}

/// Some panels, one after the other, whose weights are so read in the order of memory.
fn each_panel<const ROWS: usize>(
    panels: usize,
    woven: &[f32],
    weights: &[f32],
    mut output: Columns<'_>,
) {
    let length = woven.len() / ROWS * CPU_PANEL;
    for panel in 0..panels {
        let (weights, output) = (&weights[panel * length..], output.from(panel * CPU_PANEL));
        compute(OnePanel::<'_, ROWS>(woven, weights, output));
    }
}

/// Three rows over three panels, one and a half at a time: nine sums, where one panel would have six,
/// too few to hide an addition's delay, and two panels twelve, too many for the registers of browsers.
fn three_panels(woven: &[f32], weights: &[f32], mut output: Columns<'_>) {
    compute(SideBySide::<'_, 3, 0, 3>(woven, weights, output.from(0)));
    compute(SideBySide::<'_, 3, 3, 3>(woven, weights, output));
}

/// Woven rows times the first panel of some, with all sums in registers: sixteen of those are what
/// 128-bit instruction sets have. Eight sums or ten hide an addition's delay.
struct OnePanel<'a, const ROWS: usize>(&'a [f32], &'a [f32], Columns<'a>);

impl<const ROWS: usize> Products for OnePanel<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
        let Self(woven, weights, mut output) = self;
        let xs = woven.as_chunks::<ROWS>().0;
        let panels = weights.as_chunks::<CPU_PANEL>().0;
        let weights = &panels[..xs.len()];
        // At the end of a matrix nothing comes that is known here.
        let coming = panels.get(AHEAD..AHEAD + xs.len()).unwrap_or(weights);
        // All bits, which is no news to anybody but the compiler: if it saw through the weights'
        // addresses, it would go through a turn in an order for which five rows leave too few
        // registers.
        let mask = if ROWS < TILE {
            usize::MAX
        } else {
            black_box(usize::MAX)
        };
        let mut sums = [[f32x4::ZERO; OF_PANEL]; ROWS];
        let mut touched = 0_u32;
        let turns = 0..xs.len();
        for turn in turns {
            // Added, since Chromium would read twice what is combined by "or".
            touched = touched.wrapping_add(coming[turn][0].to_bits());
            let weights = &weights[turn & mask];
            let weights = [load(weights, 0), load(weights, 4)];
            add_products(&xs[turn], weights, &mut sums, multiply_add);
        }
        // Weights that are only touched would not be read otherwise.
        black_box(touched);
        output.store(0, &sums);
    }
}

/// Up to three rows times some vectors of panels, from the `FIRST` on, side by side: over fewer they
/// would have fewer than eight sums, and wait for additions. One row and two wait for the cache
/// anyway, and in a browser touching weights gives three nothing either.
struct SideBySide<'a, const ROWS: usize, const FIRST: usize, const VECTORS: usize>(
    &'a [f32],
    &'a [f32],
    Columns<'a>,
);

impl<const ROWS: usize, const FIRST: usize, const VECTORS: usize> Products
    for SideBySide<'_, ROWS, FIRST, VECTORS>
{
    type Output = ();

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
        let Self(woven, weights, mut output) = self;
        let xs = woven.as_chunks::<ROWS>().0;
        let weights = weights.as_chunks::<CPU_PANEL>().0;
        // Of each vector, the panel that it is a part of.
        let panels: [&[[f32; CPU_PANEL]]; VECTORS] = array::from_fn(|vector| {
            let panel = (FIRST + vector) / OF_PANEL;
            &weights[panel * xs.len()..][..xs.len()]
        });
        let mut sums = [[f32x4::ZERO; VECTORS]; ROWS];
        let turns = 0..xs.len();
        for turn in turns {
            let xs = xs[turn].map(f32x4::splat);
            for (vector, panel) in panels.iter().enumerate() {
                let weights = load(&panel[turn], 4 * ((FIRST + vector) % OF_PANEL));
                for (x, sums) in xs.iter().zip(&mut sums) {
                    sums[vector] = multiply_add(*x, weights, sums[vector]);
                }
            }
        }
        output.store(FIRST, &sums);
    }
}

/// One input of every row times its weights. A function and no closure, which might not be inlined
/// and then would multiply without the instruction that it is here for.
#[inline(always)]
fn add_products<const ROWS: usize>(
    xs: &[f32; ROWS],
    weights: [f32x4; OF_PANEL],
    sums: &mut [[f32x4; OF_PANEL]; ROWS],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) {
    for (x, sums) in xs.iter().zip(sums) {
        let x = f32x4::splat(*x);
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum = multiply_add(x, weights, *sum);
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
        4 => weave_rows::<4>(input, &mut woven),
        _ => weave_rows::<TILE>(input, &mut woven),
    }
    Cow::Owned(woven)
}

fn weave_rows<const ROWS: usize>(rows: &[f32], woven: &mut [f32]) {
    let inputs = rows.len() / ROWS;
    let woven = woven.as_chunks_mut::<ROWS>().0;
    let mut done = 0;
    if ROWS >= 4 && inputs.is_multiple_of(4) {
        // Four numbers of each of four rows at a time.
        for (at, woven) in (0..inputs).step_by(4).zip(woven.chunks_exact_mut(4)) {
            let square = f32x4::transpose([0, 1, 2, 3].map(|row| load(rows, row * inputs + at)));
            for (woven, numbers) in woven.iter_mut().zip(square) {
                woven[..4].copy_from_slice(&numbers.to_array());
            }
        }
        done = 4;
    }
    for (row, numbers) in rows.chunks_exact(inputs).enumerate().skip(done) {
        for (woven, x) in woven.iter_mut().zip(numbers) {
            woven[row] = *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fused::RoundsOnce;
    use super::*;

    fn number(i: usize) -> f32 {
        ((i * 7919) % 1009) as f32 / 505.0 - 1.0
    }

    /// The terms in the order of the inputs, as one number after the other.
    fn expected(x: &[f32], weights: &[f32], column: usize, fused: bool) -> f32 {
        let panel = &weights[column / CPU_PANEL * x.len() * CPU_PANEL..];
        x.iter().enumerate().fold(0.0, |sum, (i, x)| {
            let weight = panel[i * CPU_PANEL + column % CPU_PANEL];
            if fused {
                x.mul_add(weight, sum)
            } else {
                sum + x * weight
            }
        })
    }

    #[test]
    fn every_number_of_rows_gives_the_rows_of_one_alone_to_the_bit() {
        for (inputs, panels) in [(8, 2), (20, 6), (33, 4), (150, 2), (600, 4)] {
            let width = panels * CPU_PANEL;
            let weights: Vec<f32> = (0..inputs * width).map(number).collect();
            let input: Vec<f32> = (0..40 * inputs).map(|i| number(3 * i + 1)).collect();
            for rows in 1..=40 {
                let mut together = vec![0.0; rows * width];
                multiply(&input[..rows * inputs], rows, &weights, &mut together);
                for (row, found) in together.chunks_exact(width).enumerate() {
                    let x = &input[row * inputs..][..inputs];
                    for (column, found) in found.iter().enumerate() {
                        let expected = expected(x, &weights, column, fused::is_fused());
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

    fn check_separately(rows: usize, panels: usize, run: impl Fn(&[f32], &[f32], Columns<'_>)) {
        let (inputs, rounds_once) = (150, fused::separate(RoundsOnce));
        let width = panels * CPU_PANEL;
        let weights: Vec<f32> = (0..inputs * width).map(number).collect();
        let input: Vec<f32> = (0..rows * inputs).map(|i| number(3 * i + 1)).collect();
        let mut output = vec![0.0; rows * width];
        let columns = Columns {
            output: &mut output,
            width,
        };
        run(&weave(&input, rows), &weights, columns);
        for (at, found) in output.iter().enumerate() {
            let x = &input[at / width * inputs..][..inputs];
            let expected = expected(x, &weights, at % width, rounds_once);
            assert_eq!(found.to_bits(), expected.to_bits(), "{rows} rows, {at}");
        }
    }

    /// Two instructions for a product, whatever the processor has: [`compute`] does not come there
    /// where it can fuse.
    #[test]
    fn two_instructions_add_the_terms_in_order_too() {
        check_separately(1, 4, |x, w, y| {
            fused::separate(SideBySide::<'_, 1, 0, 8>(x, w, y))
        });
        check_separately(1, 2, |x, w, y| {
            fused::separate(SideBySide::<'_, 1, 0, 4>(x, w, y))
        });
        check_separately(2, 2, |x, w, y| {
            fused::separate(SideBySide::<'_, 2, 0, 4>(x, w, y))
        });
        check_separately(3, 1, |x, w, y| fused::separate(OnePanel::<'_, 3>(x, w, y)));
        check_separately(3, 3, |x, w, mut y| {
            fused::separate(SideBySide::<'_, 3, 0, 3>(x, w, y.from(0)));
            fused::separate(SideBySide::<'_, 3, 3, 3>(x, w, y));
        });
        check_separately(4, 1, |x, w, y| fused::separate(OnePanel::<'_, 4>(x, w, y)));
        check_separately(5, 1, |x, w, y| {
            fused::separate(OnePanel::<'_, TILE>(x, w, y))
        });
    }

    #[test]
    fn tiles_are_all_rows_and_none_has_one_row_beside_others() {
        for most in [TILE - 1, TILE] {
            for rows in 1..=40 {
                let input = vec![1.0; rows];
                let tiles = tiles(&input, rows, most);
                let sizes: Vec<usize> = tiles.iter().map(|tile| tile.rows).collect();
                assert_eq!(sizes.iter().sum::<usize>(), rows, "{sizes:?}");
                assert!(sizes.iter().all(|size| *size <= most), "{sizes:?}");
                assert!(sizes.len() == 1 || !sizes.contains(&1), "{sizes:?}");
            }
        }
    }
}
