// What both ways of multiplying rows with `weights` share: in rows one invocation adds up all inputs,
// in shares several add up a part each.
//
// weights   (panels, input_size, 4)   panels of 16 columns, four numbers in each place;
//                                     crates/kernels/src/panels.rs

// Where four columns begin in the weights; `column` counts in fours.
fn panel_start(column: u32, input_size: u32) -> u32 {
    return (column / 4u) * input_size * 4u + column % 4u;
}

fn sum_of(x: vec4<f32>) -> f32 {
    return x.x + x.y + x.z + x.w;
}

// The factor of RMSNorm from the sum of a row's squares.
fn norm_factor(squares: f32, input_size: u32, epsilon: f32) -> f32 {
    return inverseSqrt(squares / f32(input_size) + epsilon);
}
