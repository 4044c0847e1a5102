//! What passes should take, from what a device charges for their parts, beside what they take.
//!
//! A pass dispatches kernels, reads weights and caches, and multiplies. With a price for each, its
//! time is `dispatches * dispatch + max(bytes / bandwidth, multiply-adds / rate)`. A round takes what
//! its passes take one after the other, and a batch of rounds adds a submission and a readback. A
//! workgroup that drafts alone has a bandwidth of its own. Where a measurement is far from that, the
//! pass does something else too; `docs/speed.md` says what.

use couplet_kernels::{Device, Dispatch, Kernel, Program, Read};
use couplet_model::DecoderConfig;
use couplet_protocol::Settings;
use couplet_speculation::statistics::median;

use crate::bench::Sample;
use crate::programs::{Portion, ProgramKind};
use crate::{Engine, EngineError, KernelSet};

/// Repetitions of a kernel in one submission when its price is found.
const REPEATS: usize = 48;

/// How often everything is timed; the median counts.
const TIMES: usize = 7;

/// What a device charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCosts {
    /// One dispatch of a kernel with next to nothing to do, in microseconds.
    pub dispatch: f64,
    /// One submission, in microseconds.
    pub submit: f64,
    /// Waiting for everything submitted and reading a word of it, in microseconds.
    pub readback: f64,
    /// How fast one row reads the weights of a matrix, in gigabytes per second.
    pub bandwidth: f64,
    /// Multiply-adds per nanosecond, four rows sharing what they read.
    pub rate: f64,
    /// How fast a single workgroup reads the draft's weights, in gigabytes per second, where one
    /// drafts whole blocks.
    pub workgroup_bandwidth: Option<f64>,
}

/// What a pass consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Kernels dispatched.
    pub dispatches: usize,
    /// Bytes of weights, each counted once for the rows that share what they read, and of caches,
    /// once for all rows.
    pub bytes: usize,
    /// Multiplications with an addition each.
    pub multiply_adds: usize,
    /// Bytes that a single workgroup reads, again for each token, while it multiplies.
    pub bytes_of_one_workgroup: usize,
}

impl Work {
    /// A decoder's pass over `rows` rows, `logit_rows` of which get logits, at a position.
    fn of_pass(
        config: &DecoderConfig,
        kernels: KernelSet,
        rows: usize,
        logit_rows: usize,
        position: usize,
    ) -> Self {
        let (hidden, head_dim) = (config.hidden_size, config.head_dim());
        let (heads, kv_heads) = (config.num_attention_heads, config.num_key_value_heads);
        let attention_inputs = (heads + 2 * kv_heads) * head_dim * hidden;
        let others = heads * head_dim * hidden + 3 * hidden * config.intermediate_size;
        let looking = 2 * position * heads * head_dim;
        let table = config.vocab_size * hidden;
        let layers = config.num_hidden_layers;
        // How often they are read.
        let [of_rows, of_logit_rows] = [rows, logit_rows].map(|rows| kernels.groups_of(rows));
        let weights = of_rows * layers * attention_inputs
            + (of_rows * (layers - 1) + of_logit_rows) * others
            + of_logit_rows * table;
        Self {
            dispatches: 0,
            bytes_of_one_workgroup: 0,
            bytes: kernels.bytes_of_weight() * weights
                + 4 * layers * 2 * position * kv_heads * head_dim,
            // Of the last layer, rows without logits are only wanted for their keys and values.
            multiply_adds: rows * layers * attention_inputs
                + (rows * (layers - 1) + logit_rows) * (others + looking)
                + logit_rows * table,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            dispatches: self.dispatches + other.dispatches,
            bytes: self.bytes + other.bytes,
            multiply_adds: self.multiply_adds + other.multiply_adds,
            bytes_of_one_workgroup: self.bytes_of_one_workgroup + other.bytes_of_one_workgroup,
        }
    }

    fn times(self, count: usize) -> Self {
        Self {
            dispatches: self.dispatches * count,
            bytes: self.bytes * count,
            multiply_adds: self.multiply_adds * count,
            bytes_of_one_workgroup: self.bytes_of_one_workgroup * count,
        }
    }

    /// The same done by a single workgroup.
    fn by_one_workgroup(self) -> Self {
        Self {
            bytes: 0,
            multiply_adds: 0,
            bytes_of_one_workgroup: self.bytes,
            ..self
        }
    }

    /// Milliseconds at these prices.
    pub fn predicted(&self, units: &UnitCosts) -> f64 {
        let reading = self.bytes as f64 / units.bandwidth;
        let multiplying = self.multiply_adds as f64 / units.rate;
        let alone = units.workgroup_bandwidth.map_or(0.0, |bandwidth| {
            self.bytes_of_one_workgroup as f64 / bandwidth
        });
        1e-3 * self.dispatches as f64 * units.dispatch + 1e-6 * (reading.max(multiplying) + alone)
    }
}

/// Milliseconds of passes that follow each other: what one reads does not hide behind what another
/// multiplies.
fn predicted_in_turn(passes: &[Work], units: &UnitCosts) -> f64 {
    passes.iter().map(|pass| pass.predicted(units)).sum()
}

/// A pass, predicted and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PassCost {
    /// Which pass, for people.
    pub name: &'static str,
    /// What it consists of.
    pub work: Work,
    /// What it should take, in milliseconds, without submission and readback, which rounds share.
    pub predicted: f64,
    /// What it takes, in milliseconds.
    pub measured: f64,
}

/// The passes of a round at the middle of the context, counted.
struct Passes<'a> {
    engine: &'a Engine,
    settings: Settings,
    position: usize,
    /// Whether one workgroup drafts whole blocks.
    block_at_once: bool,
}

impl<'a> Passes<'a> {
    fn new(engine: &'a Engine, block_at_once: bool) -> Self {
        let settings = Settings {
            pair: engine.pair.card.name.clone(),
            prompt: engine.pair.card.prompt.clone(),
            temperature: 1.0,
            max_tokens: engine.pair.context() as u32,
            ..Settings::default()
        };
        Self {
            engine,
            settings,
            position: engine.pair.context() / 2,
            block_at_once,
        }
    }

    fn of_pass(&self, config: &DecoderConfig, rows: usize, logit_rows: usize) -> Work {
        let kernels = self.engine.kernel_set();
        Work::of_pass(config, kernels, rows, logit_rows, self.position)
    }

    fn dispatches(&self, gamma: usize, portion: Portion) -> usize {
        let kind = ProgramKind::part(&self.settings, gamma, portion);
        self.engine.prepared(kind).dispatches()
    }

    /// Drafting `gamma` tokens, at least one; the first step computes two rows.
    fn draft(&self, gamma: usize) -> Work {
        if self.block_at_once {
            return Work {
                dispatches: 1,
                ..self.drafted_token().times(gamma)
            };
        }
        let config = &self.engine.pair.draft_config;
        let first = self.of_pass(config, 2, 1);
        let later = self.of_pass(config, 1, 1);
        Work {
            dispatches: self.dispatches(gamma, Portion::Draft),
            ..first.and(later.times(gamma - 1))
        }
    }

    /// Every drafted token but the first.
    fn drafted_token(&self) -> Work {
        let token = self.of_pass(&self.engine.pair.draft_config, 1, 1);
        if self.block_at_once {
            return token.by_one_workgroup();
        }
        let more = self.dispatches(4, Portion::Draft) - self.dispatches(1, Portion::Draft);
        Work {
            dispatches: more / 3,
            ..token
        }
    }

    /// The target over so many rows, and the verdict.
    fn verify(&self, rows: usize) -> Work {
        let config = &self.engine.pair.target_config;
        Work {
            dispatches: self.dispatches(rows - 1, Portion::Verify),
            ..self.of_pass(config, rows, rows)
        }
    }

    /// Drafting and verifying of a round at `gamma`, at least one.
    fn round(&self, gamma: usize) -> [Work; 2] {
        [self.draft(gamma), self.verify(gamma + 1)]
    }
}

/// What a device should make of speculation, without submissions and readbacks, since a batch of
/// rounds shares one.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedRounds {
    /// A step of the target alone, in milliseconds.
    pub step: f64,
    /// A drafted token in such steps: c of the formula.
    pub draft_cost: f64,
    /// A round in such steps, for γ from 1 on.
    pub rounds: Vec<f64>,
}

/// What a device with these prices should make of speculation at γ from 1 to `most`.
///
/// The engine's own device is not asked for anything; its kernel set is the one that counts, but that
/// blocks are drafted at once where there is a price for it.
pub fn predicted_rounds(engine: &Engine, units: &UnitCosts, most: usize) -> PredictedRounds {
    let passes = Passes::new(engine, units.workgroup_bandwidth.is_some());
    let step = passes.verify(1).predicted(units);
    let round = |gamma| predicted_in_turn(&passes.round(gamma), units);
    PredictedRounds {
        step,
        draft_cost: passes.drafted_token().predicted(units) / step,
        rounds: (1..=most).map(|gamma| round(gamma) / step).collect(),
    }
}

/// Finds what the engine's device charges, then times the passes of a round at the middle of the
/// context beside what that predicts.
///
/// # Errors
///
/// If the device fails.
pub async fn cost_table(engine: &Engine) -> Result<(UnitCosts, Vec<PassCost>), EngineError> {
    let block_at_once = engine.kernel_set() == KernelSet::BlockAtOnce;
    let passes = Passes::new(engine, block_at_once);
    let time = async |gamma, portion| -> Result<f64, EngineError> {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let sample = Sample::new(engine, &passes.settings, gamma, portion, 0.5)?;
            times.push(sample.time(engine).await?);
        }
        Ok(median(&times))
    };
    let step = (time(4, Portion::Draft).await? - time(1, Portion::Draft).await?) / 3.0;
    let mut units = unit_costs(engine).await?;
    if block_at_once {
        // Of longer blocks, so that it is not what it predicts.
        let four = time(8, Portion::Draft).await? - time(4, Portion::Draft).await?;
        let bytes = passes.drafted_token().times(4).bytes_of_one_workgroup;
        units.workgroup_bandwidth = Some(1e-6 * bytes as f64 / four.max(1e-6));
    }
    let mut rows = Vec::new();
    let mut row = |name, passes: &[Work], measured| {
        rows.push(PassCost {
            name,
            work: passes.iter().copied().fold(Work::default(), Work::and),
            predicted: predicted_in_turn(passes, &units),
            measured,
        });
    };
    row("one drafted token", &[passes.drafted_token()], step);
    row(
        "target, one token",
        &[passes.verify(1)],
        time(0, Portion::Verify).await?,
    );
    row(
        "verifying 2 rows",
        &[passes.verify(2)],
        time(1, Portion::Verify).await?,
    );
    row(
        "verifying 5 rows",
        &[passes.verify(5)],
        time(4, Portion::Verify).await?,
    );
    row(
        "verifying 9 rows",
        &[passes.verify(9)],
        time(8, Portion::Verify).await?,
    );
    row(
        "round, γ = 4",
        &passes.round(4),
        time(4, Portion::Round).await?,
    );
    Ok((units, rows))
}

/// A kernel of the target, alone and in company.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCost {
    /// Which kernel.
    pub name: &'static str,
    /// How often a pass dispatches it.
    pub dispatches: usize,
    /// Microseconds of one dispatch after others of the same kernel, for each of [`ROWS_TIMED`].
    pub microseconds: Vec<f64>,
}

/// The numbers of rows for which kernels are timed.
pub const ROWS_TIMED: [usize; 4] = [1, 2, 5, 9];

/// Times every kernel of a pass of the target at the middle of the context, layer after layer.
///
/// # Errors
///
/// If the device fails.
pub async fn kernel_costs(engine: &Engine) -> Result<Vec<KernelCost>, EngineError> {
    let middle = engine.pair.context() / 2;
    engine.device.write(&engine.state, 0, &[middle as u32]);
    let readback = microseconds(engine, &engine.device.program(Vec::new()), 0).await?;
    let mut kernels: Vec<Kernel> = Vec::new();
    for Dispatch { kernel, .. } in target_pass(engine, 1) {
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    let mut costs = Vec::new();
    for kernel in kernels {
        let mut times = Vec::new();
        for rows in ROWS_TIMED {
            let program = many(engine, only(engine, kernel, rows));
            times.push(price(engine, &program, readback).await?);
        }
        costs.push(KernelCost {
            name: kernel.name(),
            dispatches: only(engine, kernel, 1).len(),
            microseconds: times,
        });
    }
    Ok(costs)
}

/// A pass of the target over so many rows at the end of the text.
fn target_pass(engine: &Engine, rows: usize) -> Vec<Dispatch> {
    engine
        .target
        .forward(&engine.tokens, &engine.state, rows, -1, 0..rows)
}

/// The dispatches of one kernel in such a pass.
fn only(engine: &Engine, kernel: Kernel, rows: usize) -> Vec<Dispatch> {
    let of_kernel = |dispatch: &Dispatch| dispatch.kernel == kernel;
    target_pass(engine, rows)
        .into_iter()
        .filter(of_kernel)
        .collect()
}

/// Some dispatches again and again.
fn many(engine: &Engine, dispatches: Vec<Dispatch>) -> Program {
    let count = dispatches.len();
    let all = std::iter::repeat_n(dispatches, REPEATS.div_ceil(count));
    engine.device.program(all.flatten().collect())
}

/// Microseconds of one of a program's dispatches.
async fn price(engine: &Engine, program: &Program, readback: f64) -> Result<f64, EngineError> {
    let all = microseconds(engine, program, 0).await?;
    Ok((all - readback).max(1e-3) / program.dispatches() as f64)
}

async fn unit_costs(engine: &Engine) -> Result<UnitCosts, EngineError> {
    let device = &engine.device;
    let middle = engine.pair.context() / 2;
    device.write(&engine.state, 0, &[middle as u32]);
    let empty = device.program(Vec::new());
    let readback = microseconds(engine, &empty, 0).await?;
    let submits = 16;
    let submit = (microseconds(engine, &empty, submits).await? - readback) / submits as f64;
    let of = async |kernel, rows| {
        price(engine, &many(engine, only(engine, kernel, rows)), readback).await
    };
    let dispatch = of(Kernel::Embed, 1).await?;
    let config = &engine.pair.target_config;
    let weights = 2 * config.hidden_size * config.intermediate_size;
    let bytes = weights * engine.kernel_set().bytes_of_weight();
    let gate_up = engine.kernel_set().variant(Kernel::GateUp);
    let one_row = of(gate_up, 1).await?;
    let four_rows = of(gate_up, 4).await?;
    // Microseconds and bytes: bytes per microsecond are a thousandth of gigabytes per second.
    Ok(UnitCosts {
        dispatch,
        submit: submit.max(0.0),
        readback,
        bandwidth: 1e-3 * bytes as f64 / (one_row - dispatch).max(1e-3),
        rate: 4e-3 * weights as f64 / (four_rows - dispatch).max(1e-3),
        workgroup_bandwidth: None,
    })
}

/// Time from the first submission to the readback; `submits` is how often it is submitted before
/// the time that is waited for.
async fn microseconds(
    engine: &Engine,
    program: &Program,
    submits: usize,
) -> Result<f64, EngineError> {
    let device = &engine.device;
    // The CPU's clock in a browser is coarse, and its work is quick.
    let turns = if matches!(device, Device::Cpu) { 20 } else { 1 };
    let read = [Read {
        buffer: &engine.state,
        words: 0..1,
    }];
    let mut times = Vec::new();
    for _ in 0..=TIMES {
        let start = engine.now();
        for _ in 0..turns {
            for _ in 0..submits {
                device.submit(&[program]);
            }
            device.run(&[program], &read).await?;
        }
        times.push(1e3 * (engine.now() - start) / turns as f64);
    }
    // The first builds pipelines.
    Ok(median(&times[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_once_for_the_rows_that_share_them() {
        let config = DecoderConfig::new(64, 32, 2, 2);
        let of = |kernels: KernelSet, rows, logit_rows| {
            Work::of_pass(&config, kernels, rows, logit_rows, 0).bytes / kernels.bytes_of_weight()
        };
        let layer = 4 * 32 * 32 + 3 * 32 * config.intermediate_size;
        let table = 64 * 32;
        for kernels in [KernelSet::Together, KernelSet::BlockAtOnce] {
            for (rows, times) in [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)] {
                assert_eq!(
                    of(kernels, rows, rows),
                    times * (2 * layer + table),
                    "{rows}"
                );
            }
            // In the last layer the others leave nothing but keys and values.
            let once_more = layer + 3 * 32 * 32;
            assert_eq!(of(kernels, 5, 1), 2 * layer + table + once_more);
        }
        assert_eq!(of(KernelSet::Alone, 5, 5), 2 * layer + table);
    }

    #[test]
    fn no_pass_of_a_round_hides_behind_another() {
        let units = UnitCosts {
            dispatch: 1.0,
            submit: 0.0,
            readback: 0.0,
            bandwidth: 1.0,
            rate: 1.0,
            workgroup_bandwidth: None,
        };
        let reads = Work {
            dispatches: 1,
            bytes: 3_000_000,
            multiply_adds: 1_000_000,
            ..Work::default()
        };
        let multiplies = Work {
            dispatches: 2,
            bytes: 1_000_000,
            multiply_adds: 4_000_000,
            ..Work::default()
        };
        let predicted = predicted_in_turn(&[reads, multiplies], &units);
        assert!((predicted - 7.003).abs() < 1e-9, "{predicted}");
    }
}
