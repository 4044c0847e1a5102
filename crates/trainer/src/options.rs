//! The command line.

use std::path::PathBuf;

use anyhow::{Context, bail};
use couplet_engine::UnitCosts;

use crate::plan::PairPlan;
use crate::training::Divergence;

/// What `--help` prints.
pub const HELP: &str = "\
Trains a pair: text -> tokenizer -> plain draft -> target -> distilled draft -> evaluation -> export

usage: cargo xtask train (--pair NAME | --all) --corpora FOLDER [options]

  --pair NAME           one of the pairs, for instance shakespeare
  --all                 all of them, one after the other
  --corpora FOLDER      the texts to train on; README.md says where they are found
  --out FOLDER          where a folder for each pair is written, in the place of what lies there
                        [assets/pairs; with --quick target/quick/pairs]
  --work FOLDER         where checkpoints are kept
                        [target/training; with --quick target/quick/training]
  --device NAME         cpu, or gpu where there is one           [cpu]
  --divergence NAME     kl or tv: what distillation makes small  [kl]
  --seed N              seed of weights and windows              [1611]
  --only NAME           trains target, draft-plain or draft, then stops: for two machines, or
                        two cores, at once; bigram counts again which token follows which, for
                        a pair that is exported already
  --keep-target         takes the target that is exported already, as it is, and trains drafts
                        for it: another draft for the same target in a fraction of the time
  --quick               a toy in a minute, to see whether everything works
A run that was interrupted goes on from its last checkpoint.

usage: cargo xtask evaluate (--pair NAME | --all) --corpora FOLDER [--out FOLDER] [--quick]

Measures exported pairs again and compares with their model cards.

usage: cargo xtask record (--pair NAME | --all) [--out FOLDER] [--quick]

Makes the recorded runs of exported pairs: the one that plays before the models arrive, and the
target alone, for the lessons.

usage: couplet-trainer reference --pair-folder FOLDER --out FILE

Writes down what this runtime computes for an exported pair, for other software to be compared
with; `cargo xtask transformers` does so.

usage: couplet-trainer bench --pair-folder FOLDER [options]

Prints the engine's bench as JSON, natively; `cargo xtask bench` compares it with the browser's.

  --device NAME         cpu, or gpu                              [cpu]
  --request JSON        a SpeedRequest: what window.couplet.bench() takes, with all but gammas,
                        pairs and auto below `settings`
  --plain-tokens N      also writes N tokens with plain burn operations, in turn with the engine

usage: couplet-trainer costs --pair-folder FOLDER [--device NAME | --suppose MICROSECONDS,GB_PER_S[,GB_PER_S]]

Prints what passes should take from what a device charges for their parts, beside what they take,
and what each kernel of the target takes; `cargo xtask bench --costs` does so for every pair. With
--suppose: what speculation should give on a GPU that is not at hand and charges so much for a
dispatch and for bytes; with a third number, where a single workgroup drafts whole blocks and reads
so many GB a second alone.";

/// What to do.
pub enum Command {
    /// Print [`HELP`].
    Help,
    /// Train pairs.
    Train(TrainOptions),
    /// Measure exported pairs.
    Evaluate {
        /// Which pairs.
        plans: Vec<PairPlan>,
        /// Folder of the texts.
        corpora: Option<PathBuf>,
        /// Folder of the pairs' folders.
        out: PathBuf,
    },
    /// Write down what this runtime computes for an exported pair.
    Reference {
        /// Folder of the pair.
        pair_folder: PathBuf,
        /// The file to write.
        out: PathBuf,
    },
    /// Print the engine's bench.
    Bench(BenchOptions),
    /// Print the cost model beside what it predicts.
    Costs {
        /// Folder of the pair.
        pair_folder: PathBuf,
        /// Of what.
        of: CostsOf,
    },
    /// Make the recorded runs of exported pairs.
    Record {
        /// Which pairs.
        plans: Vec<PairPlan>,
        /// Folder of the pairs' folders.
        out: PathBuf,
    },
}

/// Whose costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CostsOf {
    /// This machine's processor.
    Cpu,
    /// This machine's GPU.
    Gpu,
    /// A GPU that is not at hand, whose arithmetic never limits models as small as these.
    Supposed(UnitCosts),
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Folder of the pair.
    pub pair_folder: PathBuf,
    /// A `SpeedRequest` as JSON.
    pub request: String,
    /// Whether on the GPU.
    pub gpu: bool,
    /// Tokens that plain burn writes; 0 for none.
    pub plain_tokens: usize,
}

/// How to train.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// What to train.
    pub plans: Vec<PairPlan>,
    /// Folder of the texts.
    pub corpora: Option<PathBuf>,
    /// Folder of the pairs' folders.
    pub out: PathBuf,
    /// Folder of the checkpoints.
    pub work: PathBuf,
    /// Whether to train on the GPU.
    pub gpu: bool,
    /// What distillation makes small.
    pub divergence: Divergence,
    /// Seed of weights and windows.
    pub seed: u64,
    /// The only model to train.
    pub only: Option<Model>,
    /// Whether the target is the exported one instead of being trained.
    pub keep_target: bool,
}

/// One of the models of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Verifies.
    Target,
    /// Proposes, trained on text.
    PlainDraft,
    /// Proposes, trained on the target's distributions.
    Draft,
    /// Proposes without being a model: the table of which token follows which.
    Bigram,
}

/// Reads the command line.
///
/// # Errors
///
/// A sentence that names the argument.
pub fn read() -> anyhow::Result<Command> {
    use lexopt::prelude::*;
    let mut parser = lexopt::Parser::from_env();
    let command = match parser.next()? {
        Some(Value(name)) => name.string()?,
        Some(Long("help") | Short('h')) | None => return Ok(Command::Help),
        Some(other) => return Err(other.unexpected().into()),
    };
    if command == "costs" {
        return costs(&mut parser);
    }
    if command == "reference" {
        return reference(&mut parser);
    }
    if command == "bench" {
        return bench(&mut parser);
    }
    let Some(options) = options(&mut parser)? else {
        return Ok(Command::Help);
    };
    let TrainOptions {
        plans,
        corpora,
        out,
        ..
    } = options.clone();
    Ok(match command.as_str() {
        "train" => Command::Train(options),
        "evaluate" => Command::Evaluate {
            plans,
            corpora,
            out,
        },
        "record" => Command::Record { plans, out },
        other => {
            bail!(
                "there is no command {other}: choose train, evaluate, record, reference, bench or costs"
            )
        }
    })
}

fn reference(parser: &mut lexopt::Parser) -> anyhow::Result<Command> {
    use lexopt::prelude::*;
    let (mut pair_folder, mut out) = (None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pair-folder") => pair_folder = Some(parser.value()?.into()),
            Long("out") => out = Some(parser.value()?.into()),
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Reference {
        pair_folder: pair_folder.context("--pair-folder FOLDER is needed")?,
        out: out.context("--out FILE is needed")?,
    })
}

fn costs(parser: &mut lexopt::Parser) -> anyhow::Result<Command> {
    use lexopt::prelude::*;
    let (mut pair_folder, mut of) = (None, CostsOf::Cpu);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pair-folder") => pair_folder = Some(parser.value()?.into()),
            Long("device") => {
                let known = [("cpu", CostsOf::Cpu), ("gpu", CostsOf::Gpu)];
                of = choice(parser, "device", known)?;
            }
            Long("suppose") => of = supposed(&parser.value()?.string()?)?,
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Costs {
        pair_folder: pair_folder.context("--pair-folder FOLDER is needed")?,
        of,
    })
}

/// `MICROSECONDS,GB_PER_S` and, where blocks are to be drafted at once, `,GB_PER_S` of a workgroup.
fn supposed(text: &str) -> anyhow::Result<CostsOf> {
    let price = |text: &str| {
        let price = text.trim().parse::<f64>().ok();
        price.filter(|price| price.is_finite() && *price > 0.0)
    };
    let prices: Option<Vec<f64>> = text.split(',').map(price).collect();
    let (dispatch, bandwidth, workgroup_bandwidth) = match prices.as_deref() {
        Some([dispatch, bandwidth]) => (*dispatch, *bandwidth, None),
        Some([dispatch, bandwidth, alone]) => (*dispatch, *bandwidth, Some(*alone)),
        _ => bail!(
            "--suppose {text}: microseconds for a dispatch and GB per second, as in 5,200, and for a workgroup that drafts alone, as in 5,200,40"
        ),
    };
    Ok(CostsOf::Supposed(UnitCosts {
        dispatch,
        submit: 0.0,
        readback: 0.0,
        bandwidth,
        rate: f64::INFINITY,
        workgroup_bandwidth,
    }))
}

fn bench(parser: &mut lexopt::Parser) -> anyhow::Result<Command> {
    use lexopt::prelude::*;
    let mut pair_folder = None;
    let mut request = r#"{"settings": {"prompt": ""}}"#.to_owned();
    let (mut gpu, mut plain_tokens) = (false, 0);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pair-folder") => pair_folder = Some(parser.value()?.into()),
            Long("request") => request = parser.value()?.string()?,
            Long("device") => gpu = choice(parser, "device", [("cpu", false), ("gpu", true)])?,
            Long("plain-tokens") => {
                plain_tokens = parser.value()?.parse().context("--plain-tokens")?
            }
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Bench(BenchOptions {
        pair_folder: pair_folder.context("--pair-folder FOLDER is needed")?,
        request,
        gpu,
        plain_tokens,
    }))
}

/// The options of any command; `None` when help is asked for.
fn options(parser: &mut lexopt::Parser) -> anyhow::Result<Option<TrainOptions>> {
    use lexopt::prelude::*;
    let mut names: Vec<String> = Vec::new();
    let mut quick = false;
    let (mut out, mut work) = (None::<PathBuf>, None::<PathBuf>);
    let mut options = TrainOptions {
        plans: Vec::new(),
        corpora: None,
        out: PathBuf::new(),
        work: PathBuf::new(),
        gpu: false,
        divergence: Divergence::ForwardKl,
        seed: 1611,
        only: None,
        keep_target: false,
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pair") => names.push(parser.value()?.string()?),
            Long("all") => names.extend(PairPlan::names().map(str::to_owned)),
            Long("corpora") => options.corpora = Some(parser.value()?.into()),
            Long("out") => out = Some(parser.value()?.into()),
            Long("work") => work = Some(parser.value()?.into()),
            Long("device") => {
                options.gpu = choice(parser, "device", [("cpu", false), ("gpu", true)])?
            }
            Long("divergence") => {
                let known = [
                    ("kl", Divergence::ForwardKl),
                    ("tv", Divergence::TotalVariation),
                ];
                options.divergence = choice(parser, "divergence", known)?;
            }
            Long("seed") => options.seed = parser.value()?.parse().context("--seed")?,
            Long("only") => {
                let known = [
                    ("target", Model::Target),
                    ("draft-plain", Model::PlainDraft),
                    ("draft", Model::Draft),
                    ("bigram", Model::Bigram),
                ];
                options.only = Some(choice(parser, "only", known)?);
            }
            Long("keep-target") => options.keep_target = true,
            Long("quick") => quick = true,
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    if names.is_empty() {
        bail!(
            "--pair NAME or --all is needed: {}",
            PairPlan::names().join(", ")
        );
    }
    // A toy must not take the place of what is shipped, nor its checkpoints that of real ones.
    let [usual_out, usual_work] = match quick {
        false => ["assets/pairs", "target/training"],
        true => ["target/quick/pairs", "target/quick/training"],
    };
    options.out = out.unwrap_or_else(|| usual_out.into());
    options.work = work.unwrap_or_else(|| usual_work.into());
    for name in names {
        let plan = PairPlan::named(&name).with_context(|| {
            format!(
                "--pair {name}: the pairs are {}",
                PairPlan::names().join(", ")
            )
        })?;
        options.plans.push(if quick { plan.quick() } else { plan });
    }
    Ok(Some(options))
}

/// The next argument, one of `known`.
fn choice<T, const N: usize>(
    parser: &mut lexopt::Parser,
    option: &str,
    known: [(&str, T); N],
) -> anyhow::Result<T> {
    let given = parser.value()?;
    let names = known.each_ref().map(|(name, _)| *name).join(", ");
    known
        .into_iter()
        .find_map(|(name, value)| (given == *name).then_some(value))
        .with_context(|| format!("--{option} {}: choose one of {names}", given.display()))
}
