// The second half of attend as a kernel of its own: causal attention of each row over all
// positions up to its own, in one pass with a running maximum.
//
// state     (1)                                 committed length
// keys      (kv_heads, capacity, head_dim/4)
// values    (kv_heads, capacity, head_dim/4)
// mixed     (rows, heads, head_dim/4)           the queries; overwritten
//
// One invocation per head of one row; positions are visited in order whatever the number of
// rows. Twin: crates/kernels/src/cpu/attention.rs.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax".
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> mixed: array<vec4<f32>>;

// Heads are at most 128 wide.
const MAX_LANES: u32 = 32u;
// Heads of this width are common, and their numbers fit into registers.
const EIGHT_LANES: u32 = 8u;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let head = id.x % pass_.heads;
    let row = id.x / pass_.heads;
    let position = row_position(pass_, state[0], row);
    if row >= pass_.rows || position < 0 {
        return;
    }
    let lanes = pass_.head_dim / 4u;
    let kv_head = head / (pass_.heads / pass_.kv_heads);
    let query_base = (row * pass_.heads + head) * lanes;
    let scale = 1.0 / sqrt(f32(pass_.head_dim));
    if lanes == EIGHT_LANES {
        let query_0 = mixed[query_base] * scale;
        let query_1 = mixed[query_base + 1u] * scale;
        let query_2 = mixed[query_base + 2u] * scale;
        let query_3 = mixed[query_base + 3u] * scale;
        let query_4 = mixed[query_base + 4u] * scale;
        let query_5 = mixed[query_base + 5u] * scale;
        let query_6 = mixed[query_base + 6u] * scale;
        let query_7 = mixed[query_base + 7u] * scale;
        var sum_0 = vec4<f32>(0.0);
        var sum_1 = vec4<f32>(0.0);
        var sum_2 = vec4<f32>(0.0);
        var sum_3 = vec4<f32>(0.0);
        var sum_4 = vec4<f32>(0.0);
        var sum_5 = vec4<f32>(0.0);
        var sum_6 = vec4<f32>(0.0);
        var sum_7 = vec4<f32>(0.0);
        var largest = -1e30;
        var total = 0.0;
        for (var past = 0u; past <= u32(position); past++) {
            let base = (kv_head * pass_.capacity + past) * EIGHT_LANES;
            var products = query_0 * keys[base];
            products += query_1 * keys[base + 1u];
            products += query_2 * keys[base + 2u];
            products += query_3 * keys[base + 3u];
            products += query_4 * keys[base + 4u];
            products += query_5 * keys[base + 5u];
            products += query_6 * keys[base + 6u];
            products += query_7 * keys[base + 7u];
            let score = products.x + products.y + products.z + products.w;
            let larger = max(largest, score);
            let shrink = exp(largest - larger);
            let weight = exp(score - larger);
            largest = larger;
            total = total * shrink + weight;
            sum_0 = sum_0 * shrink + weight * values[base];
            sum_1 = sum_1 * shrink + weight * values[base + 1u];
            sum_2 = sum_2 * shrink + weight * values[base + 2u];
            sum_3 = sum_3 * shrink + weight * values[base + 3u];
            sum_4 = sum_4 * shrink + weight * values[base + 4u];
            sum_5 = sum_5 * shrink + weight * values[base + 5u];
            sum_6 = sum_6 * shrink + weight * values[base + 6u];
            sum_7 = sum_7 * shrink + weight * values[base + 7u];
        }
        mixed[query_base] = sum_0 / total;
        mixed[query_base + 1u] = sum_1 / total;
        mixed[query_base + 2u] = sum_2 / total;
        mixed[query_base + 3u] = sum_3 / total;
        mixed[query_base + 4u] = sum_4 / total;
        mixed[query_base + 5u] = sum_5 / total;
        mixed[query_base + 6u] = sum_6 / total;
        mixed[query_base + 7u] = sum_7 / total;
        return;
    }
    var query: array<vec4<f32>, MAX_LANES>;
    var sum: array<vec4<f32>, MAX_LANES>;
    for (var lane = 0u; lane < lanes; lane++) {
        query[lane] = mixed[query_base + lane] * scale;
        sum[lane] = vec4<f32>(0.0);
    }
    var largest = -1e30;
    var total = 0.0;
    for (var past = 0u; past <= u32(position); past++) {
        let base = (kv_head * pass_.capacity + past) * lanes;
        var products = vec4<f32>(0.0);
        for (var lane = 0u; lane < lanes; lane++) {
            products += query[lane] * keys[base + lane];
        }
        let score = products.x + products.y + products.z + products.w;
        if score > largest {
            let shrink = exp(largest - score);
            total *= shrink;
            for (var lane = 0u; lane < lanes; lane++) {
                sum[lane] *= shrink;
            }
            largest = score;
        }
        let weight = exp(score - largest);
        total += weight;
        for (var lane = 0u; lane < lanes; lane++) {
            sum[lane] += weight * values[base + lane];
        }
    }
    for (var lane = 0u; lane < lanes; lane++) {
        mixed[query_base + lane] = sum[lane] / total;
    }
}
