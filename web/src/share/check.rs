//! Whether a trace from a file can be drawn: every number is looked at once, so that nothing
//! behind this has to doubt it.

mod no_trace;
mod redraw;
pub mod report;
mod rounds;
#[cfg(test)]
pub mod tests;

use couplet_playback::tr;
use couplet_protocol::{
    Branch, Distribution, Event, PairInfo, Rule, Settings, SettingsError, Trace,
};

use crate::language;
use crate::permalink;

/// The largest file that is read, in bytes: the longest runs need a tenth of it.
pub const MOST_BYTES: usize = 64_000_000;
/// The largest vocabulary.
const MOST_TOKENS: usize = 1 << 20;
/// The longest name or title, in characters.
const LONGEST_TEXT: usize = 400;
/// The most tokens of prefix and prompt: a letter has four bytes at most, a token one at least, and
/// there is room for a prefix.
const MOST_READ: usize = 5 * Settings::MAX_PROMPT;
/// How far probabilities may miss 1 in sum: they are written with the digits of an f32.
const SLACK: f32 = 1e-3;

/// Reads the text of a file.
///
/// # Errors
///
/// A sentence that says what is wrong with it and what to do.
pub fn read(text: &str) -> Result<Trace, String> {
    if text.len() > MOST_BYTES {
        return Err(too_large(text.len()));
    }
    let text = text.trim_start_matches('\u{feff}');
    let mut trace = Trace::from_json(text).map_err(|sentence| no_trace::said(text, &sentence))?;
    // One without tokens is none.
    trace.branch = trace.branch.filter(|branch| !branch.is_empty());
    forget_idle_draws(&mut trace);
    check(&trace).map_err(damaged)?;
    Ok(trace)
}

/// What is said of so many bytes, more than the longest run has.
pub fn too_large(bytes: usize) -> String {
    let megabytes = |bytes: usize| bytes.div_ceil(1_000_000);
    tr!(
        "This file has {} MB; a trace of the longest run is smaller than {} MB. Choose the file that “Trace as JSON” gave.",
        megabytes(bytes),
        megabytes(MOST_BYTES)
    )
}

/// Takes the numbers out of verdicts that their rule does not look at: engines of before wrote them
/// down.
fn forget_idle_draws(trace: &mut Trace) {
    match trace.settings.rule {
        Rule::Rejection | Rule::Block | Rule::Lenience => return,
        Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch | Rule::Greedy | Rule::Typical => {}
    }
    for event in &mut trace.events {
        if let Event::Verified { draw, .. } = event {
            *draw = 0.0;
        }
    }
}

/// A sentence about a trace that cannot be drawn.
fn damaged(clause: String) -> String {
    tr!(
        "This trace is damaged: {clause}. Put that right, or choose the file as it was saved; the page shows what it did before.",
        clause
    )
}

/// Checks everything that the page relies on.
fn check(trace: &Trace) -> Result<(), String> {
    trace
        .settings
        .check()
        .map_err(|error| format!("settings.{}", said(&error)))?;
    check_pair(&trace.pair)?;
    agree(
        ["settings.pair", &trace.settings.pair],
        ["pair.name", &trace.pair.name],
    )?;
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
    rounds::check(trace)?;
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
            check_prompt(trace, prompt_tokens)
        }
        _ => Err(tr!("its prompt is shorter than the pair's prefix")),
    }
}

/// That the prompt in the settings is what the models read.
fn check_prompt(trace: &Trace, read: &[u32]) -> Result<(), String> {
    let behind = trace.branch.as_ref().map_or(0, Branch::len);
    let prefix = trace.pair.prefix_tokens as usize;
    let before = read.len() - behind;
    if before > MOST_READ {
        return Err(tr!(
            "its prompt has {count} tokens; {characters} characters, the most that a prompt can have, and a prefix have no more than {most}",
            count = before,
            characters = Settings::MAX_PROMPT,
            most = MOST_READ
        ));
    }
    let own = read.get(prefix..before).unwrap_or_default();
    let texts = own.iter().map(|token| &trace.pair.tokens[*token as usize]);
    // A token may be a part of a letter, which has no text of its own.
    if texts
        .clone()
        .any(|text| text.contains(char::REPLACEMENT_CHARACTER))
    {
        return Ok(());
    }
    // One character more than any prompt has is enough to tell them apart.
    let letters = texts.flat_map(|text| text.chars());
    let text: String = letters.take(Settings::MAX_PROMPT + 1).collect();
    agree(
        ["settings.prompt", &trace.settings.prompt],
        ["prompt_tokens", &text],
    )
}

/// That two parts of a trace, each with its name, say the same.
fn agree([one, here]: [&str; 2], [other, there]: [&str; 2]) -> Result<(), String> {
    if here == there {
        return Ok(());
    }
    Err(tr!(
        "{one} says “{here}”, but {other} says “{there}”",
        one,
        here = permalink::shorten(here),
        other,
        there = permalink::shorten(there)
    ))
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

fn holds_one_twice(tokens: &[u32]) -> bool {
    let mut sorted = tokens.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
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
        Some(tokens) if holds_one_twice(tokens) => {
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
