//! Wrong rules, and that the checks which say that a rule is right notice every one of them.

mod common;

use common::*;
use couplet_speculation::rules::outcome_probabilities;
use couplet_speculation::rules::wrong::{COIN_OF_ZERO, IMPROBABLE, WrongRule};
use couplet_speculation::{
    Chance, Closing, Coin, Coins, Outcome, Procedure, Round, Rule, draw, residual, total_variation,
};

/// A pair whose residual has two tokens.
const DRAFT_B: [f64; 3] = [0.6, 0.2, 0.2];
const TARGET_B: [f64; 3] = [0.2, 0.35, 0.45];

fn check_output(wrong: WrongRule, draft: &[f64], target: &[f64], expect: &[f64]) {
    assert_close(&wrong.output(draft, target), expect);
    let theory = total_variation(expect, target);
    let found = wrong.deviation(1, draft, target);
    assert!((found - theory).abs() < TOLERANCE, "{wrong:?}: {found}");
}

/// Calculated by hand.
#[test]
fn one_position_of_every_mistake_has_its_exact_numbers() {
    use WrongRule::*;
    let (a, b) = ((&DRAFT_A, &TARGET_A), (&DRAFT_B, &TARGET_B));
    check_output(ResamplesFromTarget, a.0, a.1, &[0.26, 0.39, 0.35]);
    check_output(GreedyDraft, a.0, a.1, &[0.4, 0.0, 0.6]);
    check_output(DropsImprobableDrafts, a.0, a.1, &[0.24, 0.36, 0.40]);
    check_output(MatchOrRatio, &[1.0, 0.0], &[0.5, 0.5], &[0.75, 0.25]);
    // Kept are .1, .09 and .1, and the residual of A is its last token.
    check_output(MatchThenResidual, a.0, a.1, &[0.1, 0.09, 0.81]);
    check_output(ResidualNotClipped, a.0, a.1, &[0.35, 0.3, 0.35]);
    // Sorted, the rows of A are equal, and what is left is a draw from the target.
    check_output(ResidualOfRanks, a.0, a.1, &[0.26, 0.39, 0.35]);
    check_output(RatioUpsideDown, a.0, a.1, &DRAFT_A);
    check_output(GreedyResidual, b.0, b.1, &[0.2, 0.2, 0.6]);
    check_output(ResidualNotNormalised, b.0, b.1, &[0.2, 0.26, 0.54]);
    // The coin that rejected is above 1/3, and token 1 lies below 3/8.
    check_output(ReplacementWithTheSameCoin, b.0, b.1, &[0.2, 0.225, 0.575]);
    // Kept are 1/5, 3/13 and 1/5, and the residual is token 2.
    check_output(
        SharedNoiseThenResidual,
        a.0,
        a.1,
        &[0.2, 3.0 / 13.0, 37.0 / 65.0],
    );
    let passes = 0.5 * COIN_OF_ZERO;
    check_output(NotStrict, &[0.5, 0.5], &[0.0, 1.0], &[passes, 1.0 - passes]);
}

#[test]
fn mistakes_of_longer_blocks_have_their_exact_numbers() {
    // If the first token of A is 0 and kept, the coin is below .4, and a second 0 is kept too:
    // (0, 0) has .1 instead of .04, and (0, 2) what is missing.
    let one_coin = WrongRule::OneCoinForAllPositions;
    assert!(one_coin.deviation(1, &DRAFT_A, &TARGET_A) < TOLERANCE);
    assert!((one_coin.deviation(2, &DRAFT_A, &TARGET_A) - 0.06).abs() < TOLERANCE);
    // A first token of 0 has a keeping probability of 0, which only a longer prefix can make good.
    let stops = WrongRule::BlockStopsAtTheFirst;
    assert!(stops.deviation(1, &DRAFT_A, &TARGET_A) < TOLERANCE);
    assert!((stops.deviation(2, &DRAFT_A, &TARGET_A) - 0.2).abs() < TOLERANCE);
    // .7 are kept, and the rows are .3 apart.
    let found = couplet_speculation::deviation(
        WrongRule::BonusFromTheRowBefore,
        1,
        |_| DRAFT_A.to_vec(),
        |context| {
            if context.is_empty() {
                TARGET_A
            } else {
                DRAFT_A
            }
            .to_vec()
        },
    );
    assert!((found - 0.21).abs() < TOLERANCE, "{found}");
}

#[test]
fn every_mistake_is_detected() {
    for wrong in WrongRule::ALL {
        if wrong == WrongRule::NotStrict {
            // Once in eight million times: only exact numbers show it.
            assert!(worst_distance(&wrong, 0..=3) > 1e-9);
        } else {
            assert_detected(&wrong);
        }
    }
}

/// `≤` where `<` is meant.
#[test]
fn a_coin_of_zero_keeps_nothing_impossible() {
    /// Uniform numbers, compared with `≤`.
    struct Loose<F>(F);
    impl<F: FnMut(Coin) -> f64> Chance for Loose<F> {
        fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool {
            (self.0)(coin) * draft_prob <= target_prob
        }
        fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize {
            draw(weights, (self.0)(coin))
        }
    }

    /// Whether all of a round's tokens can come from the target, over every drafted pair and
    /// every combination of coins on a grid with both ends.
    fn stays_possible<C: Chance>(chance: impl Fn(Vec<f64>) -> C) -> bool {
        let draft_probs = vec![vec![0.5, 0.25, 0.25, 0.0]; 2];
        let target_probs = vec![vec![0.0, 0.5, 0.0, 0.5]; 3];
        let grid = [0.0, 0.5, 1.0 - 2f64.powi(-24)];
        let mut possible = true;
        for case in 0..16 * 27 {
            let drafted = [case % 4, case / 4 % 4];
            let round = Round {
                drafted: &drafted,
                draft_probs: &draft_probs,
                target_probs: &target_probs,
            };
            let coins = vec![
                grid[case / 16 % 3],
                grid[case / 48 % 3],
                grid[case / 144 % 3],
            ];
            let outcome = Rule::Rejection.decide(&round, &mut chance(coins));
            let kept = &drafted[..outcome.accepted];
            possible &= kept
                .iter()
                .chain([&outcome.token])
                .enumerate()
                .all(|(i, &token)| target_probs[i][token] > 0.0);
        }
        possible
    }

    fn pick(coins: Vec<f64>) -> impl FnMut(Coin) -> f64 {
        move |coin| match coin {
            Coin::Accept(i) => coins[i],
            _ => coins[2],
        }
    }

    assert!(stays_possible(|coins| Coins(pick(coins))));
    assert!(
        !stays_possible(|coins| Loose(pick(coins))),
        "the mistake must show"
    );
}

/// A residual that sums to zero.
#[test]
fn a_residual_of_zero_mass_is_detected() {
    /// The token that follows a rejection which only rounding can cause.
    fn after_rejection(replacement: fn(&[f64], &[f64]) -> Vec<f64>, u: f64) -> usize {
        // Rounding, exaggerated: the target's row sums to less than the draft's.
        let (draft, target) = ([0.6, 0.4, 0.0], [0.5, 0.4, 0.0]);
        let weights = replacement(&draft, &target);
        let total: f64 = weights.iter().sum();
        // The inverse CDF without a guard, as a kernel would have it.
        let mut cumulative = 0.0;
        for (id, weight) in weights.iter().enumerate() {
            cumulative += weight;
            if cumulative > u * total {
                return id;
            }
        }
        weights.len() - 1
    }
    let unguarded = |draft: &[f64], target: &[f64]| -> Vec<f64> {
        let left: Vec<f64> = draft
            .iter()
            .zip(target)
            .map(|(d, t)| (t - d).max(0.0))
            .collect();
        let mass: f64 = left.iter().sum();
        left.iter().map(|weight| weight / mass).collect()
    };
    fn guarded(draft: &[f64], target: &[f64]) -> Vec<f64> {
        residual(draft, target).unwrap_or_else(|| target.to_vec())
    }
    for u in [0.1, 0.7] {
        assert_eq!(
            after_rejection(unguarded, u),
            2,
            "the target never draws token 2"
        );
        assert!(after_rejection(guarded, u) < 2);
    }

    // The rule itself, enumerated: after such a rejection it draws from the target, all of it.
    let round = Round {
        drafted: &[0],
        draft_probs: &[vec![0.6, 0.4, 0.0]],
        target_probs: &[vec![0.5, 0.4, 0.0], vec![1.0, 0.0, 0.0]],
    };
    let outcomes = outcome_probabilities(Rule::Rejection, &round);
    let replaced = |token| Outcome {
        accepted: 0,
        token,
        closing: Closing::Residual,
    };
    let rejected = 1.0 - 0.5 / 0.6;
    assert!((outcomes[&replaced(0)] - rejected * 5.0 / 9.0).abs() < TOLERANCE);
    assert!((outcomes[&replaced(1)] - rejected * 4.0 / 9.0).abs() < TOLERANCE);
    assert!(!outcomes.contains_key(&replaced(2)));
}

/// Ending the block after an improbable token is fine.
#[test]
fn stopping_after_an_improbable_draft_is_lossless() {
    struct StopsAfter;
    impl Procedure for StopsAfter {
        fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
            let end = (0..round.gamma())
                .find(|&i| round.draft_probs[i][round.drafted[i]] < IMPROBABLE)
                .map_or(round.gamma(), |i| i + 1);
            let shorter = Round {
                drafted: &round.drafted[..end],
                draft_probs: &round.draft_probs[..end],
                target_probs: &round.target_probs[..=end],
            };
            Rule::Rejection.decide(&shorter, chance)
        }
    }
    assert_lossless(&StopsAfter);
}
