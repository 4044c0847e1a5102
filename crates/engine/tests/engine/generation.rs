//! What an engine writes: the same as the target alone, from the distributions it shows.

use crate::common::{PROMPTS, backends, shipped, shipped_pair, tiny, tiny_settings, write};
use couplet_engine::{Engine, KernelSet};
use couplet_protocol::{Distribution, Event, FinishReason, Rule, Settings, Which};
use couplet_speculation::random::{Purpose, uniform};

#[test]
fn greedy_speculation_writes_the_targets_own_text() {
    for (name, backend) in backends() {
        let engine = shipped(&backend);
        for (prompt, nth) in PROMPTS.into_iter().zip(0..) {
            // A GPU in software takes minutes for all: there each prompt has three draft lengths,
            // and each draft length at least six prompts.
            let gammas = (1..=8).filter(|gamma| name == "CPU" || (nth + 3 * gamma) % 8 < 3);
            for rule in [Rule::Greedy, Rule::Rejection] {
                let settings = Settings {
                    prompt: prompt.to_owned(),
                    temperature: 0.0,
                    rule,
                    gamma: 0,
                    max_tokens: 24,
                    ..Settings::default()
                };
                let (alone, _) = write(&engine, &settings);
                for gamma in gammas.clone() {
                    let (text, _) = write(
                        &engine,
                        &Settings {
                            gamma,
                            ..settings.clone()
                        },
                    );
                    assert_eq!(
                        text, alone,
                        "{name}, {rule:?}, gamma {gamma}, prompt {prompt:?}"
                    );
                }
            }
        }
    }
}

/// Floats differ in the last places between kernel sets, and a token only where two are as good
/// as equal: not in these runs.
#[test]
fn every_kernel_set_writes_the_same_run() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for rule in Rule::ALL {
            for temperature in [0.0, 1.0] {
                let settings = Settings {
                    rule,
                    temperature,
                    gamma: 4,
                    max_tokens: 24,
                    ..tiny_settings()
                };
                let texts = KernelSet::ALL.map(|kernels| {
                    engine.use_kernel_set(kernels);
                    write(&engine, &settings).0
                });
                for text in &texts {
                    assert_eq!(*text, texts[0], "{name}: {settings:?}");
                }
            }
        }
    }
}

/// One workgroup reads what the kernels of a step have left in the caches, and they read what it
/// leaves there, so its sums must be theirs in every place.
#[test]
fn a_block_drafted_at_once_has_the_distributions_of_one_drafted_step_by_step() {
    for (name, backend) in backends() {
        let mut kept_whole = 0;
        // More tokens than a workgroup has invocations, and fewer.
        let large = shipped_pair(&backend, "stories");
        for engine in [shipped(&backend), tiny(&backend, 8), large] {
            if name == "GPU" {
                assert!(engine.kernel_sets().eq(KernelSet::ALL));
            }
            for (rule, gamma, top_k, top_p) in [
                (Rule::Rejection, 2, 0, 1.0),
                (Rule::Block, 5, 0, 1.0),
                (Rule::Rejection, 4, 3, 1.0),
                (Rule::Rejection, 4, 0, 0.6),
            ] {
                let settings = Settings {
                    pair: engine.pair().card.name.clone(),
                    // Nothing but the first token: the block begins before the text does.
                    prompt: String::new(),
                    rule,
                    gamma,
                    top_k,
                    top_p,
                    max_tokens: 40,
                    ..tiny_settings()
                };
                // In this order, since what one leaves in the caches would do for the other.
                let runs = [KernelSet::BlockAtOnce, KernelSet::Together].map(|kernels| {
                    engine.use_kernel_set(kernels);
                    write(&engine, &settings).1
                });
                let drafted = |events: &[Event]| -> Vec<_> {
                    let of_event = |event: &Event| match event {
                        Event::Drafted {
                            token,
                            draft_distribution,
                            ..
                        } => Some((*token, draft_distribution.clone())),
                        _ => None,
                    };
                    events.iter().filter_map(of_event).collect()
                };
                let is_bonus = |event: &&Event| matches!(event, Event::Bonus { .. });
                kept_whole += runs[0].iter().filter(is_bonus).count();
                let [at_once, by_step] = runs.map(|events| drafted(&events));
                assert_eq!(at_once, by_step, "{name}: {settings:?}");
            }
        }
        // After a block that is kept whole, the draft has yet to see its last token.
        assert!(kept_whole > 5, "{kept_whole}");
    }
}

/// A distribution in the log is what the model says after the text before it, computed afresh.
fn assert_fresh(engine: &Engine, model: Which, before: &[u32], probs: &[f32], place: &str) {
    let settings = Settings {
        prompt: engine.pair().tokenizer.decode(&before[1..]),
        temperature: 1.0,
        ..Settings::default()
    };
    let fresh = pollster::block_on(engine.distribution(model, &settings)).unwrap();
    assert_eq!(probs, fresh, "{place}");
}

/// Where γ is chosen round by round, the draft drafts on after rounds that it has not seen.
#[test]
fn a_draft_that_paused_has_read_what_was_written_meanwhile() {
    // What rounds take by it has nothing to do with γ, so that every choice is soon overthrown, on
    // every machine alike.
    fn whimsical() -> f64 {
        thread_local! {
            static TIME: std::cell::Cell<(u32, f64)> = const { std::cell::Cell::new((1, 0.0)) };
        }
        let (state, now) = TIME.get();
        let state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let now = now + 16.0 * (f64::from(state) / f64::from(u32::MAX)).powi(3);
        TIME.set((state, now));
        now
    }
    for (name, backend) in backends() {
        let engine = crate::common::tiny_timed(&backend, 8, whimsical);
        let mut after_pauses = 0;
        for seed in 0..200 {
            let settings = Settings {
                auto_gamma: true,
                temperature: 1.0,
                seed,
                max_tokens: 40,
                ..tiny_settings()
            };
            // What was learnt is forgotten, so that no choice is settled: the card promises more
            // than the draft keeps, and what comes instead has to be found out.
            engine.use_kernel_set(engine.kernel_set());
            let (mut run, mut events) = pollster::block_on(engine.start(&settings)).unwrap();
            while run.finished().is_none() {
                let round = pollster::block_on(engine.round(&mut run, true)).unwrap();
                events.extend(round);
            }
            let tokens = run.tokens().to_vec();
            let mut silent = 0;
            let mut drafted: Vec<u32> = Vec::new();
            for event in &events {
                match event {
                    Event::Drafted {
                        position,
                        token,
                        draft_distribution,
                        ..
                    } => {
                        let round_start = *position as usize - drafted.len();
                        let before = [&tokens[..round_start], &drafted].concat();
                        let place = format!("{name}, seed {seed}, {position}, {silent} silent");
                        let probs = &draft_distribution.probs;
                        assert_fresh(&engine, Which::Draft, &before, probs, &place);
                        drafted.push(*token);
                    }
                    Event::RoundEnded { .. } => {
                        after_pauses += usize::from(silent > 1 && !drafted.is_empty());
                        silent = if drafted.is_empty() { silent + 1 } else { 0 };
                        drafted.clear();
                    }
                    _ => {}
                }
            }
            if after_pauses >= 3 {
                break;
            }
        }
        assert!(after_pauses >= 3, "{name}: the draft paused");
    }
}

/// A round that nothing is enqueued before has a place in the text for every token that it drafts.
#[test]
fn a_gamma_of_the_engines_own_drafts_nothing_beyond_the_end() {
    // Every round takes as long as every other, so that the longest drafts look best.
    fn indifferent() -> f64 {
        thread_local! {
            static LOOKS: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) };
        }
        LOOKS.set(LOOKS.get() + 1.0);
        LOOKS.get()
    }
    for (name, backend) in backends() {
        let engine = crate::common::tiny_timed(&backend, 8, indifferent);
        let mut longest = 0;
        for max_tokens in 1..=24 {
            let settings = Settings {
                auto_gamma: true,
                max_tokens,
                ..tiny_settings()
            };
            let mut wanted = max_tokens as usize;
            let mut drafted = 0;
            for event in write(&engine, &settings).1 {
                match event {
                    Event::Drafted { .. } => drafted += 1,
                    Event::Committed { tokens, .. } => {
                        assert!(
                            drafted < wanted,
                            "{name}: {drafted} for {wanted} of {max_tokens}"
                        );
                        longest = longest.max(drafted);
                        wanted -= tokens.len();
                        drafted = 0;
                    }
                    _ => {}
                }
            }
            assert_eq!(wanted, 0, "{name}");
        }
        // A GPU's batches are timed otherwise, so that short drafts look as good there.
        let least = if name == "GPU" { 1 } else { 3 };
        assert!(longest >= least, "{name}: {longest}");
    }
}

/// Every distribution in the log is what the model says after the text before it, computed
/// afresh: so caches hold the accepted prefix and nothing else, and what was verified is what
/// was sampled from.
#[test]
fn distributions_of_a_run_are_those_of_a_fresh_start() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let check = |model, before: &[u32], probs: &[f32], position| {
            assert_fresh(
                &engine,
                model,
                before,
                probs,
                &format!("{name}, {position}"),
            );
        };
        for gamma in [1, 4] {
            let (tokens, events) = write(
                &engine,
                &Settings {
                    gamma,
                    max_tokens: 30,
                    ..tiny_settings()
                },
            );
            let mut full_acceptances = 0;
            let mut rejections = 0;
            let mut discarded = 0;
            let mut drafted: Vec<u32> = Vec::new();
            let mut start = 0;
            for event in &events {
                match event {
                    // The text that such a token would have stood after never was.
                    Event::Discarded {
                        position,
                        token,
                        draft_prob,
                        target_prob,
                        target_distribution,
                        ..
                    } => {
                        let column = *position as usize - start;
                        assert_eq!(drafted[column], *token, "{name}");
                        let before = [&tokens[..start], &drafted[..column]].concat();
                        check(
                            Which::Target,
                            &before,
                            &target_distribution.probs,
                            *position,
                        );
                        assert_eq!(target_distribution.prob(*token), Some(*target_prob));
                        assert!(*draft_prob > 0.0, "{name}");
                        discarded += 1;
                    }
                    Event::Drafted {
                        position,
                        token,
                        draft_distribution,
                        ..
                    } => {
                        start = *position as usize - drafted.len();
                        let before = [&tokens[..start], &drafted].concat();
                        check(Which::Draft, &before, &draft_distribution.probs, *position);
                        drafted.push(*token);
                    }
                    Event::Verified {
                        position,
                        target_distribution,
                        accepted,
                        ..
                    } => {
                        let before = &tokens[..*position as usize];
                        check(Which::Target, before, &target_distribution.probs, *position);
                        rejections += usize::from(!accepted);
                    }
                    Event::Bonus {
                        position,
                        target_distribution,
                        ..
                    } => {
                        if let Some(before) = tokens.get(..*position as usize) {
                            check(Which::Target, before, &target_distribution.probs, *position);
                        }
                        full_acceptances += 1;
                    }
                    Event::Committed { .. } => drafted.clear(),
                    _ => {}
                }
            }
            assert!(
                rejections > 0 && full_acceptances > 0,
                "{name}: the run must show both"
            );
            assert_eq!(discarded > 0, gamma > 1, "{name}");
        }
    }
}

/// What is verified is what was sampled from, and the residual is taken token by token and not
/// rank by rank, whatever the filters and with the factors of each rule.
#[test]
fn verdicts_and_residuals_follow_from_the_shown_distributions() {
    let plain = tiny_settings();
    let all = [
        plain.clone(),
        Settings {
            top_k: 3,
            // One with both of its words.
            seed: (7 << 32) | 3,
            ..plain.clone()
        },
        Settings {
            top_p: 0.6,
            temperature: 1.5,
            ..plain.clone()
        },
        Settings {
            rule: Rule::Lenience,
            lenience: 0.6,
            ..plain.clone()
        },
        Settings {
            rule: Rule::Typical,
            // Neither alone, nor one in the other's place, would be the threshold.
            epsilon: 0.2,
            delta: 0.9,
            ..plain.clone()
        },
        Settings {
            rule: Rule::Block,
            ..plain
        },
    ];
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for settings in &all {
            let settings = Settings {
                max_tokens: 60,
                ..settings.clone()
            };
            let (_, events) = write(&engine, &settings);
            let residuals = check_rounds(&events, &settings, &format!("{name}, {settings:?}"));
            assert!(
                residuals > 0,
                "{name}, {settings:?}: the run must show a rejection"
            );
        }
    }
}

/// `min(ε, δ exp(−H))` with the target's entropy H in nats (Cai et al. 2024, section 2.3.1).
fn typical_threshold(target: &Distribution, settings: &Settings) -> f32 {
    let probs = target.probs.iter().filter(|prob| **prob > 0.0);
    let entropy: f32 = probs.map(|prob| -prob * prob.ln()).sum();
    (settings.epsilon as f32).min(settings.delta as f32 * (-entropy).exp())
}

/// Computes every verdict and residual from the distributions beside it; returns how many residuals
/// there were.
fn check_rounds(events: &[Event], settings: &Settings, name: &str) -> usize {
    let block = settings.rule == Rule::Block;
    let draft_factor = match settings.rule {
        Rule::Lenience => settings.lenience as f32,
        _ => 1.0,
    };
    let mut drafts = std::collections::HashMap::new();
    // Of one round: both distributions of every judged token, the product of the ratios before it,
    // and whether the rule keeps the text up to it.
    let mut judged: Vec<(&Distribution, &Distribution, f32, bool)> = Vec::new();
    let mut kept = Vec::new();
    let mut ratio = 1.0f32;
    let mut residuals = 0;
    for event in events {
        match event {
            Event::Drafted {
                position,
                token,
                draft_distribution,
                ..
            } => {
                assert!(draft_distribution.prob(*token).unwrap() > 0.0, "{name}");
                drafts.insert(*position, draft_distribution);
            }
            Event::Verified {
                position,
                token,
                draft_prob,
                target_prob,
                draw,
                threshold,
                accepted,
                target_distribution,
                ..
            } => {
                let draft = drafts.remove(position).unwrap();
                assert_eq!(draft.prob(*token), Some(*draft_prob), "{name}");
                assert_eq!(
                    target_distribution.prob(*token),
                    Some(*target_prob),
                    "{name}"
                );
                if matches!(settings.rule, Rule::Rejection | Rule::Lenience) {
                    let expected = uniform(settings.seed, *position, Purpose::Accept, 0);
                    assert_eq!(*draw, expected, "{name}");
                }
                let keeps = match settings.rule {
                    Rule::Block => *draw < threshold.unwrap(),
                    Rule::Typical => {
                        *target_prob > typical_threshold(target_distribution, settings)
                    }
                    _ => draw * draft_factor * draft_prob < *target_prob,
                };
                judged.push((draft, target_distribution, ratio, keeps));
                kept.push(*accepted);
                ratio = (ratio * target_prob / draft_prob).min(1.0);
            }
            Event::Resampled {
                token,
                residual,
                residual_mass,
                ..
            } => {
                let accepted = kept.iter().filter(|kept| **kept).count();
                let (draft, target, before, _) = judged[accepted];
                let target_factor = if block { before } else { 1.0 };
                if settings.rule == Rule::Typical {
                    // Drawn from the target as it is.
                    assert_eq!((*residual_mass, residual), (0.0, target), "{name}");
                    residuals += 1;
                    continue;
                }
                for (id, prob) in residual.iter() {
                    let [draft, target] = [draft, target].map(|it| it.probs[id as usize]);
                    let left = (target_factor * target - draft_factor * draft).max(0.0);
                    assert!((prob * residual_mass - left).abs() < 1e-6, "{name}");
                }
                assert!(residual.prob(*token).unwrap() > 0.0, "{name}");
                residuals += 1;
            }
            Event::RoundEnded { .. } => {
                // The longest prefix that passes is kept: under rules that judge a token at a
                // time no later one is judged.
                let longest = judged.iter().rposition(|(.., keeps)| *keeps);
                let longest = longest.map_or(0, |last| last + 1);
                let expected: Vec<bool> = (0..judged.len()).map(|place| place < longest).collect();
                assert_eq!(kept, expected, "{name}");
                (judged, kept, ratio) = (Vec::new(), Vec::new(), 1.0);
            }
            _ => {}
        }
    }
    residuals
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let facts = |settings: &Settings| -> Vec<Event> {
            let (_, events) = write(&engine, settings);
            events
                .into_iter()
                .filter(|e| !matches!(e, Event::Started { .. } | Event::RoundEnded { .. }))
                .collect()
        };
        let settings = tiny_settings();
        assert_eq!(facts(&settings), facts(&settings), "{name}");
        assert_ne!(
            facts(&settings),
            facts(&Settings {
                seed: 1,
                ..settings.clone()
            }),
            "{name}"
        );
    }
}

#[test]
fn a_run_ends_at_its_length_or_where_the_context_is_full() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for gamma in [0, 3, 8] {
            let (tokens, events) = write(
                &engine,
                &Settings {
                    gamma,
                    max_tokens: 7,
                    ..tiny_settings()
                },
            );
            assert_eq!(tokens.len(), 4 + 7, "{name}");
            assert_eq!(
                events.last(),
                Some(&Event::Finished {
                    reason: FinishReason::Length
                }),
                "{name}"
            );
            let (tokens, events) = write(
                &engine,
                &Settings {
                    gamma,
                    max_tokens: 1000,
                    ..tiny_settings()
                },
            );
            assert_eq!(tokens.len(), 48, "{name}");
            assert_eq!(
                events.last(),
                Some(&Event::Finished {
                    reason: FinishReason::ContextFull
                }),
                "{name}"
            );
        }
    }
}

#[test]
fn filters_leave_only_what_they_allow_at_every_step() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let settings = Settings {
            top_k: 3,
            ..tiny_settings()
        };
        for event in write(&engine, &settings).1 {
            if let Event::Drafted {
                token,
                draft_distribution,
                ..
            } = event
            {
                let probs = draft_distribution.probs.iter();
                let possible = probs.filter(|prob| **prob > 0.0).count();
                assert!(possible <= 3, "{name}: {possible}");
                assert!(draft_distribution.prob(token).unwrap() > 0.0, "{name}");
            }
        }
    }
}

/// The first drafted token after a prompt is drawn from one and the same distribution, whose filters
/// then say what they made of it.
#[test]
fn filters_leave_what_they_allow_and_all_of_it() {
    let filters = [(3, 1.0), (0, 0.3), (0, 0.6), (4, 0.8)];
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        for prompt in ["abc", "hgf", "dad", "bee"] {
            let first = |top_k, top_p| -> Distribution {
                let settings = Settings {
                    prompt: prompt.to_owned(),
                    top_k,
                    top_p,
                    gamma: 1,
                    max_tokens: 2,
                    ..tiny_settings()
                };
                let events = write(&engine, &settings).1;
                let drafted = events.into_iter().find_map(|event| match event {
                    Event::Drafted {
                        draft_distribution, ..
                    } => Some(draft_distribution),
                    _ => None,
                });
                drafted.expect("a token is drafted")
            };
            let whole = first(0, 1.0).probs;
            for (top_k, top_p) in filters {
                let mut ranked: Vec<usize> = (0..whole.len()).collect();
                ranked.sort_by(|a, b| whole[*b].total_cmp(&whole[*a]));
                ranked.truncate(if top_k == 0 {
                    whole.len()
                } else {
                    top_k as usize
                });
                let mass: f32 = ranked.iter().map(|token| whole[*token]).sum();
                // The fewest that reach the share of what the other filter has left.
                let mut reached = 0.0;
                let fewest = ranked.iter().position(|token| {
                    reached += whole[*token] / mass;
                    f64::from(reached) >= top_p
                });
                ranked.truncate(fewest.map_or(ranked.len(), |last| last + 1));
                let mass: f32 = ranked.iter().map(|token| whole[*token]).sum();
                let found = first(top_k, top_p).probs;
                for (token, prob) in found.iter().enumerate() {
                    let expected = match ranked.contains(&token) {
                        true => whole[token] / mass,
                        false => 0.0,
                    };
                    assert!(
                        (prob - expected).abs() < 1e-5,
                        "{name}, {prompt}, top-k {top_k}, top-p {top_p}: {found:?} of {whole:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_round_reads_back_once() {
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        let (_, events) = write(
            &engine,
            &Settings {
                gamma: 5,
                ..tiny_settings()
            },
        );
        for event in events {
            if let Event::RoundEnded { timings, .. } = event {
                assert_eq!(timings.readbacks, u32::from(name == "GPU"), "{name}");
                // Five kernels a layer, lookup, logits, probabilities, draw; and the verification.
                assert!(
                    timings.dispatches <= 5 * (5 + 4) + (2 * 5 + 3) + 1,
                    "{name}: {}",
                    timings.dispatches
                );
            }
        }
    }
}

/// What a verdict says besides its outcome belongs to its rule: views tell rules apart by it.
#[test]
fn verdicts_carry_what_their_rule_compared() {
    let engine = tiny(&couplet_engine::Backend::cpu(), 8);
    for rule in Rule::ALL {
        let settings = Settings {
            rule,
            max_tokens: 20,
            ..tiny_settings()
        };
        for event in write(&engine, &settings).1 {
            if let Event::Verified {
                draw,
                threshold,
                own_token,
                ..
            } = event
            {
                let draws = matches!(rule, Rule::Rejection | Rule::Lenience | Rule::Block);
                let compares = matches!(rule, Rule::Block | Rule::Typical);
                let own = matches!(rule, Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch);
                assert_eq!(draw > 0.0, draws, "{rule:?}");
                assert_eq!(threshold.is_some(), compares, "{rule:?}");
                assert_eq!(own_token.is_some(), own, "{rule:?}");
            }
        }
    }
}
