//! Couplings: the exact formulas among themselves, and what is drawn against them.

mod common;

use common::*;
use couplet_speculation::couplings::{MAX_RECORDED_DARTS, Region, Steps};
use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS};
use couplet_speculation::random::{Purpose, words};
use couplet_speculation::{Coupling, Pair, chi_square, normalised, residual};

/// Two distributions of many kinds: peaked and flat, alike and different, with zeros.
fn random_pair(case: u32, vocabulary: usize) -> Pair {
    let number = |lane: usize| {
        let bits = words(77, case, Purpose::Training, lane as u32)[0];
        f64::from(bits) / f64::from(u32::MAX)
    };
    let sharpness = 6.0 * number(0);
    let mix = number(1);
    let zeros = 0.4 * number(2);
    let row = |from: usize| -> Vec<f64> {
        let mut weights: Vec<f64> = (0..vocabulary)
            .map(|token| {
                let (own, shared) = (number(from + token), number(3 + token));
                if own < zeros {
                    0.0
                } else {
                    mix * own.powf(sharpness) + (1.0 - mix) * shared.powf(sharpness)
                }
            })
            .collect();
        weights[case as usize % vocabulary] += 1e-3;
        normalised(&weights).unwrap()
    };
    Pair::new(&row(3 + vocabulary), &row(3 + 2 * vocabulary)).unwrap()
}

/// The sum formula of Daliri, Musco and Suresh, as it is printed.
fn printed_gumbel_agreement(draft: &[f64], target: &[f64]) -> f64 {
    (0..draft.len())
        .filter(|&i| draft[i] > 0.0 && target[i] > 0.0)
        .map(|i| {
            let sum: f64 = (0..draft.len())
                .map(|j| (target[j] / target[i]).max(draft[j] / draft[i]))
                .sum();
            1.0 / sum
        })
        .sum()
}

// ---------------------------------------------------------------------------------------------
// Exact

#[test]
fn agreements_keep_their_order_over_many_pairs() {
    let mut strict = [0; 3];
    for case in 0..120_000 {
        let pair = random_pair(case, 2 + case as usize % 7);
        let descending = [
            1.0 - pair.total_variation(),
            pair.agreement(Coupling::Gumbel),
            pair.agreement(Coupling::MinHash),
            pair.agreement_bound(),
        ];
        for (place, two) in descending.windows(2).enumerate() {
            assert!(two[0] >= two[1] - 1e-12, "case {case}: {descending:?}");
            strict[place] += u32::from(two[0] > two[1] + 1e-9);
        }
        if pair.vocabulary() == 2 {
            assert!((descending[0] - descending[2]).abs() < TOLERANCE);
        }
    }
    assert!(strict.iter().all(|&count| count > 50_000), "{strict:?}");
}

#[test]
fn joints_have_both_marginals_and_the_agreement() {
    for case in 0..600 {
        let pair = random_pair(case, 2 + case as usize % 30);
        for coupling in Coupling::ALL {
            let joint = pair.joint(coupling).unwrap();
            assert!(joint.probs().iter().all(|&prob| prob >= 0.0));
            assert_close(&joint.draft_marginal(), pair.draft_probs());
            assert_close(&joint.target_marginal(), pair.target_probs());
            let agreement = pair.agreement(coupling);
            assert!((joint.agreement() - agreement).abs() < TOLERANCE);
            for token in 0..pair.vocabulary() {
                let row = coupling.joint_row(pair.draft_probs(), pair.target_probs(), token);
                assert_eq!(row, joint.row(token));
            }
        }
    }
}

#[test]
fn the_gumbel_agreement_is_the_printed_sum() {
    for case in 0..2_000 {
        let pair = random_pair(case, 2 + case as usize % 40);
        let printed = printed_gumbel_agreement(pair.draft_probs(), pair.target_probs());
        assert!((pair.agreement(Coupling::Gumbel) - printed).abs() < TOLERANCE);
    }
}

/// Three tokens by hand: on A, with d/t = 5/2, 1, 2/5, the integral of S^−2 runs over two pieces.
#[test]
fn the_gumbel_joint_of_example_a_comes_out_by_hand() {
    let joint = Pair::new(&DRAFT_A, &TARGET_A)
        .unwrap()
        .joint(Coupling::Gumbel)
        .unwrap();
    // S(2/5) = 1, S(1) = 1.3, S(5/2) = 2.5.
    let (first, second) = (0.6 / 1.3, 1.5 / (1.3 * 2.5));
    assert_close(joint.row(0), &[0.2, 0.15 * second, 0.25 * (first + second)]);
    assert_close(joint.row(1), &[0.0, 3.0 / 13.0, 0.15 * first]);
    assert_close(joint.row(2), &[0.0, 0.0, 0.2]);
}

/// Equal rows, disjoint rows, tokens that nobody draws, and ratios that overflow.
#[test]
fn joints_at_the_edges_are_finite() {
    for (draft, target, agreement) in [
        ([0.25, 0.25, 0.5], [0.25, 0.25, 0.5], 1.0),
        ([1.0, 0.0, 0.0], [0.0, 0.5, 0.5], 0.0),
        ([0.5, 0.5, 0.0], [0.5, 0.5, 0.0], 1.0),
        ([1.0, 5e-324, 0.0], [5e-324, 1.0, 0.0], 0.0),
    ] {
        let pair = Pair::new(&draft, &target).unwrap();
        for coupling in [Coupling::MinHash, Coupling::Gumbel, Coupling::Optimal] {
            let joint = pair.joint(coupling).unwrap();
            assert!(
                (joint.agreement() - agreement).abs() < TOLERANCE,
                "{coupling:?}"
            );
            assert_close(&joint.draft_marginal(), &draft);
            assert_close(&joint.target_marginal(), &target);
        }
    }
    let large = vec![1.0 / 4096.0; 2 * MAX_JOINT_TOKENS];
    let pair = Pair::new(&large, &large).unwrap();
    assert_eq!(
        pair.joint(Coupling::Gumbel).unwrap_err(),
        InputError::JointTooLarge { count: 4096 }
    );
    assert!((pair.agreement(Coupling::Gumbel) - 1.0).abs() < TOLERANCE);
}

// ---------------------------------------------------------------------------------------------
// Drawn

/// How many standard errors a count is away from what is expected.
fn deviations(count: u64, trials: u64, prob: f64) -> f64 {
    let trials = trials as f64;
    // A certain event must happen every time.
    let error = (trials * prob * (1.0 - prob)).max(1e-12).sqrt();
    (count as f64 - trials * prob).abs() / error
}

/// Agreement and marginals, both of the most probable token and of half of all tokens.
#[test]
fn couplings_draw_what_the_formulas_say() {
    let mut worst = 0.0f64;
    for case in 0..200u32 {
        // From 2 to 2000 tokens, each decade as often.
        let vocabulary = (2.0 * 1000f64.powf(f64::from(case) / 199.0)).round() as usize;
        let pair = random_pair(case, vocabulary);
        let trials = (100_000 / vocabulary as u64).clamp(150, 4_000);
        for coupling in Coupling::ALL {
            let mut agreed = 0;
            let [mut draft_counts, mut target_counts] = [0, 1].map(|_| vec![0u64; vocabulary]);
            for trial in 0..trials as u32 {
                let drawn = pair.sample(coupling, u64::from(case), trial);
                agreed += u64::from(drawn.agrees());
                draft_counts[drawn.draft] += 1;
                target_counts[drawn.target] += 1;
            }
            let mut check = |what, count, prob: f64| {
                // Counts are nearly normal when both outcomes are expected several times.
                if prob.min(1.0 - prob) * trials as f64 > 8.0 {
                    let found = deviations(count, trials, prob);
                    assert!(found < 4.0, "case {case}, {coupling:?}, {what}: {found}");
                    worst = worst.max(found);
                }
            };
            check("agreement", agreed, pair.agreement(coupling));
            for (what, counts, probs) in [
                ("draft", &draft_counts, pair.draft_probs()),
                ("target", &target_counts, pair.target_probs()),
            ] {
                let first = couplet_speculation::argmax(probs);
                check(what, counts[first], probs[first]);
                let half = |token: &usize| token.is_multiple_of(2);
                let count = (0..vocabulary)
                    .filter(half)
                    .map(|token| counts[token])
                    .sum();
                check(
                    what,
                    count,
                    (0..vocabulary).filter(half).map(|token| probs[token]).sum(),
                );
                let p_value = chi_square(counts, probs).p_value;
                assert!(
                    p_value > 1e-6,
                    "case {case}, {coupling:?}, {what}: {p_value}"
                );
            }
        }
    }
    assert!(
        worst > 2.0,
        "some of so many counts are far from the middle"
    );
}

#[test]
fn drawn_joints_are_the_exact_ones() {
    for case in 0..12u32 {
        let vocabulary = 3 + case as usize % 4;
        let pair = random_pair(case, vocabulary);
        for coupling in Coupling::ALL {
            let joint = pair.joint(coupling).unwrap();
            let mut counts = vec![0u64; vocabulary * vocabulary];
            for trial in 0..20_000 {
                let drawn = pair.sample(coupling, 1000 + u64::from(case), trial);
                counts[drawn.draft * vocabulary + drawn.target] += 1;
            }
            // Rows of f32 may sum to a little more or less than one.
            let p_value = chi_square(&counts, &normalised(joint.probs()).unwrap()).p_value;
            assert!(p_value > 1e-4, "case {case}, {coupling:?}: p = {p_value}");
        }
    }
}

#[test]
fn steps_lead_to_what_is_drawn() {
    let mut regions = [0, 0];
    for case in 0..60u32 {
        let vocabulary = 2 + 7 * case as usize;
        let pair = random_pair(case, vocabulary);
        let (draft, target) = (pair.draft_probs(), pair.target_probs());
        for trial in 0..5 {
            for coupling in Coupling::ALL {
                let (drawn, steps) = pair.sample_with_steps(coupling, 3, trial);
                assert_eq!(drawn, pair.sample(coupling, 3, trial));
                match steps {
                    Steps::Independent {
                        draft_number,
                        target_number,
                    } => {
                        assert_eq!(couplet_speculation::draw(draft, draft_number), drawn.draft);
                        assert_eq!(
                            couplet_speculation::draw(target, target_number),
                            drawn.target
                        );
                    }
                    Steps::MinHash { darts, thrown } => {
                        assert!(darts.len() == thrown.min(MAX_RECORDED_DARTS));
                        let first =
                            |under: fn(&couplet_speculation::couplings::DartPair) -> bool| {
                                darts.iter().find(|dart| under(dart)).unwrap().token
                            };
                        assert_eq!(first(|dart| dart.under_draft), drawn.draft);
                        assert_eq!(first(|dart| dart.under_target), drawn.target);
                        let last = darts.last().unwrap();
                        assert!(last.under_draft || last.under_target);
                        for dart in &darts {
                            let below = |probs: &[f64]| dart.height < probs[dart.token] + 1e-7;
                            assert!(!dart.under_draft || below(draft));
                            assert!(!dart.under_target || below(target));
                        }
                    }
                    Steps::Gumbel { clocks } => {
                        assert_eq!(clocks.len(), vocabulary);
                        let winner = |time: fn(
                            &couplet_speculation::couplings::ClockPair,
                        ) -> Option<f32>| {
                            let time = |token: &usize| time(&clocks[*token]).unwrap_or(f32::MAX);
                            (0..vocabulary)
                                .min_by(|a, b| time(a).total_cmp(&time(b)))
                                .unwrap()
                        };
                        assert_eq!(winner(|clock| clock.draft), drawn.draft);
                        assert_eq!(winner(|clock| clock.target), drawn.target);
                    }
                    Steps::Optimal {
                        height,
                        region,
                        residual_number,
                        ..
                    } => {
                        assert!(height < draft[drawn.draft]);
                        let overlaps = height < target[drawn.draft];
                        assert_eq!(region == Region::Overlap, overlaps);
                        assert_eq!(residual_number.is_none(), overlaps);
                        assert!(!overlaps || drawn.agrees());
                        if !overlaps {
                            let residual = residual(draft, target).unwrap();
                            assert!(residual[drawn.target] > 0.0);
                        }
                        regions[usize::from(overlaps)] += 1;
                    }
                }
            }
        }
    }
    assert!(regions.iter().all(|&count| count > 20), "{regions:?}");
}

// ---------------------------------------------------------------------------------------------
// Acceptance-rejection sampling

#[test]
fn acceptance_rejection_takes_as_many_attempts_as_the_largest_ratio() {
    let pair = Pair::new(&DRAFT_A, &TARGET_A).unwrap();
    assert!((pair.expected_attempts().unwrap() - 2.5).abs() < TOLERANCE);
}

#[test]
fn acceptance_rejection_needs_a_proposal_that_reaches_everything() {
    let pair = Pair::new(&[1.0, 0.0], &[0.5, 0.5]).unwrap();
    let error = pair.expected_attempts().unwrap_err();
    assert_eq!(error, InputError::Unreachable { token: 1 });
    assert_eq!(
        error.to_string(),
        "`draft` never draws token 1, which `target` does: no number of trials is enough"
    );
}
