//! Twin of `shaders/couple.wgsl`.

use couplet_speculation::random::arithmetic::fixed_point;
use couplet_speculation::random::exponential::{SMALLEST_PROB, exponential, strike};
use couplet_speculation::random::{MAX_DARTS, Purpose, dart, uniform};

use super::Bindings;
use crate::params::{COUPLING_GUMBEL, COUPLING_INDEPENDENT, COUPLING_MINHASH, Throws};

pub(super) fn run(bindings: &Bindings<'_>) {
    let throws: Throws = bindings.uniform(0);
    let (draft_probs, target_probs) = (bindings.floats(1), bindings.floats(2));
    let sums = bindings.floats(3);
    let mut counts = bindings.words_mut(4);
    let tokens = throws.tokens as usize;
    let rows = Rows {
        seed: u64::from(throws.seed[0]) | u64::from(throws.seed[1]) << 32,
        draft_probs: &draft_probs[..tokens],
        target_probs: &target_probs[..tokens],
        sums: [0, 1, 2].map(|row| &sums[row * tokens..][..tokens]),
        highest: throws.highest,
    };
    for trial in throws.first_trial..throws.first_trial + throws.trials {
        let (draft, target) = match throws.coupling {
            COUPLING_INDEPENDENT => rows.independent(trial),
            COUPLING_MINHASH => rows.minhash(trial),
            COUPLING_GUMBEL => rows.gumbel(trial),
            _ => rows.optimal(trial),
        };
        counts[draft * tokens + target] += 1;
    }
}

struct Rows<'a> {
    seed: u64,
    draft_probs: &'a [f32],
    target_probs: &'a [f32],
    /// Running sums of the draft, the target and the residual.
    sums: [&'a [f32]; 3],
    highest: u32,
}

impl Rows<'_> {
    fn number(&self, trial: u32, purpose: Purpose) -> f32 {
        uniform(self.seed, trial, purpose, 0)
    }

    fn independent(&self, trial: u32) -> (usize, usize) {
        (
            draw_from(self.sums[0], self.number(trial, Purpose::Draft)),
            draw_from(self.sums[1], self.number(trial, Purpose::Target)),
        )
    }

    fn optimal(&self, trial: u32) -> (usize, usize) {
        let draft = draw_from(self.sums[0], self.number(trial, Purpose::Draft));
        let height = self.number(trial, Purpose::Accept) * self.draft_probs[draft];
        if height >= self.target_probs[draft] {
            let token = draw_from(self.sums[2], self.number(trial, Purpose::Residual));
            return (draft, token);
        }
        (draft, draft)
    }

    fn minhash(&self, trial: u32) -> (usize, usize) {
        let mut found = [None; 2];
        for index in 0..MAX_DARTS {
            let Some(dart) = dart(self.seed, trial, index, self.draft_probs.len() as u32) else {
                continue;
            };
            // Most darts fly above both rows and need not be compared with either.
            if dart.height >= self.highest {
                continue;
            }
            let token = dart.token as usize;
            for (found, probs) in found.iter_mut().zip([self.draft_probs, self.target_probs]) {
                if found.is_none() && dart.height < fixed_point(probs[token]) {
                    *found = Some(token);
                }
            }
            if let [Some(draft), Some(target)] = found {
                return (draft, target);
            }
        }
        let [draft, target] = found.map(|found| found.unwrap_or(0));
        (draft, target)
    }

    fn gumbel(&self, trial: u32) -> (usize, usize) {
        let mut first = [(f32::MAX, 0); 2];
        for token in 0..self.draft_probs.len() {
            let probs = [self.draft_probs[token], self.target_probs[token]];
            if probs[0].max(probs[1]) < SMALLEST_PROB {
                continue;
            }
            let clock = exponential(self.seed, trial, token as u32);
            for (first, prob) in first.iter_mut().zip(probs) {
                if let Some(time) = strike(clock, prob)
                    && time < first.0
                {
                    *first = (time, token);
                }
            }
        }
        (first[0].1, first[1].1)
    }
}

/// The first token whose running sum exceeds `u` times the total; never one of weight 0.
fn draw_from(sums: &[f32], u: f32) -> usize {
    let total = sums[sums.len() - 1];
    let goal = u * total;
    sums.partition_point(|&sum| !(sum > goal || sum == total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use couplet_speculation::random::{threefry2x32, uniform_from_bits};

    /// Walks along the running sums to the first that exceeds `u` times the last, or to the last
    /// token that has any weight.
    fn walk(weights: &[f32], sums: &[f32], u: f32) -> usize {
        let goal = u * sums[sums.len() - 1];
        let exceeds = |&token: &usize| weights[token] > 0.0 && sums[token] > goal;
        let has_weight = |&token: &usize| weights[token] > 0.0;
        let tokens = 0..weights.len();
        let found = tokens.clone().find(exceeds);
        found.or_else(|| tokens.rev().find(has_weight)).unwrap_or(0)
    }

    /// Halving the running sums finds what walking along them finds, at both ends of the uniform
    /// numbers as well.
    #[test]
    fn a_search_of_running_sums_is_the_walk_along_them() {
        for case in 0..2_000u32 {
            let number = |i: u32| threefry2x32([case, 3], [i, 0])[0];
            let tokens = 2 + number(0) % 80;
            let mut weights: Vec<f32> = (1..=tokens)
                .map(|i| match number(i) % 4 {
                    0 => 0.0,
                    1 => 1e-9,
                    _ => uniform_from_bits(number(i)),
                })
                .collect();
            weights[(case % tokens) as usize] = 0.5;
            let sums: Vec<f32> = weights
                .iter()
                .scan(0.0, |sum, weight| {
                    *sum += weight;
                    Some(*sum)
                })
                .collect();
            for i in 0..50 {
                let u = uniform_from_bits([0, u32::MAX, number(100 + i)][(i as usize).min(2)]);
                let found = draw_from(&sums, u);
                assert!(weights[found] > 0.0);
                assert_eq!(found, walk(&weights, &sums, u));
            }
        }
    }
}
