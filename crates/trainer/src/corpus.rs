//! Text on its way from files to windows of tokens.

use std::path::Path;

use anyhow::{Context, bail};
use couplet_model::TextTokenizer;
use couplet_speculation::random::{Purpose, threefry2x32};

use crate::plan::{END_OF_TEXT, Origin, PairPlan, Source};
use crate::vocabulary;

/// The text of a pair as tokens.
pub struct Corpus {
    /// `tokenizer.json`.
    pub tokenizer_json: Vec<u8>,
    /// The tokenizer itself.
    pub tokenizer: TextTokenizer,
    /// What is trained on.
    pub parts: Vec<Part>,
    /// What is never trained on, one entry per group of sources.
    pub held_out: Vec<HeldOut>,
}

/// The training text of one source.
pub struct Part {
    /// Token ids.
    pub tokens: Vec<u32>,
    /// Its text.
    pub text: String,
    /// Share of the training windows.
    share: f64,
}

/// Text that is never trained on.
pub struct HeldOut {
    /// Name of its group of sources.
    pub group: &'static str,
    /// Token ids.
    pub tokens: Vec<u32>,
    /// Its text.
    pub text: String,
}

/// Seeds of held-out stories begin here.
const HELD_OUT_SEEDS: u64 = 1 << 40;

impl Corpus {
    /// Reads the text of a pair from the files in `folder`, splits it and cuts it into tokens.
    ///
    /// `context` is the longest window that will be asked for.
    ///
    /// # Errors
    ///
    /// If a file is missing, is not UTF-8 or is too short for a window.
    pub fn read(plan: &PairPlan, folder: Option<&Path>, context: usize) -> anyhow::Result<Self> {
        let mut texts = Vec::new();
        for source in &plan.sources {
            texts.push(split(source, folder)?);
        }
        let tokenizer_json =
            vocabulary::tokenizer_json(plan.tokens, texts.iter().map(|(train, _)| train.as_str()))?;
        let tokenizer = TextTokenizer::from_json(&tokenizer_json)?;
        let mut parts = Vec::new();
        let mut held_out: Vec<HeldOut> = Vec::new();
        for (source, (train, held)) in plan.sources.iter().zip(texts) {
            let tokens = vocabulary::encode(&tokenizer, &train)?;
            if tokens.len() <= context {
                bail!(
                    "{}: {} tokens to train on, but a window takes {}; more text is needed",
                    name(source),
                    tokens.len(),
                    context + 1
                );
            }
            parts.push(Part {
                tokens,
                text: train,
                share: source.share,
            });
            match held_out
                .iter_mut()
                .find(|entry| entry.group == source.group)
            {
                Some(entry) => entry.text.push_str(&held),
                None => held_out.push(HeldOut {
                    group: source.group,
                    tokens: Vec::new(),
                    text: held,
                }),
            }
        }
        for entry in &mut held_out {
            entry.tokens = vocabulary::encode(&tokenizer, &entry.text)?;
            if entry.tokens.len() <= context {
                bail!(
                    "{}: {} tokens held out, but a window takes {}; more text is needed",
                    entry.group,
                    entry.tokens.len(),
                    context + 1
                );
            }
        }
        Ok(Self {
            tokenizer_json,
            tokenizer,
            parts,
            held_out,
        })
    }

    /// A window of `length` tokens to train on: the same for the same seed, step and row.
    pub fn window(&self, seed: u64, step: usize, row: usize, length: usize) -> &[u32] {
        let counter = [step as u32, ((Purpose::Training as u32) << 24) | row as u32];
        let [place, choice] = threefry2x32([seed as u32, (seed >> 32) as u32], counter);
        let tokens = &self.part(f64::from(choice) / 2f64.powi(32)).tokens;
        let offset = place as usize % (tokens.len() - length + 1);
        &tokens[offset..offset + length]
    }

    fn part(&self, u: f64) -> &Part {
        let total: f64 = self.parts.iter().map(|part| part.share).sum();
        let mut left = u * total;
        for part in &self.parts {
            left -= part.share;
            if left < 0.0 {
                return part;
            }
        }
        self.parts.last().expect("a plan has sources")
    }
}

/// The text of a source: (to train on, held out).
fn split(source: &Source, folder: Option<&Path>) -> anyhow::Result<(String, String)> {
    Ok(match source.origin {
        Origin::WholeFile(file) => {
            let text = read(folder, file)?;
            let characters = text.chars().count();
            let cut = text
                .char_indices()
                .nth(characters * 9 / 10)
                .map_or(text.len(), |(byte, _)| byte);
            (text[..cut].to_owned(), text[cut..].to_owned())
        }
        Origin::Items(file) => {
            let text = read(folder, file)?;
            let items: Vec<&str> = text
                .split(END_OF_TEXT)
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .collect();
            let chosen = |held_out: bool| {
                items
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| (index % 10 == 9) == held_out)
                    .map(|(_, item)| format!("{item}{END_OF_TEXT}"))
                    .collect()
            };
            (chosen(false), chosen(true))
        }
        Origin::StoryWorld { stories, held_out } => {
            let tell = |first: u64, count: u64| {
                (first..first + count)
                    .map(|seed| couplet_storyworld::story(seed) + END_OF_TEXT)
                    .collect()
            };
            (tell(0, stories), tell(HELD_OUT_SEEDS, held_out))
        }
    })
}

fn read(folder: Option<&Path>, file: &str) -> anyhow::Result<String> {
    let Some(folder) = folder else {
        bail!("--corpora FOLDER is needed: the folder that holds {file}");
    };
    let path = folder.join(file);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!(
            "{} is not valid UTF-8 text: byte {} cannot be read",
            path.display(),
            error.utf8_error().valid_up_to()
        )
    })?;
    if text.trim().is_empty() {
        bail!("{} is empty", path.display());
    }
    Ok(text)
}

fn name(source: &Source) -> String {
    match source.origin {
        Origin::WholeFile(file) | Origin::Items(file) => file.to_owned(),
        Origin::StoryWorld { .. } => source.group.to_owned(),
    }
}
