//! Rules and parameters between the wire, the kernels and the mathematics.

use couplet_kernels::{KernelRule, RunSettings};
use couplet_protocol::{Rule, Settings};

/// The rule as the kernels know it.
pub(crate) fn kernel_rule(rule: Rule) -> KernelRule {
    match rule {
        Rule::Rejection => KernelRule::Rejection,
        Rule::Block => KernelRule::Block,
        Rule::Gumbel => KernelRule::Gumbel,
        Rule::MinHash => KernelRule::MinHash,
        Rule::SampleAndMatch => KernelRule::SampleAndMatch,
        Rule::Greedy => KernelRule::Greedy,
        Rule::Lenience => KernelRule::Lenience,
        Rule::Typical => KernelRule::Typical,
    }
}

/// A seed as the kernels read it, low word first.
pub(crate) fn seed_words(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// The settings as the kernels read them.
pub(crate) fn run_settings(settings: &Settings) -> RunSettings {
    // What no kernel reads decides which of them are dispatched, or how often.
    let Settings {
        pair: _,
        prompt: _,
        gamma: _,
        auto_gamma: _,
        rule,
        lenience,
        epsilon,
        delta,
        drafter: _,
        temperature,
        top_k,
        top_p,
        seed,
        max_tokens: _,
    } = *settings;
    RunSettings {
        seed: seed_words(seed),
        rule: kernel_rule(rule) as u32,
        top_k,
        temperature: temperature as f32,
        top_p: top_p as f32,
        lenience: lenience as f32,
        epsilon: epsilon as f32,
        delta: delta as f32,
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
            assert_ne!(verdict_kernel(kernel_rule(rule)), Kernel::Museum);
        }
    }

    #[test]
    fn kernels_read_the_rule_that_a_run_asks_for() {
        for rule in Rule::ALL {
            let settings = Settings {
                rule,
                ..Settings::default()
            };
            assert_eq!(run_settings(&settings).kernel_rule(), kernel_rule(rule));
        }
    }

    #[test]
    fn every_number_that_kernels_read_is_the_one_of_that_name() {
        let settings = Settings {
            seed: (7 << 32) | 3,
            temperature: 0.5,
            top_k: 9,
            top_p: 0.875,
            lenience: 0.75,
            epsilon: 0.25,
            delta: 0.625,
            ..Settings::default()
        };
        let read = run_settings(&settings);
        assert_eq!(read.seed, [3, 7]);
        assert_eq!((read.temperature, read.top_k, read.top_p), (0.5, 9, 0.875));
        let of_rules = (read.lenience, read.epsilon, read.delta);
        assert_eq!(of_rules, (0.75, 0.25, 0.625));
    }
}
