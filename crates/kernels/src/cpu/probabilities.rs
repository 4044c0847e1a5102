//! Twin of `shaders/probabilities.wgsl`.

use super::Bindings;
use crate::{Pass, RunSettings};

const LANES: usize = 64;

fn ranks_before(a_value: f32, a: usize, b_value: f32, b: usize) -> bool {
    a_value > b_value || (a_value == b_value && a < b)
}

/// Adds weights as the lanes do: each lane its own in order, then the lanes in order.
fn sum_of_lanes(weights: &[f32]) -> f32 {
    let mut total = 0.0f32;
    for lane in 0..LANES {
        let mut sum = 0.0f32;
        for weight in weights.iter().skip(lane).step_by(LANES) {
            sum += weight;
        }
        total += sum;
    }
    total
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

        let inverse_temperature = 1.0 / settings.temperature;
        let limit_k = if settings.top_k == 0 {
            vocab
        } else {
            settings.top_k as usize
        };
        for token in 0..vocab {
            let value = logits[token];
            let kept = limit_k >= vocab
                || (0..vocab)
                    .filter(|other| ranks_before(logits[*other], *other, value, token))
                    .count()
                    < limit_k;
            probs[token] = if kept {
                ((value - best_value) * inverse_temperature).exp()
            } else {
                0.0
            };
        }
        let mut total = sum_of_lanes(probs);

        if settings.top_p < 1.0 {
            let (mut boundary_value, mut boundary_token) = (1e30f32, 0);
            for token in 0..vocab {
                let value = logits[token];
                let mut mass_before = 0.0f32;
                for other in 0..vocab {
                    if ranks_before(logits[other], other, value, token) {
                        mass_before += probs[other];
                    }
                }
                let kept = probs[token] > 0.0 && mass_before < settings.top_p * total;
                if kept && ranks_before(boundary_value, boundary_token, value, token) {
                    (boundary_value, boundary_token) = (value, token);
                }
            }
            for token in 0..vocab {
                if ranks_before(boundary_value, boundary_token, logits[token], token) {
                    probs[token] = 0.0;
                }
            }
            total = sum_of_lanes(probs);
        }
        for prob in probs.iter_mut() {
            *prob /= total;
        }
    }
}
