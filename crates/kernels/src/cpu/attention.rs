//! Twin of `shaders/attention.wgsl`.

use wide::f32x4;

use super::Bindings;
use super::exp::exp;
use super::fused::{Products, compute};
use super::multiply::load;
use crate::Pass;

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
    fn run(self, _fused: bool, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
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
        let mut fours = keys.chunks_exact(4 * head_dim);
        for (scores, keys) in scores.chunks_exact_mut(4).zip(&mut fours) {
            let [a, b, c, d] = f32x4::transpose(products_of_four(mixed, keys, multiply_add));
            scores.copy_from_slice(&(((a + b) + c) + d).to_array());
        }
        let whole = positions / 4 * 4;
        for (score, key) in scores[whole..]
            .iter_mut()
            .zip(fours.remainder().chunks_exact(head_dim))
        {
            let [a, b, c, d] = products(mixed, key, multiply_add).to_array();
            *score = ((a + b) + c) + d;
        }
        let mut largest = f32x4::splat(-1e30);
        for four in scores.chunks_exact(4) {
            largest = largest.max(load(four, 0));
        }
        let largest = largest.to_array().into_iter().fold(-1e30f32, f32::max);
        let mut totals = f32x4::ZERO;
        for four in scores.chunks_exact_mut(4) {
            let weights = exp(load(four, 0) - f32x4::splat(largest), multiply_add);
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

/// [`products`] of a query and four keys, the query read once.
#[inline(always)]
fn products_of_four(
    query: &[f32],
    keys: &[f32],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) -> [f32x4; 4] {
    let (first, keys) = keys.split_at(query.len());
    let (second, keys) = keys.split_at(query.len());
    let (third, fourth) = keys.split_at(query.len());
    let mut sums = [f32x4::ZERO; 4];
    let pairs = first.chunks_exact(4).zip(second.chunks_exact(4));
    let pairs = pairs.zip(third.chunks_exact(4).zip(fourth.chunks_exact(4)));
    for (query, ((first, second), (third, fourth))) in query.chunks_exact(4).zip(pairs) {
        let query = load(query, 0);
        sums[0] = multiply_add(query, load(first, 0), sums[0]);
        sums[1] = multiply_add(query, load(second, 0), sums[1]);
        sums[2] = multiply_add(query, load(third, 0), sums[2]);
        sums[3] = multiply_add(query, load(fourth, 0), sums[3]);
    }
    sums
}

/// Products of a query and a key, four sums of every fourth.
#[inline(always)]
fn products(
    query: &[f32],
    key: &[f32],
    multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
) -> f32x4 {
    let mut sums = f32x4::ZERO;
    for (query, key) in query.chunks_exact(4).zip(key.chunks_exact(4)) {
        sums = multiply_add(load(query, 0), load(key, 0), sums);
    }
    sums
}
