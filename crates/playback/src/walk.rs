//! Walking through a run by phases. Rounds are walked in `run.rs`; the smallest step is one token.

use crate::{Phase, Run};

impl Run {
    /// Playhead at the end of the next phase: all tokens judged, all drafted.
    pub fn next_phase(&self, playhead: usize) -> usize {
        let steps = self.steps();
        let at = playhead.min(steps.len());
        let Some(next) = steps.get(at) else {
            return steps.len();
        };
        let same = |step: &&crate::Step| (step.round, step.phase) == (next.round, next.phase);
        at + steps[at..].iter().take_while(same).count()
    }

    /// Playhead at the end of the phase before the one shown.
    pub fn previous_phase(&self, playhead: usize) -> usize {
        let Some(shown) = self.step_at(playhead) else {
            return 0;
        };
        let at = playhead.min(self.steps().len());
        let same = |step: &&crate::Step| (step.round, step.phase) == (shown.round, shown.phase);
        at - self.steps()[..at].iter().rev().take_while(same).count()
    }

    /// Playhead at the end of a phase of a round; none where the round has no such phase.
    pub fn end_of_phase(&self, round: usize, phase: Phase) -> Option<usize> {
        let steps = self.steps();
        let last = steps
            .iter()
            .rposition(|step| (step.round, step.phase) == (round, phase))?;
        Some(last + 1)
    }

    /// Playhead where it was decided what becomes of the token in a column: where it is judged;
    /// for one that is never judged by itself, where the round's verdict falls; for a bonus, where
    /// it is drawn. None where there is no such round.
    pub fn verdict_of(&self, round: usize, column: usize) -> Option<usize> {
        let judged = self.steps().iter().position(|step| {
            (step.round, step.phase, step.column) == (round, Phase::Judge, column)
        });
        let drafted = self.rounds().get(round)?.proposals.len();
        let phase = if column < drafted {
            Phase::Judge
        } else {
            Phase::Bonus
        };
        judged
            .map(|step| step + 1)
            .or_else(|| self.end_of_phase(round, phase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, fixture};

    /// The steps are draft, verify, two judged tokens, resample, commit; then draft, verify, three
    /// judged tokens, bonus, commit.
    #[test]
    fn a_phase_is_walked_at_once_in_both_directions() {
        let run = Run::from_events(&fixture::events());
        let mut forward = vec![0];
        while *forward.last().unwrap() < run.steps().len() {
            forward.push(run.next_phase(*forward.last().unwrap()));
        }
        assert_eq!(forward, [0, 1, 2, 4, 5, 6, 7, 8, 11, 12, 13]);
        let mut back = vec![13];
        while *back.last().unwrap() > 0 {
            back.push(run.previous_phase(*back.last().unwrap()));
        }
        back.reverse();
        assert_eq!(back, forward);
    }

    #[test]
    fn a_phase_and_a_verdict_are_found_by_their_round() {
        let run = Run::from_events(&fixture::events());
        let ends = |round| {
            use Phase::*;
            [Draft, Verify, Judge, Resample, Bonus, Commit]
                .map(|phase| run.end_of_phase(round, phase))
        };
        assert_eq!(ends(0), [Some(1), Some(2), Some(4), Some(5), None, Some(6)]);
        assert_eq!(
            ends(1),
            [Some(7), Some(8), Some(11), None, Some(12), Some(13)]
        );
        assert_eq!(ends(2), [None; 6]);
        // Kept, rejected, discarded; and the bonus of the second round.
        let verdicts = [0, 1, 2].map(|column| run.verdict_of(0, column));
        assert_eq!(verdicts, [Some(3), Some(4), Some(4)]);
        assert_eq!(run.verdict_of(1, 3), Some(12));
        assert_eq!(run.verdict_of(2, 0), None);
        let block = Run::from_events(&fixture::block());
        assert_eq!(block.verdict_of(0, 0), Some(3), "judged together");
    }

    #[test]
    fn from_the_middle_of_a_phase_its_end_is_next_and_the_phase_before_is_previous() {
        let run = Run::from_events(&fixture::events());
        assert_eq!(run.steps()[2].phase, Phase::Judge);
        assert_eq!(run.next_phase(3), 4);
        assert_eq!(run.previous_phase(3), 2);
        assert_eq!(run.next_phase(usize::MAX), 13);
        assert_eq!(Run::default().next_phase(0), 0);
        assert_eq!(Run::default().previous_phase(5), 0);
    }
}
