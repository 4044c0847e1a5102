use std::path::Path;

use anyhow::{Context, bail};

/// A text as characters, split into training (first 90 %) and validation (the rest).
pub struct Corpus {
    /// The characters that occur, in code-point order; a token's id is its index.
    pub characters: Vec<char>,
    /// Token ids to train on.
    pub train: Vec<u32>,
    /// Token ids never trained on.
    pub validation: Vec<u32>,
}

impl Corpus {
    /// Reads and splits a text file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8(bytes)
            .with_context(|| format!("{} is not valid UTF-8 text", path.display()))?;
        let mut characters: Vec<char> = text.chars().collect();
        let length = characters.len();
        if length < 10_000 {
            bail!(
                "{} holds {length} characters; at least 10,000 are needed",
                path.display()
            );
        }
        characters.sort_unstable();
        characters.dedup();
        let ids: Vec<u32> = text
            .chars()
            .map(|c| {
                characters
                    .binary_search(&c)
                    .expect("every character was collected") as u32
            })
            .collect();
        let split = length * 9 / 10;
        Ok(Self {
            characters,
            train: ids[..split].to_vec(),
            validation: ids[split..].to_vec(),
        })
    }
}
