//! A short text on which kernel sets, rows in company and whole devices are compared.

mod held;

use couplet_kernels::{Read, Step, record};
use couplet_protocol::{Rule, Settings};

use crate::decoder::{DeviceDecoder, MAX_ROWS};
use crate::programs::{Portion, ProgramKind};
use crate::rule::run_settings;
use crate::{Engine, EngineError};

pub(crate) use held::Held;
pub use held::Reference;

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

/// Settings under which a token is tried as it is drafted: a kernel that drafts at once filters and draws by
/// itself.
const DRAFT_SETTINGS: [fn() -> Settings; 2] = [
    || Settings {
        temperature: 1.5,
        top_k: 5,
        top_p: 0.9,
        ..plain(Rule::Rejection)
    },
    || plain(Rule::Block),
];

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

/// Whether what the last step read is, to the bit, what the steps before it read one after the other.
fn last_has_all_others(reads: &[Vec<Vec<u32>>]) -> bool {
    let Some((last, others)) = reads.split_last() else {
        return false;
    };
    last.concat() == others.concat().concat()
}

/// What kernels computed.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The target's rows and the draft's.
    logits: Vec<Vec<f32>>,
    /// What the draft drew a token from and which, by settings.
    drafted: Vec<Drafted>,
    /// What sampling made of logits, by settings.
    sampled: Vec<Sampled>,
}

/// A drafted token.
#[derive(Clone, Debug)]
struct Drafted {
    token: u32,
    /// What it was drawn from, made of the device's own logits. Shape: (vocab).
    probs: Vec<f32>,
}

impl Drafted {
    fn agrees_with(&self, expected: &Self) -> bool {
        expected.token == self.token && agree(&expected.probs, &self.probs, TOLERANCE)
    }
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
        let drafted = expected.drafted.iter().zip(&self.drafted);
        let sampled = expected.sampled.iter().zip(&self.sampled);
        logits
            .into_iter()
            .all(|(expected, found)| agree(expected, found, TOLERANCE))
            && drafted
                .into_iter()
                .all(|(expected, found)| found.agrees_with(expected))
            && sampled
                .into_iter()
                .all(|(expected, found)| found.agrees_with(expected))
    }
}

impl Engine {
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
        let logits = self.device.begin(&steps)?.finish().await?;
        Ok(last_has_all_others(&logits))
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
        let mut drafted = Vec::new();
        for settings in DRAFT_SETTINGS {
            drafted.push(self.drafted(&settings(), length).await?);
        }
        self.show(before.map_or(&logits, |before| &before.logits));
        let mut sampled = Vec::new();
        for settings in &TRIAL_SETTINGS[..settings] {
            sampled.push(self.sampled(&settings(), length).await?);
        }
        Ok(Trial {
            logits,
            drafted,
            sampled,
        })
    }

    /// [`Self::read_trial`] with nothing left over from passes before.
    fn prepare_trial(&self) -> usize {
        for decoder in [&self.target, &self.draft] {
            decoder.forget();
        }
        self.read_trial()
    }

    /// The logits of so many rows after a part of a round.
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

    /// The token that is drafted after so many, and what it was drawn from.
    async fn drafted(&self, settings: &Settings, length: usize) -> Result<Drafted, EngineError> {
        self.begin_trial(settings, length);
        let reads = [
            (&self.draft_probs, 0..self.pair.target_config.vocab_size),
            (&self.tokens, length..length + 1),
        ]
        .map(|(buffer, words)| Read { buffer, words });
        let program = self.prepared(ProgramKind::part(settings, 1, Portion::Draft));
        let words = self.device.run(&[&program], &reads).await?;
        Ok(Drafted {
            token: words[1][0],
            probs: bytemuck::cast_slice(&words[0]).to_vec(),
        })
    }

    /// Has a round find these settings, and so many committed tokens.
    fn begin_trial(&self, settings: &Settings, length: usize) {
        let block = [run_settings(settings)];
        self.device
            .write(&self.settings, 0, bytemuck::cast_slice(&block));
        self.device.write(&self.state, 0, &[length as u32]);
    }

    /// Has sampling find these logits: the target's rows and the draft's.
    fn show(&self, logits: &[Vec<f32>]) {
        for (decoder, logits) in [&self.target, &self.draft].into_iter().zip(logits) {
            self.device
                .write(&decoder.logits, 0, bytemuck::cast_slice(logits));
        }
    }

    /// What sampling and a verdict make of the logits that are there, after so many tokens.
    async fn sampled(&self, settings: &Settings, length: usize) -> Result<Sampled, EngineError> {
        let vocab = self.pair.target_config.vocab_size;
        self.begin_trial(settings, length);
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
    fn one_bit_of_one_row_tells_company_from_being_alone() {
        let alone = |row: [u32; 2]| vec![row.to_vec()];
        let company = |rows: [u32; 4]| vec![rows.to_vec()];
        let reads = |rows| [alone([1, 2]), alone([3, 4]), company(rows)];
        assert!(last_has_all_others(&reads([1, 2, 3, 4])));
        assert!(!last_has_all_others(&reads([1, 2, 3, 5])));
        assert!(!last_has_all_others(&reads([3, 4, 1, 2])));
        assert!(!last_has_all_others(&[]));
    }

    #[test]
    fn kernels_that_compute_something_else_do_not_agree() {
        let agree = |a: &[f32], b: &[f32]| agree(a, b, TOLERANCE);
        assert!(agree(&[1.0, -20.0], &[1.0005, -20.01]));
        assert!(!agree(&[1.0, -20.0], &[1.0, 0.0]));
        assert!(!agree(&[1.0, -20.0], &[1.0, f32::NAN]));
        assert!(!agree(&[1.0], &[]));
        let drafted = |token, prob| Drafted {
            token,
            probs: vec![prob],
        };
        assert!(drafted(3, 0.5).agrees_with(&drafted(3, 0.5)));
        assert!(!drafted(3, 0.5).agrees_with(&drafted(4, 0.5)));
        assert!(!drafted(3, 0.5).agrees_with(&drafted(3, 0.51)));
        let trial = |token, prob, number| Trial {
            logits: vec![vec![1.0]],
            drafted: vec![drafted(token, 0.5)],
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
}
