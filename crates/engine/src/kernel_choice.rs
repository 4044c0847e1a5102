//! Which of several kernels that do the same is the quickest here.

use couplet_kernels::{Device, Dispatch, Kernel, Read, Step, record};
use couplet_protocol::{Rule, Settings};

use crate::programs::{Portion, ProgramKind};
use crate::rule::run_settings;
use crate::{Engine, EngineError};

/// How kernels share out their work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelSet {
    /// The invocations of a workgroup share every sum and wait for each other: many short loops,
    /// four dispatches a layer, weights of 16 bits on a GPU.
    Together,
    /// Every invocation that multiplies, attends or judges computes its numbers alone and waits for
    /// nobody, and eight make a row of probabilities: few long loops, five dispatches a layer.
    #[default]
    Alone,
    /// Together, but for blocks of a draft of one layer, which a single workgroup drafts in one
    /// dispatch.
    BlockAtOnce,
}

/// How the CPU path adds products, for people.
pub fn cpu_variant() -> &'static str {
    if couplet_kernels::cpu::is_fused() {
        "fused multiply-add"
    } else {
        "multiplications and additions apart"
    }
}

impl KernelSet {
    /// All of them. The last is a variation of the one before.
    pub const ALL: [Self; 3] = [Self::Alone, Self::Together, Self::BlockAtOnce];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Together => "workgroups share each sum",
            Self::Alone => "one invocation for each sum",
            Self::BlockAtOnce => "workgroups share each sum, one drafts a whole block",
        }
    }

    /// Whether invocations share sums, and read weights of 16 bits on a GPU.
    pub(crate) fn shares_sums(self) -> bool {
        match self {
            Self::Together | Self::BlockAtOnce => true,
            Self::Alone => false,
        }
    }

    /// What a weight of a matrix takes on a GPU.
    pub(crate) fn bytes_of_weight(self) -> usize {
        if self.shares_sums() { 2 } else { 4 }
    }

    /// The kernel of this set that does what `kernel` does.
    pub(crate) fn variant(self, kernel: Kernel) -> Kernel {
        kernel.variant(self.shares_sums())
    }
}

/// Rounds that are timed together, at least: enough for what they cost to outweigh what a submission
/// does.
const ROUNDS: usize = 3;

/// Rounds that are timed together, at most.
const MANY_ROUNDS: usize = 60;

/// Milliseconds that rounds which are timed together should take: a browser may look only every
/// few milliseconds whether they are done.
const LONG_ENOUGH: f64 = 30.0;

/// How often each choice is timed; the fastest counts, since others only disturb.
const TIMES: usize = 2;

/// Milliseconds that one kernel of one row may take longer than with the first choice, besides
/// what waiting for nothing takes. Beyond that, waiting inside a workgroup is as dear as on
/// software adapters, where a whole step would take a second: nothing more is tried then.
const HOPELESS: f64 = 2.0;

/// Rows whose logits are compared and that the timed rounds verify: those of a round at the default
/// γ, whose kernels are needed next.
pub(crate) const TRIAL_ROWS: usize = 6;

/// Rules whose sampling is tried: between them they run every kernel of which there are two.
const TRIAL_RULES: [Rule; 3] = [Rule::Rejection, Rule::Greedy, Rule::SampleAndMatch];

/// How far the logits of two choices may be apart: sums run in another order.
const TOLERANCE: f32 = 1e-3;

/// Whether two rows of logits are the same.
fn agree(expected: &[f32], found: &[f32]) -> bool {
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE * (1.0 + a.abs());
    expected.len() == found.len() && expected.iter().zip(found).all(close)
}

impl Engine {
    /// How kernels share out their work.
    pub fn kernel_set(&self) -> KernelSet {
        self.target.kernel_set()
    }

    /// The kernel sets that the models' weights are there for, which are all of them where 16 bits
    /// hold the weights exactly and, for [`KernelSet::BlockAtOnce`], a GPU's workgroup has room for
    /// the draft.
    pub fn kernel_sets(&self) -> impl Iterator<Item = KernelSet> {
        let is_for = |choice: &KernelSet| {
            let weights = self.target.is_for(*choice) && self.draft.is_for(*choice);
            weights && (*choice != KernelSet::BlockAtOnce || self.draft.fits_one_workgroup())
        };
        KernelSet::ALL.into_iter().filter(is_for)
    }

    /// Goes on with these kernels, or with the first set where the models have no weights for
    /// them. Texts under one seed may differ between choices, as between devices, where two tokens
    /// are as probable to the last place.
    pub fn use_kernel_set(&self, choice: KernelSet) {
        let offered = self.kernel_sets().any(|set| set == choice);
        let choice = if offered { choice } else { KernelSet::ALL[0] };
        self.target.use_kernel_set(choice);
        self.draft.use_kernel_set(choice);
        self.programs.borrow_mut().clear();
        // Times belong to kernels.
        self.choosers.borrow_mut().clear();
    }

    /// Times a step of the target and a round with each choice, and goes on with the quickest:
    /// some tenths of a second on a software adapter, a few milliseconds on a GPU. On the CPU
    /// there is nothing to choose.
    ///
    /// A set that computes something else than the first is not chosen, however quick it is.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn choose_kernels(&self) -> Result<KernelSet, EngineError> {
        if matches!(self.device, Device::Cpu) {
            return Ok(self.kernel_set());
        }
        let waiting = self.time_kernels(Vec::new()).await?;
        let mut best = (f64::INFINITY, KernelSet::default());
        let mut first_kernel = None;
        let mut expected: Option<Trial> = None;
        for choice in self.kernel_sets() {
            // Where sharing does not pay, a variation of it does not either.
            if choice == KernelSet::BlockAtOnce && best.1 != KernelSet::Together {
                continue;
            }
            self.use_kernel_set(choice);
            let kernel = self.time_one_kernel().await?;
            if kernel > HOPELESS + waiting + *first_kernel.get_or_insert(kernel) {
                continue;
            }
            // A kernel that the GPU does not run at all is the quickest of them.
            let found = self.trial(expected.as_ref()).await?;
            if !found.agrees_with(expected.get_or_insert_with(|| found.clone())) {
                continue;
            }
            // Builds the pipelines.
            self.time_choice(1).await?;
            let few = self.time_choice(ROUNDS).await?;
            let rounds = ROUNDS * (LONG_ENOUGH / few.max(1.0)).ceil() as usize;
            let rounds = rounds.min(MANY_ROUNDS);
            let mut fastest = f64::INFINITY;
            for _ in 0..TIMES {
                let time = self.time_choice(rounds).await? - waiting;
                fastest = fastest.min(time / rounds as f64);
            }
            if fastest < best.0 {
                best = (fastest, choice);
            }
        }
        self.use_kernel_set(best.1);
        Ok(best.1)
    }

    /// Milliseconds of a step of the target and a round with the kernels in use, once: to see whether
    /// they are out of the question.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn glance(&self) -> Result<f64, EngineError> {
        // Builds the pipelines.
        self.time_choice(1).await?;
        self.time_choice(1).await
    }

    /// Whether all kernel sets compute the same on this device. Goes on with the first.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn kernel_sets_agree(&self) -> Result<bool, EngineError> {
        let mut first: Option<Trial> = None;
        let mut agree = true;
        for choice in self.kernel_sets() {
            self.use_kernel_set(choice);
            let found = self.trial(first.as_ref()).await?;
            agree &= found.agrees_with(first.get_or_insert_with(|| found.clone()));
        }
        self.use_kernel_set(KernelSet::ALL[0]);
        Ok(agree)
    }

    /// What the kernels in use compute over some first rows, with nothing left over from passes
    /// before. Sampling is tried on the logits of `before`, where there are any: equal logits
    /// must give equal tokens.
    async fn trial(&self, before: Option<&Trial>) -> Result<Trial, EngineError> {
        let settings = |rule| Settings {
            temperature: 1.0,
            rule,
            ..Settings::default()
        };
        let program = |rule, portion, gamma| {
            self.prepared(ProgramKind {
                portion,
                ..ProgramKind::round(&settings(rule), gamma)
            })
        };
        let vocab = self.pair.target_config.vocab_size;
        let some_tokens: Vec<u32> = (0..=TRIAL_ROWS as u32).map(|i| i % vocab as u32).collect();
        self.device.write(&self.tokens, 0, &some_tokens);
        let gamma = TRIAL_ROWS - 1;
        let mut logits = Vec::new();
        let run_settings = |rule| run_settings(&settings(rule));
        let rejection = [run_settings(Rule::Rejection)];
        self.device
            .write(&self.settings, 0, bytemuck::cast_slice(&rejection));
        let passes = [
            (&self.target, Portion::TargetPass, gamma, TRIAL_ROWS),
            // The logits of the second token say what the first was.
            (&self.draft, Portion::Draft, 2, 1),
        ];
        for (decoder, portion, gamma, rows) in passes {
            decoder.forget();
            self.device.write(&self.state, 0, &[2]);
            let read = Read {
                buffer: &decoder.logits,
                words: 0..rows * vocab,
            };
            let program = program(Rule::Rejection, portion, gamma);
            let words = self.device.run(&[&program], &[read]).await?;
            logits.push(bytemuck::cast_slice(&words[0]).to_vec());
        }
        let shown = before.map_or(&logits, |before| &before.logits);
        for (decoder, logits) in [&self.target, &self.draft].into_iter().zip(shown) {
            self.device
                .write(&decoder.logits, 0, bytemuck::cast_slice(logits));
        }
        let mut rounds = Vec::new();
        for rule in TRIAL_RULES {
            self.device.write(
                &self.settings,
                0,
                bytemuck::cast_slice(&[run_settings(rule)]),
            );
            self.device.write(&self.state, 0, &[2]);
            let read = Read {
                buffer: &self.record,
                words: 0..record::words(gamma),
            };
            let program = program(rule, Portion::Sampling, gamma);
            let words = self.device.run(&[&program], &[read]).await?;
            let drafted = (0..gamma).map(|i| record::HEAD + record::ENTRY * i);
            let places = [record::LENGTH, record::ACCEPTED, record::NEW_TOKEN];
            rounds.extend(
                places
                    .into_iter()
                    .chain(drafted)
                    .map(|place| words[0][place]),
            );
        }
        Ok(Trial { logits, rounds })
    }

    /// Milliseconds of one kernel over one row, with what waiting for it takes.
    async fn time_one_kernel(&self) -> Result<f64, EngineError> {
        let kernel = self.kernel_set().variant(Kernel::GateUp);
        self.device.write(&self.state, 0, &[1]);
        let pass = self.target.forward(&self.tokens, &self.state, 1, -1, 0..1);
        let one = pass.into_iter().find(|dispatch| dispatch.kernel == kernel);
        self.time_kernels(one.into_iter().collect()).await
    }

    /// Milliseconds of some kernels, with what waiting for them takes.
    async fn time_kernels(&self, dispatches: Vec<Dispatch>) -> Result<f64, EngineError> {
        let program = self.device.program(dispatches);
        let reads = [Read {
            buffer: &self.state,
            words: 0..1,
        }];
        let mut fastest = f64::INFINITY;
        // The first time builds the pipelines.
        for _ in 0..=TIMES {
            let start = self.now();
            self.device.run(&[&program], &reads).await?;
            fastest = fastest.min(self.now() - start);
        }
        Ok(fastest)
    }

    /// Milliseconds of so many steps of the target and rounds.
    async fn time_choice(&self, rounds: usize) -> Result<f64, EngineError> {
        let settings = Settings::default();
        let programs =
            [0, TRIAL_ROWS - 1].map(|gamma| self.prepared(ProgramKind::round(&settings, gamma)));
        let middle = self.pair.context() / 2;
        // A step writes a token and a round at most as many as it verifies; then the text begins
        // again at its middle.
        let fit = ((self.pair.context() - middle) / (1 + TRIAL_ROWS)).max(1);
        let start = self.now();
        let mut under_way = Vec::new();
        for begun in (0..rounds).step_by(fit) {
            let some = std::iter::repeat_n(&programs, fit.min(rounds - begun)).flatten();
            let programs: Vec<_> = some.map(|program| &**program).collect();
            self.device.write(&self.state, 0, &[middle as u32]);
            let step = Step {
                programs: &programs,
                reads: &[Read {
                    buffer: &self.record,
                    words: 0..1,
                }],
            };
            under_way.push(self.device.begin(&[step])?);
        }
        for readback in under_way {
            readback.finish().await?;
        }
        Ok(self.now() - start)
    }
}

/// What the kernels of a set computed.
#[derive(Clone, Debug)]
struct Trial {
    /// The target's rows and the draft's.
    logits: Vec<Vec<f32>>,
    /// What rounds committed: length, accepted tokens, the new token, the drafted ones.
    rounds: Vec<u32>,
}

impl Trial {
    fn agrees_with(&self, expected: &Self) -> bool {
        let rows = expected.logits.iter().zip(&self.logits);
        self.rounds == expected.rounds
            && rows
                .into_iter()
                .all(|(expected, found)| agree(expected, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_compute_something_else_do_not_agree() {
        assert!(agree(&[1.0, -20.0], &[1.0005, -20.01]));
        assert!(!agree(&[1.0, -20.0], &[1.0, 0.0]));
        assert!(!agree(&[1.0, -20.0], &[1.0, f32::NAN]));
        assert!(!agree(&[1.0], &[]));
        let trial = |token| Trial {
            logits: vec![vec![1.0]],
            rounds: vec![token],
        };
        assert!(trial(3).agrees_with(&trial(3)));
        assert!(!trial(3).agrees_with(&trial(4)));
    }
}
