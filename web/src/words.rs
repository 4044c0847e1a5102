//! Words that several scenes use.

use std::fmt::Display;

use couplet_playback::{grouped, interval, tr};
use couplet_protocol::BackendKind;
use couplet_speculation::statistics::{mean_interval, wilson_interval};

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

/// Confidence of the intervals that the page shows of what it has counted.
const CONFIDENCE: f64 = 0.95;

/// The interval at 95 % of a share, of which so many of so many were seen (Wilson).
pub fn share_at_95(seen: u64, of: u64) -> [f64; 2] {
    wilson_interval(seen, of, CONFIDENCE)
}

/// The interval at 95 % of the mean of what such values, at least two, come from.
pub fn mean_at_95(values: &[f64]) -> [f64; 2] {
    mean_interval(values, CONFIDENCE)
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
    fn intervals_are_those_of_95_per_cent() {
        let near = |found: [f64; 2], expected: [f64; 2]| {
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 5e-4;
            assert!(found.iter().zip(&expected).all(is_near), "{found:?}");
        };
        // Newcombe 1998, table I.
        near(share_at_95(81, 263), [0.2553, 0.3662]);
        // Student's t with three degrees of freedom is 3.182 there.
        near(mean_at_95(&[1.0, 2.0, 3.0, 4.0]), [0.4457, 4.5543]);
    }

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
