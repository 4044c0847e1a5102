//! What happens, in sentences.

mod judge;

use couplet_protocol::{Rule, Settings};

use crate::visible::spoken;
use crate::{Closing, ClosingKind, Phase, Round, Step};

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
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    WORDS
        .get(count)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

struct Sentence(Vec<Piece>);

impl Sentence {
    fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    fn token(mut self, token: String) -> Self {
        self.0.push(Piece::Token(token));
        self
    }

    fn list(mut self, tokens: Vec<String>) -> Self {
        let last = tokens.len().saturating_sub(1);
        for (index, token) in tokens.into_iter().enumerate() {
            self = match index {
                0 => self,
                _ if index == last => self.text(" and "),
                _ => self.text(", "),
            };
            self = self.token(token);
        }
        self
    }
}

/// What happens in a step, in one or two sentences. `show` gives a token as it can be seen.
pub fn narrate(
    round: &Round,
    step: Step,
    settings: &Settings,
    show: impl Fn(u32) -> String,
) -> Vec<Piece> {
    let say = Sentence(Vec::new());
    let drafted = round.proposals.len();
    let sentence = match step.phase {
        Phase::Draft => {
            let tokens = round.proposals.iter().map(|it| show(it.token)).collect();
            let order = if drafted > 1 {
                ", one after another."
            } else {
                "."
            };
            say.text("The draft pencils ").list(tokens).text(order)
        }
        Phase::Verify if drafted == 1 => {
            say.text("The target reads it in one pass and gives it a probability of its own.")
        }
        Phase::Verify => say.text(format!(
            "The target reads all {} in one pass and gives each a probability of its own.",
            count_word(drafted)
        )),
        Phase::Judge if settings.rule == Rule::Block => judge::block(say, round, show),
        Phase::Judge => judge::token(say, round, step.column, settings, show),
        Phase::Resample | Phase::Bonus => match &round.closing {
            Some(closing) => close(say, round, closing, settings.rule, show(closing.token)),
            None => say,
        },
        Phase::Commit => say.text(commit(round, settings.rule)),
    };
    sentence.0
}

fn close(say: Sentence, round: &Round, closing: &Closing, rule: Rule, token: String) -> Sentence {
    if closing.kind == ClosingKind::Bonus {
        let all = match round.proposals.len() {
            0 => {
                return say
                    .text("Nothing was drafted: the target writes ")
                    .token(token)
                    .text(" alone.");
            }
            1 => "The drafted token was inked.".to_owned(),
            count => format!("All {} were inked.", count_word(count)),
        };
        return say
            .text(format!(
                "{all} The same pass already holds the target’s next token, so "
            ))
            .token(token)
            .text(" comes free.");
    }
    let own = match rule {
        Rule::Greedy => "The target’s own most probable token is ",
        Rule::Gumbel => "The target’s own first is ",
        Rule::MinHash => "The target’s own dart names ",
        Rule::SampleAndMatch => "The target’s own draw is ",
        Rule::Rejection | Rule::Block | Rule::Lenience | Rule::Typical => "",
    };
    if !own.is_empty() {
        return say.text(own).token(token).text(", so that is inked.");
    }
    let place = match rule {
        Rule::Block => "The target, times the kept ratio, less the draft is the residual.",
        Rule::Lenience => "Where the target has more than the draft that counts lies the residual.",
        Rule::Typical => "The target draws anew.",
        _ => "Where the target has more than the draft lies the residual.",
    };
    say.text(format!("{place} u′ {:.2} lands in ", closing.draw))
        .token(token)
        .text(", which is inked instead.")
}

fn commit(round: &Round, rule: Rule) -> String {
    let mut parts = Vec::new();
    match round.accepted() {
        0 => {}
        count => parts.push(format!("{} inked", count_word(count))),
    }
    match round.closing.as_ref().map(|closing| closing.kind) {
        Some(ClosingKind::Resampled) if writes_its_own(rule) => {
            parts.push("one replaced".to_owned());
        }
        Some(ClosingKind::Resampled) => parts.push("one resampled".to_owned()),
        Some(ClosingKind::Bonus) if !round.proposals.is_empty() => {
            parts.push("one bonus".to_owned())
        }
        _ => {}
    }
    if round.discarded() > 0 {
        parts.push(format!("{} thrown away", count_word(round.discarded())));
    }
    let tokens = match round.committed.len() {
        1 => "one token".to_owned(),
        count => format!("{} tokens", count_word(count)),
    };
    let mut sentence = parts.join(", ");
    if sentence.is_empty() {
        sentence = tokens;
    } else {
        sentence = format!("{sentence}: {tokens}");
    }
    // The last round may bring more than was asked for or than the context holds.
    let cut = if round.committed.len() <= round.accepted() && round.closing.is_some() {
        ", cut where the text ends"
    } else {
        ""
    };
    capital(&format!(
        "{sentence} from a single pass of the target{cut}."
    ))
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
    let mut sentence = format!("Round {number}: {} accepted", round.accepted());
    if let Some(proposal) = round
        .rejected()
        .and_then(|column| round.proposals.get(column))
    {
        sentence.push_str(&format!(", {} rejected", show(proposal.token)));
    }
    match &round.closing {
        Some(closing) if closing.kind == ClosingKind::Bonus => {
            sentence.push_str(&format!(", {} added by the target", show(closing.token)));
        }
        Some(closing) if writes_its_own(rule) => sentence.push_str(&format!(
            ", the target’s own {} in its place",
            show(closing.token)
        )),
        Some(closing) => sentence.push_str(&format!(", {} resampled", show(closing.token))),
        None => {}
    }
    sentence.push('.');
    sentence
}

/// Whether a rejected token is replaced by the one that the target had anyway, and not by another
/// draw.
fn writes_its_own(rule: Rule) -> bool {
    rule.is_drafter_invariant()
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

#[cfg(test)]
mod tests;
