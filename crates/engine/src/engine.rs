use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use couplet_kernels::rounds::{draw_kernel, has_own_tokens, verdict_kernel};
use couplet_kernels::{
    Buffer, Device, DeviceError, Dispatch, Kernel, Pass, Program, Read, RunSettings, record,
};
use couplet_model::BigramTable;
use couplet_protocol::{Drafter, Event, FinishReason, MAX_GAMMA, Settings, Timings, Which};
use couplet_speculation::Purpose;
use couplet_speculation::rules::{CommitEnd, commit};

use crate::decoder::{DeviceDecoder, LogitRows, MAX_ROWS};
use crate::events::{RoundData, round_events};
use crate::packed::PackedDecoder;
use crate::rule::run_settings;
use crate::{Backend, EngineError, Pair};

/// A pair of models on one device, with everything a round needs allocated once.
#[derive(Debug)]
pub struct Engine {
    pair: Rc<Pair>,
    device: Device,
    target: DeviceDecoder,
    draft: DeviceDecoder,
    /// `(capacity)`: the committed text, then the drafted tokens.
    tokens: Buffer,
    /// `(1)`: committed length.
    state: Buffer,
    /// A [`RunSettings`] block.
    settings: Buffer,
    /// `(MAX_GAMMA, vocab)`
    draft_probs: Buffer,
    /// `(MAX_GAMMA + 1, vocab)`
    target_probs: Buffer,
    /// `(capacity)`: the target's own token of every position of a round, under rules that
    /// compare with it.
    own_tokens: Buffer,
    /// `(vocab)`: what the uniform drafter computes.
    equal_logits: Buffer,
    /// `(vocab, vocab)`: what the bigram drafter computes.
    bigram: RefCell<Option<Buffer>>,
    record: Buffer,
    rounds: RefCell<HashMap<RoundKind, Rc<Program>>>,
    clock: fn() -> f64,
}

/// What the dispatches of a round depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RoundKind {
    gamma: usize,
    rule: u32,
    drafter: Drafter,
}

/// A text being written.
#[derive(Debug)]
pub struct Run {
    settings: Settings,
    /// Committed tokens, prefix and prompt included.
    tokens: Vec<u32>,
    written: usize,
    round: u32,
    finished: Option<FinishReason>,
}

impl Run {
    /// All committed tokens, prefix and prompt included.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Tokens written so far, prompt not counted.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Why it ended, if it has.
    pub fn finished(&self) -> Option<FinishReason> {
        self.finished
    }
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
            rounds: RefCell::default(),
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
        let of_table = |kind: &RoundKind| kind.drafter == Drafter::Bigram;
        self.rounds.borrow_mut().retain(|kind, _| !of_table(kind));
    }

    /// Milliseconds from a fixed moment.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Reads the prompt with both models.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, the prompt has characters without a token or is too long,
    /// or the device fails.
    pub async fn start(&self, settings: &Settings) -> Result<(Run, Vec<Event>), EngineError> {
        settings.check()?;
        if settings.drafter == Drafter::Bigram && !self.has_bigram() {
            return Err(EngineError::NoBigram);
        }
        let tokens = self.prompt_tokens(&settings.prompt)?;
        let start = self.now();
        self.read_prompt(&tokens, run_settings(settings));
        // Waits for the GPU, so that the time is the prompt's and not the first round's.
        self.device
            .run(
                &[],
                &[Read {
                    buffer: &self.state,
                    words: 0..1,
                }],
            )
            .await?;
        let events = vec![Event::Started {
            prompt_tokens: tokens.clone(),
            milliseconds: self.now() - start,
        }];
        let run = Run {
            settings: settings.clone(),
            tokens,
            written: 0,
            round: 0,
            finished: None,
        };
        Ok((run, events))
    }

    /// Goes on with a run that another engine began: reads everything committed so far.
    pub fn resume(&self, run: &Run) {
        self.read_prompt(&run.tokens, run_settings(&run.settings));
    }

    /// Runs one round: every kernel of it in one submission, one readback.
    ///
    /// With `details`, the events carry whole distributions; without, only `Committed`,
    /// `RoundEnded` and `Finished` are returned and less is read back.
    ///
    /// # Errors
    ///
    /// If the device fails; the run keeps what was committed before.
    pub async fn round(&self, run: &mut Run, details: bool) -> Result<Vec<Event>, EngineError> {
        if run.finished.is_some() {
            return Ok(Vec::new());
        }
        let capacity = self.pair.context();
        let length = run.tokens.len();
        let free = capacity - length;
        // The target adds a token to the drafted ones, and all of them must have a position.
        let gamma = (run.settings.gamma as usize).min(free - 1);
        let vocab = self.pair.target_config.vocab_size;
        let start = self.now();
        let readbacks = self.device.readbacks();
        let program = self.round_program(RoundKind {
            gamma,
            rule: run_settings(&run.settings).rule,
            drafter: run.settings.drafter,
        });
        let mut reads = vec![Read {
            buffer: &self.record,
            words: 0..record::words(gamma),
        }];
        if details {
            reads.push(Read {
                buffer: &self.draft_probs,
                words: 0..gamma * vocab,
            });
            reads.push(Read {
                buffer: &self.target_probs,
                words: 0..(gamma + 1) * vocab,
            });
        }
        let words = self.device.run(&[&program], &reads).await?;
        let timings = Timings {
            milliseconds: self.now() - start,
            dispatches: program.dispatches() as u32,
            readbacks: (self.device.readbacks() - readbacks) as u32,
        };
        let record = &words[0];
        let accepted = (record[record::ACCEPTED] as usize).min(gamma);
        let new_tokens: Vec<u32> = (0..accepted)
            .map(|i| record[record::HEAD + record::ENTRY * i])
            .chain([record[record::NEW_TOKEN]])
            .collect();
        if record[record::LENGTH] as usize != length
            || new_tokens.iter().any(|id| *id as usize >= vocab)
        {
            let message = "the record of a round came back damaged".to_owned();
            return Err(DeviceError::Refused(message).into());
        }
        let max_tokens = run.settings.max_tokens as usize;
        let end_of_text = self.pair.target_config.eos_token_id;
        let (kept, end) = commit(&new_tokens, run.written, max_tokens, free, end_of_text);
        run.tokens.extend(&kept);
        run.written += kept.len();
        let mut events = Vec::new();
        if details {
            let data = RoundData {
                round: run.round,
                settings: &run.settings,
                vocab,
                record,
                draft_probs: bytemuck::cast_slice(&words[1]),
                target_probs: bytemuck::cast_slice(&words[2]),
            };
            events = round_events(&data);
        }
        events.push(Event::Committed {
            round: run.round,
            tokens: kept,
        });
        events.push(Event::RoundEnded {
            round: run.round,
            timings,
        });
        run.round += 1;
        if let Some(end) = end {
            let reason = match end {
                CommitEnd::Length => FinishReason::Length,
                CommitEnd::ContextFull => FinishReason::ContextFull,
                CommitEnd::EndOfText => FinishReason::EndOfText,
            };
            run.finished = Some(reason);
            events.push(Event::Finished { reason });
        }
        Ok(events)
    }

    /// Next-token probabilities of one model after a text, at temperature 1.
    ///
    /// # Errors
    ///
    /// If the text has characters without a token or is too long, or the device fails.
    pub async fn distribution(&self, model: Which, text: &str) -> Result<Vec<f32>, EngineError> {
        let tokens = self.prompt_tokens(text)?;
        let plain = Settings {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
            ..Settings::default()
        };
        self.read_prompt(&tokens, run_settings(&plain));
        let decoder = match model {
            Which::Draft => &self.draft,
            Which::Target => &self.target,
        };
        let mut dispatches = decoder.forward(
            &self.tokens,
            &self.state,
            1,
            -1,
            Some(LogitRows { first: 0, count: 1 }),
        );
        dispatches.push(self.probabilities(&decoder.logits, &self.target_probs, 1, 0));
        let program = self.device.program(dispatches);
        let vocab = self.pair.target_config.vocab_size;
        let words = self
            .device
            .run(
                &[&program],
                &[Read {
                    buffer: &self.target_probs,
                    words: 0..vocab,
                }],
            )
            .await?;
        Ok(bytemuck::cast_slice(&words[0]).to_vec())
    }

    /// Logits of the target after every position of `tokens`, `(tokens, vocab)`, computed in
    /// passes of `rows` rows: for tests against the reference.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn target_logits(
        &self,
        tokens: &[u32],
        rows: usize,
    ) -> Result<Vec<f32>, EngineError> {
        self.device.write(&self.state, 0, &[tokens.len() as u32]);
        self.device.write(&self.tokens, 0, tokens);
        let vocab = self.pair.target_config.vocab_size;
        let mut logits = Vec::new();
        for (chunk, start) in tokens.chunks(rows).zip((0..).step_by(rows)) {
            let offset = start - tokens.len() as i32;
            let count = chunk.len();
            let dispatches = self.target.forward(
                &self.tokens,
                &self.state,
                count,
                offset,
                Some(LogitRows { first: 0, count }),
            );
            let read = Read {
                buffer: &self.target.logits,
                words: 0..count * vocab,
            };
            let words = self
                .device
                .run(&[&self.device.program(dispatches)], &[read])
                .await?;
            logits.extend_from_slice(bytemuck::cast_slice(&words[0]));
        }
        Ok(logits)
    }

    /// Tokens of prefix and prompt, checked to leave room for one more.
    fn prompt_tokens(&self, prompt: &str) -> Result<Vec<u32>, EngineError> {
        let tokenizer = &self.pair.tokenizer;
        let mut tokens = tokenizer.encode(&self.pair.card.prefix)?;
        let prefix = tokens.len();
        tokens.extend(tokenizer.encode(prompt)?);
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
    fn read_prompt(&self, tokens: &[u32], settings: RunSettings) {
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
                dispatches.extend(decoder.forward(&self.tokens, &self.state, rows, offset, None));
            }
        }
        self.device.submit(&[&self.device.program(dispatches)]);
    }

    /// The dispatches of a round, prepared once.
    fn round_program(&self, kind: RoundKind) -> Rc<Program> {
        let prepare = || Rc::new(self.device.program(self.round_dispatches(kind)));
        self.rounds
            .borrow_mut()
            .entry(kind)
            .or_insert_with(prepare)
            .clone()
    }

    fn round_dispatches(&self, kind: RoundKind) -> Vec<Dispatch> {
        let RoundKind {
            gamma,
            rule,
            drafter,
        } = kind;
        let mut dispatches = Vec::new();
        for step in 0..gamma {
            let logits = match drafter {
                Drafter::Model => {
                    dispatches.extend(self.draft_step(step));
                    &self.draft.logits
                }
                Drafter::Bigram => {
                    dispatches.extend(self.bigram_step(step));
                    &self.draft.logits
                }
                Drafter::Uniform => &self.equal_logits,
            };
            dispatches.push(self.probabilities(logits, &self.draft_probs, 1, step));
            dispatches.push(self.draw(rule, Purpose::Draft, step, 1));
        }
        let rows = gamma + 1;
        let logit_rows = LogitRows {
            first: 0,
            count: rows,
        };
        dispatches.extend(self.target.forward(
            &self.tokens,
            &self.state,
            rows,
            -1,
            Some(logit_rows),
        ));
        dispatches.push(self.probabilities(&self.target.logits, &self.target_probs, rows, 0));
        if has_own_tokens(rule) {
            dispatches.push(self.draw(rule, Purpose::Target, 0, rows));
        }
        dispatches.push(self.verdict(rule, gamma));
        dispatches
    }

    /// The draft model's pass for the token at place `step` of the block.
    fn draft_step(&self, step: usize) -> Vec<Dispatch> {
        // The first step computes the last two committed tokens: after a round in which every
        // drafted token was kept, the draft has never seen the last of them.
        let (rows, offset) = if step == 0 {
            (2, -2)
        } else {
            (1, step as i32 - 1)
        };
        let logit_rows = LogitRows {
            first: rows - 1,
            count: 1,
        };
        self.draft
            .forward(&self.tokens, &self.state, rows, offset, Some(logit_rows))
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
            workgroups: [pass.vocab.div_ceil(32), 1],
        })
    }

    fn pass(&self) -> Pass {
        Pass {
            vocab: self.pair.target_config.vocab_size as u32,
            ..Pass::default()
        }
    }

    fn probabilities(
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
            kernel: Kernel::Probabilities,
            bindings: vec![
                self.device.uniform(&pass),
                self.settings.clone(),
                logits.clone(),
                probs.clone(),
            ],
            workgroups: [rows as u32, 1],
        }
    }

    /// Draws the draft's token at place `first` of the block, or the target's own of all `rows`.
    fn draw(&self, rule: u32, purpose: Purpose, first: usize, rows: usize) -> Dispatch {
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
        Dispatch {
            kernel: draw_kernel(rule),
            bindings: vec![
                self.device.uniform(&pass),
                self.settings.clone(),
                self.state.clone(),
                probs.clone(),
                tokens.clone(),
            ],
            workgroups: [rows as u32, 1],
        }
    }

    fn verdict(&self, rule: u32, gamma: usize) -> Dispatch {
        let pass = Pass {
            rows: gamma as u32,
            ..self.pass()
        };
        let mut bindings = vec![
            self.device.uniform(&pass),
            self.settings.clone(),
            self.draft_probs.clone(),
            self.target_probs.clone(),
            self.tokens.clone(),
            self.state.clone(),
            self.record.clone(),
        ];
        if has_own_tokens(rule) {
            bindings.push(self.own_tokens.clone());
        }
        Dispatch {
            kernel: verdict_kernel(rule),
            bindings,
            workgroups: [1, 1],
        }
    }
}
