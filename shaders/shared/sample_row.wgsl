// A token drawn from the one row of logits by LANES invocations. After row_probabilities, inverse_cdf
// and inverse_cdf_together; before this, a kernel declares `pass_`, `settings`, `logits`, `probs`,
// `state` and `tokens` as sample does.

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

// Writes the distribution to the row of `probs` and the token to that place of the block, and returns
// the token to every invocation.
fn sample_row(lane: u32, row: u32) -> u32 {
    row_probabilities(lane, 0u, row * pass_.vocab);
    storageBarrier();
    keep_chunk_sums(row, pass_.vocab, lane);
    workgroupBarrier();
    let length = state[0];
    let u = uniform_at(settings.seed, length + row, pass_.purpose, round_lane(settings, length));
    let token = draw_from_chunks(row, pass_.vocab, u);
    if lane == 0u {
        tokens[length + row] = token;
    }
    return token;
}
