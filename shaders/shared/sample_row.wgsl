// A token drawn from the one row of logits, and looked up, by LANES invocations. After row_probabilities,
// inverse_cdf and inverse_cdf_together; the importing kernel declares the bindings of sample.

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

fn sample_row(lane: u32) {
    let row = pass_.source_row;
    row_probabilities(lane, 0u, row * pass_.vocab);
    storageBarrier();
    keep_chunk_sums(row, pass_.vocab, lane);
    workgroupBarrier();
    let length = state[0];
    let u = uniform_at(settings.seed, length + row, pass_.purpose, round_lane(settings, length));
    // Every invocation finds the same token.
    let token = draw_from_chunks(row, pass_.vocab, u);
    if lane == 0u {
        tokens[length + row] = token;
    }
    let columns = pass_.output_size / 4u;
    for (var column = lane; column < columns; column += LANES) {
        stream[column] = table[token * columns + column];
    }
}
