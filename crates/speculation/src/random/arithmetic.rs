//! Arithmetic that gives the same bits on every CPU and every GPU.
//!
//! WGSL lets a driver compute `log` and division with some error, fuse a product with a sum, flush
//! small numbers to zero and assume that nothing is infinite. What two devices must decide alike is
//! therefore made of integer operations, which WGSL defines to the bit, and of f32 values taken
//! apart and put together as bits. No function here returns an infinity or a NaN.

/// `ln 2` with 25 fractional bits.
const LN_2: u32 = 23_258_160;

/// The upper word of the product: `floor(a · b / 2^32)`.
///
/// WGSL has no 64-bit product: there it is four products of 16-bit halves.
pub const fn multiply_high(a: u32, b: u32) -> u32 {
    ((a as u64 * b as u64) >> 32) as u32
}

/// `numerator / denominator`, rounded toward zero to 24 significant bits: at most `2^−23` below
/// the quotient, relatively.
///
/// Both must be positive and normal, and so must the quotient; everything that is divided here is
/// within `2^±64`.
pub fn quotient(numerator: f32, denominator: f32) -> f32 {
    debug_assert!(numerator.is_normal() && numerator > 0.0, "{numerator}");
    debug_assert!(
        denominator.is_normal() && denominator > 0.0,
        "{denominator}"
    );
    let (numerator, denominator) = (numerator.to_bits(), denominator.to_bits());
    let divisor = significand(denominator);
    let dividend = significand(numerator);
    // floor(2^24 · dividend / divisor) in base 256: the remainder is below 2^24, so it can be
    // shifted by a digit without leaving 32 bits.
    let mut digits = dividend / divisor;
    let mut remainder = dividend % divisor;
    for _ in 0..3 {
        remainder <<= 8;
        digits = (digits << 8) | (remainder / divisor);
        remainder %= divisor;
    }
    let exponent = (numerator >> 23) + 126 - (denominator >> 23);
    if digits >> 24 == 0 {
        assemble(digits, exponent)
    } else {
        assemble(digits >> 1, exponent + 1)
    }
}

/// `−ln(1 − w)·2^63 / (w·2^32)` for `w = odd / 2^33` in (0, ½), as a number with 31 fractional
/// bits: the slope by which `w` is multiplied. It is between 1 and `2 ln 2`, relative error below
/// 3e-8.
///
/// A polynomial of degree 8 in `1 − 2w`, interpolated at Chebyshev nodes. Its signs alternate, so
/// Horner's scheme in unsigned integers subtracts in every step.
pub(super) fn slope_of_log(odd: u32) -> u32 {
    const COEFFICIENTS: [u32; 9] = [
        2_977_044_394,
        1_317_910_142,
        829_213_300,
        598_335_756,
        450_576_296,
        317_462_212,
        179_682_973,
        67_135_961,
        11_810_797,
    ];
    let mut slope = COEFFICIENTS[8];
    for power in 0..8 {
        slope = COEFFICIENTS[7 - power] - multiply_high(slope, !odd);
    }
    slope
}

/// `−ln(x)` for a normal x in (0, 1], in units of `2^−25`; absolute error below 3e-7, and below
/// 1e-7 for x above `2^−24`.
pub fn minus_ln(x: f32) -> u32 {
    debug_assert!(x.is_normal() && x > 0.0 && x <= 1.0, "{x}");
    let bits = x.to_bits();
    // x = m·2^−halvings with m in [1, 2), and m = 2(1 − w).
    let halvings = 127 - (bits >> 23);
    let below_two = (1 << 24) - significand(bits);
    if below_two == 1 << 23 {
        return halvings * LN_2;
    }
    let twice_w = below_two << 9;
    let log = multiply_high(twice_w, slope_of_log(twice_w));
    // `log` has 32 fractional bits. A number at or above ½ has less than one halving.
    (log >> 7) + (halvings * LN_2) - LN_2
}

/// The entropy of a row in nats, in units of `2^−25`. Integers add up to the same sum in every
/// order, so a GPU may reduce in parallel. Absolute error below
/// `3e-8` per token and `1e-7` besides.
pub fn entropy(probs: &[f32]) -> u32 {
    probs
        .iter()
        .filter(|prob| prob.is_normal())
        .map(|&prob| multiply_high(fixed_point(prob), minus_ln(prob.min(1.0))))
        .sum()
}

/// A probability in units of `2^−32`, rounded down; 1 becomes the largest word.
///
/// The product with a power of two is exact, so this is one multiplication and one conversion.
pub fn fixed_point(prob: f32) -> u32 {
    if prob >= 1.0 {
        u32::MAX
    } else {
        (prob * 4_294_967_296.0) as u32
    }
}

/// The upper 24 bits of `leading`, a word whose highest bit is set, as the fraction
/// `leading / 2^32` times `2^exponent`, rounded toward zero.
pub(super) fn fraction(leading: u32, exponent: i32) -> f32 {
    assemble(leading >> 8, (126 + exponent) as u32)
}

/// The 24 significant bits of a normal f32.
fn significand(bits: u32) -> u32 {
    (bits & 0x007f_ffff) | 0x0080_0000
}

/// The f32 with these 24 significant bits and this biased exponent.
fn assemble(significand: u32, biased_exponent: u32) -> f32 {
    f32::from_bits((biased_exponent << 23) | (significand & 0x007f_ffff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::threefry2x32;

    fn numbers(count: u32) -> impl Iterator<Item = [u32; 2]> {
        (0..count).map(|i| threefry2x32([3, 5], [i, 0]))
    }

    /// A positive normal number within 2^±60.
    fn positive(bits: u32) -> f32 {
        f32::from_bits((bits & 0x007f_ffff) | ((127 - 60 + (bits >> 23) % 120) << 23))
    }

    #[test]
    fn quotients_are_the_exact_ones_cut_to_24_bits() {
        for [a, b] in numbers(200_000) {
            let (a, b) = (positive(a), positive(b));
            let exact = f64::from(a) / f64::from(b);
            let found = f64::from(quotient(a, b));
            assert!(
                found <= exact && exact - found < exact * 2f64.powi(-23),
                "{a} / {b}: {found} is not {exact}"
            );
        }
        assert_eq!(quotient(1.0, 1.0), 1.0);
        assert_eq!(quotient(1.0, 3.0), f32::from_bits(0x3eaa_aaaa));
        assert_eq!(quotient(0.75, 0.25), 3.0);
    }

    #[test]
    fn logarithms_are_near_those_of_f64() {
        let mut worst = 0.0f64;
        let edges = [1.0, 0.5, 0.25, f32::MIN_POSITIVE, 1.0 - 2f32.powi(-24)];
        let random = numbers(100_000).map(|[a, _]| f32::from_bits((a % 0x3f00_0000) + 0x0080_0000));
        for x in random.chain(edges) {
            let found = f64::from(minus_ln(x)) * 2f64.powi(-25);
            worst = worst.max((found + f64::from(x).ln()).abs());
        }
        // Each of up to 126 halvings adds the rounding of ln 2.
        assert!(worst < 3e-7, "{worst}");
        for [a, _] in numbers(100_000) {
            let x = crate::random::uniform_from_bits(a);
            let found = f64::from(minus_ln(x)) * 2f64.powi(-25);
            assert!((found + f64::from(x).ln()).abs() < 1e-7, "{x}: {found}");
        }
    }

    #[test]
    fn entropies_are_near_those_of_f64() {
        for row in [
            vec![0.2f32, 0.3, 0.5],
            vec![1.0, 0.0, 0.0],
            vec![1.0 / 2048.0; 2048],
        ] {
            let found = f64::from(entropy(&row)) * 2f64.powi(-25);
            let exact =
                crate::entropy(&row.iter().map(|&prob| f64::from(prob)).collect::<Vec<_>>());
            assert!((found - exact).abs() < 1e-4, "{found} is not {exact}");
        }
    }

    #[test]
    fn probabilities_become_words_exactly() {
        assert_eq!(fixed_point(0.0), 0);
        assert_eq!(fixed_point(0.5), 1 << 31);
        assert_eq!(fixed_point(2f32.powi(-32)), 1);
        assert_eq!(fixed_point(1.0), u32::MAX);
        assert_eq!(fixed_point(1.0 - 2f32.powi(-24)), 0xffff_ff00);
    }
}
