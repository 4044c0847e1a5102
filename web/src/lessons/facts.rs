//! What the lessons speak about: the recorded runs and the machine, and every number in their words.

use std::sync::Arc;

use couplet_playback::{Cut, Run, Verdict, decimal, dividing, significant, told_apart, visible};
use couplet_protocol::{PairInfo, Settings, Trace};
use couplet_speculation::formulas::expected_tokens_per_round;

use super::places::{Round, Spot};
use crate::store::{Kept, Recording};

/// Bytes of a weight at 32 bits, as the CPU keeps it. Some GPUs get by with half.
const BYTES: f64 = 4.0;

/// The recorded runs, and what was measured here.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What was asked for.
    pub settings: Settings,
    /// Who wrote it.
    pub pair: Arc<PairInfo>,
    /// What happened.
    pub run: Run,
    /// What happened where nothing was drafted, once that is here.
    pub alone: Option<Run>,
    /// The newest measurement of the pair's speed on this machine.
    pub measured: Option<Kept>,
}

impl Facts {
    /// The facts of two recorded runs: with a draft, and of the target alone.
    pub fn new(trace: &Trace, alone: Option<&Trace>) -> Self {
        Self {
            settings: trace.settings.clone(),
            pair: Arc::new(trace.pair.clone()),
            run: Run::from_events(&trace.events),
            alone: alone.map(|alone| Run::from_events(&alone.events)),
            measured: None,
        }
    }

    /// Text of a token.
    pub fn text(&self, token: u32) -> String {
        self.pair
            .tokens
            .get(token as usize)
            .cloned()
            .unwrap_or_default()
    }

    /// A token as it can be seen.
    pub fn shown(&self, token: u32) -> String {
        visible(&self.text(token), Cut::of(&self.pair.tokens))
    }

    /// A round that shows something.
    pub fn round(&self, round: Round) -> Option<(usize, &couplet_playback::Round)> {
        let index = round.find(&self.run, |token| self.text(token))?;
        Some((index, self.run.rounds().get(index)?))
    }

    /// Where the playhead stands in a spot of a run, once that is here.
    pub fn place(&self, recording: Recording, spot: Spot) -> Option<usize> {
        let run = match recording {
            Recording::Speculative => Some(&self.run),
            Recording::Alone => self.alone.as_ref(),
        };
        Some(spot.playhead(run?, |token| self.text(token)))
    }

    /// Tokens written.
    pub fn written(&self) -> usize {
        self.run
            .rounds()
            .iter()
            .map(|round| round.committed.len())
            .sum()
    }

    /// Tokens drafted, which is how often the draft ran.
    pub fn drafted(&self) -> usize {
        self.run
            .rounds()
            .iter()
            .map(|round| round.proposals.len())
            .sum()
    }

    /// Drafted tokens that were tested, and those that were kept.
    pub fn tested(&self) -> (usize, usize) {
        let rounds = self.run.rounds();
        let tested = rounds.iter().map(|round| round.tested()).sum();
        (tested, rounds.iter().map(|round| round.accepted()).sum())
    }

    /// Share of the tested tokens that were kept.
    pub fn alpha(&self) -> f64 {
        let (tested, accepted) = self.tested();
        accepted as f64 / tested.max(1) as f64
    }

    /// Bytes that a pass of the target over so many positions fetches: every weight once, and a row
    /// of the table of tokens for each position more.
    pub fn fetched(&self, positions: usize) -> f64 {
        let target = &self.pair.target;
        let rows = positions.saturating_sub(1) as f64 * f64::from(target.hidden_size);
        BYTES * (target.parameters as f64 + rows)
    }

    /// Bytes fetched for one token of the run, both models together.
    pub fn fetched_per_token(&self) -> f64 {
        let draft = BYTES * self.pair.draft.parameters as f64 * self.drafted() as f64;
        let target: f64 = self
            .run
            .rounds()
            .iter()
            .map(|round| self.fetched(round.proposals.len() + 1))
            .sum();
        (draft + target) / self.written().max(1) as f64
    }

    /// What a name in braces among the words stands for.
    pub fn word(&self, name: &str) -> Option<String> {
        let millions = |count: f64, decimals| decimal(count / 1e6, decimals);
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        Some(match name {
            "written" => self.written().to_string(),
            "alone_first" => self.shown(*self.alone.as_ref()?.rounds().first()?.committed.first()?),
            "rounds" => self.run.rounds().len().to_string(),
            "gamma" => self.settings.gamma.to_string(),
            "vocabulary" => self.pair.tokens.len().to_string(),
            "positions" => (self.drafted() + self.run.rounds().len()).to_string(),
            "draft_steps" => self.drafted().to_string(),
            "target_weights" => millions(self.pair.target.parameters as f64, 2),
            "draft_weights" => millions(self.pair.draft.parameters as f64, 2),
            "target_megabytes" => millions(self.fetched(1), 1),
            // With a digit more, so that what is printed divides to the share that is printed.
            "run_megabytes" => millions(self.fetched_per_token(), 2),
            "run_share" => percent(self.fetched_per_token() / self.fetched(1)),
            "six_times" => decimal(self.fetched(6) / self.fetched(1), 4),
            "judged" => self.tested().0.to_string(),
            "accepted" => self.tested().1.to_string(),
            "alpha" => percent(self.alpha()),
            "formula" => decimal(
                expected_tokens_per_round(self.alpha(), self.settings.gamma as usize),
                1,
            ),
            _ => {
                return self
                    .round_word(name)
                    .or_else(|| super::answers::word(self, name));
            }
        })
    }

    /// Of the rejected tokens, the round of the one whose number u missed by least.
    fn closest(&self) -> Option<(usize, &couplet_playback::Round)> {
        let missed_by = |round: &couplet_playback::Round| {
            let verdict = round.proposals.get(round.rejected()?)?.verdict.as_ref()?;
            Some(f64::from(verdict.draw) - share(verdict))
        };
        let rounds = self.run.rounds().iter().enumerate();
        rounds
            .filter_map(|(index, round)| Some((missed_by(round)?, (index, round.as_ref()))))
            .min_by(|(one, _), (other, _)| one.total_cmp(other))
            .map(|(_, found)| found)
    }

    /// The words about rounds: `struck_…`, `full_…` and `closest_…`.
    fn round_word(&self, name: &str) -> Option<String> {
        let (which, what) = name.split_once('_')?;
        let (index, round) = match which {
            "struck" => self.round(Round::Struck)?,
            "full" => self.round(Round::Full)?,
            "closest" => self.closest()?,
            _ => return None,
        };
        let rejected = || {
            let proposal = round.proposals.get(round.rejected()?)?;
            Some((proposal, proposal.verdict.as_ref()?))
        };
        let test = |verdict: &Verdict| told_apart(verdict.draw.into(), share(verdict));
        let probs = |verdict: &Verdict| {
            let probs = [verdict.draft_prob, verdict.target_prob].map(f64::from);
            dividing(probs, 1.0, &test(verdict)[1])
        };
        let closing = round.closing.as_ref()?;
        Some(match what {
            "round" => (index + 1).to_string(),
            "letters" => {
                let letters: Vec<String> = round
                    .proposals
                    .iter()
                    .map(|it| self.shown(it.token))
                    .collect();
                letters.join("\u{a0}")
            }
            "drafted" => round.proposals.len().to_string(),
            "kept" => round.accepted().to_string(),
            "added" => round.committed.len().to_string(),
            "one-less" => round.committed.len().saturating_sub(1).to_string(),
            "two-less" => round.committed.len().saturating_sub(2).to_string(),
            "new" => self.shown(closing.token),
            "token" => self.shown(rejected()?.0.token),
            "draft" => probs(rejected()?.1)[0].clone(),
            "target" => probs(rejected()?.1)[1].clone(),
            // With as many digits as the Stage writes them beside it.
            "u" => test(rejected()?.1)[0].clone(),
            "below" => test(rejected()?.1)[1].clone(),
            "residual" => {
                let prob = closing.distribution.prob(rejected()?.0.token)?;
                significant(prob.into(), 2)
            }
            _ => return None,
        })
    }
}

/// The share of the draft's probability that the target covers.
fn share(verdict: &Verdict) -> f64 {
    (f64::from(verdict.target_prob) / f64::from(verdict.draft_prob)).min(1.0)
}
