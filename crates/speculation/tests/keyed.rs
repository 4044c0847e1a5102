//! Rounds with counter-based numbers: texts do not depend on the draft where a rule says so, and
//! have the target's distribution over several rounds.

mod common;

use common::*;
use couplet_speculation::rules::autoregressive_joint;
use couplet_speculation::{
    Chance, Numbers, Outcome, Procedure, Round, Rule, SharedNoise, chi_square, play_round,
    play_text,
};

/// A rule with its numbers keyed in another way.
struct Rekeyed(Rule, Numbers);

impl Procedure for Rekeyed {
    fn numbers(&self) -> Numbers {
        self.1
    }
    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        self.0.decide(round, chance)
    }
}

// ---------------------------------------------------------------------------------------------
// Texts that do not depend on the draft

/// In how many of many cases a text with a draft is not that of the target alone, and how many
/// drafted tokens were kept.
fn other_texts(procedure: &impl Procedure) -> (u32, usize) {
    let length = 30;
    let (mut others, mut accepted) = (0, 0);
    for case in 0..8u32 {
        let vocabulary = [2, 3, 17, 60][case as usize % 4];
        let target = table(100 + case, vocabulary);
        let seed = u64::from(case) << 30;
        // The target alone, which drafts nothing and asks no draft.
        let alone = play_text(procedure, seed, length, 0, |_| unreachable!(), &target);
        for gamma in 1..=8 {
            // Good, unrelated and identical drafts.
            for draft_seed in [200 + case, 300 + case, 100 + case] {
                let draft = table(draft_seed, vocabulary);
                let mut text = vec![];
                while text.len() < length {
                    let round = play_round(procedure, seed, &text, gamma, &draft, &target);
                    accepted += round.outcome.accepted;
                    text.extend(round.tokens());
                }
                others += u32::from(text[..length] != alone);
            }
        }
    }
    (others, accepted)
}

#[test]
fn exactly_those_rules_give_one_text_for_every_draft_that_say_so() {
    for rule in every_rule() {
        let (others, accepted) = other_texts(&rule);
        assert_eq!(
            others == 0,
            rule.is_drafter_invariant(),
            "{rule:?}: {others}"
        );
        assert!(accepted > 500, "{rule:?} kept only {accepted}");
    }
}

/// A draft that is the target has all its tokens kept: both models really share their noise.
#[test]
fn a_draft_that_is_the_target_is_kept() {
    let target = table(1, 20);
    for rule in [Rule::Gumbel, Rule::MinHash, Rule::Rejection, Rule::Block] {
        for seed in 0..50 {
            let round = play_round(rule, seed, &[3, 1], 6, &target, &target);
            assert_eq!(round.outcome.accepted, 6, "{rule:?}");
        }
    }
}

/// Shared noise keeps more than unshared draws of the same rule would.
#[test]
fn noise_that_only_the_target_uses_is_detected() {
    let kept = |procedure: &dyn Fn(u64) -> usize| (0..2_000).map(procedure).sum::<usize>();
    for (rule, noise) in [
        (Rule::Gumbel, SharedNoise::Gumbel),
        (Rule::MinHash, SharedNoise::MinHash),
    ] {
        let play = |procedure: Rekeyed| {
            kept(&|seed| {
                let draft = |_: &[usize]| DRAFT_A.to_vec();
                let target = |_: &[usize]| TARGET_A.to_vec();
                play_round(&procedure, seed, &[], 1, draft, target)
                    .outcome
                    .accepted
            })
        };
        let shared = play(Rekeyed(rule, Numbers::Shared(noise))) as f64 / 2_000.0;
        let unshared = play(Rekeyed(rule, Numbers::ByPosition)) as f64 / 2_000.0;
        assert!((shared - 41.0 / 65.0).abs() < 0.04, "{rule:?}: {shared}");
        assert!((unshared - 0.29).abs() < 0.04, "{rule:?}: {unshared}");
    }
}

// ---------------------------------------------------------------------------------------------
// Texts of several rounds

/// The p-value of the first four tokens, written in several rounds, against the target's joint.
fn text_p_value(procedure: &impl Procedure, gamma: usize) -> f64 {
    let (length, vocabulary, texts) = (4, 3, 30_000);
    // Rows that depend on the context, with example A at the beginning.
    let draft = |context: &[usize]| match context.last() {
        Some(1) => vec![0.2, 0.2, 0.6],
        _ => DRAFT_A.to_vec(),
    };
    let target = |context: &[usize]| match context.last() {
        Some(1) => vec![0.4, 0.4, 0.2],
        _ => TARGET_A.to_vec(),
    };
    let index = |text: &[usize]| {
        text.iter()
            .fold(0, |index, token| index * vocabulary + token)
    };
    let mut expected = vec![0.0; vocabulary.pow(length as u32)];
    for (text, prob) in &autoregressive_joint(length, target) {
        expected[index(text)] = *prob;
    }
    let mut observed = vec![0u64; expected.len()];
    for seed in 0..texts {
        observed[index(&play_text(procedure, seed, length, gamma, draft, target))] += 1;
    }
    chi_square(&observed, &expected).p_value
}

#[test]
fn texts_of_several_rounds_have_the_targets_joint() {
    for rule in every_rule().filter(|rule| rule.is_lossless(1.0)) {
        for gamma in [1, 2, 3] {
            let p_value = text_p_value(&rule, gamma);
            assert!(p_value > 1e-3, "{rule:?}, gamma {gamma}: p = {p_value}");
        }
    }
}

/// Block verification looks past the token at which it stops. If the next round used the same
/// numbers there, its draft would be one that is known to have failed.
#[test]
fn block_verification_keyed_by_position_alone_is_detected() {
    let p_value = text_p_value(&Rekeyed(Rule::Block, Numbers::ByPosition), 3);
    assert!(p_value < 1e-6, "p = {p_value}");
}

/// A mistake of the caller: every round begins with the same numbers.
#[test]
fn numbers_that_forget_the_position_are_detected() {
    let (length, texts) = (4, 20_000);
    let (draft, target) = (
        |_: &[usize]| DRAFT_A.to_vec(),
        |_: &[usize]| TARGET_A.to_vec(),
    );
    let mut observed = vec![0u64; 81];
    for seed in 0..texts {
        let mut text = vec![];
        while text.len() < length {
            // The round is played as if it were the first.
            text.extend(play_round(Rule::Rejection, seed, &[], 1, draft, target).tokens());
        }
        let index = text[..length]
            .iter()
            .fold(0, |index, token| index * 3 + token);
        observed[index] += 1;
    }
    let mut expected = vec![0.0; 81];
    for (text, prob) in &autoregressive_joint(length, target) {
        expected[text.iter().fold(0, |index, token| index * 3 + token)] = *prob;
    }
    assert!(chi_square(&observed, &expected).p_value < 1e-6);
}
