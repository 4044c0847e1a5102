// Draws the draft's token of one position and appends it to the text.
//
// settings   seed, rule
// state      (1)             committed length
// probs      (rows, vocab)   row source_row is drawn from
// tokens     (capacity)      written at committed length + source_row
// draws      (rows)          the uniform numbers used, row source_row written
//
// One invocation: the cumulative sum runs in the order of ids. Twin: crates/kernels/src/cpu/draw.rs.
//#import pass
//#import settings
//#import random
//#import inverse_cdf

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> draws: array<f32>;

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

@compute @workgroup_size(1)
fn main() {
    let row = pass_.source_row;
    let position = state[0] + row;
    let u = uniform_at(settings.seed, position, PURPOSE_DRAFT, round_lane(settings, state[0]));
    draws[row] = u;
    tokens[position] = draw_token(row, pass_.vocab, u);
}
