//! The fused kernels and whole speculative rounds against Hugging Face's `transformers`, on a
//! model that it made (`crates/model/python/make_tiny_llama.py`).

use std::path::Path;
use std::rc::Rc;

use crate::common::{backends, clock, seal, tiny_files, write};
use couplet_engine::{Backend, Engine, Pair};
use couplet_protocol::{Event, Rule, Settings};

/// Both sides compute in f32 from the same f16 weights and sum in different orders; GPUs
/// evaluate `exp` to a few units in the last place. Logits are of order ten.
const TOLERANCE: f32 = 2e-4;

/// What `transformers` said about one sequence of tokens.
struct Sequence {
    ids: Vec<u32>,
    /// `(ids, vocab)`
    logits: Vec<f32>,
    /// Tokens of the greedy continuation.
    greedy: Vec<u32>,
}

fn read(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/tests/tiny_llama");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("tiny_llama/{name}: {error}"))
}

fn golden() -> Vec<Sequence> {
    let golden: serde_json::Value = serde_json::from_slice(&read("golden.json")).unwrap();
    let ids = |value: &serde_json::Value| serde_json::from_value(value.clone()).unwrap();
    let sequence = |value: &serde_json::Value| Sequence {
        ids: ids(&value["ids"]),
        logits: serde_json::from_value::<Vec<Vec<f32>>>(value["logits"].clone())
            .unwrap()
            .concat(),
        greedy: ids(&value["greedy"]),
    };
    let sequences = golden["sequences"].as_array().unwrap();
    sequences.iter().map(sequence).collect()
}

/// Who proposes to the model of `transformers`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Draft {
    /// Random weights: almost nothing is kept.
    Stranger,
    /// The model itself: everything is kept.
    Itself,
}

/// The model of `transformers` as target, on a vocabulary of single characters.
fn engine(backend: &Backend, draft: Draft) -> Engine {
    let (config, weights) = (read("config.json"), read("model.safetensors"));
    let shape: serde_json::Value = serde_json::from_slice(&config).unwrap();
    let mut files = tiny_files(shape["vocab_size"].as_u64().unwrap() as usize);
    match draft {
        Draft::Stranger => {
            let mut stranger: serde_json::Value =
                serde_json::from_slice(&files.draft_config).unwrap();
            stranger["max_position_embeddings"] = shape["max_position_embeddings"].clone();
            files.draft_config = serde_json::to_vec(&stranger).unwrap();
        }
        Draft::Itself => {
            files.draft_config = config.clone();
            files.draft_weights = weights.clone();
        }
    }
    files.target_config = config;
    files.target_weights = weights;
    seal(&mut files);
    // The sequences are whole texts: nothing stands before them.
    let mut card: serde_json::Value = serde_json::from_slice(&files.card).unwrap();
    card["prefix"] = "".into();
    files.card = serde_json::to_vec(&card).unwrap();
    let pair = Rc::new(Pair::new(files).expect("the files of transformers are read"));
    pollster::block_on(Engine::new(pair, backend, clock)).expect("the device takes the pair")
}

#[test]
fn fused_logits_are_those_of_transformers() {
    for (name, backend) in backends() {
        let engine = engine(&backend, Draft::Stranger);
        let mut largest = 0.0_f32;
        for sequence in golden() {
            for rows in [1, 5, 9] {
                let found = pollster::block_on(engine.target_logits(&sequence.ids, rows)).unwrap();
                assert_eq!(found.len(), sequence.logits.len());
                for (index, (found, expected)) in found.iter().zip(&sequence.logits).enumerate() {
                    let difference = (found - expected).abs();
                    largest = largest.max(difference);
                    assert!(
                        difference <= TOLERANCE,
                        "{name}, {} tokens in passes of {rows}, logit {index}: {found} != {expected}",
                        sequence.ids.len()
                    );
                }
            }
        }
        println!("{name}: largest difference {largest:.1e}");
    }
}

/// Writes each sequence's continuation and returns how many rounds it took them all.
fn check_greedy(backend: &Backend, draft: Draft, gamma: u32, rule: Rule, what: &str) -> usize {
    let engine = engine(backend, draft);
    let mut rounds = 0;
    for sequence in golden() {
        let settings = Settings {
            pair: "tiny".to_owned(),
            prompt: engine.pair().tokenizer.decode(&sequence.ids),
            gamma,
            rule,
            temperature: 0.0,
            max_tokens: sequence.greedy.len() as u32,
            ..Settings::default()
        };
        let (tokens, events) = write(&engine, &settings);
        let (prompt, written) = tokens.split_at(sequence.ids.len());
        assert_eq!(prompt, sequence.ids, "{what}");
        assert_eq!(written, sequence.greedy, "{what}");
        rounds += events
            .iter()
            .filter(|event| matches!(event, Event::RoundEnded { .. }))
            .count();
    }
    rounds
}

#[test]
fn greedy_speculation_writes_what_transformers_writes() {
    let tokens: usize = golden().iter().map(|sequence| sequence.greedy.len()).sum();
    let blocks: usize = golden().iter().map(|s| s.greedy.len().div_ceil(5)).sum();
    for (name, backend) in backends() {
        let alone = check_greedy(&backend, Draft::Stranger, 0, Rule::Greedy, name);
        assert_eq!(alone, tokens);
        for rule in Rule::ALL {
            let what = format!("{name}, {rule:?}");
            let guessed = check_greedy(&backend, Draft::Stranger, 4, rule, &what);
            assert!((blocks..=tokens).contains(&guessed), "{what}: {guessed}");
            let known = check_greedy(&backend, Draft::Itself, 4, rule, &what);
            assert_eq!(known, blocks, "{what}: four drafted and a bonus a round");
        }
    }
}
