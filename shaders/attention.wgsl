// The second half of attend as a kernel of its own: causal attention of each row over all
// positions up to its own.
//
// state     (1)                                 committed length
// keys      (kv_heads, capacity, head_dim/4)
// values    (kv_heads, capacity, head_dim/4)
// mixed     (rows, heads, head_dim/4)           the queries; overwritten
//
// One invocation per head of ROWS rows, so that each key and each value is read once for them; a
// line with a dollar sign stands for a line for each row. Positions are visited in order, and in
// the same blocks, whatever the number of rows.
// Twin: crates/kernels/src/cpu/attention.rs.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax".
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> mixed: array<vec4<f32>>;

//#import columns
//#import attend_over

// Positions whose scores are kept until the largest of them is known: the sums so far are then made
// relative to it, once a block instead of at every position.
const BLOCK: i32 = 64;

@compute @workgroup_size(3)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let head = id.x;
    let first_row = pass_.source_row + id.y * ROWS;
    if head >= pass_.heads {
        return;
    }
    let kv_head = head / (pass_.heads / pass_.kv_heads);
    if pass_.head_dim == 4u * EIGHT_VECTORS {
        attend_rows(head, kv_head, first_row);
        return;
    }
    for (var row = first_row; row < min(first_row + ROWS, end_row(pass_)); row++) {
        let position = row_position(pass_, state[0], row);
        if position >= 0 {
            let query = (row * pass_.heads + head) * pass_.head_dim / 4u;
            attend_over(kv_head, query, 0u, u32(position), 1u, query);
        }
    }
}

fn keep(at: u32, sum: vec4<f32>, total: f32) {
    mixed[at] = sum / total;
}

// One head of eight vectors for ROWS rows.
fn attend_rows(head: u32, kv_head: u32, first_row: u32) {
    let last_row = end_row(pass_) - 1u;
    let scale = 1.0 / sqrt(f32(pass_.head_dim));
    let row_$ = min(first_row + $u, last_row);
    let position_$ = row_position(pass_, state[0], row_$);
    let query_$ = (row_$ * pass_.heads + head) * EIGHT_VECTORS;
    let last = row_position(pass_, state[0], min(first_row + ROWS - 1u, last_row));
    let query_0_$ = mixed[query_$] * scale;
    let query_1_$ = mixed[query_$ + 1u] * scale;
    let query_2_$ = mixed[query_$ + 2u] * scale;
    let query_3_$ = mixed[query_$ + 3u] * scale;
    let query_4_$ = mixed[query_$ + 4u] * scale;
    let query_5_$ = mixed[query_$ + 5u] * scale;
    let query_6_$ = mixed[query_$ + 6u] * scale;
    let query_7_$ = mixed[query_$ + 7u] * scale;
    var sum_0_$ = vec4<f32>(0.0);
    var sum_1_$ = vec4<f32>(0.0);
    var sum_2_$ = vec4<f32>(0.0);
    var sum_3_$ = vec4<f32>(0.0);
    var sum_4_$ = vec4<f32>(0.0);
    var sum_5_$ = vec4<f32>(0.0);
    var sum_6_$ = vec4<f32>(0.0);
    var sum_7_$ = vec4<f32>(0.0);
    var scores_$: array<f32, BLOCK>;
    var largest_$ = NO_SCORE;
    var total_$ = 0.0;
    var base = kv_head * pass_.capacity * EIGHT_VECTORS;
    for (var first = 0; first <= last; first += BLOCK) {
        let count = min(BLOCK, last + 1 - first);
        let before_$ = largest_$;
        for (var i = 0; i < count; i++) {
            let at = base + u32(i) * EIGHT_VECTORS;
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
            // What comes after a row weighs nothing.
            let score_$ = select(NO_SCORE, sum_of(products_$), first + i <= position_$);
            largest_$ = max(largest_$, score_$);
            scores_$[i] = score_$;
        }
        // Where the largest stays, so do the sums, to the bit: exp(0) may not be 1.
        let shrink_$ = select(exp(before_$ - largest_$), 1.0, before_$ == largest_$);
        total_$ *= shrink_$;
        sum_0_$ *= shrink_$;
        sum_1_$ *= shrink_$;
        sum_2_$ *= shrink_$;
        sum_3_$ *= shrink_$;
        sum_4_$ *= shrink_$;
        sum_5_$ *= shrink_$;
        sum_6_$ *= shrink_$;
        sum_7_$ *= shrink_$;
        for (var i = 0; i < count; i++) {
            let at = base + u32(i) * EIGHT_VECTORS;
            let weight_$ = exp(scores_$[i] - largest_$);
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
        }
        base += u32(BLOCK) * EIGHT_VECTORS;
    }
    let exists_$ = first_row + $u < end_row(pass_) && position_$ >= 0;
    if exists_$ { keep(query_$, sum_0_$, total_$); }
    if exists_$ { keep(query_$ + 1u, sum_1_$, total_$); }
    if exists_$ { keep(query_$ + 2u, sum_2_$, total_$); }
    if exists_$ { keep(query_$ + 3u, sum_3_$, total_$); }
    if exists_$ { keep(query_$ + 4u, sum_4_$, total_$); }
    if exists_$ { keep(query_$ + 5u, sum_5_$, total_$); }
    if exists_$ { keep(query_$ + 6u, sum_6_$, total_$); }
    if exists_$ { keep(query_$ + 7u, sum_7_$, total_$); }
}
