//! Walking through a run by phases. Rounds are walked in `run.rs`; the smallest step is one token.

use crate::Run;

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
