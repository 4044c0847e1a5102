// RMSNorm, gate and up projections, and the gated activation silu(gate) * up. The norm's gains
// are folded into the weights.
//
// state       (1)                          committed length
// inputs      (rows, hidden/4)             residual stream
// weights     (2 panels, hidden, 4)        the gate's panels, then the up projection's
// activated   (rows, intermediate/4)       written
//
// One invocation per four columns of ROWS rows. Twin: crates/kernels/src/cpu/gate_up.rs.
// Source: Shazeer 2020, "GLU Variants Improve Transformer".
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> activated: array<vec4<f32>>;

//#import columns
//#import rows

fn put(row: u32, column: u32, gate_sum: vec4<f32>, up_sum: vec4<f32>, squares: f32) {
    if row >= end_row(pass_) || row_position(pass_, state[0], row) < 0 {
        return;
    }
    let factor = norm_factor(squares, pass_.input_size, pass_.epsilon);
    let gate = gate_sum * factor;
    let up = up_sum * factor;
    activated[row * (pass_.output_size / 4u) + column] = silu(gate) * up;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let columns = pass_.output_size / 4u;
    let column = id.x;
    let first_row = pass_.source_row + id.y * ROWS;
    if column >= columns {
        return;
    }
    let up_panels = (columns + 3u) / 4u * pass_.input_size * 4u;
    let start = panel_start(column, pass_.input_size);
    let vectors = pass_.input_size / 4u;
    let sums = eight_columns(first_row, end_row(pass_) - 1u, start, up_panels + start, vectors);
    put(first_row + $u, column, sums.low_$, sums.high_$, sums.squares_$);
}
