//! Darts: weighted MinHash.
//!
//! Draft and target look at one sequence of darts per (seed, position). A dart is a token, uniform
//! over the vocabulary, and a height, uniform over (0, 1); a model's token is that of the first dart
//! below its own probability. The board has the area of the vocabulary and the area under a model's
//! probabilities is 1, so a model waits for as many darts as there are tokens, on average.
//!
//! Darts are thrown until one lands, which keeps the scheme exact: after `k·vocabulary` darts
//! nothing has landed with probability `e^−k`. A GPU throws them in batches and takes the lowest
//! index that landed; the index is the lane of the random number, so batches of any size give the
//! same token.
//!
//! Source: Daliri, Musco, Suresh 2025, "Coupling without communication and drafter-invariant
//! speculative decoding", the protocol of weighted MinHash.

use super::arithmetic::{fixed_point, multiply_high};
use super::{Purpose, words};

/// How many darts have a number of their own, `2^24`. With the largest vocabulary of a
/// [`Pair`](crate::couplings::Pair) they are used up once in `e^256` positions.
pub const MAX_DARTS: u32 = 1 << 24;

/// A dart on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dart {
    /// The token whose column it hit.
    pub token: u32,
    /// Its height in units of `2^−32`.
    pub height: u32,
}

impl Dart {
    /// Whether it landed under a token of this probability.
    ///
    /// Both heights are whole numbers, so a token of probability 0 is never hit, and a
    /// probability is cut to a multiple of `2^−32`.
    pub fn is_below(&self, prob: f32) -> bool {
        self.height < fixed_point(prob)
    }

    /// The height of its middle, in (0, 1).
    pub fn height_fraction(&self) -> f64 {
        (f64::from(self.height) + 0.5) / 4_294_967_296.0
    }
}

/// The dart with this index at a position; none when it misses the board, which happens with a
/// probability below `vocabulary / 2^32`.
pub fn dart(seed: u64, position: u32, index: u32, vocabulary: u32) -> Option<Dart> {
    let [word, height] = words(seed, position, Purpose::Dart, index);
    column(word, vocabulary).map(|token| Dart { token, height })
}

/// The token that a random word hits: `floor(word · vocabulary / 2^32)`. For every token to be hit
/// by exactly as many words as any other, the few words that are too many hit none.
///
/// Source: Lemire 2019, "Fast random integer generation in an interval".
fn column(word: u32, vocabulary: u32) -> Option<u32> {
    // 2^32 modulo the vocabulary.
    let too_many = vocabulary.wrapping_neg() % vocabulary;
    (word.wrapping_mul(vocabulary) >= too_many).then(|| multiply_high(word, vocabulary))
}

/// The token of the first dart below `probs`: a draw from them. The same (seed, position) gives
/// similar rows the same token most of the time.
///
/// A row under which none of [`MAX_DARTS`] lands, which no distribution is, gives token 0.
///
/// # Shapes
/// `probs`: (vocabulary), probabilities with a sum of one.
///
/// # Panics
/// When `probs` is empty.
pub fn first_dart(seed: u64, position: u32, probs: &[f32]) -> usize {
    let vocabulary = probs.len() as u32;
    (0..MAX_DARTS)
        .filter_map(|index| dart(seed, position, index, vocabulary))
        .find(|dart| dart.is_below(probs[dart.token as usize]))
        .map_or(0, |dart| dart.token as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::chi_square;

    #[test]
    fn the_first_dart_is_a_draw() {
        let probs = [0.2f32, 0.0, 0.3, 0.45, 0.05];
        let mut counts = [0u64; 5];
        for position in 0..100_000 {
            counts[first_dart(5, position, &probs)] += 1;
        }
        let p_value = chi_square(&counts, &probs.map(f64::from)).p_value;
        assert!(p_value > 1e-3, "p = {p_value}");
    }

    #[test]
    fn a_model_waits_for_as_many_darts_as_tokens() {
        let vocabulary = 50;
        let probs = vec![1.0f32 / 50.0; vocabulary];
        let trials = 4_000;
        let thrown: u32 = (0..trials)
            .map(|position| {
                (0..MAX_DARTS)
                    .find(|&index| {
                        dart(1, position, index, 50)
                            .is_some_and(|dart| dart.is_below(probs[dart.token as usize]))
                    })
                    .unwrap()
                    + 1
            })
            .sum();
        let mean = f64::from(thrown) / f64::from(trials);
        // A geometric number of mean 50 has a standard deviation of just below 50.
        assert!((mean - 50.0).abs() < 4.0 * 50.0 / f64::from(trials).sqrt());
    }

    #[test]
    fn tokens_of_probability_zero_are_never_hit_and_certain_ones_always() {
        let lowest = Dart {
            token: 0,
            height: 0,
        };
        assert!(!lowest.is_below(0.0));
        assert!(!lowest.is_below(2f32.powi(-33)));
        assert!(lowest.is_below(2f32.powi(-32)));
        assert_eq!(first_dart(3, 0, &[0.0, 0.0, 1.0]), 2);
        assert_eq!(first_dart(3, 0, &[1.0]), 0);
    }

    #[test]
    fn a_dart_is_shown_at_the_middle_of_its_height() {
        let shown = |height| Dart { token: 0, height }.height_fraction();
        assert_eq!(shown(0), 2f64.powi(-33));
        assert_eq!(shown(1 << 31), 0.5 + 2f64.powi(-33));
        assert_eq!(shown(u32::MAX), 1.0 - 2f64.powi(-33));
    }

    /// Every column is tried at its edges: it begins and ends where it would with equally many
    /// words for each.
    #[test]
    fn every_column_is_hit_by_equally_many_words() {
        for vocabulary in [2u32, 3, 5, 7, 64, 1000, 2048, 50_257, 65_536] {
            let words_each = u32::MAX / vocabulary;
            let words_each = words_each + u32::from(vocabulary.is_power_of_two());
            let column_begin = |token: u32| (u64::from(token) << 32).div_ceil(vocabulary.into());
            for token in (0..vocabulary).step_by(1 + vocabulary as usize / 50) {
                let (begin, end) = (column_begin(token), column_begin(token + 1));
                assert_eq!(multiply_high(begin as u32, vocabulary), token);
                assert_eq!(multiply_high((end - 1) as u32, vocabulary), token);
                // Only the first word of a column can be too many.
                let missed = u64::from(column(begin as u32, vocabulary).is_none());
                assert_eq!(column(begin as u32 + 1, vocabulary), Some(token));
                assert_eq!(column((end - 1) as u32, vocabulary), Some(token));
                assert_eq!(end - begin - missed, u64::from(words_each), "{vocabulary}");
            }
        }
    }
}
