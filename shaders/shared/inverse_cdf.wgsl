// Draws from unnormalised weights: the first token whose cumulative sum exceeds u times the
// total; a token of weight 0 is never drawn. Sums run in the order of ids within a chunk, and
// then in the order of chunks, so that one invocation and 64 of them find the same token. The
// importing kernel defines weight_of(row, token). Twin: crates/kernels/src/cpu/inverse_cdf.rs.

const CHUNKS: u32 = 64u;

fn chunk_length(vocab: u32) -> u32 {
    return (vocab + CHUNKS - 1u) / CHUNKS;
}

fn chunk_sum(row: u32, vocab: u32, chunk: u32) -> f32 {
    let first = chunk * chunk_length(vocab);
    let end = min(first + chunk_length(vocab), vocab);
    var sum = 0.0;
    for (var token = first; token < end; token++) {
        sum += weight_of(row, token);
    }
    return sum;
}

fn sum_of_weights(row: u32, vocab: u32) -> f32 {
    var total = 0.0;
    for (var chunk = 0u; chunk * chunk_length(vocab) < vocab; chunk++) {
        total += chunk_sum(row, vocab, chunk);
    }
    return total;
}

// The token of one chunk with which the cumulative sum, `before` at its beginning, exceeds the
// goal; the last one that has any weight where rounding leaves the sum short of it.
fn token_in_chunk(row: u32, vocab: u32, chunk: u32, before: f32, goal: f32) -> u32 {
    let first = chunk * chunk_length(vocab);
    let end = min(first + chunk_length(vocab), vocab);
    var sum = before;
    var last = first;
    for (var token = first; token < end; token++) {
        let weight = weight_of(row, token);
        if weight > 0.0 {
            sum += weight;
            last = token;
            if sum > goal {
                break;
            }
        }
    }
    return last;
}

fn draw_token(row: u32, vocab: u32, u: f32) -> u32 {
    let goal = u * sum_of_weights(row, vocab);
    var found = 0u;
    var before = 0.0;
    var sum = 0.0;
    for (var chunk = 0u; chunk * chunk_length(vocab) < vocab && sum <= goal; chunk++) {
        let weight = chunk_sum(row, vocab, chunk);
        if weight > 0.0 {
            found = chunk;
            before = sum;
            sum += weight;
        }
    }
    return token_in_chunk(row, vocab, found, before, goal);
}
