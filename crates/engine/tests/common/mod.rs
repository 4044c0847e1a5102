//! What the engine's tests share: backends, the shipped pair, and tiny pairs with random weights.

#![allow(dead_code, reason = "memory.rs uses a part of it")]

use std::path::Path;
use std::rc::Rc;

use burn::tensor::Device as BurnDevice;
use couplet_engine::{Backend, Engine, Pair, PairFiles};
use couplet_model::{
    Decoder, DecoderConfig, Evaluation, FileEntry, ModelCard, Prediction, TrainedModel,
    save_weights, sha256_hex,
};
use couplet_protocol::{Event, Settings};

/// Twenty beginnings that a text may have.
pub const PROMPTS: [&str; 20] = [
    "KING RICHARD:\n",
    "First Citizen:\nBefore we proceed",
    "ROMEO:\nBut, soft! what light",
    "What say you to ",
    "My lord, ",
    "JULIET:\nO ",
    "The duke hath ",
    "",
    "Now is the winter of ",
    "I pray you, tell me ",
    "QUEEN MARGARET:\n",
    "Sir, I ",
    "good morrow, ",
    "And yet I would not have thee ",
    "To be, or not to be",
    "DUKE VINCENTIO:\nIt is ",
    "Come, come, ",
    "Speak, ",
    "A horse! a horse! ",
    "Where is the ",
];

/// Milliseconds since the first call.
pub fn clock() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_secs_f64()
        * 1000.0
}

/// CPU and GPU. Where no GPU is to be had, `COUPLET_WITHOUT_GPU=1` says that this is known.
pub fn backends() -> Vec<(&'static str, Backend)> {
    let mut backends = vec![("CPU", Backend::cpu())];
    match pollster::block_on(Backend::gpu()) {
        Ok(gpu) => backends.push(("GPU", gpu)),
        Err(error) => assert!(
            std::env::var_os("COUPLET_WITHOUT_GPU").is_some(),
            "{error}: install a Vulkan driver (Debian: mesa-vulkan-drivers) or set COUPLET_WITHOUT_GPU=1"
        ),
    }
    backends
}

/// The files of the pair that visitors load.
pub fn shipped_files() -> PairFiles {
    files_of("shakespeare")
}

/// The files of the shipped pair of a name.
pub fn files_of(name: &str) -> PairFiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/pairs");
    PairFiles::from_folder(&folder.join(name)).expect("the shipped pair can be read")
}

/// The shipped pair on a backend.
pub fn shipped(backend: &Backend) -> Engine {
    shipped_pair(backend, "shakespeare")
}

/// The shipped pair of a name on a backend.
pub fn shipped_pair(backend: &Backend, name: &str) -> Engine {
    let pair = Rc::new(Pair::new(files_of(name)).expect("the shipped pair is sound"));
    pollster::block_on(Engine::new(pair, backend, clock)).expect("the device takes the pair")
}

/// A tiny pair with random weights, grouped-query attention and untied heads, over the letters
/// from `a` on.
pub fn tiny_files(vocab: usize) -> PairFiles {
    let vocabulary: serde_json::Map<String, serde_json::Value> = (0..vocab)
        .map(|id| (char::from(b'a' + id as u8).to_string(), id.into()))
        .collect();
    let tokenizer = serde_json::json!({
        "version": "1.0", "added_tokens": [], "decoder": { "type": "Fuse" },
        "model": { "type": "BPE", "vocab": vocabulary, "merges": [] }
    });
    let tokenizer = serde_json::to_vec(&tokenizer).unwrap();
    let device = BurnDevice::flex();
    let model = |layers, heads, kv_heads, seed: u64| {
        device.seed(seed);
        let mut config = DecoderConfig::new(vocab, 16 * heads, layers, heads);
        config.num_key_value_heads = kv_heads;
        config.max_position_embeddings = 48;
        config.tie_word_embeddings = false;
        let decoder = config.init(&device);
        // Larger than a fresh model's, so that the distributions are far from uniform.
        let decoder = louder(decoder, 8.0);
        (
            serde_json::to_vec(&config).unwrap(),
            save_weights(&decoder).unwrap(),
        )
    };
    let (target_config, target_weights) = model(2, 4, 2, 5);
    let (draft_config, draft_weights) = model(1, 2, 2, 6);
    let mut files = PairFiles {
        card: Vec::new(),
        tokenizer,
        target_config,
        target_weights,
        draft_config,
        draft_weights,
    };
    seal(&mut files);
    files
}

/// The same, of a pair whose texts end with the token of this number.
pub fn tiny_files_ending(vocab: usize, eos_token: u32) -> PairFiles {
    let mut files = tiny_files(vocab);
    let mut config: serde_json::Value = serde_json::from_slice(&files.target_config).unwrap();
    config["eos_token_id"] = eos_token.into();
    files.target_config = serde_json::to_vec(&config).unwrap();
    seal(&mut files);
    files
}

/// Writes the card that belongs to the other files.
pub fn seal(files: &mut PairFiles) {
    let entry = |bytes: &[u8]| FileEntry {
        path: "file".to_owned(),
        bytes: bytes.len(),
        sha256: sha256_hex(bytes),
    };
    let model = |config: &[u8], weights: &[u8]| TrainedModel {
        config: entry(config),
        weights: entry(weights),
        parameters: 0,
        labels: String::new(),
        calibration: 1.0,
        validation_loss: 0.0,
        steps: 0,
        tokens_seen: 0,
        seconds: 0.0,
        hardware: String::new(),
        seed: 0,
    };
    let card = ModelCard {
        bigram: None,
        name: "tiny".to_owned(),
        title: "Tiny".to_owned(),
        token_kind: "letter".to_owned(),
        prompt: String::new(),
        licence: String::new(),
        corpus: Vec::new(),
        split: String::new(),
        prefix: "a".to_owned(),
        // More than is kept: whoever trusts it drafts at first.
        acceptance_rate: 0.9,
        tokenizer: entry(&files.tokenizer),
        target: model(&files.target_config, &files.target_weights),
        draft: model(&files.draft_config, &files.draft_weights),
        plain_draft: model(&files.draft_config, &files.draft_weights),
        evaluation: Evaluation {
            texts: Vec::new(),
            prediction: Prediction::default(),
        },
    };
    files.card = serde_json::to_vec(&card).unwrap();
}

struct Louder(f32);

/// A decoder all of whose matrices are multiplied with this.
pub fn louder(decoder: Decoder, factor: f32) -> Decoder {
    burn::module::Module::map(decoder, &mut Louder(factor))
}

impl burn::module::ModuleMapper for Louder {
    fn map_float<const D: usize>(
        &mut self,
        param: burn::module::Param<burn::tensor::Tensor<D>>,
    ) -> burn::module::Param<burn::tensor::Tensor<D>> {
        param.map(|tensor| if D == 2 { tensor * self.0 } else { tensor })
    }
}

/// A tiny pair on a backend.
pub fn tiny(backend: &Backend, vocab: usize) -> Engine {
    tiny_timed(backend, vocab, clock)
}

/// A tiny pair on a backend, under a clock of its own.
pub fn tiny_timed(backend: &Backend, vocab: usize, clock: fn() -> f64) -> Engine {
    let pair = Rc::new(Pair::new(tiny_files(vocab)).expect("the tiny pair is sound"));
    pollster::block_on(Engine::new(pair, backend, clock)).expect("the device takes the pair")
}

/// Settings for the tiny pair.
pub fn tiny_settings() -> Settings {
    Settings {
        pair: "tiny".to_owned(),
        prompt: "abc".to_owned(),
        temperature: 1.0,
        ..Settings::default()
    }
}

/// Writes a text and returns its tokens and events.
pub fn write(engine: &Engine, settings: &Settings) -> (Vec<u32>, Vec<Event>) {
    pollster::block_on(async {
        let (mut run, mut events) = engine.start(settings).await.expect("the prompt is read");
        while run.finished().is_none() {
            events.extend(engine.round(&mut run, true).await.expect("the round runs"));
        }
        (run.tokens().to_vec(), events)
    })
}
