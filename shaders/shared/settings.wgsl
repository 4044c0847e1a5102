// What a run was asked for. Twin: `RunSettings` in crates/kernels/src/params.rs, same order.
struct RunSettings {
    seed: vec2<u32>,
    // One of the RULE_ constants.
    rule: u32,
    // The k most probable tokens stay possible; 0 is off.
    top_k: u32,
    // Divides the logits; 0 takes the most probable token.
    temperature: f32,
    // The fewest of the most probable tokens that together reach this mass stay possible; 1 is off.
    top_p: f32,
    // Multiplies the draft's probabilities under Lenience; the other rules do not read it.
    lenience: f32,
    // Typical: a token above epsilon is kept ...
    epsilon: f32,
    // ... and one above delta e^-H, H being the entropy of the target's row.
    delta: f32,
}

const RULE_REJECTION: u32 = 0u;
const RULE_GREEDY: u32 = 1u;
const RULE_GUMBEL: u32 = 2u;
const RULE_MINHASH: u32 = 3u;
const RULE_SAMPLE_AND_MATCH: u32 = 4u;
const RULE_BLOCK: u32 = 5u;
const RULE_LENIENCE: u32 = 6u;
const RULE_TYPICAL: u32 = 7u;

// Block verification looks at drafted tokens that it then throws away, so the numbers behind
// them are used up although their positions are not: its numbers are keyed by the round too.
fn round_lane(settings: RunSettings, length: u32) -> u32 {
    return select(0u, length, settings.rule == RULE_BLOCK);
}
