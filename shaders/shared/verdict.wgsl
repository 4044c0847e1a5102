// What all verdicts share: reading a drafted token, and writing down what was decided. The
// importing kernel declares pass_, settings, draft_probs, target_probs, tokens, state and record.
// Twin: crates/kernels/src/cpu/verdict.rs; the layout is `record` in crates/kernels/src/params.rs.

const RECORD_HEAD: u32 = 8u;
const RECORD_ENTRY: u32 = 6u;
const NO_TOKEN: u32 = 0xffffffffu;

struct Drafted {
    token: u32,
    draft_prob: f32,
    target_prob: f32,
    // The uniform number behind its coin of acceptance.
    u: f32,
}

fn drafted_at(length: u32, i: u32) -> Drafted {
    let token = tokens[length + i];
    return Drafted(
        token,
        draft_probs[i * pass_.vocab + token],
        target_probs[i * pass_.vocab + token],
        uniform_at(settings.seed, length + i, PURPOSE_ACCEPT, round_lane(settings, length)),
    );
}

// threshold and own_token are what the rule compared besides; 0 and NO_TOKEN where it did not.
fn write_entry(text: u32, i: u32, it: Drafted, threshold: f32, own_token: u32) {
    let entry = text * (RECORD_HEAD + RECORD_ENTRY * pass_.rows) + RECORD_HEAD + RECORD_ENTRY * i;
    record[entry] = it.token;
    record[entry + 1u] = bitcast<u32>(it.u);
    record[entry + 2u] = bitcast<u32>(it.draft_prob);
    record[entry + 3u] = bitcast<u32>(it.target_prob);
    record[entry + 4u] = bitcast<u32>(threshold);
    record[entry + 5u] = own_token;
}

// What closes a round.
struct Closing {
    token: u32,
    // Mass of the residual that it was drawn from; 0 for the target's own distribution.
    mass: f32,
    // The number that drew it; 0 where shared noise did, or nothing by chance.
    u: f32,
    // The factor of the target's probabilities in the residual.
    ratio: f32,
}

// Appends the closing token, advances the committed length, writes the head of the record.
fn commit_round(text: u32, length: u32, accepted: u32, closing: Closing) {
    let gamma = pass_.rows;
    tokens[length + accepted] = closing.token;
    state[text] = length + accepted + 1u;
    let head = text * (RECORD_HEAD + RECORD_ENTRY * gamma);
    record[head] = length;
    record[head + 1u] = gamma;
    record[head + 2u] = accepted;
    record[head + 3u] = closing.token;
    record[head + 4u] = select(0u, 1u, accepted == gamma);
    record[head + 5u] = bitcast<u32>(closing.mass);
    record[head + 6u] = bitcast<u32>(closing.u);
    record[head + 7u] = bitcast<u32>(closing.ratio);
}
