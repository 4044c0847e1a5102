use couplet_speculation::random::dart;

use crate::Proposal;

/// A dart that landed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throw {
    /// Its number, from 1.
    pub number: u32,
    /// The token whose column it hit.
    pub token: u32,
    /// Its height, 0 to 1 as probabilities are.
    pub height: f64,
}

/// The darts behind a token that MinHash drafted: both models look at the same darts, and a
/// model's token is that of the first dart under its own bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board {
    /// The draft's first dart, which names the drafted token.
    pub draft: Throw,
    /// The target's first dart, which names its own token. Absent where the log does not hold the
    /// token's probability under the target.
    pub target: Option<Throw>,
}

impl Board {
    /// Throws the darts of a position again: they follow from the seed. `None` if the drafted
    /// token cannot have been hit.
    ///
    /// Among the darts on one token the first below its bar is the first of all that are below any
    /// bar, or another token would have been drawn. So the rest of the distribution need not be
    /// known.
    pub fn new(seed: u64, vocabulary: usize, proposal: &Proposal) -> Option<Self> {
        let vocabulary = u32::try_from(vocabulary).ok()?;
        let thrower = Thrower {
            seed,
            position: proposal.position,
            vocabulary,
        };
        let draft = thrower.first_on(proposal.token, proposal.draft_prob()?)?;
        let target = proposal.verdict.as_ref().and_then(|verdict| {
            let own = verdict.own_token?;
            let prob = if own == proposal.token {
                verdict.target_prob
            } else {
                verdict.distribution.prob(own)?
            };
            thrower.first_on(own, prob)
        });
        Some(Self { draft, target })
    }
}

struct Thrower {
    seed: u64,
    position: u32,
    vocabulary: u32,
}

impl Thrower {
    /// The first dart on a token and below its bar. One in e^40 positions needs more darts than
    /// are thrown here; beyond 26,214 tokens, where their number no longer grows, more of them do.
    fn first_on(&self, token: u32, prob: f32) -> Option<Throw> {
        if token >= self.vocabulary || prob <= 0.0 {
            return None;
        }
        let most = self.vocabulary.saturating_mul(40).min(1 << 20);
        (0..most).find_map(|index| {
            let dart = dart(self.seed, self.position, index, self.vocabulary)?;
            (dart.token == token && dart.is_below(prob)).then(|| Throw {
                number: index + 1,
                token,
                height: dart.height_fraction(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DRAFT, TARGET, compared};
    use couplet_protocol::Distribution;
    use couplet_speculation::random::first_dart;

    fn proposal(seed: u64, position: u32) -> Proposal {
        let drawn = [DRAFT, TARGET].map(|probs| first_dart(seed, position, &probs));
        compared(position, drawn)
    }

    /// What the page draws are the darts that were thrown: before the draft's first, none was
    /// below any bar of the draft, and likewise for the target.
    #[test]
    fn no_dart_landed_before_the_first() {
        for position in 0..400 {
            let proposal = proposal(3, position);
            let board = Board::new(3, 5, &proposal).unwrap();
            let first_below = |probs: &[f32; 5]| {
                let below = |index| {
                    dart(3, position, index, 5)
                        .is_some_and(|dart| dart.is_below(probs[dart.token as usize]))
                };
                (0..).find(|index| below(*index)).map(|index| index + 1)
            };
            assert_eq!(Some(board.draft.number), first_below(&DRAFT));
            let target = board.target.unwrap();
            assert_eq!(Some(target.number), first_below(&TARGET));
            assert!(board.draft.height < f64::from(DRAFT[board.draft.token as usize]));
            assert!(target.height < f64::from(TARGET[target.token as usize]));
        }
    }

    #[test]
    fn what_the_log_does_not_hold_is_not_made_up() {
        let mut proposal = proposal(3, 0);
        let verdict = proposal.verdict.as_mut().unwrap();
        verdict.own_token = Some(4);
        verdict.distribution = Distribution {
            tokens: Some(vec![0]),
            probs: vec![0.5],
            rest: 0.5,
        };
        proposal.token = 0;
        assert_eq!(Board::new(3, 5, &proposal).unwrap().target, None);
        proposal.verdict = None;
        assert_eq!(Board::new(3, 5, &proposal).unwrap().target, None);
        assert_eq!(Board::new(3, 0, &proposal), None);
    }
}
