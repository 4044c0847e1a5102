//! Table models, and the distance of a procedure's text from the target's. Every test binary uses
//! its own part of this.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use couplet_speculation::random::threefry2x32;
use couplet_speculation::rules::autoregressive_joint;
use couplet_speculation::{Lenience, Procedure, Rule, Typical, exact_round, joint_of_next};

pub const DRAFT_A: [f64; 3] = [0.5, 0.3, 0.2];
pub const TARGET_A: [f64; 3] = [0.2, 0.3, 0.5];

/// One rule of every kind, each with parameters at which it is not another rule.
pub fn every_rule() -> impl Iterator<Item = Rule> {
    Rule::every(Lenience::new(0.5).unwrap(), Typical::default())
}

/// What the joint of γ + 1 tokens may be away from the target's.
pub const TOLERANCE: f64 = 1e-12;

/// A distribution per context, drawn from `seed`: peaked, flat, and with zeros now and then.
pub fn table(seed: u32, vocabulary: usize) -> impl Fn(&[usize]) -> Vec<f64> + Clone {
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
pub fn distance(found: &BTreeMap<Vec<usize>, f64>, expect: &BTreeMap<Vec<usize>, f64>) -> f64 {
    let of = |joint: &BTreeMap<Vec<usize>, f64>, text| joint.get(text).copied().unwrap_or(0.0);
    found
        .keys()
        .chain(expect.keys())
        .map(|text| (of(found, text) - of(expect, text)).abs())
        .fold(0.0, f64::max)
}

/// How far the text of `procedure` is from the target's, over random table models: the largest
/// difference in the joint of γ + 1 tokens.
pub fn worst_distance(procedure: &impl Procedure, gammas: RangeInclusive<usize>) -> f64 {
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

pub fn assert_lossless(procedure: &impl Procedure) {
    let worst = worst_distance(procedure, 0..=4);
    assert!(
        worst < TOLERANCE,
        "the joint is {worst} away from the target's"
    );
}

pub fn assert_detected(procedure: &impl Procedure) {
    let worst = worst_distance(procedure, 0..=3);
    assert!(worst > 1e-3, "the mistake shows by {worst} only");
}

/// The distribution of the first token after a round of one drafted token.
pub fn first_token(procedure: &impl Procedure, draft: &[f64], target: &[f64]) -> Vec<f64> {
    let round = exact_round(procedure, 1, |_| draft.to_vec(), |_| target.to_vec());
    let mut probs = vec![0.0; target.len()];
    for ((committed, _), prob) in &round {
        probs[committed[0]] += prob;
    }
    probs
}

pub fn assert_close(found: &[f64], expect: &[f64]) {
    assert_eq!(found.len(), expect.len());
    for (a, b) in found.iter().zip(expect) {
        assert!((a - b).abs() < TOLERANCE, "{found:?} is not {expect:?}");
    }
}
