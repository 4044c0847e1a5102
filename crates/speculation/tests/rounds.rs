//! Whole rounds: the shipped rules give exactly the target's text, and every known mistake is
//! noticed by the very checks that say so.

use std::collections::BTreeMap;

use couplet_speculation::random::threefry2x32;
use couplet_speculation::rules::{autoregressive_joint, outcome_probabilities};
use couplet_speculation::{
    Chance, Coin, Coins, Outcome, Procedure, Purpose, Round, Rule, Verdict, argmax, chi_square,
    draw, exact_round, joint_of_next, residual, uniform, verify,
};

const DRAFT_A: [f64; 3] = [0.5, 0.3, 0.2];
const TARGET_A: [f64; 3] = [0.2, 0.3, 0.5];

/// What the joint of γ + 1 tokens may be away from the target's.
const TOLERANCE: f64 = 1e-12;

// ---------------------------------------------------------------------------------------------
// Table models

/// A distribution per context, drawn from `seed`: peaked, flat, and with zeros now and then.
fn table(seed: u32, vocabulary: usize) -> impl Fn(&[usize]) -> Vec<f64> {
    move |context| {
        let state = context
            .iter()
            .fold([seed, context.len() as u32], |state, &token| {
                threefry2x32([seed, 1], [state[0], state[1] ^ token as u32])
            });
        let number = |lane: u32| f64::from(threefry2x32(state, [lane, 2])[0]) / f64::from(u32::MAX);
        let sharpness = 4.0 * number(vocabulary as u32);
        let mut weights: Vec<f64> = (0..vocabulary as u32)
            .map(|token| {
                if number(token) < 0.2 {
                    0.0
                } else {
                    number(token).powf(sharpness)
                }
            })
            .collect();
        if weights.iter().sum::<f64>() == 0.0 {
            weights[context.len() % vocabulary] = 1.0;
        }
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }
}

/// The largest difference between two joints.
fn distance(found: &BTreeMap<Vec<usize>, f64>, expect: &BTreeMap<Vec<usize>, f64>) -> f64 {
    let of = |joint: &BTreeMap<Vec<usize>, f64>, text| joint.get(text).copied().unwrap_or(0.0);
    found
        .keys()
        .chain(expect.keys())
        .map(|text| (of(found, text) - of(expect, text)).abs())
        .fold(0.0, f64::max)
}

/// How far the text of `procedure` is from the target's, over random table models: the largest
/// difference in the joint of γ + 1 tokens.
fn worst_distance(procedure: &impl Procedure, gammas: std::ops::RangeInclusive<usize>) -> f64 {
    let mut worst = 0.0f64;
    for gamma in gammas {
        for vocabulary in 2..=4 {
            for seed in 0..4 {
                let draft = table(2 * seed, vocabulary);
                let target = table(2 * seed + 1, vocabulary);
                let round = exact_round(procedure, gamma, &draft, &target);
                let joint = joint_of_next(&round, gamma, &target);
                worst = worst.max(distance(&joint, &autoregressive_joint(gamma + 1, &target)));
            }
        }
    }
    worst
}

fn assert_lossless(procedure: &impl Procedure) {
    let worst = worst_distance(procedure, 0..=4);
    assert!(
        worst < TOLERANCE,
        "the joint is {worst} away from the target's"
    );
}

fn assert_detected(procedure: &impl Procedure) {
    let worst = worst_distance(procedure, 0..=3);
    assert!(worst > 1e-3, "the mistake shows by {worst} only");
}

/// The distribution of the first token after a round of one drafted token.
fn first_token(procedure: &impl Procedure, draft: &[f64], target: &[f64]) -> Vec<f64> {
    let round = exact_round(procedure, 1, |_| draft.to_vec(), |_| target.to_vec());
    let mut probs = vec![0.0; target.len()];
    for ((committed, _), prob) in &round {
        probs[committed[0]] += prob;
    }
    probs
}

fn assert_close(found: &[f64], expect: &[f64]) {
    assert_eq!(found.len(), expect.len());
    for (a, b) in found.iter().zip(expect) {
        assert!((a - b).abs() < TOLERANCE, "{found:?} is not {expect:?}");
    }
}

// ---------------------------------------------------------------------------------------------
// The shipped rules

#[test]
fn rejection_is_lossless() {
    assert_lossless(&Rule::Rejection);
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
    let round = exact_round(Rule::Rejection, 3, table(0, 3), table(1, 3));
    assert!((round.values().sum::<f64>() - 1.0).abs() < TOLERANCE);
    for (committed, accepted) in round.keys() {
        assert_eq!(committed.len(), accepted + 1);
    }
}

#[test]
fn a_round_without_a_draft_is_plain_decoding() {
    let target = table(1, 4);
    let round = exact_round(Rule::Rejection, 0, table(0, 4), &target);
    for ((committed, accepted), prob) in &round {
        assert_eq!(*accepted, 0);
        assert!((prob - target(&[])[committed[0]]).abs() < TOLERANCE);
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

// ---------------------------------------------------------------------------------------------
// Wrong rules, and the checks that notice them

/// Rejection, with its parts exchangeable for wrong ones.
struct Variant {
    proposal: fn(&[f64]) -> Vec<f64>,
    /// The coin that decides on a position.
    accept_coin: fn(usize) -> Coin,
    /// The coin that draws the replacement at a position.
    replacement_coin: fn(usize) -> Coin,
    /// What a rejected position is drawn from.
    replacement: fn(&[f64], &[f64]) -> Vec<f64>,
    /// Whether a token is rejected because the draft gives it this probability.
    discards: fn(f64) -> bool,
    /// What a discarded position is drawn from.
    discarded_replacement: fn(&[f64], &[f64]) -> Vec<f64>,
    /// Whether the block ends after a token to which the draft gave this probability.
    stops_after: fn(f64) -> bool,
}

const RIGHT: Variant = Variant {
    proposal: <[f64]>::to_vec,
    accept_coin: Coin::Accept,
    replacement_coin: Coin::Residual,
    replacement: |draft, target| residual(draft, target).unwrap_or_else(|| target.to_vec()),
    discards: |_| false,
    discarded_replacement: |_, target| target.to_vec(),
    stops_after: |_| false,
};

impl Procedure for Variant {
    fn proposal(&self, draft_probs: &[f64]) -> Vec<f64> {
        (self.proposal)(draft_probs)
    }

    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        let mut end = round.gamma();
        for (i, &token) in round.drafted.iter().enumerate() {
            let (draft, target) = (&round.draft_probs[i], &round.target_probs[i]);
            let weights = if (self.discards)(draft[token]) {
                (self.discarded_replacement)(draft, target)
            } else if chance.keeps((self.accept_coin)(i), draft[token], target[token]) {
                if (self.stops_after)(draft[token]) {
                    end = i + 1;
                    break;
                }
                continue;
            } else {
                (self.replacement)(draft, target)
            };
            let token = chance.draws((self.replacement_coin)(i), &weights);
            return Outcome {
                accepted: i,
                token,
                verdict: Verdict::Residual,
            };
        }
        let token = chance.draws(Coin::Target, &round.target_probs[end]);
        Outcome {
            accepted: end,
            token,
            verdict: Verdict::Bonus,
        }
    }
}

fn one_hot(probs: &[f64]) -> Vec<f64> {
    let mut one_hot = vec![0.0; probs.len()];
    one_hot[argmax(probs)] = 1.0;
    one_hot
}

#[test]
fn the_variant_without_a_mistake_is_lossless() {
    assert_lossless(&RIGHT);
}

#[test]
fn resampling_from_the_target_is_detected() {
    let wrong = Variant {
        replacement: |_, target| target.to_vec(),
        ..RIGHT
    };
    assert_close(
        &first_token(&wrong, &DRAFT_A, &TARGET_A),
        &[0.26, 0.39, 0.35],
    );
    assert_detected(&wrong);
}

/// Trap 1: the distribution that is handed over is not the one that was drawn from.
#[test]
fn a_greedy_draft_with_its_soft_probabilities_is_detected() {
    let wrong = Variant {
        proposal: one_hot,
        ..RIGHT
    };
    assert_close(&first_token(&wrong, &DRAFT_A, &TARGET_A), &[0.4, 0.0, 0.6]);
    assert_detected(&wrong);
}

/// Trap 1, the smaller mistake: another temperature.
#[test]
fn a_draft_drawn_at_another_temperature_is_detected() {
    let wrong = Variant {
        proposal: |probs| {
            let weights: Vec<f64> = probs.iter().map(|prob| prob.powf(0.8)).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        },
        ..RIGHT
    };
    assert_detected(&wrong);
}

/// Trap 2: `≤` where `<` is meant.
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
            Coin::Residual(_) | Coin::Target => coins[2],
        }
    }

    assert!(stays_possible(|coins| Coins(pick(coins))));
    assert!(
        !stays_possible(|coins| Loose(pick(coins))),
        "the mistake must show"
    );
}

/// Trap 3: a residual that sums to zero.
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
    for u in [0.1, 0.7] {
        assert_eq!(
            after_rejection(unguarded, u),
            2,
            "the target never draws token 2"
        );
        assert!(after_rejection(RIGHT.replacement, u) < 2);
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
        verdict: Verdict::Residual,
    };
    let rejected = 1.0 - 0.5 / 0.6;
    assert!((outcomes[&replaced(0)] - rejected * 5.0 / 9.0).abs() < TOLERANCE);
    assert!((outcomes[&replaced(1)] - rejected * 4.0 / 9.0).abs() < TOLERANCE);
    assert!(!outcomes.contains_key(&replaced(2)));

    // A rule that passes the zeros on, enumerated, has nothing to draw.
    let wrong = Variant {
        replacement: |draft, target| {
            draft
                .iter()
                .zip(target)
                .map(|(d, t)| (t - d).max(0.0))
                .collect()
        },
        ..RIGHT
    };
    let enumeration = std::panic::catch_unwind(|| outcome_probabilities(&wrong, &round));
    assert!(enumeration.is_err(), "the mistake must show");
}

/// Trap 5: the residual of two sorted rows, whose ranks are taken for ids.
#[test]
fn a_residual_of_ranks_is_detected() {
    let wrong = Variant {
        replacement: |draft, target| {
            let sorted = |probs: &[f64]| {
                let mut sorted = probs.to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                sorted
            };
            residual(&sorted(draft), &sorted(target)).unwrap_or_else(|| target.to_vec())
        },
        ..RIGHT
    };
    assert_detected(&wrong);
}

/// Trap 8: one coin for every position.
#[test]
fn one_coin_for_all_positions_is_detected() {
    let wrong = Variant {
        accept_coin: |_| Coin::Accept(0),
        ..RIGHT
    };
    // The first token alone does not show it: the joint is needed.
    assert_close(&first_token(&wrong, &DRAFT_A, &TARGET_A), &TARGET_A);
    assert!(worst_distance(&wrong, 0..=1) < TOLERANCE);
    assert_detected(&wrong);
}

/// Trap 8 again: the coin that rejected a token also draws its replacement.
#[test]
fn a_replacement_drawn_with_the_coin_that_rejected_is_detected() {
    assert_detected(&Variant {
        replacement_coin: Coin::Accept,
        ..RIGHT
    });
}

/// Trap 9: a drafted token is dropped because the draft itself finds it improbable.
#[test]
fn discarding_improbable_drafts_is_detected() {
    let wrong = Variant {
        discards: |prob| prob < 0.25,
        ..RIGHT
    };
    assert_close(
        &first_token(&wrong, &DRAFT_A, &TARGET_A),
        &[0.24, 0.36, 0.40],
    );
    assert_detected(&wrong);
    assert_detected(&Variant {
        discarded_replacement: RIGHT.replacement,
        ..wrong
    });
}

/// The other half of trap 9: ending the block after such a token is fine.
#[test]
fn stopping_after_an_improbable_draft_is_lossless() {
    assert_lossless(&Variant {
        stops_after: |prob| prob < 0.4,
        ..RIGHT
    });
}

/// Keeping a token that matches a second, independent draw, or else passes the ratio.
#[test]
fn a_second_chance_by_matching_is_detected() {
    struct MatchOrRatio;
    impl Procedure for MatchOrRatio {
        fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
            let (token, target) = (round.drafted[0], &round.target_probs[0]);
            let own = chance.draws(Coin::Target, target);
            let draft = &round.draft_probs[0];
            if own == token || chance.keeps(Coin::Accept(0), draft[token], target[token]) {
                return Outcome {
                    accepted: 0,
                    token,
                    verdict: Verdict::Residual,
                };
            }
            let residual = residual(draft, target).expect("the draft was rejected");
            let token = chance.draws(Coin::Residual(0), &residual);
            Outcome {
                accepted: 0,
                token,
                verdict: Verdict::Residual,
            }
        }
    }
    assert_close(
        &first_token(&MatchOrRatio, &[1.0, 0.0], &[0.5, 0.5]),
        &[0.75, 0.25],
    );
}

// ---------------------------------------------------------------------------------------------
// The generator and the rule together

/// The p-value of γ + 1 sampled tokens against the target's joint, with the crate's own generator.
fn sampled_p_value(coin_lane: fn(Coin) -> (u32, Purpose)) -> f64 {
    let (gamma, rounds, vocabulary) = (2, 20_000, 3);
    let (draft, target) = (
        |context: &[usize]| {
            if context.len() == 1 {
                vec![0.2, 0.2, 0.6]
            } else {
                DRAFT_A.to_vec()
            }
        },
        |context: &[usize]| {
            if context.len() == 1 {
                vec![0.4, 0.4, 0.2]
            } else {
                TARGET_A.to_vec()
            }
        },
    );
    let joint = autoregressive_joint(gamma + 1, target);
    let index = |text: &[usize]| {
        text.iter()
            .fold(0, |index, token| index * vocabulary + token)
    };
    let mut expected = vec![0.0; vocabulary.pow(gamma as u32 + 1)];
    for (text, prob) in &joint {
        expected[index(text)] = *prob;
    }

    let mut observed = vec![0u64; expected.len()];
    for seed in 0..rounds {
        let coin = |position: usize, purpose| f64::from(uniform(seed, position as u32, purpose, 0));
        let mut drafted: Vec<usize> = vec![];
        for position in 0..gamma {
            drafted.push(draw(&draft(&drafted), coin(position, Purpose::Draft)));
        }
        let draft_probs: Vec<_> = (0..gamma).map(|i| draft(&drafted[..i])).collect();
        let target_probs: Vec<_> = (0..=gamma).map(|i| target(&drafted[..i])).collect();
        let round = Round {
            drafted: &drafted,
            draft_probs: &draft_probs,
            target_probs: &target_probs,
        };
        let outcome = verify(Rule::Rejection, &round, &mut |asked| {
            let (position, purpose) = coin_lane(asked);
            coin(position as usize, purpose)
        });
        let mut text = drafted[..outcome.accepted].to_vec();
        text.push(outcome.token);
        while text.len() <= gamma {
            text.push(draw(&target(&text), coin(text.len(), Purpose::Target)));
        }
        observed[index(&text)] += 1;
    }
    chi_square(&observed, &expected).p_value
}

#[test]
fn sampled_rounds_have_the_targets_joint() {
    let p_value = sampled_p_value(|coin| match coin {
        Coin::Accept(i) => (i as u32, Purpose::Accept),
        Coin::Residual(i) => (i as u32, Purpose::Residual),
        Coin::Target => (2, Purpose::Target),
    });
    assert!(p_value > 1e-3, "p = {p_value}");
}

/// Trap 8 in the caller: the position is left out of the key.
#[test]
fn sampled_rounds_with_a_reused_coin_are_detected() {
    let p_value = sampled_p_value(|coin| match coin {
        Coin::Accept(_) => (0, Purpose::Accept),
        Coin::Residual(i) => (i as u32, Purpose::Residual),
        Coin::Target => (2, Purpose::Target),
    });
    assert!(p_value < 1e-6, "p = {p_value}");
}
