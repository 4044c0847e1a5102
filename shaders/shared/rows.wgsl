// Up to four rows of `inputs` times four or eight columns of `weights`. After columns; before this,
// a kernel declares both as array<vec4<f32>>. Each weight is read once for all rows, and every row is
// summed in the order of its inputs, alone or in company.

struct EightColumns {
    low: FourColumns,
    high: FourColumns,
}

// `vectors` is the number of inputs in fours.
fn four_columns(first_row: u32, count: u32, start: u32, vectors: u32) -> FourColumns {
    let row_a = first_row * vectors;
    var at = start;
    var a = vec4<f32>(0.0);
    var squares_a = vec4<f32>(0.0);
    if count == 1u {
        for (var i = 0u; i < vectors; i++) {
            let x = inputs[row_a + i];
            squares_a += x * x;
            a += x.x * weights[at];
            a += x.y * weights[at + 4u];
            a += x.z * weights[at + 8u];
            a += x.w * weights[at + 12u];
            at += 16u;
        }
        let squares = vec4<f32>(sum_of(squares_a));
        return FourColumns(a, a, a, a, squares);
    }
    let last = first_row + count - 1u;
    let row_b = min(first_row + 1u, last) * vectors;
    let row_c = min(first_row + 2u, last) * vectors;
    let row_d = min(first_row + 3u, last) * vectors;
    var b = vec4<f32>(0.0);
    var c = vec4<f32>(0.0);
    var d = vec4<f32>(0.0);
    var squares_b = vec4<f32>(0.0);
    var squares_c = vec4<f32>(0.0);
    var squares_d = vec4<f32>(0.0);
    for (var i = 0u; i < vectors; i++) {
        let x_a = inputs[row_a + i];
        let x_b = inputs[row_b + i];
        let x_c = inputs[row_c + i];
        let x_d = inputs[row_d + i];
        squares_a += x_a * x_a;
        squares_b += x_b * x_b;
        squares_c += x_c * x_c;
        squares_d += x_d * x_d;
        let x = weights[at];
        a += x_a.x * x;
        b += x_b.x * x;
        c += x_c.x * x;
        d += x_d.x * x;
        let y = weights[at + 4u];
        a += x_a.y * y;
        b += x_b.y * y;
        c += x_c.y * y;
        d += x_d.y * y;
        let z = weights[at + 8u];
        a += x_a.z * z;
        b += x_b.z * z;
        c += x_c.z * z;
        d += x_d.z * z;
        let w = weights[at + 12u];
        a += x_a.w * w;
        b += x_b.w * w;
        c += x_c.w * w;
        d += x_d.w * w;
        at += 16u;
    }
    let squares = vec4<f32>(sum_of(squares_a), sum_of(squares_b), sum_of(squares_c), sum_of(squares_d));
    return FourColumns(a, b, c, d, squares);
}

// Two times four columns, so that each input is read once for eight.
fn eight_columns(first_row: u32, count: u32, low_start: u32, high_start: u32, vectors: u32) -> EightColumns {
    let row_a = first_row * vectors;
    var low_at = low_start;
    var low_a = vec4<f32>(0.0);
    var high_at = high_start;
    var high_a = vec4<f32>(0.0);
    var squares_a = vec4<f32>(0.0);
    if count == 1u {
        for (var i = 0u; i < vectors; i++) {
            let x = inputs[row_a + i];
            squares_a += x * x;
            low_a += x.x * weights[low_at];
            low_a += x.y * weights[low_at + 4u];
            low_a += x.z * weights[low_at + 8u];
            low_a += x.w * weights[low_at + 12u];
            low_at += 16u;
            high_a += x.x * weights[high_at];
            high_a += x.y * weights[high_at + 4u];
            high_a += x.z * weights[high_at + 8u];
            high_a += x.w * weights[high_at + 12u];
            high_at += 16u;
        }
        let squares = vec4<f32>(sum_of(squares_a));
        return EightColumns(
            FourColumns(low_a, low_a, low_a, low_a, squares),
            FourColumns(high_a, high_a, high_a, high_a, squares),
        );
    }
    let last = first_row + count - 1u;
    let row_b = min(first_row + 1u, last) * vectors;
    let row_c = min(first_row + 2u, last) * vectors;
    let row_d = min(first_row + 3u, last) * vectors;
    var low_b = vec4<f32>(0.0);
    var low_c = vec4<f32>(0.0);
    var low_d = vec4<f32>(0.0);
    var high_b = vec4<f32>(0.0);
    var high_c = vec4<f32>(0.0);
    var high_d = vec4<f32>(0.0);
    var squares_b = vec4<f32>(0.0);
    var squares_c = vec4<f32>(0.0);
    var squares_d = vec4<f32>(0.0);
    for (var i = 0u; i < vectors; i++) {
        let x_a = inputs[row_a + i];
        let x_b = inputs[row_b + i];
        let x_c = inputs[row_c + i];
        let x_d = inputs[row_d + i];
        squares_a += x_a * x_a;
        squares_b += x_b * x_b;
        squares_c += x_c * x_c;
        squares_d += x_d * x_d;
        let low_x = weights[low_at];
        low_a += x_a.x * low_x;
        low_b += x_b.x * low_x;
        low_c += x_c.x * low_x;
        low_d += x_d.x * low_x;
        let low_y = weights[low_at + 4u];
        low_a += x_a.y * low_y;
        low_b += x_b.y * low_y;
        low_c += x_c.y * low_y;
        low_d += x_d.y * low_y;
        let low_z = weights[low_at + 8u];
        low_a += x_a.z * low_z;
        low_b += x_b.z * low_z;
        low_c += x_c.z * low_z;
        low_d += x_d.z * low_z;
        let low_w = weights[low_at + 12u];
        low_a += x_a.w * low_w;
        low_b += x_b.w * low_w;
        low_c += x_c.w * low_w;
        low_d += x_d.w * low_w;
        low_at += 16u;
        let high_x = weights[high_at];
        high_a += x_a.x * high_x;
        high_b += x_b.x * high_x;
        high_c += x_c.x * high_x;
        high_d += x_d.x * high_x;
        let high_y = weights[high_at + 4u];
        high_a += x_a.y * high_y;
        high_b += x_b.y * high_y;
        high_c += x_c.y * high_y;
        high_d += x_d.y * high_y;
        let high_z = weights[high_at + 8u];
        high_a += x_a.z * high_z;
        high_b += x_b.z * high_z;
        high_c += x_c.z * high_z;
        high_d += x_d.z * high_z;
        let high_w = weights[high_at + 12u];
        high_a += x_a.w * high_w;
        high_b += x_b.w * high_w;
        high_c += x_c.w * high_w;
        high_d += x_d.w * high_w;
        high_at += 16u;
    }
    let squares = vec4<f32>(sum_of(squares_a), sum_of(squares_b), sum_of(squares_c), sum_of(squares_d));
    return EightColumns(
        FourColumns(low_a, low_b, low_c, low_d, squares),
        FourColumns(high_a, high_b, high_c, high_d, squares),
    );
}

fn row_of(columns: FourColumns, row: u32) -> vec4<f32> {
    switch row {
        case 0u: { return columns.a; }
        case 1u: { return columns.b; }
        case 2u: { return columns.c; }
        default: { return columns.d; }
    }
}

// The factor of RMSNorm for each of the rows.
fn norm_factors(squares: vec4<f32>, input_size: u32, epsilon: f32) -> vec4<f32> {
    return inverseSqrt(squares / f32(input_size) + epsilon);
}
