use serde::{Deserialize, Serialize};

use crate::{
    Branch, CoupleRequest, Coupled, Distribution, Event, RoundsCounted, RoundsRequest, Settings,
    SpeedReport, SpeedRequest,
};

/// Which engine the page asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendChoice {
    /// WebGPU where it computes what the CPU does, else the CPU.
    #[default]
    Auto,
    /// The CPU even where WebGPU works.
    Cpu,
}

/// What a run executed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// WGSL kernels on a GPU, or on a software adapter.
    Gpu,
    /// The same kernels in Rust on the CPU.
    Cpu,
}

/// Where a run executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// GPU or CPU.
    pub backend: BackendKind,
    /// Name for the badge: "WebGPU, Apple M2", "CPU in WebAssembly".
    pub name: String,
    /// How the engine computes here, for people: on a GPU which of its kernels were found to be the
    /// quickest, on the CPU how it adds products. Empty where nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// A sentence about the GPU: why it is not used although nobody asked for the CPU, or that
    /// another one was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A pair that can be loaded, before it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairSummary {
    /// Short name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Size of the download in bytes.
    pub bytes: u64,
    /// A prompt that suits the pair; empty where the pair names none.
    #[serde(default)]
    pub prompt: String,
}

/// Shape of one model, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Number of parameters.
    pub parameters: u64,
    /// Number of layers.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden_size: u32,
    /// Loss on validation text, nats per token.
    pub validation_loss: f64,
}

/// A loaded pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairInfo {
    /// Short name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// What a token is, for people: "character".
    pub token_kind: String,
    /// Text of every token, by id.
    pub tokens: Vec<String>,
    /// Tokens that stand before every prompt and are not shown.
    pub prefix_tokens: u32,
    /// Longest text in tokens, prompt included.
    pub context: u32,
    /// Mean overlap 1 − TV of both models' distributions on held-out text at temperature 1, in
    /// [0, 1], from the model card: the acceptance rate to expect of Rejection there.
    pub acceptance_rate: f64,
    /// The model that verifies.
    pub target: ModelInfo,
    /// The model that proposes.
    pub draft: ModelInfo,
}

/// One of the two models of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The model that proposes.
    Draft,
    /// The model that verifies.
    Target,
}

/// What the page asks of the worker. `id` comes back with every reply to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// List the pairs that can be loaded.
    Pairs {
        /// Number of the request.
        id: u32,
    },
    /// Download a pair and make it ready.
    Load {
        /// Number of the request.
        id: u32,
        /// Name of the pair.
        pair: String,
        /// Which engine.
        backend: BackendChoice,
    },
    /// Write a text.
    Generate {
        /// Number of the request.
        id: u32,
        /// Everything that determines it.
        settings: Settings,
        /// What stands after the prompt already, where the run goes on from another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<Branch>,
    },
    /// End the request with this number: a run keeps what it has told, which is nothing while its prompt is
    /// being read; a download ends at once. A pass in progress is finished first.
    /// Answered by `Alive`, whether or not there is such a request.
    Stop {
        /// Number of the `Load`, `Pairs`, `Generate`, `Couple`, `CountRounds` or `Bench` request; 0 for
        /// none.
        id: u32,
    },
    /// The next-token probabilities of one model after a text.
    Distribution {
        /// Number of the request.
        id: u32,
        /// Which model.
        model: Which,
        /// The pair, the temperature, top-k and top-p, and as prompt the text; the rest of them is
        /// not looked at.
        settings: Settings,
    },
    /// Throw pairs of tokens from two distributions.
    Couple {
        /// Number of the request.
        id: u32,
        /// What to throw.
        request: CoupleRequest,
    },
    /// Play many rounds between two fixed distributions and count what they write.
    CountRounds {
        /// Number of the request.
        id: u32,
        /// What to play.
        request: RoundsRequest,
    },
    /// Time speculation against the target alone, in turn.
    Bench {
        /// Number of the request.
        id: u32,
        /// What to time.
        request: SpeedRequest,
    },
}

/// What kind of trouble it is; decides what the page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A setting or the prompt; `field` names it.
    Input,
    /// A file could not be fetched; trying again may help.
    Download,
    /// A file is damaged or does not fit the others.
    Files,
    /// The GPU is gone or refused.
    Device,
    /// Nothing is wrong: somebody stopped it.
    Stopped,
    /// Something inside Couplet; the worker starts afresh.
    Internal,
}

/// A sentence that a person can act on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// The option that it is about: a field of [`Settings`] or of another request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The sentence.
    pub sentence: String,
}

impl Failure {
    /// One that is about no field in particular.
    pub fn new(kind: FailureKind, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            field: None,
            sentence: sentence.into(),
        }
    }

    /// How a measurement ends that somebody stops: what there is of it says nothing.
    pub fn measurement_stopped() -> Self {
        Self::new(FailureKind::Stopped, "The measurement was stopped.")
    }
}

/// What the worker says to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The worker lives: more of its own code has come, or a [`Command::Stop`].
    Alive,
    /// The worker has started and takes commands.
    Started,
    /// The pairs that can be loaded.
    Pairs {
        /// Number of the request.
        id: u32,
        /// The pairs.
        pairs: Vec<PairSummary>,
    },
    /// How far loading has come.
    Loading {
        /// Number of the request.
        id: u32,
        /// What is happening, for people.
        stage: String,
        /// Bytes received.
        received: u64,
        /// Bytes in all.
        total: u64,
    },
    /// A pair is ready.
    Loaded {
        /// Number of the request.
        id: u32,
        /// The pair.
        pair: PairInfo,
        /// Where it runs.
        device: DeviceInfo,
    },
    /// Facts of a run, in order; several at once.
    Events {
        /// Number of the `Generate` request.
        id: u32,
        /// The facts.
        events: Vec<Event>,
    },
    /// Next-token probabilities.
    Distribution {
        /// Number of the request.
        id: u32,
        /// The probabilities of all tokens, or of a large vocabulary's most probable ones.
        distribution: Distribution,
    },
    /// Pairs of tokens were thrown.
    Coupled {
        /// Number of the request.
        id: u32,
        /// How often which.
        coupled: Coupled,
    },
    /// Rounds were played.
    RoundsCounted {
        /// Number of the request.
        id: u32,
        /// What they wrote.
        counted: RoundsCounted,
    },
    /// How far a bench has come.
    Benching {
        /// Number of the request.
        id: u32,
        /// What is being timed, for people: "4 drafted tokens".
        stage: String,
        /// Runs done.
        done: u32,
        /// Runs in all.
        runs: u32,
    },
    /// A bench is complete.
    Benched {
        /// Number of the request.
        id: u32,
        /// The result.
        report: Box<SpeedReport>,
    },
    /// A request cannot be fulfilled; without number, the worker itself is in trouble.
    Failed {
        /// Number of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
        /// What went wrong.
        failure: Failure,
    },
}
