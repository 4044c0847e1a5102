// Judges the drafted tokens of a round together by Block verification, keeps the longest prefix
// that passes, adds a token from the residual or a bonus token, and commits the result.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (texts)              committed length, advanced
// record         (texts, 8 + 6 gamma) what happened: `record` in crates/kernels/src/params.rs
//
// rows is gamma. The threshold of an entry is the probability of keeping the text up to it. One
// workgroup of one invocation per text, in y. Twin: crates/kernels/src/cpu/verify_block.rs.
// Source: Sun et al. 2024, algorithm 2.
//#import pass
//#import settings
//#import random
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

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    draft_factor = 1.0;
    var accepted = 0u;
    var ratio = 1.0;
    var ratio_of_accepted = 1.0;
    for (var i = 0u; i < gamma; i++) {
        let it = drafted_at(length, i);
        // A token that the target never draws ends the block, whatever the draft says and whatever
        // comes after it.
        ratio = select(
            min(1.0, ratio * it.target_prob / it.draft_prob),
            0.0,
            it.target_prob <= 0.0 || ratio <= 0.0,
        );
        var keep_prob = ratio;
        if i + 1u < gamma {
            target_factor = ratio;
            let mass = residual_mass(i + 1u);
            let refused = mass + (1.0 - ratio);
            // Nothing is missing: the next prefix is kept as well.
            keep_prob = select(mass / refused, 1.0, refused <= 0.0);
        }
        write_entry(text, i, it, keep_prob, NO_TOKEN);
        if it.u < keep_prob {
            accepted = i + 1u;
            ratio_of_accepted = ratio;
        }
    }
    target_factor = ratio_of_accepted;
    commit_round(text, length, accepted, closing_after(length, accepted, true));
}
