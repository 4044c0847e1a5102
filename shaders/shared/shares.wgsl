// Up to four rows of `inputs` times four columns of `weights`, the inputs shared out to several
// invocations. Which inputs belong to which part, and the order in which parts are added, do not
// depend on the number of rows. After columns and halves; before this, a kernel declares
//
// inputs    array<vec4<f32>>   (rows, input_size/4)
// gains     array<vec4<f32>>   (input_size/4)   what each input is multiplied with first: the gains
//                              of the norm before, and the weights' common factor

const ROWS_TOGETHER: u32 = 4u;

// Sums of four columns for each of four rows; rows beyond the count repeat the last one.
struct FourColumns {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
    // Sums of the squares of the rows' inputs, before the gains.
    squares: vec4<f32>,
}

// Every `parts`-th four inputs from `part` on; `vectors` is the number of inputs in fours.
fn share_of(first_row: u32, count: u32, start: u32, vectors: u32, part: u32, parts: u32) -> FourColumns {
    let last = first_row + count - 1u;
    let row_a = first_row * vectors;
    let row_b = min(first_row + 1u, last) * vectors;
    let row_c = min(first_row + 2u, last) * vectors;
    let row_d = min(first_row + 3u, last) * vectors;
    var a = vec4<f32>(0.0);
    var b = vec4<f32>(0.0);
    var c = vec4<f32>(0.0);
    var d = vec4<f32>(0.0);
    var squares_a = vec4<f32>(0.0);
    var squares_b = vec4<f32>(0.0);
    var squares_c = vec4<f32>(0.0);
    var squares_d = vec4<f32>(0.0);
    for (var i = part; i < vectors; i += parts) {
        let at = start + 16u * i;
        let x = four_weights(at);
        let y = four_weights(at + 4u);
        let z = four_weights(at + 8u);
        let w = four_weights(at + 12u);
        let input_a = inputs[row_a + i];
        let input_b = inputs[row_b + i];
        let input_c = inputs[row_c + i];
        let input_d = inputs[row_d + i];
        squares_a += input_a * input_a;
        squares_b += input_b * input_b;
        squares_c += input_c * input_c;
        squares_d += input_d * input_d;
        let gain = gains[i];
        let x_a = input_a * gain;
        let x_b = input_b * gain;
        let x_c = input_c * gain;
        let x_d = input_d * gain;
        a += x_a.x * x;
        b += x_b.x * x;
        c += x_c.x * x;
        d += x_d.x * x;
        a += x_a.y * y;
        b += x_b.y * y;
        c += x_c.y * y;
        d += x_d.y * y;
        a += x_a.z * z;
        b += x_b.z * z;
        c += x_c.z * z;
        d += x_d.z * z;
        a += x_a.w * w;
        b += x_b.w * w;
        c += x_c.w * w;
        d += x_d.w * w;
    }
    let squares = vec4<f32>(sum_of(squares_a), sum_of(squares_b), sum_of(squares_c), sum_of(squares_d));
    return FourColumns(a, b, c, d, squares);
}
