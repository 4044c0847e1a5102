// Weights in 16 bits. Before this, a kernel declares
//
// weights   array<vec2<u32>>   four numbers of 16 bits each, in panels
//
// Source of the numbers: crates/kernels/src/halves.rs.

fn four_weights(at: u32) -> vec4<f32> {
    let four = weights[at];
    return vec4<f32>(unpack2x16float(four.x), unpack2x16float(four.y));
}
