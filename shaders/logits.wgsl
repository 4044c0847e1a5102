// Final RMSNorm and output layer. The norm's gains are folded into the table.
//
// state    (1)                 committed length
// stream   (rows, hidden/4)    residual stream, read from source_row on
// table    (vocab, hidden/4)   output table
// logits   (rows, vocab)       written from row 0 on
//
// One invocation per token of one row. Twin: crates/kernels/src/cpu/logits.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> stream: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> table: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let token = id.x;
    let row = id.y;
    let source = row + pass_.source_row;
    if token >= pass_.vocab || row_position(pass_, state[0], source) < 0 {
        return;
    }
    let count = pass_.input_size / 4u;
    var products = vec4<f32>(0.0);
    var squares = vec4<f32>(0.0);
    for (var i = 0u; i < count; i++) {
        let x = stream[source * count + i];
        squares += x * x;
        products += x * table[token * count + i];
    }
    let mean = (squares.x + squares.y + squares.z + squares.w) / f32(pass_.input_size);
    let factor = inverseSqrt(mean + pass_.epsilon);
    logits[row * pass_.vocab + token] = (products.x + products.y + products.z + products.w) * factor;
}
