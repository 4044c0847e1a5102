//! Exponential clocks: the Gumbel-max trick without logarithms of logarithms.
//!
//! Every token has a clock `E ~ Exp(1)`, and the token with the smallest `E / prob` wins. It wins
//! with probability `prob`, as the argmax of `ln prob − ln E` does, in which `−ln E` is Gumbel
//! noise. Two models that use the same clocks often let the same token win.
//!
//! Source: Gumbel-max: Maddison, Tarlow, Minka 2014, "A* sampling"; as a coupling: Daliri, Musco,
//! Suresh 2025, "Coupling without communication and drafter-invariant speculative decoding".

use super::arithmetic::{fraction, multiply_high, quotient, slope_of_log};
use super::{Purpose, words};

/// Tokens below this probability, `2^−64`, never win: their quotients would leave the range in
/// which every GPU computes normally.
pub const SMALLEST_PROB: f32 = 5.421_011e-20;

/// `ln 2` with 27 fractional bits.
const LN_2: u32 = 93_032_640;

/// The clock that `seed` gives to a token at a position: exponentially distributed with mean 1.
///
/// Positive, finite, between `2^−33` and 23. `token` must be below 2^24.
pub fn exponential(seed: u64, position: u32, token: u32) -> f32 {
    exponential_from_bits(words(seed, position, Purpose::Clock, token))
}

/// The exponential number made of two random words: `G·ln 2 − ln(1 − W)`, with G the number of
/// leading zeros of the first word and W, uniform on (0, ½) in steps of `2^−32`, from the second.
///
/// It is `−ln u` of a uniform u: an exponential number has no memory, so how often it passes
/// `ln 2` is geometric, and independent of what is left. Taken apart like this the small values,
/// which are the ones that win, have 31 bits and more, where `−ln u` of 23 bits has none.
///
/// Integer operations only, so every device gives the same bits; relative error against the exact
/// logarithm below 1.5e-7, most of it from cutting to the 24 bits of an f32.
pub fn exponential_from_bits(bits: [u32; 2]) -> f32 {
    let halvings = bits[0].leading_zeros();
    // W = odd / 2^33.
    let odd = bits[1] | 1;
    let slope = slope_of_log(odd);
    // −ln(1 − W) = odd · slope / 2^64, a product of two words.
    let (high, low) = (multiply_high(odd, slope), odd.wrapping_mul(slope));
    if halvings > 0 {
        // 27 fractional bits leave 5 for numbers up to 32 ln 2 + ln 2.
        let sum = halvings * LN_2 + (high >> 5);
        let zeros = sum.leading_zeros();
        return fraction(sum << zeros, 5 - zeros as i32);
    }
    let zeros = high.leading_zeros();
    match zeros {
        0 => fraction(high, 0),
        // Shifting a word by 32 is no shift in WGSL.
        32 => {
            let zeros = low.leading_zeros();
            fraction(low << zeros, -32 - zeros as i32)
        }
        _ => fraction((high << zeros) | (low >> (32 - zeros)), -(zeros as i32)),
    }
}

/// When a token's clock strikes: `exponential / prob`, cut to 24 bits; none below
/// [`SMALLEST_PROB`].
///
/// The bits of positive f32 have the order of their values, so a shader may compare them as words,
/// and a reduction in any order finds the same winner.
pub fn strike(exponential: f32, prob: f32) -> Option<f32> {
    (prob >= SMALLEST_PROB).then(|| quotient(exponential, prob))
}

/// The token whose clock strikes first; of several, the lowest id. This is a draw from `probs`,
/// and the same number (seed, position) gives similar rows the same token most of the time.
///
/// Rows need not be normalised: a common factor changes nothing but roundings. A row in which no
/// token reaches [`SMALLEST_PROB`] gives token 0.
///
/// # Shapes
/// `probs`: (vocabulary), at most `2^24` tokens.
pub fn race(seed: u64, position: u32, probs: impl IntoIterator<Item = f32>) -> usize {
    let mut first = (f32::MAX, 0);
    for (token, prob) in probs.into_iter().enumerate() {
        if prob < SMALLEST_PROB {
            continue;
        }
        if let Some(time) = strike(exponential(seed, position, token as u32), prob)
            && time < first.0
        {
            first = (time, token);
        }
    }
    first.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::threefry2x32;
    use crate::statistics::chi_square;

    /// The exact value in f64.
    fn exact(bits: [u32; 2]) -> f64 {
        let w = f64::from(bits[1] | 1) / 2f64.powi(33);
        f64::from(bits[0].leading_zeros()) * std::f64::consts::LN_2 - (-w).ln_1p()
    }

    #[test]
    fn clocks_are_logarithms_to_below_a_millionth() {
        let mut worst = 0.0f64;
        let mut check = |bits: [u32; 2]| {
            let exact = exact(bits);
            let found = f64::from(exponential_from_bits(bits));
            worst = worst.max((found / exact - 1.0).abs());
        };
        for i in 0..500_000 {
            let bits = threefry2x32([1, 2], [i, 0]);
            check(bits);
            // Small clocks, and all numbers of leading zeros.
            check([u32::MAX, bits[1] >> (i % 32)]);
            check([bits[0] >> (i % 32), bits[1]]);
        }
        for first in [0, 1, u32::MAX, 1 << 31, (1 << 31) - 1] {
            for second in [0, 1, 2, u32::MAX, 1 << 31, (1 << 31) - 1] {
                check([first, second]);
            }
        }
        assert!(worst < 1.5e-7, "{worst}");
    }

    /// What a transcription for a GPU must reproduce.
    #[test]
    fn clocks_have_known_bits() {
        for (bits, expect) in [
            ([0xffff_ffff, 0], 0x2f00_0000),
            ([0xffff_ffff, 0xffff_ffff], 0x3f31_7217),
            ([0x7fff_ffff, 0x8000_0000], 0x3f7b_17a0),
            ([0, 0xffff_ffff], 0x41b6_fda8),
            ([0x1234_5678, 0x9abc_def0], 0x401c_1d6d),
        ] {
            let found = exponential_from_bits(bits).to_bits();
            assert_eq!(found, expect, "{bits:x?} gives {found:#x}");
        }
    }

    /// Nothing infinite, nothing that a GPU may flush to zero.
    #[test]
    fn clocks_and_strikes_stay_normal() {
        for bits in [[0, 0], [0, u32::MAX], [u32::MAX, 0], [u32::MAX, u32::MAX]] {
            let clock = exponential_from_bits(bits);
            assert!(clock >= 2f32.powi(-33) && clock < 23.0, "{clock}");
            for prob in [SMALLEST_PROB, 1e-10, 0.5, 1.0, 1.0 + 1e-6] {
                assert!(strike(clock, prob).unwrap().is_normal());
            }
            assert_eq!(strike(clock, 0.0), None);
            assert_eq!(strike(clock, f32::MIN_POSITIVE / 2.0), None);
        }
        assert_eq!(SMALLEST_PROB, 2f32.powi(-64));
    }

    #[test]
    fn clocks_are_exponential() {
        // Cells of equal probability.
        let (cells, trials) = (64, 200_000);
        let mut counts = vec![0u64; cells];
        for token in 0..trials {
            let clock = f64::from(exponential(9, 4, token));
            counts[((-(-clock).exp_m1()) * cells as f64) as usize] += 1;
        }
        let p_value = chi_square(&counts, &vec![1.0 / cells as f64; cells]).p_value;
        assert!(p_value > 1e-3, "p = {p_value}");
    }

    #[test]
    fn a_race_is_a_draw_and_impossible_tokens_never_win() {
        let probs = [0.2f32, 0.0, 0.3, 0.45, 0.05, 1e-30];
        let mut counts = [0u64; 6];
        for position in 0..100_000 {
            counts[race(5, position, probs)] += 1;
        }
        assert_eq!((counts[1], counts[5]), (0, 0));
        let expect = probs.map(f64::from);
        let p_value = chi_square(&counts[..5], &expect[..5]).p_value;
        assert!(p_value > 1e-3, "p = {p_value}");
    }

    /// Probabilities in proportion to the clocks let all of them strike at once.
    #[test]
    fn of_clocks_that_strike_at_once_the_lowest_id_wins() {
        for position in 0..20 {
            let row = [0, 1, 2].map(|token| exponential(5, position, token) / 64.0);
            for (token, prob) in (0..).zip(row) {
                assert_eq!(strike(exponential(5, position, token), prob), Some(64.0));
            }
            assert_eq!(race(5, position, row), 0);
        }
    }

    #[test]
    fn a_race_does_not_know_the_scale_of_its_row() {
        for position in 0..2_000 {
            let row = [0.125f32, 0.5, 0.25, 0.125];
            let scaled = row.map(|prob| prob * 0.25);
            assert_eq!(race(5, position, row), race(5, position, scaled));
        }
    }
}
