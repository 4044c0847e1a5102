// Judges the drafted tokens of a round, replaces the first rejected one or adds a bonus token,
// and commits the result.
//
// settings       seed, rule
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (1)                  committed length, advanced
// record         (8 + 4 * gamma)      what happened, see below
//
// rows is gamma. The record holds: length before, gamma, accepted, new token, 1 for a bonus
// token or 0, mass of the residual, the draw of the new token, 0; then per drafted token: id,
// draw, draft probability, target probability (floats as bits).
//
// One invocation: the decisions depend on each other. Twin: crates/kernels/src/cpu/verify.rs.
// Source: Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2.
//#import pass
//#import settings
//#import random
//#import inverse_cdf

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(3) var<storage, read> target_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> record: array<u32>;

// Whether draw_token sees the residual or the target's own distribution.
var<private> from_residual: bool;

fn weight_of(row: u32, token: u32) -> f32 {
    let target_prob = target_probs[row * pass_.vocab + token];
    if from_residual {
        return max(0.0, target_prob - draft_probs[row * pass_.vocab + token]);
    }
    return target_prob;
}

fn most_probable(row: u32) -> u32 {
    var best = 0u;
    for (var token = 1u; token < pass_.vocab; token++) {
        if target_probs[row * pass_.vocab + token] > target_probs[row * pass_.vocab + best] {
            best = token;
        }
    }
    return best;
}

@compute @workgroup_size(1)
fn main() {
    let length = state[0];
    let gamma = pass_.rows;
    var accepted = 0u;
    var rejected = false;
    for (var i = 0u; i < gamma; i++) {
        let token = tokens[length + i];
        let draft_prob = draft_probs[i * pass_.vocab + token];
        let target_prob = target_probs[i * pass_.vocab + token];
        let u = uniform_at(settings.seed, length + i, PURPOSE_ACCEPT, 0u);
        let entry = 8u + 4u * i;
        record[entry] = token;
        record[entry + 1u] = bitcast<u32>(u);
        record[entry + 2u] = bitcast<u32>(draft_prob);
        record[entry + 3u] = bitcast<u32>(target_prob);
        if !rejected {
            var keep = u * draft_prob < target_prob;
            if settings.rule == RULE_GREEDY {
                keep = token == most_probable(i);
            }
            if keep {
                accepted += 1u;
            } else {
                rejected = true;
            }
        }
    }

    let position = length + accepted;
    var mass = 0.0;
    var u = 0.0;
    var new_token = 0u;
    from_residual = false;
    if settings.rule == RULE_GREEDY {
        new_token = most_probable(accepted);
    } else if rejected {
        from_residual = true;
        for (var token = 0u; token < pass_.vocab; token++) {
            mass += weight_of(accepted, token);
        }
        // Rounding can leave nothing: then the two distributions agree, and the target's serves.
        from_residual = mass > 0.0;
        u = uniform_at(settings.seed, position, PURPOSE_RESIDUAL, 0u);
        new_token = draw_token(accepted, pass_.vocab, u);
    } else {
        u = uniform_at(settings.seed, position, PURPOSE_TARGET, 0u);
        new_token = draw_token(accepted, pass_.vocab, u);
    }
    tokens[position] = new_token;
    state[0] = position + 1u;
    record[0] = length;
    record[1] = gamma;
    record[2] = accepted;
    record[3] = new_token;
    record[4] = select(1u, 0u, rejected);
    record[5] = bitcast<u32>(mass);
    record[6] = bitcast<u32>(u);
    record[7] = 0u;
}
