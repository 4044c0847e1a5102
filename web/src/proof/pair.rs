//! The two distributions of the scene, and where they come from.

use couplet_playback::{at_most, count_word, decimal, shortest, tr};
use couplet_speculation::input::normalised;
use couplet_speculation::{Argument, overlap, total_variation};

use crate::couplings::presets::VOWELS;
use crate::typed_list::{labels, numbers, of_distribution};
use crate::words::Kind;

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
    /// What the tokens are.
    pub kind: Kind,
    /// What must be known about them.
    pub note: Note,
}

/// What must be known about two distributions.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Nothing.
    None,
    /// They were taken from the Stage.
    Stage {
        /// The text before.
        context: String,
        /// How many tokens stand for themselves; all others are one more bar.
        named: usize,
        /// The total variation over all tokens, where the bars show less.
        hidden: Option<f64>,
    },
    /// They were divided by their sums: the draft's and the target's, where it was not 1.
    Divided(Option<f64>, Option<f64>),
}

impl ProofPair {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Draft and target as somebody would type them.
    pub fn as_typed(&self) -> [String; 2] {
        [&self.draft, &self.target].map(|probs| {
            let numbers: Vec<String> = probs.iter().map(|prob| at_most(*prob, 3)).collect();
            numbers.join(" ")
        })
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

    /// What must be known about them, in words.
    pub fn note(&self) -> Option<String> {
        match &self.note {
            Note::None | Note::Divided(None, None) => None,
            Note::Stage {
                context,
                named,
                hidden,
            } => {
                let taken = self.taken(context, *named);
                let hidden = hidden.map(|whole| {
                    tr!(
                        "Inside that bar gains and losses cancel: over all {kinds} the total variation is {whole}, over these bars {lumped}.",
                        kinds = self.kind.noun(0),
                        whole = decimal(whole, 3),
                        lumped = decimal(self.total_variation(), 3)
                    )
                });
                Some(hidden.map_or(taken.clone(), |hidden| format!("{taken} {hidden}")))
            }
            Note::Divided(Some(draft), None) => Some(tr!(
                "The numbers did not sum to 1, so they were divided: the draft by {}.",
                shortest(*draft)
            )),
            Note::Divided(None, Some(target)) => Some(tr!(
                "The numbers did not sum to 1, so they were divided: the target by {}.",
                shortest(*target)
            )),
            Note::Divided(Some(draft), Some(target)) => Some(tr!(
                "The numbers did not sum to 1, so they were divided: the draft by {draft}, the target by {target}.",
                draft = shortest(*draft),
                target = shortest(*target)
            )),
        }
    }

    /// What of the Stage is drawn.
    fn taken(&self, context: &str, named: usize) -> String {
        let (count, kind) = (count_word(named), self.kind.noun(named));
        if named == self.len() {
            return tr!(
                "Taken from the Stage after “{context}”: the {count} most probable {kind}.",
                context,
                count,
                kind
            );
        }
        match named {
            1 => tr!(
                "Taken from the Stage after “{context}”: the one most probable {kind}, and all the others together as one bar.",
                context,
                kind
            ),
            _ => tr!(
                "Taken from the Stage after “{context}”: the {count} most probable {kind}, and all the others together as one bar.",
                context,
                count,
                kind
            ),
        }
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
    /// Three tokens, (0.5, 0.3, 0.2) and (0.2, 0.3, 0.5): all of it can be followed by hand.
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
    pub fn title(self) -> String {
        match self {
            Self::Vowels => tr!("Vowels"),
            Self::Three => tr!("Three letters"),
            Self::Near => tr!("Nearly equal"),
            Self::Disjoint => tr!("Disjoint"),
            Self::Equal => tr!("Equal"),
        }
    }

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The distributions.
    pub fn pair(self) -> ProofPair {
        let vowels: Vec<&str> = VOWELS
            .letters
            .split("")
            .filter(|letter| !letter.is_empty())
            .collect();
        let target = VOWELS.target;
        match self {
            Self::Vowels => preset(&vowels, VOWELS.draft, target),
            Self::Three => preset(&["a", "b", "c"], &[0.5, 0.3, 0.2], &[0.2, 0.3, 0.5]),
            Self::Near => preset(&vowels, &[0.17, 0.21, 0.30, 0.13, 0.09, 0.10], target),
            Self::Disjoint => preset(
                &["a", "b", "c", "d"],
                &[0.6, 0.4, 0.0, 0.0],
                &[0.0, 0.0, 0.7, 0.3],
            ),
            Self::Equal => preset(&vowels, target, target),
        }
    }
}

fn preset(tokens: &[&str], draft: &[f64], target: &[f64]) -> ProofPair {
    ProofPair {
        tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
        draft: draft.to_vec(),
        target: target.to_vec(),
        kind: Kind::Letter,
        note: Note::None,
    }
}

/// A pair that a person typed: two lists of as many weights, which are divided by their sums.
///
/// # Errors
/// Which of the two lists is wrong, and a sentence about what would be right.
pub fn typed(draft: &str, target: &str) -> Result<ProofPair, (Argument, String)> {
    let read = |argument, list: String, text| {
        divided(&list, text).map_err(|sentence| (argument, sentence))
    };
    let (draft, draft_sum) = read(Argument::Draft, tr!("The draft"), draft)?;
    let (target, target_sum) = read(Argument::Target, tr!("The target"), target)?;
    if draft.len() != target.len() {
        return Err((
            Argument::Target,
            tr!(
                "The draft has {} numbers and the target {}; they need equally many",
                draft.len(),
                target.len()
            ),
        ));
    }
    let tokens = labels(draft.len());
    Ok(ProofPair {
        tokens,
        draft,
        target,
        kind: Kind::Letter,
        note: Note::Divided(draft_sum, target_sum),
    })
}

/// Weights divided by their sum, and that, where it is not 1.
fn divided(list: &str, text: &str) -> Result<(Vec<f64>, Option<f64>), String> {
    let weights = numbers(text).map_err(|sentence| {
        tr!(
            "{list}: {sentence}; write for instance 0.25",
            list,
            sentence
        )
    })?;
    if weights.len() < 2 || weights.len() > MOST_TOKENS {
        let count = weights.len();
        return Err(tr!(
            "{list} has 1 number; this picture takes 2 to {most}"
                | "{list} has {n} numbers; this picture takes 2 to {most}" % count,
            list,
            most = MOST_TOKENS
        ));
    }
    let probs =
        normalised(&weights).map_err(|error| format!("{list}: {}", of_distribution(&error)))?;
    let sum: f64 = weights.iter().sum();
    let scaled = ((sum - 1.0).abs() > NOTHING).then(|| (sum * 1e6).round() / 1e6);
    Ok((probs, scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_two_distributions_over_as_many_tokens_as_the_picture_takes() {
        for preset in Preset::ALL {
            let pair = preset.pair();
            assert!((2..=MOST_TOKENS).contains(&pair.len()), "{preset:?}");
            for probs in [&pair.draft, &pair.target] {
                assert_eq!(probs.len(), pair.len(), "{preset:?}");
                couplet_speculation::distribution::check_distribution(probs).unwrap();
            }
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
    }
}
