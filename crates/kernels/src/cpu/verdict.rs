//! Twin of `shaders/shared/verdict.wgsl` and `shaders/shared/residual_draw.wgsl`.

use std::cell::{Ref, RefMut};

use couplet_speculation::random::{Purpose, uniform};

use super::Bindings;
use super::inverse_cdf::{draw_token, sum_of_weights};
use crate::{Pass, RunSettings, record};

pub(super) use crate::record::NO_TOKEN;

/// The bindings that all verdicts share, and what closes a round.
pub(super) struct Verdicts<'a> {
    pub(super) pass: Pass,
    pub(super) settings: RunSettings,
    pub(super) draft_factor: f32,
    pub(super) target_factor: f32,
    draft_probs: Ref<'a, [f32]>,
    target_probs: Ref<'a, [f32]>,
    tokens: RefMut<'a, [u32]>,
    state: RefMut<'a, [u32]>,
    record: RefMut<'a, [u32]>,
}

/// A drafted token; `u` is the number behind its coin of acceptance.
#[derive(Clone, Copy)]
pub(super) struct Drafted {
    pub(super) token: u32,
    pub(super) draft_prob: f32,
    pub(super) target_prob: f32,
    pub(super) u: f32,
}

/// What closes a round.
pub(super) struct Closing {
    pub(super) token: u32,
    pub(super) mass: f32,
    pub(super) u: f32,
    pub(super) ratio: f32,
}

impl<'a> Verdicts<'a> {
    pub(super) fn new(bindings: &'a Bindings<'_>) -> Self {
        Self {
            pass: bindings.uniform(0),
            settings: bindings.uniform(1),
            draft_factor: 1.0,
            target_factor: 1.0,
            draft_probs: bindings.floats(2),
            target_probs: bindings.floats(3),
            tokens: bindings.words_mut(4),
            state: bindings.words_mut(5),
            record: bindings.words_mut(6),
        }
    }

    /// Committed length of a text.
    pub(super) fn length(&self, text: usize) -> u32 {
        self.state[text]
    }

    pub(super) fn gamma(&self) -> usize {
        self.pass.rows as usize
    }

    pub(super) fn draft(&self, row: usize) -> &[f32] {
        let vocab = self.pass.vocab as usize;
        &self.draft_probs[row * vocab..][..vocab]
    }

    pub(super) fn target(&self, row: usize) -> &[f32] {
        let vocab = self.pass.vocab as usize;
        &self.target_probs[row * vocab..][..vocab]
    }

    pub(super) fn uniform(&self, position: u32, purpose: Purpose, lane: u32) -> f32 {
        uniform(self.settings.seed(), position, purpose, lane)
    }

    pub(super) fn drafted_at(&self, length: u32, i: usize) -> Drafted {
        let token = self.tokens[length as usize + i];
        Drafted {
            token,
            draft_prob: self.draft(i)[token as usize],
            target_prob: self.target(i)[token as usize],
            u: self.uniform(
                length + i as u32,
                Purpose::Accept,
                self.settings.round_lane(length),
            ),
        }
    }

    pub(super) fn write_entry(
        &mut self,
        text: usize,
        i: usize,
        it: Drafted,
        threshold: f32,
        own_token: u32,
    ) {
        let entry = text * record::words(self.gamma()) + record::HEAD + record::ENTRY * i;
        let entry = &mut self.record[entry..][..record::ENTRY];
        entry[record::ENTRY_TOKEN] = it.token;
        entry[record::ENTRY_DRAW] = it.u.to_bits();
        entry[record::ENTRY_DRAFT_PROB] = it.draft_prob.to_bits();
        entry[record::ENTRY_TARGET_PROB] = it.target_prob.to_bits();
        entry[record::ENTRY_THRESHOLD] = threshold.to_bits();
        entry[record::ENTRY_OWN_TOKEN] = own_token;
    }

    pub(super) fn commit_round(&mut self, text: usize, accepted: usize, closing: &Closing) {
        let (gamma, length) = (self.gamma(), self.state[text]);
        let position = length + accepted as u32;
        self.tokens[position as usize] = closing.token;
        self.state[text] = position + 1;
        let head = &mut self.record[text * record::words(gamma)..][..record::HEAD];
        head[record::LENGTH] = length;
        head[record::GAMMA] = gamma as u32;
        head[record::ACCEPTED] = accepted as u32;
        head[record::NEW_TOKEN] = closing.token;
        head[record::IS_BONUS] = u32::from(accepted == gamma);
        head[record::RESIDUAL_MASS] = closing.mass.to_bits();
        head[record::DRAW] = closing.u.to_bits();
        head[record::RATIO] = closing.ratio.to_bits();
    }

    /// The residual of a row, not normalised.
    fn residual(&self, row: usize) -> impl Fn(usize) -> f32 + '_ {
        let (target_factor, draft_factor) = (self.target_factor, self.draft_factor);
        let (target, draft) = (self.target(row), self.draft(row));
        move |token| {
            let residual = target_factor * target[token] - draft_factor * draft[token];
            // `f32::max` is a call in WebAssembly.
            if residual > 0.0 { residual } else { 0.0 }
        }
    }

    pub(super) fn residual_mass(&self, row: usize) -> f32 {
        sum_of_weights(self.pass.vocab as usize, self.residual(row))
    }

    /// Draws from the residual of a row, or from the target's own distribution.
    pub(super) fn draw(&self, row: usize, from_residual: bool, u: f32) -> u32 {
        let vocab = self.pass.vocab as usize;
        if from_residual {
            draw_token(vocab, self.residual(row), u)
        } else {
            let target = self.target(row);
            draw_token(vocab, |token| target[token], u)
        }
    }

    pub(super) fn closing_after(
        &self,
        length: u32,
        accepted: usize,
        wants_residual: bool,
    ) -> Closing {
        let rejected = accepted < self.gamma();
        let mass = if rejected && wants_residual {
            self.residual_mass(accepted)
        } else {
            0.0
        };
        let purpose = if rejected {
            Purpose::Residual
        } else {
            Purpose::Target
        };
        let u = self.uniform(length + accepted as u32, purpose, 0);
        Closing {
            token: self.draw(accepted, mass > 0.0, u),
            mass,
            u,
            ratio: self.target_factor,
        }
    }
}
