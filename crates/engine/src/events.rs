//! A round's readback as facts.

use couplet_kernels::record;
use couplet_protocol::{Distribution, Event, Rule};

/// What was read back.
pub(crate) struct RoundData<'a> {
    pub(crate) round: u32,
    pub(crate) rule: Rule,
    pub(crate) vocab: usize,
    pub(crate) record: &'a [u32],
    /// (gamma, vocab)
    pub(crate) draft_probs: &'a [f32],
    /// (gamma + 1, vocab)
    pub(crate) target_probs: &'a [f32],
}

/// The round's events up to, and without, `Committed`.
pub(crate) fn round_events(data: &RoundData<'_>) -> Vec<Event> {
    let (round, record, vocab) = (data.round, data.record, data.vocab);
    let length = record[record::LENGTH];
    let gamma = record[record::GAMMA] as usize;
    let accepted = record[record::ACCEPTED] as usize;
    let draft = |row: usize| &data.draft_probs[row * vocab..][..vocab];
    let target = |row: usize| &data.target_probs[row * vocab..][..vocab];
    let entry = |i: usize| &record[record::HEAD + record::ENTRY * i..][..record::ENTRY];

    let mut events: Vec<Event> = (0..gamma)
        .map(|i| Event::Drafted {
            round,
            position: length + i as u32,
            token: entry(i)[0],
            draft_distribution: Distribution::new(draft(i)),
        })
        .collect();
    // Tokens after the first rejected one are never judged.
    let judged = gamma.min(accepted + 1);
    events.extend((0..judged).map(|i| Event::Verified {
        round,
        position: length + i as u32,
        token: entry(i)[0],
        draw: f32::from_bits(entry(i)[1]),
        draft_prob: f32::from_bits(entry(i)[2]),
        target_prob: f32::from_bits(entry(i)[3]),
        threshold: None,
        own_token: None,
        accepted: i < accepted,
        target_distribution: Distribution::new(target(i)),
    }));
    let position = length + accepted as u32;
    let token = record[record::NEW_TOKEN];
    let draw = f32::from_bits(record[record::DRAW]);
    events.push(if record[record::IS_BONUS] == 1 {
        Event::Bonus {
            round,
            position,
            token,
            target_distribution: Distribution::new(target(accepted)),
            draw,
        }
    } else {
        let mass = f32::from_bits(record[record::RESIDUAL_MASS]);
        let residual: Vec<f32> = if data.rule == Rule::Rejection && mass > 0.0 {
            target(accepted)
                .iter()
                .zip(draft(accepted))
                .map(|(t, d)| (t - d).max(0.0) / mass)
                .collect()
        } else {
            target(accepted).to_vec()
        };
        Event::Resampled {
            round,
            position,
            token,
            residual: Distribution::new(&residual),
            residual_mass: mass,
            draw,
        }
    });
    events
}
