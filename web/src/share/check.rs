//! Whether a trace from a file can be drawn: every number is looked at once, so that nothing
//! behind this has to doubt it.

mod rounds;
#[cfg(test)]
pub mod tests;

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
