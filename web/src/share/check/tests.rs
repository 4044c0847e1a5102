use std::collections::HashMap;

use couplet_protocol::FinishReason;

use super::*;

/// The recording that comes with the page.
pub fn recording() -> Trace {
    read(include_str!(
        "../../../../assets/pairs/shakespeare/recording.json"
    ))
    .unwrap()
}

#[test]
fn what_the_page_itself_wrote_is_read() {
    recording();
    read(include_str!(
        "../../../../assets/pairs/stories/recording.json"
    ))
    .unwrap();
}

/// Takes the recording apart in one place.
fn broken(from: &str, to: &str) -> String {
    let text = include_str!("../../../../assets/pairs/shakespeare/recording.json");
    let changed = text.replacen(from, to, 1);
    assert_ne!(text, changed, "{from}");
    read(&changed).expect_err(from)
}

#[test]
fn whatever_is_wrong_gets_a_sentence() {
    for (from, to, says) in [
        ("\"version\":1", "\"version\":2", "version is 2"),
        ("\"gamma\":5", "\"gamma\":55", "gamma"),
        ("\"accepted\":true", "\"accepted\":1", "damaged"),
        ("\"event\":\"drafted\"", "\"event\":\"dreamt\"", "damaged"),
        ("\"prefix_tokens\":1", "\"prefix_tokens\":1000", "prefix"),
        (
            "\"acceptance_rate\":0.8",
            "\"acceptance_rate\":8.8",
            "acceptance_rate",
        ),
        ("\"draft_prob\":0.", "\"draft_prob\":7.", "draft_prob"),
    ] {
        let sentence = broken(from, to);
        assert!(sentence.contains(says), "{sentence}");
        assert!(sentence.ends_with('.'), "{sentence}");
    }
    for nonsense in [
        "",
        "{",
        "[]",
        "null",
        "{\"version\":1}",
        "\u{0}",
        "{\"version\":-1}",
    ] {
        assert!(read(nonsense).is_err());
    }
}

const RECORDING: &str = include_str!("../../../../assets/pairs/shakespeare/recording.json");

#[test]
fn a_text_that_is_no_trace_is_told_what_it_is() {
    let text = RECORDING.trim_end();
    let cut = &text[..20_000];
    let whole = text.trim_end_matches('}');
    for (odd, says) in [
        ("", "empty"),
        (" \r\n", "empty"),
        (cut, "line 1, column 20000"),
        (whole, "cut off"),
        (&format!("{whole},}}"), "not complete JSON"),
        (&format!("{text}{text}"), "not complete JSON"),
        (
            &text.replacen("\"draft_prob\":0.", "\"draft_prob\":0,", 1),
            "line 1, column",
        ),
        (&format!("{{// mine\n{}", &text[1..]), "line 1, column 2"),
        (&"[".repeat(100_000), "line 1, column"),
        ("round,column,position\r\n0,0,1\r\n", "CSV"),
        ("gamma,auto,speed_up\r\n", "CSV"),
        ("\u{fffd}PNG\r\n", "line 1, column 1 "),
        ("<!doctype html>", "not complete JSON"),
        ("[]", "is a list"),
        (&format!("[{text}]"), "is a list"),
        (&format!("{{\"run\":{text}}}"), "as “run”"),
        ("{\"cells\":[],\"nbformat\":4}", "no version"),
        ("\"a\"", "no version"),
        ("{\"version\":\"1\"}", "version is \"1\", not the number 1"),
        ("{\"version\":1.5}", "version is 1.5"),
        ("{\"version\":2}", "version is 2"),
        (
            "{\"version\":1,\"request\":{},\"gammas\":[]}",
            "report of a measurement",
        ),
    ] {
        let sentence = read(odd).unwrap_err();
        assert!(sentence.contains(says), "{says}: {sentence}");
        assert!(sentence.ends_with('.'), "{sentence}");
        assert!(sentence.contains("Choose the file"), "{sentence}");
    }
}

#[test]
fn what_is_damaged_is_named_as_in_the_file() {
    let text = RECORDING;
    let change = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut trace: serde_json::Value = serde_json::from_str(text).unwrap();
        change(&mut trace);
        read(&trace.to_string()).unwrap_err()
    };
    let remove = |value: &mut serde_json::Value, key: &str| {
        value.as_object_mut().unwrap().remove(key);
    };
    let first = |trace: &serde_json::Value, kind: &str| {
        let events = trace["events"].as_array().unwrap();
        events
            .iter()
            .position(|event| event["event"] == kind)
            .unwrap()
    };
    for (said, says) in [
        (
            change(&|it| it["events"][2]["token"] = "a".into()),
            "token cannot be “a” in events[2], round 0.",
        ),
        (
            change(&|it| it["events"][2]["token"] = (-1).into()),
            "token cannot be “-1” in events[2], round 0.",
        ),
        (
            change(&|it| remove(&mut it["events"][2], "token")),
            "token is missing in events[2], round 0.",
        ),
        (
            change(&|it| remove(&mut it["events"][1]["draft_distribution"], "probs")),
            "probs is missing in events[1], round 0.",
        ),
        (
            change(&|it| it["events"][1]["event"] = "draft".into()),
            "event cannot be “draft” in events[1], round 0.",
        ),
        (
            change(&|it| remove(&mut it["events"][1], "event")),
            "event is missing in events[1], round 0.",
        ),
        (
            change(&|it| it["events"][1] = 3.into()),
            "event cannot be “3” in events[1].",
        ),
        (
            change(&|it| it["events"] = "no".into()),
            "events is missing.",
        ),
        (change(&|it| remove(it, "device")), "device is missing."),
        (
            change(&|it| it["device"]["backend"] = "tpu".into()),
            "device.backend cannot be “tpu”.",
        ),
        (
            change(&|it| it["settings"]["seed"] = "5".into()),
            "settings.seed cannot be “5”.",
        ),
        (
            change(&|it| it["settings"]["note"] = "5".into()),
            "settings.note: there is no such option.",
        ),
        (
            change(&|it| it["pair"]["tokens"][3] = 5.into()),
            "pair.tokens cannot be “[",
        ),
        (
            change(&|it| it["branch"] = serde_json::json!({ "kept": [-1] })),
            "branch.kept cannot be “[-1]”.",
        ),
        (
            change(&|it| it["events"][2]["position"] = 1.into()),
            "in events[2], round 0.",
        ),
    ] {
        assert!(said.contains(says), "{says}: {said}");
        assert!(!said.contains("expected"), "{said}");
    }
    let late = change(&|it| {
        let end = first(it, "finished");
        it["events"][end]["reason"] = "bored".into();
    });
    assert!(
        late.contains("reason cannot be “bored” in events["),
        "{late}"
    );
}

#[test]
fn a_trace_that_contradicts_itself_is_refused() {
    let whole = recording();
    let with = |change: &dyn Fn(&mut Trace)| {
        let mut trace = whole.clone();
        change(&mut trace);
        check(&trace).unwrap_err()
    };
    let prompt = with(&|trace| trace.settings.prompt = "Hello".to_owned());
    assert!(prompt.contains("settings.prompt says “Hello”"), "{prompt}");
    let pair = with(&|trace| trace.settings.pair = "stories".to_owned());
    assert!(pair.contains("settings.pair says “stories”"), "{pair}");
    let greedy = with(&|trace| {
        trace.settings.rule = Rule::Greedy;
        trace.events.iter_mut().for_each(without_draw);
    });
    assert!(greedy.contains("verdict is not the one"), "{greedy}");
    for one_text in [
        with(&|trace| trace.settings.temperature = 0.0),
        with(&|trace| trace.settings.top_k = 1),
    ] {
        assert!(
            one_text.contains("more than one token is possible"),
            "{one_text}"
        );
    }
    for reason in [
        with(&|trace| trace.settings.max_tokens += 1),
        with(&|trace| {
            let reason = FinishReason::ContextFull;
            *trace.events.last_mut().unwrap() = Event::Finished { reason };
        }),
    ] {
        assert!(reason.contains("names an end"), "{reason}");
    }
    let context = with(&|trace| trace.pair.context = 30);
    assert!(context.contains("context holds"), "{context}");
    for place in [
        with(&|trace| {
            for event in &mut trace.events {
                if let Event::Bonus { position, .. } = event {
                    *position = 999;
                }
            }
        }),
        with(&|trace| {
            for event in &mut trace.events {
                if let Event::Resampled { position, .. } = event {
                    *position = 0;
                }
            }
        }),
    ] {
        assert!(place.contains("is left out"), "{place}");
    }
    let shorter = with(&|trace| trace.settings.gamma = 2);
    assert!(shorter.contains("more tokens are drafted"), "{shorter}");
    let mut chosen = whole.clone();
    (chosen.settings.gamma, chosen.settings.auto_gamma) = (2, true);
    assert_eq!(check(&chosen), Ok(()));
    for name in ["draft_prob", "target_prob"] {
        for discarded in [false, true] {
            let said = with(&|trace| {
                let event = trace.events.iter_mut().find_map(|event| match event {
                    Event::Verified {
                        draft_prob,
                        target_prob,
                        accepted: true,
                        ..
                    } if !discarded => Some([draft_prob, target_prob]),
                    Event::Discarded {
                        draft_prob,
                        target_prob,
                        ..
                    } if discarded => Some([draft_prob, target_prob]),
                    _ => None,
                });
                let [draft, target] = event.unwrap();
                let changed = if name == "draft_prob" { draft } else { target };
                *changed *= 0.98;
            });
            assert!(said.contains(&format!("{name} is ")), "{said}");
            assert!(said.contains("the distribution gives the token"), "{said}");
        }
    }
    // A large vocabulary: a token that is none of the most probable ones is less probable than they.
    let text = include_str!("../../../../assets/pairs/stories/recording.json");
    let mut trace = read(text).unwrap();
    let judged = trace.events.iter_mut().find_map(|event| match event {
        Event::Verified {
            token,
            target_prob,
            target_distribution,
            ..
        } => Some((*token, target_prob, target_distribution)),
        _ => None,
    });
    let (token, target_prob, row) = judged.unwrap();
    let tokens = row.tokens.as_mut().unwrap();
    let place = tokens.iter().position(|kept| *kept == token).unwrap();
    tokens.remove(place);
    row.rest += row.probs.remove(place);
    *target_prob = 0.5;
    let said = check(&trace).unwrap_err();
    assert!(said.contains("≤ "), "{said}");
}

/// Takes the number away that a verdict under Rejection looked at.
fn without_draw(event: &mut Event) {
    if let Event::Verified { draw, .. } = event {
        *draw = 0.0;
    }
}

/// By round, the token that stands in the place of a rejected one.
fn replacements(trace: &Trace) -> HashMap<u32, u32> {
    let replacement = |event: &Event| match event {
        Event::Resampled { round, token, .. } => Some((*round, *token)),
        _ => None,
    };
    trace.events.iter().filter_map(replacement).collect()
}

/// A file of some megabytes can name one long token so often that its text would fill the memory.
#[test]
fn a_prompt_that_nobody_can_have_typed_is_refused_before_it_is_spelled_out() {
    let with = |count: usize, letter: &str| {
        let mut trace = recording();
        trace.pair.tokens[64] = letter.repeat(LONGEST_TEXT);
        let Some(Event::Started { prompt_tokens, .. }) = trace.events.first_mut() else {
            unreachable!();
        };
        let added = count - prompt_tokens.len();
        prompt_tokens.extend(vec![64; added]);
        // The rest of the run stands after it.
        trace.events.truncate(1);
        check(&trace)
    };
    // Parts of letters excuse a text that differs, but not one of any length.
    assert_eq!(with(MOST_READ, "\u{fffd}"), Ok(()));
    for letter in ["z", "", "\u{fffd}"] {
        let said = with(MOST_READ + 1, letter).unwrap_err();
        assert!(said.contains("its prompt has 20001 tokens"), "{said}");
    }
    let said = with(MOST_READ, "z").unwrap_err();
    assert!(said.contains("settings.prompt says"), "{said}");
    assert!(said.len() < 200, "{said}");
}

#[test]
fn a_prompt_of_the_longest_text_is_read() {
    let with = |letters: usize| {
        let mut trace = recording();
        trace.events.truncate(1);
        trace.settings.prompt = "z".repeat(Settings::MAX_PROMPT);
        trace.pair.tokens[64] = "z".to_owned();
        let Some(Event::Started { prompt_tokens, .. }) = trace.events.first_mut() else {
            unreachable!();
        };
        prompt_tokens.truncate(trace.pair.prefix_tokens as usize);
        prompt_tokens.extend(vec![64; letters]);
        check(&trace)
    };
    assert_eq!(with(Settings::MAX_PROMPT), Ok(()));
    for other in [Settings::MAX_PROMPT - 1, Settings::MAX_PROMPT + 1] {
        assert!(with(other).is_err(), "{other}");
    }
}

#[test]
fn a_branch_that_keeps_nothing_is_none() {
    for branch in ["{}", "{\"kept\":[]}"] {
        let text = RECORDING.replacen('{', &format!("{{\"branch\":{branch},"), 1);
        assert_eq!(read(&text), Ok(recording()));
    }
}

#[test]
fn no_event_can_be_left_out_or_doubled_but_timings() {
    let whole = recording();
    for place in 0..whole.events.len() {
        let mut without = whole.clone();
        without.events.remove(place);
        // The end may be missing: such a run was cut off.
        let last = place + 1 == whole.events.len();
        // So may what the target said of the tokens after a rejected one, as in old traces:
        // of all of them.
        let discarded_in = |event: &Event| match event {
            Event::Discarded { round, .. } => Some(*round),
            _ => None,
        };
        let as_of_old = discarded_in(&whole.events[place]).is_some_and(|round| {
            let in_round = |event: &&Event| discarded_in(event) == Some(round);
            whole.events.iter().filter(in_round).count() == 1
        });
        assert!(
            check(&without).is_err() || last || as_of_old,
            "without {:?}",
            whole.events[place]
        );
        let mut doubled = whole.clone();
        doubled.events.insert(place, whole.events[place].clone());
        assert!(check(&doubled).is_err(), "twice {:?}", whole.events[place]);
    }
}

#[test]
fn an_old_trace_that_tells_nothing_of_discarded_tokens_is_read() {
    let mut trace = recording();
    let told = trace.events.len();
    let is_old = |event: &Event| !matches!(event, Event::Discarded { .. });
    trace.events.retain(is_old);
    assert!(trace.events.len() < told);
    assert_eq!(check(&trace), Ok(()));
}

#[test]
fn no_two_events_can_change_places() {
    let mut trace = recording();
    for place in 1..trace.events.len() {
        trace.events.swap(place - 1, place);
        assert!(check(&trace).is_err(), "{:?} too late", trace.events[place]);
        trace.events.swap(place - 1, place);
    }
}

#[test]
fn a_run_can_be_cut_off_between_rounds_only() {
    let mut trace = recording();
    while let Some(last) = trace.events.pop() {
        let between = matches!(
            trace.events.last(),
            Some(Event::Started { .. } | Event::RoundEnded { .. })
        );
        assert_eq!(check(&trace).is_ok(), between, "before {last:?}");
    }
}

#[test]
fn numbers_that_cannot_be_drawn_are_refused() {
    let whole = recording();
    let spoil = |change: &dyn Fn(&mut Event) -> bool| {
        let mut trace = whole.clone();
        assert!(trace.events.iter_mut().any(change));
        check(&trace).unwrap_err()
    };
    let wrong_token = spoil(&|event| match event {
        Event::Drafted { token, .. } => {
            *token = 65;
            true
        }
        _ => false,
    });
    assert!(wrong_token.contains("token"), "{wrong_token}");
    let short = spoil(&|event| match event {
        Event::Drafted {
            draft_distribution, ..
        } => {
            draft_distribution.tokens = Some(vec![1]);
            true
        }
        _ => false,
    });
    assert!(short.contains("distribution"), "{short}");
    let of_draft = |tokens: Option<Vec<u32>>, probs: Vec<f32>| {
        spoil(&move |event| match event {
            Event::Drafted {
                draft_distribution, ..
            } => {
                draft_distribution.tokens.clone_from(&tokens);
                draft_distribution.probs.clone_from(&probs);
                true
            }
            _ => false,
        })
    };
    let twice = of_draft(Some(vec![1, 1]), vec![0.5, 0.5]);
    assert!(twice.contains("names a token twice"), "{twice}");
    let long = of_draft(None, vec![0.0; Distribution::COMPLETE + 1]);
    assert!(long.contains("no more than 128"), "{long}");
    let draw = spoil(&|event| match event {
        Event::Verified { draw, .. } => {
            *draw = f32::NAN;
            true
        }
        _ => false,
    });
    assert!(draw.contains("draw"), "{draw}");
    let other_round = spoil(&|event| match event {
        Event::Verified { round, .. } => {
            *round += 1;
            true
        }
        _ => false,
    });
    assert!(other_round.contains("a round other than"), "{other_round}");
    for no_duration in [-1.0, f64::INFINITY, f64::NAN] {
        let duration = spoil(&|event| match event {
            Event::RoundEnded { timings, .. } => {
                timings.milliseconds = no_duration;
                true
            }
            _ => false,
        });
        assert!(duration.contains("no duration"), "{duration}");
    }
}

/// Has an event's distribution give its token a probability, the draft's or the target's.
fn give(event: &mut Event, [draft, target]: [f32; 2]) {
    let (token, prob, distribution) = match event {
        Event::Drafted {
            token,
            draft_distribution,
            ..
        } => (*token, draft, draft_distribution),
        Event::Verified {
            token,
            target_distribution,
            ..
        } => (*token, target, target_distribution),
        Event::Discarded {
            token,
            draft_prob,
            target_prob,
            target_distribution,
            ..
        } => {
            (*draft_prob, *target_prob) = (draft, target);
            (*token, target, target_distribution)
        }
        _ => return,
    };
    distribution.tokens = Some(vec![token, u32::from(token == 0)]);
    distribution.probs = vec![prob, 1.0 - prob];
}

#[test]
fn a_verdict_that_its_numbers_do_not_give_is_refused() {
    let whole = recording();
    let with = |rule: Rule, change: &dyn Fn(&mut Event)| {
        let mut trace = whole.clone();
        trace.settings.rule = rule;
        trace.events.iter_mut().for_each(change);
        // What another rule leaves of the target is not the matter here.
        for event in &mut trace.events {
            if let Event::Resampled { residual, .. } = event {
                residual.tokens = Some((0..residual.probs.len() as u32).collect());
            }
        }
        check(&trace).err().unwrap_or_default()
    };
    let nothing = |_: &mut Event| {};
    assert_eq!(with(Rule::Rejection, &nothing), "");
    let refused = "a token's verdict";
    // A needle at 0 keeps every token, one at 1 those that the target finds more probable.
    let draws: [fn([f32; 2]) -> f32; 2] = [|_| 0.0, |probs| f32::from(probs[1] < probs[0])];
    for draw_of in draws {
        let moved = with(Rule::Rejection, &|event: &mut Event| {
            if let Event::Verified {
                draw,
                draft_prob,
                target_prob,
                ..
            } = event
            {
                *draw = draw_of([*draft_prob, *target_prob]);
            }
        });
        assert!(moved.contains(refused), "{moved}");
    }
    // On the line itself rounding may have decided either way.
    let level = with(Rule::Rejection, &|event: &mut Event| {
        if let Event::Verified {
            draw,
            draft_prob,
            target_prob,
            ..
        } = event
        {
            (*draw, *draft_prob, *target_prob) = (0.5, 0.5, 0.25);
        }
        give(event, [0.5, 0.25]);
    });
    assert_eq!(level, "");
    // What these rules look at is not in a run by Rejection.
    let said = with(Rule::Block, &nothing);
    assert!(said.contains(refused), "{said}");
    for rule in [
        Rule::Gumbel,
        Rule::MinHash,
        Rule::SampleAndMatch,
        Rule::Typical,
    ] {
        let said = with(rule, &without_draw);
        assert!(said.contains(refused), "{rule:?}: {said}");
    }
    let beyond = with(Rule::Block, &|event: &mut Event| {
        if let Event::Verified { threshold, .. } = event {
            *threshold = Some(1e38);
        }
    });
    assert!(beyond.contains("threshold"), "{beyond}");
    // With it they are read, and refused where it says the opposite.
    let replacement = replacements(&whole);
    for rule in [Rule::Gumbel, Rule::MinHash, Rule::SampleAndMatch] {
        let own = |opposite: bool, other: &dyn Fn(u32, u32) -> u32| {
            with(rule, &|event: &mut Event| {
                without_draw(event);
                if let Event::Verified {
                    round,
                    own_token,
                    token,
                    accepted,
                    ..
                } = event
                {
                    let is_own = *accepted != opposite;
                    *own_token = Some(if is_own {
                        *token
                    } else {
                        other(*round, *token)
                    });
                }
            })
        };
        assert_eq!(own(false, &|round, _| replacement[&round]), "", "{rule:?}");
        let other = |_, token| if token == 0 { 1 } else { 0 };
        let said = own(true, &other);
        assert!(said.contains(refused), "{rule:?}: {said}");
        // The target's own token is the one that is written.
        let said = own(false, &other);
        assert!(said.contains("the target's own token"), "{rule:?}: {said}");
    }
    // Nor does Rejection look at what those do.
    let said = with(Rule::Rejection, &|event: &mut Event| {
        if let Event::Verified { threshold, .. } = event {
            *threshold = Some(0.5);
        }
    });
    assert!(said.contains("threshold is there"), "{said}");
    let said = with(Rule::Rejection, &|event: &mut Event| {
        if let Event::Verified {
            own_token, token, ..
        } = event
        {
            *own_token = Some(*token);
        }
    });
    assert!(said.contains("own_token is there"), "{said}");
    let typical = |opposite: bool| {
        with(Rule::Typical, &move |event: &mut Event| {
            if let Event::Verified {
                draw,
                threshold,
                draft_prob,
                target_prob,
                accepted,
                ..
            } = event
            {
                let above = *accepted != opposite;
                *target_prob = 0.25;
                *draw = 0.0;
                *threshold = Some(if above { 0.125 } else { 0.5 });
                *draft_prob = 0.5;
            }
            give(event, [0.5, 0.25]);
        })
    };
    assert_eq!(typical(false), "");
    let said = typical(true);
    assert!(said.contains(refused), "{said}");
}

/// A run by Greedy whose favourites are the recording's tokens.
fn greedy() -> Trace {
    let mut trace = recording();
    trace.settings.rule = Rule::Greedy;
    let replacement = replacements(&trace);
    for event in &mut trace.events {
        without_draw(event);
        match event {
            Event::Verified {
                round,
                token,
                accepted,
                target_prob,
                target_distribution,
                ..
            } => {
                let favourite = if *accepted {
                    *token
                } else {
                    replacement[round]
                };
                target_distribution.tokens = Some(vec![favourite]);
                target_distribution.probs = vec![1.0];
                *target_prob = f32::from(*accepted);
            }
            Event::Resampled {
                token,
                residual: row,
                ..
            }
            | Event::Bonus {
                token,
                target_distribution: row,
                ..
            } => {
                row.tokens = Some(vec![*token]);
                row.probs = vec![1.0];
            }
            _ => {}
        }
    }
    trace
}

#[test]
fn greedy_writes_favourites_only() {
    assert_eq!(check(&greedy()), Ok(()));
    // Engines of before wrote down a number that nothing depends on.
    let mut old = greedy();
    for event in &mut old.events {
        if let Event::Verified { draw, .. } = event {
            *draw = 0.5;
        }
    }
    let text = serde_json::to_string(&old).unwrap();
    assert_eq!(read(&text), Ok(greedy()));
    for behind in [false, true] {
        let mut trace = greedy();
        let row = trace.events.iter_mut().find_map(|event| match event {
            Event::Resampled { residual: row, .. } if !behind => Some(row),
            Event::Bonus {
                target_distribution: row,
                ..
            } if behind => Some(row),
            _ => None,
        });
        let row = row.unwrap();
        let favourite = row.tokens.as_ref().unwrap()[0];
        row.tokens = Some(vec![favourite, u32::from(favourite == 0)]);
        row.probs = vec![0.25, 0.75];
        let said = check(&trace).unwrap_err();
        assert!(said.contains("the target's most probable"), "{said}");
    }
}

#[test]
fn a_token_behind_a_rejected_one_is_not_kept() {
    for (accepted, says) in [
        (true, "kept after a rejected one"),
        (false, "judged after a rejected one"),
    ] {
        let mut trace = recording();
        // The first after a rejected one, less probable for the target.
        let place = trace.events.windows(2).position(|pair| match pair {
            [
                Event::Verified { .. },
                Event::Discarded {
                    draft_prob,
                    target_prob,
                    ..
                },
            ] => target_prob < draft_prob,
            _ => false,
        });
        let place = place.unwrap() + 1;
        let Event::Discarded {
            round,
            position,
            token,
            draft_prob,
            target_prob,
            target_distribution,
        } = trace.events[place].clone()
        else {
            unreachable!();
        };
        trace.events[place] = Event::Verified {
            round,
            position,
            token,
            draft_prob,
            target_prob,
            // At 0 everything stays, at 1 what the target finds less probable does not.
            draw: f32::from(!accepted),
            threshold: None,
            own_token: None,
            accepted,
            target_distribution,
        };
        let said = check(&trace).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
}

/// The first round that ends in a replacement, with that told as a bonus.
#[test]
fn a_bonus_behind_a_rejected_token_is_refused() {
    let mut trace = recording();
    let place = |event: &Event| matches!(event, Event::Resampled { .. });
    let place = trace.events.iter().position(place).unwrap();
    let Event::Resampled {
        round,
        position,
        token,
        residual,
        draw,
        ..
    } = trace.events[place].clone()
    else {
        unreachable!();
    };
    trace.events[place] = Event::Bonus {
        round,
        position,
        token,
        target_distribution: residual,
        draw,
    };
    let said = check(&trace).unwrap_err();
    assert!(said.contains("a bonus token comes though"), "{said}");
}

#[test]
fn a_run_is_no_longer_than_was_asked_for() {
    let mut trace = recording();
    trace.settings.max_tokens -= 1;
    let said = check(&trace).unwrap_err();
    assert!(said.contains("more tokens are written"), "{said}");
    // What a branch keeps counts.
    let mut trace = recording();
    let Some(Event::Started { prompt_tokens, .. }) = trace.events.first_mut() else {
        unreachable!();
    };
    let kept = prompt_tokens.split_off(1);
    prompt_tokens.extend(&kept);
    trace.settings.prompt = String::new();
    trace.branch = Some(Branch { kept, forced: None });
    let said = check(&trace).unwrap_err();
    assert!(said.contains("more tokens are written"), "{said}");
    trace.settings.max_tokens += trace.branch.as_ref().map_or(0, Branch::len) as u32;
    assert_eq!(check(&trace), Ok(()));
}

#[test]
fn a_replacement_that_its_numbers_do_not_give_is_refused() {
    let with = |change: &dyn Fn(&mut Distribution, &mut f32, &mut f32)| {
        let mut trace = recording();
        for event in &mut trace.events {
            if let Event::Resampled {
                residual,
                residual_mass,
                draw,
                ..
            } = event
            {
                change(residual, residual_mass, draw);
            }
        }
        check(&trace).err().unwrap_or_default()
    };
    assert_eq!(with(&|_, _, _| {}), "");
    let left = "what the rule leaves";
    let said = with(&|residual, _, _| residual.probs.reverse());
    assert!(said.contains(left), "{said}");
    let said = with(&|_, mass, _| *mass = 0.9);
    assert!(said.contains(left), "{said}");
    let said = with(&|_, _, draw| *draw = 1.0 - *draw);
    assert!(said.contains("does not land"), "{said}");
    // Nor is it what another rule leaves.
    for rule in [Rule::Lenience, Rule::Typical] {
        let mut trace = recording();
        trace.settings.rule = rule;
        trace.settings.lenience = 0.5;
        assert!(check(&trace).is_err(), "{rule:?}");
    }
}
