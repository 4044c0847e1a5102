//! A model that Hugging Face's `transformers` built, saved and ran, loaded here: the files are
//! read as it wrote them, and the numbers come out as it computed them.
//!
//! `python/make_tiny_llama.py` makes the files. The other direction, our files there, is
//! `cargo xtask transformers`.

use std::path::Path;

use burn::tensor::{Device, Int, Tensor, TensorData};
use couplet_model::{Decoder, DecoderConfig, load_weights};

/// Both sides compute in f32 from the same f16 weights and sum in different orders, over at
/// most 96 terms of order one; the logits' size is of order ten.
const TOLERANCE: f32 = 1e-4;

/// What `transformers` said about one sequence of tokens.
#[derive(serde::Deserialize)]
struct Sequence {
    ids: Vec<u32>,
    /// `(ids, vocab)`
    logits: Vec<Vec<f32>>,
    /// Tokens of the greedy continuation.
    greedy: Vec<u32>,
}

#[derive(serde::Deserialize)]
struct Golden {
    sequences: Vec<Sequence>,
}

fn read(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiny_llama");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("tiny_llama/{name}: {error}"))
}

fn config() -> DecoderConfig {
    DecoderConfig::from_json(&String::from_utf8(read("config.json")).unwrap()).unwrap()
}

fn golden() -> Golden {
    serde_json::from_slice(&read("golden.json")).unwrap()
}

/// Logits of the next token after every position, `(tokens, vocab)`.
fn logits(decoder: &Decoder, tokens: &[u32]) -> Vec<Vec<f32>> {
    let ids: Vec<i32> = tokens.iter().map(|id| *id as i32).collect();
    let input =
        Tensor::<2, Int>::from_data(TensorData::new(ids, [1, tokens.len()]), &Device::flex());
    let logits = decoder.forward(input);
    let [_, _, vocab] = logits.dims();
    let logits: Vec<f32> = logits.into_data().try_into_vec().unwrap();
    logits.chunks(vocab).map(<[f32]>::to_vec).collect()
}

#[test]
fn the_shape_is_read_as_transformers_wrote_it() {
    let config = config();
    assert_eq!(config.rope_theta, 50_000.0);
    assert_eq!(config.rms_norm_eps, 1e-6);
    assert_eq!(config.head_dim(), 16);
    assert_ne!(
        config.head_dim(),
        config.hidden_size / config.num_attention_heads
    );
    assert_eq!(config.num_key_value_heads, 2);
    assert!(!config.tie_word_embeddings);
    assert_eq!(config.bos_token_id, Some(95));
    assert_eq!(config.eos_token_id, Some(96));
}

#[test]
fn logits_are_those_of_transformers() {
    let decoder = load_weights(&config(), read("model.safetensors"), &Device::flex()).unwrap();
    let mut largest = 0.0_f32;
    for sequence in golden().sequences {
        let found = logits(&decoder, &sequence.ids);
        assert_eq!(found.len(), sequence.logits.len());
        for (position, (found, expected)) in found.iter().zip(&sequence.logits).enumerate() {
            assert_eq!(found.len(), expected.len());
            for (id, (found, expected)) in found.iter().zip(expected).enumerate() {
                let difference = (found - expected).abs();
                largest = largest.max(difference);
                assert!(
                    difference <= TOLERANCE,
                    "{} tokens, position {position}, token {id}: {found} != {expected}",
                    sequence.ids.len()
                );
            }
        }
    }
    println!("largest difference: {largest:.1e}");
}

#[test]
fn greedy_continuations_are_those_of_transformers() {
    let decoder = load_weights(&config(), read("model.safetensors"), &Device::flex()).unwrap();
    for sequence in golden().sequences {
        let mut tokens = sequence.ids.clone();
        for _ in &sequence.greedy {
            let rows = logits(&decoder, &tokens);
            let last = rows.last().unwrap();
            let most_probable = (0..last.len()).max_by(|a, b| last[*a].total_cmp(&last[*b]));
            tokens.push(most_probable.unwrap() as u32);
        }
        assert_eq!(tokens[sequence.ids.len()..], sequence.greedy);
    }
}
