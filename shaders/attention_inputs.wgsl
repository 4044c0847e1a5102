// RMSNorm, query, key and value projections, rotary positions, and the append to the caches.
// The norm's gains are folded into the weights, so the norm is one factor per row.
//
// state     (1)                          committed length
// stream    (rows, hidden/4)             residual stream
// weights   (hidden, (heads + 2 kv_heads) head_dim / 4)
//                                        query, key and value columns side by side
// rotary    (capacity, head_dim/2)       (cos, sin) of every position and frequency
// queries   (rows, heads head_dim / 4)   written
// keys      (capacity, kv_heads head_dim / 4)   written at the rows' positions
// values    (capacity, kv_heads head_dim / 4)   written at the rows' positions
//
// One invocation per four columns in the first half of a head, with their partners in the
// second half, of one row. A row is reduced in column order whatever the number of rows.
// Twin: crates/kernels/src/cpu/attention_inputs.rs. Source: Su et al. 2021 (RoFormer).
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> stream: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> rotary: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> queries: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> keys: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> values: array<vec4<f32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let half = pass_.head_dim / 8u;
    let head = id.x / half;
    let lane = id.x % half;
    let row = id.y;
    let position = row_position(pass_, state[0], row);
    if head >= pass_.heads + 2u * pass_.kv_heads || position < 0 {
        return;
    }
    let inputs = pass_.input_size / 4u;
    let columns = pass_.output_size / 4u;
    let low_column = head * 2u * half + lane;
    var low = vec4<f32>(0.0);
    var high = vec4<f32>(0.0);
    var squares = vec4<f32>(0.0);
    for (var i = 0u; i < inputs; i++) {
        let x = stream[row * inputs + i];
        squares += x * x;
        let at = 4u * i * columns + low_column;
        low += x.x * weights[at];
        high += x.x * weights[at + half];
        low += x.y * weights[at + columns];
        high += x.y * weights[at + columns + half];
        low += x.z * weights[at + 2u * columns];
        high += x.z * weights[at + 2u * columns + half];
        low += x.w * weights[at + 3u * columns];
        high += x.w * weights[at + 3u * columns + half];
    }
    let mean = (squares.x + squares.y + squares.z + squares.w) / f32(pass_.input_size);
    let factor = inverseSqrt(mean + pass_.epsilon);
    low *= factor;
    high *= factor;

    let at_position = u32(position);
    if head >= pass_.heads + pass_.kv_heads {
        let kv_head = head - pass_.heads - pass_.kv_heads;
        let base = (at_position * pass_.kv_heads + kv_head) * 2u * half + lane;
        values[base] = low;
        values[base + half] = high;
        return;
    }
    let angle = at_position * 4u * half + 4u * lane;
    let cosines = vec4<f32>(rotary[angle].x, rotary[angle + 1u].x, rotary[angle + 2u].x, rotary[angle + 3u].x);
    let sines = vec4<f32>(rotary[angle].y, rotary[angle + 1u].y, rotary[angle + 2u].y, rotary[angle + 3u].y);
    let turned_low = low * cosines - high * sines;
    let turned_high = high * cosines + low * sines;
    if head < pass_.heads {
        let base = (row * pass_.heads + head) * 2u * half + lane;
        queries[base] = turned_low;
        queries[base + half] = turned_high;
    } else {
        let base = (at_position * pass_.kv_heads + head - pass_.heads) * 2u * half + lane;
        keys[base] = turned_low;
        keys[base + half] = turned_high;
    }
}
