// Final RMSNorm and output layer. The norm's gains are folded into the table.
//
// state    (1)                         committed length
// inputs   (rows, hidden/4)            residual stream, read from source_row on
// weights  (panels, hidden, 4)         output table, a column for every token
// logits   (rows, vocab)               written from row 0 on
//
// One invocation per four tokens of ROWS rows. Twin: crates/kernels/src/cpu/logits.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;

//#import columns
//#import rows

fn put(row: u32, token: u32, sum: vec4<f32>, squares: f32) {
    if row >= pass_.rows || row_position(pass_, state[0], pass_.source_row + row) < 0 {
        return;
    }
    let four = sum * norm_factor(squares, pass_.input_size, pass_.epsilon);
    for (var i = 0u; i < min(4u, pass_.vocab - token); i++) {
        logits[row * pass_.vocab + token + i] = four[i];
    }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let token = 4u * id.x;
    let first_row = id.y * ROWS;
    if token >= pass_.vocab {
        return;
    }
    let first_source = pass_.source_row + first_row;
    let last_source = end_row(pass_) - 1u;
    let start = panel_start(id.x, pass_.input_size);
    let sums = four_columns(first_source, last_source, start, pass_.input_size / 4u);
    put(first_row + $u, token, sums.sum_$, sums.squares_$);
}
