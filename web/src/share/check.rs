//! Whether a trace from a file can be drawn: every number is looked at once, so that nothing
//! behind this has to doubt it.

mod rounds;

use std::collections::HashSet;

use couplet_protocol::{Distribution, Event, PairInfo, SettingsError, Trace};
use tr::tr;

use crate::language;

/// The largest file that is read, in bytes: the longest runs need a tenth of it.
pub const MOST_BYTES: usize = 64 << 20;
/// The largest vocabulary.
const MOST_TOKENS: usize = 1 << 20;
/// The longest name or title, in characters.
const LONGEST_TEXT: usize = 400;
/// How far probabilities may miss 1 in sum: they are written with the digits of an f32.
const SLACK: f32 = 1e-3;

/// Reads the text of a file.
///
/// # Errors
///
/// A sentence that says what is wrong with it and what to do.
pub fn read(text: &str) -> Result<Trace, String> {
    if text.len() > MOST_BYTES {
        return Err(tr!(
            "This file has {} MB; a trace of the longest run is smaller than {} MB. Choose the file that “Trace as JSON” gave.",
            text.len() >> 20,
            MOST_BYTES >> 20
        ));
    }
    let text = text.trim_start_matches('\u{feff}');
    let trace = Trace::from_json(text).map_err(|sentence| {
        tr!(
            "{sentence} Save the trace again where it was made.",
            sentence = language::of_engine(&sentence)
        )
    })?;
    check(&trace).map_err(|clause| {
        tr!(
            "This trace is damaged: {clause}. Save it again where it was made; the page shows what it did before.",
            clause
        )
    })?;
    Ok(trace)
}

/// Checks everything that the page relies on.
fn check(trace: &Trace) -> Result<(), String> {
    trace
        .settings
        .check()
        .map_err(|error| format!("settings.{}", said(&error)))?;
    check_pair(&trace.pair)?;
    let texts = [&trace.device.name, &trace.device.variant];
    if texts
        .into_iter()
        .any(|text| text.chars().count() > LONGEST_TEXT)
    {
        return Err(tr!(
            "the device's name has more than {} characters",
            LONGEST_TEXT
        ));
    }
    rounds::check(&trace.events, trace.pair.tokens.len(), &trace.settings)?;
    if let Some(branch) = &trace.branch {
        branch
            .check(trace.pair.tokens.len())
            .map_err(|error| said(&error))?;
        let kept: Vec<u32> = branch.tokens().collect();
        let begins = trace.events.first().is_some_and(
            |event| matches!(event, Event::Started { prompt_tokens, .. } if prompt_tokens.ends_with(&kept)),
        );
        if !begins {
            return Err(tr!(
                "its first event does not hold the tokens of its branch"
            ));
        }
    }
    match trace.events.first() {
        Some(Event::Started { prompt_tokens, .. })
            if (trace.pair.prefix_tokens as usize) <= prompt_tokens.len() =>
        {
            Ok(())
        }
        _ => Err(tr!("its prompt is shorter than the pair's prefix")),
    }
}

fn check_pair(pair: &PairInfo) -> Result<(), String> {
    let tokens = pair.tokens.len();
    if !(2..=MOST_TOKENS).contains(&tokens) {
        return Err(tr!(
            "pair.tokens has {tokens} entries; 2 to {most} are possible",
            tokens,
            most = MOST_TOKENS
        ));
    }
    let texts = [&pair.name, &pair.title, &pair.token_kind];
    if texts
        .into_iter()
        .chain(&pair.tokens)
        .any(|text| text.chars().count() > LONGEST_TEXT)
    {
        return Err(tr!(
            "a text in pair has more than {} characters",
            LONGEST_TEXT
        ));
    }
    if !(0.0..=1.0).contains(&pair.acceptance_rate) {
        return Err(tr!(
            "{name} is not between 0 and 1",
            name = "pair.acceptance_rate"
        ));
    }
    let losses = [pair.draft.validation_loss, pair.target.validation_loss];
    if losses.iter().any(|loss| !loss.is_finite()) {
        return Err(tr!("a validation_loss in pair is no number"));
    }
    Ok(())
}

/// What is wrong with a setting or a branch.
fn said(error: &SettingsError) -> String {
    format!("{}: {}", error.field, language::of_engine(&error.sentence))
}

/// A clause about what is wrong, with its place.
fn at(clause: String, place: &str) -> String {
    tr!("{clause} {place}", clause, place)
}

fn share(value: f32, name: &str) -> Result<(), String> {
    if (0.0..=1.0 + SLACK).contains(&value) {
        Ok(())
    } else {
        Err(tr!("{name} is not between 0 and 1", name))
    }
}

fn check_distribution(it: &Distribution, vocabulary: usize) -> Result<(), String> {
    let count = it.probs.len();
    // The page looks every one of them up wherever the playhead goes.
    if count > Distribution::COMPLETE {
        return Err(tr!(
            "a distribution has {count} probabilities, where no more than {most} are kept",
            count,
            most = Distribution::COMPLETE
        ));
    }
    match &it.tokens {
        None if count != vocabulary => {
            return Err(tr!(
                "a distribution has {count} probabilities for {vocabulary} tokens",
                count,
                vocabulary
            ));
        }
        Some(tokens) if tokens.len() != count => {
            return Err(tr!(
                "a distribution names {tokens} tokens for {count} probabilities",
                tokens = tokens.len(),
                count
            ));
        }
        Some(tokens) if tokens.iter().any(|token| *token as usize >= vocabulary) => {
            return Err(tr!(
                "a distribution names a token that the pair does not have"
            ));
        }
        Some(tokens) if tokens.iter().collect::<HashSet<_>>().len() != count => {
            return Err(tr!("a distribution names a token twice"));
        }
        _ => {}
    }
    let probability = tr!("a probability");
    for prob in it.probs.iter().chain([&it.rest]) {
        share(*prob, &probability)?;
    }
    let sum = it.probs.iter().sum::<f32>() + it.rest;
    if (sum - 1.0).abs() > SLACK {
        return Err(tr!("the probabilities sum to {sum}", sum));
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use couplet_protocol::Rule;

    /// The recording that comes with the page.
    pub fn recording() -> Trace {
        read(include_str!(
            "../../../assets/pairs/shakespeare/recording.json"
        ))
        .unwrap()
    }

    #[test]
    fn what_the_page_itself_wrote_is_read() {
        recording();
        read(include_str!("../../../assets/pairs/stories/recording.json")).unwrap();
    }

    /// Takes the recording apart in one place.
    fn broken(from: &str, to: &str) -> String {
        let text = include_str!("../../../assets/pairs/shakespeare/recording.json");
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        read(&changed).expect_err(from)
    }

    #[test]
    fn whatever_is_wrong_gets_a_sentence() {
        for (from, to, says) in [
            ("\"version\":1", "\"version\":2", "version 2"),
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

    #[test]
    fn no_event_can_be_left_out_or_doubled_but_timings() {
        let whole = recording();
        for place in 0..whole.events.len() {
            let mut without = whole.clone();
            without.events.remove(place);
            // The end may be missing: such a run was cut off.
            let last = place + 1 == whole.events.len();
            // So may what the target said of the tokens behind a rejected one, as in old traces:
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

    #[test]
    fn a_verdict_that_its_numbers_do_not_give_is_refused() {
        let whole = recording();
        let with = |rule: Rule, change: &dyn Fn(&mut Event)| {
            let mut trace = whole.clone();
            trace.settings.rule = rule;
            trace.events.iter_mut().for_each(change);
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
        });
        assert_eq!(level, "");
        // What these rules look at is not in a run by Rejection.
        for rule in [
            Rule::Gumbel,
            Rule::MinHash,
            Rule::SampleAndMatch,
            Rule::Block,
            Rule::Typical,
        ] {
            let said = with(rule, &nothing);
            assert!(said.contains(refused), "{rule:?}: {said}");
        }
        let beyond = with(Rule::Block, &|event: &mut Event| {
            if let Event::Verified { threshold, .. } = event {
                *threshold = Some(1e38);
            }
        });
        assert!(beyond.contains("threshold"), "{beyond}");
        // With it they are read, and refused where it says the opposite.
        for rule in [Rule::Gumbel, Rule::MinHash, Rule::SampleAndMatch] {
            let own = |opposite: bool| {
                with(rule, &move |event: &mut Event| {
                    if let Event::Verified {
                        own_token,
                        token,
                        accepted,
                        ..
                    } = event
                    {
                        let other = if *token == 0 { 1 } else { 0 };
                        let is_own = *accepted != opposite;
                        *own_token = Some(if is_own { *token } else { other });
                    }
                })
            };
            assert_eq!(own(false), "", "{rule:?}");
            let said = own(true);
            assert!(said.contains(refused), "{rule:?}: {said}");
        }
        let typical = |opposite: bool| {
            with(Rule::Typical, &move |event: &mut Event| {
                if let Event::Verified {
                    threshold,
                    target_prob,
                    accepted,
                    ..
                } = event
                {
                    let above = *accepted != opposite;
                    *target_prob = 0.25;
                    *threshold = Some(if above { 0.125 } else { 0.5 });
                }
            })
        };
        assert_eq!(typical(false), "");
        let said = typical(true);
        assert!(said.contains(refused), "{said}");
    }

    #[test]
    fn a_token_behind_a_rejected_one_is_not_kept() {
        let mut trace = recording();
        let place = |event: &Event| matches!(event, Event::Discarded { .. });
        let place = trace.events.iter().position(place).unwrap();
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
            draw: 0.0,
            threshold: None,
            own_token: None,
            accepted: true,
            target_distribution,
        };
        let said = check(&trace).unwrap_err();
        assert!(said.contains("kept behind a rejected one"), "{said}");
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
    }
}
