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
            token: entry(i)[record::ENTRY_TOKEN],
            draft_distribution: Distribution::new(draft(i)),
        })
        .collect();
    let rule = data.settings.rule;
    // Block judges the block as a whole; under the others, tokens after the first rejected one are
    // never judged.
    let judged = match rule {
        Rule::Block => gamma,
        _ => batch::judged(gamma, accepted),
    };
    let needs_draw = matches!(rule, Rule::Rejection | Rule::Lenience | Rule::Block);
    let threshold = |i: usize| match rule {
        Rule::Block => Some(f32::from_bits(entry(i)[record::ENTRY_THRESHOLD])),
        Rule::Typical => typical_threshold(data.settings, target(i)),
        _ => None,
    };
    events.extend((0..judged).map(|i| Event::Verified {
        round,
        position: length + i as u32,
        token: entry(i)[record::ENTRY_TOKEN],
        draw: if needs_draw {
            f32::from_bits(entry(i)[record::ENTRY_DRAW])
        } else {
            0.0
        },
        draft_prob: f32::from_bits(entry(i)[record::ENTRY_DRAFT_PROB]),
        target_prob: f32::from_bits(entry(i)[record::ENTRY_TARGET_PROB]),
        threshold: threshold(i),
        own_token:
            Some(entry(i)[record::ENTRY_OWN_TOKEN]).filter(|token| *token != record::NO_TOKEN),
        accepted: i < accepted,
        target_distribution: Distribution::new(target(i)),
    }));
    events.extend((judged..gamma).map(|i| {
        let token = entry(i)[record::ENTRY_TOKEN];
        Event::Discarded {
            round,
            position: length + i as u32,
            token,
            draft_prob: draft(i)[token as usize],
            target_prob: target(i)[token as usize],
            target_distribution: Distribution::new(target(i)),
        }
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
        let residual: Vec<f32> = if mass > 0.0 {
            let target_factor = f32::from_bits(record[record::RATIO]);
            let draft_factor = match rule {
                Rule::Lenience => data.settings.lenience as f32,
                _ => 1.0,
            };
            target(accepted)
                .iter()
                .zip(draft(accepted))
                .map(|(t, d)| (target_factor * t - draft_factor * d).max(0.0) / mass)
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

/// What a token's probability must exceed in the target's row under Typical.
fn typical_threshold(settings: &Settings, target_probs: &[f32]) -> Option<f32> {
    let typical = Typical::new(settings.epsilon, settings.delta).ok()?;
    let probs: Vec<f64> = target_probs.iter().map(|prob| f64::from(*prob)).collect();
    Some(typical.threshold(entropy(&probs)) as f32)
}
