// Attention as in attention.wgsl, for heads of any width.
//
// state     (1)                                 committed length
// keys      (kv_heads, capacity, head_dim/4)
// values    (kv_heads, capacity, head_dim/4)
// mixed     (rows, heads, head_dim/4)           the queries; overwritten
//
// One invocation per head of one row; positions are visited in order whatever the number of
// rows. Twin: crates/kernels/src/cpu/attention_any.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> mixed: array<vec4<f32>>;

//#import attend_over

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let head = id.x;
    let row = pass_.source_row + id.y;
    let position = row_position(pass_, state[0], row);
    if head >= pass_.heads || row >= end_row(pass_) || position < 0 {
        return;
    }
    let kv_head = head / (pass_.heads / pass_.kv_heads);
    let query = (row * pass_.heads + head) * pass_.head_dim / 4u;
    attend_over(kv_head, query, 0u, u32(position), 1u, query);
}

fn keep(at: u32, sum: vec4<f32>, total: f32) {
    mixed[at] = sum / total;
}
