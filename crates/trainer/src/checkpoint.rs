use std::path::Path;

use anyhow::{Context, bail};
use burn::optim::ModuleOptimizer;
use burn_store::{BurnpackStore, ModuleSnapshot};
use couplet_model::{Decoder, DecoderConfig};
use serde::{Deserialize, Serialize};

use crate::training::Recipe;

/// How far a training run has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Exponentially smoothed training loss, nats per token.
    pub smoothed_loss: f64,
    /// Seconds spent.
    pub seconds: f64,
    /// Losses on the way, one entry per checkpoint.
    #[serde(default)]
    pub history: Vec<Loss>,
}

/// Losses at one step, nats per token.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Loss {
    /// Steps done.
    pub step: usize,
    /// Of the labels, smoothed over the last steps.
    pub training: f64,
    /// Of the next token on the beginning of the held-out text.
    pub held_out: f64,
}

#[derive(Serialize, Deserialize)]
struct State {
    config: DecoderConfig,
    steps: usize,
    seed: u64,
    #[serde(default)]
    batch: usize,
    #[serde(default)]
    labels: String,
    /// SHA-256 of the training text's tokens, and of the teacher's weights where there is one.
    #[serde(default)]
    learns_from: String,
    progress: Progress,
}

/// Writes a checkpoint beside the last one and swaps it in whole, so that a full disk or a
/// kill in the middle leaves the last one intact.
pub fn save(
    folder: &Path,
    recipe: &Recipe,
    learns_from: &str,
    decoder: &Decoder,
    optimizer: &ModuleOptimizer,
    progress: &Progress,
) -> anyhow::Result<()> {
    let fresh = folder.with_extension("fresh");
    let old = folder.with_extension("old");
    std::fs::remove_dir_all(&fresh).ok();
    std::fs::create_dir_all(&fresh)
        .with_context(|| format!("cannot create {}", fresh.display()))?;
    let state = State {
        config: recipe.config.clone(),
        steps: recipe.steps,
        seed: recipe.seed,
        batch: recipe.batch,
        labels: recipe.labels.name(),
        learns_from: learns_from.to_owned(),
        progress: progress.clone(),
    };
    let write = || -> anyhow::Result<()> {
        decoder.save_into(&mut BurnpackStore::from_file(fresh.join("model.bpk")))?;
        optimizer.save(fresh.join("optimizer"))?;
        std::fs::write(fresh.join("state.json"), serde_json::to_vec_pretty(&state)?)?;
        Ok(())
    };
    write().with_context(|| {
        format!(
            "cannot write a checkpoint to {} (disk full?); the last one is kept",
            fresh.display()
        )
    })?;
    std::fs::remove_dir_all(&old).ok();
    if folder.exists() {
        std::fs::rename(folder, &old)?;
    }
    std::fs::rename(&fresh, folder)?;
    std::fs::remove_dir_all(&old).ok();
    Ok(())
}

/// Puts the checkpoint of this recipe, if there is one, into a fresh model and optimiser.
pub fn load(
    folder: &Path,
    recipe: &Recipe,
    learns_from: &str,
    mut decoder: Decoder,
    optimizer: ModuleOptimizer,
) -> anyhow::Result<(Decoder, ModuleOptimizer, Progress)> {
    let Ok(text) = std::fs::read_to_string(folder.join("state.json")) else {
        return Ok((decoder, optimizer, Progress::default()));
    };
    let state: State = serde_json::from_str(&text)
        .with_context(|| format!("{} is damaged; delete it to start over", folder.display()))?;
    let differences: Vec<&str> = [
        ("shape", state.config != recipe.config),
        ("number of steps", state.steps != recipe.steps),
        ("seed", state.seed != recipe.seed),
        ("number of windows per step", state.batch != recipe.batch),
        ("kind of labels", state.labels != recipe.labels.name()),
        ("text or teacher", state.learns_from != learns_from),
    ]
    .into_iter()
    .filter_map(|(what, differs)| differs.then_some(what))
    .collect();
    if !differences.is_empty() {
        bail!(
            "{} belongs to a run with another {}; choose another --work folder or delete it",
            folder.display(),
            differences.join(" and ")
        );
    }
    decoder.load_from(&mut BurnpackStore::from_file(folder.join("model.bpk")))?;
    let optimizer = optimizer.load(folder.join("optimizer"))?;
    println!(
        "{}: going on from step {}",
        recipe.name, state.progress.step
    );
    Ok((decoder, optimizer, state.progress))
}
