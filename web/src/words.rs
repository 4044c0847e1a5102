//! Words that several scenes use.

use std::fmt::Display;

use couplet_playback::{grouped, interval, tr};
use couplet_protocol::BackendKind;

/// What the tokens of a distribution are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Letters of a small alphabet.
    Letter,
    /// Characters of a text.
    Character,
    /// Pieces of words, or of no kind of their own.
    Token,
}

impl Kind {
    /// The noun for so many.
    pub fn noun(self, count: usize) -> String {
        match self {
            Self::Letter => tr!("kind" => "letter" | "letters" % count),
            Self::Character => tr!("kind" => "character" | "characters" % count),
            Self::Token => tr!("kind" => "token" | "tokens" % count),
        }
    }
}

/// "64 tokens".
pub fn token_count(count: usize) -> String {
    format!("{} {}", grouped(count), Kind::Token.noun(count))
}

/// Most sums in a sentence that stay on one line: more of them are one sum that is longer than a line.
const MOST_SUMS: usize = 3;

/// A sentence whose formulas stay on one line each: for those that are short.
pub fn tied(sentence: &str) -> String {
    let long_sum = sentence.matches(" + ").count() > MOST_SUMS;
    [" < ", " ≥ ", " = ", " + ", " − ", " · ", " / ", " ÷ "]
        .iter()
        .filter(|sign| !(long_sum && **sign == " + "))
        .fold(sentence.to_owned(), |sentence, sign| {
            sentence.replace(sign, &sign.replace(' ', "\u{a0}"))
        })
}

/// A backend for people.
pub fn backend(kind: BackendKind) -> &'static str {
    match kind {
        BackendKind::Gpu => "GPU",
        BackendKind::Cpu => "CPU",
    }
}

/// Both ends of a 95 % interval, with what it is.
pub fn at_95(low: impl Display, high: impl Display) -> String {
    tr!("95 %: {}", interval(low, high))
}

/// A text cut to so many letters, the last of them an ellipsis.
pub fn cut_to(label: &str, letters: usize) -> String {
    if label.chars().count() <= letters {
        return label.to_owned();
    }
    let kept = letters.saturating_sub(1).max(1);
    label.chars().take(kept).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_formula_is_not_broken() {
        assert_eq!(
            tied("If 0.7 + 0.3 = 1, all is well."),
            "If 0.7\u{a0}+\u{a0}0.3\u{a0}=\u{a0}1, all is well."
        );
        assert_eq!(
            tied("0.2² + 0.2² + 0.2² + 0.2² + 0.2² = 0.2"),
            "0.2² + 0.2² + 0.2² + 0.2² + 0.2²\u{a0}=\u{a0}0.2"
        );
    }
}
