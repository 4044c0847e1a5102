//! The one product behind every matrix: a few rows times weights in panels.
//!
//! On a CPU a pass is bound by how fast weights arrive as long as there is one row, and by
//! arithmetic soon after. So every weight that arrives is used for all rows while it is near,
//! sums stay in registers, and their number is what 128-bit instruction sets have room for.

use std::borrow::Cow;
use std::hint::black_box;

use wide::f32x4;

use super::fused::{self, Products, compute};
use crate::PANEL;

/// Rows whose sums of two vectors fit into registers together.
const TILE: usize = 5;

/// Columns of a pass where a panel takes two. In a turn it looks at as many of the coming weights as
/// it computes columns, so that after both every line of the next piece was looked at.
const HALF: usize = PANEL / 2;

/// Inputs over which all rows pass before the next ones are touched: their weights, 16 KB of a
/// panel, stay in the nearest cache meanwhile, and going from one to the next costs little.
const NEAR: usize = 256;

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
    // Where a product is added in two instructions, it needs a register in between.
    let most = if fused::is_fused() { TILE } else { TILE - 1 };
    let tiles = tiles(input, rows, most);
    // Sums of two rows over a whole panel fit into registers: weights are read once, on and on.
    let read_once = rows <= 2;
    let near = if read_once { inputs } else { NEAR };
    let mut touched = 0;
    for panel in 0..width / PANEL {
        for from in (0..inputs).step_by(near) {
            let turns = near.min(inputs - from);
            let at = (panel * inputs + from) * PANEL;
            let (piece, later) = weights[at..].split_at(turns * PANEL);
            let coming = later.get(..piece.len()).filter(|_| !read_once);
            let mut coming = Coming(coming.unwrap_or_default());
            for Rows { first, rows, woven } in &tiles {
                let woven = &woven[from * rows..][..turns * rows];
                let output = &mut output[first * width + panel * PANEL..];
                let tile = Tile {
                    woven,
                    weights: piece,
                    output,
                    width,
                    further: from > 0,
                };
                touched |= match rows {
                    1 => one_pass::<1>(tile),
                    2 => one_pass::<2>(tile),
                    3 => two_passes::<3>(tile, &mut coming),
                    4 => two_passes::<4>(tile, &mut coming),
                    _ => two_passes::<TILE>(tile, &mut coming),
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

/// All rows, in tiles of `most`, which is as many as there are registers for, and what is left, but none of one row
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

/// The weights after a piece, as many as it has, or none. While one is used out of the nearest cache,
/// nothing asks for those that follow, and after it everything would wait for them: so every turn of
/// the first tile's loops looks at one.
struct Coming<'a>(&'a [f32]);

impl<'a> Coming<'a> {
    /// What a pass of so many turns looks at: nothing where all was.
    fn next_pass(&mut self, turns: usize) -> &'a [[f32; HALF]] {
        let Some((now, later)) = self.0.split_at_checked(turns * HALF) else {
            return &[];
        };
        self.0 = later;
        now.as_chunks().0
    }
}

/// Woven rows times a panel or a part of one.
struct Tile<'a> {
    woven: &'a [f32],
    weights: &'a [f32],
    /// From the first row's first column on, `width` numbers a row.
    output: &'a mut [f32],
    width: usize,
    /// Whether the output holds the sums of the inputs before.
    further: bool,
}

/// A panel at once: its weights are read on and on.
fn one_pass<const ROWS: usize>(mut tile: Tile<'_>) -> u32 {
    compute(TilePass::<'_, '_, ROWS, { PANEL / 4 }, 0>(&mut tile, &[]))
}

/// Both halves of a panel, one after the other.
fn two_passes<const ROWS: usize>(mut tile: Tile<'_>, coming: &mut Coming<'_>) -> u32 {
    let turns = tile.woven.len() / ROWS;
    let next = coming.next_pass(turns);
    let touched = compute(TilePass::<'_, '_, ROWS, { HALF / 4 }, 0>(&mut tile, next));
    let next = coming.next_pass(turns);
    touched
        | compute(TilePass::<'_, '_, ROWS, { HALF / 4 }, HALF>(
            &mut tile, next,
        ))
}

/// A tile of so many rows times the columns of a panel from `FIRST` on, with the sums of so many
/// vectors of each row in registers: sixteen of those are what 128-bit instruction sets have. Eight
/// sums or ten hide an addition's delay; one row has fewer because its panel ends there, and three
/// because twelve leave too few for the rest.
struct TilePass<'a, 'b, const ROWS: usize, const VECTORS: usize, const FIRST: usize>(
    &'b mut Tile<'a>,
    /// What to look at meanwhile: as much as there are inputs, or nothing.
    &'b [[f32; HALF]],
);

impl<const ROWS: usize, const VECTORS: usize, const FIRST: usize> Products
    for TilePass<'_, '_, ROWS, VECTORS, FIRST>
{
    /// Depends on everything that was looked at.
    type Output = u32;

    #[inline(always)]
    fn run(self, fused: bool, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) -> u32 {
        let Self(tile, next) = self;
        let Tile {
            woven,
            weights,
            output,
            width,
            further,
        } = tile;
        let mut sums = [[f32x4::ZERO; VECTORS]; ROWS];
        if *further {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (vector, sum) in sums.iter_mut().enumerate() {
                    *sum = load(output, row * *width + FIRST + 4 * vector);
                }
            }
        }
        let xs = woven.as_chunks::<ROWS>().0;
        let weights = &weights.as_chunks::<PANEL>().0[..xs.len()];
        // All bits, which is no news to anybody but the compiler: if it saw through the weights'
        // addresses, it would go through a turn in an order for which five rows leave too few
        // registers.
        let mask = if ROWS < TILE {
            usize::MAX
        } else {
            black_box(usize::MAX)
        };
        let weights = |turn: usize| &weights[turn & mask][FIRST..];
        let turns = 0..xs.len();
        let mut touched = 0;
        // A processor that takes two instructions for a product has no room for one more.
        if fused && !next.is_empty() {
            let next = &next[..xs.len()];
            for turn in turns {
                touched |= next[turn][0].to_bits();
                add_products(&xs[turn], weights(turn), &mut sums, multiply_add);
            }
        } else {
            for turn in turns {
                add_products(&xs[turn], weights(turn), &mut sums, multiply_add);
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let output = &mut output[row * *width + FIRST..][..4 * VECTORS];
            for (output, sum) in output.chunks_exact_mut(4).zip(sums) {
                output.copy_from_slice(&sum.to_array());
            }
        }
        touched
    }
}

/// One input of every row times its weights. A function and no closure, which might not be inlined
/// and then would multiply without the instruction that it is here for.
#[inline(always)]
fn add_products<const ROWS: usize, const VECTORS: usize>(
    xs: &[f32; ROWS],
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

    /// Two instructions for a product, whatever the processor has: [`compute`] does not come there
    /// where it can fuse.
    fn check_separately<const ROWS: usize, const VECTORS: usize, const FIRST: usize>() {
        let (inputs, rounds_once) = (150, fused::separate(RoundsOnce));
        let weights: Vec<f32> = (0..inputs * PANEL).map(number).collect();
        let input: Vec<f32> = (0..ROWS * inputs).map(|i| number(3 * i + 1)).collect();
        let woven = weave(&input, ROWS);
        let mut output = vec![0.0; ROWS * PANEL];
        for (from, to) in [(0, 90), (90, inputs)] {
            let mut tile = Tile {
                woven: &woven[ROWS * from..ROWS * to],
                weights: &weights[PANEL * from..PANEL * to],
                output: &mut output,
                width: PANEL,
                further: from > 0,
            };
            fused::separate(TilePass::<'_, '_, ROWS, VECTORS, FIRST>(&mut tile, &[]));
        }
        for (at, found) in output.iter().enumerate() {
            if !(FIRST..FIRST + 4 * VECTORS).contains(&(at % PANEL)) {
                continue;
            }
            let x = &input[at / PANEL * inputs..][..inputs];
            let expected = expected(x, &weights, at % PANEL, rounds_once);
            assert_eq!(found.to_bits(), expected.to_bits(), "{ROWS} rows, {at}");
        }
    }

    #[test]
    fn two_instructions_add_the_terms_in_order_too() {
        check_separately::<1, 4, 0>();
        check_separately::<2, 4, 0>();
        check_separately::<3, 2, 0>();
        check_separately::<4, 2, HALF>();
        check_separately::<TILE, 2, HALF>();
    }

    #[test]
    fn what_two_passes_look_at_is_every_line_of_what_comes_next() {
        const LINE: usize = 16;
        for turns in [NEAR, 33, 1] {
            let weights: Vec<f32> = (0..turns * PANEL).map(|at| at as f32).collect();
            let mut coming = Coming(&weights);
            let mut lines = vec![false; weights.len() / LINE];
            for _ in 0..2 {
                for looked_at in coming.next_pass(turns) {
                    lines[looked_at[0] as usize / LINE] = true;
                }
            }
            assert!(lines.iter().all(|seen| *seen), "{turns} turns");
            assert!(coming.next_pass(turns).is_empty());
        }
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
