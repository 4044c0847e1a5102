// Looks up the embedding of each row's token.
//
// tokens   (capacity)         token ids of the text, drafted ones included
// state    (1)                committed length
// table    (vocab, hidden/4)  embedding table
// stream   (rows, hidden/4)   residual stream, written
//
// One invocation per four numbers of one row. Twin: crates/kernels/src/cpu/embed.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> stream: array<vec4<f32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let columns = pass_.output_size / 4u;
    let column = id.x;
    let row = id.y;
    let position = row_position(pass_, state[0], row);
    if column >= columns || position < 0 {
        return;
    }
    stream[row * columns + column] = table[tokens[position] * columns + column];
}
