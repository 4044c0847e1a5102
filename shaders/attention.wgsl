// The second half of attend as a kernel of its own: causal attention of each row over all
// positions up to its own, for heads of 32. Other heads have attention_any.
//
// state     (1)                              committed length
// keys      (kv_heads, capacity, 8)
// values    (kv_heads, capacity, 8)
// mixed     (rows, heads, 8)                 the queries; overwritten
// scores    (rows, heads, capacity)          what one loop leaves for the next
//
// One invocation per head of ROWS rows, so that each key and each value is read once for them; a
// line with a dollar sign stands for a line for each row. Positions are visited in order whatever
// the number of rows; those after a row's own weigh nothing.
// Twin: crates/kernels/src/cpu/attention.rs, which keeps its scores to itself.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> mixed: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;

//#import columns

// Vectors of a head: `COMMON_HEAD_DIM` in crates/kernels/src/lib.rs. They have names instead of
// indices, since adapters made of software take long to find a number by its index.
const VECTORS: u32 = 8u;
// Below every score.
const NO_SCORE: f32 = -1e30;

fn put(first: u32, vector: u32, exists: bool, sum: vec4<f32>) {
    if exists {
        mixed[first + vector] = sum;
    }
}

@compute @workgroup_size(3)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let head = id.x;
    if head >= pass_.heads {
        return;
    }
    let first_row = pass_.source_row + id.y * ROWS;
    let last_row = end_row(pass_) - 1u;
    let row_$ = min(first_row + $u, last_row);
    let position_$ = row_position(pass_, state[0], row_$);
    let exists_$ = first_row + $u <= last_row && position_$ >= 0;
    let place_$ = (row_$ * pass_.heads + head) * VECTORS;
    let score_place_$ = (row_$ * pass_.heads + head) * pass_.capacity;
    let last = row_position(pass_, state[0], min(first_row + ROWS - 1u, last_row));
    let first = head / (pass_.heads / pass_.kv_heads) * pass_.capacity * VECTORS;

    let scale = 1.0 / sqrt(f32(pass_.head_dim));
    let query_0_$ = mixed[place_$] * scale;
    let query_1_$ = mixed[place_$ + 1u] * scale;
    let query_2_$ = mixed[place_$ + 2u] * scale;
    let query_3_$ = mixed[place_$ + 3u] * scale;
    let query_4_$ = mixed[place_$ + 4u] * scale;
    let query_5_$ = mixed[place_$ + 5u] * scale;
    let query_6_$ = mixed[place_$ + 6u] * scale;
    let query_7_$ = mixed[place_$ + 7u] * scale;
    var largest_$ = NO_SCORE;
    var at = first;
    for (var past = 0; past <= last; past++) {
        let key_0 = keys[at];
        var products_$ = query_0_$ * key_0;
        let key_1 = keys[at + 1u];
        products_$ += query_1_$ * key_1;
        let key_2 = keys[at + 2u];
        products_$ += query_2_$ * key_2;
        let key_3 = keys[at + 3u];
        products_$ += query_3_$ * key_3;
        let key_4 = keys[at + 4u];
        products_$ += query_4_$ * key_4;
        let key_5 = keys[at + 5u];
        products_$ += query_5_$ * key_5;
        let key_6 = keys[at + 6u];
        products_$ += query_6_$ * key_6;
        let key_7 = keys[at + 7u];
        products_$ += query_7_$ * key_7;
        let score_$ = select(NO_SCORE, sum_of(products_$), past <= position_$);
        scores[score_place_$ + u32(past)] = score_$;
        largest_$ = max(largest_$, score_$);
        at += VECTORS;
    }

    var total_$ = 0.0;
    var sum_0_$ = vec4<f32>(0.0);
    var sum_1_$ = vec4<f32>(0.0);
    var sum_2_$ = vec4<f32>(0.0);
    var sum_3_$ = vec4<f32>(0.0);
    var sum_4_$ = vec4<f32>(0.0);
    var sum_5_$ = vec4<f32>(0.0);
    var sum_6_$ = vec4<f32>(0.0);
    var sum_7_$ = vec4<f32>(0.0);
    at = first;
    for (var past = 0; past <= last; past++) {
        let weight_$ = exp(scores[score_place_$ + u32(past)] - largest_$);
        total_$ += weight_$;
        let value_0 = values[at];
        sum_0_$ += weight_$ * value_0;
        let value_1 = values[at + 1u];
        sum_1_$ += weight_$ * value_1;
        let value_2 = values[at + 2u];
        sum_2_$ += weight_$ * value_2;
        let value_3 = values[at + 3u];
        sum_3_$ += weight_$ * value_3;
        let value_4 = values[at + 4u];
        sum_4_$ += weight_$ * value_4;
        let value_5 = values[at + 5u];
        sum_5_$ += weight_$ * value_5;
        let value_6 = values[at + 6u];
        sum_6_$ += weight_$ * value_6;
        let value_7 = values[at + 7u];
        sum_7_$ += weight_$ * value_7;
        at += VECTORS;
    }
    put(place_$, 0u, exists_$, sum_0_$ / total_$);
    put(place_$, 1u, exists_$, sum_1_$ / total_$);
    put(place_$, 2u, exists_$, sum_2_$ / total_$);
    put(place_$, 3u, exists_$, sum_3_$ / total_$);
    put(place_$, 4u, exists_$, sum_4_$ / total_$);
    put(place_$, 5u, exists_$, sum_5_$ / total_$);
    put(place_$, 6u, exists_$, sum_6_$ / total_$);
    put(place_$, 7u, exists_$, sum_7_$ / total_$);
}
