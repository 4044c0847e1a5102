//! A short text on which kernel sets, rows in company and whole devices are compared.

use std::rc::Rc;

use couplet_kernels::{DeviceError, Kernel, Read, Step, record};
use couplet_protocol::{Drafter, Rule, Settings};

use crate::auto_gamma;
use crate::decoder::{DeviceDecoder, MAX_ROWS};
use crate::programs::{Portion, ProgramKind};
use crate::rule::run_settings;
use crate::{Backend, Engine, EngineError, Pair};

/// Rows whose logits are compared and that the timed rounds verify: those of a round at the default
/// γ, whose kernels are needed next.
pub(crate) const TRIAL_ROWS: usize = 6;

/// Drafted tokens of such a round.
const GAMMA: usize = TRIAL_ROWS - 1;

/// Committed tokens before these rows: more than a prompt has in one pass, and so many that every
/// part of a sum over positions has some.
const TRIAL_LENGTH: usize = 40;
const _: () = assert!(TRIAL_LENGTH > MAX_ROWS + 1);

/// Tokens that follow each other are so far apart in the vocabulary: a prime, so that each has its
/// turn.
const STRIDE: u32 = 7919;

/// Settings whose sampling is tried: between them they run every kernel of which there are two.
/// The first ones, so many, do so with those of a round by Rejection alone.
const TRIAL_SETTINGS: [fn() -> Settings; 4] = [
    || plain(Rule::Rejection),
    || Settings {
        temperature: 0.8,
        top_k: 5,
        top_p: 0.7,
        ..plain(Rule::Rejection)
    },
    || plain(Rule::Greedy),
    || plain(Rule::SampleAndMatch),
];
const OF_FIRST_KERNELS: usize = 3;

/// Seeds under which a rule's kernels are tried: one round alone may miss what they get wrong.
const SEEDS: u64 = 4;

/// How much of the target's logits there is then in those that stand for them; the rest is the draft's.
/// Behind a text that nobody would write the two hardly agree, and nothing but first tokens would be
/// rejected.
const OF_TARGET: f32 = 0.2;

/// How far the logits of two choices may be apart, and what rounds are judged by: sums run in another
/// order.
const TOLERANCE: f32 = 1e-3;

/// How far probabilities may be apart that were made of equal logits.
const TOLERANCE_OF_PROBS: f32 = 1e-4;

fn plain(rule: Rule) -> Settings {
    Settings {
        temperature: 1.0,
        rule,
        ..Settings::default()
    }
}

/// Whether numbers are the same up to a tolerance, absolute and relative.
fn agree(expected: &[f32], found: &[f32], tolerance: f32) -> bool {
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * (1.0 + a.abs());
    expected.len() == found.len() && expected.iter().zip(found).all(close)
}

/// What kernels computed.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The target's rows and the draft's.
    logits: Vec<Vec<f32>>,
    /// What sampling made of logits, by settings.
    sampled: Vec<Sampled>,
}

/// What sampling and a verdict made of logits.
#[derive(Clone, Debug)]
struct Sampled {
    /// The draft's probabilities, then those of the target's rows.
    probs: Vec<f32>,
    /// What the round committed: length, accepted tokens, the new token and its kind, the drafted ones
    /// and the target's own.
    round: Vec<u32>,
    /// What it was judged by: masses, draws, probabilities and thresholds.
    numbers: Vec<f32>,
}

impl Sampled {
    fn agrees_with(&self, expected: &Self) -> bool {
        expected.round == self.round
            && agree(&expected.probs, &self.probs, TOLERANCE_OF_PROBS)
            && agree(&expected.numbers, &self.numbers, TOLERANCE)
    }
}

impl Trial {
    /// Whether it is what was expected, as far as both went.
    pub(crate) fn agrees_with(&self, expected: &Self) -> bool {
        let logits = expected.logits.iter().zip(&self.logits);
        let sampled = expected.sampled.iter().zip(&self.sampled);
        logits
            .into_iter()
            .all(|(expected, found)| agree(expected, found, TOLERANCE))
            && sampled
                .into_iter()
                .all(|(expected, found)| found.agrees_with(expected))
    }
}

/// Whose kernels are tried together: a rule's own, or those that draw for whoever is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleTrial {
    Judging(Rule),
    OtherDrafters,
}

impl RuleTrial {
    fn all() -> impl Iterator<Item = Self> {
        let rules = Rule::ALL.into_iter().map(Self::Judging);
        rules.chain([Self::OtherDrafters])
    }

    /// What a run with these settings needs.
    fn needed(settings: &Settings) -> impl Iterator<Item = Self> {
        let other = settings.drafter != Drafter::Model;
        let drafters = other.then_some(Self::OtherDrafters);
        [Self::Judging(settings.rule)].into_iter().chain(drafters)
    }

    fn settings(self) -> impl Iterator<Item = Settings> {
        let settings = match self {
            // By the usual ones Typical would keep whatever is drafted here.
            Self::Judging(rule @ Rule::Typical) => Settings {
                epsilon: 0.5,
                delta: 0.6,
                ..plain(rule)
            },
            Self::Judging(rule) => plain(rule),
            Self::OtherDrafters => Settings {
                drafter: Drafter::Uniform,
                ..plain(Rule::Rejection)
            },
        };
        (1..=SEEDS).map(move |seed| Settings {
            seed,
            ..settings.clone()
        })
    }
}

/// How many rows an invocation computes together where a run with these settings verifies: for each
/// number of them there are kernels of their own.
fn rows_needed(settings: &Settings) -> impl Iterator<Item = usize> {
    let gamma = settings.gamma as usize;
    let gammas = if settings.auto_gamma {
        0..=auto_gamma::LARGEST
    } else {
        gamma..=gamma
    };
    gammas.map(|gamma| Kernel::GateUp.rows_together(gamma as u32 + 1) as usize)
}

/// The target's rows with less of their own in them, and the draft's.
fn alike(logits: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let [target, draft] = logits else {
        return logits.to_vec();
    };
    let draft_again = draft.iter().cycle();
    let blended = target.iter().zip(draft_again);
    let blended = blended.map(|(target, draft)| draft + OF_TARGET * (target - draft));
    vec![blended.collect(), draft.clone()]
}

/// What the processor computes of a pair, to hold a GPU to.
#[derive(Clone, Debug)]
pub struct Reference {
    trial: Trial,
    /// Logits of two models that agree often, and not always; likewise.
    alike: Vec<Vec<f32>>,
    /// What each of [`RuleTrial::all`] samples from them.
    rules: Vec<Vec<Sampled>>,
}

impl Reference {
    /// Has the processor compute a short text. Of its engine nothing stays in memory.
    ///
    /// # Errors
    ///
    /// As [`Engine::new`].
    pub async fn new(pair: &Rc<Pair>, clock: fn() -> f64) -> Result<Self, EngineError> {
        let twin = Engine::new(pair.clone(), &Backend::cpu(), clock).await?;
        let trial = twin.trial(None).await?;
        let alike = alike(&trial.logits);
        let mut rules = Vec::new();
        for kernels in RuleTrial::all() {
            rules.push(twin.sample_under(kernels.settings(), &alike).await?);
        }
        Ok(Self {
            trial,
            alike,
            rules,
        })
    }
}

/// What an engine's kernels are held to, and which of them have been.
#[derive(Debug, Default)]
pub(crate) struct Held {
    reference: Option<Rc<Reference>>,
    passed: Vec<RuleTrial>,
    /// Numbers of rows whose kernels have been, besides those of [`TRIAL_ROWS`].
    rows: Vec<usize>,
}

impl Held {
    /// Forgets what has been held: other kernels are in use.
    pub(crate) fn forget(&mut self) {
        self.passed.clear();
        self.rows.clear();
    }
}

impl Engine {
    /// Compares what the kernels in use compute with what the processor does: the logits of both
    /// models behind forty tokens, up to a thousandth, then probabilities and rounds that are made
    /// of equal logits. A run that needs other kernels holds those to the reference first.
    ///
    /// # Errors
    ///
    /// [`DeviceError::Differs`] if it is something else, or if the device fails.
    pub async fn hold_to(&self, reference: &Rc<Reference>) -> Result<(), EngineError> {
        let trial = &reference.trial;
        let found = self.trial_under(Some(trial), OF_FIRST_KERNELS).await?;
        if !found.agrees_with(trial) {
            return Err(DeviceError::Differs.into());
        }
        self.held.borrow_mut().reference = Some(reference.clone());
        Ok(())
    }

    /// Compares what the kernels that a run with these settings needs, and no run before it has
    /// needed, compute, sample and judge with what the processor does: those of its numbers of rows,
    /// of its rule and of its drafter, but for the rounds that the end of the context shortens. Where nothing was [held to](Self::hold_to) a reference,
    /// there is nothing to compare.
    ///
    /// # Errors
    ///
    /// As [`Engine::hold_to`].
    pub async fn hold_run(&self, settings: &Settings) -> Result<(), EngineError> {
        let Some(reference) = self.held.borrow().reference.clone() else {
            return Ok(());
        };
        for rows in rows_needed(settings) {
            if rows == TRIAL_ROWS || self.held.borrow().rows.contains(&rows) {
                continue;
            }
            self.prepare_trial();
            let found = self.trial_pass(&self.target, Portion::TargetPass, rows - 1, rows);
            let found = found.await?;
            let expected = reference
                .trial
                .logits
                .first()
                .map(|all| &all[..found.len()]);
            if !expected.is_some_and(|expected| agree(expected, &found, TOLERANCE)) {
                return Err(DeviceError::Differs.into());
            }
            self.held.borrow_mut().rows.push(rows);
        }
        for needed in RuleTrial::needed(settings) {
            if self.held.borrow().passed.contains(&needed) {
                continue;
            }
            let found = self
                .sample_under(needed.settings(), &reference.alike)
                .await?;
            let place = RuleTrial::all().position(|it| it == needed);
            let expected = place.and_then(|place| reference.rules.get(place));
            let same = |(expected, found): (&Sampled, &Sampled)| found.agrees_with(expected);
            let agrees = |expected: &Vec<Sampled>| {
                expected.len() == found.len() && expected.iter().zip(&found).all(same)
            };
            if !expected.is_some_and(agrees) {
                return Err(DeviceError::Differs.into());
            }
            self.held.borrow_mut().passed.push(needed);
        }
        Ok(())
    }

    /// Whether the target's logits of rows are the same, to the bit, alone and in company, with the
    /// kernels in use.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn rows_are_the_same_in_company(&self) -> Result<bool, EngineError> {
        let vocab = self.pair.target_config.vocab_size;
        let pass = |rows: usize, offset| {
            let tokens = &self.tokens;
            let dispatches = self
                .target
                .forward(tokens, &self.state, rows, offset, 0..rows);
            [self.device.program(dispatches)]
        };
        // First alone: in company a row could look at keys and values that are there too early.
        let mut passes: Vec<_> = (0..TRIAL_ROWS as i32).map(|row| pass(1, row - 1)).collect();
        passes.push(pass(TRIAL_ROWS, -1));
        let read = |rows: usize| {
            [Read {
                buffer: &self.target.logits,
                words: 0..rows * vocab,
            }]
        };
        let (of_one, of_all) = (read(1), read(TRIAL_ROWS));
        let programs: Vec<_> = passes.iter().map(|pass| pass.each_ref()).collect();
        let mut steps: Vec<Step<'_>> = programs
            .iter()
            .map(|programs| Step {
                programs,
                reads: &of_one,
            })
            .collect();
        steps[TRIAL_ROWS].reads = &of_all;
        self.target.forget();
        self.read_trial();
        let mut logits = self.device.begin(&steps)?.finish().await?;
        let together = logits.pop().unwrap_or_default().concat();
        Ok(together == logits.concat().concat())
    }

    /// What the kernels in use compute, with nothing left over from passes before. Sampling is
    /// tried on the logits of `before`, where there are any: equal logits must give equal tokens.
    pub(crate) async fn trial(&self, before: Option<&Trial>) -> Result<Trial, EngineError> {
        self.trial_under(before, TRIAL_SETTINGS.len()).await
    }

    /// [`Self::trial`] under so many of its settings.
    async fn trial_under(
        &self,
        before: Option<&Trial>,
        settings: usize,
    ) -> Result<Trial, EngineError> {
        let length = self.prepare_trial();
        let mut logits = Vec::new();
        let passes = [
            (&self.target, Portion::TargetPass, GAMMA, TRIAL_ROWS),
            // The logits of the second token say what the first was.
            (&self.draft, Portion::Draft, 2, 1),
        ];
        for (decoder, portion, gamma, rows) in passes {
            logits.push(self.trial_pass(decoder, portion, gamma, rows).await?);
        }
        self.show(before.map_or(&logits, |before| &before.logits));
        let mut sampled = Vec::new();
        for settings in &TRIAL_SETTINGS[..settings] {
            sampled.push(self.sampled(&settings(), length).await?);
        }
        Ok(Trial { logits, sampled })
    }

    /// [`Self::read_trial`] with nothing left over from passes before.
    fn prepare_trial(&self) -> usize {
        for decoder in [&self.target, &self.draft] {
            decoder.forget();
        }
        self.read_trial()
    }

    /// The logits of so many rows behind a part of a round.
    async fn trial_pass(
        &self,
        decoder: &DeviceDecoder,
        portion: Portion,
        gamma: usize,
        rows: usize,
    ) -> Result<Vec<f32>, EngineError> {
        let read = Read {
            buffer: &decoder.logits,
            words: 0..rows * self.pair.target_config.vocab_size,
        };
        let kind = ProgramKind::part(&plain(Rule::Rejection), gamma, portion);
        let words = self.device.run(&[&self.prepared(kind)], &[read]).await?;
        Ok(bytemuck::cast_slice(&words[0]).to_vec())
    }

    /// What the kernels in use sample from logits, the target's and the draft's, under each of some
    /// settings.
    async fn sample_under(
        &self,
        settings: impl Iterator<Item = Settings>,
        logits: &[Vec<f32>],
    ) -> Result<Vec<Sampled>, EngineError> {
        self.show(logits);
        let mut sampled = Vec::new();
        for (turn, settings) in settings.enumerate() {
            let mut found = self.sampled(&settings, self.trial_length()).await?;
            // Equal logits give the same under every seed.
            if turn > 0 {
                found.probs.clear();
                found.probs.shrink_to_fit();
            }
            sampled.push(found);
        }
        Ok(sampled)
    }

    /// Has sampling find these logits: the target's rows and the draft's.
    fn show(&self, logits: &[Vec<f32>]) {
        for (decoder, logits) in [&self.target, &self.draft].into_iter().zip(logits) {
            self.device
                .write(&decoder.logits, 0, bytemuck::cast_slice(logits));
        }
    }

    /// What sampling and a verdict make of the logits that are there, behind so many tokens.
    async fn sampled(&self, settings: &Settings, length: usize) -> Result<Sampled, EngineError> {
        let vocab = self.pair.target_config.vocab_size;
        let block = [run_settings(settings)];
        self.device
            .write(&self.settings, 0, bytemuck::cast_slice(&block));
        self.device.write(&self.state, 0, &[length as u32]);
        let reads = [
            (&self.record, record::words(GAMMA)),
            (&self.draft_probs, vocab),
            (&self.target_probs, TRIAL_ROWS * vocab),
        ]
        .map(|(buffer, words)| Read {
            buffer,
            words: 0..words,
        });
        let program = self.prepared(ProgramKind::part(settings, GAMMA, Portion::Sampling));
        let words = self.device.run(&[&program], &reads).await?;
        let of_entries = |places: &'static [usize]| {
            let begins = (0..GAMMA).map(|i| record::HEAD + record::ENTRY * i);
            begins.flat_map(move |begin| places.iter().map(move |place| begin + place))
        };
        let committed = [
            record::LENGTH,
            record::ACCEPTED,
            record::NEW_TOKEN,
            record::IS_BONUS,
        ];
        let tokens = of_entries(&[record::ENTRY_TOKEN, record::ENTRY_OWN_TOKEN]);
        let closing = [record::RESIDUAL_MASS, record::DRAW, record::RATIO];
        let tests = of_entries(&[
            record::ENTRY_DRAW,
            record::ENTRY_DRAFT_PROB,
            record::ENTRY_TARGET_PROB,
            record::ENTRY_THRESHOLD,
        ]);
        let word = |place| words[0][place];
        let probs = [&words[1], &words[2]];
        Ok(Sampled {
            probs: probs.map(|words| bytemuck::cast_slice(words)).concat(),
            round: committed.into_iter().chain(tokens).map(word).collect(),
            numbers: closing
                .into_iter()
                .chain(tests)
                .map(|place| f32::from_bits(word(place)))
                .collect(),
        })
    }

    /// How many tokens of a trial are committed, in a context that may be short.
    fn trial_length(&self) -> usize {
        let room = self.pair.context().saturating_sub(TRIAL_ROWS);
        TRIAL_LENGTH.min(room).max(2)
    }

    /// Has both models read the text of a trial, all of whose tokens stand in the buffer, up to the
    /// last committed one. Returns how many are committed; [`GAMMA`] more follow, as if drafted.
    fn read_trial(&self) -> usize {
        let length = self.trial_length();
        let prompt = self.prompt_tokens(&self.pair.card.prompt);
        let vocab = self.pair.target_config.vocab_size as u32;
        let others = (0..).map(|i: u32| i.wrapping_mul(STRIDE) % vocab);
        let tokens: Vec<u32> = prompt
            .into_iter()
            .flatten()
            .chain(others)
            .take(length + GAMMA)
            .collect();
        let settings = run_settings(&plain(Rule::Rejection));
        self.read_prompt(&tokens[..length], settings);
        self.device.write(&self.tokens, length, &tokens[length..]);
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_compute_something_else_do_not_agree() {
        let agree = |a: &[f32], b: &[f32]| agree(a, b, TOLERANCE);
        assert!(agree(&[1.0, -20.0], &[1.0005, -20.01]));
        assert!(!agree(&[1.0, -20.0], &[1.0, 0.0]));
        assert!(!agree(&[1.0, -20.0], &[1.0, f32::NAN]));
        assert!(!agree(&[1.0], &[]));
        let trial = |token, prob, number| Trial {
            logits: vec![vec![1.0]],
            sampled: vec![Sampled {
                probs: vec![prob],
                round: vec![token],
                numbers: vec![number],
            }],
        };
        assert!(trial(3, 0.5, 0.1).agrees_with(&trial(3, 0.5, 0.1)));
        assert!(!trial(3, 0.5, 0.1).agrees_with(&trial(4, 0.5, 0.1)));
        assert!(!trial(3, 0.5, 0.1).agrees_with(&trial(3, 0.501, 0.1)));
        assert!(!trial(3, 0.5, 0.1).agrees_with(&trial(3, 0.5, 0.11)));
    }

    fn shipped(name: &str) -> Rc<Pair> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/pairs/").to_owned() + name;
        let files = crate::PairFiles::from_folder(folder.as_ref()).unwrap();
        Rc::new(Pair::new(files).unwrap())
    }

    /// A GPU may err by some units in the last place of an exponential or a logarithm, and has to be
    /// taken all the same: no number that is drawn lies on the edge of two tokens.
    #[test]
    fn what_rules_are_held_to_does_not_hang_on_rounding() {
        for name in ["shakespeare", "stories"] {
            let pair = shipped(name);
            let reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
            let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
            for turn in 0..4 {
                let mut logits = reference.alike.clone();
                for (i, logit) in logits.iter_mut().flatten().enumerate() {
                    let way = [-1.0, 0.0, 1.0][(i * 31 + turn * 17) % 7 % 3];
                    *logit += 2e-5 * way;
                }
                for (kernels, expected) in RuleTrial::all().zip(&reference.rules) {
                    let found = engine.sample_under(kernels.settings(), &logits);
                    let found = pollster::block_on(found).unwrap();
                    for (found, expected) in found.iter().zip(expected) {
                        let same = found.agrees_with(expected);
                        assert!(same, "{name}, {kernels:?}, {turn}: {found:?}, {expected:?}");
                    }
                }
            }
        }
    }

    /// What is compared tells errors apart: tokens are kept and rejected, and thresholds are none that
    /// every kernel comes to.
    #[test]
    fn rules_are_tried_where_they_have_something_to_decide() {
        for name in ["shakespeare", "stories"] {
            let reference = pollster::block_on(Reference::new(&shipped(name), || 0.0)).unwrap();
            for (kernels, sampled) in RuleTrial::all().zip(&reference.rules) {
                let accepted: Vec<u32> = sampled.iter().map(|it| it.round[1]).collect();
                let tests = sampled
                    .iter()
                    .flat_map(|it| it.numbers[3..].chunks_exact(4));
                let open = |test: &&[f32]| (0.05..0.95).contains(&test[3]);
                // The others run the kernels of these.
                if let RuleTrial::Judging(
                    Rule::Rejection | Rule::Block | Rule::Typical | Rule::Gumbel | Rule::MinHash,
                ) = kernels
                {
                    let mixed = (3..=17).contains(&accepted.iter().sum::<u32>());
                    assert!(mixed, "{name}, {kernels:?}: {accepted:?}");
                }
                if kernels == RuleTrial::Judging(Rule::Block) {
                    assert!(tests.filter(open).count() >= 4, "{name}");
                }
            }
        }
    }

    /// A device on which one rule's kernels err judges by the others and not by that one.
    #[test]
    fn a_rule_is_held_to_the_processor_before_its_first_run() {
        let pair = shipped("shakespeare");
        let mut reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
        let block = RuleTrial::all().position(|it| it == RuleTrial::Judging(Rule::Block));
        // As if Block accepted one token more or less, in one round of those tried.
        reference.rules[block.unwrap()][SEEDS as usize - 1].round[1] += 1;
        let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
        let start = |rule| pollster::block_on(engine.start(&plain(rule)));
        assert!(start(Rule::Block).is_ok(), "nothing to hold it to yet");
        pollster::block_on(engine.hold_to(&Rc::new(reference))).unwrap();
        let error = start(Rule::Block).map(|_| ()).unwrap_err();
        assert!(matches!(error, EngineError::Device(DeviceError::Differs)));
        for rule in [Rule::Rejection, Rule::Typical, Rule::Gumbel] {
            start(rule).unwrap();
        }
        let of_model = [
            RuleTrial::Judging(Rule::Rejection),
            RuleTrial::Judging(Rule::Typical),
            RuleTrial::Judging(Rule::Gumbel),
        ];
        assert_eq!(engine.held.borrow().passed, of_model);
        engine.use_kernel_set(engine.kernel_set());
        assert!(engine.held.borrow().passed.is_empty());
    }

    /// A device whose kernels for some number of rows err writes with other numbers and not with that.
    #[test]
    fn rows_are_held_to_the_processor_before_the_first_run_that_verifies_so_many() {
        let pair = shipped("shakespeare");
        let vocab = pair.target_config.vocab_size;
        let mut reference = pollster::block_on(Reference::new(&pair, || 0.0)).unwrap();
        let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), || 0.0)).unwrap();
        pollster::block_on(engine.hold_to(&Rc::new(reference.clone()))).unwrap();
        let start = |engine: &Engine, gamma, auto_gamma| {
            let settings = Settings {
                gamma,
                auto_gamma,
                ..plain(Rule::Rejection)
            };
            pollster::block_on(engine.start(&settings)).map(drop)
        };
        // As if the kernels for three rows and more came to something else in the third.
        reference.trial.logits[0][2 * vocab] += 1.0;
        engine.held.borrow_mut().reference = Some(Rc::new(reference));
        // Seven rows are computed as four and three.
        for (gamma, auto, fits) in [
            (1, false, true),
            (2, false, false),
            (6, false, false),
            (0, false, true),
            (5, false, true),
            (1, true, false),
        ] {
            let started = start(&engine, gamma, auto);
            assert_eq!(started.is_ok(), fits, "γ {gamma}, {auto}: {started:?}");
        }
        assert_eq!(engine.held.borrow().rows, [2, 1]);
    }
}
