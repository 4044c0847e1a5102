use serde::{Deserialize, Serialize};

/// What a pair of models is, was trained on and measured at; also the manifest that downloads
/// are checked against (`model-card.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// Short name, the folder's.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// What a token is, for people: "character" or "word piece".
    pub token_kind: String,
    /// Text the models were trained on, with source and licence.
    pub corpus: String,
    /// How the text was split into training and validation.
    pub split: String,
    /// Text that stands before every prompt, so that even an empty one has a first token.
    pub prefix: String,
    /// Validation loss of an interpolated trigram model on the same text, nats per token.
    pub trigram_validation_loss: f64,
    /// Acceptance rate `E[sum min(target, draft)]` on validation text at temperature 1.
    pub acceptance_rate: f64,
    /// The tokenizer's file.
    pub tokenizer: FileEntry,
    /// The model that verifies.
    pub target: TrainedModel,
    /// The model that proposes.
    pub draft: TrainedModel,
}

/// One trained model of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedModel {
    /// Shape.
    pub config: FileEntry,
    /// Weights, f16 safetensors.
    pub weights: FileEntry,
    /// Number of parameters.
    pub parameters: usize,
    /// Loss on the whole validation text, nats per token.
    pub validation_loss: f64,
    /// Optimiser steps.
    pub steps: usize,
    /// Tokens seen in training, repeats counted.
    pub tokens_seen: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Seed of weights and windows.
    pub seed: u64,
}

/// A file of the pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path below the pair's folder.
    pub path: String,
    /// Size in bytes.
    pub bytes: usize,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
}
