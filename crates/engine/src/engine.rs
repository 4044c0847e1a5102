//! A pair of models on one device.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use couplet_kernels::{Buffer, Device, Program, Read, RunSettings, record};
use couplet_model::BigramTable;
use couplet_protocol::{Branch, Drafter, Event, FinishReason, MAX_GAMMA, Rule, Settings, Which};

use crate::auto_gamma::{AutoGamma, Experience};
use crate::decoder::{DeviceDecoder, MAX_ROWS};
use crate::pace::{Pace, RoundTimes};
use crate::packed::PackedDecoder;
use crate::programs::ProgramKind;
use crate::rule::run_settings;
use crate::trial::Held;
use crate::{Backend, EngineError, Pair, Run};

/// A pair of models on one device, with everything a round needs allocated once.
#[derive(Debug)]
pub struct Engine {
    pub(crate) pair: Rc<Pair>,
    pub(crate) device: Device,
    pub(crate) target: DeviceDecoder,
    pub(crate) draft: DeviceDecoder,
    /// `(capacity)`: the committed text, then the drafted tokens.
    pub(crate) tokens: Buffer,
    /// `(1)`: committed length.
    pub(crate) state: Buffer,
    /// A [`RunSettings`] block.
    pub(crate) settings: Buffer,
    /// `(MAX_GAMMA, vocab)`
    pub(crate) draft_probs: Buffer,
    /// `(MAX_GAMMA + 1, vocab)`
    pub(crate) target_probs: Buffer,
    /// `(capacity)`: the target's own token of every position of a round, under rules that
    /// compare with it.
    pub(crate) own_tokens: Buffer,
    /// `(vocab)`: what the uniform drafter computes.
    pub(crate) equal_logits: Buffer,
    /// `(vocab, vocab)`: what the bigram drafter computes.
    pub(crate) bigram: RefCell<Option<Buffer>>,
    pub(crate) record: Buffer,
    pub(crate) programs: RefCell<HashMap<ProgramKind, Rc<Program>>>,
    /// Who chooses γ where settings leave it to the engine, by rule and drafter.
    pub(crate) choosers: RefCell<HashMap<(Rule, Drafter), AutoGamma>>,
    /// What rounds took in the latest run, likewise.
    pub(crate) round_times: RefCell<HashMap<(Rule, Drafter), RoundTimes>>,
    /// What the kernels are held to, on a device that has to prove itself.
    pub(crate) held: RefCell<Held>,
    clock: fn() -> f64,
}

impl Engine {
    /// Puts a pair on a device. `clock` tells milliseconds from any fixed moment.
    ///
    /// # Errors
    ///
    /// If the device refuses the weights.
    pub async fn new(
        pair: Rc<Pair>,
        backend: &Backend,
        clock: fn() -> f64,
    ) -> Result<Self, EngineError> {
        let device = backend.kernels.clone();
        let capacity = pair.context();
        let target =
            PackedDecoder::new(&pair.target, &pair.target_config, capacity, backend).await?;
        let draft = PackedDecoder::new(&pair.draft, &pair.draft_config, capacity, backend).await?;
        let vocab = pair.target_config.vocab_size;
        let gamma = MAX_GAMMA as usize;
        Ok(Self {
            target: DeviceDecoder::new(pair.target_config.clone(), capacity, target, &device),
            draft: DeviceDecoder::new(pair.draft_config.clone(), capacity, draft, &device),
            tokens: device.zeros(capacity),
            state: device.zeros(1),
            settings: device.uniform(&RunSettings::default()),
            draft_probs: device.zeros(gamma * vocab),
            target_probs: device.zeros((gamma + 1) * vocab),
            own_tokens: device.zeros(capacity),
            equal_logits: device.zeros(vocab),
            bigram: RefCell::default(),
            record: device.zeros(record::words(gamma)),
            programs: RefCell::default(),
            choosers: RefCell::default(),
            round_times: RefCell::default(),
            held: RefCell::default(),
            pair,
            device,
            clock,
        })
    }

    /// The pair.
    pub fn pair(&self) -> &Rc<Pair> {
        &self.pair
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether the bigram drafter has its table.
    pub fn has_bigram(&self) -> bool {
        self.bigram.borrow().is_some()
    }

    /// Gives the bigram drafter its table.
    pub fn set_bigram(&self, table: &BigramTable) {
        let logits = self.device.floats(&table.logits());
        *self.bigram.borrow_mut() = Some(logits);
        // Prepared rounds hold the table that was there before.
        let of_table = |kind: &ProgramKind| {
            matches!(
                kind,
                ProgramKind::Round {
                    drafter: Drafter::Bigram,
                    ..
                }
            )
        };
        self.programs.borrow_mut().retain(|kind, _| !of_table(kind));
    }

    /// Milliseconds from a fixed moment.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Reads the prompt with both models.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, the prompt has characters without a token or is too long, the
    /// drafter is a bigram table that the pair lacks ([`EngineError::NoBigram`]), or the device fails
    /// or [computes otherwise](Engine::hold_run) than the processor.
    pub async fn start(&self, settings: &Settings) -> Result<(Run, Vec<Event>), EngineError> {
        self.branch(settings, &Branch::default()).await
    }

    /// Reads the prompt and what stands after it already, as text of the run. A branch that
    /// leaves nothing to write is over at once.
    ///
    /// # Errors
    ///
    /// As [`Engine::start`], or if the branch has a token that there is not or does not fit.
    pub async fn branch(
        &self,
        settings: &Settings,
        branch: &Branch,
    ) -> Result<(Run, Vec<Event>), EngineError> {
        settings.check()?;
        if settings.drafter == Drafter::Bigram && !self.has_bigram() {
            return Err(EngineError::NoBigram);
        }
        branch.check(self.pair.target_config.vocab_size)?;
        let mut tokens = self.prompt_tokens(&settings.prompt)?;
        let free = self.pair.context() - tokens.len();
        if branch.len() > free {
            return Err(EngineError::BranchTooLong {
                found: branch.len(),
                free,
            });
        }
        tokens.extend(branch.tokens());
        self.hold_run(settings).await?;
        let start = self.now();
        self.read_whole(&tokens, settings).await?;
        let milliseconds = self.now() - start;
        let mut run = Run::new(settings.clone(), tokens, self.pace(settings));
        let mut events = vec![Event::Started {
            prompt_tokens: run.tokens.clone(),
            milliseconds,
        }];
        run.written = branch.len();
        run.finished = self.end_of(&run);
        events.extend(run.finished.map(|reason| Event::Finished { reason }));
        Ok((run, events))
    }

    /// Whether what a branch brought along ends the text already.
    fn end_of(&self, run: &Run) -> Option<FinishReason> {
        let last = run.tokens.last().filter(|_| run.written > 0)?;
        if self.pair.target_config.eos_token_id == Some(*last) {
            Some(FinishReason::EndOfText)
        } else if run.wanted() == 0 {
            Some(FinishReason::Length)
        } else {
            (run.tokens.len() == self.pair.context()).then_some(FinishReason::ContextFull)
        }
    }

    /// What is to be expected of the rounds of a run that begins here.
    fn pace(&self, settings: &Settings) -> Pace {
        let taken = self
            .round_times
            .borrow()
            .get(&Experience::key(settings))
            .copied();
        Pace::new(self.pair.card.acceptance_rate, taken.unwrap_or_default())
    }

    /// Goes on with a run that another engine began: reads everything committed so far.
    ///
    /// # Errors
    ///
    /// If the device fails or [computes otherwise](Engine::hold_run) than the processor.
    pub async fn resume(&self, run: &mut Run) -> Result<(), EngineError> {
        run.under_way.clear();
        run.unseen_by_draft = 0;
        run.pace = self.pace(&run.settings);
        self.hold_run(&run.settings).await?;
        self.read_whole(&run.tokens, &run.settings).await
    }

    /// Reads a text with both models and waits for it, so that its time is not the first round's.
    async fn read_whole(&self, tokens: &[u32], settings: &Settings) -> Result<(), EngineError> {
        self.read_prompt(tokens, run_settings(settings));
        let read = Read {
            buffer: &self.state,
            words: 0..1,
        };
        self.device.run(&[], &[read]).await?;
        Ok(())
    }

    /// Next-token probabilities of one model, (vocabulary), after the prompt of `settings` and through
    /// its temperature, top-k and top-p.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, the prompt has characters without a token or is too long, or the
    /// device fails.
    pub async fn distribution(
        &self,
        model: Which,
        settings: &Settings,
    ) -> Result<Vec<f32>, EngineError> {
        settings.check()?;
        let tokens = self.prompt_tokens(&settings.prompt)?;
        self.read_prompt(&tokens, run_settings(settings));
        let decoder = match model {
            Which::Draft => &self.draft,
            Which::Target => &self.target,
        };
        let mut dispatches = decoder.forward(&self.tokens, &self.state, 1, -1, 0..1);
        dispatches.push(self.probabilities(&decoder.logits, &self.target_probs, 1, 0));
        let read = Read {
            buffer: &self.target_probs,
            words: 0..self.pair.target_config.vocab_size,
        };
        let words = self.device.run_once(dispatches, &[read]).await?;
        Ok(bytemuck::cast_slice(&words[0]).to_vec())
    }

    /// Logits of the target after every position of `tokens`, `(tokens, vocab)`, computed in
    /// passes of `rows` rows: for tests against the reference.
    ///
    /// # Panics
    ///
    /// If there is no room for so many rows, or for the tokens.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn target_logits(
        &self,
        tokens: &[u32],
        rows: usize,
    ) -> Result<Vec<f32>, EngineError> {
        let context = self.pair.context();
        assert!(
            tokens.len() <= context,
            "{} tokens do not fit {context} positions",
            tokens.len()
        );
        self.device.write(&self.state, 0, &[tokens.len() as u32]);
        self.device.write(&self.tokens, 0, tokens);
        let vocab = self.pair.target_config.vocab_size;
        let mut logits = Vec::new();
        for (chunk, start) in tokens.chunks(rows).zip((0..).step_by(rows)) {
            let offset = start - tokens.len() as i32;
            let count = chunk.len();
            let dispatches =
                self.target
                    .forward(&self.tokens, &self.state, count, offset, 0..count);
            let read = Read {
                buffer: &self.target.logits,
                words: 0..count * vocab,
            };
            let words = self.device.run_once(dispatches, &[read]).await?;
            logits.extend_from_slice(bytemuck::cast_slice(&words[0]));
        }
        Ok(logits)
    }

    /// Tokens of prefix and prompt, checked to leave room for one more.
    pub(crate) fn prompt_tokens(&self, prompt: &str) -> Result<Vec<u32>, EngineError> {
        let tokenizer = &self.pair.tokenizer;
        let mut tokens = tokenizer.encode(&self.pair.card.prefix)?;
        let prefix = tokens.len();
        tokens.extend(tokenizer.encode(prompt)?);
        // Every round computes the last token of what stands.
        if tokens.is_empty() {
            return Err(EngineError::Mismatch(
                "the pair has no prefix, so a text needs a prompt".to_owned(),
            ));
        }
        let fits = self.pair.context() - 1 - prefix;
        if tokens.len() - prefix > fits {
            return Err(EngineError::PromptTooLong {
                found: tokens.len() - prefix,
                fits,
            });
        }
        Ok(tokens)
    }

    /// Fills both caches with all but the last token: every round begins by computing that one.
    pub(crate) fn read_prompt(&self, tokens: &[u32], settings: RunSettings) {
        self.device
            .write(&self.settings, 0, bytemuck::cast_slice(&[settings]));
        self.device.write(&self.state, 0, &[tokens.len() as u32]);
        self.device.write(&self.tokens, 0, tokens);
        let before_last = tokens.len() - 1;
        let mut dispatches = Vec::new();
        for start in (0..before_last).step_by(MAX_ROWS) {
            let rows = MAX_ROWS.min(before_last - start);
            let offset = start as i32 - tokens.len() as i32;
            for decoder in [&self.target, &self.draft] {
                dispatches.extend(decoder.forward(&self.tokens, &self.state, rows, offset, 0..0));
            }
        }
        self.device.submit_once(dispatches);
    }
}
