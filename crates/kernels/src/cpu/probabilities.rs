//! Twin of `shaders/probabilities.wgsl`.

use wide::f32x4;

use super::Bindings;
use super::exp::{Exponential, SMALLEST};
use super::fused::{Products, compute};
use crate::{Pass, RunSettings};

const PARTS: usize = 64;

/// A number that is larger exactly when the value is; both zeros have the same.
fn key_of(value: f32) -> u32 {
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

fn tokens_from(keys: &[u32], key: u32) -> u32 {
    keys.iter().filter(|other| **other >= key).count() as u32
}

/// Adds the weights of the tokens that are kept: those of each part in order, then the parts in
/// order.
fn mass(weights: &[f32], kept: impl Fn(usize) -> bool) -> f32 {
    let mut sums = [0.0f32; PARTS];
    for (first, weights) in (0..).step_by(PARTS).zip(weights.chunks(PARTS)) {
        for (part, weight) in weights.iter().enumerate() {
            if kept(first + part) {
                sums[part] += weight;
            }
        }
    }
    sums.iter().sum()
}

/// [`mass`] of the tokens whose key is not below the given one.
fn mass_from(keys: &[u32], weights: &[f32], key: u32) -> f32 {
    mass(weights, |token| keys[token] >= key)
}

fn equals_before(keys: &[u32], token: usize) -> u32 {
    let equal = keys[..token].iter().filter(|key| **key == keys[token]);
    equal.count() as u32
}

/// The largest key that passes, found bit by bit; whatever is below a key that passes must pass.
fn largest_key(passes: impl Fn(u32) -> bool) -> u32 {
    let mut boundary = 0;
    for bit in (0..32).rev() {
        if passes(boundary | 1 << bit) {
            boundary |= 1 << bit;
        }
    }
    boundary
}

pub(super) fn run(bindings: &Bindings<'_>, rows: usize) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let logits = bindings.floats(2);
    let mut probs = bindings.floats_mut(3);
    let vocab = pass.vocab as usize;
    for row in 0..rows {
        let logits = &logits[row * vocab..][..vocab];
        let probs = &mut probs[(row + pass.destination_row as usize) * vocab..][..vocab];
        let (mut best_value, mut best_token) = (-1e30f32, vocab);
        for (token, value) in logits.iter().enumerate() {
            if *value > best_value {
                (best_value, best_token) = (*value, token);
            }
        }
        if settings.temperature == 0.0 {
            for (token, prob) in probs.iter_mut().enumerate() {
                *prob = if token == best_token { 1.0 } else { 0.0 };
            }
            continue;
        }

        compute(Weights {
            logits,
            probs,
            best_value,
            inverse_temperature: 1.0 / settings.temperature,
        });
        let filters = (settings.top_k > 0 && settings.top_k < pass.vocab) || settings.top_p < 1.0;
        let keys: Vec<u32> = if filters {
            logits.iter().map(|value| key_of(*value)).collect()
        } else {
            Vec::new()
        };

        if settings.top_k > 0 && settings.top_k < pass.vocab {
            let boundary = largest_key(|key| tokens_from(&keys, key) >= settings.top_k);
            let places = settings.top_k - tokens_from(&keys, boundary + 1);
            for token in 0..vocab {
                let key = keys[token];
                if key < boundary || (key == boundary && equals_before(&keys, token) >= places) {
                    probs[token] = 0.0;
                }
            }
        }
        let mut total = mass(probs, |_| true);

        if settings.top_p < 1.0 {
            let goal = settings.top_p * total;
            let boundary = largest_key(|key| mass_from(&keys, probs, key) >= goal);
            let mass_before = mass_from(&keys, probs, boundary + 1);
            for token in 0..vocab {
                let key = keys[token];
                let mut kept = key >= boundary;
                if key == boundary && probs[token] > 0.0 {
                    let equals = equals_before(&keys, token) as f32;
                    kept = mass_before + equals * probs[token] < goal;
                }
                if !kept {
                    probs[token] = 0.0;
                }
            }
            total = mass(probs, |_| true);
        }
        for prob in probs.iter_mut() {
            *prob /= total;
        }
    }
}

/// `exp((logit - best) / temperature)` for every token; 0 where the exponent is [`SMALLEST`] or less.
struct Weights<'a> {
    logits: &'a [f32],
    probs: &'a mut [f32],
    best_value: f32,
    inverse_temperature: f32,
}

impl Products for Weights<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) {
        let exponential = Exponential::new();
        for (probs, logits) in self.probs.chunks_mut(4).zip(self.logits.chunks(4)) {
            let mut four = [self.best_value; 4];
            four[..logits.len()].copy_from_slice(logits);
            let below = f32x4::new(four) - f32x4::splat(self.best_value);
            let power = below * self.inverse_temperature;
            let weights =
                exponential.of(power, multiply_add) & power.simd_gt(f32x4::splat(SMALLEST));
            probs.copy_from_slice(&weights.to_array()[..logits.len()]);
        }
    }
}
