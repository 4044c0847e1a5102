// Judges the drafted tokens of a round one by one by Rejection, Lenience or Greedy, replaces the
// first that is not kept or adds a bonus token, and commits the result.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (texts)              committed length, advanced
// record         (texts, 8 + 6 gamma) what happened: `record` in crates/kernels/src/params.rs
//
// rows is gamma. One workgroup of one invocation per text, in y: the decisions of a text depend
// on each other. Twin: crates/kernels/src/cpu/verify.rs.
// Sources: Leviathan et al. 2023, algorithm 1 and appendix A.5; Chen et al. 2023, algorithm 2.
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
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    let greedy = settings.rule == RULE_GREEDY;
    draft_factor = select(1.0, settings.lenience, settings.rule == RULE_LENIENCE);
    target_factor = 1.0;
    var accepted = 0u;
    var rejected = false;
    for (var i = 0u; i < gamma; i++) {
        let it = drafted_at(length, i);
        write_entry(text, i, it, 0.0, NO_TOKEN);
        if !rejected {
            var keep = it.u * (draft_factor * it.draft_prob) < it.target_prob;
            if greedy {
                keep = it.token == most_probable(i);
            }
            if keep {
                accepted += 1u;
            } else {
                rejected = true;
            }
        }
    }
    if greedy {
        commit_round(text, length, accepted, Closing(most_probable(accepted), 0.0, 0.0, 1.0));
    } else {
        commit_round(text, length, accepted, closing_after(length, accepted, true));
    }
}
