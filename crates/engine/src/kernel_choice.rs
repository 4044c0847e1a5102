//! Which of several kernels that do the same is the quickest here.

use couplet_kernels::{Device, Dispatch, Kernel, Read, Step};
use couplet_protocol::Settings;

use crate::programs::ProgramKind;
use crate::rule::run_settings;
use crate::trial::{TRIAL_ROWS, Trial};
use crate::{Engine, EngineError};

/// Rows that share what they read where invocations share sums; `shaders/shared/shares.wgsl`.
pub(crate) const ROWS_TOGETHER: usize = 4;

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

    /// What a choice is kept as between visits.
    pub fn key(self) -> &'static str {
        match self {
            Self::Together => "together",
            Self::Alone => "alone",
            Self::BlockAtOnce => "block_at_once",
        }
    }

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

    /// In how many groups so many rows are multiplied, each of which reads the weights anew. Other
    /// sets make theirs as large as the rows of most rounds, which count as one.
    pub(crate) fn groups_of(self, rows: usize) -> usize {
        if self.shares_sums() {
            rows.div_ceil(ROWS_TOGETHER)
        } else {
            1
        }
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

/// The best set so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    set: KernelSet,
    /// Whether a row has other logits in company than alone.
    differs: bool,
    /// Of a step of the target and a round.
    milliseconds: f64,
}

impl Best {
    /// What is used as long as nothing better is found.
    const NONE: Self = Self {
        set: KernelSet::ALL[0],
        differs: true,
        milliseconds: f64::INFINITY,
    };

    /// The quicker one, among those whose rows do not depend on company if there are any.
    fn or(self, other: Self) -> Self {
        let rank = |it: Self| (it.differs, it.milliseconds);
        if rank(other) < rank(self) {
            other
        } else {
            self
        }
    }
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
        self.round_times.borrow_mut().clear();
        self.held.borrow_mut().forget();
    }

    /// Times a step of the target and a round with each choice, and goes on with the quickest:
    /// seconds on a software adapter, a tenth or two of one on a GPU. On the CPU
    /// there is nothing to choose.
    ///
    /// A set that computes something else than the first is not chosen, however quick it is, nor
    /// one with which a row has other logits in company than alone, unless that is so with all.
    ///
    /// # Errors
    ///
    /// If the device fails, for which the set tried last may be too much. The set in use is then
    /// the best of those before it: another device can begin with that.
    pub async fn choose_kernels(&self) -> Result<KernelSet, EngineError> {
        if matches!(self.device, Device::Cpu) {
            return Ok(self.kernel_set());
        }
        let mut best = Best::NONE;
        let tried = self.try_kernels(&mut best).await;
        self.use_kernel_set(best.set);
        tried.map(|()| best.set)
    }

    /// Tries one set after the other; `best` is the best of those that are done.
    async fn try_kernels(&self, best: &mut Best) -> Result<(), EngineError> {
        let waiting = self.time_kernels(Vec::new()).await?;
        let mut first_kernel = None;
        let mut expected: Option<Trial> = None;
        for set in self.kernel_sets() {
            // Where sharing does not pay, a variation of it does not either.
            if set == KernelSet::BlockAtOnce && best.set != KernelSet::Together {
                continue;
            }
            self.use_kernel_set(set);
            let kernel = self.time_one_kernel().await?;
            if kernel > HOPELESS + waiting + *first_kernel.get_or_insert(kernel) {
                continue;
            }
            // A kernel that the GPU does not run at all is the quickest of them.
            let found = self.trial(expected.as_ref()).await?;
            if !found.agrees_with(expected.get_or_insert_with(|| found.clone())) {
                continue;
            }
            let differs = !self.rows_are_the_same_in_company().await?;
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
            *best = best.or(Best {
                set,
                differs,
                milliseconds: fastest,
            });
        }
        Ok(())
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
        let block = [run_settings(&settings)];
        self.device
            .write(&self.settings, 0, bytemuck::cast_slice(&block));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_set_is_the_best_unless_rows_depend_on_company() {
        let of = |set, differs, milliseconds| Best {
            set,
            differs,
            milliseconds,
        };
        let quick = of(KernelSet::Together, false, 1.0);
        let slow = of(KernelSet::Alone, false, 2.0);
        let wrong = of(KernelSet::BlockAtOnce, true, 0.5);
        let best = |sets: &[Best]| sets.iter().fold(Best::NONE, |best, set| best.or(*set)).set;
        assert_eq!(best(&[slow, quick]), KernelSet::Together);
        assert_eq!(best(&[quick, slow]), KernelSet::Together);
        assert_eq!(best(&[slow, wrong]), KernelSet::Alone);
        assert_eq!(best(&[wrong, slow]), KernelSet::Alone);
        assert_eq!(best(&[wrong]), KernelSet::BlockAtOnce);
        assert_eq!(best(&[]), KernelSet::Alone);
    }
}
