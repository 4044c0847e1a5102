use std::io::Write;
use std::path::Path;
use std::time::Instant;

use burn::module::{Module, ParamGroup};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamWConfig, AdjustLrFn, GradientsParams, ModuleOptimizer, MuonConfig};
use burn::tensor::Device;
use couplet_model::{Decoder, DecoderConfig};
use couplet_speculation::random::{Purpose, threefry2x32};

use crate::checkpoint::{self, Progress};
use crate::corpus::Corpus;
use crate::evaluation::{cross_entropy, tokens_tensor, validation_loss};

/// How one model is trained.
pub struct Recipe {
    /// Name of its folder.
    pub name: &'static str,
    /// Its shape.
    pub config: DecoderConfig,
    /// Optimiser steps.
    pub steps: usize,
    /// Windows per step.
    pub batch: usize,
    /// Seed of weights and windows.
    pub seed: u64,
}

/// A trained model and what it took.
pub struct Trained {
    /// The weights.
    pub decoder: Decoder,
    /// Its shape.
    pub config: DecoderConfig,
    /// Optimiser steps.
    pub steps: usize,
    /// Tokens seen, repeats counted.
    pub tokens_seen: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Seed of weights and windows.
    pub seed: u64,
}

/// Full learning rate of AdamW; Muon rescales it by the shape of each matrix.
const LEARNING_RATE: f64 = 5e-3;
const STEPS_BETWEEN_CHECKPOINTS: usize = 100;

/// Share of the full learning rate at a step: a short warm-up, half the time full, then linear
/// to zero.
fn schedule(step: usize, steps: usize) -> f64 {
    let warm_up = ((step + 1) as f64 / 20.0).min(1.0);
    let left = (steps - step) as f64 / steps as f64;
    warm_up * (2.0 * left).min(1.0)
}

/// Muon for the matrices of the layers, AdamW for everything else.
fn optimizer() -> ModuleOptimizer {
    let adam = AdamWConfig::new().with_beta_2(0.95).with_weight_decay(0.0);
    let muon = MuonConfig::new()
        .with_adjust_lr_fn(AdjustLrFn::MatchRmsAdamW)
        .with_weight_decay(Some(WeightDecayConfig::new(0.1)));
    adam.init()
        .with_group(ParamGroup::from_predicate("_proj"), muon.build(), None)
}

/// Trains one model, or finishes it from its last checkpoint.
pub fn train(
    recipe: &Recipe,
    corpus: &Corpus,
    work: &Path,
    device: &Device,
) -> anyhow::Result<Trained> {
    let folder = work.join(recipe.name);
    let training_device = device.clone().autodiff();
    training_device.seed(recipe.seed);
    let fresh = recipe.config.init(&training_device);
    let (mut decoder, mut optimizer, mut progress) =
        checkpoint::load(&folder, recipe, fresh, optimizer())?;
    let context = recipe.config.max_position_embeddings;
    let parameters = recipe.config.parameters();
    println!(
        "{}: {parameters} parameters, {} steps",
        recipe.name, recipe.steps
    );
    let start = Instant::now();
    let first_step = progress.step;
    let seconds_before = progress.seconds;
    while progress.step < recipe.steps {
        let step = progress.step;
        let windows: Vec<&[u32]> = (0..recipe.batch)
            .map(|row| {
                let counter = [step as u32, ((Purpose::Training as u32) << 24) | row as u32];
                let bits =
                    threefry2x32([recipe.seed as u32, (recipe.seed >> 32) as u32], counter)[0];
                let offset = bits as usize % (corpus.train.len() - context);
                &corpus.train[offset..=offset + context]
            })
            .collect();
        let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
        let targets: Vec<&[u32]> = windows.iter().map(|w| &w[1..]).collect();
        let logits = decoder.forward(tokens_tensor(&inputs, &training_device));
        let loss = cross_entropy(logits, tokens_tensor(&targets, &training_device));
        let value = f64::from(loss.clone().into_scalar::<f32>());
        anyhow::ensure!(
            value.is_finite(),
            "{}: the loss is no longer finite at step {step}",
            recipe.name
        );
        let mut gradients = loss.backward();
        let gradients = GradientsParams::from_module(&mut gradients, &decoder);
        let share = schedule(step, recipe.steps);
        decoder = optimizer.step(LEARNING_RATE * share, decoder, gradients);
        progress.step += 1;
        progress.smoothed_loss = if step == 0 {
            value
        } else {
            0.98 * progress.smoothed_loss + 0.02 * value
        };
        progress.seconds = seconds_before + start.elapsed().as_secs_f64();
        report(
            recipe,
            &progress,
            first_step,
            start.elapsed().as_secs_f64(),
            context,
        );
        if progress.step.is_multiple_of(STEPS_BETWEEN_CHECKPOINTS) || progress.step == recipe.steps
        {
            checkpoint::save(&folder, recipe, &decoder, &optimizer, &progress)?;
            let part = &corpus.validation[..corpus.validation.len().min(15_000)];
            let loss = validation_loss(&decoder.valid(), part, context, device);
            println!(
                "\r{}: step {:>5}, validation loss {loss:.4} on its first {} characters{:12}",
                recipe.name,
                progress.step,
                part.len(),
                ""
            );
        }
    }
    Ok(Trained {
        decoder: decoder.valid(),
        config: recipe.config.clone(),
        steps: progress.step,
        tokens_seen: progress.step * recipe.batch * context,
        seconds: progress.seconds,
        seed: recipe.seed,
    })
}

fn report(recipe: &Recipe, progress: &Progress, first_step: usize, elapsed: f64, context: usize) {
    let done = progress.step - first_step;
    let per_step = elapsed / done as f64;
    let left = per_step * (recipe.steps - progress.step) as f64;
    let filled = 24 * progress.step / recipe.steps;
    print!(
        "\r{} [{}{}] {}/{} loss {:.4} nats, {:.0} tokens/s, {:.0} min {:02.0} s left  ",
        recipe.name,
        "#".repeat(filled),
        "-".repeat(24 - filled),
        progress.step,
        recipe.steps,
        progress.smoothed_loss,
        (recipe.batch * context) as f64 / per_step,
        (left / 60.0).floor(),
        left % 60.0
    );
    std::io::stdout().flush().ok();
}
