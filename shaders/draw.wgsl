// Draws a token of each row and writes it at its position of the text.
//
// settings   seed, rule
// state      (texts)         committed length
// probs      (rows, vocab)   rows source_row to source_row + rows are drawn from
// tokens     (capacity)      written at committed length + row
//
// purpose says whose draw it is: the draft's, or the target's own. One workgroup of one invocation
// per row in x and text in y: the cumulative sum runs in the order of ids.
// Twin: crates/kernels/src/cpu/draw.rs.
//#import pass
//#import settings
//#import random
//#import inverse_cdf

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let row = pass_.source_row + group.x;
    let length = state[group.y];
    let u = uniform_at(settings.seed, length + row, pass_.purpose, round_lane(settings, length));
    tokens[length + row] = draw_token(row, pass_.vocab, u);
}
