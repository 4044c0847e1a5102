//! Verification rules: which drafted tokens of a round are kept, and what comes after them.
//!
//! A rule is written once, in [`Procedure::decide`], against a [`Chance`] that answers its
//! questions. [`Keyed`] answers them with counter-based numbers, which is what the GPU does, and
//! [`Coins`] with any uniform numbers; [`exact_round`] lets every answer happen and adds up the
//! probabilities. So what is enumerated in tests is what Proof and the kernels' tests hold the
//! kernels to, whose twins in `crates/kernels` work it out in 32 bits as a GPU does.

mod block;
mod commit;
mod exact;
mod keyed;
mod parameters;
mod repeated;
mod tokenwise;
pub mod wrong;

pub use block::{BlockPrefix, block_prefixes};
pub use commit::{CommitEnd, commit};
pub use exact::{
    ExactRound, autoregressive_joint, deviation, exact_round, joint_of_next, outcome_probabilities,
};
pub use keyed::{Keyed, Numbers, PlayedRound, play_round, play_text};
pub use parameters::{Lenience, ParameterError, Typical, is_typical};
pub use repeated::joint_of_rounds;

use crate::couplings::Coupling;
use crate::distribution::draw;
use crate::random::{first_dart, race};

/// How drafted tokens are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Keeps a drafted token iff `u·draft < target`, and otherwise draws from the residual
    /// `max(0, target − draft)`. The text has exactly the target's distribution, and no lossless rule
    /// that decides token by token keeps more.
    ///
    /// Source: Leviathan, Kalman, Matias 2023, algorithm 1; Chen et al. 2023, algorithm 2.
    Rejection,
    /// Keeps a drafted token iff it is the target's most probable one (ties: the lowest id), and
    /// otherwise puts that one in its place. The text is that of greedy decoding, token by token;
    /// no random number is used.
    Greedy,
    /// Both models draw with the same exponential [clocks](mod@crate::random::exponential), one per
    /// position and token. A drafted token is kept iff it is the target's own. Lossless, and the
    /// text does not depend on the draft.
    ///
    /// Source: Daliri, Musco, Suresh 2025, "Coupling without communication and drafter-invariant
    /// speculative decoding".
    Gumbel,
    /// Both models look at the same [darts](crate::random::darts). A drafted token is kept iff it
    /// is the target's own. Lossless, and the text does not depend on the draft.
    ///
    /// Source: Daliri, Musco, Suresh 2025; the darts: Holenstein 2007.
    MinHash,
    /// The target draws its own token with its own number at every position. A drafted token is
    /// kept iff it is that one. Lossless, and the text does not depend on the draft.
    ///
    /// Source: Miao et al. 2023, "SpecInfer", naive sampling.
    SampleAndMatch,
    /// Judges the drafted tokens together and keeps the longest prefix that passes. Lossless, and
    /// no fewer tokens than Rejection on average.
    ///
    /// Source: Sun et al. 2024, algorithm 2.
    Block,
    /// Rejection with the draft's probabilities times the lenience: keeps a drafted token iff
    /// `u·l·draft < target`, and otherwise draws from `max(0, target − l·draft)`. Lossless
    /// at 1, and where one token is left of the target's row (temperature 0, top-k 1).
    ///
    /// Source of the test: Leviathan, Kalman, Matias 2023, appendix A.5, which says nothing of the
    /// residual. It is scaled likewise here, and as there no token comes more often than `target/l`.
    Lenience(Lenience),
    /// Keeps a drafted token iff `target > min(ε, δ·e^(−H))`, where H is the entropy of the
    /// target's row in nats, and otherwise draws from the target. Lossless
    /// where one token is left of the target's row (temperature 0, top-k 1) only.
    ///
    /// Source of the test: Cai et al. 2024, "Medusa", section 2.3.1, where it chooses among candidates
    /// of several heads. Here it judges one draft, and a rejected token is replaced by a draw.
    Typical(Typical),
}

impl Rule {
    /// One rule of every kind, for what has to hold of all of them; those with parameters have
    /// these.
    pub fn every(lenience: Lenience, typical: Typical) -> impl Iterator<Item = Self> {
        // By a match, so that a kind that is left out does not compile.
        std::iter::successors(Some(Rule::Rejection), move |rule| match rule {
            Rule::Rejection => Some(Rule::Greedy),
            Rule::Greedy => Some(Rule::Gumbel),
            Rule::Gumbel => Some(Rule::MinHash),
            Rule::MinHash => Some(Rule::SampleAndMatch),
            Rule::SampleAndMatch => Some(Rule::Block),
            Rule::Block => Some(Rule::Lenience(lenience)),
            Rule::Lenience(_) => Some(Rule::Typical(typical)),
            Rule::Typical(_) => None,
        })
    }

    /// Whether the text has exactly the target's distribution at a temperature, 0 or more. At
    /// temperature 0 that is one text, which these rules all write: a token that the target does
    /// not put all its probability on is rejected, and only that one can replace it.
    pub fn is_lossless(self, temperature: f64) -> bool {
        let has_one_text = temperature == 0.0;
        match self {
            Rule::Rejection | Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch | Rule::Block => {
                true
            }
            Rule::Lenience(lenience) => has_one_text || lenience.get() == 1.0,
            Rule::Greedy | Rule::Typical(_) => has_one_text,
        }
    }

    /// Whether one seed gives the same text, to the token, with every draft, every draft length
    /// and the target alone.
    pub fn is_drafter_invariant(self) -> bool {
        matches!(
            self,
            Rule::Greedy | Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch
        )
    }
}

/// What one round has to decide on.
///
/// Positions are counted within the round, from 0. All probabilities are after the filter, and
/// row i of the draft is the very one from which `drafted[i]` was drawn.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The drafted token ids. Shape: (gamma).
    pub drafted: &'a [usize],
    /// The draft's distributions. Shape: (gamma, vocabulary).
    pub draft_probs: &'a [Vec<f64>],
    /// The target's distributions after 0 to gamma drafted tokens. Shape: (gamma + 1, vocabulary).
    pub target_probs: &'a [Vec<f64>],
}

impl Round<'_> {
    /// How many tokens were drafted.
    pub fn gamma(&self) -> usize {
        self.drafted.len()
    }

    /// Checks that there are gamma rows of the draft and gamma + 1 of the target, that all of them
    /// are over one vocabulary, and that every drafted token is in it.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self) -> Result<(), RoundError> {
        let gamma = self.gamma();
        if self.draft_probs.len() != gamma {
            return Err(RoundError::DraftRows {
                gamma,
                rows: self.draft_probs.len(),
            });
        }
        if self.target_probs.len() != gamma + 1 {
            return Err(RoundError::TargetRows {
                gamma,
                rows: self.target_probs.len(),
            });
        }
        let vocabulary = self.target_probs[0].len();
        let rows = self.draft_probs.iter().chain(self.target_probs);
        if let Some(row) = rows.into_iter().find(|row| row.len() != vocabulary) {
            return Err(RoundError::Vocabularies {
                vocabulary,
                other: row.len(),
            });
        }
        match self.drafted.iter().find(|&&token| token >= vocabulary) {
            Some(&token) => Err(RoundError::UnknownToken { token, vocabulary }),
            None => Ok(()),
        }
    }

    /// # Panics
    /// When the rows do not fit together.
    pub(crate) fn check_or_panic(&self) {
        if let Err(error) = self.check() {
            panic!("{error}");
        }
    }
}

/// Why the rows of a [`Round`] do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoundError {
    /// Not one row of the draft per drafted token.
    #[error("a draft of {gamma} has one row per token, but `draft_probs` has {rows}")]
    DraftRows {
        /// How many tokens were drafted.
        gamma: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Not one row of the target more than drafted tokens.
    #[error(
        "the target of a draft of {gamma} has one more row than tokens, but `target_probs` has {rows}"
    )]
    TargetRows {
        /// How many tokens were drafted.
        gamma: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Two rows are over different vocabularies: the models have different tokenizers.
    #[error("`draft_probs` and `target_probs` have rows of {vocabulary} and of {other} tokens")]
    Vocabularies {
        /// The length of the target's first row.
        vocabulary: usize,
        /// The length of another row.
        other: usize,
    },
    /// A drafted token is not in the vocabulary.
    #[error("`drafted` holds token {token}, but there are only {vocabulary}")]
    UnknownToken {
        /// The token's id.
        token: usize,
        /// The number of tokens.
        vocabulary: usize,
    },
}

/// Where the last token of a round comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Closing {
    /// It replaces the first drafted token that was not kept.
    Residual,
    /// Every drafted token was kept, and it comes on top.
    Bonus,
}

/// What a round decided: it commits `drafted[..accepted]` and then `token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// How many drafted tokens are kept, 0 to gamma.
    pub accepted: usize,
    /// The id of the token after them.
    pub token: usize,
    /// Where that token comes from.
    pub closing: Closing,
}

/// What a random number of a round decides. Every coin is its own number and is used once.
///
/// Positions are counted within the round; the caller adds the absolute position of the round's
/// first token when it asks [`uniform`](crate::random::uniform).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coin {
    /// Whether the drafted token at a position is kept.
    Accept(usize),
    /// What replaces the drafted token at a position.
    Residual(usize),
    /// The bonus token, drawn from the target at position gamma.
    Target,
    /// The target's own token at a position, drawn whether or not a token was drafted there.
    Own(usize),
    /// The noise at a position that draft and target share.
    Shared(usize),
}

/// Noise with which both models draw at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedNoise {
    /// Exponential clocks, [`race`].
    Gumbel,
    /// Darts, [`first_dart`].
    MinHash,
}

impl SharedNoise {
    /// The token that a model draws at an absolute position: for one seed a function of the row
    /// alone. The row is rounded to f32, as the GPU has it.
    ///
    /// # Shapes
    /// `probs`: (vocabulary).
    ///
    /// # Panics
    /// When `probs` is empty.
    pub fn token(self, seed: u64, position: u32, probs: &[f64]) -> usize {
        let rounded = probs.iter().map(|&prob| prob as f32);
        match self {
            SharedNoise::Gumbel => race(seed, position, rounded),
            SharedNoise::MinHash => first_dart(seed, position, &rounded.collect::<Vec<_>>()),
        }
    }

    /// The coupling of the two models' tokens that it makes.
    pub fn coupling(self) -> Coupling {
        match self {
            SharedNoise::Gumbel => Coupling::Gumbel,
            SharedNoise::MinHash => Coupling::MinHash,
        }
    }
}

/// Answers the questions of a rule that chance decides.
pub trait Chance {
    /// Whether a token is kept, which has the probability `min(1, target_prob / draft_prob)`, and
    /// 0 when both are 0.
    fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool;

    /// An id, drawn with a probability proportional to its weight.
    fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize;

    /// The token that the target draws with noise that the draft shares. `drafted` is the token
    /// that the draft has drawn with it and the row that it has drawn it from, if it has.
    ///
    /// Unless the noise itself is at hand, as it is in [`Keyed`], this is a draw from what is known
    /// of it: from the target's tokens given the draft's, by the coupling's exact joint
    /// distribution. Rounds then have the right probabilities, but it takes the noise for the text
    /// not to depend on the draft.
    fn shares(
        &mut self,
        coin: Coin,
        noise: SharedNoise,
        drafted: Option<(usize, &[f64])>,
        target_probs: &[f64],
    ) -> usize {
        match drafted {
            Some((token, draft_probs)) => {
                let row = noise.coupling().joint_row(draft_probs, target_probs, token);
                self.draws(coin, &row)
            }
            None => self.draws(coin, target_probs),
        }
    }
}

/// The [`Chance`] that asks for the uniform number of each coin, in [0, 1).
pub struct Coins<F>(pub F);

impl<F: FnMut(Coin) -> f64> Chance for Coins<F> {
    fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool {
        // Multiplied, so that nothing divides by zero; strict, so that u = 0 cannot keep a token
        // that the target never draws.
        (self.0)(coin) * draft_prob < target_prob
    }

    fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize {
        draw(weights, (self.0)(coin))
    }
}

/// Something that can be verified with and enumerated: a [`Rule`], or a wrong one, to show that it
/// is wrong.
pub trait Procedure {
    /// The distribution from which the draft's token is really drawn, given the one that is
    /// handed to verification. Anything but the same one is a mistake.
    fn proposal(&self, draft_probs: &[f64]) -> Vec<f64> {
        draft_probs.to_vec()
    }

    /// How its numbers are keyed when they come from a seed.
    fn numbers(&self) -> Numbers {
        Numbers::ByPosition
    }

    /// Decides a round. Equal answers of `chance` lead to equal outcomes.
    ///
    /// # Panics
    /// When the rows of `round` do not fit together.
    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome;
}

impl<P: Procedure + ?Sized> Procedure for &P {
    fn proposal(&self, draft_probs: &[f64]) -> Vec<f64> {
        (**self).proposal(draft_probs)
    }

    fn numbers(&self) -> Numbers {
        (**self).numbers()
    }

    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        (**self).decide(round, chance)
    }
}

impl Procedure for Rule {
    fn numbers(&self) -> Numbers {
        match self {
            Rule::Gumbel => Numbers::Shared(SharedNoise::Gumbel),
            Rule::MinHash => Numbers::Shared(SharedNoise::MinHash),
            Rule::Block => Numbers::ByRound,
            Rule::Rejection
            | Rule::Greedy
            | Rule::SampleAndMatch
            | Rule::Lenience(_)
            | Rule::Typical(_) => Numbers::ByPosition,
        }
    }

    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        round.check_or_panic();
        match *self {
            Rule::Rejection => tokenwise::rejection(round, chance, 1.0),
            Rule::Greedy => tokenwise::greedy(round, chance),
            Rule::Gumbel => tokenwise::shared_noise(round, chance, SharedNoise::Gumbel),
            Rule::MinHash => tokenwise::shared_noise(round, chance, SharedNoise::MinHash),
            Rule::SampleAndMatch => tokenwise::sample_and_match(round, chance),
            Rule::Block => block::decide(round, chance),
            Rule::Lenience(lenience) => tokenwise::rejection(round, chance, lenience.get()),
            Rule::Typical(typical) => tokenwise::typical(round, chance, typical),
        }
    }
}

/// Decides a round with uniform numbers in [0, 1), one per coin that is asked for.
///
/// # Panics
/// When the rows of `round` do not fit together.
pub fn verify(rule: Rule, round: &Round, coins: &mut impl FnMut(Coin) -> f64) -> Outcome {
    rule.decide(round, &mut Coins(coins))
}

#[cfg(test)]
mod tests;
