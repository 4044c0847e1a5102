// Attention of one head of one row over some of the positions before it, in one pass with a running
// maximum. Before this, a kernel declares `keys`, `values` and `mixed` as array<vec4<f32>> and
// `pass_`, and how a weighted sum is kept: `keep(at, sum, total)`.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax".

// Heads are at most 128 wide.
const MAX_VECTORS: u32 = 32u;
// Below every score.
const NO_SCORE: f32 = -1e30;

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
    var largest = NO_SCORE;
    var total = 0.0;
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
