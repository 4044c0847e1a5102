//! Tokens: characters, or byte pairs learnt from the text. Both are written as `tokenizer.json`.

use anyhow::anyhow;
use couplet_model::TextTokenizer;
use serde_json::json;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::models::{ModelWrapper, TrainerWrapper};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, Tokenizer};

use crate::plan::{END_OF_TEXT, TokenPlan};

/// Bytes of each source that byte pairs are learnt from: enough for two thousand of them, and
/// no source drowns the others.
const BYTES_TO_LEARN_FROM: usize = 2_500_000;

/// The `tokenizer.json` of a pair, learnt from its training texts.
///
/// # Errors
///
/// If the texts do not hold as many different byte pairs as tokens are wanted.
pub fn tokenizer_json<'a>(
    plan: TokenPlan,
    texts: impl Iterator<Item = &'a str>,
) -> anyhow::Result<Vec<u8>> {
    match plan {
        TokenPlan::Characters => {
            let mut characters: Vec<char> = texts.flat_map(str::chars).collect();
            characters.sort_unstable();
            characters.dedup();
            Ok(serde_json::to_vec_pretty(&characters_json(&characters))?)
        }
        TokenPlan::WordPieces(vocab) => {
            let items: Vec<&str> = texts.flat_map(excerpt).collect();
            word_pieces(vocab, &items)
        }
    }
}

/// Token ids of a text, [`END_OF_TEXT`] as one token where the vocabulary has it.
///
/// # Errors
///
/// If a character has no token.
pub fn encode(tokenizer: &TextTokenizer, text: &str) -> anyhow::Result<Vec<u32>> {
    // Item by item: a tokenizer's time can grow faster than the length of its input.
    let mut ids = Vec::new();
    for item in text.split_inclusive(END_OF_TEXT) {
        ids.extend(tokenizer.encode(item)?);
    }
    Ok(ids)
}

fn excerpt(text: &str) -> impl Iterator<Item = &str> {
    let mut left = BYTES_TO_LEARN_FROM;
    text.split(END_OF_TEXT).take_while(move |item| {
        let fits = left > item.len();
        left = left.saturating_sub(item.len());
        fits
    })
}

fn word_pieces(vocab: usize, items: &[&str]) -> anyhow::Result<Vec<u8>> {
    let failed = |error: tokenizers::Error| anyhow!("the tokenizer cannot be learnt: {error}");
    let bytes = ByteLevel::default().add_prefix_space(false);
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer
        .with_pre_tokenizer(Some(bytes))
        .with_decoder(Some(bytes));
    let trainer = BpeTrainer::builder()
        .vocab_size(vocab)
        .show_progress(false)
        .special_tokens(vec![AddedToken::from(END_OF_TEXT, true)])
        // Every byte has a token, so that every prompt can be encoded.
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build();
    let mut trainer: TrainerWrapper = trainer.into();
    tokenizer
        .train::<TrainerWrapper, _, _>(&mut trainer, items.iter())
        .map_err(failed)?;
    let found = tokenizer.get_vocab_size(true);
    if found != vocab {
        return Err(anyhow!(
            "the text holds byte pairs for {found} tokens only, but {vocab} are wanted"
        ));
    }
    let _: &ModelWrapper = tokenizer.get_model();
    Ok(tokenizer.to_string(true).map_err(failed)?.into_bytes())
}

/// Characters as tokens: byte-pair encoding without any merge.
fn characters_json(characters: &[char]) -> serde_json::Value {
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
