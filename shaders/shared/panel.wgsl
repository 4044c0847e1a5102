// Panels of 16 columns times up to four rows, each by 64 invocations: 16 parts of four times four
// columns. After shares; before this, a kernel declares how many PANELS it computes at once. It
// lets every invocation keep its share of each, waits for the others, and asks the first 16.

const PANEL_LANES: u32 = 64u;
const PARTS: u32 = 16u;

// Four columns of four rows and the squares, of every panel, by invocation.
var<workgroup> shares: array<vec4<f32>, PANELS * 5u * PANEL_LANES>;

struct PanelSum {
    // Row and column of the panel, the column in fours.
    row: u32,
    column: u32,
    sum: vec4<f32>,
    // Sum of the row's squares.
    squares: f32,
}

fn keep_share(slot: u32, panel: u32, first_row: u32, count: u32, input_size: u32, lane: u32) {
    let start = panel_start(4u * panel + lane % 4u, input_size);
    let share = share_of(first_row, count, start, input_size / 4u, lane / 4u, PARTS);
    let base = slot * 5u * PANEL_LANES + lane;
    shares[base] = share.a;
    shares[base + PANEL_LANES] = share.b;
    shares[base + 2u * PANEL_LANES] = share.c;
    shares[base + 3u * PANEL_LANES] = share.d;
    shares[base + 4u * PANEL_LANES] = share.squares;
}

// For each of the first 16 invocations a row and four columns.
fn panel_sum(slot: u32, lane: u32) -> PanelSum {
    let row = lane / 4u;
    let base = slot * 5u * PANEL_LANES;
    var sum = vec4<f32>(0.0);
    var squares = 0.0;
    for (var part = 0u; part < PARTS; part++) {
        sum += shares[base + row * PANEL_LANES + 4u * part + lane % 4u];
        squares += shares[base + 4u * PANEL_LANES + 4u * part][row];
    }
    return PanelSum(row, lane % 4u, sum, squares);
}
