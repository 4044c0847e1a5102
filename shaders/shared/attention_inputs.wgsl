// Query, key and value projections of up to four rows, with their rotary positions, and where
// they go. After rows, and with `rotary`, `keys`, `values` and `mixed` as attend declares them.
// Source: Su et al. 2021 (RoFormer).

// Projects four columns of the first half of a head and their partners in the second half, and
// puts them where they belong.
// `head` counts the queries' heads, then the keys', then the values'.
fn project(head: u32, lane: u32, first_row: u32) {
    let half = pass_.head_dim / 8u;
    let is_query = head < pass_.heads;
    let is_value = head >= pass_.heads + pass_.kv_heads;
    let kv_head = (head - pass_.heads) % pass_.kv_heads;
    let vectors = pass_.input_size / 4u;
    let count = min(ROWS_TOGETHER, pass_.rows - first_row);
    let column = head * 2u * half + lane;
    let start = panel_start(column, pass_.input_size);
    let partners = panel_start(column + half, pass_.input_size);
    let sums = eight_columns(first_row, count, start, partners, vectors);
    let factors = norm_factors(sums.low.squares, pass_.input_size, pass_.epsilon);
    for (var row = 0u; row < count; row++) {
        let position = row_position(pass_, state[0], first_row + row);
        if position < 0 {
            continue;
        }
        let low = row_of(sums.low, row) * factors[row];
        let high = row_of(sums.high, row) * factors[row];
        let cached = (kv_head * pass_.capacity + u32(position)) * 2u * half + lane;
        if is_value {
            values[cached] = low;
            values[cached + half] = high;
            continue;
        }
        let angle = u32(position) * 4u * half + 4u * lane;
        let one = rotary[angle];
        let two = rotary[angle + 1u];
        let three = rotary[angle + 2u];
        let four = rotary[angle + 3u];
        let cosines = vec4<f32>(one.x, two.x, three.x, four.x);
        let sines = vec4<f32>(one.y, two.y, three.y, four.y);
        let turned_low = low * cosines - high * sines;
        let turned_high = high * cosines + low * sines;
        if is_query {
            let base = ((first_row + row) * pass_.heads + head) * 2u * half + lane;
            mixed[base] = turned_low;
            mixed[base + half] = turned_high;
        } else {
            keys[cached] = turned_low;
            keys[cached + half] = turned_high;
        }
    }
}
