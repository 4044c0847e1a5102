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

// The activation x / (1 + e^-x). Where the exponential would leave the range of numbers, of which
// WGSL says nothing, it is as good as 0 already.
// Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2 (SiLU).
fn silu(x: vec4<f32>) -> vec4<f32> {
    return x / (1.0 + exp(min(-x, vec4<f32>(88.0))));
}
