//! Whole rounds, enumerated: the lossless rules give exactly the target's text, and the others are
//! away from it by exactly what theory says.

mod common;

use std::collections::BTreeMap;

use common::*;
use couplet_speculation::formulas::{
    lenience_acceptance, lenience_output, typical_acceptance, typical_output,
};
use couplet_speculation::rules::{autoregressive_joint, block_prefixes, outcome_probabilities};
use couplet_speculation::{
    Closing, Coin, Lenience, Outcome, Round, RoundError, Rule, Typical, argmax, deviation,
    exact_round, joint_of_next, total_variation, verify,
};

fn lenience(value: f64) -> Rule {
    Rule::Lenience(Lenience::new(value).unwrap())
}

/// The mean number of drafted tokens that are kept in a round.
fn mean_accepted(rule: Rule, gamma: usize, draft: Model, target: Model) -> f64 {
    exact_round(rule, gamma, draft, target)
        .iter()
        .map(|((_, accepted), prob)| *accepted as f64 * prob)
        .sum()
}

type Model<'a> = &'a dyn Fn(&[usize]) -> Vec<f64>;

#[test]
fn exactly_those_rules_are_lossless_that_say_so() {
    // With nothing shrunk, Lenience is Rejection.
    for rule in every_rule().chain([lenience(1.0)]) {
        if rule.is_lossless(1.0) {
            let worst = worst_distance(&rule, 0..=4);
            assert!(worst < TOLERANCE, "{rule:?}: {worst} away from the target");
        } else {
            let worst = worst_distance(&rule, 0..=3);
            assert!(worst > 1e-3, "{rule:?}: only {worst} away from the target");
        }
    }
}

/// At temperature 0 both models put everything on one token, which may be another for each.
#[test]
fn exactly_those_rules_write_the_targets_only_text_that_say_so() {
    let certain = |seed: u32| {
        move |before: &[usize]| {
            let place = argmax(&table(seed, 3)(before));
            (0..3)
                .map(|token| f64::from(u8::from(token == place)))
                .collect::<Vec<_>>()
        }
    };
    let typical = |epsilon, delta| Rule::Typical(Typical::new(epsilon, delta).unwrap());
    for rule in every_rule().chain([lenience(0.0), typical(1.0, 1.0)]) {
        let found = (0..8).map(|seed| deviation(rule, 3, certain(2 * seed), certain(2 * seed + 1)));
        let largest = found.fold(0.0, f64::max);
        assert_eq!(
            rule.is_lossless(0.0),
            largest < TOLERANCE,
            "{rule:?}: {largest}"
        );
    }
}

#[test]
fn greedy_is_the_targets_greedy_text() {
    for gamma in 0..=4 {
        for vocabulary in 2..=4 {
            for seed in 0..4 {
                let (draft, target) =
                    (table(2 * seed, vocabulary), table(2 * seed + 1, vocabulary));
                let greedy_target = |context: &[usize]| {
                    let probs = target(context);
                    let mut one_hot = vec![0.0; probs.len()];
                    one_hot[argmax(&probs)] = 1.0;
                    one_hot
                };
                let round = exact_round(Rule::Greedy, gamma, &draft, &target);
                let joint = joint_of_next(&round, gamma, greedy_target);
                let expect = autoregressive_joint(gamma + 1, greedy_target);
                assert_eq!(expect.len(), 1);
                assert!(distance(&joint, &expect) < TOLERANCE);
            }
        }
    }
}

#[test]
fn a_round_sums_to_one_and_commits_one_more_than_it_accepts() {
    for rule in every_rule() {
        let round = exact_round(rule, 3, table(0, 3), table(1, 3));
        assert!((round.values().sum::<f64>() - 1.0).abs() < TOLERANCE);
        for (committed, accepted) in round.keys() {
            assert_eq!(committed.len(), accepted + 1);
        }
    }
}

#[test]
fn a_round_without_a_draft_is_plain_decoding() {
    let target = table(1, 4);
    // Greedy does not draw.
    for rule in every_rule().filter(|rule| *rule != Rule::Greedy) {
        let round = exact_round(rule, 0, table(0, 4), &target);
        for ((committed, accepted), prob) in &round {
            assert_eq!(*accepted, 0);
            assert!((prob - target(&[])[committed[0]]).abs() < TOLERANCE);
        }
    }
}

#[test]
fn enumerated_outcomes_are_the_ones_that_coins_give() {
    // Coins in the middle of 200 × 200 equal cells: frequencies are exact to about a cell.
    let round = Round {
        drafted: &[0],
        draft_probs: &[DRAFT_A.to_vec()],
        target_probs: &[vec![0.2, 0.45, 0.35], TARGET_A.to_vec()],
    };
    let cells = 200;
    let mut counts: BTreeMap<Outcome, f64> = BTreeMap::new();
    for first in 0..cells {
        for second in 0..cells {
            let middle = |cell: usize| (cell as f64 + 0.5) / cells as f64;
            let outcome = verify(Rule::Rejection, &round, &mut |coin| {
                middle(if matches!(coin, Coin::Accept(_)) {
                    first
                } else {
                    second
                })
            });
            *counts.entry(outcome).or_default() += 1.0 / (cells * cells) as f64;
        }
    }
    let exact = outcome_probabilities(Rule::Rejection, &round);
    assert_eq!(counts.len(), exact.len());
    for (outcome, prob) in exact {
        assert!((counts[&outcome] - prob).abs() < 0.01, "{outcome:?}");
    }
}

/// One position keeps as many tokens as the couplings behind the rules agree.
#[test]
fn one_position_of_example_a_keeps_what_the_formulas_say() {
    for (rule, expect) in [
        (Rule::Rejection, 0.7),
        (Rule::Block, 0.7),
        (Rule::Gumbel, 41.0 / 65.0),
        (Rule::MinHash, 41.0 / 65.0),
        (Rule::SampleAndMatch, 0.29),
        (lenience(0.5), 0.9),
    ] {
        let found = mean_accepted(rule, 1, &|_| DRAFT_A.to_vec(), &|_| TARGET_A.to_vec());
        assert!((found - expect).abs() < TOLERANCE, "{rule:?}: {found}");
    }
}

// ---------------------------------------------------------------------------------------------
// Block verification

#[test]
fn block_keeps_as_many_of_example_a_as_published() {
    for (gamma, block, rejection) in [(2, 1.25, 1.19), (3, 1.695, 1.533)] {
        for (rule, expect) in [(Rule::Block, block), (Rule::Rejection, rejection)] {
            let found = mean_accepted(rule, gamma, &|_| DRAFT_A.to_vec(), &|_| TARGET_A.to_vec());
            assert!((found - expect).abs() < TOLERANCE, "{rule:?}: {found}");
        }
    }
}

#[test]
fn block_never_keeps_fewer_than_rejection() {
    let mut more = 0;
    for seed in 0..1_500 {
        let vocabulary = 2 + seed as usize % 2;
        let gamma = 1 + seed as usize / 2 % 3;
        let (draft, target) = (table(2 * seed, vocabulary), table(2 * seed + 1, vocabulary));
        let block = mean_accepted(Rule::Block, gamma, &draft, &target);
        let rejection = mean_accepted(Rule::Rejection, gamma, &draft, &target);
        assert!(
            block > rejection - TOLERANCE,
            "{seed}: {block} < {rejection}"
        );
        more += u32::from(block > rejection + 1e-6);
    }
    assert!(more > 200, "and often more: {more}");
}

/// By hand on example A: the ratio of a prefix, its residual's mass and how probably it is kept.
#[test]
fn prefixes_of_a_block_have_their_numbers() {
    let round = Round {
        drafted: &[0, 2],
        draft_probs: &vec![DRAFT_A.to_vec(); 2],
        target_probs: &vec![TARGET_A.to_vec(); 3],
    };
    let prefixes = block_prefixes(&round);
    let close = |found: f64, expect: f64| assert!((found - expect).abs() < TOLERANCE);
    close(prefixes[0].residual_mass.unwrap(), 0.3);
    close(prefixes[0].keep_prob, 1.0);
    close(prefixes[1].ratio, 0.4);
    close(prefixes[1].residual_mass.unwrap(), 0.0);
    close(prefixes[1].keep_prob, 0.0);
    close(prefixes[2].ratio, 1.0);
    assert_eq!(prefixes[2].residual_mass, None);
    close(prefixes[2].keep_prob, 1.0);
}

/// Behind a token that the target never writes no prefix is kept, whatever the draft says of the
/// tokens after it.
#[test]
fn behind_an_impossible_token_every_prefix_is_refused() {
    let round = Round {
        drafted: &[0, 0],
        draft_probs: &[vec![0.5, 0.5], vec![0.0, 1.0]],
        target_probs: &[vec![0.0, 1.0], vec![0.5, 0.5], vec![0.5, 0.5]],
    };
    let kept = block_prefixes(&round).into_iter().map(|it| it.keep_prob);
    assert_eq!(kept.collect::<Vec<_>>(), [1.0, 0.0, 0.0]);
}

/// A prefix that the target can never write is not kept by any coin, equal rows by every coin.
#[test]
fn impossible_prefixes_are_refused_and_equal_rows_kept() {
    let half = vec![0.5, 0.5];
    let round = Round {
        drafted: &[0, 1],
        draft_probs: &[half.clone(), half.clone()],
        target_probs: &[vec![0.0, 1.0], half.clone(), half.clone()],
    };
    let outcome = verify(Rule::Block, &round, &mut |_| 0.0);
    assert_eq!((outcome.accepted, outcome.token), (0, 1));
    let equal = Round {
        target_probs: &vec![half.clone(); 3],
        ..round
    };
    let kept = block_prefixes(&equal).into_iter().map(|it| it.keep_prob);
    assert_eq!(kept.collect::<Vec<_>>(), [1.0; 3], "nothing by nothing");
    let outcome = verify(Rule::Block, &equal, &mut |_| 1.0 - 2f64.powi(-24));
    assert_eq!((outcome.accepted, outcome.closing), (2, Closing::Bonus));
}

// ---------------------------------------------------------------------------------------------
// The rules that are not lossless

/// The formulas of one position, applied position by position, are the enumerated round.
fn assert_deviates_as_theory_says(rule: Rule, output: fn(Rule, &[f64], &[f64]) -> Vec<f64>) {
    let mut largest = 0.0f64;
    for seed in 0..12 {
        let vocabulary = 2 + seed as usize % 2;
        let (draft, target) = (table(2 * seed, vocabulary), table(2 * seed + 1, vocabulary));
        let (draft_probs, target_probs) = (draft(&[]), target(&[]));
        let expect = output(rule, &draft_probs, &target_probs);
        assert_close(&first_token(&rule, &draft_probs, &target_probs), &expect);
        // With one drafted token the rest is the target's, so the first token's deviation is all.
        let theory = total_variation(&expect, &target_probs);
        let found = deviation(rule, 1, &draft, &target);
        assert!(
            (found - theory).abs() < TOLERANCE,
            "{found} is not {theory}"
        );
        largest = largest.max(found);
    }
    assert!(largest > 0.01, "{rule:?} deviates by {largest} only");
    assert!(!rule.is_lossless(1.0));
    assert_detected(&rule);
}

#[test]
fn lenience_deviates_as_theory_says() {
    for value in [0.0, 0.2, 0.5, 0.9] {
        assert_deviates_as_theory_says(lenience(value), |rule, draft, target| {
            let Rule::Lenience(lenience) = rule else {
                panic!("{rule:?}");
            };
            lenience_output(draft, target, lenience)
        });
    }
    let half = Lenience::new(0.5).unwrap();
    assert!((lenience_acceptance(&DRAFT_A, &TARGET_A, half) - 0.9).abs() < TOLERANCE);
    let output = [2.0 / 5.0, 18.0 / 55.0, 3.0 / 11.0];
    assert_close(&lenience_output(&DRAFT_A, &TARGET_A, half), &output);
    assert_close(&first_token(&lenience(0.5), &DRAFT_A, &TARGET_A), &output);
}

#[test]
fn typical_acceptance_deviates_as_theory_says() {
    for (epsilon, delta) in [(0.09, 0.3), (0.3, 0.6), (0.05, 1.0)] {
        let rule = Rule::Typical(Typical::new(epsilon, delta).unwrap());
        assert_deviates_as_theory_says(rule, |rule, draft, target| {
            let Rule::Typical(typical) = rule else {
                panic!("{rule:?}");
            };
            typical_output(draft, target, typical)
        });
    }
    // Every token of example A is typical: the text is the draft's.
    let typical = Typical::default();
    assert!((typical_acceptance(&DRAFT_A, &TARGET_A, typical) - 1.0).abs() < TOLERANCE);
    assert_close(
        &first_token(&Rule::Typical(typical), &DRAFT_A, &TARGET_A),
        &DRAFT_A,
    );
}

// ---------------------------------------------------------------------------------------------
// Rows that do not fit

/// Models with different tokenizers.
#[test]
fn rows_over_different_vocabularies_are_refused() {
    let round = Round {
        drafted: &[1],
        draft_probs: &[vec![0.5, 0.5]],
        target_probs: &vec![TARGET_A.to_vec(); 2],
    };
    let error = round.check().unwrap_err();
    assert_eq!(
        error,
        RoundError::Vocabularies {
            vocabulary: 3,
            other: 2
        }
    );
    for rule in every_rule() {
        let verdict = std::panic::catch_unwind(|| verify(rule, &round, &mut |_: Coin| 0.5));
        assert!(verdict.is_err(), "{rule:?}");
    }
    let unknown = Round {
        drafted: &[3],
        draft_probs: &[DRAFT_A.to_vec()],
        ..round
    };
    assert_eq!(
        unknown.check().unwrap_err().to_string(),
        "`drafted` holds token 3, but there are only 3"
    );
}
