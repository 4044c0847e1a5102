//! The files of a pair, checked against each other.

use burn::tensor::Device;
use couplet_model::{
    BigramTable, Decoder, DecoderConfig, ModelCard, TextTokenizer, TrainedModel, WeightsError,
    load_weights, sha256_hex,
};
use couplet_protocol::{ModelInfo, PairInfo};

use crate::EngineError;

/// The files of a pair as bytes.
#[derive(Clone, Debug, Default)]
pub struct PairFiles {
    /// `model-card.json`
    pub card: Vec<u8>,
    /// `tokenizer.json`
    pub tokenizer: Vec<u8>,
    /// The target's `config.json`.
    pub target_config: Vec<u8>,
    /// The target's `model.safetensors`.
    pub target_weights: Vec<u8>,
    /// The draft's `config.json`.
    pub draft_config: Vec<u8>,
    /// The draft's `model.safetensors`.
    pub draft_weights: Vec<u8>,
}

#[cfg(not(target_arch = "wasm32"))]
impl PairFiles {
    /// Reads the files that the `model-card.json` in a folder names.
    ///
    /// # Errors
    ///
    /// If the card or a file that it names cannot be read.
    pub fn from_folder(folder: &std::path::Path) -> Result<Self, EngineError> {
        let read = |path: &str| {
            let path = folder.join(path);
            std::fs::read(&path)
                .map_err(|error| EngineError::Unreadable(format!("{}: {error}", path.display())))
        };
        let bytes = read("model-card.json")?;
        let card = read_card(&bytes)?;
        Ok(Self {
            tokenizer: read(&card.tokenizer.path)?,
            target_config: read(&card.target.config.path)?,
            target_weights: read(&card.target.weights.path)?,
            draft_config: read(&card.draft.config.path)?,
            draft_weights: read(&card.draft.weights.path)?,
            card: bytes,
        })
    }
}

fn read_card(bytes: &[u8]) -> Result<ModelCard, EngineError> {
    serde_json::from_slice(bytes)
        .map_err(|error| EngineError::Mismatch(format!("model-card.json cannot be read ({error})")))
}

/// A pair of models with their tokenizer, as burn modules.
#[derive(Debug)]
pub struct Pair {
    /// What the pair is.
    pub card: ModelCard,
    /// The tokenizer that both models share.
    pub tokenizer: TextTokenizer,
    /// The target's shape.
    pub target_config: DecoderConfig,
    /// The target.
    pub target: Decoder,
    /// The draft's shape.
    pub draft_config: DecoderConfig,
    /// The draft.
    pub draft: Decoder,
}

impl Pair {
    /// Reads and checks the files, and builds both models in burn's memory on the CPU.
    ///
    /// # Errors
    ///
    /// If a file is damaged, has another hash than the card says, or contradicts another file.
    pub fn new(files: PairFiles) -> Result<Self, EngineError> {
        let card = read_card(&files.card)?;
        check_hash(&files.tokenizer, &card.tokenizer.sha256)?;
        let tokenizer = TextTokenizer::from_json(&files.tokenizer)
            .map_err(|error| EngineError::Tokenizer(error.to_string()))?;
        let (target_config, target) =
            read_model(&card.target, &files.target_config, files.target_weights)?;
        let (draft_config, draft) =
            read_model(&card.draft, &files.draft_config, files.draft_weights)?;
        if target_config.vocab_size != draft_config.vocab_size {
            return Err(EngineError::Mismatch(format!(
                "the draft knows {} tokens and the target {}; both must share one tokenizer",
                draft_config.vocab_size, target_config.vocab_size
            )));
        }
        if tokenizer.vocab_size() != target_config.vocab_size {
            return Err(EngineError::Mismatch(format!(
                "the tokenizer has {} tokens and the models {}",
                tokenizer.vocab_size(),
                target_config.vocab_size
            )));
        }
        let pair = Self {
            card,
            tokenizer,
            target_config,
            target,
            draft_config,
            draft,
        };
        let prefix = pair.tokenizer.encode(&pair.card.prefix)?.len();
        if prefix >= pair.context() {
            return Err(EngineError::Mismatch(format!(
                "the prefix has {prefix} tokens and leaves no room in {} positions",
                pair.context()
            )));
        }
        Ok(pair)
    }

    /// Longest text in tokens.
    pub fn context(&self) -> usize {
        self.target_config
            .max_position_embeddings
            .min(self.draft_config.max_position_embeddings)
    }

    /// Reads and checks the table of which token follows which.
    ///
    /// # Errors
    ///
    /// If the pair has none, or the file is damaged or has another hash than the card says.
    pub fn bigram(&self, bytes: &[u8]) -> Result<BigramTable, EngineError> {
        let entry = self.card.bigram.as_ref().ok_or(EngineError::NoBigram)?;
        check_hash(bytes, &entry.sha256)?;
        Ok(BigramTable::from_json(
            bytes,
            self.target_config.vocab_size,
        )?)
    }

    /// The pair as the page sees it.
    ///
    /// # Errors
    ///
    /// If a character of the card's prefix has no token.
    pub fn info(&self) -> Result<PairInfo, EngineError> {
        let model = |config: &DecoderConfig, trained: &TrainedModel| ModelInfo {
            parameters: config.parameters() as u64,
            layers: config.num_hidden_layers as u32,
            hidden_size: config.hidden_size as u32,
            validation_loss: trained.validation_loss,
        };
        Ok(PairInfo {
            name: self.card.name.clone(),
            title: self.card.title.clone(),
            token_kind: self.card.token_kind.clone(),
            tokens: self.tokenizer.texts().to_vec(),
            prefix_tokens: self.tokenizer.encode(&self.card.prefix)?.len() as u32,
            context: self.context() as u32,
            acceptance_rate: self.card.acceptance_rate,
            target: model(&self.target_config, &self.card.target),
            draft: model(&self.draft_config, &self.card.draft),
        })
    }
}

fn read_model(
    trained: &TrainedModel,
    config: &[u8],
    weights: Vec<u8>,
) -> Result<(DecoderConfig, Decoder), EngineError> {
    check_hash(config, &trained.config.sha256)?;
    check_hash(&weights, &trained.weights.sha256)?;
    let config = DecoderConfig::from_json(&String::from_utf8_lossy(config))?;
    let decoder = load_weights(&config, weights, &Device::flex())?;
    Ok((config, decoder))
}

fn check_hash(bytes: &[u8], expected: &str) -> Result<(), WeightsError> {
    let found = sha256_hex(bytes);
    if found == expected {
        return Ok(());
    }
    Err(WeightsError::WrongHash {
        expected: expected.to_owned(),
        found,
    })
}
