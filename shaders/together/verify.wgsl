// Judges the drafted tokens of a round by Rejection, Lenience or Greedy, replaces the first that
// is not kept or adds a bonus token, and commits the result, by 64 invocations.
//
// Bindings and results are those of ../verify.wgsl. Every drafted token is judged by an
// invocation of its own, since whether it would be kept does not depend on the others; the first
// that is not kept ends the block. One workgroup per text, in y.
//#import pass
//#import settings
//#import random
//#import verdict
//#import residual_draw
//#import inverse_cdf
//#import inverse_cdf_together

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(3) var<storage, read> target_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> record: array<u32>;

const LANES: u32 = CHUNKS;

var<workgroup> first_rejected: atomic<u32>;
var<workgroup> lane_prob: array<f32, LANES>;
var<workgroup> lane_token: array<u32, LANES>;

// The most probable token of a row; of equal ones the lowest.
fn most_probable(row: u32, lane: u32) -> u32 {
    var best = 0u;
    var best_prob = -1.0;
    for (var token = lane; token < pass_.vocab; token += LANES) {
        let prob = target_probs[row * pass_.vocab + token];
        if prob > best_prob {
            best_prob = prob;
            best = token;
        }
    }
    workgroupBarrier();
    lane_prob[lane] = best_prob;
    lane_token[lane] = best;
    workgroupBarrier();
    for (var other = 0u; other < LANES; other++) {
        let prob = lane_prob[other];
        if prob > best_prob || (prob == best_prob && lane_token[other] < best) {
            best_prob = prob;
            best = lane_token[other];
        }
    }
    return best;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    draft_factor = select(1.0, settings.lenience, settings.rule == RULE_LENIENCE);
    target_factor = 1.0;
    if lane == 0u {
        atomicStore(&first_rejected, gamma);
    }
    workgroupBarrier();
    let greedy = settings.rule == RULE_GREEDY;
    for (var i = lane; i < gamma; i += LANES) {
        let it = drafted_at(length, i);
        write_entry(text, i, it, 0.0, NO_TOKEN);
        let keep = it.u * (draft_factor * it.draft_prob) < it.target_prob;
        if !greedy && !keep {
            atomicMin(&first_rejected, i);
        }
    }
    if greedy {
        var own = 0u;
        var accepted = gamma;
        for (var i = 0u; i <= gamma; i++) {
            let best = most_probable(i, lane);
            if accepted == gamma {
                own = best;
                if i < gamma && tokens[length + i] != best {
                    accepted = i;
                }
            }
        }
        // Length and tokens that others have read are overwritten.
        storageBarrier();
        if lane == 0u {
            commit_round(text, length, accepted, Closing(own, 0.0, 0.0, 1.0));
        }
        return;
    }
    workgroupBarrier();
    let accepted = atomicLoad(&first_rejected);
    let rejected = accepted < gamma;
    from_residual = rejected;
    keep_chunk_sums(accepted, pass_.vocab, lane);
    workgroupBarrier();
    let mass = select(0.0, sum_of_chunks(), rejected);
    workgroupBarrier();
    // Rounding can leave nothing: then the two distributions agree, and the target's serves.
    from_residual = mass > 0.0;
    keep_chunk_sums(accepted, pass_.vocab, lane);
    workgroupBarrier();
    // Length and tokens that others have read are overwritten.
    storageBarrier();
    if lane == 0u {
        let purpose = select(PURPOSE_TARGET, PURPOSE_RESIDUAL, rejected);
        let u = uniform_at(settings.seed, length + accepted, purpose, 0u);
        let token = draw_from_chunks(accepted, pass_.vocab, u);
        commit_round(text, length, accepted, Closing(token, mass, u, target_factor));
    }
}
