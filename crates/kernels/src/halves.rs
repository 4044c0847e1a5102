//! Weights in 16 bits that lose nothing: what a GPU reads for a row is half as much.

use half::f16;

/// Numbers as half-precision floats times one factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Halves {
    /// Two numbers in each word, the first in the low bits, as `unpack2x16float` reads them.
    pub words: Vec<u32>,
    /// A power of two. The numbers are the half-precision floats times this.
    pub factor: f32,
}

/// The largest number is kept as this or up to twice as much, which still fits: far enough up for
/// the smallest not to be subnormal, which a GPU may take for 0.
const LARGEST: f32 = 16_384.0;

/// The same numbers in 16 bits each, with a 0 after them if they are odd in number. `None` where
/// that does not hold every one of them exactly. What comes from a file of half-precision floats
/// fits as long as no number is 32 or more.
pub fn halves(numbers: &[f32]) -> Option<Halves> {
    let largest = numbers
        .iter()
        .fold(0.0f32, |largest, x| largest.max(x.abs()));
    if !largest.is_normal() {
        return (largest == 0.0).then(|| Halves {
            words: vec![0; numbers.len().div_ceil(2)],
            factor: 1.0,
        });
    }
    // The largest power of two that is not above it.
    let power = f32::from_bits(largest.to_bits() & f32::INFINITY.to_bits());
    let factor = power / LARGEST;
    let half = |number: &f32| {
        let scaled = number / factor;
        let half = f16::from_f32(scaled);
        let exact = half.to_f32() == scaled && (half.is_normal() || scaled == 0.0);
        exact.then(|| u32::from(half.to_bits()))
    };
    let mut words = Vec::with_capacity(numbers.len().div_ceil(2));
    for two in numbers.chunks(2) {
        let high = two.get(1).map_or(Some(0), half)?;
        words.push(half(&two[0])? | high << 16);
    }
    Some(Halves { words, factor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(halves: &Halves) -> Vec<f32> {
        let of_word = |word: &u32| [*word as u16, (*word >> 16) as u16];
        let numbers = halves.words.iter().flat_map(of_word);
        numbers
            .map(|bits| f16::from_bits(bits).to_f32() * halves.factor)
            .collect()
    }

    #[test]
    fn what_a_file_of_16_bits_holds_comes_back_to_the_bit() {
        // Every number below 32, subnormal ones too.
        let all: Vec<f32> = (0..0x5000u16)
            .flat_map(|bits| [f16::from_bits(bits), f16::from_bits(bits | 0x8000)])
            .map(f16::to_f32)
            .collect();
        let halves = halves(&all).unwrap();
        assert_eq!(back(&halves), all);
        let normal_or_zero = |half: u32| matches!(half & 0x7fff, 0 | 0x400..=0x7bff);
        for word in &halves.words {
            assert!(normal_or_zero(word & 0xffff) && normal_or_zero(word >> 16));
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert_eq!(halves(&[0.1]), None);
        assert_eq!(halves(&[1.0, 1.0 + f32::EPSILON]), None);
        assert_eq!(
            halves(&[1024.0, f16::MIN_POSITIVE_SUBNORMAL.to_f32()]),
            None
        );
        assert_eq!(halves(&[1.0, f32::INFINITY]), None);
        assert_eq!(halves(&[1.0, f32::NAN]), None);
    }

    #[test]
    fn zeros_and_an_odd_number_of_numbers_fit() {
        assert_eq!(back(&halves(&[0.0; 3]).unwrap()), [0.0; 4]);
        assert_eq!(
            back(&halves(&[0.5, -3.0, 2.0]).unwrap()),
            [0.5, -3.0, 2.0, 0.0]
        );
        assert_eq!(halves(&[]).unwrap().words, []);
    }
}
