//! The kernels that judge and draw against the rules as `couplet-speculation` plays them: the same
//! tokens, one by one, and not only the same distribution.

use couplet_kernels::rounds::{PlayedText, Player, Rows, play};
use couplet_kernels::*;
use couplet_speculation::random::threefry2x32;
use couplet_speculation::{Lenience, Rule, Typical, play_round};

const VOCAB: usize = 5;
const ROUNDS: usize = 4;
const TEXTS: usize = 2000;

const LENIENCE: f64 = 0.5;
const EPSILON: f64 = 0.25;
const DELTA: f64 = 0.5;

/// Rows of multiples of 1/64, which have no rounding in either precision; some of them are 0.
fn rows_of(seed: u32, rows: usize) -> Vec<Vec<f64>> {
    (0..rows as u32)
        .map(|row| {
            let mut counts = [0u32; VOCAB];
            for grain in 0..64 {
                // The higher numbers are rarer, and the last is there in some rows only.
                let word = threefry2x32([seed, row], [grain, 0])[0];
                let place = (word % 7).min(word / 7 % VOCAB as u32);
                counts[place as usize] += 1;
            }
            counts.map(|count| f64::from(count) / 64.0).to_vec()
        })
        .collect()
}

fn floats(rows: &[Vec<f64>]) -> Vec<f32> {
    rows.iter().flatten().map(|prob| *prob as f32).collect()
}

/// What the rule writes in the place of a text that the kernels began at `first`, an absolute
/// position.
fn expected(rule: Rule, seed: u64, first: usize, [draft, target]: [&[Vec<f64>]; 2]) -> PlayedText {
    let gamma = draft.len();
    let mut text = vec![0; first];
    let mut accepted = None;
    for _ in 0..ROUNDS {
        let begin = text.len();
        let round = play_round(
            rule,
            seed,
            &text,
            gamma,
            |context| draft[context.len() - begin].clone(),
            |context| target[context.len() - begin].clone(),
        );
        accepted.get_or_insert(round.outcome.accepted);
        text.extend(round.tokens());
    }
    PlayedText {
        tokens: text[first..].iter().map(|token| *token as u32).collect(),
        accepted: accepted.unwrap_or(0),
    }
}

/// The rule as the kernels know it.
fn kernel_rule(rule: Rule) -> KernelRule {
    match rule {
        Rule::Rejection => KernelRule::Rejection,
        Rule::Greedy => KernelRule::Greedy,
        Rule::Gumbel => KernelRule::Gumbel,
        Rule::MinHash => KernelRule::MinHash,
        Rule::SampleAndMatch => KernelRule::SampleAndMatch,
        Rule::Block => KernelRule::Block,
        Rule::Lenience(_) => KernelRule::Lenience,
        Rule::Typical(_) => KernelRule::Typical,
    }
}

#[test]
fn kernels_write_what_the_rules_say_token_by_token() {
    let player = Player {
        device: &Device::Cpu,
        shares_sums: false,
    };
    let lenience = Lenience::new(LENIENCE).unwrap();
    let typical = Typical::new(EPSILON, DELTA).unwrap();
    for rule in Rule::every(lenience, typical) {
        for gamma in 1..=4 {
            let seed = 1611 + gamma as u64 + (7 << 32);
            let [draft, target] = [gamma, gamma + 1].map(|rows| rows_of(rows as u32, rows));
            let rows = Rows {
                vocab: VOCAB,
                proposal: floats(&draft),
                draft: floats(&draft),
                target: floats(&target),
            };
            let settings = RunSettings {
                seed: [seed as u32, (seed >> 32) as u32],
                rule: kernel_rule(rule) as u32,
                lenience: LENIENCE as f32,
                epsilon: EPSILON as f32,
                delta: DELTA as f32,
                ..RunSettings::default()
            };
            let played = pollster::block_on(play(player, settings, &rows, ROUNDS, 0, TEXTS));
            let mut most = 0;
            for (text, played) in played.unwrap().into_iter().enumerate() {
                let first = 1 + text * ROUNDS * (gamma + 1);
                let expected = expected(rule, seed, first, [&draft, &target]);
                assert_eq!(played, expected, "{rule:?}, γ {gamma}, text {text}");
                most = most.max(played.accepted);
            }
            assert_eq!(most, gamma, "{rule:?}: a bonus token has to be among them");
        }
    }
}
