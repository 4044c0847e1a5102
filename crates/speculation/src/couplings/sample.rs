//! Coupled pairs of tokens, drawn with counter-based numbers, and the steps of drawing them.

use super::{Coupling, Pair};
use crate::distribution::{draw, residual};
use crate::random::exponential::{exponential, strike};
use crate::random::{MAX_DARTS, Purpose, dart, first_dart, race, uniform};

/// How many darts [`Steps::MinHash`] lists; the darts that decide are listed in any case.
pub const MAX_RECORDED_DARTS: usize = 4096;

/// What one trial of a coupling drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPair {
    /// The draft's token.
    pub draft: usize,
    /// The target's token.
    pub target: usize,
}

impl TokenPair {
    /// Whether both are the same.
    pub fn agrees(self) -> bool {
        self.draft == self.target
    }
}

/// A dart and the curves that it landed under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DartPair {
    /// Its index in the sequence.
    pub index: u32,
    /// The token whose column it hit.
    pub token: usize,
    /// Its height, in (0, 1).
    pub height: f64,
    /// Whether that is below the draft's probability.
    pub under_draft: bool,
    /// Whether that is below the target's probability.
    pub under_target: bool,
}

/// A token's clock and when it strikes in each race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockPair {
    /// The exponential number that both races share, mean 1.
    pub exponential: f32,
    /// `exponential / draft`; none when the draft cannot draw the token.
    pub draft: Option<f32>,
    /// `exponential / target`; none when the target cannot draw the token.
    pub target: Option<f32>,
}

/// Where a point under the draft's probability lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Under the target's as well: both have the token.
    Overlap,
    /// Above the target's: the target draws from the residual.
    DraftOnly,
}

/// The steps of one trial, for drawing them.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// One uniform number per model.
    Independent {
        /// The number that drew the draft's token, in (0, 1).
        draft_number: f64,
        /// The number that drew the target's token, in (0, 1).
        target_number: f64,
    },
    /// Darts until both models have one.
    MinHash {
        /// The darts on the board in order: the first [`MAX_RECORDED_DARTS`], and the two that
        /// decide.
        darts: Vec<DartPair>,
        /// How many were on the board.
        thrown: usize,
    },
    /// One clock per token.
    Gumbel {
        /// Shape: (vocabulary).
        clocks: Vec<ClockPair>,
    },
    /// A point under the draft's probabilities.
    Optimal {
        /// The number that drew the draft's token, in (0, 1).
        draft_number: f64,
        /// How high the point is under the draft's probability of that token.
        height: f64,
        /// Where that is.
        region: Region,
        /// The number that drew the target's token from the residual, in (0, 1), if one did.
        residual_number: Option<f64>,
    },
}

impl Pair {
    /// Draws one coupled pair. Trials are independent; one trial of one seed is always the same.
    ///
    /// Shared noise sees the rows in f32.
    pub fn sample(&self, coupling: Coupling, seed: u64, trial: u32) -> TokenPair {
        let [draft, target] = &self.rounded;
        let number = |purpose| f64::from(uniform(seed, trial, purpose, 0));
        match coupling {
            Coupling::Independent => TokenPair {
                draft: draw(&self.draft_probs, number(Purpose::Draft)),
                target: draw(&self.target_probs, number(Purpose::Target)),
            },
            Coupling::MinHash => TokenPair {
                draft: first_dart(seed, trial, draft),
                target: first_dart(seed, trial, target),
            },
            Coupling::Gumbel => TokenPair {
                draft: race(seed, trial, draft.iter().copied()),
                target: race(seed, trial, target.iter().copied()),
            },
            Coupling::Optimal => self.overlapping(seed, trial).0,
        }
    }

    /// The steps that lead to what [`sample`](Self::sample) draws.
    pub fn sample_with_steps(
        &self,
        coupling: Coupling,
        seed: u64,
        trial: u32,
    ) -> (TokenPair, Steps) {
        let steps = match coupling {
            Coupling::Independent => Steps::Independent {
                draft_number: f64::from(uniform(seed, trial, Purpose::Draft, 0)),
                target_number: f64::from(uniform(seed, trial, Purpose::Target, 0)),
            },
            Coupling::MinHash => self.darts(seed, trial),
            Coupling::Gumbel => Steps::Gumbel {
                clocks: self.clocks(seed, trial),
            },
            Coupling::Optimal => return self.overlapping(seed, trial),
        };
        (self.sample(coupling, seed, trial), steps)
    }

    fn darts(&self, seed: u64, trial: u32) -> Steps {
        let [draft, target] = &self.rounded;
        let vocabulary = self.vocabulary() as u32;
        let mut darts = Vec::new();
        let mut thrown = 0;
        let mut waiting = [true, true];
        for index in 0..MAX_DARTS {
            let Some(dart) = dart(seed, trial, index, vocabulary) else {
                continue;
            };
            let token = dart.token as usize;
            let under = [dart.is_below(draft[token]), dart.is_below(target[token])];
            let decides = (waiting[0] && under[0]) || (waiting[1] && under[1]);
            thrown += 1;
            if decides || darts.len() < MAX_RECORDED_DARTS {
                darts.push(DartPair {
                    index,
                    token,
                    height: dart.height_fraction(),
                    under_draft: under[0],
                    under_target: under[1],
                });
            }
            waiting = [waiting[0] && !under[0], waiting[1] && !under[1]];
            if waiting == [false, false] {
                break;
            }
        }
        Steps::MinHash { darts, thrown }
    }

    fn clocks(&self, seed: u64, trial: u32) -> Vec<ClockPair> {
        let [draft, target] = &self.rounded;
        (0..self.vocabulary())
            .map(|token| {
                let exponential = exponential(seed, trial, token as u32);
                ClockPair {
                    exponential,
                    draft: strike(exponential, draft[token]),
                    target: strike(exponential, target[token]),
                }
            })
            .collect()
    }

    fn overlapping(&self, seed: u64, trial: u32) -> (TokenPair, Steps) {
        let number = |purpose| f64::from(uniform(seed, trial, purpose, 0));
        let draft_number = number(Purpose::Draft);
        let draft = draw(&self.draft_probs, draft_number);
        let height = number(Purpose::Accept) * self.draft_probs[draft];
        let mut steps = (Region::Overlap, None);
        let mut target = draft;
        if height >= self.target_probs[draft] {
            let residual_number = number(Purpose::Residual);
            steps = (Region::DraftOnly, Some(residual_number));
            target = match residual(&self.draft_probs, &self.target_probs) {
                Some(residual) => draw(&residual, residual_number),
                // Only rounding leaves no residual here.
                None => draw(&self.target_probs, residual_number),
            };
        }
        let (region, residual_number) = steps;
        (
            TokenPair { draft, target },
            Steps::Optimal {
                draft_number,
                height,
                region,
                residual_number,
            },
        )
    }
}
