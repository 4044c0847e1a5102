// A projection added to the residual stream: the output of attention, and the down
// projection of the feed-forward part.
//
// state     (1)                      committed length
// inputs    (rows, input_size/4)
// weights   (input_size, hidden/4)
// stream    (rows, hidden/4)         residual stream, added to
//
// One invocation per four columns of one row. Twin: crates/kernels/src/cpu/project_residual.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> stream: array<vec4<f32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let columns = pass_.output_size / 4u;
    let column = id.x;
    let row = id.y;
    if column >= columns || row_position(pass_, state[0], row) < 0 {
        return;
    }
    let count = pass_.input_size / 4u;
    var sum = vec4<f32>(0.0);
    for (var i = 0u; i < count; i++) {
        let x = inputs[row * count + i];
        let at = 4u * i * columns + column;
        sum += x.x * weights[at];
        sum += x.y * weights[at + columns];
        sum += x.z * weights[at + 2u * columns];
        sum += x.w * weights[at + 3u * columns];
    }
    stream[row * columns + column] += sum;
}
