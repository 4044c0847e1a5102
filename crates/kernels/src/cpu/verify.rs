//! Twin of `shaders/verify.wgsl`.

use couplet_speculation::random::{Purpose, uniform};

use super::Bindings;
use super::inverse_cdf::draw_token;
use crate::{Pass, RULE_GREEDY, RunSettings, record};

fn most_probable(probs: &[f32]) -> u32 {
    let mut best = 0;
    for token in 1..probs.len() {
        if probs[token] > probs[best] {
            best = token;
        }
    }
    best as u32
}

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let (draft_probs, target_probs) = (bindings.floats(2), bindings.floats(3));
    let (mut tokens, mut state, mut record) = (
        bindings.words_mut(4),
        bindings.words_mut(5),
        bindings.words_mut(6),
    );
    let (gamma, vocab) = (pass.rows as usize, pass.vocab as usize);
    let length = state[0];
    let draft = |row: usize| &draft_probs[row * vocab..][..vocab];
    let target = |row: usize| &target_probs[row * vocab..][..vocab];

    let mut accepted = 0;
    let mut rejected = false;
    for i in 0..gamma {
        let token = tokens[length as usize + i];
        let draft_prob = draft(i)[token as usize];
        let target_prob = target(i)[token as usize];
        let u = uniform(settings.seed(), length + i as u32, Purpose::Accept, 0);
        let entry = record::HEAD + record::ENTRY * i;
        record[entry..entry + record::ENTRY].copy_from_slice(&[
            token,
            u.to_bits(),
            draft_prob.to_bits(),
            target_prob.to_bits(),
        ]);
        if !rejected {
            let mut keep = u * draft_prob < target_prob;
            if settings.rule == RULE_GREEDY {
                keep = token == most_probable(target(i));
            }
            if keep {
                accepted += 1;
            } else {
                rejected = true;
            }
        }
    }

    let position = length + accepted as u32;
    let mut mass = 0.0f32;
    let mut u = 0.0f32;
    let new_token;
    if settings.rule == RULE_GREEDY {
        new_token = most_probable(target(accepted));
    } else if rejected {
        let residual = target(accepted)
            .iter()
            .zip(draft(accepted))
            .map(|(t, d)| (t - d).max(0.0));
        for weight in residual.clone() {
            mass += weight;
        }
        u = uniform(settings.seed(), position, Purpose::Residual, 0);
        // Rounding can leave nothing: then the two distributions agree, and the target's serves.
        new_token = if mass > 0.0 {
            draw_token(residual, u)
        } else {
            draw_token(target(accepted).iter().copied(), u)
        };
    } else {
        u = uniform(settings.seed(), position, Purpose::Target, 0);
        new_token = draw_token(target(accepted).iter().copied(), u);
    }
    tokens[position as usize] = new_token;
    state[0] = position + 1;
    record[record::LENGTH] = length;
    record[record::GAMMA] = gamma as u32;
    record[record::ACCEPTED] = accepted as u32;
    record[record::NEW_TOKEN] = new_token;
    record[record::IS_BONUS] = u32::from(!rejected);
    record[record::RESIDUAL_MASS] = mass.to_bits();
    record[record::DRAW] = u.to_bits();
    record[7] = 0;
}
