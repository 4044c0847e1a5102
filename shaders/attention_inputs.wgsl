// The first half of attend as a kernel of its own: RMSNorm, query, key and value projections,
// rotary positions, and the append to the caches. For adapters on which waiting inside a
// workgroup costs more than a dispatch, which are the software ones.
//
// Bindings as of attend; mixed receives the queries.
//
// One invocation per four columns in the first half of a head, with their partners in the
// second half, of ROWS rows. Twin: crates/kernels/src/cpu/attention_inputs.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> rotary: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> values: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> mixed: array<vec4<f32>>;

//#import columns
//#import rows
//#import rotary

fn rotation(at: u32) -> vec2<f32> {
    return rotary[at];
}

fn put(head: u32, four: u32, row: u32, low: vec4<f32>, high: vec4<f32>, squares: f32) {
    if row < pass_.rows {
        let factor = norm_factor(squares, pass_.input_size, pass_.epsilon);
        let position = row_position(pass_, state[0], row);
        put_inputs(head, four, row, position, low * factor, high * factor);
    }
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let half = pass_.head_dim / 8u;
    let head = id.x / half;
    let four = id.x % half;
    if head >= pass_.heads + 2u * pass_.kv_heads {
        return;
    }
    let first_row = id.y * ROWS;
    let column = head * 2u * half + four;
    let start = panel_start(column, pass_.input_size);
    let partners = panel_start(column + half, pass_.input_size);
    let vectors = pass_.input_size / 4u;
    let sums = eight_columns(first_row, pass_.rows - 1u, start, partners, vectors);
    put(head, four, first_row + $u, sums.low_$, sums.high_$, sums.squares_$);
}
