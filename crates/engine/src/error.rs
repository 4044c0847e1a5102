use couplet_kernels::DeviceError;
use couplet_model::{BigramError, ConfigError, TokenizerError, WeightsError};
use couplet_protocol::{Failure, FailureKind, SettingsError};

/// Why a request cannot be fulfilled.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The prompt has characters without a token.
    #[error("prompt: {0}")]
    Prompt(#[from] TokenizerError),
    /// The prompt leaves no room to write.
    #[error("prompt: it has {found} tokens, but at most {fits} leave room to write; shorten it")]
    PromptTooLong {
        /// Tokens of the prompt.
        found: usize,
        /// Tokens that fit.
        fits: usize,
    },
    /// The text that a run is to go on from does not fit.
    #[error("branch: {found} tokens after the prompt do not fit; keep at most {free}")]
    BranchTooLong {
        /// Tokens of the branch.
        found: usize,
        /// Tokens that fit.
        free: usize,
    },
    /// A configuration is damaged or not supported.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The tokenizer is damaged.
    #[error("{0}")]
    Tokenizer(String),
    /// Weights are damaged or do not fit.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The table of which token follows which is damaged.
    #[error(transparent)]
    Bigram(#[from] BigramError),
    /// The pair has no such table, or it has not been given to the engine.
    #[error("this pair has no bigram table; choose another drafter")]
    NoBigram,
    /// A request of the scenes Couplings or Proof is out of range.
    #[error("{sentence}")]
    Request {
        /// The argument at fault.
        argument: &'static str,
        /// What is wrong and what would be right.
        sentence: String,
    },
    /// Runs are over before a clock has moved often enough to time them: some browsers make theirs
    /// coarse on purpose.
    #[error(
        "max_tokens: a run takes {} ms, and the clock here moves by {} ms at a time; ask for more tokens or allow the page a finer clock",
        tenths(*.run), tenths(*.tick)
    )]
    CoarseClock {
        /// The target alone, in milliseconds.
        run: f64,
        /// What the clock moves by, in milliseconds.
        tick: f64,
    },
    /// A file of a pair cannot be read from disk.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// The files of a pair contradict each other.
    #[error("the files of this pair do not fit together: {0}")]
    Mismatch(String),
    /// The GPU is gone or refuses.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl EngineError {
    /// The error as the page receives it.
    pub fn failure(&self) -> Failure {
        let (kind, field) = match self {
            Self::Settings(error) => (FailureKind::Input, Some(error.field)),
            Self::Prompt(_) | Self::PromptTooLong { .. } => (FailureKind::Input, Some("prompt")),
            Self::BranchTooLong { .. } => (FailureKind::Input, Some("branch")),
            Self::CoarseClock { .. } => (FailureKind::Input, Some("max_tokens")),
            Self::NoBigram => (FailureKind::Input, Some("drafter")),
            Self::Request { argument, .. } => (FailureKind::Input, Some(*argument)),
            Self::Config(_)
            | Self::Bigram(_)
            | Self::Tokenizer(_)
            | Self::Weights(_)
            | Self::Unreadable(_)
            | Self::Mismatch(_) => (FailureKind::Files, None),
            Self::Device(_) => (FailureKind::Device, None),
        };
        let sentence = match self {
            Self::Settings(error) => error.sentence.clone(),
            Self::Prompt(error) => error.to_string(),
            Self::PromptTooLong { .. } => self.to_string().replacen("prompt: it", "it", 1),
            Self::BranchTooLong { .. } => self.to_string().replacen("branch: ", "", 1),
            Self::CoarseClock { .. } => self.to_string().replacen("max_tokens: ", "", 1),
            other => other.to_string(),
        };
        let mut letters = sentence.chars();
        let sentence = letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect())
            .unwrap_or_default();
        Failure {
            kind,
            field: field.map(str::to_owned),
            sentence: end_with_stop(sentence),
        }
    }
}

fn tenths(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}

fn end_with_stop(sentence: String) -> String {
    if sentence.ends_with(['.', '!', '?']) {
        sentence
    } else {
        sentence + "."
    }
}
