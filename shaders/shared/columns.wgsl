// What both ways of multiplying rows with `weights` share: in rows one invocation adds up all inputs,
// in shares several add up a part each.
//
// weights   (panels, input_size, 4)   panels of 16 columns; crates/kernels/src/panels.rs

const ROWS_TOGETHER: u32 = 4u;

// Sums of four columns for each of four rows; rows beyond the count repeat the last one.
struct FourColumns {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
    // Sums of the rows' squares.
    squares: vec4<f32>,
}

// Where four columns begin in the weights; `column` counts in fours.
fn panel_start(column: u32, input_size: u32) -> u32 {
    return (column / 4u) * input_size * 4u + column % 4u;
}

fn sum_of(x: vec4<f32>) -> f32 {
    return x.x + x.y + x.z + x.w;
}
