// Where a projection of attention goes: queries into `mixed`, keys and values into the caches,
// queries and keys turned by their position. After `keys`, `values` and `mixed` as attend declares
// them, and a function `rotation(at)`, which gives cosine and sine out of the table of all positions.
// Source: Su et al. 2021 (RoFormer).

// Puts four columns of the first half of a head, and their partners in the second half, where they
// belong. `head` counts the queries' heads, then the keys', then the values'; `four` counts the
// half's columns in fours. Of a row before the text's beginning nothing is kept.
fn put_inputs(head: u32, four: u32, row: u32, position: i32, low: vec4<f32>, high: vec4<f32>) {
    if position < 0 {
        return;
    }
    let half = pass_.head_dim / 8u;
    let kv_head = (head - pass_.heads) % pass_.kv_heads;
    let cached = (kv_head * pass_.capacity + u32(position)) * 2u * half + four;
    if head >= pass_.heads + pass_.kv_heads {
        values[cached] = low;
        values[cached + half] = high;
        return;
    }
    let angle = u32(position) * 4u * half + 4u * four;
    let first = rotation(angle);
    let second = rotation(angle + 1u);
    let third = rotation(angle + 2u);
    let fourth = rotation(angle + 3u);
    let cosines = vec4<f32>(first.x, second.x, third.x, fourth.x);
    let sines = vec4<f32>(first.y, second.y, third.y, fourth.y);
    let turned_low = low * cosines - high * sines;
    let turned_high = high * cosines + low * sines;
    if head < pass_.heads {
        let base = (row * pass_.heads + head) * 2u * half + four;
        mixed[base] = turned_low;
        mixed[base + half] = turned_high;
    } else {
        keys[cached] = turned_low;
        keys[cached + half] = turned_high;
    }
}
