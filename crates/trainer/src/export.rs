use std::path::Path;

use anyhow::Context;
use burn::tensor::Device;
use couplet_model::{FileEntry, ModelCard, TrainedModel, load_weights, save_weights, sha256_hex};
use serde_json::json;

use crate::corpus::Corpus;
use crate::evaluation::{acceptance_rate, validation_loss};
use crate::training::Trained;

/// Everything that goes into a pair's folder.
pub struct Export<'a> {
    /// The text.
    pub corpus: &'a Corpus,
    /// Loss of the trigram model, nats per token.
    pub trigram: f64,
    /// The model that verifies.
    pub target: &'a Trained,
    /// The model that proposes.
    pub draft: &'a Trained,
    /// The folder.
    pub out: &'a Path,
}

/// Writes weights, configurations, tokenizer and model card. The figures in the card are
/// measured on the exported f16 weights, the ones that visitors load.
pub fn export(export: &Export, device: &Device) -> anyhow::Result<ModelCard> {
    let out = export.out;
    let tokenizer = serde_json::to_vec_pretty(&tokenizer_json(&export.corpus.characters))?;
    let tokenizer = write(out, "tokenizer.json", &tokenizer)?;
    let validation = &export.corpus.validation;
    let mut decoders = Vec::new();
    let mut cards = Vec::new();
    for (name, trained) in [("target", export.target), ("draft", export.draft)] {
        let weights = save_weights(&trained.decoder)?;
        let decoder = load_weights(&trained.config, weights.clone(), device)?;
        let context = trained.config.max_position_embeddings;
        cards.push(TrainedModel {
            config: write(
                out,
                &format!("{name}/config.json"),
                &serde_json::to_vec_pretty(&trained.config)?,
            )?,
            weights: write(out, &format!("{name}/model.safetensors"), &weights)?,
            parameters: trained.config.parameters(),
            validation_loss: validation_loss(&decoder, validation, context, device),
            steps: trained.steps,
            tokens_seen: trained.tokens_seen,
            seconds: trained.seconds.round(),
            seed: trained.seed,
        });
        decoders.push(decoder);
    }
    let context = export.target.config.max_position_embeddings;
    let acceptance_rate = acceptance_rate(&decoders[0], &decoders[1], validation, context, device);
    let mut cards = cards.into_iter();
    let (target, draft) = (
        cards.next().expect("two models"),
        cards.next().expect("two models"),
    );
    let card = ModelCard {
        name: "shakespeare".to_owned(),
        title: "Shakespeare, by characters".to_owned(),
        token_kind: "character".to_owned(),
        corpus: "tinyshakespeare (karpathy/char-rnn, commit 6f9487a), public-domain text"
            .to_owned(),
        split: "first 90 % of the characters to train, last 10 % to validate".to_owned(),
        prefix: "\n".to_owned(),
        trigram_validation_loss: export.trigram,
        acceptance_rate,
        tokenizer,
        target,
        draft,
    };
    write(out, "model-card.json", &serde_json::to_vec_pretty(&card)?)?;
    write_index(out.parent().unwrap_or(Path::new(".")))?;
    Ok(card)
}

/// Lists every pair in the folder above in `pairs.json`: name, title and bytes to download.
fn write_index(folder: &Path) -> anyhow::Result<()> {
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(text) = std::fs::read_to_string(entry?.path().join("model-card.json")) else {
            continue;
        };
        let card: ModelCard = serde_json::from_str(&text)?;
        let files = [
            &card.tokenizer,
            &card.target.config,
            &card.target.weights,
            &card.draft.config,
            &card.draft.weights,
        ];
        let bytes: usize = files.iter().map(|file| file.bytes).sum();
        pairs.push((
            card.name.clone(),
            json!({ "name": card.name, "title": card.title, "bytes": bytes }),
        ));
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let pairs: Vec<serde_json::Value> = pairs.into_iter().map(|(_, pair)| pair).collect();
    write(folder, "pairs.json", &serde_json::to_vec_pretty(&pairs)?)?;
    Ok(())
}

fn write(out: &Path, path: &str, bytes: &[u8]) -> anyhow::Result<FileEntry> {
    let full = out.join(path);
    std::fs::create_dir_all(full.parent().expect("below the output folder"))?;
    std::fs::write(&full, bytes).with_context(|| format!("cannot write {}", full.display()))?;
    Ok(FileEntry {
        path: path.to_owned(),
        bytes: bytes.len(),
        sha256: sha256_hex(bytes),
    })
}

/// Characters as tokens: byte-pair encoding without any merge.
fn tokenizer_json(characters: &[char]) -> serde_json::Value {
    let vocab: serde_json::Map<String, serde_json::Value> = characters
        .iter()
        .enumerate()
        .map(|(id, c)| (c.to_string(), json!(id)))
        .collect();
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": null,
        "post_processor": null,
        "decoder": { "type": "Fuse" },
        "model": {
            "type": "BPE",
            "dropout": null,
            "unk_token": null,
            "continuing_subword_prefix": null,
            "end_of_word_suffix": null,
            "fuse_unk": false,
            "byte_fallback": false,
            "ignore_merges": false,
            "vocab": vocab,
            "merges": []
        }
    })
}
