// ROWS rows of `inputs` times four or eight columns of `weights`. After columns; before this, a kernel
// declares both as array<vec4<f32>>. Each weight is read once for all rows, and every row is summed
// in the order of its inputs, alone or in company. Rows after `last_row` repeat it.
//
// A kernel that imports this is a template: it is built for every number of ROWS from 1 to 6, and a
// line with a dollar sign stands for a line for each row, numbered from 0. Adapters made of software
// go through every loop at least once, even where a condition forbids it, so there is one loop for
// the rows that there are instead of a choice between several.

struct FourColumns {
    sum_$: vec4<f32>,
    // Sums of the rows' squares.
    squares_$: f32,
}

struct EightColumns {
    low_$: vec4<f32>,
    high_$: vec4<f32>,
    squares_$: f32,
}

// `vectors` is the number of inputs in fours.
fn four_columns(first_row: u32, last_row: u32, start: u32, vectors: u32) -> FourColumns {
    let row_$ = min(first_row + $u, last_row) * vectors;
    var sum_$ = vec4<f32>(0.0);
    var squares_$ = vec4<f32>(0.0);
    var at = start;
    for (var i = 0u; i < vectors; i++) {
        let input_$ = inputs[row_$ + i];
        squares_$ += input_$ * input_$;
        let x = weights[at];
        sum_$ += input_$.x * x;
        let y = weights[at + 4u];
        sum_$ += input_$.y * y;
        let z = weights[at + 8u];
        sum_$ += input_$.z * z;
        let w = weights[at + 12u];
        sum_$ += input_$.w * w;
        at += 16u;
    }
    var columns: FourColumns;
    columns.sum_$ = sum_$;
    columns.squares_$ = sum_of(squares_$);
    return columns;
}

// Two times four columns, so that each input is read once for eight.
fn eight_columns(first_row: u32, last_row: u32, low_start: u32, high_start: u32, vectors: u32) -> EightColumns {
    let row_$ = min(first_row + $u, last_row) * vectors;
    var low_$ = vec4<f32>(0.0);
    var high_$ = vec4<f32>(0.0);
    var squares_$ = vec4<f32>(0.0);
    var low_at = low_start;
    var high_at = high_start;
    for (var i = 0u; i < vectors; i++) {
        let input_$ = inputs[row_$ + i];
        squares_$ += input_$ * input_$;
        let low_x = weights[low_at];
        low_$ += input_$.x * low_x;
        let low_y = weights[low_at + 4u];
        low_$ += input_$.y * low_y;
        let low_z = weights[low_at + 8u];
        low_$ += input_$.z * low_z;
        let low_w = weights[low_at + 12u];
        low_$ += input_$.w * low_w;
        low_at += 16u;
        let high_x = weights[high_at];
        high_$ += input_$.x * high_x;
        let high_y = weights[high_at + 4u];
        high_$ += input_$.y * high_y;
        let high_z = weights[high_at + 8u];
        high_$ += input_$.z * high_z;
        let high_w = weights[high_at + 12u];
        high_$ += input_$.w * high_w;
        high_at += 16u;
    }
    var columns: EightColumns;
    columns.low_$ = low_$;
    columns.high_$ = high_$;
    columns.squares_$ = sum_of(squares_$);
    return columns;
}
