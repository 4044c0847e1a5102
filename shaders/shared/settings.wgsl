// What a run was asked for. Twin: `RunSettings` in crates/kernels/src/params.rs, same order.
struct RunSettings {
    seed: vec2<u32>,
    // 0: Rejection, 1: Greedy.
    rule: u32,
    // The k most probable tokens stay possible; 0 is off.
    top_k: u32,
    // Divides the logits; 0 takes the most probable token.
    temperature: f32,
    // The most probable tokens up to this mass stay possible; 1 is off.
    top_p: f32,
}

const RULE_REJECTION: u32 = 0u;
const RULE_GREEDY: u32 = 1u;
