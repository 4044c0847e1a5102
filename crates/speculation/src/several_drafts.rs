//! Several drafted tokens for one place, of which the target keeps one: what a tree of drafts gains
//! at each of its nodes.
//!
//! All of it is lossless: whatever is kept or drawn instead has the target's distribution. Draws
//! are from one row of the draft, either independent of each other, as [`most`] and [`recursive`]
//! have them, or each token once, as [`recursive_without_repetition`] has them.

use crate::distribution::{overlap, pairs, ranked, residual};

/// How often one of so many independent drafts is kept when they are tested one after the other:
/// the first as under Rejection, each later one against what is then left of the target.
///
/// In [0, 1], and 0 without drafts. With one draft it is [`overlap`].
///
/// # Panics
/// When the lengths differ.
///
/// Source: Miao et al. 2023, "SpecInfer", multi-step speculative sampling.
pub fn recursive(draft_probs: &[f64], target_probs: &[f64], drafts: usize) -> f64 {
    let mut wanted = target_probs.to_vec();
    let mut none_kept = 1.0;
    for _ in 0..drafts {
        none_kept *= 1.0 - overlap(draft_probs, &wanted);
        match residual(draft_probs, &wanted) {
            Some(left) => wanted = left,
            None => return 1.0,
        }
    }
    1.0 - none_kept
}

/// As [`recursive`], with drafts that never repeat a token: each is drawn from what the draft has
/// left without those before it. That a token was rejected says that the target wants no more of
/// it, so drawing it again would be in vain.
///
/// Looks at every order of up to `drafts` tokens.
///
/// # Panics
/// When the lengths differ.
///
/// Source: Jeon et al. 2024, "Recursive speculative decoding".
pub fn recursive_without_repetition(
    draft_probs: &[f64],
    target_probs: &[f64],
    drafts: usize,
) -> f64 {
    kept_without_repetition(draft_probs, target_probs, drafts)
        .iter()
        .sum()
}

/// The probability of every token to be drafted and kept.
fn kept_without_repetition(draft_probs: &[f64], target_probs: &[f64], drafts: usize) -> Vec<f64> {
    let mut kept: Vec<f64> = vec![0.0; target_probs.len()];
    if drafts == 0 {
        return kept;
    }
    for (kept, (draft, target)) in kept.iter_mut().zip(pairs(draft_probs, target_probs)) {
        *kept = draft.min(target);
    }
    let Some(wanted) = residual(draft_probs, target_probs) else {
        return kept;
    };
    if drafts == 1 {
        return kept;
    }
    for (token, (draft, target)) in pairs(draft_probs, target_probs).enumerate() {
        let (rejected, others) = (draft - target, 1.0 - draft);
        if rejected <= 0.0 || others <= 0.0 {
            continue;
        }
        let mut next: Vec<f64> = draft_probs.iter().map(|prob| prob / others).collect();
        next[token] = 0.0;
        let behind = kept_without_repetition(&next, &wanted, drafts - 1);
        for (kept, behind) in kept.iter_mut().zip(behind) {
            *kept += rejected * behind;
        }
    }
    kept
}

/// The most often that any lossless rule can keep one of so many independent drafts:
/// `min over S of 1 + t(S) − d(S)^k` for k drafts, where S is any set of tokens.
///
/// What is kept lies in S with probability `t(S)` at most, and outside of S only if one of the drafts
/// does. The smallest set is one of those that hold all tokens above some ratio `d/t`, so only these
/// are looked at.
///
/// In [0, 1]. With one draft it is [`overlap`].
///
/// # Panics
/// When the lengths differ.
///
/// Source: Sun et al. 2023, "SpecTr", the optimal transport; as a minimum over sets: Hu et al.
/// 2025, "Towards optimal multi-draft speculative decoding".
pub fn most(draft_probs: &[f64], target_probs: &[f64], drafts: usize) -> f64 {
    // Tokens that neither model draws have no ratio.
    let tokens: Vec<(f64, f64)> = pairs(draft_probs, target_probs)
        .filter(|(draft, target)| *draft > 0.0 || *target > 0.0)
        .collect();
    // By d/t, falling; d as a share of both orders the same, and is a number where t is 0.
    let share = |(draft, target): &(f64, f64)| draft / (draft + target);
    let places = ranked(tokens.iter().map(share));
    let (mut draft, mut target) = (0.0, 0.0);
    let mut least = if drafts == 0 { 0.0 } else { 1.0 };
    for (more_draft, more_target) in places.into_iter().map(|place| tokens[place]) {
        draft += more_draft;
        target += more_target;
        least = f64::min(least, 1.0 + target - f64::powf(draft, drafts as f64));
    }
    least.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRAFT_A: [f64; 3] = [0.5, 0.3, 0.2];
    const TARGET_A: [f64; 3] = [0.2, 0.3, 0.5];

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
    }

    /// By hand: a rejected first draft is the first token, and the residual is the last.
    #[test]
    fn two_drafts_on_the_example_have_their_numbers() {
        close(most(&DRAFT_A, &TARGET_A, 2), 0.86);
        close(recursive(&DRAFT_A, &TARGET_A, 2), 0.76);
        close(recursive_without_repetition(&DRAFT_A, &TARGET_A, 2), 0.82);
    }

    #[test]
    fn a_draft_that_cannot_be_repeated_leaves_no_other() {
        let (only, half) = ([1.0, 0.0], [0.5, 0.5]);
        close(recursive_without_repetition(&only, &half, 3), 0.5);
        close(recursive(&only, &half, 3), 0.5);
        close(most(&only, &half, 3), 0.5);
        close(recursive(&half, &half, 2), 1.0);
        close(recursive_without_repetition(&half, &half, 2), 1.0);
    }

    /// The smallest over all sets, without the argument that some need not be looked at.
    fn most_by_sets(draft: &[f64], target: &[f64], drafts: i32) -> f64 {
        (0..1u32 << draft.len())
            .map(|set| {
                let of = |probs: &[f64]| -> f64 {
                    let inside = |place: &usize| set >> place & 1 == 1;
                    (0..probs.len()).filter(inside).map(|at| probs[at]).sum()
                };
                1.0 + of(target) - of(draft).powi(drafts)
            })
            .fold(1.0, f64::min)
    }

    /// Distributions in which some probabilities are 0.
    fn distribution() -> impl Strategy<Value = Vec<f64>> {
        let weights = prop::collection::vec(0u32..6, 5);
        weights.prop_filter_map("no weight at all", |weights| {
            let sum: u32 = weights.iter().sum();
            (sum > 0).then(|| {
                weights
                    .iter()
                    .map(|w| f64::from(*w) / f64::from(sum))
                    .collect()
            })
        })
    }

    proptest! {
        #[test]
        fn no_rule_keeps_more_than_the_most(draft in distribution(), target in distribution()) {
            for drafts in 0..=4 {
                let bound = most(&draft, &target, drafts);
                prop_assert!(recursive(&draft, &target, drafts) <= bound + 1e-12);
                if drafts > 0 {
                    let by_sets = most_by_sets(&draft, &target, drafts as i32);
                    prop_assert!((bound - by_sets).abs() < 1e-12, "{bound}, {by_sets}");
                }
                prop_assert!(bound <= most(&draft, &target, drafts + 1) + 1e-12);
            }
        }

        #[test]
        fn one_draft_is_kept_as_often_as_two_distributions_overlap(
            draft in distribution(),
            target in distribution(),
        ) {
            for rule in [most, recursive, recursive_without_repetition] {
                let found = rule(&draft, &target, 1);
                prop_assert!((found - overlap(&draft, &target)).abs() < 1e-12);
                prop_assert_eq!(rule(&draft, &target, 0), 0.0);
            }
        }

        /// No token is kept more often than the target writes it, and with as many drafts as there
        /// are tokens every token that the draft can draw is kept as often as that.
        #[test]
        fn drafts_without_repetition_keep_what_the_target_writes(
            draft in distribution(),
            target in distribution(),
        ) {
            for drafts in 0..=5 {
                let kept = kept_without_repetition(&draft, &target, drafts);
                for (token, (kept, target)) in kept.iter().zip(&target).enumerate() {
                    prop_assert!(*kept <= target + 1e-12);
                    let all = drafts == 5 && draft[token] > 0.0;
                    prop_assert!(!all || (kept - target).abs() < 1e-12, "{kept}, {target}");
                }
            }
        }
    }
}
