use crate::{ClosingKind, Phase, Run, StageState};

/// What became of a round, no more than the playhead has passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Drafted tokens in order.
    pub drafted: Vec<u32>,
    /// How many of them were kept.
    pub accepted: usize,
    /// The one that was rejected.
    pub rejected: Option<u32>,
    /// What the target put in its place, or after all that were kept.
    pub closing: Option<(ClosingKind, u32)>,
    /// How many lay after the rejected one or past the end of the text.
    pub discarded: usize,
    /// Tokens of the text after the prompt, from this round and all before it.
    pub committed: usize,
}

/// What became of every round up to where the state stands.
pub fn outcomes(run: &Run, state: &StageState) -> Vec<Outcome> {
    let Some(step) = state.step else {
        return Vec::new();
    };
    let mut committed = 0;
    let rounds = run.rounds().iter().enumerate().take(step.round + 1);
    rounds
        .map(|(index, round)| {
            let (judged, closed, over) = match index == step.round {
                true => (state.judged(), state.closed(), step.phase == Phase::Commit),
                false => (round.tested(), true, true),
            };
            if over {
                committed += round.committed.len();
            }
            let closing = round.closing.as_ref().filter(|_| closed);
            let rejected = round.rejected().filter(|column| *column < judged);
            Outcome {
                drafted: round.proposals.iter().map(|it| it.token).collect(),
                accepted: round.accepted().min(judged),
                rejected: rejected.map(|column| round.proposals[column].token),
                closing: closing.map(|closing| (closing.kind, closing.token)),
                discarded: match judged == round.tested() {
                    true => round.discarded(),
                    false => 0,
                },
                committed,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use couplet_protocol::Event;

    fn at(events: &[Event], playhead: usize) -> Vec<Outcome> {
        let run = Run::from_events(events);
        outcomes(&run, &run.state(playhead))
    }

    #[test]
    fn a_round_with_a_rejection_and_one_with_a_bonus() {
        let replaced = Outcome {
            drafted: vec![2, 3, 4],
            accepted: 1,
            rejected: Some(3),
            closing: Some((ClosingKind::Resampled, 5)),
            discarded: 1,
            committed: 2,
        };
        let kept = Outcome {
            drafted: vec![1, 2, 3],
            accepted: 3,
            closing: Some((ClosingKind::Bonus, 4)),
            committed: 6,
            ..Outcome::default()
        };
        assert_eq!(at(&fixture::events(), usize::MAX), [replaced, kept]);
    }

    /// Draft, Verify, two tokens judged, Resample, Commit.
    #[test]
    fn nothing_is_told_ahead_of_the_playhead() {
        let events = fixture::events();
        assert_eq!(at(&events, 0), []);
        let told = |playhead| {
            let all = at(&events, playhead);
            let last = all.last().unwrap();
            let closing = last.closing.map(|(_, token)| token);
            let Outcome {
                accepted,
                rejected,
                discarded,
                committed,
                ..
            } = *last;
            (accepted, rejected, discarded, closing, committed)
        };
        let expected = [
            (0, None, 0, None, 0),
            (0, None, 0, None, 0),
            (1, None, 0, None, 0),
            (1, Some(3), 1, None, 0),
            (1, Some(3), 1, Some(5), 0),
            (1, Some(3), 1, Some(5), 2),
            // The next round.
            (0, None, 0, None, 2),
        ];
        assert_eq!([1, 2, 3, 4, 5, 6, 7].map(told), expected);
    }

    #[test]
    fn behind_the_end_of_a_text_all_is_discarded_and_nothing_added() {
        for kept in [2, 3, 4] {
            let ended = Outcome {
                drafted: vec![1, 2, 3, 4],
                accepted: 2,
                discarded: 2,
                committed: 2,
                ..Outcome::default()
            };
            let events = fixture::ended_by_a_drafted_token(kept);
            assert_eq!(at(&events, usize::MAX), [ended], "{kept} kept");
        }
    }

    #[test]
    fn the_target_alone_adds_a_token_a_round() {
        let alone = |token, committed| Outcome {
            closing: Some((ClosingKind::Bonus, token)),
            committed,
            ..Outcome::default()
        };
        let expected = [alone(3, 1), alone(5, 2)];
        assert_eq!(at(&fixture::alone(&[3, 5]), usize::MAX), expected);
    }

    #[test]
    fn of_a_block_the_token_at_the_cut_is_rejected_and_the_rest_discarded() {
        let cut = &at(&fixture::block(), usize::MAX)[0];
        assert_eq!((cut.accepted, cut.discarded), (2, 1));
        assert_eq!((cut.rejected, cut.committed), (Some(3), 3));
    }
}
