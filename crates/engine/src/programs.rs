//! The dispatches of a round, whole or in parts, prepared once.

use std::rc::Rc;

use couplet_kernels::rounds::{Judged, RuleKernels, draw_kernel, has_own_tokens};
use couplet_kernels::{Buffer, Dispatch, Kernel, KernelRule, Pass, Program};
use couplet_protocol::{Drafter, Settings};
use couplet_speculation::Purpose;

use crate::rule::kernel_rule;
use crate::{Engine, KernelSet};

/// What the dispatches of a program depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ProgramKind {
    /// A round, whole or in part.
    Round {
        gamma: usize,
        rule: KernelRule,
        drafter: Drafter,
        portion: Portion,
    },
    /// The draft reads [`CHUNK`] tokens that it has not seen, those in a place of such chunks,
    /// counted back from the last two committed tokens.
    CatchUp { place: usize },
}

impl ProgramKind {
    /// A whole round under these settings.
    pub(crate) fn round(settings: &Settings, gamma: usize) -> Self {
        Self::part(settings, gamma, Portion::Round)
    }

    /// A portion of such a round.
    pub(crate) fn part(settings: &Settings, gamma: usize, portion: Portion) -> Self {
        Self::Round {
            gamma,
            rule: kernel_rule(settings.rule),
            drafter: settings.drafter,
            portion,
        }
    }
}

/// How much of a round a program holds. Parts of a round are there to be timed and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Portion {
    /// All of it.
    Round,
    /// Drafting: passes, probabilities and draws.
    Draft,
    /// Verifying: the target's pass, probabilities and the verdict.
    Verify,
    /// The draft's passes.
    DraftPasses,
    /// The target's pass.
    TargetPass,
    /// Probabilities, draws and the verdict.
    Sampling,
    /// The target's probabilities, its draws and the verdict.
    Judging,
}

/// Tokens that the draft reads at once when it catches up.
pub(crate) const CHUNK: usize = 8;

/// The parts that a round consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    DraftPass,
    DraftSampling,
    TargetPass,
    Judging,
}

impl Portion {
    fn has(self, part: Part) -> bool {
        match self {
            Self::Round => true,
            Self::Draft => matches!(part, Part::DraftPass | Part::DraftSampling),
            Self::Verify => matches!(part, Part::TargetPass | Part::Judging),
            Self::DraftPasses => part == Part::DraftPass,
            Self::TargetPass => part == Part::TargetPass,
            Self::Sampling => matches!(part, Part::DraftSampling | Part::Judging),
            Self::Judging => part == Part::Judging,
        }
    }
}

impl Engine {
    /// Has the draft read so many tokens before the last two committed ones, with which its next
    /// step begins, and possibly some more, which changes nothing. Returns how many passes that
    /// takes.
    pub(crate) fn catch_up(&self, count: usize) -> usize {
        let chunks = count.div_ceil(CHUNK);
        for place in (0..chunks).rev() {
            self.device.submit(&[&self.catching_up(place)]);
        }
        chunks
    }

    /// The program with which the draft reads the chunk of tokens at a place.
    pub(crate) fn catching_up(&self, place: usize) -> Rc<Program> {
        self.prepared(ProgramKind::CatchUp { place })
    }

    /// The program of a kind, prepared once.
    pub(crate) fn prepared(&self, kind: ProgramKind) -> Rc<Program> {
        let prepare = || Rc::new(self.device.program(self.dispatches(kind)));
        self.programs
            .borrow_mut()
            .entry(kind)
            .or_insert_with(prepare)
            .clone()
    }

    fn dispatches(&self, kind: ProgramKind) -> Vec<Dispatch> {
        let (gamma, rule, drafter, portion) = match kind {
            ProgramKind::Round {
                gamma,
                rule,
                drafter,
                portion,
            } => (gamma, rule, drafter, portion),
            ProgramKind::CatchUp { place } => {
                let offset = -((2 + CHUNK * (place + 1)) as i32);
                return self
                    .draft
                    .forward(&self.tokens, &self.state, CHUNK, offset, 0..0);
            }
        };
        let mut dispatches = Vec::new();
        let sampled_at_once = samples_at_once(rule, drafter);
        let block = if self.drafts_at_once(rule, drafter)
            && portion.has(Part::DraftPass)
            && portion.has(Part::DraftSampling)
        {
            self.block(gamma)
        } else {
            None
        };
        let steps = if block.is_some() { 0 } else { gamma };
        dispatches.extend(block);
        for step in 0..steps {
            let logits = match drafter {
                Drafter::Model | Drafter::Bigram => &self.draft.logits,
                Drafter::Uniform => &self.equal_logits,
            };
            if portion.has(Part::DraftPass) {
                match drafter {
                    Drafter::Model => dispatches.extend(self.draft_step(step, sampled_at_once)),
                    Drafter::Bigram => dispatches.extend(self.bigram_step(step)),
                    Drafter::Uniform => {}
                }
            }
            if portion.has(Part::DraftSampling) {
                if sampled_at_once {
                    dispatches.push(self.sample(step));
                } else {
                    dispatches.push(self.probabilities(logits, &self.draft_probs, 1, step));
                    dispatches.push(self.draw(rule, Purpose::Draft, step, 1));
                }
            }
        }
        let rows = gamma + 1;
        if portion.has(Part::TargetPass) {
            let pass = self
                .target
                .forward(&self.tokens, &self.state, rows, -1, 0..rows);
            dispatches.extend(pass);
        }
        if portion.has(Part::Judging) {
            dispatches.push(self.probabilities(&self.target.logits, &self.target_probs, rows, 0));
            if has_own_tokens(rule) {
                dispatches.push(self.draw(rule, Purpose::Target, 0, rows));
            }
            dispatches.push(self.verdict(rule, gamma));
        }
        dispatches
    }

    /// Whether one dispatch drafts a whole block.
    pub(crate) fn drafts_at_once(&self, rule: KernelRule, drafter: Drafter) -> bool {
        self.kernel_set() == KernelSet::BlockAtOnce && samples_at_once(rule, drafter)
    }

    /// Drafts a whole block; nothing where it has no tokens.
    fn block(&self, gamma: usize) -> Option<Dispatch> {
        if gamma == 0 {
            return None;
        }
        let pass = Pass {
            purpose: Purpose::Draft as u32,
            ..self.pass()
        };
        self.draft.block(
            gamma,
            pass,
            &self.settings,
            &self.draft_probs,
            &self.state,
            &self.tokens,
        )
    }

    /// Draws the draft's token at place `step` of the block and looks it up.
    fn sample(&self, step: usize) -> Dispatch {
        let pass = Pass {
            rows: 1,
            source_row: step as u32,
            destination_row: step as u32,
            purpose: Purpose::Draft as u32,
            ..self.pass()
        };
        self.draft.sample(
            pass,
            &self.settings,
            &self.draft_probs,
            &self.state,
            &self.tokens,
        )
    }

    /// The draft model's pass for the token at place `step` of the block; `looked_up` says that
    /// the token before it has been looked up when it was drawn.
    fn draft_step(&self, step: usize, looked_up: bool) -> Vec<Dispatch> {
        // The first step computes the last two committed tokens: after a round in which every
        // drafted token was kept, the draft has never seen the last of them.
        let (rows, offset) = if step == 0 {
            (2, -2)
        } else {
            (1, step as i32 - 1)
        };
        let logit_rows = rows - 1..rows;
        if looked_up && step > 0 {
            return self.draft.layers(&self.state, rows, offset, logit_rows);
        }
        self.draft
            .forward(&self.tokens, &self.state, rows, offset, logit_rows)
    }

    /// The table's row for the token at place `step` of the block; nothing while there is no table.
    fn bigram_step(&self, step: usize) -> Option<Dispatch> {
        let table = self.bigram.borrow().clone()?;
        let pass = Pass {
            rows: 1,
            offset: step as i32 - 1,
            ..self.pass()
        };
        Some(Dispatch {
            kernel: Kernel::Bigram,
            bindings: vec![
                self.device.uniform(&pass),
                self.tokens.clone(),
                self.state.clone(),
                table,
                self.draft.logits.clone(),
            ],
            rows_together: 1,
            workgroups: [pass.vocab.div_ceil(Kernel::Bigram.invocations()), 1],
        })
    }

    fn pass(&self) -> Pass {
        Pass {
            vocab: self.pair.target_config.vocab_size as u32,
            ..Pass::default()
        }
    }

    pub(crate) fn probabilities(
        &self,
        logits: &Buffer,
        probs: &Buffer,
        rows: usize,
        destination: usize,
    ) -> Dispatch {
        let pass = Pass {
            rows: rows as u32,
            destination_row: destination as u32,
            ..self.pass()
        };
        Dispatch {
            kernel: self.kernel_set().variant(Kernel::Probabilities),
            bindings: vec![
                self.device.uniform(&pass),
                self.settings.clone(),
                logits.clone(),
                probs.clone(),
            ],
            rows_together: 1,
            workgroups: [rows as u32, 1],
        }
    }

    /// Draws the draft's token at place `first` of the block, or the target's own of all `rows`.
    fn draw(&self, rule: KernelRule, purpose: Purpose, first: usize, rows: usize) -> Dispatch {
        let pass = Pass {
            rows: rows as u32,
            source_row: first as u32,
            purpose: purpose as u32,
            ..self.pass()
        };
        let (probs, tokens) = match purpose {
            Purpose::Target => (&self.target_probs, &self.own_tokens),
            _ => (&self.draft_probs, &self.tokens),
        };
        let (pass, rows) = (self.device.uniform(&pass), rows as u32);
        let kernels = self.kernels_of(rule);
        kernels.draw(pass, rows, &self.settings, &self.state, probs, tokens)
    }

    fn verdict(&self, rule: KernelRule, gamma: usize) -> Dispatch {
        let pass = Pass {
            rows: gamma as u32,
            ..self.pass()
        };
        let judged = Judged {
            settings: &self.settings,
            draft_probs: &self.draft_probs,
            target_probs: &self.target_probs,
            tokens: &self.tokens,
            own_tokens: &self.own_tokens,
            state: &self.state,
            record: &self.record,
        };
        let kernels = self.kernels_of(rule);
        kernels.verdict(self.device.uniform(&pass), &judged)
    }

    fn kernels_of(&self, rule: KernelRule) -> RuleKernels {
        RuleKernels {
            rule,
            shares_sums: self.kernel_set().shares_sums(),
            texts: 1,
        }
    }
}

/// Whether one kernel turns the draft's logits into a token and looks that up.
fn samples_at_once(rule: KernelRule, drafter: Drafter) -> bool {
    drafter == Drafter::Model && draw_kernel(rule) == Kernel::Draw
}
