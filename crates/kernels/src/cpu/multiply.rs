//! The one product behind every matrix: a few rows times weights in panels.
//!
//! On a CPU a pass is bound by how fast weights arrive as long as there is one row, and by
//! arithmetic soon after. So every weight that arrives is used for all rows while it is near,
//! sums stay in registers, and their number is what 128-bit instruction sets have room for.

use std::borrow::Cow;
use std::hint::black_box;

use wide::f32x4;

use super::fused::{Products, compute};
use crate::PANEL;

/// Rows whose sums fit into registers together.
const TILE: usize = 4;

/// Inputs over which all rows pass before the next ones are touched: their weights, 16 KB of a
/// panel, stay in the nearest cache meanwhile, and going from one to the next costs little.
const NEAR: usize = 256;

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
    assert_eq!(
        weights.len(),
        inputs * width,
        "a column of weights for each result"
    );
    let tiles = tiles(input, rows);
    // Sums of two rows over a whole panel fit into registers: weights are read once, on and on.
    let near = if rows <= 2 { inputs } else { NEAR };
    let stride = stride(&tiles);
    let mut touched = 0;
    for panel in 0..width / PANEL {
        for from in (0..inputs).step_by(near) {
            let turns = near.min(inputs - from);
            let at = (panel * inputs + from) * PANEL;
            let (piece, coming) = weights[at..].split_at(turns * PANEL);
            let mut coming = Coming {
                weights: coming.get(..piece.len()),
                stride,
                turns,
            };
            for Rows { first, rows, woven } in &tiles {
                let woven = &woven[from * rows..][..turns * rows];
                let output = &mut output[first * width + panel * PANEL..];
                let tile = Tile {
                    woven,
                    weights: piece,
                    output,
                    width,
                    further: from > 0,
                    coming: &mut coming,
                };
                touched |= match rows {
                    1 => compute(OfRows::<'_, '_, 1, 4>(tile)),
                    2 => compute(OfRows::<'_, '_, 2, 4>(tile)),
                    3 => compute(OfRows::<'_, '_, 3, 2>(tile)),
                    _ => compute(OfRows::<'_, '_, TILE, 2>(tile)),
                };
            }
        }
    }
    // Weights that are only touched would not be read otherwise.
    black_box(touched);
}

/// Rows that are computed together.
struct Rows<'a> {
    first: usize,
    rows: usize,
    /// Shape (inputs, rows).
    woven: Cow<'a, [f32]>,
}

/// All rows, in tiles of four and what is left. Five are three and two, since one row beside others
/// has too few sums to keep a core busy.
fn tiles(input: &[f32], rows: usize) -> Vec<Rows<'_>> {
    let inputs = input.len() / rows;
    let mut tiles = Vec::with_capacity(rows.div_ceil(TILE));
    let mut first = 0;
    while first < rows {
        let count = match rows - first {
            5 => 3,
            left => left.min(TILE),
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

/// How often a tile of so many rows goes through a piece of a panel: once if the sums of all columns
/// fit into registers.
fn passes(rows: usize) -> usize {
    if rows <= 2 { 1 } else { 2 }
}

/// How many of the coming weights a turn looks at, so that after all passes through a piece about as
/// many were looked at as it has. Where weights are read once anyway, and where there are so many
/// rows that waiting for weights is nothing beside them, none.
fn stride(tiles: &[Rows<'_>]) -> usize {
    match tiles.iter().map(|tile| passes(tile.rows)).sum() {
        1 => 0,
        passes => PANEL / passes,
    }
}

/// The weights after a piece. While one is used out of the nearest cache, nothing asks for those that
/// follow, and after it everything would wait for them: so every turn of the loop looks at a few.
struct Coming<'a> {
    /// As many as in the piece; nothing where no more are left.
    weights: Option<&'a [f32]>,
    /// So many at a turn.
    stride: usize,
    /// Turns of a pass.
    turns: usize,
}

impl<'a> Coming<'a> {
    /// What one pass looks at.
    fn next_pass(&mut self) -> Option<&'a [f32]> {
        let (now, later) = self.weights?.split_at(self.stride * self.turns);
        self.weights = Some(later);
        Some(now).filter(|now| !now.is_empty())
    }
}

/// Woven rows times a panel or a part of one.
struct Tile<'a, 'c> {
    woven: &'a [f32],
    weights: &'a [f32],
    /// From the first row's first column on, `width` numbers a row.
    output: &'a mut [f32],
    width: usize,
    /// Whether the output holds the sums of the inputs before.
    further: bool,
    coming: &'a mut Coming<'c>,
}

/// A tile of so many rows, with the sums of so many vectors of each in registers: sixteen of those
/// are what 128-bit instruction sets have. Eight sums hide an addition's delay; one row has fewer
/// because its panel ends there, and three because twelve leave too few for the rest.
struct OfRows<'a, 'c, const ROWS: usize, const VECTORS: usize>(Tile<'a, 'c>);

impl<const ROWS: usize, const VECTORS: usize> Products for OfRows<'_, '_, ROWS, VECTORS> {
    /// Depends on everything that was looked at.
    type Output = u32;

    #[inline(always)]
    fn run(self, fused: bool, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) -> u32 {
        let Self(Tile {
            woven,
            weights,
            output,
            width,
            further,
            coming,
        }) = self;
        let mut touched = 0;
        for first in (0..PANEL).step_by(4 * VECTORS) {
            let mut sums = [[f32x4::ZERO; VECTORS]; ROWS];
            if further {
                for (row, sums) in sums.iter_mut().enumerate() {
                    for (vector, sum) in sums.iter_mut().enumerate() {
                        *sum = load(output, row * width + first + 4 * vector);
                    }
                }
            }
            let turns = woven.chunks_exact(ROWS).zip(weights.chunks_exact(PANEL));
            // A processor that takes two instructions for a product has no room for one more.
            match coming.next_pass().filter(|_| fused) {
                Some(next) => {
                    for ((xs, weights), next) in turns.zip(next.chunks_exact(coming.stride)) {
                        touched |= next[0].to_bits();
                        add_products(xs, &weights[first..], &mut sums, multiply_add);
                    }
                }
                None => {
                    for (xs, weights) in turns {
                        add_products(xs, &weights[first..], &mut sums, multiply_add);
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
        touched
    }
}

/// One input of every row times its weights. A function and no closure, which might not be inlined
/// and then would multiply without the instruction that it is here for.
#[inline(always)]
fn add_products<const ROWS: usize, const VECTORS: usize>(
    xs: &[f32],
    weights: &[f32],
    sums: &mut [[f32x4; VECTORS]; ROWS],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) {
    let mut four = [f32x4::ZERO; VECTORS];
    for (vector, four) in four.iter_mut().enumerate() {
        *four = load(weights, 4 * vector);
    }
    for (x, sums) in xs.iter().zip(sums) {
        let x = f32x4::splat(*x);
        for (sum, weights) in sums.iter_mut().zip(four) {
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
    use super::super::fused::{self, RoundsOnce};
    use super::*;

    fn number(i: usize) -> f32 {
        ((i * 7919) % 1009) as f32 / 505.0 - 1.0
    }

    /// The terms in the order of the inputs, as one number after the other.
    fn expected(x: &[f32], weights: &[f32], column: usize, fused: bool) -> f32 {
        let panel = &weights[column / PANEL * x.len() * PANEL..];
        x.iter().enumerate().fold(0.0, |sum, (i, x)| {
            let weight = panel[i * PANEL + column % PANEL];
            if fused {
                x.mul_add(weight, sum)
            } else {
                sum + x * weight
            }
        })
    }

    #[test]
    fn every_number_of_rows_gives_the_rows_of_one_alone_to_the_bit() {
        for (inputs, panels) in [(8, 1), (20, 3), (33, 4), (150, 2), (NEAR, 2), (600, 3)] {
            let weights: Vec<f32> = (0..panels * inputs * PANEL).map(number).collect();
            let input: Vec<f32> = (0..40 * inputs).map(|i| number(3 * i + 1)).collect();
            for rows in 1..=40 {
                let mut together = vec![0.0; rows * panels * PANEL];
                multiply(&input[..rows * inputs], rows, &weights, &mut together);
                for (row, found) in together.chunks_exact(panels * PANEL).enumerate() {
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

    /// [`compute`] does not come here where the processor can fuse.
    #[test]
    fn two_instructions_add_the_terms_in_order_too() {
        let inputs = 150;
        let weights: Vec<f32> = (0..inputs * PANEL).map(number).collect();
        let input: Vec<f32> = (0..TILE * inputs).map(|i| number(3 * i + 1)).collect();
        let mut output = vec![0.0; TILE * PANEL];
        fused::separate(OfRows::<'_, '_, TILE, 2>(Tile {
            woven: &weave(&input, TILE),
            weights: &weights,
            output: &mut output,
            width: PANEL,
            further: false,
            coming: &mut Coming {
                weights: None,
                stride: 0,
                turns: inputs,
            },
        }));
        let rounds_once = fused::separate(RoundsOnce);
        for (at, found) in output.iter().enumerate() {
            let x = &input[at / PANEL * inputs..][..inputs];
            let expected = expected(x, &weights, at % PANEL, rounds_once);
            assert_eq!(found.to_bits(), expected.to_bits(), "{at}");
        }
    }

    #[test]
    fn most_of_what_comes_next_is_looked_at() {
        const TURNS: usize = NEAR;
        const LINE: usize = 16;
        let weights: Vec<f32> = (0..TURNS * PANEL).map(|at| at as f32).collect();
        // Up to the most rows that a round at the largest γ verifies.
        for rows in 3..=17 {
            let input = vec![1.0; rows];
            let tiles = tiles(&input, rows);
            assert_eq!(tiles.iter().map(|tile| tile.rows).sum::<usize>(), rows);
            let stride = stride(&tiles);
            let mut coming = Coming {
                weights: Some(&weights),
                stride,
                turns: TURNS,
            };
            let mut lines = vec![false; weights.len() / LINE];
            for _ in 0..tiles.iter().map(|tile| passes(tile.rows)).sum() {
                for looked_at in coming.next_pass().unwrap().chunks_exact(stride) {
                    lines[looked_at[0] as usize / LINE] = true;
                }
            }
            let seen = lines.iter().filter(|seen| **seen).count();
            assert!(
                2 * seen > lines.len(),
                "{rows} rows: {seen} of {}",
                lines.len()
            );
            if rows <= 9 {
                assert!(
                    8 * seen > 7 * lines.len(),
                    "{rows} rows: {seen} of {}",
                    lines.len()
                );
            }
        }
        for rows in 1..=2 {
            assert_eq!(stride(&tiles(&vec![1.0; rows], rows)), 0);
        }
    }
}
