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
    /// A prompt that suits the text.
    #[serde(default)]
    pub prompt: String,
    /// Licence of the weights.
    pub licence: String,
    /// Text the models were trained on.
    pub corpus: Vec<CorpusSource>,
    /// How the text was split into training and held-out text.
    pub split: String,
    /// Text that stands before every prompt, so that even an empty one has a first token.
    pub prefix: String,
    /// Acceptance rate `E[sum min(target, draft)]` on held-out text at temperature 1.
    pub acceptance_rate: f64,
    /// The tokenizer's file.
    pub tokenizer: FileEntry,
    /// Which token follows which in the training text: a draft that needs no model. Absent from
    /// cards of pairs that were made without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bigram: Option<FileEntry>,
    /// The model that verifies.
    pub target: TrainedModel,
    /// The model that proposes.
    pub draft: TrainedModel,
    /// The same draft trained on text alone, to compare with.
    pub plain_draft: TrainedModel,
    /// What the models are worth on held-out text.
    pub evaluation: Evaluation,
}

impl ModelCard {
    /// The files that a visitor needs besides the card, in the order in which they are fetched.
    pub fn downloads(&self) -> [&FileEntry; 5] {
        [
            &self.tokenizer,
            &self.draft.config,
            &self.draft.weights,
            &self.target.config,
            &self.target.weights,
        ]
    }
}

/// A text that models were trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusSource {
    /// What it is and where others find it.
    pub description: String,
    /// Its licence.
    pub licence: String,
    /// Share of the training windows, of 1.
    pub share: f64,
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
    /// What it learnt to predict.
    pub labels: String,
    /// What all logits were divided by after training, chosen on the first 15,000 tokens of each
    /// held-out text (temperature scaling).
    pub calibration: f64,
    /// Loss on all held-out text, nats per token.
    pub validation_loss: f64,
    /// Optimiser steps.
    pub steps: usize,
    /// Tokens seen in training, repeats counted.
    pub tokens_seen: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Where it was trained.
    pub hardware: String,
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

/// What a pair is worth on text that its models never saw. Losses and acceptance rates are
/// those of the f16 weights that visitors load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// One entry per kind of text, then one for all of it when there are several.
    pub texts: Vec<TextEvaluation>,
    /// What speculation should gain where a dispatch costs the same whatever it computes.
    pub prediction: Prediction,
}

/// What a pair is worth on one text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextEvaluation {
    /// Name of the text.
    pub name: String,
    /// Its length in tokens.
    pub tokens: usize,
    /// Its length in bytes of UTF-8.
    pub bytes: usize,
    /// Mean loss of the target, nats per token.
    pub target_loss: f64,
    /// Mean loss of the draft, nats per token.
    pub draft_loss: f64,
    /// Mean loss of the draft that learnt from text, nats per token.
    pub plain_draft_loss: f64,
    /// Bits per byte by model and by other means.
    pub bits_per_byte: BitsPerByte,
    /// Acceptance rates.
    pub acceptance: Vec<Acceptance>,
}

/// What it takes to write a text down with different predictors of it. All of them have seen
/// the training text before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BitsPerByte {
    /// The target.
    pub target: f64,
    /// The draft.
    pub draft: f64,
    /// Counting: tokens after the two before them.
    pub trigram: f64,
    /// Counting: tokens after the four before them.
    pub five_gram: f64,
    /// `gzip -9`; absent where it is not installed.
    pub gzip: Option<f64>,
    /// `xz -9`; absent where it is not installed.
    pub xz: Option<f64>,
}

/// How often a target accepts what two drafts propose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Temperature of both models; 0 stands for greedy agreement.
    pub temperature: f64,
    /// Of the draft that learnt from text.
    pub plain: f64,
    /// Of the draft that learnt from the target.
    pub distilled: f64,
    /// The difference between the two.
    pub gain: f64,
    /// 95 % interval of the difference: t over the windows of the text, paired.
    pub gain_interval: [f64; 2],
}

/// Speed-up after Leviathan et al. 2023, theorem 3.8, with costs counted in dispatches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Dispatches for one drafted token.
    pub draft_dispatches: u32,
    /// Dispatches for one pass of the target, verification included.
    pub target_dispatches: u32,
    /// The best number of drafted tokens, up to 16.
    pub gamma: usize,
    /// Tokens per second over those of the target alone.
    pub speed_up: f64,
}
