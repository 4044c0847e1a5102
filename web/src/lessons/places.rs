//! Places in a run that a lesson is about. They are looked for in the events, so that a run that is
//! recorded anew is taught as it is.

use couplet_playback::{Phase, Run};

/// A round that shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Some tokens are kept, one is rejected, some are discarded.
    Struck,
    /// Every drafted token is kept.
    Full,
}

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Behind a phase of the first round.
    First(Phase),
    /// The draft has written.
    Drafted(Round),
    /// The target has read.
    Verified(Round),
    /// The last token that is judged has been.
    Judged(Round),
    /// The target's own token is there.
    Closed(Round),
    /// The tokens are text.
    Committed(Round),
    /// Behind the last step.
    End,
}

impl Round {
    /// Its index in a run, if the run has one.
    pub fn find(self, run: &Run, text: impl Fn(u32) -> String) -> Option<usize> {
        let legible = |token: u32| text(token).chars().any(char::is_alphabetic);
        let all_legible = |index: usize| {
            let round = run.rounds().get(index);
            round.is_some_and(|round| {
                let drafted = round.proposals.iter().map(|proposal| proposal.token);
                let closing = round.closing.as_ref().map(|closing| closing.token);
                drafted.chain(closing).all(legible)
            })
        };
        let fits = |index: &usize| {
            run.rounds().get(*index).is_some_and(|round| match self {
                Self::Struck => {
                    round.accepted() > 1
                        && round.rejected().is_some()
                        && round.discarded() > 0
                        // A round that the end of the text cut short shows something else.
                        && round.committed.len() == round.accepted() + 1
                }
                Self::Full => {
                    round.proposals.len() > 1
                        && round.rejected().is_none()
                        && round.committed.len() == round.proposals.len() + 1
                }
            })
        };
        let rounds = 0..run.rounds().len();
        let mut fitting = rounds.filter(fits);
        let first = fitting.next();
        let legible = first
            .into_iter()
            .chain(fitting)
            .find(|index| all_legible(*index));
        legible.or(first)
    }
}

impl Spot {
    /// The playhead there; the end of the run where it has no such round.
    pub fn playhead(self, run: &Run, text: impl Fn(u32) -> String) -> usize {
        let all = run.steps().len();
        let behind = |round: Round, phases: &[Phase]| {
            let Some(index) = round.find(run, text) else {
                return all;
            };
            let last = run
                .steps()
                .iter()
                .rposition(|step| step.round == index && phases.contains(&step.phase));
            last.map_or(all, |step| step + 1)
        };
        match self {
            Self::First(phase) => run.end_of_phase(0, phase).unwrap_or(all),
            Self::Drafted(round) => behind(round, &[Phase::Draft]),
            Self::Verified(round) => behind(round, &[Phase::Verify]),
            Self::Judged(round) => behind(round, &[Phase::Judge]),
            Self::Closed(round) => behind(round, &[Phase::Resample, Phase::Bonus]),
            Self::Committed(round) => behind(round, &[Phase::Commit]),
            Self::End => all,
        }
    }
}
