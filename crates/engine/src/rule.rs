//! Rules and parameters between the wire, the kernels and the mathematics.

use couplet_kernels::{
    RULE_BLOCK, RULE_GREEDY, RULE_GUMBEL, RULE_LENIENCE, RULE_MINHASH, RULE_REJECTION,
    RULE_SAMPLE_AND_MATCH, RULE_TYPICAL, RunSettings,
};
use couplet_protocol::{Rule, Settings};

/// The number by which the kernels know a rule.
pub(crate) fn rule_number(rule: Rule) -> u32 {
    match rule {
        Rule::Rejection => RULE_REJECTION,
        Rule::Block => RULE_BLOCK,
        Rule::Gumbel => RULE_GUMBEL,
        Rule::MinHash => RULE_MINHASH,
        Rule::SampleAndMatch => RULE_SAMPLE_AND_MATCH,
        Rule::Greedy => RULE_GREEDY,
        Rule::Lenience => RULE_LENIENCE,
        Rule::Typical => RULE_TYPICAL,
    }
}

/// A seed as the kernels read it, low word first.
pub(crate) fn seed_words(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// The settings as the kernels read them.
pub(crate) fn run_settings(settings: &Settings) -> RunSettings {
    RunSettings {
        seed: seed_words(settings.seed),
        rule: rule_number(settings.rule),
        top_k: settings.top_k,
        temperature: settings.temperature as f32,
        top_p: settings.top_p as f32,
        lenience: settings.lenience as f32,
        epsilon: settings.epsilon as f32,
        delta: settings.delta as f32,
        ..RunSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use couplet_kernels::Kernel;
    use couplet_kernels::rounds::verdict_kernel;

    use super::*;

    #[test]
    fn no_run_can_ask_for_a_mistake_of_the_museum() {
        for rule in Rule::ALL {
            assert_ne!(verdict_kernel(rule_number(rule)), Kernel::Museum);
        }
    }
}
