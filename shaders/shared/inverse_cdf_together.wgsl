// The draw of inverse_cdf by LANES invocations, which share out the chunks. After inverse_cdf. A
// kernel lets every invocation keep its chunks' sums, waits for the others, and asks.

var<workgroup> chunk_sums: array<f32, CHUNKS>;

fn keep_chunk_sums(row: u32, vocab: u32, lane: u32) {
    for (var chunk = lane; chunk < CHUNKS; chunk += LANES) {
        chunk_sums[chunk] = chunk_sum(row, vocab, chunk);
    }
}

fn sum_of_chunks() -> f32 {
    var total = 0.0;
    for (var chunk = 0u; chunk < CHUNKS; chunk++) {
        total += chunk_sums[chunk];
    }
    return total;
}

fn draw_from_chunks(row: u32, vocab: u32, u: f32) -> u32 {
    let goal = u * sum_of_chunks();
    var found = 0u;
    var before = 0.0;
    var sum = 0.0;
    for (var chunk = 0u; chunk < CHUNKS && sum <= goal; chunk++) {
        if chunk_sums[chunk] > 0.0 {
            found = chunk;
            before = sum;
            sum += chunk_sums[chunk];
        }
    }
    return token_in_chunk(row, vocab, found, before, goal);
}
