//! Rounds that run ahead of their readback write what rounds write that wait for each other.

use std::rc::Rc;

use crate::common::{backends, clock, shipped, tiny, tiny_files, tiny_files_ending, tiny_settings};
use couplet_engine::{Ahead, Backend, Engine, Pair};
use couplet_protocol::{Event, FinishReason, Rule, Settings};

/// Far ahead, whatever the device's speed.
const FAR: Ahead = Ahead {
    rounds: 1000,
    milliseconds: 1e9,
    details: true,
};

/// The events of a run, times left out.
fn facts(engine: &Engine, settings: &Settings, ahead: Ahead) -> Vec<Event> {
    pollster::block_on(async {
        let (mut run, _) = engine.start(settings).await.expect("the prompt is read");
        let mut events = Vec::new();
        while run.finished().is_none() {
            events.extend(engine.rounds(&mut run, ahead).await.expect("rounds run"));
        }
        assert!(
            engine
                .rounds(&mut run, ahead)
                .await
                .expect("nothing is left")
                .is_empty(),
            "a text that has ended stays as it is"
        );
        events.retain(|event| !matches!(event, Event::RoundEnded { .. }));
        events
    })
}

fn committed(events: &[Event]) -> Vec<u32> {
    events
        .iter()
        .flat_map(|event| match event {
            Event::Committed { tokens, .. } => tokens.clone(),
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn every_rule_writes_the_same_ahead_and_one_by_one() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for (index, rule) in Rule::ALL.into_iter().enumerate() {
            for gamma in [0, 1 + index as u32, 8] {
                // In the middle of a batch, and where the context is full.
                for max_tokens in [1, 17, 1000] {
                    let settings = Settings {
                        rule,
                        gamma,
                        max_tokens,
                        ..tiny_settings()
                    };
                    let one_by_one = facts(&engine, &settings, Ahead::one(true));
                    for ahead in [FAR, Ahead::WATCHED] {
                        let events = facts(&engine, &settings, ahead);
                        assert_eq!(events, one_by_one, "{name}: {settings:?}");
                    }
                    let fast = facts(&engine, &settings, Ahead::FAST);
                    assert_eq!(committed(&fast), committed(&one_by_one), "{name}");
                    assert_eq!(fast.last(), one_by_one.last(), "{name}: {settings:?}");
                }
            }
        }
    }
}

#[test]
fn a_text_ends_where_its_end_is_drawn_however_far_the_device_is_ahead() {
    let mut ends = 0;
    for (name, backend) in backends() {
        let files = tiny_files_ending(8, 5);
        let pair = Rc::new(Pair::new(files).expect("the tiny pair is sound"));
        let engine = pollster::block_on(Engine::new(pair, &backend, clock)).expect("a device");
        for seed in 0..8 {
            let settings = Settings {
                seed,
                gamma: (seed % 4) as u32,
                ..tiny_settings()
            };
            let one_by_one = facts(&engine, &settings, Ahead::one(true));
            assert_eq!(facts(&engine, &settings, FAR), one_by_one, "{name}, {seed}");
            let ended = Some(&Event::Finished {
                reason: FinishReason::EndOfText,
            });
            let tokens = committed(&one_by_one);
            let inside = tokens.iter().position(|token| *token == 5);
            assert_eq!(
                inside.is_some(),
                one_by_one.last() == ended,
                "{name}, {seed}"
            );
            if let Some(place) = inside {
                assert_eq!(place + 1, tokens.len(), "{name}, {seed}");
                ends += 1;
            }
        }
    }
    assert!(ends > 0, "some texts must end early");
}

#[test]
fn a_readback_brings_eight_tokens_where_speed_counts() {
    for (name, backend) in backends() {
        if name != "GPU" {
            continue;
        }
        let engine = shipped(&backend);
        for gamma in [0, 4] {
            let settings = Settings {
                gamma,
                max_tokens: 80,
                ..Settings::default()
            };
            pollster::block_on(async {
                let (mut run, _) = engine.start(&settings).await.expect("the prompt is read");
                let before = engine.device().readbacks();
                let mut told = 0;
                while run.finished().is_none() {
                    for event in engine.rounds(&mut run, Ahead::FAST).await.expect("rounds") {
                        if let Event::RoundEnded { timings, .. } = event {
                            told += timings.readbacks as usize;
                        }
                    }
                }
                let readbacks = engine.device().readbacks() - before;
                assert!(
                    run.written() >= 8 * readbacks,
                    "gamma {gamma}: {} tokens in {readbacks} readbacks",
                    run.written()
                );
                assert!(
                    told <= readbacks && told + 1 >= readbacks,
                    "{told}, {readbacks}"
                );
            });
        }
    }
}

/// Small batches make a graphics card wait for the host.
#[test]
fn a_second_text_needs_fewer_readbacks() {
    for (name, backend) in backends() {
        if name != "GPU" {
            continue;
        }
        let engine = tiny(&backend, 8);
        let settings = Settings {
            gamma: 2,
            max_tokens: 24,
            ..tiny_settings()
        };
        let readbacks = || {
            let before = engine.device().readbacks();
            facts(&engine, &settings, FAR);
            engine.device().readbacks() - before
        };
        let [first, second] = [readbacks(), readbacks()];
        assert!(second < first, "{second}, {first}");
    }
}

/// The choice of γ depends on time; under these rules the text must not.
#[test]
fn with_a_gamma_of_its_own_the_engine_writes_the_targets_text() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for rule in Rule::ALL {
            if !rule.is_drafter_invariant() {
                continue;
            }
            let alone = Settings {
                rule,
                gamma: 0,
                max_tokens: 1000,
                temperature: if rule == Rule::Greedy { 0.0 } else { 1.0 },
                ..tiny_settings()
            };
            let auto = Settings {
                gamma: 3,
                auto_gamma: true,
                ..alone.clone()
            };
            let text = committed(&facts(&engine, &alone, Ahead::one(false)));
            for ahead in [Ahead::one(true), Ahead::WATCHED, Ahead::FAST, FAR] {
                assert_eq!(
                    committed(&facts(&engine, &auto, ahead)),
                    text,
                    "{name}, {rule:?}"
                );
            }
        }
    }
}

/// Another run may begin while rounds of the one before are still under way.
#[test]
fn a_run_that_is_given_up_leaves_nothing_behind() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let settings = Settings {
            max_tokens: 30,
            ..tiny_settings()
        };
        let whole = facts(&engine, &settings, Ahead::WATCHED);
        pollster::block_on(async {
            let (mut run, _) = engine.start(&settings).await.expect("the prompt is read");
            engine
                .rounds(&mut run, Ahead::FAST)
                .await
                .expect("rounds run");
        });
        assert_eq!(facts(&engine, &settings, Ahead::WATCHED), whole, "{name}");
    }
}

#[test]
fn a_lost_gpu_says_so_and_can_still_be_asked_without_a_panic() {
    let Some((_, backend)) = backends().into_iter().find(|(name, _)| *name == "GPU") else {
        return;
    };
    let couplet_kernels::Device::Gpu(gpu) = &backend.kernels else {
        unreachable!()
    };
    gpu.destroy();
    backend.kernels.buffer(&[1, 2, 3]);
    assert!(gpu.trouble().is_some());
}

/// A device that is lost while rounds are under way takes only those along.
#[test]
fn what_was_committed_before_a_loss_stays() {
    let Some((_, backend)) = backends().into_iter().find(|(name, _)| *name == "GPU") else {
        return;
    };
    let pair = Rc::new(Pair::new(tiny_files(8)).expect("the tiny pair is sound"));
    let settings = Settings {
        rule: Rule::Gumbel,
        auto_gamma: true,
        max_tokens: 40,
        ..tiny_settings()
    };
    let other = pollster::block_on(Engine::new(pair.clone(), &Backend::cpu(), clock)).unwrap();
    let whole = committed(&facts(&other, &settings, Ahead::one(false)));
    pollster::block_on(async {
        let engine = Engine::new(pair, &backend, clock).await.expect("a device");
        let (mut run, _) = engine.start(&settings).await.expect("the prompt is read");
        engine
            .rounds(&mut run, Ahead::FAST)
            .await
            .expect("rounds run");
        let before = run.tokens().to_vec();
        let couplet_kernels::Device::Gpu(gpu) = engine.device() else {
            unreachable!()
        };
        gpu.destroy();
        engine
            .rounds(&mut run, Ahead::FAST)
            .await
            .expect_err("the device is gone");
        assert_eq!(run.tokens(), before);
        other.resume(&mut run).await.expect("it is read again");
        while run.finished().is_none() {
            other
                .rounds(&mut run, Ahead::WATCHED)
                .await
                .expect("rounds run");
        }
        assert_eq!(run.tokens()[4..], whole);
    });
}
