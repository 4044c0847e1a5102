// Drafts all tokens of a block with a draft of one layer: for each token the layer, the output layer,
// the distribution, the draw, and the lookup with which the next one begins.
//
// state     (1)                                  committed length
// tokens    (capacity)                           the last two committed ones are read, drafted ones
//                                                written after them
// weights   query, key and value columns, output projection, gate, up and down projection, output
//           layer, one after the other, each in panels of 16 bits
// numbers   gains of these, gate and up sharing theirs; (cos, sin) of every position and frequency;
//           the embedding table
// keys      (kv_heads, capacity, head_dim/4)     written at the positions that are read
// values    (kv_heads, capacity, head_dim/4)     likewise
// probs     (rows, vocab)                        what each token was drawn from, written
// logits    (vocab)                              of the last token, written
//
// One workgroup: kernels cannot wait for each other's workgroups. It is for GPUs on which a launch costs
// more than having a single core read the weights. pass_.rows is the number of tokens to draft;
// input_size is the width of the residual stream, output_size that of the gated activation.
//
// Results are those of attend and of the kernels in together/, which share every sum out to as many
// parts, to the bit where a compiler rounds alike: there is no twin, and tests compare with those.
//#import pass
//#import settings
//#import random

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(4) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> keys: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> values: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> probs: array<f32>;
@group(0) @binding(9) var<storage, read_write> logits: array<f32>;

//#import columns
//#import halves
//#import rotary
//#import attend_over
//#import attend_parts
//#import row_probabilities
//#import inverse_cdf
//#import inverse_cdf_together
//#import sample_row

const LANES: u32 = 256u;

// Vectors that the residual stream, the queries and the widest other input may have: `BLOCK_STREAM`
// and `BLOCK_INTERMEDIATE` in crates/kernels/src/lib.rs.
const STREAM_VECTORS: u32 = 64u;
const OTHER_VECTORS: u32 = 128u;

// What is multiplied with weights: the residual stream, and after it what attention or the gated
// activation gives.
var<workgroup> inputs: array<vec4<f32>, STREAM_VECTORS + OTHER_VECTORS>;
// The queries.
var<workgroup> mixed: array<vec4<f32>, STREAM_VECTORS>;

// What invocations hand to others: two shares of a sum each, or what a part of attention found.
const PARTIAL_VECTORS: u32 = 2u * LANES;
const HEAD_LANES: u32 = 128u;
var<workgroup> partial_sums: array<vec4<f32>, PARTIAL_VECTORS>;
var<workgroup> partial_squares: array<f32, 16>;
var<workgroup> partial_largest: array<f32, HEAD_LANES>;
var<workgroup> partial_total: array<f32, HEAD_LANES>;

// Inputs are shared out to so many parts when queries, keys and values are projected ...
const ATTEND_PARTS: u32 = 8u;
// ... and otherwise.
const PANEL_PARTS: u32 = 16u;

// Invocations that share a panel of 16 columns: each four columns of a part.
const PANEL_LANES: u32 = 4u * PANEL_PARTS;
const PANELS: u32 = LANES / PANEL_LANES;

// A matrix in `weights` and `numbers`.
struct Matrix {
    // Where its weights begin, and its gains.
    at: u32,
    gains: u32,
    // Columns and inputs, the latter in fours.
    columns: u32,
    vectors: u32,
}

fn panels_of(columns: u32) -> u32 {
    return (columns + 15u) / 16u;
}

// Where the matrix begins that is stored after another of so many columns.
fn behind(matrix: Matrix, columns: u32, new_columns: u32, vectors: u32) -> Matrix {
    let at = matrix.at + panels_of(columns) * 16u * matrix.vectors;
    return Matrix(at, matrix.gains + matrix.vectors, new_columns, vectors);
}

struct Matrices {
    attention_inputs: Matrix,
    attention_output: Matrix,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    output_layer: Matrix,
    // Where in `numbers` the rotary table begins, and the embedding table.
    rotary: u32,
    embedding: u32,
}

fn matrices() -> Matrices {
    let hidden = pass_.input_size;
    let intermediate = pass_.output_size;
    let heads_width = pass_.heads * pass_.head_dim;
    let projected = heads_width + 2u * pass_.kv_heads * pass_.head_dim;
    var all: Matrices;
    all.attention_inputs = Matrix(0u, 0u, projected, hidden / 4u);
    all.attention_output = behind(all.attention_inputs, projected, hidden, heads_width / 4u);
    all.gate = behind(all.attention_output, hidden, intermediate, hidden / 4u);
    all.up = behind(all.gate, intermediate, intermediate, hidden / 4u);
    all.up.gains = all.gate.gains;
    all.down = behind(all.up, intermediate, hidden, intermediate / 4u);
    all.output_layer = behind(all.down, hidden, pass_.vocab, hidden / 4u);
    all.rotary = all.output_layer.gains + hidden / 4u;
    all.embedding = all.rotary + pass_.capacity * pass_.head_dim / 4u;
    return all;
}

fn rotation(at: u32) -> vec2<f32> {
    let two = numbers[matrices().rotary + at / 2u];
    return select(two.xy, two.zw, at % 2u == 1u);
}

fn look_up(lane: u32, token: u32) {
    let vectors = pass_.input_size / 4u;
    for (var vector = lane; vector < vectors; vector += LANES) {
        inputs[vector] = numbers[matrices().embedding + token * vectors + vector];
    }
}

// A part of the product of `inputs`, from `first` on, with four columns of a matrix.
fn share_of(matrix: Matrix, column: u32, first: u32, part: u32, parts: u32) -> vec4<f32> {
    let start = matrix.at + panel_start(column, 4u * matrix.vectors);
    var sum = vec4<f32>(0.0);
    for (var i = part; i < matrix.vectors; i += parts) {
        let at = start + 16u * i;
        let x = four_weights(at);
        let y = four_weights(at + 4u);
        let z = four_weights(at + 8u);
        let w = four_weights(at + 12u);
        let input = inputs[first + i] * numbers[matrix.gains + i];
        sum += input.x * x;
        sum += input.y * y;
        sum += input.z * z;
        sum += input.w * w;
    }
    return sum;
}

// Lets the first invocations keep the parts of the residual stream's squares.
fn keep_squares(lane: u32, parts: u32) {
    if lane < parts {
        var squares = vec4<f32>(0.0);
        for (var i = lane; i < pass_.input_size / 4u; i += parts) {
            squares += inputs[i] * inputs[i];
        }
        partial_squares[lane] = sum_of(squares);
    }
}

// The factor of RMSNorm from them.
fn factor_of_squares(parts: u32) -> f32 {
    var squares = 0.0;
    for (var part = 0u; part < parts; part++) {
        squares += partial_squares[part];
    }
    return norm_factor(squares, pass_.input_size, pass_.epsilon);
}

// Four columns put together from parts that lie four places apart.
fn sum_of_parts(first: u32, parts: u32) -> vec4<f32> {
    var sum = vec4<f32>(0.0);
    for (var part = 0u; part < parts; part++) {
        sum += partial_sums[first + 4u * part];
    }
    return sum;
}

// Queries, keys and values of one position.
fn project(lane: u32, matrix: Matrix, position: i32) {
    // As in attend: four columns of the first half of a head, with their partners in the second half,
    // are an item for 32 invocations.
    let item_lanes = 4u * ATTEND_PARTS;
    let items_together = LANES / item_lanes;
    let half = pass_.head_dim / 8u;
    let items_of_head = (half + 3u) / 4u;
    let items = (pass_.heads + 2u * pass_.kv_heads) * items_of_head;
    keep_squares(lane, ATTEND_PARTS);
    for (var first = 0u; first < items; first += items_together) {
        let item = first + lane / item_lanes;
        let four = item % items_of_head * 4u + lane % 4u;
        if item < items && four < half {
            let column = item / items_of_head * 2u * half + four;
            let part = lane % item_lanes / 4u;
            partial_sums[lane] = share_of(matrix, column, 0u, part, ATTEND_PARTS);
            partial_sums[LANES + lane] = share_of(matrix, column + half, 0u, part, ATTEND_PARTS);
        }
        workgroupBarrier();
        let summed = first + lane / 4u;
        let four_of_sum = summed % items_of_head * 4u + lane % 4u;
        if lane < 4u * items_together && summed < items && four_of_sum < half {
            let place = lane / 4u * item_lanes + lane % 4u;
            let factor = factor_of_squares(ATTEND_PARTS);
            let low = sum_of_parts(place, ATTEND_PARTS) * factor;
            let high = sum_of_parts(LANES + place, ATTEND_PARTS) * factor;
            put_inputs(summed / items_of_head, four_of_sum, 0u, position, low, high);
        }
        workgroupBarrier();
    }
}

// Attention of all heads over the positions up to one, put after the residual stream.
fn attend(lane: u32, position: i32) {
    let group = pass_.heads / pass_.kv_heads;
    let vectors = pass_.head_dim / 4u;
    let together = min(HEAD_LANES / HEAD_PARTS, PARTIAL_VECTORS / (HEAD_PARTS * vectors));
    for (var first = 0u; first < pass_.heads; first += together) {
        let head = first + lane / HEAD_PARTS;
        if lane < together * HEAD_PARTS && head < pass_.heads {
            attend_part(head / group, head * vectors, u32(position), lane);
        }
        workgroupBarrier();
        for (var item = lane; item < together * vectors; item += LANES) {
            if first + item / vectors < pass_.heads {
                let to = STREAM_VECTORS + first * vectors + item;
                inputs[to] = head_from_parts(item / vectors, item % vectors);
            }
        }
        workgroupBarrier();
    }
}

// Adds the product of what is after the residual stream to it.
fn add_product(lane: u32, matrix: Matrix) {
    let fours = matrix.columns / 4u;
    for (var first = 0u; first < panels_of(matrix.columns); first += 2u * PANELS) {
        let part = lane % PANEL_LANES / 4u;
        for (var side = 0u; side < 2u; side++) {
            let four = 4u * (first + side * PANELS + lane / PANEL_LANES) + lane % 4u;
            if four < fours {
                partial_sums[side * LANES + lane] =
                    share_of(matrix, four, STREAM_VECTORS, part, PANEL_PARTS);
            }
        }
        workgroupBarrier();
        let four = 4u * first + lane;
        if lane < 8u * PANELS && four < fours {
            inputs[four] += sum_of_parts(lane / 4u * PANEL_LANES + lane % 4u, PANEL_PARTS);
        }
        workgroupBarrier();
    }
}

// The gated activation, put after the residual stream.
fn activate(lane: u32, gate: Matrix, up: Matrix) {
    let fours = gate.columns / 4u;
    keep_squares(lane, PANEL_PARTS);
    for (var first = 0u; first < panels_of(gate.columns); first += PANELS) {
        let part = lane % PANEL_LANES / 4u;
        let four = 4u * (first + lane / PANEL_LANES) + lane % 4u;
        if four < fours {
            partial_sums[lane] = share_of(gate, four, 0u, part, PANEL_PARTS);
            partial_sums[LANES + lane] = share_of(up, four, 0u, part, PANEL_PARTS);
        }
        workgroupBarrier();
        let of_sum = 4u * first + lane;
        if lane < 4u * PANELS && of_sum < fours {
            let place = lane / 4u * PANEL_LANES + lane % 4u;
            let factor = factor_of_squares(PANEL_PARTS);
            let gated = sum_of_parts(place, PANEL_PARTS) * factor;
            let up_sum = sum_of_parts(LANES + place, PANEL_PARTS) * factor;
            inputs[STREAM_VECTORS + of_sum] = silu(gated) * up_sum;
        }
        workgroupBarrier();
    }
}

fn output_layer(lane: u32, matrix: Matrix) {
    keep_squares(lane, PANEL_PARTS);
    for (var first = 0u; first < panels_of(matrix.columns); first += 2u * PANELS) {
        let part = lane % PANEL_LANES / 4u;
        for (var side = 0u; side < 2u; side++) {
            let four = 4u * (first + side * PANELS + lane / PANEL_LANES) + lane % 4u;
            if 4u * four < matrix.columns {
                partial_sums[side * LANES + lane] = share_of(matrix, four, 0u, part, PANEL_PARTS);
            }
        }
        workgroupBarrier();
        let token = 16u * first + 4u * lane;
        if lane < 8u * PANELS && token < matrix.columns {
            let sum = sum_of_parts(lane / 4u * PANEL_LANES + lane % 4u, PANEL_PARTS);
            let four = sum * factor_of_squares(PANEL_PARTS);
            for (var i = 0u; i < min(4u, matrix.columns - token); i++) {
                logits[token + i] = four[i];
            }
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    let all = matrices();
    // The last two committed tokens come first: after a round in which every drafted token was kept,
    // the draft has never seen the last of them. Of the first of the two only keys and values are
    // wanted.
    for (var row = 0u; row <= pass_.rows; row++) {
        let position = row_position(pass_, state[0], row);
        if position < 0 {
            continue;
        }
        if row < 2u {
            look_up(lane, tokens[position]);
            workgroupBarrier();
        }
        project(lane, all.attention_inputs, position);
        storageBarrier();
        if row == 0u {
            continue;
        }
        attend(lane, position);
        add_product(lane, all.attention_output);
        activate(lane, all.gate, all.up);
        add_product(lane, all.down);
        output_layer(lane, all.output_layer);
        storageBarrier();
        look_up(lane, sample_row(lane, row - 1u));
        workgroupBarrier();
        storageBarrier();
    }
}
