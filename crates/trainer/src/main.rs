//! Trains a pair of decoders on a text file and writes it in Hugging Face's formats.

mod checkpoint;
mod corpus;
mod evaluation;
mod export;
mod ngram;
mod training;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use burn::tensor::Device;
use couplet_model::DecoderConfig;

use crate::corpus::Corpus;
use crate::training::{Recipe, train};

const HELP: &str = "\
Trains the Shakespeare pair: text -> tokenizer -> target -> draft -> assets/pairs/shakespeare

usage: cargo xtask train --corpus FILE [options]

  --corpus FILE         text to train on (tinyshakespeare: any copy of it)
  --out DIR             where the pair is written         [assets/pairs/shakespeare]
  --work DIR            where checkpoints are kept        [target/training]
  --target-steps N      optimiser steps of the target     [1200]
  --draft-steps N       optimiser steps of the draft      [1500]
  --seed N              seed of weights and windows       [1611]
A run that was interrupted goes on from its last checkpoint.";

struct Options {
    corpus: PathBuf,
    out: PathBuf,
    work: PathBuf,
    target_steps: usize,
    draft_steps: usize,
    seed: u64,
}

fn options() -> anyhow::Result<Option<Options>> {
    use lexopt::prelude::*;
    let mut corpus = None;
    let mut options = Options {
        corpus: PathBuf::new(),
        out: "assets/pairs/shakespeare".into(),
        work: "target/training".into(),
        target_steps: 1200,
        draft_steps: 1500,
        seed: 1611,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("corpus") => corpus = Some(PathBuf::from(parser.value()?)),
            Long("out") => options.out = parser.value()?.into(),
            Long("work") => options.work = parser.value()?.into(),
            Long("target-steps") => options.target_steps = parser.value()?.parse()?,
            Long("draft-steps") => options.draft_steps = parser.value()?.parse()?,
            Long("seed") => options.seed = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{HELP}");
                return Ok(None);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    options.corpus = corpus.context("--corpus FILE is needed: the text to train on")?;
    if options.target_steps < 10 || options.draft_steps < 10 {
        bail!("at least 10 steps are needed for each model");
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let Some(options) = options()? else {
        return Ok(());
    };
    let corpus = Corpus::read(&options.corpus)?;
    let vocab = corpus.characters.len();
    println!(
        "{} characters, {vocab} different ones; {} to train on, {} to validate",
        corpus.train.len() + corpus.validation.len(),
        corpus.train.len(),
        corpus.validation.len()
    );
    let trigram = ngram::trigram_loss(&corpus.train, &corpus.validation, vocab);
    println!("trigram model: {trigram:.4} nats per character on the validation text");

    let device = Device::flex();
    let target_recipe = Recipe {
        name: "target",
        config: DecoderConfig::new(vocab, 160, 8, 5),
        steps: options.target_steps,
        batch: 16,
        seed: options.seed,
    };
    let draft_recipe = Recipe {
        name: "draft",
        config: DecoderConfig::new(vocab, 192, 1, 6),
        steps: options.draft_steps,
        batch: 16,
        seed: options.seed + 1,
    };
    let target = train(&target_recipe, &corpus, &options.work, &device)?;
    let draft = train(&draft_recipe, &corpus, &options.work, &device)?;
    let card = export::export(
        &export::Export {
            corpus: &corpus,
            trigram,
            target: &target,
            draft: &draft,
            out: &options.out,
        },
        &device,
    )?;
    println!(
        "target {:.4}, draft {:.4}, trigram {:.4} nats per character; acceptance rate {:.3} at temperature 1",
        card.target.validation_loss, card.draft.validation_loss, trigram, card.acceptance_rate
    );
    Ok(())
}
