//! Twin of `shaders/shared/inverse_cdf.wgsl`.

use std::ops::Range;

const CHUNKS: usize = 64;

/// The ids of each chunk of a row.
fn chunks(vocab: usize) -> impl Iterator<Item = Range<usize>> {
    let length = vocab.div_ceil(CHUNKS);
    (0..vocab)
        .step_by(length.max(1))
        .map(move |first| first..(first + length).min(vocab))
}

fn sum_of(weight_of: impl Fn(usize) -> f32, chunk: Range<usize>) -> f32 {
    let mut sum = 0.0;
    for token in chunk {
        sum += weight_of(token);
    }
    sum
}

/// All weights, in the order of ids within a chunk and then of chunks.
pub(super) fn sum_of_weights(vocab: usize, weight_of: impl Fn(usize) -> f32) -> f32 {
    let mut total = 0.0;
    for chunk in chunks(vocab) {
        total += sum_of(&weight_of, chunk);
    }
    total
}

/// The first token whose cumulative weight exceeds `u` times the total; never one of weight 0.
pub(super) fn draw_token(vocab: usize, weight_of: impl Fn(usize) -> f32, u: f32) -> u32 {
    let goal = u * sum_of_weights(vocab, &weight_of);
    let (mut found, mut before, mut sum) = (0..0, 0.0, 0.0);
    for chunk in chunks(vocab) {
        let weight = sum_of(&weight_of, chunk.clone());
        if weight > 0.0 {
            (found, before) = (chunk, sum);
            sum += weight;
        }
        if sum > goal {
            break;
        }
    }
    let mut sum: f32 = before;
    let mut last = found.start;
    for token in found {
        let weight = weight_of(token);
        if weight > 0.0 {
            sum += weight;
            last = token;
            if sum > goal {
                break;
            }
        }
    }
    last as u32
}
