// RMSNorm, gate and up projections, and the gated activation silu(gate) * up. The norm's gains
// are folded into the weights.
//
// state       (1)                          committed length
// stream      (rows, hidden/4)             residual stream
// weights     (hidden, 2 intermediate/4)   gate columns, then up columns
// activated   (rows, intermediate/4)       written
//
// One invocation per four columns of one row. Twin: crates/kernels/src/cpu/gate_up.rs.
// Source: Shazeer 2020, "GLU Variants Improve Transformer".
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> stream: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> activated: array<vec4<f32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let columns = pass_.output_size / 4u;
    let column = id.x;
    let row = id.y;
    if column >= columns || row_position(pass_, state[0], row) < 0 {
        return;
    }
    let inputs = pass_.input_size / 4u;
    var gate = vec4<f32>(0.0);
    var up = vec4<f32>(0.0);
    var squares = vec4<f32>(0.0);
    for (var i = 0u; i < inputs; i++) {
        let x = stream[row * inputs + i];
        squares += x * x;
        let at = 8u * i * columns + column;
        gate += x.x * weights[at];
        up += x.x * weights[at + columns];
        gate += x.y * weights[at + 2u * columns];
        up += x.y * weights[at + 3u * columns];
        gate += x.z * weights[at + 4u * columns];
        up += x.z * weights[at + 5u * columns];
        gate += x.w * weights[at + 6u * columns];
        up += x.w * weights[at + 7u * columns];
    }
    let mean = (squares.x + squares.y + squares.z + squares.w) / f32(pass_.input_size);
    let factor = inverseSqrt(mean + pass_.epsilon);
    gate *= factor;
    up *= factor;
    activated[row * columns + column] = gate / (1.0 + exp(-gate)) * up;
}
