//! Branches: a run that goes on from tokens of another one.

use std::rc::Rc;

use crate::common::{backends, clock, tiny, tiny_files_ending, tiny_settings};
use couplet_engine::{Backend, Engine, EngineError, Pair};
use couplet_protocol::{Branch, Event, FinishReason, Rule, Settings};

/// The text after the prompt and all events but for those that hold times.
fn branch(engine: &Engine, settings: &Settings, branch: &Branch) -> (Vec<u32>, Vec<Event>) {
    pollster::block_on(async {
        let (mut run, mut events) = engine.branch(settings, branch).await.expect("it begins");
        while run.finished().is_none() {
            events.extend(engine.round(&mut run, true).await.expect("the round runs"));
        }
        let timed = |event: &Event| matches!(event, Event::RoundEnded { .. });
        events.retain(|event| !timed(event));
        let written = run.tokens().len() - run.written();
        (run.tokens()[written..].to_vec(), events)
    })
}

fn whole(engine: &Engine, settings: &Settings) -> (Vec<u32>, Vec<Event>) {
    branch(engine, settings, &Branch::default())
}

/// The same on an engine whose caches hold another text: nothing of the run that was left helps.
fn branch_elsewhere(engine: &Engine, settings: &Settings, at: &Branch) -> (Vec<u32>, Vec<Event>) {
    let other = Settings {
        prompt: "hgfedcba".to_owned(),
        seed: 9,
        gamma: 3,
        max_tokens: 24,
        ..settings.clone()
    };
    whole(engine, &other);
    branch(engine, settings, at)
}

fn kept(tokens: &[u32]) -> Branch {
    Branch {
        kept: tokens.to_vec(),
        forced: None,
    }
}

/// Lengths of the text before every round.
fn boundaries(events: &[Event]) -> Vec<usize> {
    let mut at = 0;
    let mut boundaries = vec![0];
    for event in events {
        if let Event::Committed { tokens, .. } = event {
            at += tokens.len();
            boundaries.push(at);
        }
    }
    boundaries.pop();
    boundaries
}

#[test]
fn where_a_seed_fixes_the_text_a_branch_without_an_edit_is_the_same_wherever_it_is_cut() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        // A software adapter takes long for a round.
        let every = if name == "GPU" { 5 } else { 1 };
        let all = Rule::ALL.into_iter().flat_map(|rule| {
            [0.0, 1.0].map(|temperature| Settings {
                rule,
                temperature,
                gamma: 4,
                max_tokens: 20,
                ..tiny_settings()
            })
        });
        for settings in all.filter(Settings::is_drafter_invariant) {
            let rule = settings.rule;
            let (text, _) = whole(&engine, &settings);
            for at in (1..text.len()).step_by(every) {
                let settings = Settings {
                    gamma: 1 + at as u32 % 5,
                    ..settings.clone()
                };
                let (again, _) = branch_elsewhere(&engine, &settings, &kept(&text[..at]));
                assert_eq!(again, text, "{name}, {rule:?}, cut after {at}");
            }
        }
    }
}

/// Where the round structure decides which numbers are used, it is the same after the cut too.
#[test]
fn cut_where_a_round_begins_a_branch_without_an_edit_repeats_the_rounds_of_every_rule() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for rule in Rule::ALL {
            let settings = Settings {
                rule,
                gamma: 3,
                max_tokens: 18,
                ..tiny_settings()
            };
            let (text, events) = whole(&engine, &settings);
            let boundaries = boundaries(&events);
            let every = if name == "GPU" { 3 } else { 1 };
            for (round, at) in boundaries.into_iter().enumerate().skip(1).step_by(every) {
                let (again, repeated) = branch_elsewhere(&engine, &settings, &kept(&text[..at]));
                assert_eq!(again, text, "{name}, {rule:?}, cut before round {round}");
                let behind = |events: &[Event], from: usize| -> Vec<Event> {
                    let rounds = events
                        .iter()
                        .filter(|event| !matches!(event, Event::Started { .. }));
                    let skipped = |event: &&Event| number(event).is_some_and(|it| it < from);
                    rounds.skip_while(skipped).cloned().map(anonymous).collect()
                };
                assert_eq!(
                    behind(&repeated, 0),
                    behind(&events, round),
                    "{name}, {rule:?}"
                );
            }
        }
    }
}

fn number(event: &Event) -> Option<usize> {
    match event {
        Event::Drafted { round, .. }
        | Event::Verified { round, .. }
        | Event::Discarded { round, .. }
        | Event::Resampled { round, .. }
        | Event::Bonus { round, .. }
        | Event::Committed { round, .. }
        | Event::RoundEnded { round, .. } => Some(*round as usize),
        Event::Started { .. } | Event::Finished { .. } => None,
    }
}

/// The event without the number of its round, which counts from where a run begins.
fn anonymous(mut event: Event) -> Event {
    match &mut event {
        Event::Drafted { round, .. }
        | Event::Verified { round, .. }
        | Event::Discarded { round, .. }
        | Event::Resampled { round, .. }
        | Event::Bonus { round, .. }
        | Event::Committed { round, .. }
        | Event::RoundEnded { round, .. } => *round = 0,
        Event::Started { .. } | Event::Finished { .. } => {}
    }
    event
}

#[test]
fn an_edit_changes_what_follows_and_nothing_before() {
    let engine = tiny(&Backend::cpu(), 8);
    let settings = Settings {
        max_tokens: 30,
        ..tiny_settings()
    };
    let (text, _) = whole(&engine, &settings);
    let edits = [
        Settings {
            gamma: 1,
            ..settings.clone()
        },
        Settings {
            temperature: 2.0,
            ..settings.clone()
        },
        Settings {
            rule: Rule::Gumbel,
            ..settings.clone()
        },
        Settings {
            seed: 5,
            ..settings.clone()
        },
    ];
    for edited in edits {
        let (other, events) = branch(&engine, &edited, &kept(&text[..10]));
        assert_eq!(other[..10], text[..10]);
        assert_eq!(other.len(), 30);
        assert_ne!(other, text, "{edited:?}");
        let first = events.iter().find_map(|event| match event {
            Event::Drafted { position, .. } => Some(*position),
            _ => None,
        });
        // Prefix and prompt are four tokens.
        assert_eq!(first, Some(4 + 10));
    }
}

#[test]
fn a_forced_token_stands_and_the_target_goes_on_from_it() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let settings = Settings {
            rule: Rule::Gumbel,
            max_tokens: 16,
            ..tiny_settings()
        };
        let (text, _) = whole(&engine, &settings);
        for token in [0, 5, 7] {
            let forced = Branch {
                kept: text[..6].to_vec(),
                forced: Some(token),
            };
            let (other, events) = branch(&engine, &settings, &forced);
            assert_eq!(other[..6], text[..6], "{name}");
            assert_eq!(other[6], token, "{name}");
            assert_eq!(other.len(), 16, "{name}");
            let Event::Started { prompt_tokens, .. } = &events[0] else {
                panic!("a run says what it begins with");
            };
            assert_eq!(prompt_tokens[4..], other[..7], "{name}");
            // What follows is what the target alone writes after it with the same numbers.
            let alone = Settings {
                gamma: 0,
                ..settings.clone()
            };
            assert_eq!(branch(&engine, &alone, &forced).0, other, "{name}");
            assert_eq!(other == text, token == text[6], "{name}");
        }
    }
}

#[test]
fn a_branch_that_leaves_nothing_to_write_is_over_at_once() {
    let engine = tiny(&Backend::cpu(), 8);
    let settings = Settings {
        max_tokens: 5,
        ..tiny_settings()
    };
    let end = |settings: &Settings, branched: &Branch| {
        let (text, events) = branch(&engine, settings, branched);
        assert_eq!(text, branched.tokens().collect::<Vec<_>>());
        assert_eq!(events.len(), 2);
        events[1].clone()
    };
    let finished = |reason| Event::Finished { reason };
    let five = kept(&[1, 2, 3, 4, 5]);
    assert_eq!(end(&settings, &five), finished(FinishReason::Length));
    let last = Branch {
        kept: vec![1, 2, 3, 4],
        forced: Some(5),
    };
    assert_eq!(end(&settings, &last), finished(FinishReason::Length));
    // The context holds 48 tokens, of which prefix and prompt take four.
    let long = Settings {
        max_tokens: 60,
        ..settings
    };
    let full = kept(&[1; 44]);
    assert_eq!(end(&long, &full), finished(FinishReason::ContextFull));
}

/// A prompt may end in the token that ends texts, as an empty one does of a pair whose texts are set
/// apart by it; a text that was written may not go on after it.
#[test]
fn the_end_of_a_text_ends_a_branch_and_no_prompt() {
    let files = tiny_files_ending(8, 5);
    let pair = Rc::new(Pair::new(files).unwrap());
    let engine = pollster::block_on(Engine::new(pair, &Backend::cpu(), clock)).unwrap();
    let begin = |prompt: &str, branch: &Branch| {
        let settings = Settings {
            prompt: prompt.to_owned(),
            ..tiny_settings()
        };
        let (run, _) = pollster::block_on(engine.branch(&settings, branch)).unwrap();
        run.finished()
    };
    let ended = Some(FinishReason::EndOfText);
    assert_eq!(begin("abf", &Branch::default()), None);
    assert_eq!(begin("abc", &kept(&[1, 5])), ended);
    let forced = Branch {
        kept: vec![1],
        forced: Some(5),
    };
    assert_eq!(begin("abc", &forced), ended);
}

#[test]
fn a_branch_that_cannot_be_is_refused_by_name() {
    let engine = tiny(&Backend::cpu(), 8);
    let refuse = |branch: &Branch| -> EngineError {
        let settings = Settings {
            max_tokens: 60,
            ..tiny_settings()
        };
        pollster::block_on(engine.branch(&settings, branch)).expect_err("it cannot be")
    };
    for branch in [kept(&[1, 8]), kept(&[1; 45])] {
        let failure = refuse(&branch).failure();
        assert_eq!(failure.field.as_deref(), Some("branch"));
        assert!(!failure.sentence.starts_with("branch"), "{failure:?}");
    }
}
