//! Twin of `shaders/attention.wgsl`.

use std::hint::black_box;

use wide::f32x4;

use super::Bindings;
use super::exp::Exponential;
use super::fused::{Products, compute};
use super::multiply::load;
use crate::{COMMON_HEAD_DIM, Pass};

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let length = bindings.words(1)[0];
    run_on(
        &pass,
        length,
        &bindings.floats(2),
        &bindings.floats(3),
        &mut bindings.floats_mut(4),
    );
}

/// Shapes: `keys` and `values` (kv_heads, capacity, head_dim), `mixed` (rows, heads, head_dim).
pub(super) fn run_on(pass: &Pass, length: u32, keys: &[f32], values: &[f32], mixed: &mut [f32]) {
    let (heads, head_dim) = (pass.heads as usize, pass.head_dim as usize);
    let (group, capacity) = (heads / pass.kv_heads as usize, pass.capacity as usize);
    let scale = 1.0 / (head_dim as f32).sqrt();
    let mut scores = Vec::new();
    for head in 0..heads {
        let first = head / group * capacity * head_dim;
        for row in pass.from_source_row() {
            let Some(position) = pass.position(length, row) else {
                continue;
            };
            let past = first..first + (position + 1) * head_dim;
            let mixed = &mut mixed[(row * heads + head) * head_dim..][..head_dim];
            for x in mixed.iter_mut() {
                *x *= scale;
            }
            compute(Head {
                mixed,
                keys: &keys[past.clone()],
                values: &values[past],
                scores: &mut scores,
            });
        }
    }
}

/// Attention of one head of one row. Shapes: `mixed` (head_dim), the query on the way in; `keys` and
/// `values` (positions, head_dim).
struct Head<'a> {
    mixed: &'a mut [f32],
    keys: &'a [f32],
    values: &'a [f32],
    scores: &'a mut Vec<f32>,
}

impl Products for Head<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
        let Self {
            mixed,
            keys,
            values,
            scores,
        } = self;
        let head_dim = mixed.len();
        let positions = keys.len() / head_dim;
        // Far below every score: what fills the last four weighs too little to change a sum.
        scores.clear();
        scores.resize(positions.next_multiple_of(4), -1e30);
        score(mixed, keys, &mut scores[..positions], multiply_add);
        let mut largest = f32x4::splat(-1e30);
        for four in scores.chunks_exact(4) {
            largest = largest.fast_max(load(four, 0));
        }
        let [a, b, c, d] = largest.to_array();
        // `f32::max` is a call in WebAssembly.
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let largest = larger(larger(a, b), larger(c, d));
        let exponential = Exponential::new();
        let mut totals = f32x4::ZERO;
        for four in scores.chunks_exact_mut(4) {
            let weights = exponential.of(load(four, 0) - f32x4::splat(largest), multiply_add);
            totals += weights;
            four.copy_from_slice(&weights.to_array());
        }
        let [a, b, c, d] = totals.to_array();
        let share = 1.0 / (((a + b) + c) + d);
        let weights = &scores[..positions];
        if head_dim.is_multiple_of(32) {
            for (first, mixed) in (0..).step_by(32).zip(mixed.chunks_exact_mut(32)) {
                mix::<8>(values, head_dim, first, weights, share, mixed, multiply_add);
            }
        } else {
            for (first, mixed) in (0..).step_by(8).zip(mixed.chunks_exact_mut(8)) {
                mix::<2>(values, head_dim, first, weights, share, mixed, multiply_add);
            }
        }
    }
}

/// The weighted sum of some columns of the values, from `first` on; as many sums as registers
/// hold hide the additions' delay.
#[inline(always)]
fn mix<const VECTORS: usize>(
    values: &[f32],
    head_dim: usize,
    first: usize,
    weights: &[f32],
    share: f32,
    mixed: &mut [f32],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) {
    let mut sums = [f32x4::ZERO; VECTORS];
    for (values, weight) in values.chunks_exact(head_dim).zip(weights) {
        let values = &values[first..first + 4 * VECTORS];
        let weight = f32x4::splat(*weight);
        for (vector, sum) in sums.iter_mut().enumerate() {
            *sum = multiply_add(weight, load(values, 4 * vector), *sum);
        }
    }
    for (mixed, sum) in mixed.chunks_exact_mut(4).zip(sums) {
        mixed.copy_from_slice(&(sum * share).to_array());
    }
}

/// Products of a query with all keys.
#[inline(always)]
fn score(
    query: &[f32],
    keys: &[f32],
    scores: &mut [f32],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy,
) {
    /// Vectors of a head of the usual width.
    const VECTORS: usize = COMMON_HEAD_DIM / 4;
    let query = query.as_chunks::<4>().0;
    let (keys, vectors) = (keys.as_chunks::<4>().0, query.len());
    let mut scored = 0;
    if vectors == VECTORS {
        // A loop of so few turns would be unrolled and its sums made one after the other, for which
        // all that is multiplied would have to be in registers.
        let turns = black_box(VECTORS).min(VECTORS);
        let (eights, _) = keys.as_chunks::<VECTORS>().0.as_chunks::<8>();
        for (scores, keys) in scores.as_chunks_mut::<8>().0.iter_mut().zip(eights) {
            let keys = keys.each_ref().map(|key| &key[..]);
            let sums = products(&query[..VECTORS], keys, turns, multiply_add);
            let (first, second) = sums.split_at(4);
            for (scores, sums) in scores.chunks_exact_mut(4).zip([first, second]) {
                scores.copy_from_slice(&added([sums[0], sums[1], sums[2], sums[3]]));
            }
        }
        scored = 8 * eights.len();
    }
    let mut fours = keys[scored * vectors..].chunks_exact(4 * vectors);
    let (whole, rest) = scores[scored..].as_chunks_mut::<4>();
    for (scores, keys) in whole.iter_mut().zip(&mut fours) {
        let keys = [0, 1, 2, 3].map(|place| &keys[place * vectors..][..vectors]);
        *scores = added(products(query, keys, vectors, multiply_add));
    }
    for (score, key) in rest.iter_mut().zip(fours.remainder().chunks_exact(vectors)) {
        let [sums] = products(query, [key], vectors, multiply_add);
        [*score, ..] = added([sums, f32x4::ZERO, f32x4::ZERO, f32x4::ZERO]);
    }
}

/// The sum of each four.
#[inline(always)]
fn added(fours: [f32x4; 4]) -> [f32; 4] {
    let [a, b, c, d] = f32x4::transpose(fours);
    (((a + b) + c) + d).to_array()
}

/// Products of a query with some keys, four sums of every fourth for each: the query is read once,
/// and sums of several keys hide an addition's delay.
#[inline(always)]
fn products<const KEYS: usize>(
    query: &[[f32; 4]],
    keys: [&[[f32; 4]]; KEYS],
    vectors: usize,
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) -> [f32x4; KEYS] {
    let mut sums = [f32x4::ZERO; KEYS];
    for vector in 0..vectors {
        let query = f32x4::new(query[vector]);
        for (sum, key) in sums.iter_mut().zip(keys) {
            *sum = multiply_add(query, f32x4::new(key[vector]), *sum);
        }
    }
    sums
}
