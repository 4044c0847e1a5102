use std::sync::Arc;

use couplet_protocol::{Distribution, Event, FinishReason, Timings};

use crate::{Phase, Step};

/// How the target judged a drafted token.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Probability under the draft.
    pub draft_prob: f32,
    /// Probability under the target.
    pub target_prob: f32,
    /// The uniform draw u; 0 under rules that need none.
    pub draw: f32,
    /// What u or the target's probability had to pass, under Block and Typical.
    pub threshold: Option<f32>,
    /// What the target draws here by itself, under Gumbel, MinHash and Sample and match.
    pub own_token: Option<u32>,
    /// Whether the token was kept.
    pub accepted: bool,
    /// The target's distribution at this place.
    pub distribution: Distribution,
}

/// What both models gave a token that was never judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Unjudged {
    /// Probability under the draft.
    pub draft_prob: f32,
    /// Probability under the target, given all drafted tokens before it.
    pub target_prob: f32,
    /// The target's distribution at this place.
    pub distribution: Distribution,
}

/// A drafted token and, if it was judged, the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Its place in the text, by which its random numbers are keyed.
    pub position: u32,
    /// The token.
    pub token: u32,
    /// What it was drawn from.
    pub distribution: Distribution,
    /// Absent for tokens after a rejected one, but under Block.
    pub verdict: Option<Verdict>,
    /// What the target said of it nevertheless, where it has no verdict; old logs do not tell.
    pub unjudged: Option<Unjudged>,
}

impl Proposal {
    /// Probability of the token under the draft. `None` where the log does not hold it: the token
    /// is not among the most probable of a large vocabulary, and nothing is known of the target.
    pub fn draft_prob(&self) -> Option<f32> {
        let judged = self.verdict.as_ref().map(|verdict| verdict.draft_prob);
        judged
            .or_else(|| Some(self.unjudged.as_ref()?.draft_prob))
            .or_else(|| self.distribution.prob(self.token))
    }

    /// Probability of the token under the target, where the log holds it.
    pub fn target_prob(&self) -> Option<f32> {
        let judged = self.verdict.as_ref().map(|verdict| verdict.target_prob);
        judged.or_else(|| Some(self.unjudged.as_ref()?.target_prob))
    }

    /// What the target said at this place, where the log holds it.
    pub fn target_distribution(&self) -> Option<&Distribution> {
        let judged = self.verdict.as_ref().map(|verdict| &verdict.distribution);
        judged.or_else(|| Some(&self.unjudged.as_ref()?.distribution))
    }
}

/// How a round got its last token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingKind {
    /// A rejected token was replaced, from the residual or by the target's own.
    Resampled,
    /// Everything was accepted and the target added one.
    Bonus,
}

/// The token that the target itself added.
#[derive(Clone, Debug, PartialEq)]
pub struct Closing {
    /// Replacement or bonus.
    pub kind: ClosingKind,
    /// The token.
    pub token: u32,
    /// Residual or the target's distribution.
    pub distribution: Distribution,
    /// Sum of the residual before it was normalised, 0 where the target's distribution was drawn
    /// from; 1 for a bonus.
    pub mass: f32,
    /// The draw that chose it; 0 where shared noise or no chance did.
    pub draw: f32,
}

/// One complete round: draft, verify, judge, resample or bonus, commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// Drafted tokens in order.
    pub proposals: Vec<Proposal>,
    /// The target's own token.
    pub closing: Option<Closing>,
    /// What became part of the text.
    pub committed: Vec<u32>,
    /// What it took.
    pub timings: Timings,
    /// How many drafted tokens there are up to the one that ended the text, where a drafted token did.
    pub text_ends_with: Option<usize>,
}

impl Round {
    /// Drafted tokens that were kept.
    pub fn accepted(&self) -> usize {
        let kept = self.verdicts().filter(|verdict| verdict.accepted).count();
        kept.min(self.text_ends_with.unwrap_or(kept))
    }

    /// Drafted tokens whose fate was decided by themselves: the kept ones and the rejected one.
    /// What lies after that is discarded, even where Block has looked at it, and so is what lies after
    /// the end of the text: that it would have been kept says nothing about this text.
    pub fn tested(&self) -> usize {
        self.rejected()
            .map_or_else(|| self.accepted(), |column| column + 1)
    }

    /// Column of the rejected token.
    pub fn rejected(&self) -> Option<usize> {
        let rejected = self.proposals.iter().position(|proposal| {
            proposal
                .verdict
                .as_ref()
                .is_some_and(|verdict| !verdict.accepted)
        });
        rejected.filter(|column| self.text_ends_with.is_none_or(|end| *column < end))
    }

    /// Drafted tokens after the rejected one or past the end of the text.
    pub fn discarded(&self) -> usize {
        self.proposals.len() - self.tested()
    }

    /// Whether the drafted tokens were judged together, as Block does. Its verdicts alone have
    /// both a draw and something to hold it against.
    pub fn judged_together(&self) -> bool {
        self.verdicts()
            .next()
            .is_some_and(|verdict| verdict.threshold.is_some() && verdict.draw > 0.0)
    }

    /// What Block has left of the ratio after the kept tokens: `p_i = min(1, p_(i-1) * t_i / d_i)`,
    /// 1 for none. The residual is that of the target times this.
    pub fn kept_ratio(&self) -> f64 {
        self.verdicts()
            .take(self.accepted())
            .fold(1.0, |ratio, verdict| {
                let (draft, target) = (
                    f64::from(verdict.draft_prob),
                    f64::from(verdict.target_prob),
                );
                if draft > 0.0 {
                    (ratio * target / draft).min(1.0)
                } else {
                    ratio
                }
            })
    }

    fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.proposals
            .iter()
            .filter_map(|proposal| proposal.verdict.as_ref())
    }

    fn is_empty(&self) -> bool {
        self.proposals.is_empty() && self.closing.is_none() && self.committed.is_empty()
    }
}

/// The events of one run, indexed by round and step. Grows while the engine writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    started: bool,
    prompt: Vec<u32>,
    rounds: Vec<Arc<Round>>,
    open: Round,
    steps: Vec<Step>,
    finished: Option<FinishReason>,
}

impl Run {
    /// Indexes a whole list.
    pub fn from_events(events: &[Event]) -> Self {
        let mut run = Self::default();
        for event in events {
            run.push(event);
        }
        run
    }

    /// Takes in the next event. A round gets its steps when it is complete.
    pub fn push(&mut self, event: &Event) {
        match event {
            Event::Started { prompt_tokens, .. } => {
                self.started = true;
                self.prompt.clone_from(prompt_tokens);
            }
            Event::Drafted {
                position,
                token,
                draft_distribution,
                ..
            } => self.open.proposals.push(Proposal {
                position: *position,
                token: *token,
                distribution: draft_distribution.clone(),
                verdict: None,
                unjudged: None,
            }),
            Event::Verified {
                draft_prob,
                target_prob,
                draw,
                threshold,
                own_token,
                accepted,
                target_distribution,
                ..
            } => {
                let waiting = self
                    .open
                    .proposals
                    .iter_mut()
                    .find(|proposal| proposal.verdict.is_none());
                if let Some(proposal) = waiting {
                    proposal.verdict = Some(Verdict {
                        draft_prob: *draft_prob,
                        target_prob: *target_prob,
                        draw: *draw,
                        threshold: *threshold,
                        own_token: *own_token,
                        accepted: *accepted,
                        distribution: target_distribution.clone(),
                    });
                }
            }
            Event::Discarded {
                position,
                draft_prob,
                target_prob,
                target_distribution,
                ..
            } => {
                let place = |proposal: &&mut Proposal| proposal.position == *position;
                if let Some(proposal) = self.open.proposals.iter_mut().find(place) {
                    proposal.unjudged = Some(Unjudged {
                        draft_prob: *draft_prob,
                        target_prob: *target_prob,
                        distribution: target_distribution.clone(),
                    });
                }
            }
            Event::Resampled {
                token,
                residual,
                residual_mass,
                draw,
                ..
            } => {
                self.open.closing = Some(Closing {
                    kind: ClosingKind::Resampled,
                    token: *token,
                    distribution: residual.clone(),
                    mass: *residual_mass,
                    draw: *draw,
                });
            }
            Event::Bonus {
                token,
                target_distribution,
                draw,
                ..
            } => {
                self.open.closing = Some(Closing {
                    kind: ClosingKind::Bonus,
                    token: *token,
                    distribution: target_distribution.clone(),
                    mass: 1.0,
                    draw: *draw,
                });
            }
            Event::Committed { tokens, .. } => self.open.committed.clone_from(tokens),
            Event::RoundEnded { timings, .. } => {
                self.open.timings = *timings;
                self.close_round();
            }
            Event::Finished { reason } => {
                self.close_round();
                if *reason == FinishReason::EndOfText {
                    self.end_text();
                }
                self.finished = Some(*reason);
            }
        }
    }

    /// Where a drafted token ended the text, nothing after it belongs to the last round, neither verdicts
    /// nor what the target added.
    fn end_text(&mut self) {
        let by_draft =
            |round: &mut Arc<Round>| (1..=round.accepted()).contains(&round.committed.len());
        let Some(round) = self.rounds.pop_if(by_draft) else {
            return;
        };
        let number = self.rounds.len();
        self.steps.retain(|step| step.round < number);
        let mut round = Arc::unwrap_or_clone(round);
        round.text_ends_with = Some(round.committed.len());
        round.closing = None;
        self.open = round;
        self.close_round();
    }

    fn close_round(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let round = std::mem::take(&mut self.open);
        let number = self.rounds.len();
        let mut push = |phase, column| {
            self.steps.push(Step {
                round: number,
                phase,
                column,
            })
        };
        if !round.proposals.is_empty() {
            push(Phase::Draft, 0);
            push(Phase::Verify, 0);
        }
        // A block has one verdict, which is out once its last token that counts is judged.
        let first = if round.judged_together() {
            round.tested().saturating_sub(1)
        } else {
            0
        };
        for column in first..round.tested() {
            push(Phase::Judge, column);
        }
        match round.closing.as_ref().map(|closing| closing.kind) {
            Some(ClosingKind::Resampled) => push(Phase::Resample, round.rejected().unwrap_or(0)),
            Some(ClosingKind::Bonus) => push(Phase::Bonus, round.proposals.len()),
            None => {}
        }
        push(Phase::Commit, 0);
        self.rounds.push(Arc::new(round));
    }

    /// Whether the prompt has been read.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Tokens of prefix and prompt.
    pub fn prompt(&self) -> &[u32] {
        &self.prompt
    }

    /// Complete rounds.
    pub fn rounds(&self) -> &[Arc<Round>] {
        &self.rounds
    }

    /// Steps of all complete rounds. Playhead p stands after step p - 1.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Why the run ended, once it has.
    pub fn finished(&self) -> Option<FinishReason> {
        self.finished
    }

    /// Playhead at the first step of the round shown, or, if it stands there, of the one before.
    pub fn previous_round(&self, playhead: usize) -> usize {
        let Some(step) = self.step_at(playhead) else {
            return 0;
        };
        let start = self.start_of(step.round);
        if playhead > start + 1 {
            start + 1
        } else {
            step.round
                .checked_sub(1)
                .map_or(0, |round| self.start_of(round) + 1)
        }
    }

    /// Playhead at the first step of the round after the one shown.
    pub fn next_round(&self, playhead: usize) -> usize {
        let next = self.step_at(playhead).map_or(0, |step| step.round + 1);
        if next < self.rounds.len() {
            self.start_of(next) + 1
        } else {
            self.steps.len()
        }
    }

    /// Playhead that shows a round complete.
    pub fn end_of(&self, round: usize) -> usize {
        self.start_of(round + 1)
    }

    /// The step that the playhead stands after.
    pub fn step_at(&self, playhead: usize) -> Option<Step> {
        playhead
            .min(self.steps.len())
            .checked_sub(1)
            .map(|index| self.steps[index])
    }

    fn start_of(&self, round: usize) -> usize {
        self.steps.partition_point(|step| step.round < round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_behind_the_end_of_the_text_is_discarded() {
        for kept in 2..=4 {
            let run = Run::from_events(&fixture::ended_by_a_drafted_token(kept));
            let round = &run.rounds()[0];
            let counted = (round.accepted(), round.tested(), round.discarded());
            assert_eq!(counted, (2, 2, 2), "{kept} kept");
            assert_eq!((round.rejected(), &round.closing), (None, &None), "{kept}");
            let phases: Vec<Phase> = run.steps().iter().map(|step| step.phase).collect();
            let expect = [
                Phase::Draft,
                Phase::Verify,
                Phase::Judge,
                Phase::Judge,
                Phase::Commit,
            ];
            assert_eq!(phases, expect, "{kept} kept");
            let statistics = run.state(run.steps().len()).statistics;
            assert_eq!((statistics.accepted, statistics.tested), (2, 2), "{kept}");
            assert_eq!(statistics.committed, 2, "{kept} kept");
        }
    }

    #[test]
    fn a_text_that_the_target_ends_or_its_length_keeps_its_last_round() {
        let mut events = fixture::ended_by_a_drafted_token(4);
        events.pop();
        events.push(Event::Finished {
            reason: FinishReason::Length,
        });
        let run = Run::from_events(&events);
        assert_eq!(
            (run.rounds()[0].accepted(), run.rounds()[0].tested()),
            (4, 4)
        );
        assert!(run.rounds()[0].closing.is_some());
    }
    use crate::fixture;

    #[test]
    fn a_rejected_round_has_one_step_per_phase_and_judged_token() {
        let run = Run::from_events(&fixture::events());
        let phases: Vec<Phase> = run
            .steps()
            .iter()
            .filter(|step| step.round == 0)
            .map(|step| step.phase)
            .collect();
        use Phase::*;
        assert_eq!(phases, [Draft, Verify, Judge, Judge, Resample, Commit]);
        assert_eq!(run.rounds()[0].tested(), 2);
        assert_eq!(run.rounds()[0].discarded(), 1);
    }

    #[test]
    fn what_lies_behind_a_rejected_token_is_discarded() {
        let counts = |accepted| {
            let run = Run::from_events(&fixture::kept(3, accepted));
            let round = &run.rounds()[0];
            (round.accepted(), round.tested(), round.discarded())
        };
        let expected = [(0, 1, 2), (1, 2, 1), (2, 3, 0), (3, 3, 0)];
        assert_eq!([0, 1, 2, 3].map(counts), expected);
    }

    #[test]
    fn a_target_alone_round_has_bonus_and_commit_only() {
        let events = [
            Event::Started {
                prompt_tokens: vec![0],
                milliseconds: 1.0,
            },
            fixture::bonus(0, 2),
            Event::Committed {
                round: 0,
                tokens: vec![2],
            },
            Event::RoundEnded {
                round: 0,
                timings: Timings::default(),
            },
        ];
        let run = Run::from_events(&events);
        assert_eq!(run.steps().len(), 2);
        assert_eq!(run.steps()[0].phase, Phase::Bonus);
    }

    #[test]
    fn a_block_is_judged_in_one_step_and_what_lies_behind_it_is_discarded() {
        let run = Run::from_events(&fixture::block());
        let steps = |round| -> Vec<(Phase, usize)> {
            let of_round = run.steps().iter().filter(|step| step.round == round);
            of_round.map(|step| (step.phase, step.column)).collect()
        };
        use Phase::*;
        // The first token failed its own test and was kept, because the second passed.
        let expected = [
            (Draft, 0),
            (Verify, 0),
            (Judge, 2),
            (Resample, 2),
            (Commit, 0),
        ];
        assert_eq!(steps(0), expected);
        let round = &run.rounds()[0];
        assert_eq!((round.accepted(), round.tested()), (2, 3));
        assert_eq!((round.rejected(), round.discarded()), (Some(2), 1));
        assert!(round.proposals[3].verdict.is_some(), "judged all the same");
        let expected = [(Draft, 0), (Verify, 0), (Judge, 3), (Bonus, 4), (Commit, 0)];
        assert_eq!(steps(1), expected);
    }

    #[test]
    fn the_ratio_of_a_block_is_that_of_its_kept_tokens() {
        let run = Run::from_events(&fixture::block());
        // min(1, 1 * .1 / .5) and then min(1, .2 * .4 / .1).
        assert!((run.rounds()[0].kept_ratio() - 0.8).abs() < 1e-6);
        let rejected_at_once = Run::from_events(&fixture::own_tokens(&[(2, 3)]));
        assert_eq!(rejected_at_once.rounds()[0].kept_ratio(), 1.0);
    }

    #[test]
    fn rules_with_one_of_draw_and_threshold_judge_token_by_token() {
        for events in [fixture::events(), fixture::typical()] {
            assert!(!Run::from_events(&events).rounds()[0].judged_together());
        }
    }

    #[test]
    fn streaming_event_by_event_gives_the_same_index() {
        let events = fixture::events();
        let mut run = Run::default();
        assert!(!run.started());
        for event in &events {
            assert_eq!(run.finished(), None);
            run.push(event);
            assert!(run.started());
        }
        assert_eq!(run.finished(), Some(FinishReason::Length));
        assert_eq!(run, Run::from_events(&events));
    }

    #[test]
    fn rounds_can_be_walked_in_both_directions() {
        let run = Run::from_events(&fixture::events());
        let second = run.end_of(0) + 1;
        assert_eq!(run.next_round(0), 1);
        assert_eq!(run.next_round(1), second);
        assert_eq!(run.previous_round(second), 1);
        assert_eq!(run.previous_round(second + 2), second);
        assert_eq!(run.previous_round(1), 0);
        assert_eq!(run.next_round(usize::MAX), run.steps().len());
    }

    #[test]
    fn verdicts_without_drafts_do_no_harm() {
        let mut events = fixture::events();
        events.retain(|event| !matches!(event, Event::Drafted { .. }));
        assert_eq!(Run::from_events(&events).rounds().len(), 2);
    }
}
