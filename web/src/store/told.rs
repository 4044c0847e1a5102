//! What Couplings and Proof take from the Stage: both distributions of a drafted token.

use couplet_playback::{Run, tr};
use couplet_protocol::Distribution;
use leptos::prelude::*;

use super::{Selection, Store};

/// What both models said at a drafted token.
pub struct Told {
    /// Which it is of all such tokens of the run, in the order of the text.
    pub place: usize,
    /// The token.
    pub at: Selection,
    /// What the draft said.
    pub draft: Distribution,
    /// What the target said.
    pub target: Distribution,
}

/// Drafted tokens of which both models have spoken: all that were judged, and after a rejected one
/// where the log holds what the target said there.
fn told(run: &Run) -> Vec<Selection> {
    let mut places = Vec::new();
    for (round, of) in run.rounds().iter().enumerate() {
        let columns = of.proposals.iter().enumerate();
        let told = columns.filter(|(_, proposal)| proposal.target_distribution().is_some());
        places.extend(told.map(|(column, _)| Selection { round, column }));
    }
    places
}

/// Which of them somebody looks at who has `focus` in view. Where a bonus stands nothing was drafted:
/// that is the last before it, but of its round, since another one's is nowhere in view. Whoever
/// looks at no token begins with the first.
fn looked_at(told: &[Selection], focus: Option<Selection>) -> Option<usize> {
    let Some(focus) = focus else {
        return (!told.is_empty()).then_some(0);
    };
    told.iter()
        .rposition(|at| at.round == focus.round && at.column <= focus.column)
}

/// Why nothing is taken from the Stage.
pub fn nothing_told() -> String {
    tr!(
        "Nothing was drafted at this place of the Stage. Write a run there or pick a drafted token, then come back."
    )
}

impl Store {
    /// How many tokens of the run both models have spoken of. Tracked.
    pub fn told_count(&self) -> usize {
        self.run.with(|run| told(run).len())
    }

    /// The token under consideration on the Stage, by its place among all of which both models have
    /// spoken.
    pub fn told_here(&self) -> Option<usize> {
        let focus = untrack(|| self.focus());
        self.run.with_untracked(|run| looked_at(&told(run), focus))
    }

    /// What both models said at such a place, or at the last where there are fewer.
    pub fn told(&self, place: usize) -> Option<Told> {
        self.run.with_untracked(|run| {
            let told = told(run);
            let place = place.min(told.len().checked_sub(1)?);
            let at = *told.get(place)?;
            let proposal = run.rounds().get(at.round)?.proposals.get(at.column)?;
            Some(Told {
                place,
                at,
                draft: proposal.distribution.clone(),
                target: proposal.target_distribution()?.clone(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_what_somebody_looks_at() {
        let at = |round, column| Selection { round, column };
        // Three were drafted, then none, then two.
        let told = [at(0, 0), at(0, 1), at(0, 2), at(2, 0), at(2, 1)];
        assert_eq!(looked_at(&told, Some(at(0, 1))), Some(1));
        assert_eq!(looked_at(&told, Some(at(2, 0))), Some(3));
        // The bonus after the draft.
        assert_eq!(looked_at(&told, Some(at(2, 2))), Some(4));
        assert_eq!(looked_at(&told, Some(at(1, 0))), None);
        assert_eq!(looked_at(&told, None), Some(0));
        assert_eq!(looked_at(&[], None), None);
    }
}
