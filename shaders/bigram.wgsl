// Looks up the logits that follow each row's token in a table of which token follows which.
//
// tokens   (capacity)       token ids of the text, drafted ones included
// state    (1)              committed length
// table    (vocab, vocab)   logits by the token before
// logits   (rows, vocab)    written
//
// One invocation per token of the vocabulary in x, one row in y.
// Twin: crates/kernels/src/cpu/bigram.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<f32>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let position = row_position(pass_, state[0], id.y);
    if id.x >= pass_.vocab || position < 0 {
        return;
    }
    logits[id.y * pass_.vocab + id.x] = table[tokens[position] * pass_.vocab + id.x];
}
