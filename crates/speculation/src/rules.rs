//! Verification rules: which drafted tokens of a round are kept, and what comes after them.
//!
//! A rule is written once, in [`Procedure::decide`], against a [`Chance`] that answers its
//! questions. [`Coins`] answers them with uniform numbers, which is [`verify`] and what the GPU
//! does; [`exact_round`] lets every answer happen and adds up the probabilities. So the code that
//! is enumerated in tests is the code that runs.

mod commit;
mod exact;

pub use commit::{CommitEnd, commit};
pub use exact::{
    ExactRound, autoregressive_joint, exact_round, joint_of_next, outcome_probabilities,
};

use serde::{Deserialize, Serialize};

use crate::distribution::{argmax, draw, residual};

/// How drafted tokens are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Keeps a drafted token iff `u·draft < target`, and otherwise draws from the residual
    /// `max(0, target − draft)`. The text has exactly the target's distribution, and no rule that
    /// decides token by token keeps more.
    ///
    /// Source: Leviathan, Kalman, Matias 2023, algorithm 1; Chen et al. 2023, algorithm 2.
    Rejection,
    /// Keeps a drafted token iff it is the target's most probable one (ties: the lowest id), and
    /// otherwise puts that one in its place. The text is that of greedy decoding, token by token;
    /// no random number is used.
    Greedy,
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

    /// # Panics
    /// When the numbers of rows do not fit together.
    fn check_shapes(&self) {
        let gamma = self.gamma();
        assert_eq!(
            self.draft_probs.len(),
            gamma,
            "a draft of {gamma} has one row per token"
        );
        assert_eq!(
            self.target_probs.len(),
            gamma + 1,
            "a draft of {gamma} has one more row"
        );
    }
}

/// Where the last token of a round comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It replaces the first drafted token that was not kept.
    Residual,
    /// Every drafted token was kept, and it comes on top.
    Bonus,
}

/// What a round decided: it commits `drafted[..accepted]` and then `token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// How many drafted tokens are kept, 0 to gamma.
    pub accepted: usize,
    /// The id of the token after them.
    pub token: usize,
    /// Where that token comes from.
    pub verdict: Verdict,
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
}

/// Answers the questions of a rule that chance decides.
pub trait Chance {
    /// Whether a token is kept, which has the probability `min(1, target_prob / draft_prob)`, and
    /// 0 when both are 0.
    fn keeps(&mut self, coin: Coin, draft_prob: f64, target_prob: f64) -> bool;

    /// An id, drawn with a probability proportional to its weight.
    fn draws(&mut self, coin: Coin, weights: &[f64]) -> usize;
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

    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        (**self).decide(round, chance)
    }
}

impl Procedure for Rule {
    fn decide(&self, round: &Round, chance: &mut dyn Chance) -> Outcome {
        round.check_shapes();
        match self {
            Rule::Rejection => rejection(round, chance),
            Rule::Greedy => greedy(round),
        }
    }
}

fn rejection(round: &Round, chance: &mut dyn Chance) -> Outcome {
    for (i, &token) in round.drafted.iter().enumerate() {
        let (draft, target) = (&round.draft_probs[i], &round.target_probs[i]);
        if chance.keeps(Coin::Accept(i), draft[token], target[token]) {
            continue;
        }
        let token = match residual(draft, target) {
            Some(residual) => chance.draws(Coin::Residual(i), &residual),
            // Only rounding leaves no residual here, and then the two rows are the same but for
            // rounding.
            None => chance.draws(Coin::Residual(i), target),
        };
        return Outcome {
            accepted: i,
            token,
            verdict: Verdict::Residual,
        };
    }
    let gamma = round.gamma();
    let token = chance.draws(Coin::Target, &round.target_probs[gamma]);
    Outcome {
        accepted: gamma,
        token,
        verdict: Verdict::Bonus,
    }
}

fn greedy(round: &Round) -> Outcome {
    for (i, &token) in round.drafted.iter().enumerate() {
        let best = argmax(&round.target_probs[i]);
        if token != best {
            return Outcome {
                accepted: i,
                token: best,
                verdict: Verdict::Residual,
            };
        }
    }
    let gamma = round.gamma();
    let token = argmax(&round.target_probs[gamma]);
    Outcome {
        accepted: gamma,
        token,
        verdict: Verdict::Bonus,
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
mod tests {
    use super::*;

    const DRAFT: [f64; 3] = [0.5, 0.3, 0.2];
    const TARGET: [f64; 3] = [0.2, 0.3, 0.5];

    /// Verifies a draft of one token and returns the outcome with the coins that it used.
    fn one(
        rule: Rule,
        drafted: usize,
        draft: &[f64],
        target: &[f64],
        accept: f64,
        rest: f64,
    ) -> (Outcome, Vec<Coin>) {
        let mut asked = Vec::new();
        let outcome = verify(
            rule,
            &Round {
                drafted: &[drafted],
                draft_probs: &[draft.to_vec()],
                target_probs: &[target.to_vec(), target.to_vec()],
            },
            &mut |coin| {
                asked.push(coin);
                if matches!(coin, Coin::Accept(_)) {
                    accept
                } else {
                    rest
                }
            },
        );
        (outcome, asked)
    }

    #[test]
    fn rejection_keeps_below_the_ratio_and_draws_the_residual_above() {
        let kept = Outcome {
            accepted: 1,
            token: 1,
            verdict: Verdict::Bonus,
        };
        let (outcome, asked) = one(Rule::Rejection, 0, &DRAFT, &TARGET, 0.399, 0.4);
        assert_eq!(
            (outcome, asked),
            (kept, vec![Coin::Accept(0), Coin::Target])
        );

        let replaced = Outcome {
            accepted: 0,
            token: 2,
            verdict: Verdict::Residual,
        };
        let (outcome, asked) = one(Rule::Rejection, 0, &DRAFT, &TARGET, 0.401, 0.0);
        assert_eq!(
            (outcome, asked),
            (replaced, vec![Coin::Accept(0), Coin::Residual(0)])
        );
    }

    #[test]
    fn the_comparison_is_strict() {
        // u·d = t exactly, in binary fractions.
        let (outcome, _) = one(Rule::Rejection, 0, &[1.0, 0.0], &[0.5, 0.5], 0.5, 0.0);
        assert_eq!(outcome.accepted, 0);
        // A coin of zero and a token that the target never draws.
        let (outcome, _) = one(Rule::Rejection, 0, &[1.0, 0.0], &[0.0, 1.0], 0.0, 0.0);
        assert_eq!((outcome.accepted, outcome.token), (0, 1));
        // Neither model draws it.
        let (outcome, _) = one(Rule::Rejection, 0, &[0.0, 1.0], &[0.0, 1.0], 0.0, 0.0);
        assert_eq!((outcome.accepted, outcome.token), (0, 1));
    }

    #[test]
    fn a_residual_lost_to_rounding_is_a_draw_from_the_target() {
        // Rounding, exaggerated: the rows do not sum to the same.
        for u in [0.0, 0.5, 0.99] {
            let (outcome, _) = one(
                Rule::Rejection,
                0,
                &[0.6, 0.4, 0.0],
                &[0.5, 0.4, 0.0],
                0.9,
                u,
            );
            let expect = if u < 5.0 / 9.0 { 0 } else { 1 };
            assert_eq!((outcome.accepted, outcome.token), (0, expect));
        }
    }

    #[test]
    fn greedy_uses_no_coin_and_the_lowest_id_of_a_tie() {
        let tie = [0.2, 0.4, 0.4];
        let kept = Outcome {
            accepted: 1,
            token: 1,
            verdict: Verdict::Bonus,
        };
        assert_eq!(one(Rule::Greedy, 1, &DRAFT, &tie, 0.0, 0.0), (kept, vec![]));
        let replaced = Outcome {
            accepted: 0,
            token: 1,
            verdict: Verdict::Residual,
        };
        assert_eq!(
            one(Rule::Greedy, 2, &DRAFT, &tie, 0.0, 0.0),
            (replaced, vec![])
        );
    }

    #[test]
    fn every_position_has_its_own_coin() {
        let gamma = 4;
        for rejected_at in 0..=gamma {
            let mut asked = Vec::new();
            let outcome = verify(
                Rule::Rejection,
                &Round {
                    drafted: &vec![0; gamma],
                    draft_probs: &vec![DRAFT.to_vec(); gamma],
                    target_probs: &vec![TARGET.to_vec(); gamma + 1],
                },
                &mut |coin| {
                    asked.push(coin);
                    if coin == Coin::Accept(rejected_at) {
                        0.9
                    } else {
                        0.1
                    }
                },
            );
            let last = if rejected_at < gamma {
                Coin::Residual(rejected_at)
            } else {
                Coin::Target
            };
            let tried = (rejected_at + 1).min(gamma);
            let expect: Vec<Coin> = (0..tried).map(Coin::Accept).chain([last]).collect();
            assert_eq!(asked, expect);
            assert_eq!(outcome.accepted, rejected_at);
        }
    }

    #[test]
    #[should_panic(expected = "has one more row")]
    fn a_missing_target_row_is_noticed() {
        let round = Round {
            drafted: &[0],
            draft_probs: &[DRAFT.to_vec()],
            target_probs: &[TARGET.to_vec()],
        };
        verify(Rule::Rejection, &round, &mut |_| 0.5);
    }
}
