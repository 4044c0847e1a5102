// Attention of heads whose positions are shared out to sixteen invocations, and what those found put
// together in their order. After attend_over; before this, a kernel declares
//
// partial_sums      array<vec4<f32>>   for each of those invocations a head's vectors
// partial_largest   array<f32>         for each of them
// partial_total     array<f32>         for each of them

const HEAD_PARTS: u32 = 16u;

fn keep(at: u32, sum: vec4<f32>, total: f32) {
    partial_sums[at] = sum;
}

// Heads of this width are common, and their numbers fit into registers.
const EIGHT_VECTORS: u32 = 8u;

// attend_over for them.
fn attend_eight(kv_head: u32, query: u32, first: u32, last: u32, stride: u32, place: u32) -> Weighed {
    let scale = 1.0 / sqrt(f32(pass_.head_dim));
    var largest = NO_SCORE;
    var total = 0.0;
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

// Lets an invocation look at its positions, up to `last`, and keep what it finds.
fn attend_part(kv_head: u32, query: u32, last: u32, lane: u32) {
    let part = lane % HEAD_PARTS;
    let vectors = pass_.head_dim / 4u;
    var weighed: Weighed;
    if vectors == EIGHT_VECTORS {
        weighed = attend_eight(kv_head, query, part, last, HEAD_PARTS, lane * vectors);
    } else {
        weighed = attend_over(kv_head, query, part, last, HEAD_PARTS, lane * vectors);
    }
    partial_largest[lane] = weighed.largest;
    partial_total[lane] = weighed.total;
}

// One vector of the head that sixteen invocations have looked at, the first of them `16 * slot`.
fn head_from_parts(slot: u32, vector: u32) -> vec4<f32> {
    let vectors = pass_.head_dim / 4u;
    let parts = slot * HEAD_PARTS;
    var largest = NO_SCORE;
    for (var part = 0u; part < HEAD_PARTS; part++) {
        largest = max(largest, partial_largest[parts + part]);
    }
    var total = 0.0;
    var sum = vec4<f32>(0.0);
    for (var part = 0u; part < HEAD_PARTS; part++) {
        let shrink = exp(partial_largest[parts + part] - largest);
        total += shrink * partial_total[parts + part];
        sum += shrink * partial_sums[(parts + part) * vectors + vector];
    }
    return sum / total;
}
