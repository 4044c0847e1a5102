// Judges the drafted tokens of a round by the rule of the run, replaces the first that is not
// kept or adds a bonus token, and commits the result.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (1)                  committed length, advanced
// record         (8 + 4 * gamma)      what happened, see below
// own_tokens     (capacity)           the target's own draws by position, under Gumbel and MinHash
//
// rows is gamma. The record holds: length before, gamma, accepted, new token, 1 for a bonus
// token or 0, mass of the residual, the draw of the new token, the factor of the target's
// probabilities in the residual; then per drafted token: id, draw, draft probability, target
// probability (floats as bits).
//
// One invocation: the decisions depend on each other. Twin: crates/kernels/src/cpu/verify.rs.
// Sources: Leviathan et al. 2023, algorithm 1 and appendix A.5; Chen et al. 2023, algorithm 2;
// Sun et al. 2024, algorithm 2 (Block); Daliri et al. 2025 (Gumbel, MinHash); Cai et al. 2024,
// section 2.3.1 (Typical).
//#import pass
//#import settings
//#import random
//#import arithmetic
//#import inverse_cdf

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(3) var<storage, read> target_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> record: array<u32>;
@group(0) @binding(7) var<storage, read> own_tokens: array<u32>;

// Whether draw_token sees the residual or the target's own distribution, and what the two
// distributions are multiplied by in the residual.
var<private> from_residual: bool;
var<private> draft_factor: f32;
var<private> target_factor: f32;

fn weight_of(row: u32, token: u32) -> f32 {
    let target_prob = target_probs[row * pass_.vocab + token];
    if from_residual {
        let draft_prob = draft_probs[row * pass_.vocab + token];
        return max(0.0, target_factor * target_prob - draft_factor * draft_prob);
    }
    return target_prob;
}

// Mass of the residual of a row, not normalised.
fn residual_mass(row: u32) -> f32 {
    from_residual = true;
    var mass = 0.0;
    for (var token = 0u; token < pass_.vocab; token++) {
        mass += weight_of(row, token);
    }
    return mass;
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

// The token that the target draws by itself at a row, for the rules that keep what equals it.
fn own_token(row: u32, position: u32) -> u32 {
    if settings.rule == RULE_GREEDY {
        return most_probable(row);
    }
    if settings.rule == RULE_SAMPLE_AND_MATCH {
        from_residual = false;
        let u = uniform_at(settings.seed, position, PURPOSE_TARGET, 0u);
        return draw_token(row, pass_.vocab, u);
    }
    return own_tokens[position];
}

// Entropy of a row in units of 2^-25: integers add up alike on every device.
fn entropy(row: u32) -> u32 {
    var sum = 0u;
    for (var token = 0u; token < pass_.vocab; token++) {
        let prob = target_probs[row * pass_.vocab + token];
        if is_normal(prob) {
            sum += multiply_high(fixed_point(prob), minus_ln(min(prob, 1.0)));
        }
    }
    return sum;
}

// Whether a probability of a row exceeds min(epsilon, delta e^-H).
fn is_typical(row: u32, prob: f32) -> bool {
    if prob > settings.epsilon {
        return true;
    }
    if !is_normal(prob) {
        return false;
    }
    return minus_ln(min(prob, 1.0)) < entropy(row) + minus_ln(settings.delta);
}

// How many drafted tokens Block verification keeps; leaves the factor of the target's
// probabilities in target_factor.
fn accepted_of_block(length: u32, gamma: u32) -> u32 {
    var accepted = 0u;
    var ratio = 1.0;
    var ratio_of_accepted = 1.0;
    for (var i = 0u; i < gamma; i++) {
        let token = tokens[length + i];
        let draft_prob = draft_probs[i * pass_.vocab + token];
        let target_prob = target_probs[i * pass_.vocab + token];
        // A token that the target never draws ends the block, whatever the draft says.
        ratio = select(min(1.0, ratio * target_prob / draft_prob), 0.0, target_prob <= 0.0);
        var keep_prob = ratio;
        if i + 1u < gamma {
            target_factor = ratio;
            let mass = residual_mass(i + 1u);
            let refused = mass + (1.0 - ratio);
            // Nothing is missing: the next prefix is kept as well.
            keep_prob = select(mass / refused, 1.0, refused <= 0.0);
        }
        let u = uniform_at(settings.seed, length + i, PURPOSE_ACCEPT, length);
        // The longest prefix that passes is kept.
        if u < keep_prob {
            accepted = i + 1u;
            ratio_of_accepted = ratio;
        }
    }
    target_factor = ratio_of_accepted;
    return accepted;
}

// How many drafted tokens are kept by a rule that stops at the first that it does not keep.
fn accepted_in_order(length: u32, gamma: u32) -> u32 {
    for (var i = 0u; i < gamma; i++) {
        let token = tokens[length + i];
        let draft_prob = draft_probs[i * pass_.vocab + token];
        let target_prob = target_probs[i * pass_.vocab + token];
        let u = uniform_at(settings.seed, length + i, PURPOSE_ACCEPT, 0u);
        var keep = false;
        if settings.rule == RULE_REJECTION || settings.rule == RULE_LENIENCE {
            keep = u * (draft_factor * draft_prob) < target_prob;
        } else if settings.rule == RULE_TYPICAL {
            keep = is_typical(i, target_prob);
        } else {
            keep = token == own_token(i, length + i);
        }
        if !keep {
            return i;
        }
    }
    return gamma;
}

@compute @workgroup_size(1)
fn main() {
    let length = state[0];
    let gamma = pass_.rows;
    for (var i = 0u; i < gamma; i++) {
        let token = tokens[length + i];
        let lane = round_lane(settings, length);
        let u = uniform_at(settings.seed, length + i, PURPOSE_ACCEPT, lane);
        let entry = 8u + 4u * i;
        record[entry] = token;
        record[entry + 1u] = bitcast<u32>(u);
        record[entry + 2u] = bitcast<u32>(draft_probs[i * pass_.vocab + token]);
        record[entry + 3u] = bitcast<u32>(target_probs[i * pass_.vocab + token]);
    }

    draft_factor = select(1.0, settings.lenience, settings.rule == RULE_LENIENCE);
    target_factor = 1.0;
    var accepted = 0u;
    if settings.rule == RULE_BLOCK {
        accepted = accepted_of_block(length, gamma);
    } else {
        accepted = accepted_in_order(length, gamma);
    }
    let rejected = accepted < gamma;

    let position = length + accepted;
    let draws_residual = settings.rule == RULE_REJECTION || settings.rule == RULE_LENIENCE
        || settings.rule == RULE_BLOCK;
    let keeps_own = settings.rule == RULE_GREEDY || settings.rule == RULE_GUMBEL
        || settings.rule == RULE_MINHASH || settings.rule == RULE_SAMPLE_AND_MATCH;
    var mass = 0.0;
    var u = 0.0;
    var new_token = 0u;
    if keeps_own {
        new_token = own_token(accepted, position);
    } else {
        if rejected && draws_residual {
            mass = residual_mass(accepted);
        }
        // Rounding can leave nothing: then the two distributions agree, and the target's serves.
        from_residual = mass > 0.0;
        u = uniform_at(
            settings.seed,
            position,
            select(PURPOSE_TARGET, PURPOSE_RESIDUAL, rejected),
            0u,
        );
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
    record[7] = bitcast<u32>(target_factor);
}
