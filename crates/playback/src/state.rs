use std::sync::Arc;

use couplet_protocol::{Event, FinishReason};

use crate::{ClosingKind, Phase, Round, Run, Step};

/// How a token stands in the manuscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Drafted, not yet judged.
    Pencil,
    /// Drafted and kept.
    Accepted,
    /// Rejected, its replacement not yet drawn.
    Struck,
    /// Drawn in place of a rejected token, from the residual or from the target.
    Resampled,
    /// Added by the target after a fully accepted draft.
    Bonus,
    /// Drafted after a rejected token or past the end of the text.
    Discarded,
}

/// One token of the manuscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InkToken {
    /// The token.
    pub token: u32,
    /// How it stands there.
    pub mark: Mark,
    /// The rejected token above the line.
    pub struck: Option<u32>,
    /// Column in its round; a bonus stands after the last.
    pub column: usize,
}

/// The tokens of one round in the manuscript.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoundInk {
    /// Index of the round.
    pub round: usize,
    /// Whether the playhead stands in it.
    pub current: bool,
    /// Its tokens.
    pub tokens: Vec<InkToken>,
}

/// A round in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Glyph {
    /// Tokens kept.
    pub accepted: usize,
    /// Tokens drafted.
    pub drafted: usize,
    /// How many of them could be kept: not those after the one that ended the text.
    pub possible: usize,
    /// The most tokens that it could commit: one more than it drafted, but for where the text ends in it.
    pub room: usize,
    /// Whether it ends in a bonus; absent until that token is drawn, and where a drafted one ended the text.
    pub bonus: Option<bool>,
}

/// What was counted up to the playhead. Discarded tokens are not counted as tested.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Drafted tokens whose own fate was decided.
    pub tested: u64,
    /// Drafted tokens that were kept.
    pub accepted: u64,
    /// Committed rounds.
    pub rounds: u64,
    /// Committed tokens.
    pub committed: u64,
    /// Milliseconds of the committed rounds, drawing excluded.
    pub milliseconds: f64,
    /// Committed rounds by number of accepted tokens.
    pub lengths: Vec<u32>,
}

impl Statistics {
    /// Share of the tested tokens that were kept.
    pub fn acceptance_rate(&self) -> Option<f64> {
        (self.tested > 0).then(|| self.accepted as f64 / self.tested as f64)
    }

    /// Committed tokens per round.
    pub fn tokens_per_round(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.committed as f64 / self.rounds as f64)
    }

    /// Committed tokens per second of engine time.
    pub fn tokens_per_second(&self) -> Option<f64> {
        (self.milliseconds > 0.0).then(|| 1000.0 * self.committed as f64 / self.milliseconds)
    }
}

/// Everything that the Stage draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageState {
    /// Where the playhead stands; 0 is before the first step.
    pub playhead: usize,
    /// The step after which it stands.
    pub step: Option<Step>,
    /// Tokens of prefix and prompt.
    pub prompt: Vec<u32>,
    /// The text after the prompt.
    pub manuscript: Vec<RoundInk>,
    /// The round of the step.
    pub round: Option<Arc<Round>>,
    /// Rounds up to the playhead.
    pub glyphs: Vec<Glyph>,
    /// Counts up to the playhead.
    pub statistics: Statistics,
}

impl StageState {
    /// How many columns of the current round have been judged.
    pub fn judged(&self) -> usize {
        let (Some(step), Some(round)) = (self.step, &self.round) else {
            return 0;
        };
        judged(round, step)
    }

    /// Whether the target's probabilities of the current round are known.
    pub fn verified(&self) -> bool {
        self.step.is_some_and(|step| step.phase >= Phase::Verify)
    }

    /// Whether the current round's replacement or bonus has been drawn.
    pub fn closed(&self) -> bool {
        self.step.is_some_and(|step| step.phase >= Phase::Resample)
    }

    /// Tokens of the text, pencil and discarded ones excluded.
    pub fn written(&self) -> usize {
        let inked =
            |ink: &InkToken| matches!(ink.mark, Mark::Accepted | Mark::Resampled | Mark::Bonus);
        self.manuscript
            .iter()
            .map(|round| round.tokens.iter().filter(|ink| inked(ink)).count())
            .sum()
    }
}

/// The state after the first `playhead` steps of a list of events.
pub fn fold(events: &[Event], playhead: usize) -> StageState {
    Run::from_events(events).state(playhead)
}

impl Run {
    /// A round in the timeline once it is over; none where there is none.
    pub fn glyph(&self, round: usize) -> Option<Glyph> {
        let whole = Step {
            round,
            phase: Phase::Commit,
            column: 0,
        };
        let is_last = self.ends_by_length(round);
        self.rounds().get(round).map(|it| glyph(it, whole, is_last))
    }

    /// Whether the text came to its length in this round.
    fn ends_by_length(&self, round: usize) -> bool {
        round + 1 == self.rounds().len() && self.finished() == Some(FinishReason::Length)
    }

    /// The state after the first `playhead` steps.
    pub fn state(&self, playhead: usize) -> StageState {
        let playhead = playhead.min(self.steps().len());
        let mut state = StageState {
            playhead,
            prompt: self.prompt().to_vec(),
            ..StageState::default()
        };
        let Some(step) = self.step_at(playhead) else {
            return state;
        };
        let finished = Step {
            round: 0,
            phase: Phase::Commit,
            column: 0,
        };
        for (index, round) in self.rounds()[..=step.round].iter().enumerate() {
            let current = index == step.round;
            let at = if current { step } else { finished };
            state.manuscript.push(RoundInk {
                round: index,
                current,
                tokens: ink(round, at),
            });
            let is_last = self.ends_by_length(index);
            state.glyphs.push(glyph(round, at, is_last));
            count(&mut state.statistics, round, at);
        }
        state.round = self.rounds().get(step.round).cloned();
        state.step = Some(step);
        state
    }
}

fn judged(round: &Round, step: Step) -> usize {
    match step.phase {
        Phase::Draft | Phase::Verify => 0,
        Phase::Judge => step.column + 1,
        _ => round.tested(),
    }
}

fn ink(round: &Round, step: Step) -> Vec<InkToken> {
    let judged = judged(round, step);
    let rejected = round.rejected().filter(|column| *column < judged);
    // Once the last of them is judged that is.
    let discarded = |column: usize| judged > 0 && judged == round.tested() && column >= judged;
    let mut tokens: Vec<InkToken> = round
        .proposals
        .iter()
        .enumerate()
        .map(|(column, proposal)| {
            let mark = match rejected {
                Some(at) if column == at => Mark::Struck,
                _ if discarded(column) => Mark::Discarded,
                _ if column < judged => Mark::Accepted,
                _ => Mark::Pencil,
            };
            InkToken {
                token: proposal.token,
                mark,
                struck: None,
                column,
            }
        })
        .collect();
    if let Some(closing) = round
        .closing
        .as_ref()
        .filter(|_| step.phase >= Phase::Resample)
    {
        match (closing.kind, rejected) {
            (ClosingKind::Resampled, Some(column)) => {
                let struck = Some(tokens[column].token);
                tokens[column] = InkToken {
                    token: closing.token,
                    mark: Mark::Resampled,
                    struck,
                    column,
                };
            }
            _ => {
                let column = tokens.len();
                tokens.push(InkToken {
                    token: closing.token,
                    mark: Mark::Bonus,
                    struck: None,
                    column,
                });
            }
        }
    }
    if step.phase == Phase::Commit {
        tokens.retain(|ink| !matches!(ink.mark, Mark::Discarded | Mark::Pencil | Mark::Struck));
        tokens.truncate(round.committed.len());
    }
    tokens
}

fn glyph(round: &Round, step: Step, ends_by_length: bool) -> Glyph {
    let judged = judged(round, step);
    let closing = round
        .closing
        .as_ref()
        .filter(|_| step.phase >= Phase::Resample);
    // Whatever else it kept, it could write no more than the text had room for.
    let is_cut = round.text_ends_with.is_some() || ends_by_length;
    let room = match is_cut && step.phase == Phase::Commit {
        true => round.committed.len(),
        false => round.proposals.len() + 1,
    };
    Glyph {
        room,
        accepted: round.accepted().min(judged),
        drafted: round.proposals.len(),
        possible: round.text_ends_with.unwrap_or(round.proposals.len()),
        bonus: closing.map(|closing| closing.kind == ClosingKind::Bonus),
    }
}

fn count(statistics: &mut Statistics, round: &Round, step: Step) {
    let judged = judged(round, step);
    statistics.tested += judged as u64;
    statistics.accepted += round.accepted().min(judged) as u64;
    if statistics.lengths.len() <= round.proposals.len() {
        statistics.lengths.resize(round.proposals.len() + 1, 0);
    }
    if step.phase == Phase::Commit {
        statistics.rounds += 1;
        statistics.committed += round.committed.len() as u64;
        statistics.milliseconds += round.timings.milliseconds;
        statistics.lengths[round.accepted()] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, fixture};

    fn marks(playhead: usize) -> Vec<Mark> {
        let state = fold(&fixture::events(), playhead);
        state
            .manuscript
            .last()
            .unwrap()
            .tokens
            .iter()
            .map(|ink| ink.mark)
            .collect()
    }

    #[test]
    fn before_the_first_step_only_the_prompt_stands() {
        let state = fold(&fixture::events(), 0);
        assert_eq!(state.prompt, [0, 1]);
        assert!(state.manuscript.is_empty());
    }

    #[test]
    fn marks_follow_the_phases_of_a_rejected_round() {
        use Mark::*;
        assert_eq!(marks(1), [Pencil, Pencil, Pencil]);
        assert_eq!(marks(3), [Accepted, Pencil, Pencil]);
        assert_eq!(marks(4), [Accepted, Struck, Discarded]);
        assert_eq!(marks(5), [Accepted, Resampled, Discarded]);
        assert_eq!(marks(6), [Accepted, Resampled]);
    }

    #[test]
    fn the_replacement_remembers_what_was_struck() {
        let state = fold(&fixture::events(), 6);
        assert_eq!(state.manuscript[0].tokens[1].struck, Some(3));
    }

    #[test]
    fn discarded_tokens_do_not_count_as_tested() {
        let statistics = fold(&fixture::events(), 6).statistics;
        assert_eq!((statistics.accepted, statistics.tested), (1, 2));
        assert_eq!((statistics.rounds, statistics.committed), (1, 2));
        assert_eq!(statistics.lengths, [0, 1, 0, 0]);
        assert_eq!(statistics.tokens_per_second(), Some(200.0));
    }

    /// Five tokens are tested in two rounds of ten milliseconds, and four of them kept.
    #[test]
    fn rates_are_those_of_what_was_counted_and_there_is_none_of_nothing() {
        let rates = |playhead| {
            let statistics = fold(&fixture::events(), playhead).statistics;
            (
                statistics.acceptance_rate(),
                statistics.tokens_per_round(),
                statistics.tokens_per_second(),
            )
        };
        assert_eq!(rates(2), (None, None, None));
        assert_eq!(rates(4), (Some(0.5), None, None), "not yet committed");
        assert_eq!(rates(usize::MAX), (Some(0.8), Some(3.0), Some(300.0)));
    }

    #[test]
    fn a_round_is_verified_judged_and_closed_step_by_step() {
        let known = |playhead| {
            let state = fold(&fixture::events(), playhead);
            assert_eq!(state.playhead, playhead);
            (state.verified(), state.judged(), state.closed())
        };
        let expected = [
            (false, 0, false),
            (false, 0, false),
            (true, 0, false),
            (true, 1, false),
            (true, 2, false),
            (true, 2, true),
            (true, 2, true),
            // The draft of the next round.
            (false, 0, false),
        ];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(known), expected);
        assert_eq!(fold(&fixture::events(), usize::MAX).playhead, 13);
    }

    #[test]
    fn a_glyph_tells_no_more_than_the_playhead_has_passed() {
        let glyph = |accepted, bonus| Glyph {
            accepted,
            drafted: 3,
            possible: 3,
            room: 4,
            bonus,
        };
        let run = Run::from_events(&fixture::events());
        let last = |playhead| run.state(playhead).glyphs.last().copied();
        let (replaced, kept) = (glyph(1, Some(false)), glyph(3, Some(true)));
        let first_round = [2, 3, 4, 5].map(last);
        let expected = [glyph(0, None), glyph(1, None), glyph(1, None), replaced];
        assert_eq!(first_round, expected.map(Some));
        assert_eq!(run.state(usize::MAX).glyphs, [replaced, kept]);
        // In the timeline of a whole run.
        assert_eq!(
            [0, 1, 2].map(|round| run.glyph(round)),
            [Some(replaced), Some(kept), None]
        );
    }

    /// What lies past the end of the text is not expected of the round that wrote it.
    #[test]
    fn a_round_has_room_up_to_the_end_of_the_text() {
        let room = |events: &[Event]| fold(events, usize::MAX).glyphs.last().unwrap().room;
        assert_eq!(room(&fixture::kept(5, 5)), 6);
        assert_eq!(room(&fixture::kept(5, 0)), 6);
        assert_eq!(room(&fixture::ended_by_a_drafted_token(2)), 2);
        // Of a text that has its length, whether that cut something off or not.
        let of_length = |accepted, committed| {
            let mut events = fixture::kept(5, accepted);
            for event in &mut events {
                if let Event::Committed { tokens, .. } = event {
                    tokens.truncate(committed);
                }
            }
            let reason = FinishReason::Length;
            events.push(Event::Finished { reason });
            events
        };
        assert_eq!(room(&of_length(2, 3)), 3);
        let cut = of_length(5, 3);
        assert_eq!(room(&cut), 3);
        let committing = Run::from_events(&cut).steps().len();
        assert_eq!(fold(&cut, committing - 1).glyphs[0].room, 6);
    }

    #[test]
    fn a_block_is_inked_struck_and_discarded_in_one_step() {
        use Mark::*;
        let marks = |playhead| -> Vec<Mark> {
            let state = fold(&fixture::block(), playhead);
            let tokens = &state.manuscript.last().unwrap().tokens;
            tokens.iter().map(|ink| ink.mark).collect()
        };
        assert_eq!(marks(2), [Pencil; 4]);
        assert_eq!(marks(3), [Accepted, Accepted, Struck, Discarded]);
        assert_eq!(marks(4), [Accepted, Accepted, Resampled, Discarded]);
        assert_eq!(marks(5), [Accepted, Accepted, Resampled]);
        assert_eq!(marks(8), [Accepted; 4]);
        assert_eq!(marks(10), [Accepted, Accepted, Accepted, Accepted, Bonus]);
    }

    /// Block judges all four tokens of the first round, but the last two verdicts are about one
    /// cut: only the token at the cut counts as rejected.
    #[test]
    fn tokens_behind_the_cut_of_a_block_are_no_rejections() {
        let before = fold(&fixture::block(), 2).statistics;
        assert_eq!((before.accepted, before.tested), (0, 0));
        let judged = fold(&fixture::block(), 3).statistics;
        assert_eq!((judged.accepted, judged.tested), (2, 3));
        let all = fold(&fixture::block(), usize::MAX).statistics;
        assert_eq!((all.accepted, all.tested), (6, 7));
        assert_eq!(all.lengths, [0, 0, 1, 0, 1]);
    }

    #[test]
    fn a_token_that_is_not_the_targets_own_is_replaced_by_it() {
        use Mark::*;
        let events = fixture::own_tokens(&[(2, 2), (3, 4), (5, 0)]);
        let state = fold(&events, usize::MAX);
        let tokens = &state.manuscript[0].tokens;
        assert_eq!(
            tokens.iter().map(|ink| ink.mark).collect::<Vec<_>>(),
            [Accepted, Resampled]
        );
        assert_eq!((tokens[1].token, tokens[1].struck), (4, Some(3)));
        assert_eq!((state.statistics.accepted, state.statistics.tested), (1, 2));
    }

    #[test]
    fn a_fully_accepted_round_ends_in_a_bonus() {
        let state = fold(&fixture::events(), usize::MAX);
        assert_eq!(state.manuscript[1].tokens.last().unwrap().mark, Mark::Bonus);
        assert_eq!(state.statistics.committed, 6);
        assert_eq!(state.written(), 6);
    }

    #[test]
    fn stepping_back_gives_the_same_state_as_stepping_forward() {
        let events = fixture::events();
        let run = Run::from_events(&events);
        let forward: Vec<StageState> = (0..=run.steps().len()).map(|at| run.state(at)).collect();
        for at in (0..=run.steps().len()).rev() {
            assert_eq!(run.state(at), forward[at]);
        }
    }

    #[test]
    fn a_cut_commit_shows_no_more_than_was_committed() {
        let mut events = fixture::events();
        for event in &mut events {
            if let Event::Committed { round: 1, tokens } = event {
                tokens.truncate(2);
            }
        }
        assert_eq!(fold(&events, usize::MAX).manuscript[1].tokens.len(), 2);
    }
}
