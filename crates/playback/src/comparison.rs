//! Two runs that share the beginning of their text, side by side.

use couplet_protocol::Branch;

use crate::Run;

/// A run up to a playhead, with what stood after the prompt before its first round.
#[derive(Clone, Copy, Debug)]
pub struct Take<'a> {
    /// What stood there.
    pub branch: Option<&'a Branch>,
    /// The run.
    pub run: &'a Run,
    /// How much of it counts; `usize::MAX` for all.
    pub playhead: usize,
}

/// What a run wrote from some place on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Continuation {
    /// Tokens from the place on, a forced one included.
    pub tokens: Vec<u32>,
    /// Tokens that each round committed, of the rounds that begin at the place or after it.
    pub rounds: Vec<u32>,
    /// The most tokens that one of them drafted.
    pub most_drafted: usize,
    /// Drafted tokens that were judged in them.
    pub tested: u64,
    /// Drafted tokens that were kept in them.
    pub accepted: u64,
}

impl Continuation {
    /// Committed tokens per round.
    pub fn tokens_per_round(&self) -> Option<f64> {
        let committed: u32 = self.rounds.iter().sum();
        (!self.rounds.is_empty()).then(|| f64::from(committed) / self.rounds.len() as f64)
    }
}

/// What two runs wrote after the text that they share.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Tokens after the prompt that both have because one was cut off the other there.
    pub from: usize,
    /// The first token after the prompt in which they differ; `None` where one text is a
    /// beginning of the other.
    pub differs_at: Option<usize>,
    /// The run that was left.
    pub old: Continuation,
    /// The run that left it.
    pub new: Continuation,
}

impl Comparison {
    /// Compares a run with one that branched from it after `from` tokens.
    pub fn new(old: Take, new: Take, from: usize) -> Self {
        let (old, new) = (old.continuation(from), new.continuation(from));
        let pairs = old.tokens.iter().zip(&new.tokens);
        let same = pairs.take_while(|(old, new)| old == new).count();
        let both = old.tokens.len().min(new.tokens.len());
        Self {
            from,
            differs_at: (same < both).then_some(from + same),
            old,
            new,
        }
    }
}

impl Take<'_> {
    /// All tokens after the prompt: those of the branch and those of committed rounds.
    pub fn tokens(&self) -> Vec<u32> {
        let branch = self.branch.into_iter().flat_map(Branch::tokens);
        let rounds = self.run.rounds()[..self.complete()].iter();
        branch
            .chain(rounds.flat_map(|round| round.committed.iter().copied()))
            .collect()
    }

    /// How many rounds are committed at the playhead.
    fn complete(&self) -> usize {
        let rounds = self.run.rounds().len();
        let at = self.run.step_at(self.playhead);
        at.map_or(0, |step| {
            let whole = self.playhead >= self.run.end_of(step.round);
            (step.round + usize::from(whole)).min(rounds)
        })
    }

    fn continuation(&self, from: usize) -> Continuation {
        let mut continuation = Continuation {
            tokens: self.tokens().into_iter().skip(from).collect(),
            ..Continuation::default()
        };
        let mut at = self.branch.map_or(0, Branch::len);
        for round in &self.run.rounds()[..self.complete()] {
            if at >= from {
                continuation.rounds.push(round.committed.len() as u32);
                continuation.most_drafted = continuation.most_drafted.max(round.proposals.len());
                continuation.tested += round.tested() as u64;
                continuation.accepted += round.accepted() as u64;
            }
            at += round.committed.len();
        }
        continuation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    /// The text of the fixture is `2 5 | 1 2 3 4`: two rounds.
    fn old() -> Run {
        Run::from_events(&fixture::events())
    }

    fn text() -> Vec<u32> {
        let run = old();
        let take = Take {
            branch: None,
            run: &run,
            playhead: usize::MAX,
        };
        take.tokens()
    }

    /// A run that goes on after the first `at` tokens of the old one by a bonus of `token`.
    fn branch(at: usize, forced: Option<u32>, token: u32) -> (Branch, Run) {
        let branch = Branch {
            kept: text()[..at].to_vec(),
            forced,
        };
        (branch, Run::from_events(&fixture::alone(&[token])))
    }

    fn compare(at: usize, forced: Option<u32>, token: u32, playhead: usize) -> Comparison {
        let (branch, run) = branch(at, forced, token);
        let old_run = old();
        let old = Take {
            branch: None,
            run: &old_run,
            playhead: usize::MAX,
        };
        let new = Take {
            branch: Some(&branch),
            run: &run,
            playhead,
        };
        Comparison::new(old, new, at)
    }

    #[test]
    fn the_first_other_token_is_found_where_it_is() {
        let text = text();
        let same = compare(2, None, text[2], usize::MAX);
        assert_eq!(same.differs_at, None, "one is a beginning of the other");
        let other = (text[2] + 1) % 6;
        let differs = compare(2, None, other, usize::MAX);
        assert_eq!(differs.differs_at, Some(2));
        assert_eq!(differs.new.tokens, [other]);
        assert_eq!(differs.old.tokens, text[2..]);
    }

    #[test]
    fn a_forced_token_may_be_the_one_that_differs_or_not() {
        let text = text();
        let other = (text[1] + 1) % 6;
        let forced = compare(1, Some(other), 3, usize::MAX);
        assert_eq!(forced.differs_at, Some(1));
        assert_eq!(forced.new.tokens, [other, 3]);
        let same = compare(1, Some(text[1]), text[2], usize::MAX);
        assert_eq!(same.differs_at, None);
    }

    #[test]
    fn counts_are_those_of_the_rounds_behind_the_cut() {
        let whole = old().state(usize::MAX).statistics;
        let first = old().state(old().end_of(0)).statistics;
        let cut = compare(2, None, 0, usize::MAX);
        assert_eq!(cut.old.rounds, [4]);
        assert_eq!(cut.old.tested, whole.tested - first.tested);
        assert_eq!(cut.old.accepted, whole.accepted - first.accepted);
        assert_eq!((cut.old.most_drafted, cut.new.most_drafted), (3, 0));
        assert_eq!(cut.new.rounds, [1]);
        assert_eq!(cut.new.tokens_per_round(), Some(1.0));
        let all = compare(0, None, 0, usize::MAX).old;
        assert_eq!(
            (all.rounds.as_slice(), all.tokens_per_round()),
            (&[2, 4][..], Some(3.0))
        );
        // A cut inside the first round leaves that round out.
        assert_eq!(compare(1, Some(0), 0, usize::MAX).old, {
            let mut inside = cut.old.clone();
            inside.tokens.insert(0, text()[1]);
            inside
        });
    }

    #[test]
    fn only_what_is_committed_at_the_playhead_counts() {
        let cut = compare(2, None, 0, 1);
        assert_eq!(cut.new, Continuation::default());
        assert_eq!(cut.differs_at, None);
        assert_eq!(cut.new.tokens_per_round(), None);
    }
}
