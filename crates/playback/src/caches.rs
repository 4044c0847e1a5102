//! How full the caches of keys and values are, which both models keep of the text.

use crate::{Phase, Run};

/// One model's cache at a playhead, in tokens. Entries stand in the order of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// Entries from before the round.
    pub kept: usize,
    /// Entries that this round has added and that hold, or may still.
    pub added: usize,
    /// Entries that the round had added and that are void since their token, or one before it, was
    /// rejected: they are overwritten before anybody looks at them again.
    pub cut: usize,
}

impl Cache {
    /// Entries that count.
    pub fn len(&self) -> usize {
        self.kept + self.added
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The caches of both models at a playhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// The draft model's. It does not grow while nothing is drafted.
    pub draft: Cache,
    /// The target's.
    pub target: Cache,
    /// Tokens of the text, the drafted ones that have not been discarded included.
    pub text: usize,
}

impl Run {
    /// The caches after the first `playhead` steps.
    ///
    /// Reading the prompt fills both up to its last token, which the first round computes. A round
    /// that drafts γ tokens after L others adds to the draft's cache what it computes on the way:
    /// all but the last drafted token. The target's single pass computes every one of them. What
    /// then counts is what belongs to committed tokens, but for the last of all, which has not
    /// been computed yet. So after a bonus the draft lacks two.
    ///
    /// After rounds without a drafted token, which the engine may choose, the draft first reads what
    /// they have added.
    pub fn caches(&self, playhead: usize) -> Caches {
        let prompt = self.prompt().len();
        let mut caches = Caches {
            text: prompt,
            ..Caches::default()
        };
        let before = prompt.saturating_sub(1);
        (caches.draft.kept, caches.target.kept) = (before, before);
        let Some(step) = self.step_at(playhead) else {
            return caches;
        };
        for (index, round) in self.rounds()[..=step.round].iter().enumerate() {
            let phase = if index == step.round {
                step.phase
            } else {
                Phase::Commit
            };
            let length = caches.text;
            let gamma = round.proposals.len();
            let settle = |cache: &mut Cache| {
                *cache = Cache {
                    kept: cache.len(),
                    ..Cache::default()
                };
            };
            settle(&mut caches.draft);
            settle(&mut caches.target);
            if gamma > 0 {
                caches.draft.added = (length + gamma - 1).saturating_sub(caches.draft.kept);
            }
            if phase >= Phase::Verify {
                caches.target.added = (length + gamma).saturating_sub(caches.target.kept);
            }
            caches.text = length + gamma;
            if phase == Phase::Commit {
                let holds = length + round.committed.len().saturating_sub(1);
                for cache in [&mut caches.draft, &mut caches.target] {
                    let cut = cache.len().saturating_sub(holds).min(cache.added);
                    cache.added -= cut;
                    cache.cut = cut;
                }
                caches.text = length + round.committed.len();
            }
        }
        caches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn cache(kept: usize, added: usize, cut: usize) -> Cache {
        Cache { kept, added, cut }
    }

    /// Two tokens of prompt; the first round drafts three, keeps one and replaces the second; the
    /// other keeps three and adds a bonus.
    #[test]
    fn caches_grow_with_a_round_and_lose_what_was_rejected() {
        let run = Run::from_events(&fixture::events());
        let start = run.caches(0);
        assert_eq!(start.draft, cache(1, 0, 0));
        assert_eq!(start.target, cache(1, 0, 0));
        let drafted = run.caches(1);
        assert_eq!(
            drafted.draft,
            cache(1, 3, 0),
            "all but the last drafted token"
        );
        assert_eq!(
            drafted.target,
            cache(1, 0, 0),
            "the target has read nothing yet"
        );
        assert_eq!(drafted.text, 5);
        let verified = run.caches(2);
        assert_eq!(
            verified.target,
            cache(1, 4, 0),
            "one pass computes all of them"
        );
        let end = run.caches(run.end_of(0));
        assert_eq!(end.text, 4, "one kept, one resampled");
        assert_eq!(
            end.target,
            cache(1, 2, 2),
            "the last committed token is computed next"
        );
        assert_eq!(end.draft, cache(1, 2, 1));
    }

    /// Nothing that was kept is read twice: after a round the target lacks the last token alone, and
    /// the draft also the drafted token before it, where all of them were kept.
    #[test]
    fn after_a_round_the_caches_hold_what_stands() {
        for gamma in 0..=4 {
            for accepted in 0..=gamma {
                let run = Run::from_events(&fixture::kept(gamma, accepted));
                let end = run.caches(usize::MAX);
                assert_eq!(end.text, 2 + accepted + 1);
                assert_eq!(end.target.len(), end.text - 1);
                let lacks = if accepted == gamma { 2 } else { 1 };
                assert_eq!(end.draft.len(), end.text - lacks, "{accepted} of {gamma}");
                assert_eq!(end.target.cut, gamma - accepted);
            }
        }
    }

    #[test]
    fn after_a_bonus_nothing_is_cut_and_the_draft_lacks_two() {
        let run = Run::from_events(&fixture::events());
        let end = run.caches(usize::MAX);
        assert_eq!(end.text, 8);
        assert_eq!((end.target.len(), end.target.cut), (7, 0));
        assert_eq!((end.draft.len(), end.draft.cut), (6, 0));
    }

    #[test]
    fn a_draft_that_was_silent_reads_what_was_written_meanwhile() {
        let mut events = fixture::alone(&[2, 3, 4]);
        events.extend(fixture::events().into_iter().skip(1));
        let run = Run::from_events(&events);
        let silent = run.end_of(2);
        assert_eq!(run.caches(silent).draft, cache(1, 0, 0));
        // Five tokens stand, of which the draft has one; it drafts three.
        assert_eq!(run.caches(silent + 1).draft, cache(1, 6, 0));
        assert_eq!(run.caches(run.end_of(3)).draft, cache(1, 5, 1));
        assert_eq!(run.caches(run.end_of(3)).target, cache(4, 2, 2));
    }

    #[test]
    fn nothing_drafted_leaves_the_drafts_cache_alone() {
        let run = Run::from_events(&fixture::alone(&[2, 3]));
        let end = run.caches(usize::MAX);
        assert_eq!(end.text, 4);
        assert_eq!(end.draft, cache(1, 0, 0));
        assert_eq!(end.target.len(), 3);
    }
}
