// A projection added to the residual stream: the output of attention, and the down
// projection of the feed-forward part.
//
// state     (1)                      committed length
// inputs    (rows, input_size/4)
// weights   (panels, input_size, 4)
// stream    (rows, hidden/4)         residual stream, added to
//
// One invocation per four columns of ROWS rows. Twin: crates/kernels/src/cpu/project_residual.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> stream: array<vec4<f32>>;

//#import columns
//#import rows

fn put(row: u32, column: u32, sum: vec4<f32>) {
    if row < end_row(pass_) && row_position(pass_, state[0], row) >= 0 {
        stream[row * (pass_.output_size / 4u) + column] += sum;
    }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    let first_row = pass_.source_row + id.y * ROWS;
    if column >= pass_.output_size / 4u {
        return;
    }
    let start = panel_start(column, pass_.input_size);
    let sums = four_columns(first_row, end_row(pass_) - 1u, start, pass_.input_size / 4u);
    put(first_row + $u, column, sums.sum_$);
}
