//! Llama-style decoders on burn: configuration, modules, weights and tokenizer; the model card, the
//! bigram table, and how a pair's files arrive.
//!
//! The modules here are the reference: training differentiates them, tests compare the fused
//! kernels with them, and every file format is Hugging Face's (`config.json`,
//! `model.safetensors`, `tokenizer.json`), so that other software loads what we train and we
//! load what others trained.

mod arrival;
mod bigram;
mod config;
mod decoder;
mod tokenizer;
mod weights;

pub use arrival::{Answer, Arrival, Patience, is_outdated, piece_name};
pub use bigram::{BigramError, BigramTable};
pub use config::{ConfigError, DecoderConfig};
pub use decoder::{Attention, Decoder, DecoderModel, Layer, Mlp};
pub use tokenizer::{TextTokenizer, TokenizerError};
pub use weights::{WeightsError, load_weights, save_weights, sha256_hex};
mod card;
pub use card::{
    Acceptance, BitsPerByte, CorpusSource, Evaluation, FileEntry, ModelCard, Prediction,
    TextEvaluation, TrainedModel,
};
