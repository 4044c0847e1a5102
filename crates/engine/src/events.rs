//! A round's readback as facts.

use couplet_kernels::record;
use couplet_protocol::{Distribution, Event, Rule, Settings};
use couplet_speculation::{Typical, entropy};

use crate::batch;

/// What was read back.
pub(crate) struct RoundData<'a> {
    pub(crate) round: u32,
    pub(crate) settings: &'a Settings,
    pub(crate) vocab: usize,
    pub(crate) record: &'a [u32],
    /// (gamma, vocab)
    pub(crate) draft_probs: &'a [f32],
    /// (gamma + 1, vocab)
    pub(crate) target_probs: &'a [f32],
}

impl RoundData<'_> {
    fn draft_row(&self, row: usize) -> &[f32] {
        &self.draft_probs[row * self.vocab..][..self.vocab]
    }

    fn target_row(&self, row: usize) -> &[f32] {
        &self.target_probs[row * self.vocab..][..self.vocab]
    }

    /// Position of a column's token in the text.
    fn position(&self, column: usize) -> u32 {
        self.record[record::LENGTH] + column as u32
    }

    /// The record's words about a drafted token.
    fn entry(&self, column: usize) -> &[u32] {
        &self.record[record::HEAD + record::ENTRY * column..][..record::ENTRY]
    }

    fn token(&self, column: usize) -> u32 {
        self.entry(column)[record::ENTRY_TOKEN]
    }

    fn drafted(&self, column: usize) -> Event {
        Event::Drafted {
            round: self.round,
            position: self.position(column),
            token: self.token(column),
            draft_distribution: Distribution::new(self.draft_row(column)),
        }
    }

    fn verified(&self, column: usize, accepted: bool) -> Event {
        let entry = self.entry(column);
        let number = |word: usize| f32::from_bits(entry[word]);
        let (draw, threshold) = match self.settings.rule {
            Rule::Rejection | Rule::Lenience => (number(record::ENTRY_DRAW), None),
            Rule::Block => (
                number(record::ENTRY_DRAW),
                Some(number(record::ENTRY_THRESHOLD)),
            ),
            Rule::Typical => {
                let threshold = typical_threshold(self.settings, self.target_row(column));
                (0.0, threshold)
            }
            Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch | Rule::Greedy => (0.0, None),
        };
        let own_token = entry[record::ENTRY_OWN_TOKEN];
        Event::Verified {
            round: self.round,
            position: self.position(column),
            token: self.token(column),
            draw,
            draft_prob: number(record::ENTRY_DRAFT_PROB),
            target_prob: number(record::ENTRY_TARGET_PROB),
            threshold,
            own_token: (own_token != record::NO_TOKEN).then_some(own_token),
            accepted,
            target_distribution: Distribution::new(self.target_row(column)),
        }
    }

    fn discarded(&self, column: usize) -> Event {
        let token = self.token(column);
        Event::Discarded {
            round: self.round,
            position: self.position(column),
            token,
            draft_prob: self.draft_row(column)[token as usize],
            target_prob: self.target_row(column)[token as usize],
            target_distribution: Distribution::new(self.target_row(column)),
        }
    }

    /// The token after so many kept ones.
    fn closing(&self, accepted: usize) -> Event {
        let record = self.record;
        let (round, position) = (self.round, self.position(accepted));
        let token = record[record::NEW_TOKEN];
        let draw = f32::from_bits(record[record::DRAW]);
        if record[record::IS_BONUS] == 1 {
            return Event::Bonus {
                round,
                position,
                token,
                target_distribution: Distribution::new(self.target_row(accepted)),
                draw,
            };
        }
        let residual_mass = f32::from_bits(record[record::RESIDUAL_MASS]);
        Event::Resampled {
            round,
            position,
            token,
            residual: Distribution::new(&self.residual(accepted, residual_mass)),
            residual_mass,
            draw,
        }
    }

    /// What the token after so many kept ones was drawn from: what the target has beyond the
    /// draft, or, where that has no mass, all that it has.
    fn residual(&self, accepted: usize, mass: f32) -> Vec<f32> {
        let target = self.target_row(accepted);
        if mass <= 0.0 {
            return target.to_vec();
        }
        let target_factor = f32::from_bits(self.record[record::RATIO]);
        let draft_factor = match self.settings.rule {
            Rule::Lenience => self.settings.lenience as f32,
            // What follows Rejection and Block here leaves no residual.
            Rule::Rejection
            | Rule::Block
            | Rule::Gumbel
            | Rule::MinHash
            | Rule::SampleAndMatch
            | Rule::Greedy
            | Rule::Typical => 1.0,
        };
        target
            .iter()
            .zip(self.draft_row(accepted))
            .map(|(t, d)| (target_factor * t - draft_factor * d).max(0.0) / mass)
            .collect()
    }
}

/// The round's events up to, and without, `Committed`.
pub(crate) fn round_events(data: &RoundData<'_>) -> Vec<Event> {
    let gamma = data.record[record::GAMMA] as usize;
    let accepted = data.record[record::ACCEPTED] as usize;
    let judged = match data.settings.rule.judges_together() {
        true => gamma,
        // Tokens after the first rejected one are never judged.
        false => batch::judged(gamma, accepted),
    };
    let drafted = (0..gamma).map(|column| data.drafted(column));
    let verified = (0..judged).map(|column| data.verified(column, column < accepted));
    let discarded = (judged..gamma).map(|column| data.discarded(column));
    drafted
        .chain(verified)
        .chain(discarded)
        .chain([data.closing(accepted)])
        .collect()
}

/// What a token's probability must exceed in the target's row under Typical.
fn typical_threshold(settings: &Settings, target_probs: &[f32]) -> Option<f32> {
    let typical = Typical::new(settings.epsilon, settings.delta).ok()?;
    let probs: Vec<f64> = target_probs.iter().map(|prob| f64::from(*prob)).collect();
    Some(typical.threshold(entropy(&probs)) as f32)
}
