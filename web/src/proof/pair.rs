//! The two distributions of the scene, and where they come from.

use couplet_speculation::input::{check_argument, normalised};
use couplet_speculation::{Argument, InputError, overlap, total_variation};

use crate::typed_list::{labels, numbers};

/// The most tokens that the scene draws.
pub const MOST_TOKENS: usize = 8;

/// Two distributions over the same few tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofPair {
    /// The tokens as they are shown.
    pub tokens: Vec<String>,
    /// The draft's probabilities. Shape: (tokens).
    pub draft: Vec<f64>,
    /// The target's probabilities. Shape: (tokens).
    pub target: Vec<f64>,
    /// What a token of them is called: "letter", "token".
    pub kind: &'static str,
    /// What must be known about them, in words.
    pub note: String,
}

impl ProofPair {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// A text of these tokens as it is printed.
    pub fn spelled(&self, text: &[usize]) -> String {
        let tokens: Vec<&str> = text
            .iter()
            .filter_map(|token| self.tokens.get(*token))
            .map(String::as_str)
            .collect();
        let letters = tokens.iter().all(|token| token.chars().count() == 1);
        tokens.join(if letters { "" } else { " " })
    }

    /// `Σ min(draft, target)`, in [0, 1].
    pub fn overlap(&self) -> f64 {
        overlap(&self.draft, &self.target)
    }

    /// Their distance, in [0, 1].
    pub fn total_variation(&self) -> f64 {
        total_variation(&self.draft, &self.target)
    }

    /// How many decimals show every probability well: two where two say everything.
    pub fn decimals(&self) -> usize {
        let whole = |prob: &f64| ((prob * 100.0).round() - prob * 100.0).abs() < 1e-6;
        if self.draft.iter().chain(&self.target).all(whole) {
            2
        } else {
            3
        }
    }
}

/// Differences below it are rounding.
pub const NOTHING: f64 = 1e-9;

/// A pair that comes with the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A good draft of six vowels with two favourites.
    Vowels,
    /// Example A of the page's mathematics: three tokens.
    Three,
    /// A draft that is hardly wrong.
    Near,
    /// Two models that never say the same.
    Disjoint,
    /// Two models that are the same.
    Equal,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 5] = [
        Self::Vowels,
        Self::Three,
        Self::Near,
        Self::Disjoint,
        Self::Equal,
    ];

    /// Its name in the markup.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vowels => "vowels",
            Self::Three => "three",
            Self::Near => "near",
            Self::Disjoint => "disjoint",
            Self::Equal => "equal",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Vowels => "Six letters",
            Self::Three => "Three letters",
            Self::Near => "Nearly equal",
            Self::Disjoint => "Disjoint",
            Self::Equal => "Equal",
        }
    }

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The distributions.
    pub fn pair(self) -> ProofPair {
        let vowels = ["a", "e", "i", "o", "u", "y"];
        let target = [0.16, 0.22, 0.30, 0.14, 0.08, 0.10];
        match self {
            Self::Vowels => preset(&vowels, &[0.34, 0.10, 0.22, 0.08, 0.20, 0.06], &target),
            Self::Three => preset(&["a", "b", "c"], &[0.5, 0.3, 0.2], &[0.2, 0.3, 0.5]),
            Self::Near => preset(&vowels, &[0.17, 0.21, 0.30, 0.13, 0.09, 0.10], &target),
            Self::Disjoint => preset(
                &["a", "b", "c", "d"],
                &[0.6, 0.4, 0.0, 0.0],
                &[0.0, 0.0, 0.7, 0.3],
            ),
            Self::Equal => preset(&vowels, &target, &target),
        }
    }
}

fn preset(tokens: &[&str], draft: &[f64], target: &[f64]) -> ProofPair {
    ProofPair {
        tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
        draft: draft.to_vec(),
        target: target.to_vec(),
        kind: "letter",
        note: String::new(),
    }
}

/// A pair that a person typed: two lists of as many weights, which are divided by their sums.
///
/// # Errors
/// Which of the two lists is wrong, and a sentence about what would be right.
pub fn typed(draft: &str, target: &str) -> Result<ProofPair, (Argument, String)> {
    let mut lists = Vec::new();
    let mut scaled = Vec::new();
    for (argument, text) in [(Argument::Draft, draft), (Argument::Target, target)] {
        let name = argument.name();
        let weights = numbers(text).map_err(|sentence| {
            (
                argument,
                format!("The {name}: {sentence}; write for instance 0.25"),
            )
        })?;
        if weights.len() < 2 || weights.len() > MOST_TOKENS {
            let count = weights.len();
            return Err((
                argument,
                format!("The {name} has {count} numbers; this picture takes 2 to {MOST_TOKENS}"),
            ));
        }
        let probs =
            normalised(&weights).map_err(|error| (argument, format!("The {name}: {error}")))?;
        check_argument(argument, &probs)
            .map_err(|error: InputError| (argument, error.to_string()))?;
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > NOTHING {
            scaled.push(format!("the {name} by {}", (sum * 1e6).round() / 1e6));
        }
        lists.push(probs);
    }
    let (Some(target), Some(draft)) = (lists.pop(), lists.pop()) else {
        return Err((Argument::Draft, "Two lists are needed".to_owned()));
    };
    if draft.len() != target.len() {
        return Err((
            Argument::Target,
            format!(
                "The draft has {} numbers and the target {}; they need as many",
                draft.len(),
                target.len()
            ),
        ));
    }
    let tokens = labels(draft.len());
    let note = if scaled.is_empty() {
        String::new()
    } else {
        format!(
            "The numbers did not sum to 1, so they were divided: {}.",
            scaled.join(", ")
        )
    };
    Ok(ProofPair {
        tokens,
        draft,
        target,
        kind: "letter",
        note,
    })
}
