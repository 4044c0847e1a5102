// Final RMSNorm and output layer. The norm's gains are folded into the table.
//
// state    (1)                         committed length
// inputs   (rows, hidden/4)            residual stream, read from source_row on
// weights  (panels, hidden, 4)         output table, a column for every token
// logits   (rows, vocab)               written from row 0 on
//
// One invocation per four tokens of four rows. Twin: crates/kernels/src/cpu/logits.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;

//#import columns
//#import rows

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let token = 4u * id.x;
    let first_row = id.y * ROWS_TOGETHER;
    if token >= pass_.vocab {
        return;
    }
    let count = min(ROWS_TOGETHER, pass_.rows - first_row);
    let first_source = first_row + pass_.source_row;
    let start = panel_start(id.x, pass_.input_size);
    let sums = four_columns(first_source, count, start, pass_.input_size / 4u);
    let factors = norm_factors(sums.squares, pass_.input_size, pass_.epsilon);
    for (var row = 0u; row < count; row++) {
        if row_position(pass_, state[0], first_source + row) < 0 {
            continue;
        }
        let four = row_of(sums, row) * factors[row];
        for (var i = 0u; i < min(4u, pass_.vocab - token); i++) {
            logits[(first_row + row) * pass_.vocab + token + i] = four[i];
        }
    }
}
