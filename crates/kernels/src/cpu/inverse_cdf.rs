//! Twin of `shaders/shared/inverse_cdf.wgsl`.

/// Parts of a vocabulary whose sums a draw walks before it walks one part.
pub const CHUNKS: usize = 64;

/// Ids of a chunk but for the last ones.
fn chunk_length(vocab: usize) -> usize {
    vocab.div_ceil(CHUNKS).max(1)
}

/// The weight of each chunk, its terms in the order of ids. Four chunks are added up side by side,
/// since each addition waits for the one before.
fn sums_of_chunks(vocab: usize, weight_of: impl Fn(usize) -> f32) -> [f32; CHUNKS] {
    const TOGETHER: usize = 4;
    let length = chunk_length(vocab);
    let mut sums = [0.0; CHUNKS];
    for (sums, first) in sums
        .chunks_exact_mut(TOGETHER)
        .zip((0..vocab).step_by(TOGETHER * length))
    {
        if first + TOGETHER * length <= vocab {
            let mut together = [0.0; TOGETHER];
            for token in first..first + length {
                for (chunk, sum) in together.iter_mut().enumerate() {
                    *sum += weight_of(token + chunk * length);
                }
            }
            sums.copy_from_slice(&together);
        } else {
            for (sum, first) in sums.iter_mut().zip((first..vocab).step_by(length)) {
                for token in first..(first + length).min(vocab) {
                    *sum += weight_of(token);
                }
            }
        }
    }
    sums
}

/// All weights, in the order of ids within a chunk and then of chunks.
pub(super) fn sum_of_weights(vocab: usize, weight_of: impl Fn(usize) -> f32) -> f32 {
    total(&sums_of_chunks(vocab, weight_of))
}

fn total(sums: &[f32; CHUNKS]) -> f32 {
    sums.iter().fold(0.0, |total, sum| total + sum)
}

/// The first token whose cumulative weight exceeds `u` times the total; never one of weight 0.
pub(super) fn draw_token(vocab: usize, weight_of: impl Fn(usize) -> f32, u: f32) -> u32 {
    let sums = sums_of_chunks(vocab, &weight_of);
    let goal = u * total(&sums);
    let length = chunk_length(vocab);
    let (mut found, mut before, mut sum) = (0..0, 0.0, 0.0);
    for (first, weight) in (0..vocab).step_by(length).zip(sums) {
        if weight > 0.0 {
            (found, before) = (first..(first + length).min(vocab), sum);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_side_by_side_add_up_to_what_each_alone_does() {
        for vocab in [1_usize, 3, 64, 65, 200, 255, 256, 1000, 2048] {
            let weight = |token: usize| ((token * 7919) % 1009) as f32 / 1009.0;
            let length = vocab.div_ceil(CHUNKS);
            let sums = sums_of_chunks(vocab, weight);
            for (chunk, sum) in sums.into_iter().enumerate() {
                let tokens = (chunk * length).min(vocab)..((chunk + 1) * length).min(vocab);
                let alone = tokens.fold(0.0, |sum, token| sum + weight(token));
                assert_eq!(
                    sum.to_bits(),
                    alone.to_bits(),
                    "{vocab} tokens, chunk {chunk}"
                );
            }
        }
    }

    #[test]
    fn the_token_drawn_is_the_first_whose_cumulative_weight_exceeds_the_goal() {
        // Whole numbers: every sum is exact. Two tokens a chunk, 4 and 5 in one.
        let mut weights = [0.0; 128];
        (weights[1], weights[4], weights[5]) = (3.0, 1.0, 4.0);
        for part in 0..32 {
            let u = part as f32 / 32.0;
            let drawn = draw_token(weights.len(), |token| weights[token], u);
            let expected = match part {
                0..12 => 1,
                12..16 => 4,
                _ => 5,
            };
            assert_eq!(drawn, expected, "u = {u}");
        }
        assert_eq!(draw_token(weights.len(), |token| weights[token], 1.0), 5);
    }
}
