// Draws the token of each row with noise that draft and target share, by the rule of the run.
//
// settings   seed, rule
// state      (texts)         committed length
// probs      (rows, vocab)   rows source_row to source_row + rows are drawn from
// tokens     (capacity)      written at committed length + row
//
// One workgroup per row in x and text in y. The earliest clock and the first dart are minima, which
// do not depend on the order of lanes. Twin: crates/kernels/src/cpu/shared_draw.rs.
// Source: Daliri, Musco, Suresh 2025.
//#import pass
//#import settings
//#import random
//#import arithmetic
//#import shared_noise

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> state: array<u32>;
@group(0) @binding(3) var<storage, read> probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;

const LANES: u32 = 64u;
const DARTS_PER_LANE: u32 = 16u;
const NONE: u32 = 0xffffffffu;

// What each lane found: a time or the index of a dart, as a word that is smaller when it is
// better, and its token.
var<workgroup> lane_order: array<u32, LANES>;
var<workgroup> lane_token: array<u32, LANES>;
var<workgroup> winner: vec2<u32>;

// The best of all lanes: (order, token); of equal ones the lowest token.
fn best_of_lanes(lane: u32, order: u32, token: u32) -> vec2<u32> {
    lane_order[lane] = order;
    lane_token[lane] = token;
    workgroupBarrier();
    if lane == 0u {
        var best = vec2<u32>(order, token);
        for (var other = 1u; other < LANES; other++) {
            let found = vec2<u32>(lane_order[other], lane_token[other]);
            if found.x < best.x || (found.x == best.x && found.y < best.y) {
                best = found;
            }
        }
        winner = best;
    }
    return workgroupUniformLoad(&winner);
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = pass_.source_row + group.x;
    let position = state[group.y] + row;
    let vocab = pass_.vocab;
    var token = 0u;
    if settings.rule == RULE_MINHASH {
        var first = vec2<u32>(NONE, 0u);
        for (var base = 0u; base < MAX_DARTS && first.x == NONE; base += LANES * DARTS_PER_LANE) {
            var order = NONE;
            var hit = 0u;
            for (var throw_ = 0u; throw_ < DARTS_PER_LANE && order == NONE; throw_++) {
                let index = base + throw_ * LANES + lane;
                let thrown = dart(settings.seed, position, index, vocab);
                if thrown.z == 1u && thrown.y < fixed_point(probs[row * vocab + thrown.x]) {
                    order = index;
                    hit = thrown.x;
                }
            }
            first = best_of_lanes(lane, order, hit);
        }
        token = first.y;
    } else {
        var order = NONE;
        var first = 0u;
        for (var candidate = lane; candidate < vocab; candidate += LANES) {
            let prob = probs[row * vocab + candidate];
            if prob >= SMALLEST_PROB {
                // The bits of positive numbers have their order.
                let clock = exponential_clock(settings.seed, position, candidate);
                let time = bitcast<u32>(quotient(clock, prob));
                if time < order {
                    order = time;
                    first = candidate;
                }
            }
        }
        token = best_of_lanes(lane, order, first).y;
    }
    if lane == 0u {
        tokens[position] = token;
    }
}
