// Keeps the drafted tokens that equal the target's own (Gumbel, MinHash, Sample and match), puts
// the target's own in the place of the first that does not, and commits the result.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (texts)              committed length, advanced
// record         (texts, 8 + 6 gamma) what happened: `record` in crates/kernels/src/params.rs
// own_tokens     (capacity)           the target's own token of every position of the round
//
// rows is gamma. One workgroup of one invocation per text, in y.
// Twin: crates/kernels/src/cpu/verify_own.rs. Sources: Daliri, Musco, Suresh 2025;
// Sample and match: Miao et al. 2023.
//#import pass
//#import settings
//#import random
//#import verdict

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(3) var<storage, read> target_probs: array<f32>;
@group(0) @binding(4) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> record: array<u32>;
@group(0) @binding(7) var<storage, read> own_tokens: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    var accepted = 0u;
    var rejected = false;
    for (var i = 0u; i < gamma; i++) {
        let it = drafted_at(length, i);
        let own = own_tokens[length + i];
        write_entry(text, i, it, 0.0, own);
        rejected = rejected || it.token != own;
        if !rejected {
            accepted += 1u;
        }
    }
    // Only Sample and match draws the target's own token with a number that can be shown.
    var u = 0.0;
    if settings.rule == RULE_SAMPLE_AND_MATCH {
        u = uniform_at(settings.seed, length + accepted, PURPOSE_TARGET, 0u);
    }
    commit_round(text, length, accepted, Closing(own_tokens[length + accepted], 0.0, u, 1.0));
}
