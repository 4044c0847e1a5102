// A drafted row's distribution, a token drawn from it, and the lookup with which the next step
// begins, by 64 invocations.
//
// Bindings and results are those of ../sample.wgsl. One workgroup.
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

const LANES: u32 = CHUNKS;

//#import row_probabilities
//#import inverse_cdf
//#import inverse_cdf_together
//#import sample_row

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    let token = sample_row(lane, pass_.source_row);
    let columns = pass_.output_size / 4u;
    for (var column = lane; column < columns; column += LANES) {
        stream[column] = table[token * columns + column];
    }
}
