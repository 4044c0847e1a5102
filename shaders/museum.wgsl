// Judges a round with a tempting mistake, to show that the test finds it. No run is written with it:
// only the exhibit of the engine dispatches this kernel.
//
// settings       seed, rule and its parameters
// draft_probs    (gamma, vocab)       what the drafted tokens were drawn from
// target_probs   (gamma + 1, vocab)
// tokens         (capacity)           drafted tokens read, the new token written
// state          (texts)              committed length, advanced
// record         (texts, 8 + 6 gamma) what happened: `record` in crates/kernels/src/params.rs
//
// settings.rule holds a MISTAKE_ constant; rows is gamma. One workgroup of one invocation per
// text, in y. Twin: crates/kernels/src/cpu/museum.rs. What each mistake does to the text, exactly,
// is in crates/speculation/src/rules/wrong.rs.
//#import pass
//#import settings
//#import mistakes
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

// The target's own draw at a row.
fn own_token(row: u32, position: u32) -> u32 {
    from_residual = false;
    return draw_token(row, pass_.vocab, uniform_at(settings.seed, position, PURPOSE_TARGET, 0u));
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let text = group.y;
    let length = state[text];
    let gamma = pass_.rows;
    let mistake = settings.rule;
    draft_factor = 1.0;
    target_factor = 1.0;
    var accepted = 0u;
    var rejected = false;
    var dropped = false;
    for (var i = 0u; i < gamma; i++) {
        let it = drafted_at(length, i);
        write_entry(text, i, it, 0.0, NO_TOKEN);
        if !rejected {
            let ratio = it.u * it.draft_prob < it.target_prob;
            var keep = ratio;
            if mistake == MISTAKE_RATIO_UPSIDE_DOWN {
                keep = it.u * it.target_prob < it.draft_prob;
            } else if mistake == MISTAKE_ONE_COIN_FOR_ALL_POSITIONS {
                keep = drafted_at(length, 0u).u * it.draft_prob < it.target_prob;
            } else if mistake == MISTAKE_DROPS_IMPROBABLE_DRAFTS && it.draft_prob < IMPROBABLE {
                dropped = true;
                keep = false;
            } else if mistake == MISTAKE_MATCH_THEN_RESIDUAL {
                keep = own_token(i, length + i) == it.token;
            } else if mistake == MISTAKE_MATCH_OR_RATIO {
                keep = ratio || own_token(i, length + i) == it.token;
            }
            if keep {
                accepted += 1u;
            } else {
                rejected = true;
            }
        }
    }
    let from_target = dropped || mistake == MISTAKE_RESAMPLES_FROM_TARGET;
    var closing = closing_after(length, accepted, !from_target);
    if rejected && mistake == MISTAKE_REPLACEMENT_WITH_THE_SAME_COIN {
        closing.u = drafted_at(length, accepted).u;
        closing.token = draw_token(accepted, pass_.vocab, closing.u);
    }
    commit_round(text, length, accepted, closing);
}
