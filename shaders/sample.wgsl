// What follows a drafted row's logits: its distribution, a token drawn from it, and the lookup
// with which the next step begins. Three kernels in one, where waiting inside a workgroup is
// cheaper than a dispatch.
//
// settings   temperature, top_k, top_p, seed, rule
// logits     (1, vocab)         of the row
// probs      (rows, vocab)      row source_row is written
// state      (1)                committed length
// tokens     (capacity)         written at committed length + source_row
// table      (vocab, hidden/4)  embedding table
// stream     (1, hidden/4)      the embedding of the token, written
//
// One workgroup. Twin: crates/kernels/src/cpu/sample.rs.
//#import pass
//#import settings
//#import random

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> probs: array<f32>;
@group(0) @binding(4) var<storage, read> state: array<u32>;
@group(0) @binding(5) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(6) var<storage, read> table: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> stream: array<vec4<f32>>;

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

const LANES: u32 = CHUNKS;

//#import row_probabilities
//#import inverse_cdf
//#import inverse_cdf_together

@compute @workgroup_size(CHUNKS)
fn main(@builtin(local_invocation_index) lane: u32) {
    let row = pass_.source_row;
    row_probabilities(lane, 0u, row * pass_.vocab);
    storageBarrier();
    keep_chunk_sum(row, pass_.vocab, lane);
    workgroupBarrier();
    let length = state[0];
    let u = uniform_at(settings.seed, length + row, pass_.purpose, round_lane(settings, length));
    // Every invocation finds the same token.
    let token = draw_from_chunks(row, pass_.vocab, u);
    if lane == 0u {
        tokens[length + row] = token;
    }
    let columns = pass_.output_size / 4u;
    for (var column = lane; column < columns; column += CHUNKS) {
        stream[column] = table[token * columns + column];
    }
}
