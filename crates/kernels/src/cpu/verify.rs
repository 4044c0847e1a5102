//! Twin of `shaders/verify.wgsl`.

use couplet_speculation::random::arithmetic::{entropy, minus_ln};
use couplet_speculation::random::{Purpose, uniform};

use super::Bindings;
use super::inverse_cdf::draw_token;
use crate::params::{
    RULE_BLOCK, RULE_GREEDY, RULE_LENIENCE, RULE_REJECTION, RULE_SAMPLE_AND_MATCH, RULE_TYPICAL,
};
use crate::{Pass, RunSettings, record};

fn most_probable(probs: &[f32]) -> u32 {
    let mut best = 0;
    for token in 1..probs.len() {
        if probs[token] > probs[best] {
            best = token;
        }
    }
    best as u32
}

/// What a round is judged by.
struct Judge<'a> {
    settings: RunSettings,
    length: u32,
    vocab: usize,
    drafted: &'a [u32],
    draft_probs: &'a [f32],
    target_probs: &'a [f32],
    own_tokens: &'a [u32],
    draft_factor: f32,
    target_factor: f32,
}

impl Judge<'_> {
    fn draft(&self, row: usize) -> &[f32] {
        &self.draft_probs[row * self.vocab..][..self.vocab]
    }

    fn target(&self, row: usize) -> &[f32] {
        &self.target_probs[row * self.vocab..][..self.vocab]
    }

    fn uniform(&self, row: usize, purpose: Purpose, lane: u32) -> f32 {
        uniform(
            self.settings.seed(),
            self.length + row as u32,
            purpose,
            lane,
        )
    }

    fn residual(&self, row: usize) -> impl Iterator<Item = f32> + Clone + '_ {
        let (target_factor, draft_factor) = (self.target_factor, self.draft_factor);
        self.target(row)
            .iter()
            .zip(self.draft(row))
            .map(move |(target, draft)| (target_factor * target - draft_factor * draft).max(0.0))
    }

    fn residual_mass(&self, row: usize) -> f32 {
        let mut mass = 0.0f32;
        for weight in self.residual(row) {
            mass += weight;
        }
        mass
    }

    fn own_token(&self, row: usize) -> u32 {
        match self.settings.rule {
            RULE_GREEDY => most_probable(self.target(row)),
            RULE_SAMPLE_AND_MATCH => {
                let u = self.uniform(row, Purpose::Target, 0);
                draw_token(self.target(row).iter().copied(), u)
            }
            _ => self.own_tokens[self.length as usize + row],
        }
    }

    fn is_typical(&self, row: usize, prob: f32) -> bool {
        prob > self.settings.epsilon
            || (prob.is_normal()
                && minus_ln(prob.min(1.0))
                    < entropy(self.target(row)) + minus_ln(self.settings.delta))
    }

    fn accepted_of_block(&mut self) -> usize {
        let gamma = self.drafted.len();
        let (mut accepted, mut ratio, mut ratio_of_accepted) = (0, 1.0f32, 1.0f32);
        for i in 0..gamma {
            let token = self.drafted[i] as usize;
            let (draft_prob, target_prob) = (self.draft(i)[token], self.target(i)[token]);
            ratio = if target_prob <= 0.0 {
                0.0
            } else {
                (ratio * target_prob / draft_prob).min(1.0)
            };
            let mut keep_prob = ratio;
            if i + 1 < gamma {
                self.target_factor = ratio;
                let mass = self.residual_mass(i + 1);
                let refused = mass + (1.0 - ratio);
                keep_prob = if refused <= 0.0 { 1.0 } else { mass / refused };
            }
            if self.uniform(i, Purpose::Accept, self.length) < keep_prob {
                (accepted, ratio_of_accepted) = (i + 1, ratio);
            }
        }
        self.target_factor = ratio_of_accepted;
        accepted
    }

    fn accepted_in_order(&self) -> usize {
        let keeps = |i: usize| {
            let token = self.drafted[i];
            let (draft_prob, target_prob) = (
                self.draft(i)[token as usize],
                self.target(i)[token as usize],
            );
            match self.settings.rule {
                RULE_REJECTION | RULE_LENIENCE => {
                    let u = self.uniform(i, Purpose::Accept, 0);
                    u * (self.draft_factor * draft_prob) < target_prob
                }
                RULE_TYPICAL => self.is_typical(i, target_prob),
                _ => token == self.own_token(i),
            }
        };
        let gamma = self.drafted.len();
        (0..gamma).find(|i| !keeps(*i)).unwrap_or(gamma)
    }
}

pub(super) fn run(bindings: &Bindings<'_>) {
    let pass: Pass = bindings.uniform(0);
    let settings: RunSettings = bindings.uniform(1);
    let (draft_probs, target_probs) = (bindings.floats(2), bindings.floats(3));
    let mut tokens = bindings.words_mut(4);
    let (mut state, mut record) = (bindings.words_mut(5), bindings.words_mut(6));
    let own_tokens = bindings.words(7);
    let (gamma, length) = (pass.rows as usize, state[0]);
    let mut judge = Judge {
        settings,
        length,
        vocab: pass.vocab as usize,
        drafted: &tokens[length as usize..][..gamma],
        draft_probs: &draft_probs,
        target_probs: &target_probs,
        own_tokens: &own_tokens,
        draft_factor: if settings.rule == RULE_LENIENCE {
            settings.lenience
        } else {
            1.0
        },
        target_factor: 1.0,
    };
    for (i, token) in judge.drafted.iter().enumerate() {
        let u = judge.uniform(i, Purpose::Accept, settings.round_lane(length));
        let entry = record::HEAD + record::ENTRY * i;
        record[entry..entry + record::ENTRY].copy_from_slice(&[
            *token,
            u.to_bits(),
            judge.draft(i)[*token as usize].to_bits(),
            judge.target(i)[*token as usize].to_bits(),
        ]);
    }
    let accepted = if settings.rule == RULE_BLOCK {
        judge.accepted_of_block()
    } else {
        judge.accepted_in_order()
    };
    let rejected = accepted < gamma;

    let (mut mass, mut u) = (0.0f32, 0.0f32);
    let new_token = match settings.rule {
        RULE_REJECTION | RULE_LENIENCE | RULE_BLOCK | RULE_TYPICAL => {
            if rejected && settings.rule != RULE_TYPICAL {
                mass = judge.residual_mass(accepted);
            }
            let purpose = if rejected {
                Purpose::Residual
            } else {
                Purpose::Target
            };
            u = judge.uniform(accepted, purpose, 0);
            // Rounding can leave nothing: then the two distributions agree, and the target's
            // serves.
            if mass > 0.0 {
                draw_token(judge.residual(accepted), u)
            } else {
                draw_token(judge.target(accepted).iter().copied(), u)
            }
        }
        _ => judge.own_token(accepted),
    };
    let target_factor = judge.target_factor;
    let position = length + accepted as u32;
    tokens[position as usize] = new_token;
    state[0] = position + 1;
    record[record::LENGTH] = length;
    record[record::GAMMA] = gamma as u32;
    record[record::ACCEPTED] = accepted as u32;
    record[record::NEW_TOKEN] = new_token;
    record[record::IS_BONUS] = u32::from(!rejected);
    record[record::RESIDUAL_MASS] = mass.to_bits();
    record[record::DRAW] = u.to_bits();
    record[record::RATIO] = target_factor.to_bits();
}
