// RMSNorm, gate and up projections, and the gated activation silu(gate) * up. The norm's gains
// are folded into the weights.
//
// state       (1)                          committed length
// inputs      (rows, hidden/4)             residual stream
// weights     (2 panels, hidden, 4)        the gate's panels, then the up projection's
// activated   (rows, intermediate/4)       written
//
// One invocation per four columns of four rows. Twin: crates/kernels/src/cpu/gate_up.rs.
// Source: Shazeer 2020, "GLU Variants Improve Transformer".
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> activated: array<vec4<f32>>;

//#import columns
//#import rows

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let columns = pass_.output_size / 4u;
    let column = id.x;
    let first_row = id.y * ROWS_TOGETHER;
    if column >= columns {
        return;
    }
    let count = min(ROWS_TOGETHER, pass_.rows - first_row);
    let vectors = pass_.input_size / 4u;
    let up_panels = (columns + 3u) / 4u * pass_.input_size * 4u;
    let start = panel_start(column, pass_.input_size);
    let sums = eight_columns(first_row, count, start, up_panels + start, vectors);
    let factors = norm_factors(sums.low.squares, pass_.input_size, pass_.epsilon);
    for (var row = 0u; row < count; row++) {
        if row_position(pass_, state[0], first_row + row) >= 0 {
            let gate = row_of(sums.low, row) * factors[row];
            let up = row_of(sums.high, row) * factors[row];
            activated[(first_row + row) * columns + column] = gate / (1.0 + exp(-gate)) * up;
        }
    }
}
