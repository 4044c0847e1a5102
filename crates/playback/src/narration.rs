//! What happens, in sentences.

mod judge;

use crate::tr;
use couplet_protocol::{Rule, Settings};

use crate::visible::spoken;
use crate::{Closing, ClosingKind, Phase, Round, Step, decimal};

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Running text.
    Text(String),
    /// A token of the text, to be set apart.
    Token(String),
}

/// A sentence without its typography, for the live region.
pub fn plain(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Token(token) => spoken(token),
        })
        .collect()
}

/// Small numbers in words.
pub fn count_word(count: usize) -> String {
    match count {
        0 => tr!("count" => "no"),
        1 => tr!("count" => "one"),
        2 => tr!("count" => "two"),
        3 => tr!("count" => "three"),
        4 => tr!("count" => "four"),
        5 => tr!("count" => "five"),
        6 => tr!("count" => "six"),
        7 => tr!("count" => "seven"),
        8 => tr!("count" => "eight"),
        9 => tr!("count" => "nine"),
        10 => tr!("count" => "ten"),
        11 => tr!("count" => "eleven"),
        12 => tr!("count" => "twelve"),
        _ => count.to_string(),
    }
}

/// What stands around a token inside a sentence: characters that no text has.
const AROUND: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

fn set_apart(token: &str) -> String {
    let [before, after] = AROUND;
    format!("{before}{token}{after}")
}

/// A sentence, cut where tokens are set apart in it.
fn pieces(sentence: &str) -> Vec<Piece> {
    let parts = sentence.split(AROUND).enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => Piece::Text(part.to_owned()),
            _ => Piece::Token(part.to_owned()),
        })
        .filter(|piece| *piece != Piece::Text(String::new()))
        .collect()
}

/// "s, n and d".
fn list(tokens: &[String]) -> String {
    match tokens {
        [most @ .., last] if !most.is_empty() => {
            tr!("{most} and {last}", most = most.join(", "), last)
        }
        _ => tokens.concat(),
    }
}

/// What happens in a step, in one or two sentences. `show` gives a token as it can be seen.
pub fn narrate(
    round: &Round,
    step: Step,
    settings: &Settings,
    show: impl Fn(u32) -> String,
) -> Vec<Piece> {
    let show = |token: u32| set_apart(&show(token));
    let drafted = round.proposals.len();
    let sentence = match step.phase {
        Phase::Draft => {
            let tokens: Vec<String> = round.proposals.iter().map(|it| show(it.token)).collect();
            let tokens = list(&tokens);
            if drafted > 1 {
                tr!("The draft pencils {tokens}, one after another.", tokens)
            } else {
                tr!("The draft pencils {tokens}.", tokens)
            }
        }
        Phase::Verify if drafted == 1 => {
            tr!("The target reads it in one pass and gives it a probability of its own.")
        }
        Phase::Verify => tr!(
            "The target reads all {} in one pass and gives each a probability of its own.",
            count_word(drafted)
        ),
        Phase::Judge if settings.rule == Rule::Block => judge::block(round, show),
        Phase::Judge => judge::token(round, step.column, settings, show),
        Phase::Resample | Phase::Bonus => match &round.closing {
            Some(closing) => close(round, closing, settings.rule, show(closing.token)),
            None => String::new(),
        },
        Phase::Commit => commit(round, settings.rule),
    };
    pieces(&sentence)
}

fn close(round: &Round, closing: &Closing, rule: Rule, token: String) -> String {
    if closing.kind == ClosingKind::Bonus {
        let all = match round.proposals.len() {
            0 => {
                return tr!(
                    "Nothing was drafted: the target writes {token} alone.",
                    token
                );
            }
            1 => tr!("The drafted token was inked."),
            count => tr!("All {} were inked.", count_word(count)),
        };
        let how = match rule {
            Rule::Gumbel => tr!("the first by the same clocks"),
            Rule::MinHash => tr!("named by its first dart"),
            Rule::Greedy => tr!("the target’s favourite"),
            _ => tr!("drawn from them"),
        };
        let free = tr!(
            "The same pass gave the next probabilities too: {token}, {how}, without another pass.",
            token,
            how
        );
        return format!("{all} {free}");
    }
    let place = match rule {
        Rule::Greedy => {
            return tr!(
                "The target’s own most probable token is {token}, so that is inked.",
                token
            );
        }
        Rule::Gumbel => {
            return tr!(
                "The target’s own first is {token}, so that is inked.",
                token
            );
        }
        Rule::MinHash => {
            return tr!(
                "The target’s own dart names {token}, so that is inked.",
                token
            );
        }
        Rule::SampleAndMatch => {
            return tr!("The target’s own draw is {token}, so that is inked.", token);
        }
        Rule::Rejection => tr!("The residual is what the target has beyond the draft."),
        Rule::Block => tr!(
            "The residual is what the target, times the ratios of what was kept (cut to 1 after each), has beyond the draft."
        ),
        Rule::Lenience => {
            tr!("The residual is what the target has beyond the part of the draft that counts.")
        }
        Rule::Typical => tr!("The target draws anew."),
    };
    let draw = decimal(closing.draw, 2);
    let lands = tr!(
        "u′ {draw} lands in {token}, which is inked instead.",
        draw,
        token
    );
    format!("{place} {lands}")
}

fn commit(round: &Round, rule: Rule) -> String {
    let mut parts = Vec::new();
    match round.accepted() {
        0 => {}
        count => parts.push(tr!(
            "one inked" | "{n} inked" % count,
            n = count_word(count)
        )),
    }
    match round.closing.as_ref().map(|closing| closing.kind) {
        Some(ClosingKind::Resampled) if !redraws(rule) => parts.push(tr!("one replaced")),
        Some(ClosingKind::Resampled) => parts.push(tr!("one resampled")),
        Some(ClosingKind::Bonus) if !round.proposals.is_empty() => parts.push(tr!("one bonus")),
        _ => {}
    }
    match round.discarded() {
        0 => {}
        count => parts.push(tr!(
            "one discarded" | "{n} discarded" % count,
            n = count_word(count)
        )),
    }
    let count = round.committed.len();
    let written = match &round.closing {
        Some(_) => count.max(round.accepted() + 1),
        None => count,
    };
    let mut tokens = tr!(
        "one token from a single pass of the target"
            | "{n} tokens from a single pass of the target" % written,
        n = count_word(written)
    );
    // The last round may bring more than was asked for or than the context holds.
    if count < written {
        tokens = tr!(
            "{tokens}, of which the text takes one"
                | "{tokens}, of which the text takes {n}" % count,
            tokens,
            n = count_word(count)
        );
    }
    if parts.is_empty() {
        capital(&format!("{tokens}."))
    } else {
        capital(&format!("{}: {tokens}.", parts.join(", ")))
    }
}

/// One sentence about a whole round, for people who listen. `show` gives a token as it can be
/// seen.
pub fn round_summary(
    number: usize,
    round: &Round,
    rule: Rule,
    show: impl Fn(u32) -> String,
) -> String {
    let show = |token: u32| spoken(&show(token));
    let mut said = vec![tr!("{count} accepted", count = round.accepted())];
    if let Some(proposal) = round
        .rejected()
        .and_then(|column| round.proposals.get(column))
    {
        said.push(tr!("{token} rejected", token = show(proposal.token)));
    }
    if let Some(closing) = &round.closing {
        let token = show(closing.token);
        said.push(if closing.kind == ClosingKind::Bonus {
            tr!("{token} added by the target", token)
        } else if !redraws(rule) {
            tr!("the target’s own {token} in its place", token)
        } else {
            tr!("{token} resampled", token)
        });
    }
    tr!("Round {number}: {said}.", number, said = said.join(", "))
}

/// Whether a rejected token is replaced by another draw, and not by the one that the target had
/// anyway.
pub fn redraws(rule: Rule) -> bool {
    !rule.is_drafter_invariant()
}

/// With a capital at the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    // Unicode's own tables of capitals would be a hundredth of the page.
    let first = characters.next().map(|first| match first {
        // The letters of Latin-1.
        'à'..='ö' | 'ø'..='þ' => char::from(first as u8 - 0x20),
        other => other.to_ascii_uppercase(),
    });
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests;
