//! The training loop, for text and for the distributions of a teacher.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use burn::module::{Module, ParamGroup};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamWConfig, AdjustLrFn, GradientsParams, ModuleOptimizer, MuonConfig};
use burn::tensor::{Device, Int, Tensor, activation};
use couplet_model::{Decoder, DecoderConfig, save_weights, sha256_hex};

use crate::calibration;
use crate::checkpoint::{self, Loss, Progress};
use crate::corpus::Corpus;
use crate::evaluation::{cross_entropy, mean_loss, tokens_tensor};

/// How one model is trained.
pub struct Recipe {
    /// Name of its folder of checkpoints.
    pub name: &'static str,
    /// Its shape.
    pub config: DecoderConfig,
    /// Optimiser steps.
    pub steps: usize,
    /// Windows per step.
    pub batch: usize,
    /// Seed of weights and windows.
    pub seed: u64,
    /// What it learns to predict.
    pub labels: Labels,
}

/// What a model learns to predict.
#[derive(Clone)]
pub enum Labels {
    /// The next token of the text.
    Text,
    /// The distribution of a teacher at every position of the text, which makes it a draft that
    /// the teacher accepts more often.
    ///
    /// Source: Zhou et al. 2024, "DistillSpec", section 4.
    Teacher {
        /// The teacher, on the plain device.
        teacher: Box<Decoder>,
        /// How far the two are apart.
        divergence: Divergence,
    },
}

/// How far the distribution of a student is from its teacher's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// `sum teacher * ln(teacher / student)`. Its gradient never vanishes, so it learns from
    /// random weights.
    ForwardKl,
    /// `1/2 sum |teacher - student|`: one less the acceptance rate itself.
    TotalVariation,
}

impl Divergence {
    /// For people and for checkpoints.
    pub fn name(self) -> &'static str {
        match self {
            Self::ForwardKl => "forward KL divergence",
            Self::TotalVariation => "total variation",
        }
    }
}

impl Labels {
    /// For people and for checkpoints.
    pub fn name(&self) -> String {
        match self {
            Self::Text => "the next token of the text".to_owned(),
            Self::Teacher { divergence, .. } => {
                format!("the target's distributions, by {}", divergence.name())
            }
        }
    }
}

/// A trained model and what it took.
pub struct Trained {
    /// The weights.
    pub decoder: Decoder,
    /// Its shape.
    pub config: DecoderConfig,
    /// What all logits were divided by after training.
    pub calibration: f64,
    /// What it learnt to predict.
    pub labels: String,
    /// Optimiser steps.
    pub steps: usize,
    /// Tokens seen, repeats counted.
    pub tokens_seen: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Where it was trained.
    pub hardware: String,
    /// Seed of weights and windows.
    pub seed: u64,
    /// Losses on the way.
    pub history: Vec<Loss>,
}

impl Trained {
    /// The same model with all logits divided by `temperature`.
    pub fn calibrated(self, temperature: f64) -> Self {
        Self {
            decoder: calibration::divide_logits(self.decoder, temperature),
            calibration: self.calibration * temperature,
            ..self
        }
    }
}

/// Full learning rate of AdamW; Muon rescales it by the shape of each matrix.
const LEARNING_RATE: f64 = 5e-3;
/// Tokens of each held-out text that the losses on the way are measured on.
const GLANCE: usize = 15_000;

/// A dozen checkpoints in a short run, more in a long one.
fn steps_between_checkpoints(steps: usize) -> usize {
    steps.div_ceil(12).clamp(10, 100)
}

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

/// What a model learns from, told apart from any other: a checkpoint goes on with nothing else.
fn learns_from(recipe: &Recipe, corpus: &Corpus) -> anyhow::Result<String> {
    let parts = corpus.parts.iter();
    let tokens: Vec<u8> = parts
        .flat_map(|part| part.tokens.iter().flat_map(|token| token.to_le_bytes()))
        .collect();
    let text = sha256_hex(&tokens);
    Ok(match &recipe.labels {
        Labels::Text => text,
        Labels::Teacher { teacher, .. } => {
            format!("{text} {}", sha256_hex(&save_weights(teacher)?))
        }
    })
}

/// Trains one model, or finishes it from its last checkpoint.
///
/// # Errors
///
/// If a checkpoint belongs to another run or cannot be written, or the loss is no longer finite.
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
    let learns_from = learns_from(recipe, corpus)?;
    let (mut decoder, mut optimizer, mut progress) =
        checkpoint::load(&folder, recipe, &learns_from, fresh, optimizer())?;
    let context = recipe.config.max_position_embeddings;
    println!(
        "{}: {} parameters, {} steps, learns {}",
        recipe.name,
        recipe.config.parameters(),
        recipe.steps,
        recipe.labels.name()
    );
    let start = Instant::now();
    let first_step = progress.step;
    let seconds_before = progress.seconds;
    while progress.step < recipe.steps {
        let step = progress.step;
        let windows: Vec<&[u32]> = (0..recipe.batch)
            .map(|row| corpus.window(recipe.seed, step, row, context + 1))
            .collect();
        let loss = loss(&decoder, recipe, &windows, device, &training_device);
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
        let elapsed = start.elapsed().as_secs_f64();
        progress.seconds = seconds_before + elapsed;
        report(recipe, &progress, first_step, elapsed, context);
        let last = progress.step == recipe.steps;
        if progress
            .step
            .is_multiple_of(steps_between_checkpoints(recipe.steps))
            || last
        {
            let held_out = glance(&decoder.valid(), corpus, context, device);
            progress.history.push(Loss {
                step: progress.step,
                training: progress.smoothed_loss,
                held_out,
            });
            checkpoint::save(
                &folder,
                recipe,
                &learns_from,
                &decoder,
                &optimizer,
                &progress,
            )?;
            println!(
                "\r{}: step {:>5}, loss on held-out text {held_out:.4}{:40}",
                recipe.name, progress.step, ""
            );
        }
    }
    Ok(Trained {
        decoder: decoder.valid(),
        config: recipe.config.clone(),
        calibration: 1.0,
        labels: recipe.labels.name(),
        steps: progress.step,
        tokens_seen: progress.step * recipe.batch * context,
        seconds: progress.seconds,
        hardware: hardware(device),
        seed: recipe.seed,
        history: progress.history,
    })
}

/// The loss of a batch. Windows hold one token more than they have predictions.
fn loss(
    decoder: &Decoder,
    recipe: &Recipe,
    windows: &[&[u32]],
    device: &Device,
    training_device: &Device,
) -> Tensor<1> {
    let context = windows[0].len() - 1;
    let inputs: Vec<&[u32]> = windows.iter().map(|w| &w[..context]).collect();
    let logits = decoder.forward(tokens_tensor(&inputs, training_device));
    match &recipe.labels {
        Labels::Text => {
            let targets: Vec<&[u32]> = windows.iter().map(|w| &w[1..]).collect();
            let targets: Tensor<2, Int> = tokens_tensor(&targets, training_device);
            cross_entropy(logits, targets)
        }
        Labels::Teacher {
            teacher,
            divergence,
        } => {
            let teacher_logits = teacher.forward(tokens_tensor(&inputs, device));
            let teacher_probs = activation::softmax(teacher_logits.clone(), 2);
            match divergence {
                Divergence::ForwardKl => {
                    let teacher_log_probs = activation::log_softmax(teacher_logits, 2);
                    let negative_entropy = (teacher_probs.clone() * teacher_log_probs).sum_dim(2);
                    let cross =
                        Tensor::from_inner(teacher_probs) * activation::log_softmax(logits, 2);
                    (Tensor::from_inner(negative_entropy) - cross.sum_dim(2)).mean()
                }
                Divergence::TotalVariation => {
                    let difference =
                        Tensor::from_inner(teacher_probs) - activation::softmax(logits, 2);
                    difference.abs().sum_dim(2).mean() * 0.5
                }
            }
        }
    }
}

/// Loss on the beginning of all held-out texts, nats per token.
fn glance(decoder: &Decoder, corpus: &Corpus, context: usize, device: &Device) -> f64 {
    let (mut total, mut count) = (0.0, 0.0);
    for text in &corpus.held_out {
        let part = &text.tokens[..text.tokens.len().min(GLANCE)];
        total += mean_loss(decoder, part, context, device) * part.len() as f64;
        count += part.len() as f64;
    }
    total / count
}

/// The processor's name where the system tells it.
fn hardware(device: &Device) -> String {
    if *device != Device::flex() {
        return "a GPU, by wgpu".to_owned();
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let name = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{name}, {cores} cores")
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
