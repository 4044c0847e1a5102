//! A trained pair as files.

use std::path::Path;

use anyhow::Context;
use burn::tensor::Device;
use couplet_model::{
    BigramTable, CorpusSource, DecoderConfig, FileEntry, ModelCard, TrainedModel, load_weights,
    save_weights, sha256_hex,
};
use serde_json::json;

use crate::corpus::Corpus;
use crate::pair::{Target, TrainedPair};
use crate::plan::{END_OF_TEXT, PairPlan, TokenPlan};
use crate::report::{self, Decoders};
use crate::training::Trained;
use crate::{calibration, curve, dispatches};

/// Successors of a token that a bigram table keeps one by one.
const KEPT_SUCCESSORS: usize = 24;

/// Counts which token follows which in the training text, writes the table and returns its entry
/// of the card.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_bigram(corpus: &Corpus, out: &Path) -> anyhow::Result<FileEntry> {
    let texts = corpus.parts.iter().map(|part| part.tokens.as_slice());
    let table = BigramTable::count(texts, corpus.tokenizer.vocab_size(), KEPT_SUCCESSORS);
    write(out, "bigram.json", &serde_json::to_vec(&table)?)
}

/// Writes weights, configurations, tokenizer, model card and loss curves to `out`. The figures
/// in the card are measured on the exported f16 weights, the ones that visitors load.
///
/// # Errors
///
/// If a file cannot be written.
pub fn export(
    plan: &PairPlan,
    corpus: &Corpus,
    pair: &TrainedPair,
    out: &Path,
    device: &Device,
) -> anyhow::Result<ModelCard> {
    let tokenizer = write(out, "tokenizer.json", &corpus.tokenizer_json)?;
    let end_of_text = match plan.tokens {
        TokenPlan::Characters => None,
        TokenPlan::WordPieces(_) => corpus.tokenizer.encode(END_OF_TEXT)?.first().copied(),
    };
    let written = |name, trained| write_model(out, name, trained, end_of_text, device);
    let (mut target, target_decoder) = match &pair.target {
        Target::Trained(trained) => written("target", trained)?,
        Target::Exported { model, decoder, .. } => (model.clone(), decoder.clone()),
    };
    let (mut draft, draft_decoder) = written("draft", &pair.draft)?;
    let (mut plain_draft, plain_decoder) = written("draft-plain", &pair.plain_draft)?;
    let decoders = Decoders {
        target: target_decoder,
        draft: draft_decoder,
        plain_draft: plain_decoder,
    };
    let context = pair.target.config().max_position_embeddings;
    let evaluation = report::evaluate(corpus, &decoders, context, device);
    let all = evaluation.texts.last().expect("held-out text was measured");
    target.validation_loss = all.target_loss;
    draft.validation_loss = all.draft_loss;
    plain_draft.validation_loss = all.plain_draft_loss;
    let mut card = ModelCard {
        name: plan.name.to_owned(),
        title: plan.title.to_owned(),
        token_kind: match plan.tokens {
            TokenPlan::Characters => "character".to_owned(),
            TokenPlan::WordPieces(_) => "word piece".to_owned(),
        },
        prompt: plan.prompt.to_owned(),
        licence: "MIT".to_owned(),
        corpus: plan
            .sources
            .iter()
            .map(|source| CorpusSource {
                description: source.description.to_owned(),
                licence: source.licence.to_owned(),
                share: source.share,
            })
            .collect(),
        split: plan.split.to_owned(),
        prefix: match plan.tokens {
            TokenPlan::Characters => "\n".to_owned(),
            TokenPlan::WordPieces(_) => END_OF_TEXT.to_owned(),
        },
        acceptance_rate: all.acceptance[0].distilled,
        tokenizer,
        bigram: Some(write_bigram(corpus, out)?),
        target,
        draft,
        plain_draft,
        evaluation,
    };
    write(out, "model-card.json", &serde_json::to_vec_pretty(&card)?)?;
    // Counted on the pair as it lies there, for which it needs a card.
    let counted = dispatches::count(out)?;
    card.evaluation.prediction = report::predict(card.acceptance_rate, counted);
    write(out, "model-card.json", &serde_json::to_vec_pretty(&card)?)?;
    write(out, "MODEL_CARD.md", card_for_people(&card).as_bytes())?;
    write_index(out.parent().unwrap_or(Path::new(".")))?;
    Ok(card)
}

/// Writes one model with the curve of its losses, and reads it back as visitors will.
fn write_model(
    out: &Path,
    name: &str,
    trained: &Trained,
    end_of_text: Option<u32>,
    device: &Device,
) -> anyhow::Result<(TrainedModel, couplet_model::Decoder)> {
    let curve = out.join(format!("{name}/loss.svg"));
    let weights = save_weights(&trained.decoder)?;
    let decoder = load_weights(&trained.config, weights.clone(), device)?;
    let config = DecoderConfig {
        bos_token_id: end_of_text,
        eos_token_id: end_of_text,
        ..trained.config.clone()
    };
    let config = serde_json::to_vec_pretty(&config)?;
    let model = TrainedModel {
        config: write(out, &format!("{name}/config.json"), &config)?,
        weights: write(out, &format!("{name}/model.safetensors"), &weights)?,
        parameters: trained.config.parameters(),
        labels: trained.labels.clone(),
        calibration: trained.calibration,
        validation_loss: f64::NAN,
        steps: trained.steps,
        tokens_seen: trained.tokens_seen,
        seconds: trained.seconds.round(),
        hardware: trained.hardware.clone(),
        seed: trained.seed,
    };
    curve::write(&curve, name, &trained.history)?;
    Ok((model, decoder))
}

fn card_for_people(card: &ModelCard) -> String {
    let mut text = format!(
        "# {}\n\nA pair of Llama-style decoders for speculative decoding: the draft proposes, the target verifies. Tokens are {}s. Licence of the weights: {}.\n\n## Text\n\n| share | text | licence |\n|---|---|---|\n",
        card.title, card.token_kind, card.licence
    );
    for source in &card.corpus {
        text += &format!(
            "| {:.0} % | {} | {} |\n",
            100.0 * source.share,
            source.description,
            source.licence
        );
    }
    text += &format!(
        "\nSplit: {}.\n\n## Models\n\n| | parameters | learnt | steps | tokens seen | minutes | where | seed | logits divided by | SHA-256 of the weights |\n|---|---|---|---|---|---|---|---|---|---|\n",
        card.split
    );
    for (name, model) in [
        ("target", &card.target),
        ("draft", &card.draft),
        ("draft-plain", &card.plain_draft),
    ] {
        text += &format!(
            "| {name} | {} | {} | {} | {} | {:.0} | {} | {} | {:.2} | `{}` |\n",
            model.parameters,
            model.labels,
            model.steps,
            model.tokens_seen,
            model.seconds / 60.0,
            model.hardware,
            model.seed,
            model.calibration,
            model.weights.sha256
        );
    }
    text += &format!(
        "\nAfter training, all logits of a model are divided by one number (temperature scaling, Guo et al. 2017), which the weights of the last norm carry. It is chosen on the first {} tokens of each held-out text; a distilled draft gets its target's.\n",
        calibration::TOKENS
    );
    text += "\nShapes are in each model's `config.json`, losses on the way in its `loss.svg`.\n\n## Figures on held-out text\n\nLosses are means over windows of the full context that do not overlap. The acceptance rate is the mean of `sum min(target, draft)`. Counting models and compressors have seen the training text too.\n\n";
    text += &report::table(card);
    text += &format!(
        "\n`cargo xtask evaluate --pair {} --corpora path/to/texts` measures them again.\n",
        card.name
    );
    text
}

/// Lists every pair in the folder above in `pairs.json`: name, title, prompt and bytes to
/// download.
fn write_index(folder: &Path) -> anyhow::Result<()> {
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(text) = std::fs::read_to_string(entry?.path().join("model-card.json")) else {
            continue;
        };
        let card: ModelCard = serde_json::from_str(&text)?;
        let bytes: usize = card.downloads().iter().map(|file| file.bytes).sum();
        pairs.push((
            card.name.clone(),
            json!({ "name": card.name, "title": card.title, "prompt": card.prompt, "bytes": bytes }),
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

#[cfg(test)]
mod tests {
    use couplet_model::Prediction;

    use super::*;

    /// What the shipped cards say beyond what needs the held-out text to be measured again.
    #[test]
    fn the_shipped_cards_are_of_this_engine_and_alike_for_people() {
        for name in PairPlan::names() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../assets/pairs")
                .join(name);
            let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
            let card: ModelCard = serde_json::from_str(&read("model-card.json")).unwrap();
            let counted = dispatches::count(&folder).unwrap();
            let predicted = report::predict(card.acceptance_rate, counted);
            let written = &card.evaluation.prediction;
            // Numbers with a point may be read back off by their last digit.
            assert!(
                (written.speed_up - predicted.speed_up).abs() < 1e-9,
                "{name}"
            );
            let speed_up = written.speed_up;
            let expected = Prediction {
                speed_up,
                ..predicted
            };
            assert_eq!(*written, expected, "{name}");
            assert_eq!(card_for_people(&card), read("MODEL_CARD.md"), "{name}");
        }
    }
}
