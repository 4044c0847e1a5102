// Final RMSNorm and output layer, every sum shared by 16 invocations.
//
// Results are those of ../logits.wgsl, and so are the bindings but for the weights, which are of 16
// bits and have gains beside them: see ../shared/shares.wgsl. One workgroup per panel of 16 tokens
// in x and four rows in y.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;
@group(0) @binding(5) var<storage, read> gains: array<vec4<f32>>;

const PANELS: u32 = 1u;

//#import columns
//#import halves
//#import shares
//#import panel

@compute @workgroup_size(PANEL_LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first_row = group.y * ROWS_TOGETHER;
    let first_source = first_row + pass_.source_row;
    let count = min(ROWS_TOGETHER, pass_.rows - first_row);
    keep_share(0u, group.x, first_source, count, pass_.input_size, lane);
    workgroupBarrier();
    if lane >= 16u {
        return;
    }
    let it = panel_sum(0u, lane);
    let token = 16u * group.x + 4u * it.column;
    if it.row >= count || token >= pass_.vocab {
        return;
    }
    if row_position(pass_, state[0], first_source + it.row) < 0 {
        return;
    }
    let four = it.sum * norm_factor(it.squares, pass_.input_size, pass_.epsilon);
    for (var i = 0u; i < min(4u, pass_.vocab - token); i++) {
        logits[(first_row + it.row) * pass_.vocab + token + i] = four[i];
    }
}
