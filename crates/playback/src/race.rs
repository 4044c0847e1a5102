use couplet_speculation::random::exponential;
use couplet_speculation::random::exponential::strike;
use couplet_speculation::ranked;

use crate::Proposal;

/// A token in the race of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runner {
    /// The token.
    pub token: u32,
    /// Its clock, which both models share.
    pub clock: f32,
    /// `clock / probability` under the draft: when it arrives. Absent where it never does or its
    /// probability is not in the log.
    pub draft: Option<f32>,
    /// The same under the target; absent before the target has spoken, too.
    pub target: Option<f32>,
}

/// The race behind a token that Gumbel drafted: every token has a clock, both models divide the
/// same clocks by their own probabilities, and in each the earliest token wins.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    /// When the draft's first, which is the drafted token, arrives.
    pub draft_first: f32,
    /// When the target's first arrives.
    pub target_first: Option<f32>,
    /// The earliest tokens of both, the nearest to winning first.
    pub runners: Vec<Runner>,
}

impl Race {
    /// Runs the race again: the clocks follow from the seed. `most` tokens are kept, among them
    /// the drafted one and the target's own. `None` if the drafted token cannot have won.
    pub fn new(seed: u64, proposal: &Proposal, most: usize) -> Option<Self> {
        let verdict = proposal.verdict.as_ref();
        let own = verdict.and_then(|verdict| verdict.own_token);
        let draft = |token| {
            if token == proposal.token {
                proposal.draft_prob()
            } else {
                proposal.distribution.prob(token)
            }
        };
        let target = |token| {
            let verdict = verdict?;
            if token == proposal.token {
                Some(verdict.target_prob)
            } else {
                verdict.distribution.prob(token)
            }
        };
        let runner = |token: u32| {
            let clock = exponential(seed, proposal.position, token);
            let arrives = |prob: Option<f32>| prob.and_then(|prob| strike(clock, prob));
            Runner {
                token,
                clock,
                draft: arrives(draft(token)),
                target: arrives(target(token)),
            }
        };
        let kept = proposal.distribution.iter().map(|(token, _)| token);
        let judged = verdict
            .into_iter()
            .flat_map(|verdict| verdict.distribution.iter().map(|(token, _)| token));
        let winners = [Some(proposal.token), own];
        let mut tokens: Vec<u32> = kept
            .chain(judged)
            .chain(winners.into_iter().flatten())
            .collect();
        tokens.sort_unstable();
        tokens.dedup();
        let runners: Vec<Runner> = tokens.into_iter().map(runner).collect();

        let find = |token: u32| runners.iter().find(|runner| runner.token == token);
        let draft_first = find(proposal.token)?.draft?;
        let target_first = own.and_then(|own| find(own)?.target);
        let lateness = |runner: &Runner| {
            let draft = runner.draft.map(|time| time / draft_first);
            let target = runner
                .target
                .zip(target_first)
                .map(|(time, first)| time / first);
            let least = draft.unwrap_or(f32::MAX).min(target.unwrap_or(f32::MAX));
            if runner.token == proposal.token {
                -2.0
            } else if winners.contains(&Some(runner.token)) {
                -1.0
            } else {
                f64::from(least)
            }
        };
        // The drafted token, the target's own, then by their times.
        let ranks = ranked(runners.iter().map(|runner| -lateness(runner)));
        let shown = ranks.into_iter().take(most.max(2));
        let runners = shown.map(|place| runners[place]).collect();
        Some(Self {
            draft_first,
            target_first,
            runners,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DRAFT, TARGET, compared};
    use couplet_protocol::Distribution;
    use couplet_speculation::random::race;

    fn proposal(seed: u64, position: u32) -> Proposal {
        compared(
            position,
            [DRAFT, TARGET].map(|probs| race(seed, position, probs)),
        )
    }

    /// What the page draws is the race that was run: in it nobody arrives before the drafted token
    /// under the draft, nor before the target's own token under the target.
    #[test]
    fn the_drafted_token_and_the_targets_own_arrive_first() {
        let mut kept = 0;
        for position in 0..400 {
            let proposal = proposal(7, position);
            let race = Race::new(7, &proposal, 5).unwrap();
            let own = proposal.verdict.as_ref().unwrap().own_token.unwrap();
            assert_eq!(race.runners[0].token, proposal.token);
            for runner in &race.runners {
                let (draft, target) = (runner.draft.unwrap(), runner.target.unwrap());
                assert!(draft >= race.draft_first, "{race:?}");
                assert!(target >= race.target_first.unwrap(), "{race:?}");
                assert_eq!(draft == race.draft_first, runner.token == proposal.token);
                assert_eq!(target == race.target_first.unwrap(), runner.token == own);
            }
            kept += usize::from(proposal.token == own);
        }
        assert!(kept > 200 && kept < 380, "{kept}");
    }

    #[test]
    fn both_winners_are_among_the_few_that_are_drawn() {
        for position in 0..100 {
            let proposal = proposal(1, position);
            let race = Race::new(1, &proposal, 2).unwrap();
            let own = proposal.verdict.as_ref().unwrap().own_token.unwrap();
            assert!(race.runners.len() == 2);
            assert!(race.runners.iter().any(|runner| runner.token == own));
        }
    }

    #[test]
    fn what_the_log_does_not_hold_is_not_made_up() {
        let mut proposal = proposal(7, 0);
        proposal.distribution = Distribution {
            tokens: Some(vec![]),
            probs: vec![],
            rest: 1.0,
        };
        let verdict = proposal.verdict.as_mut().unwrap();
        verdict.own_token = Some(900);
        let race = Race::new(7, &proposal, 4).unwrap();
        assert_eq!(race.target_first, None);
        let drafted = &race.runners[0];
        assert_eq!(drafted.draft, Some(race.draft_first));
        assert!(
            race.runners[1..]
                .iter()
                .all(|runner| runner.draft.is_none())
        );
    }

    #[test]
    fn before_the_target_has_spoken_only_the_draft_runs() {
        let mut proposal = proposal(7, 0);
        proposal.verdict = None;
        let race = Race::new(7, &proposal, 4).unwrap();
        assert_eq!(race.target_first, None);
        assert!(race.runners.iter().all(|runner| runner.target.is_none()));
    }
}
