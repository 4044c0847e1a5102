//! Under the rules that compare with the target's own draw, one seed gives one text, to the bit:
//! whatever drafts, however far it looks ahead, and with nobody drafting at all.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;

use crate::common::{PROMPTS, backends, clock, write};
use couplet_engine::{Backend, Engine, KernelSet, Pair, PairFiles};
use couplet_protocol::{Drafter, Rule, Settings};

const RULES: [Rule; 3] = [Rule::Gumbel, Rule::MinHash, Rule::SampleAndMatch];

/// A shipped pair with one of its two drafts, and with its bigram table.
fn engine(backend: &Backend, pair: &str, plain: bool) -> Engine {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/pairs");
    let folder = folder.join(pair);
    let read = |path: &str| std::fs::read(folder.join(path)).expect("a shipped file");
    let mut files = PairFiles::from_folder(&folder).expect("the shipped pair can be read");
    if plain {
        let mut card: couplet_model::ModelCard =
            serde_json::from_slice(&files.card).expect("a card");
        files.draft_config = read(&card.plain_draft.config.path);
        files.draft_weights = read(&card.plain_draft.weights.path);
        card.draft = card.plain_draft.clone();
        files.card = serde_json::to_vec(&card).expect("a card");
    }
    let pair = Rc::new(Pair::new(files).expect("the shipped pair is sound"));
    let table = pair.bigram(&read("bigram.json")).expect("a table");
    let engine = pollster::block_on(Engine::new(pair, backend, clock)).expect("the device");
    engine.set_bigram(&table);
    engine
}

#[test]
fn one_seed_gives_one_text_whatever_drafts() {
    for (name, backend) in backends() {
        let (distilled, plain) = (
            engine(&backend, "shakespeare", false),
            engine(&backend, "shakespeare", true),
        );
        let drafters = [
            (&distilled, Drafter::Model),
            (&plain, Drafter::Model),
            (&distilled, Drafter::Bigram),
            (&distilled, Drafter::Uniform),
        ];
        // A software adapter takes a tenth of a second for a round.
        let (max_tokens, everything) = if name == "GPU" {
            (10, false)
        } else {
            (24, true)
        };
        let mut seen = HashSet::new();
        for (index, prompt) in PROMPTS.iter().enumerate() {
            for (r, rule) in RULES.into_iter().enumerate() {
                if !everything && index % 3 != r {
                    continue;
                }
                let settings = Settings {
                    prompt: (*prompt).to_owned(),
                    rule,
                    gamma: 0,
                    temperature: 1.0,
                    // The filters are part of the distributions.
                    top_k: [0, 0, 12][index % 3],
                    top_p: [1.0, 0.9, 1.0][index % 3],
                    seed: 7 + index as u64,
                    max_tokens,
                    ..Settings::default()
                };
                let (alone, _) = write(&distilled, &settings);
                for (d, (engine, drafter)) in drafters.into_iter().enumerate() {
                    if !everything && (index / 3) % 4 != d {
                        continue;
                    }
                    let gamma = 1 + (index + 2 * d) as u32 % 8;
                    seen.insert((rule, d, gamma));
                    let settings = Settings {
                        gamma,
                        drafter,
                        ..settings.clone()
                    };
                    let (text, _) = write(engine, &settings);
                    assert_eq!(text, alone, "{name}: {settings:?}");
                }
            }
        }
        if everything {
            assert_eq!(
                seen.len(),
                3 * 4 * 8,
                "every rule, drafter and gamma had its turn"
            );
        }
    }
}

/// The same with 2,048 tokens, where a dart needs as many throws.
#[test]
fn one_seed_gives_one_story_whatever_drafts() {
    for (name, backend) in backends() {
        let engine = engine(&backend, "stories", false);
        for (index, prompt) in ["Once upon a time", "The little fox "].iter().enumerate() {
            engine.use_kernel_set(KernelSet::ALL[index]);
            for rule in RULES {
                let settings = Settings {
                    pair: "stories".to_owned(),
                    prompt: (*prompt).to_owned(),
                    rule,
                    gamma: 0,
                    top_k: [0, 40][index],
                    max_tokens: 10,
                    ..Settings::default()
                };
                let (alone, _) = write(&engine, &settings);
                for (drafter, gamma) in [(Drafter::Model, 3), (Drafter::Bigram, 5)] {
                    let settings = Settings {
                        gamma,
                        drafter,
                        ..settings.clone()
                    };
                    assert_eq!(write(&engine, &settings).0, alone, "{name}: {settings:?}");
                }
            }
        }
    }
}

/// Under Rejection the text is another sample: were it the same, the test above would show nothing.
#[test]
fn under_rejection_another_drafter_gives_another_text() {
    let engine = engine(&Backend::cpu(), "shakespeare", false);
    let texts: HashSet<Vec<u32>> = Drafter::ALL
        .into_iter()
        .map(|drafter| {
            let settings = Settings {
                drafter,
                max_tokens: 40,
                ..Settings::default()
            };
            write(&engine, &settings).0
        })
        .collect();
    assert_eq!(texts.len(), 3);
}

#[test]
fn a_bigram_drafter_without_its_table_is_refused() {
    let engine = crate::common::tiny(&Backend::cpu(), 8);
    let settings = Settings {
        drafter: Drafter::Bigram,
        ..crate::common::tiny_settings()
    };
    let error = pollster::block_on(engine.start(&settings)).expect_err("there is no table");
    assert_eq!(error.failure().field.as_deref(), Some("drafter"));
}
