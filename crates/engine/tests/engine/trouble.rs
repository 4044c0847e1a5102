//! Damaged files, impossible prompts, lost devices: each gives a sentence, and nothing is lost.

use std::rc::Rc;

use crate::common::{backends, clock, seal, shipped_files, tiny, tiny_files, tiny_settings};
use couplet_engine::{Backend, Engine, EngineError, Pair, PairFiles, Reference};
use couplet_kernels::Device;
use couplet_protocol::{FailureKind, Rule, Settings, Which};

fn sentence(files: PairFiles) -> String {
    let failure = Pair::new(files)
        .expect_err("the files are damaged")
        .failure();
    assert_eq!(failure.kind, FailureKind::Files);
    failure.sentence
}

#[test]
fn damaged_files_are_named() {
    let mut cut = tiny_files(8);
    cut.target_weights.truncate(1000);
    assert!(sentence(cut.clone()).contains("SHA-256"));
    seal(&mut cut);
    assert!(sentence(cut).contains("cannot be read"));

    let mut missing = tiny_files(8);
    missing.draft_weights = missing.target_weights.clone();
    seal(&mut missing);
    let said = sentence(missing);
    assert!(said.contains("do not fit config.json"), "{said}");

    let mut not_a_number = tiny_files(8);
    let end = not_a_number.draft_weights.len();
    not_a_number.draft_weights[end - 2..].copy_from_slice(&[0x00, 0x7e]);
    seal(&mut not_a_number);
    assert!(sentence(not_a_number).contains("not finite"));

    let mut empty = tiny_files(8);
    empty.card.clear();
    assert!(sentence(empty).contains("model-card.json"));
}

#[test]
fn models_with_different_vocabularies_are_refused() {
    let mut files = tiny_files(8);
    let other = tiny_files(7);
    (files.draft_config, files.draft_weights) = (other.draft_config, other.draft_weights);
    seal(&mut files);
    assert!(sentence(files).contains("7 tokens and the target 8"));

    let mut files = tiny_files(8);
    files.tokenizer = shipped_files().tokenizer;
    seal(&mut files);
    assert!(sentence(files).contains("the tokenizer has 65 tokens"));
}

/// Every round computes the last token of what stands: there has to be one, and room after it.
#[test]
fn a_prefix_needs_room_behind_it_and_without_one_a_text_needs_a_prompt() {
    let with = |prefix: String| {
        let mut files = tiny_files(8);
        let mut card: serde_json::Value = serde_json::from_slice(&files.card).unwrap();
        card["prefix"] = prefix.into();
        files.card = serde_json::to_vec(&card).unwrap();
        files
    };
    let said = sentence(with("a".repeat(48)));
    assert!(said.contains("leaves no room in 48 positions"), "{said}");

    let pair = Rc::new(Pair::new(with(String::new())).expect("no prefix is one"));
    pollster::block_on(async {
        let engine = Engine::new(pair, &Backend::cpu(), clock).await.unwrap();
        let after = |prompt: &str| Settings {
            prompt: prompt.to_owned(),
            ..tiny_settings()
        };
        let error = engine.distribution(Which::Target, &after("")).await;
        let error = error.unwrap_err();
        assert!(error.to_string().contains("needs a prompt"), "{error}");
        let probs = engine.distribution(Which::Target, &after("b")).await;
        probs.unwrap();
    });
}

#[test]
fn impossible_prompts_are_refused_and_an_empty_one_is_not() {
    let engine = tiny(&Backend::cpu(), 8);
    let start = |prompt: &str| {
        let settings = Settings {
            prompt: prompt.to_owned(),
            ..tiny_settings()
        };
        pollster::block_on(engine.start(&settings))
            .map(|_| ())
            .map_err(|error| error.failure())
    };
    let failure = start("abcxyé").unwrap_err();
    assert_eq!(failure.field.as_deref(), Some("prompt"));
    assert!(failure.sentence.contains("x y é"), "{}", failure.sentence);
    let failure = start(&"abc".repeat(30)).unwrap_err();
    assert!(
        failure.sentence.contains("90 tokens, but at most 46"),
        "{}",
        failure.sentence
    );
    assert!(start("").is_ok());
    assert!(start(&"a".repeat(46)).is_ok());
}

#[test]
fn a_setting_out_of_range_is_refused_before_anything_runs() {
    let engine = tiny(&Backend::cpu(), 8);
    let settings = Settings {
        gamma: 99,
        ..tiny_settings()
    };
    let failure = pollster::block_on(engine.start(&settings))
        .unwrap_err()
        .failure();
    assert_eq!(
        (failure.kind, failure.field.as_deref()),
        (FailureKind::Input, Some("gamma"))
    );
}

/// What a run needs may not have been needed on the other device before.
#[test]
fn a_run_that_goes_on_elsewhere_is_held_to_the_processor_first() {
    let Some((_, backend)) = backends().into_iter().find(|(name, _)| *name == "GPU") else {
        return;
    };
    let pair = Rc::new(Pair::new(tiny_files(8)).unwrap());
    pollster::block_on(async {
        let reference = Rc::new(Reference::new(&pair, clock).await.unwrap());
        let settings = Settings {
            rule: Rule::Block,
            ..tiny_settings()
        };
        let cpu = Backend::cpu();
        let engine = Engine::new(pair.clone(), &cpu, clock).await.unwrap();
        let (mut run, _) = engine.start(&settings).await.unwrap();
        let other = Engine::new(pair, &backend, clock).await.unwrap();
        other.hold_to(&reference).await.unwrap();
        for compared in [true, false] {
            let before = other.device().readbacks();
            other.resume(&mut run).await.unwrap();
            // One waits until the text is read: that is not the first round's time.
            let more = other.device().readbacks() - before;
            assert!(if compared { more > 1 } else { more == 1 }, "{more}");
        }
    });
}

/// A GPU that goes away in the middle of a run is noticed, and another engine goes on with the
/// same text.
#[test]
fn a_run_survives_the_loss_of_its_gpu() {
    let Some((_, backend)) = backends().into_iter().find(|(name, _)| *name == "GPU") else {
        return;
    };
    let pair = Rc::new(Pair::new(tiny_files(8)).unwrap());
    pollster::block_on(async {
        let engine = Engine::new(pair.clone(), &backend, clock).await.unwrap();
        let (mut run, _) = engine
            .start(&Settings {
                max_tokens: 20,
                ..tiny_settings()
            })
            .await
            .unwrap();
        engine.round(&mut run, true).await.unwrap();
        let before = run.tokens().to_vec();
        let Device::Gpu(gpu) = &backend.kernels else {
            unreachable!()
        };
        assert!(!engine.device().is_lost());
        gpu.destroy();
        let error = engine.round(&mut run, true).await.unwrap_err();
        assert!(matches!(error, EngineError::Device(_)), "{error}");
        // The news of it come with what is asked for next.
        engine.round(&mut run, true).await.unwrap_err();
        assert!(engine.device().is_lost());
        assert_eq!(run.tokens(), before);

        let other = Engine::new(pair, &Backend::cpu(), clock).await.unwrap();
        other.resume(&mut run).await.unwrap();
        while run.finished().is_none() {
            other.round(&mut run, true).await.unwrap();
        }
        assert!(run.tokens().starts_with(&before));
        assert_eq!(run.written(), 20);
    });
}
