//! From a plan to a pair of models.

use std::path::Path;

use anyhow::Context;
use burn::tensor::{Device, DeviceKind};
use couplet_engine::Backend;
use couplet_model::{Decoder, DecoderConfig, ModelCard, TrainedModel, load_weights, sha256_hex};

use crate::corpus::Corpus;
use crate::options::{Model, TrainOptions};
use crate::plan::{ModelPlan, PairPlan};
use crate::report::{self, Decoders};
use crate::training::{Labels, Recipe, Trained, train};
use crate::{calibration, dispatches, export};

/// The models of a pair.
pub struct TrainedPair {
    /// Verifies.
    pub target: Target,
    /// Proposes, trained on text.
    pub plain_draft: Trained,
    /// Proposes, trained on the target's distributions.
    pub draft: Trained,
}

/// What the drafts of a pair are trained for.
pub enum Target {
    /// Trained now.
    Trained(Trained),
    /// Exported before, with its logits divided already, and left as it is.
    Exported {
        /// Its entry of the card.
        model: TrainedModel,
        /// Its shape.
        config: DecoderConfig,
        /// The weights, on the plain device.
        decoder: Decoder,
    },
}

impl Target {
    /// The exported target of the pair in `folder`.
    fn exported(
        folder: &Path,
        corpus: &Corpus,
        wanted: &DecoderConfig,
        device: &Device,
    ) -> anyhow::Result<Self> {
        let read = |path: &str| {
            let path = folder.join(path);
            std::fs::read(&path)
                .with_context(|| format!("--keep-target: cannot read {}", path.display()))
        };
        let card: ModelCard = serde_json::from_slice(&read("model-card.json")?)
            .with_context(|| format!("the model card in {}", folder.display()))?;
        check_tokenizer(corpus, &card)?;
        let model = card.target;
        let config =
            DecoderConfig::from_json(&String::from_utf8_lossy(&read(&model.config.path)?))?;
        // The ids of the ends of text are added when a model is exported.
        let shape = DecoderConfig {
            bos_token_id: None,
            eos_token_id: None,
            ..config.clone()
        };
        anyhow::ensure!(
            shape == *wanted,
            "--keep-target: the exported target has another shape than the plan's"
        );
        let weights = read(&model.weights.path)?;
        anyhow::ensure!(
            sha256_hex(&weights) == model.weights.sha256,
            "--keep-target: {} is not the file that the card names",
            folder.join(&model.weights.path).display()
        );
        let decoder = load_weights(&config, weights, device)?;
        Ok(Self::Exported {
            model,
            config,
            decoder,
        })
    }

    /// Its shape.
    pub fn config(&self) -> &DecoderConfig {
        match self {
            Self::Trained(trained) => &trained.config,
            Self::Exported { config, .. } => config,
        }
    }

    /// What drafts learn from: the target as it was before its logits were divided.
    fn teacher(&self) -> Decoder {
        match self {
            Self::Trained(trained) => trained.decoder.clone(),
            Self::Exported { model, decoder, .. } => {
                calibration::divide_logits(decoder.clone(), 1.0 / model.calibration)
            }
        }
    }

    /// The target with its logits divided, and by what they are.
    fn calibrated(self, temperature: impl FnOnce(&Trained) -> f64) -> (Self, f64) {
        match self {
            Self::Trained(trained) => {
                let temperature = temperature(&trained);
                (Self::Trained(trained.calibrated(temperature)), temperature)
            }
            Self::Exported { ref model, .. } => {
                let temperature = model.calibration;
                (self, temperature)
            }
        }
    }
}

/// Trains every pair that was asked for.
///
/// # Errors
///
/// If a text, a checkpoint or a setting is of no use, or the disk is full.
pub fn train_all(options: &TrainOptions) -> anyhow::Result<()> {
    for plan in &options.plans {
        train_pair(plan, options).with_context(|| format!("the pair {}", plan.name))?;
    }
    Ok(())
}

fn train_pair(plan: &PairPlan, options: &TrainOptions) -> anyhow::Result<()> {
    let context = plan.target.context.max(plan.draft.context);
    let corpus = Corpus::read(plan, options.corpora.as_deref(), context)?;
    println!(
        "{}: {} tokens to train on, {} held out, {} different ones",
        plan.name,
        corpus
            .parts
            .iter()
            .map(|part| part.tokens.len())
            .sum::<usize>(),
        corpus
            .held_out
            .iter()
            .map(|text| text.tokens.len())
            .sum::<usize>(),
        corpus.tokenizer.vocab_size()
    );
    if options.only == Some(Model::Bigram) {
        return count_bigram(&corpus, &options.out.join(plan.name));
    }
    let device = if options.gpu {
        // Says why where there is none; burn would panic.
        pollster::block_on(Backend::gpu()).context("--device gpu")?;
        Device::wgpu(DeviceKind::DefaultDevice)
    } else {
        Device::flex()
    };
    let work = options.work.join(plan.name);
    let recipe = |name, model: &ModelPlan, seed, labels| Recipe {
        name,
        config: shape(model, &corpus),
        steps: model.steps,
        batch: model.batch,
        seed,
        labels,
    };
    let target_recipe = recipe("target", &plan.target, options.seed, Labels::Text);
    // Both drafts begin with the same weights and see the same windows: only the labels differ.
    let plain_recipe = recipe("draft-plain", &plan.draft, options.seed + 1, Labels::Text);
    let wanted = |model| options.only.is_none_or(|only| only == model);
    let plain = wanted(Model::PlainDraft)
        .then(|| train(&plain_recipe, &corpus, &work, &device))
        .transpose()?;
    if options.only == Some(Model::PlainDraft) {
        return Ok(());
    }
    let target = if options.keep_target {
        let folder = options.out.join(plan.name);
        Target::exported(&folder, &corpus, &target_recipe.config, &device)?
    } else {
        Target::Trained(train(&target_recipe, &corpus, &work, &device)?)
    };
    if options.only == Some(Model::Target) {
        return Ok(());
    }
    let labels = Labels::Teacher {
        teacher: Box::new(target.teacher()),
        divergence: options.divergence,
    };
    let draft_recipe = recipe("draft", &plan.draft, options.seed + 1, labels);
    let draft = train(&draft_recipe, &corpus, &work, &device)?;
    let Some(plain_draft) = plain else {
        return Ok(());
    };
    println!("{}: calibrating", plan.name);
    let best = |trained: &Trained| {
        calibration::best_temperature(&trained.decoder, &corpus, context, &device)
    };
    let (target, target_temperature) = target.calibrated(best);
    let plain_temperature = best(&plain_draft);
    let pair = TrainedPair {
        target,
        plain_draft: plain_draft.calibrated(plain_temperature),
        // It learnt the target's distributions, so it stays nearest to them at the same.
        draft: draft.calibrated(target_temperature),
    };
    let out = options.out.join(plan.name);
    let card = export::export(plan, &corpus, &pair, &out, &device)?;
    println!("{}", report::table(&card));
    println!("written to {}", out.display());
    Ok(())
}

/// Counts the table of which token follows which again, for a pair that is exported already.
fn count_bigram(corpus: &Corpus, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("model-card.json");
    let card = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut card: ModelCard = serde_json::from_slice(&card)?;
    check_tokenizer(corpus, &card)?;
    card.bigram = Some(export::write_bigram(corpus, folder)?);
    std::fs::write(&path, serde_json::to_vec_pretty(&card)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Measures a pair's exported weights again and compares with its card.
///
/// # Errors
///
/// If a file is missing or damaged, or a figure differs from the card's.
pub fn evaluate(plan: &PairPlan, corpora: Option<&Path>, out: &Path) -> anyhow::Result<()> {
    let folder = out.join(plan.name);
    let read = |path: &str| {
        let path = folder.join(path);
        std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let card: ModelCard = serde_json::from_slice(&read("model-card.json")?)?;
    let device = Device::flex();
    let model = |trained: &TrainedModel| -> anyhow::Result<(Decoder, usize)> {
        let config = String::from_utf8_lossy(&read(&trained.config.path)?).into_owned();
        let config = DecoderConfig::from_json(&config)?;
        let decoder = load_weights(&config, read(&trained.weights.path)?, &device)?;
        Ok((decoder, config.max_position_embeddings))
    };
    let (target, context) = model(&card.target)?;
    let decoders = Decoders {
        target,
        draft: model(&card.draft)?.0,
        plain_draft: model(&card.plain_draft)?.0,
    };
    let corpus = Corpus::read(plan, corpora, context)?;
    check_tokenizer(&corpus, &card)?;
    let mut now = ModelCard {
        evaluation: report::evaluate(&corpus, &decoders, context, &device),
        ..card.clone()
    };
    let all = now.evaluation.texts.last().context("no held-out text")?;
    let counted = dispatches::count(&folder)?;
    now.evaluation.prediction = report::predict(all.acceptance[0].distilled, counted);
    println!("{}", report::table(&now));
    report::compare(&card.evaluation, &now.evaluation)?;
    println!("These are the figures of the model card.");
    Ok(())
}

/// That the texts are those that the pair of `card` was trained on.
fn check_tokenizer(corpus: &Corpus, card: &ModelCard) -> anyhow::Result<()> {
    anyhow::ensure!(
        sha256_hex(&corpus.tokenizer_json) == card.tokenizer.sha256,
        "these texts give another tokenizer than the pair has: they are not the ones it was trained on"
    );
    Ok(())
}

fn shape(model: &ModelPlan, corpus: &Corpus) -> DecoderConfig {
    DecoderConfig {
        max_position_embeddings: model.context,
        ..DecoderConfig::new(
            corpus.tokenizer.vocab_size(),
            model.hidden_size,
            model.layers,
            model.heads,
        )
    }
}
