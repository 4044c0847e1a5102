// Everything between the residual stream and the output projection of attention: RMSNorm,
// query, key and value projections, rotary positions, the append to the caches, and causal
// attention of each row over all positions up to its own.
//
// state     (1)                                  committed length
// inputs    (rows, hidden/4)                     residual stream
// weights   (panels, hidden, 4)                  query, key and value columns side by side, 16 bits
// rotary    (capacity, head_dim/2)               (cos, sin) of every position and frequency
// keys      (kv_heads, capacity, head_dim/4)     written at the rows' positions
// values    (kv_heads, capacity, head_dim/4)     written at the rows' positions
// mixed     (rows, heads, head_dim/4)            written; holds the queries on the way
// gains     (hidden/4)                           see shared/shares.wgsl
//
// One workgroup per key and value head: rows look at each other's keys through one cache, and
// the rows of one head are all in one workgroup, which can wait for its own writes. Inputs of the
// projections are shared out to eight parts and positions to sixteen, the latter each with a
// running maximum, and parts are put together in their order, whatever the number of rows.
// Twin: crates/kernels/src/cpu/attend.rs.
//#import pass

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> rotary: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> values: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> mixed: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> gains: array<vec4<f32>>;

//#import columns
//#import halves
//#import shares
//#import rotary
//#import attend_over
//#import attend_parts

const LANES: u32 = 128u;

// Four columns of the first half of a head, with their partners in the second half, of four rows
// are an item for 32 invocations: eight parts of four times four columns.
const ITEM_LANES: u32 = 32u;
const INPUT_PARTS: u32 = 8u;
const ITEMS: u32 = 4u;

// Room for the parts of six rows of a head of 32, and of one row of the widest.
const PARTIAL_VECTORS: u32 = 768u;

var<workgroup> partial_sums: array<vec4<f32>, PARTIAL_VECTORS>;
var<workgroup> partial_squares: array<vec4<f32>, LANES>;
var<workgroup> partial_largest: array<f32, LANES>;
var<workgroup> partial_total: array<f32, LANES>;

// What an invocation works on when it projects.
struct Item {
    // Counts the queries' heads, then the keys', then the values'.
    head: u32,
    // Columns of the half, in fours.
    four: u32,
    first_row: u32,
    exists: bool,
}

fn rotation(at: u32) -> vec2<f32> {
    return rotary[at];
}

fn item_at(kv_head: u32, index: u32, column: u32) -> Item {
    let group = pass_.heads / pass_.kv_heads;
    let half = pass_.head_dim / 8u;
    let items_of_head = (half + 3u) / 4u;
    let items_of_rows = (group + 2u) * items_of_head;
    let local_head = index % items_of_rows / items_of_head;
    var head = kv_head * group + local_head;
    if local_head >= group {
        head = pass_.heads + (local_head - group) * pass_.kv_heads + kv_head;
    }
    let four = index % items_of_head * 4u + column;
    let first_row = index / items_of_rows * ROWS_TOGETHER;
    return Item(head, four, first_row, first_row < pass_.rows && four < half);
}

fn keep_share(lane: u32, share: FourColumns) {
    partial_sums[lane] = share.a;
    partial_sums[LANES + lane] = share.b;
    partial_sums[2u * LANES + lane] = share.c;
    partial_sums[3u * LANES + lane] = share.d;
}

// Four columns of one row, put together from their parts.
fn sum_of_shares(item: u32, row: u32, column: u32) -> vec4<f32> {
    let base = row * LANES + item * ITEM_LANES + column;
    var sum = vec4<f32>(0.0);
    for (var part = 0u; part < INPUT_PARTS; part++) {
        sum += partial_sums[base + 4u * part];
    }
    return sum;
}

// The factor of RMSNorm of one row.
fn factor_of_shares(item: u32, row: u32) -> f32 {
    var squares = 0.0;
    for (var part = 0u; part < INPUT_PARTS; part++) {
        squares += partial_squares[item * ITEM_LANES + 4u * part][row];
    }
    return norm_factor(squares, pass_.input_size, pass_.epsilon);
}

// Queries, keys and values of one key and value head.
fn project(kv_head: u32, lane: u32) {
    let group = pass_.heads / pass_.kv_heads;
    let half = pass_.head_dim / 8u;
    let tiles = (pass_.rows + ROWS_TOGETHER - 1u) / ROWS_TOGETHER;
    let items = (group + 2u) * ((half + 3u) / 4u) * tiles;
    for (var first = 0u; first < items; first += ITEMS) {
        let it = item_at(kv_head, first + lane / ITEM_LANES, lane % 4u);
        var low_share: FourColumns;
        var high_share: FourColumns;
        if it.exists {
            let count = min(ROWS_TOGETHER, pass_.rows - it.first_row);
            let column = it.head * 2u * half + it.four;
            let part = lane % ITEM_LANES / 4u;
            let vectors = pass_.input_size / 4u;
            let start = panel_start(column, pass_.input_size);
            let partners = panel_start(column + half, pass_.input_size);
            low_share = share_of(it.first_row, count, start, vectors, part, INPUT_PARTS);
            high_share = share_of(it.first_row, count, partners, vectors, part, INPUT_PARTS);
        }
        partial_squares[lane] = low_share.squares;
        keep_share(lane, low_share);
        workgroupBarrier();
        // 16 invocations for each item: a row and four columns each.
        let item = lane / 16u;
        let row = lane / 4u % 4u;
        let column = lane % 4u;
        let summing = item < ITEMS;
        var low = vec4<f32>(0.0);
        if summing {
            low = sum_of_shares(item, row, column);
        }
        workgroupBarrier();
        keep_share(lane, high_share);
        workgroupBarrier();
        if summing {
            let of_sum = item_at(kv_head, first + item, column);
            if of_sum.exists && of_sum.first_row + row < pass_.rows {
                let factor = factor_of_shares(item, row);
                let high = sum_of_shares(item, row, column) * factor;
                let of_row = of_sum.first_row + row;
                let position = row_position(pass_, state[0], of_row);
                put_inputs(of_sum.head, of_sum.four, of_row, position, low * factor, high);
            }
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let kv_head = workgroup.x;
    project(kv_head, lane);
    storageBarrier();

    let group = pass_.heads / pass_.kv_heads;
    let vectors = pass_.head_dim / 4u;
    let row_heads = pass_.rows * group;
    let together = min(LANES / HEAD_PARTS, PARTIAL_VECTORS / (HEAD_PARTS * vectors));
    for (var first = 0u; first < row_heads; first += together) {
        let slot = lane / HEAD_PARTS;
        let row_head = first + slot;
        let row = row_head / group;
        let query = (row * pass_.heads + kv_head * group + row_head % group) * vectors;
        let position = row_position(pass_, state[0], row);
        if slot < together && row_head < row_heads && position >= 0 {
            attend_part(kv_head, query, u32(position), lane);
        }
        workgroupBarrier();
        // Heads take the places of queries that others have read.
        storageBarrier();
        for (var item = lane; item < together * vectors; item += LANES) {
            let item_head = first + item / vectors;
            let item_row = item_head / group;
            if item_head >= row_heads || row_position(pass_, state[0], item_row) < 0 {
                continue;
            }
            let base = (item_row * pass_.heads + kv_head * group + item_head % group) * vectors;
            mixed[base + item % vectors] = head_from_parts(item / vectors, item % vectors);
        }
        workgroupBarrier();
    }
}
