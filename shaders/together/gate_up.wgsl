// RMSNorm, gate and up projections, and the gated activation, every sum shared by 16 invocations.
//
// Results are those of ../gate_up.wgsl, and so are the bindings but for the weights, which are of
// 16 bits and have gains beside them: see ../shared/shares.wgsl. One workgroup per panel of 16
// columns in x and four rows in y.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> activated: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> gains: array<vec4<f32>>;

// The gate's panel and the up projection's.
const PANELS: u32 = 2u;

//#import columns
//#import halves
//#import shares
//#import panel

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let columns = pass_.output_size / 4u;
    let panels = (columns + 3u) / 4u;
    let first_row = pass_.source_row + group.y * ROWS_TOGETHER;
    let count = min(ROWS_TOGETHER, end_row(pass_) - first_row);
    let slot = index / PANEL_LANES;
    let lane = index % PANEL_LANES;
    keep_share(slot, slot * panels + group.x, first_row, count, pass_.input_size, lane);
    workgroupBarrier();
    if index >= 16u {
        return;
    }
    let gate_sum = panel_sum(0u, lane);
    let up_sum = panel_sum(1u, lane);
    let row = first_row + gate_sum.row;
    let column = 4u * group.x + gate_sum.column;
    if gate_sum.row < count && column < columns && row_position(pass_, state[0], row) >= 0 {
        let factor = norm_factor(gate_sum.squares, pass_.input_size, pass_.epsilon);
        let gate = gate_sum.sum * factor;
        let up = up_sum.sum * factor;
        activated[row * columns + column] = silu(gate) * up;
    }
}
