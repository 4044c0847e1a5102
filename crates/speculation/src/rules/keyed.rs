//! The rules with counter-based numbers: what an engine does, on one thread and with exact tables.

use super::{Chance, Coin, Coins, Outcome, Procedure, Round, SharedNoise};
use crate::distribution::draw;
use crate::random::{Purpose, uniform};

/// How the numbers of a rule are keyed, beyond (seed, absolute position, purpose).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Nothing else. Right for every rule that stops at the first token that it does not keep:
    /// whatever lies after that token was not looked at, so the numbers of those positions are
    /// still fresh when the next round drafts there again.
    ByPosition,
    /// The lane is the position of the round's first token. Block verification needs it: it looks
    /// at the whole block to decide how much of it stays, so the numbers behind the cut are used up
    /// although their positions are not.
    ByRound,
    /// The draft draws with noise that the target draws with too.
    Shared(SharedNoise),
}

impl Numbers {
    /// The lane of the draft's draw and of the coin of acceptance, for a round whose first token
    /// has this absolute position (below 2^24).
    pub fn lane(self, first_position: u32) -> u32 {
        match self {
            Numbers::ByRound => first_position,
            Numbers::ByPosition | Numbers::Shared(_) => 0,
        }
    }

    /// The token that the draft draws at an absolute position.
    ///
    /// # Shapes
    /// `proposal`: (vocabulary), what the draft draws from.
    ///
    /// # Panics
    /// When `proposal` has no mass.
    pub fn draft_token(
        self,
        seed: u64,
        first_position: u32,
        position: u32,
        proposal: &[f64],
    ) -> usize {
        match self {
            Numbers::Shared(noise) => noise.token(seed, position, proposal),
            _ => {
                let lane = self.lane(first_position);
                let u = uniform(seed, position, Purpose::Draft, lane);
                draw(proposal, f64::from(u))
            }
        }
    }
}

/// The [`Chance`] that answers with the numbers that a seed gives to a round.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    /// The seed of every number.
    pub seed: u64,
    /// The absolute position of the round's first token.
    pub first_position: u32,
    /// How many tokens were drafted.
    pub gamma: usize,
    /// How the rule keys its numbers.
    pub numbers: Numbers,
}

impl Keyed {
    /// The number of a coin, in (0, 1).
    ///
    /// A coin of [`Coin::Shared`] is not one number but the noise of its position.
    pub fn number(&self, coin: Coin) -> f64 {
        let (position, purpose, lane) = match coin {
            Coin::Accept(i) => (i, Purpose::Accept, self.numbers.lane(self.first_position)),
            Coin::Residual(i) => (i, Purpose::Residual, 0),
            // The bonus token is the target's own token at its position.
            Coin::Target => (self.gamma, Purpose::Target, 0),
            Coin::Own(i) | Coin::Shared(i) => (i, Purpose::Target, 0),
        };
        f64::from(uniform(self.seed, self.at(position), purpose, lane))
    }

    /// The absolute position of one counted within the round.
    fn at(&self, position: usize) -> u32 {
        self.first_position + position as u32
    }
}

impl Chance for Keyed {
    fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool {
        Coins(|coin| self.number(coin)).keeps(coin, draft_prob, target_prob)
    }

    fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize {
        Coins(|coin| self.number(coin)).draws(coin, weights)
    }

    fn shares(
        &mut self,
        coin: Coin,
        noise: SharedNoise,
        _drafted: Option<(usize, &[f64])>,
        target_probs: &[f64],
    ) -> usize {
        let Coin::Shared(position) = coin else {
            panic!("noise is shared under a coin of its own, not {coin:?}");
        };
        noise.token(self.seed, self.at(position), target_probs)
    }
}

/// A round as it was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedRound {
    /// The drafted token ids. Shape: (gamma).
    pub drafted: Vec<usize>,
    /// The draft's distributions. Shape: (gamma, vocabulary).
    pub draft_probs: Vec<Vec<f64>>,
    /// The target's distributions. Shape: (gamma + 1, vocabulary).
    pub target_probs: Vec<Vec<f64>>,
    /// What was decided.
    pub outcome: Outcome,
}

impl PlayedRound {
    /// The tokens that the round adds to the text.
    pub fn tokens(&self) -> impl Iterator<Item = usize> + '_ {
        let kept = &self.drafted[..self.outcome.accepted];
        kept.iter().copied().chain([self.outcome.token])
    }
}

/// Plays one round after `text` with the numbers of `seed`.
///
/// A model is a function from a context, the token ids so far, to its distribution of the next
/// token. The absolute position of a token is its index in the text.
pub fn play_round(
    procedure: impl Procedure,
    seed: u64,
    text: &[usize],
    gamma: usize,
    draft_model: impl Fn(&[usize]) -> Vec<f64>,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> PlayedRound {
    let first_position = text.len() as u32;
    let numbers = procedure.numbers();
    let mut context = text.to_vec();
    let mut draft_probs = Vec::with_capacity(gamma);
    for i in 0..gamma {
        let row = draft_model(&context);
        let proposal = procedure.proposal(&row);
        let position = first_position + i as u32;
        context.push(numbers.draft_token(seed, first_position, position, &proposal));
        draft_probs.push(row);
    }
    let drafted = context[text.len()..].to_vec();
    let target_probs: Vec<Vec<f64>> = (0..=gamma)
        .map(|length| target_model(&context[..text.len() + length]))
        .collect();
    let round = Round {
        drafted: &drafted,
        draft_probs: &draft_probs,
        target_probs: &target_probs,
    };
    let mut chance = Keyed {
        seed,
        first_position,
        gamma,
        numbers,
    };
    let outcome = procedure.decide(&round, &mut chance);
    PlayedRound {
        drafted,
        draft_probs,
        target_probs,
        outcome,
    }
}

/// The first `length` tokens of a text, written round by round.
pub fn play_text(
    procedure: impl Procedure,
    seed: u64,
    length: usize,
    gamma: usize,
    draft_model: impl Fn(&[usize]) -> Vec<f64>,
    target_model: impl Fn(&[usize]) -> Vec<f64>,
) -> Vec<usize> {
    let mut text = Vec::with_capacity(length + gamma);
    while text.len() < length {
        let round = play_round(&procedure, seed, &text, gamma, &draft_model, &target_model);
        text.extend(round.tokens());
    }
    text.truncate(length);
    text
}
