// Keeps the drafted tokens that the target finds probable enough, replaces the first that it does
// not by a draw from the target or adds a bonus token, and commits the result. Not lossless.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (texts)              committed length, advanced
// record         (texts, 8 + 6 gamma) what happened: `record` in crates/kernels/src/params.rs
//
// rows is gamma. The logarithms are compared as integers, so that every device decides alike. One
// workgroup of one invocation per text, in y. Twin: crates/kernels/src/cpu/verify_typical.rs.
// Source: Cai et al. 2024, section 2.3.1.
//#import pass
//#import settings
//#import random
//#import arithmetic
//#import verdict
//#import residual_draw
//#import inverse_cdf

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(3) var<storage, read> target_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> record: array<u32>;

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

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    draft_factor = 1.0;
    target_factor = 1.0;
    var accepted = 0u;
    var rejected = false;
    for (var i = 0u; i < gamma; i++) {
        let it = drafted_at(length, i);
        write_entry(text, i, it, 0.0, NO_TOKEN);
        if !rejected {
            let keep = it.target_prob > settings.epsilon
                || (is_normal(it.target_prob) && minus_ln(min(it.target_prob, 1.0))
                    < entropy(i) + minus_ln(settings.delta));
            if keep {
                accepted += 1u;
            } else {
                rejected = true;
            }
        }
    }
    commit_round(text, length, accepted, closing_after(length, accepted, false));
}
