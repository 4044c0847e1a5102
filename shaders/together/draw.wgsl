// Draws a token of each row and writes it at its position of the text, by 64 invocations.
//
// Bindings and results are those of ../draw.wgsl. One workgroup per row in x and text in y.
//#import pass
//#import settings
//#import random

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;

fn weight_of(row: u32, token: u32) -> f32 {
    return probs[row * pass_.vocab + token];
}

//#import inverse_cdf
//#import inverse_cdf_together

const LANES: u32 = CHUNKS;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = pass_.source_row + group.x;
    let length = state[group.y];
    keep_chunk_sums(row, pass_.vocab, lane);
    workgroupBarrier();
    if lane == 0u {
        let u = uniform_at(settings.seed, length + row, pass_.purpose, round_lane(settings, length));
        tokens[length + row] = draw_from_chunks(row, pass_.vocab, u);
    }
}
