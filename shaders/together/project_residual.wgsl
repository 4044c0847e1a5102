// A projection added to the residual stream, every sum shared by 16 invocations.
//
// Results are those of ../project_residual.wgsl, and so are the bindings but for the weights, which
// are of 16 bits and have gains beside them: see ../shared/shares.wgsl. One workgroup per panel of
// 16 columns in x and four rows in y.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> stream: array<vec4<f32>>;
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
    let columns = pass_.output_size / 4u;
    let first_row = pass_.source_row + group.y * ROWS_TOGETHER;
    let count = min(ROWS_TOGETHER, end_row(pass_) - first_row);
    keep_share(0u, group.x, first_row, count, pass_.input_size, lane);
    workgroupBarrier();
    if lane >= 16u {
        return;
    }
    let it = panel_sum(0u, lane);
    let row = first_row + it.row;
    let column = 4u * group.x + it.column;
    if it.row < count && column < columns && row_position(pass_, state[0], row) >= 0 {
        stream[row * columns + column] += it.sum;
    }
}
