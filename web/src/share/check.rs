//! Whether a trace from a file can be drawn: every number is looked at once, so that nothing
//! behind this has to doubt it.

mod rounds;

use couplet_protocol::{Distribution, Event, PairInfo, Trace};

/// The largest file that is read, in bytes: the longest runs need a tenth of it.
pub const MOST_BYTES: usize = 64 << 20;
/// The largest vocabulary.
const MOST_TOKENS: usize = 1 << 20;
/// The longest name or title.
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
        return Err(format!(
            "This file has {} MB; a trace of the longest run is smaller than {} MB. Choose the file that “Trace as JSON” gave.",
            text.len() >> 20,
            MOST_BYTES >> 20
        ));
    }
    let text = text.trim_start_matches('\u{feff}');
    let trace = Trace::from_json(text)
        .map_err(|sentence| format!("{sentence} Save the trace again where it was made."))?;
    check(&trace).map_err(|clause| {
        format!("This trace is damaged: {clause}. Save it again where it was made; the page shows what it did before.")
    })?;
    Ok(trace)
}

/// Checks everything that the page relies on.
fn check(trace: &Trace) -> Result<(), String> {
    trace
        .settings
        .check()
        .map_err(|error| format!("settings.{error}"))?;
    check_pair(&trace.pair)?;
    let texts = [&trace.device.name, &trace.device.variant];
    if texts.into_iter().any(|text| text.len() > LONGEST_TEXT) {
        return Err(format!(
            "the device's name has more than {LONGEST_TEXT} characters"
        ));
    }
    rounds::check(&trace.events, trace.pair.tokens.len(), &trace.settings)?;
    if let Some(branch) = &trace.branch {
        branch
            .check(trace.pair.tokens.len())
            .map_err(|error| error.to_string())?;
        let kept: Vec<u32> = branch.tokens().collect();
        let begins = trace.events.first().is_some_and(
            |event| matches!(event, Event::Started { prompt_tokens, .. } if prompt_tokens.ends_with(&kept)),
        );
        if !begins {
            return Err("its first event does not hold the tokens of its branch".to_owned());
        }
    }
    match trace.events.first() {
        Some(Event::Started { prompt_tokens, .. })
            if (trace.pair.prefix_tokens as usize) <= prompt_tokens.len() =>
        {
            Ok(())
        }
        _ => Err("its prompt is shorter than the pair's prefix".to_owned()),
    }
}

fn check_pair(pair: &PairInfo) -> Result<(), String> {
    let tokens = pair.tokens.len();
    if !(2..=MOST_TOKENS).contains(&tokens) {
        return Err(format!(
            "pair.tokens has {tokens} entries; 2 to {MOST_TOKENS} are possible"
        ));
    }
    let texts = [&pair.name, &pair.title, &pair.token_kind];
    if texts
        .into_iter()
        .chain(&pair.tokens)
        .any(|text| text.len() > LONGEST_TEXT)
    {
        return Err(format!(
            "a text in pair has more than {LONGEST_TEXT} characters"
        ));
    }
    if !(0.0..=1.0).contains(&pair.acceptance_rate) {
        return Err("pair.acceptance_rate is not between 0 and 1".to_owned());
    }
    let losses = [pair.draft.validation_loss, pair.target.validation_loss];
    if losses.iter().any(|loss| !loss.is_finite()) {
        return Err("a validation_loss in pair is no number".to_owned());
    }
    Ok(())
}

fn share(value: f32, name: &str, place: &str) -> Result<(), String> {
    if (0.0..=1.0 + SLACK).contains(&value) {
        Ok(())
    } else {
        Err(format!("{name} is not between 0 and 1 {place}"))
    }
}

fn check_distribution(it: &Distribution, vocabulary: usize, place: &str) -> Result<(), String> {
    match &it.tokens {
        None if it.probs.len() != vocabulary => {
            let count = it.probs.len();
            return Err(format!(
                "a distribution has {count} probabilities for {vocabulary} tokens {place}"
            ));
        }
        Some(tokens) if tokens.len() != it.probs.len() => {
            return Err(format!(
                "a distribution names {} tokens for {} probabilities {place}",
                tokens.len(),
                it.probs.len()
            ));
        }
        Some(tokens) if tokens.iter().any(|token| *token as usize >= vocabulary) => {
            return Err(format!(
                "a distribution names a token that the pair does not have {place}"
            ));
        }
        _ => {}
    }
    for prob in it.probs.iter().chain([&it.rest]) {
        share(*prob, "a probability", place)?;
    }
    let sum = it.probs.iter().sum::<f32>() + it.rest;
    if (sum - 1.0).abs() > SLACK {
        return Err(format!("the probabilities sum to {sum} {place}"));
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;

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
            // So may drafted tokens behind a rejected one: nothing else speaks of them.
            let drafted = matches!(whole.events[place], Event::Drafted { .. });
            assert!(
                check(&without).is_err() || last || drafted,
                "without {:?}",
                whole.events[place]
            );
            let mut doubled = whole.clone();
            doubled.events.insert(place, whole.events[place].clone());
            assert!(check(&doubled).is_err(), "twice {:?}", whole.events[place]);
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
        let draw = spoil(&|event| match event {
            Event::Verified { draw, .. } => {
                *draw = f32::NAN;
                true
            }
            _ => false,
        });
        assert!(draw.contains("draw"), "{draw}");
    }
}
