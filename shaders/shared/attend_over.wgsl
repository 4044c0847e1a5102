// Attention of one head of one row over some of the positions before it, in one pass with a running
// maximum. Before this, a kernel declares `keys`, `values` and `mixed` as array<vec4<f32>> and
// `pass_`, and how a weighted sum is kept: `keep(at, sum, total)`.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax".

// Heads are at most 128 wide.
const MAX_VECTORS: u32 = 32u;
// Heads of this width are common, and their numbers fit into registers.
const EIGHT_VECTORS: u32 = 8u;

// What the weighted sums are relative to: the largest score, and the sum of all weights.
struct Weighed {
    largest: f32,
    total: f32,
}

// Looks at every `stride`-th position from `first` to `last` and keeps the sums at `place` and
// after it. `query` is the first vector of the query in `mixed`.
fn attend_over(kv_head: u32, query: u32, first: u32, last: u32, stride: u32, place: u32) -> Weighed {
    let vectors = pass_.head_dim / 4u;
    let scale = 1.0 / sqrt(f32(pass_.head_dim));
    var largest = -1e30;
    var total = 0.0;
    if vectors == EIGHT_VECTORS {
        let query_0 = mixed[query] * scale;
        let query_1 = mixed[query + 1u] * scale;
        let query_2 = mixed[query + 2u] * scale;
        let query_3 = mixed[query + 3u] * scale;
        let query_4 = mixed[query + 4u] * scale;
        let query_5 = mixed[query + 5u] * scale;
        let query_6 = mixed[query + 6u] * scale;
        let query_7 = mixed[query + 7u] * scale;
        var sum_0 = vec4<f32>(0.0);
        var sum_1 = vec4<f32>(0.0);
        var sum_2 = vec4<f32>(0.0);
        var sum_3 = vec4<f32>(0.0);
        var sum_4 = vec4<f32>(0.0);
        var sum_5 = vec4<f32>(0.0);
        var sum_6 = vec4<f32>(0.0);
        var sum_7 = vec4<f32>(0.0);
        for (var past = first; past <= last; past += stride) {
            let base = (kv_head * pass_.capacity + past) * EIGHT_VECTORS;
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
        keep(place, sum_0, total);
        keep(place + 1u, sum_1, total);
        keep(place + 2u, sum_2, total);
        keep(place + 3u, sum_3, total);
        keep(place + 4u, sum_4, total);
        keep(place + 5u, sum_5, total);
        keep(place + 6u, sum_6, total);
        keep(place + 7u, sum_7, total);
        return Weighed(largest, total);
    }
    var scaled: array<vec4<f32>, MAX_VECTORS>;
    var sum: array<vec4<f32>, MAX_VECTORS>;
    for (var i = 0u; i < vectors; i++) {
        scaled[i] = mixed[query + i] * scale;
        sum[i] = vec4<f32>(0.0);
    }
    for (var past = first; past <= last; past += stride) {
        let base = (kv_head * pass_.capacity + past) * vectors;
        var products = vec4<f32>(0.0);
        for (var i = 0u; i < vectors; i++) {
            products += scaled[i] * keys[base + i];
        }
        let score = products.x + products.y + products.z + products.w;
        if score > largest {
            let shrink = exp(largest - score);
            total *= shrink;
            for (var i = 0u; i < vectors; i++) {
                sum[i] *= shrink;
            }
            largest = score;
        }
        let weight = exp(score - largest);
        total += weight;
        for (var i = 0u; i < vectors; i++) {
            sum[i] += weight * values[base + i];
        }
    }
    for (var i = 0u; i < vectors; i++) {
        keep(place + i, sum[i], total);
    }
    return Weighed(largest, total);
}
