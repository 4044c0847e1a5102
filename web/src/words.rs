//! Words that several scenes use.

use tr::tr;

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

/// A text cut to so many letters, the last of them an ellipsis.
pub fn cut_to(label: &str, letters: usize) -> String {
    if label.chars().count() <= letters {
        return label.to_owned();
    }
    let kept = letters.saturating_sub(1).max(1);
    label.chars().take(kept).chain(['…']).collect()
}
