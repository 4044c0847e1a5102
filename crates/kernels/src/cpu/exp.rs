//! The exponential of numbers that are neither infinite nor NaN, in the few instructions that are
//! left when nothing else has to be thought of.

use std::f32::consts::LOG2_E;
use std::hint::black_box;

use wide::{f32x4, i32x4};

/// A little further the result would leave the range of normal numbers; from here on it stays what it
/// is here, which no sum of weights and no sigmoid can tell from 0 or infinity.
pub(super) const SMALLEST: f32 = -87.0;
const LARGEST: f32 = 88.0;

/// Added to a number below 2^22, it leaves an integer in the last places: the nearest.
const TO_INTEGER: f32 = 12_582_912.0;

/// The logarithm of 2 in two parts, the first with so few digits that a product with an exponent is
/// exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Factors of Taylor's series, from the power down at which half of ln 2 has nothing more to say.
const SERIES: [f32; 8] = [
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// The exponential with its constants at hand.
pub(super) struct Exponential {
    bounds: [f32x4; 2],
    to_exponent: [f32x4; 2],
    to_rest: [f32x4; 2],
    series: [f32x4; 8],
}

impl Exponential {
    /// For many numbers. What is a constant to the compiler is put together anew in every turn of a
    /// loop, with three instructions each in browsers, so it is not to know that these are.
    #[inline(always)]
    pub(super) fn new() -> Self {
        let of = |constants: [f32; 2]| black_box(constants).map(f32x4::splat);
        Self {
            bounds: of([SMALLEST, LARGEST]),
            to_exponent: of([LOG2_E, TO_INTEGER]),
            to_rest: of([-LN_2_HIGH, -LN_2_LOW]),
            series: black_box(SERIES).map(f32x4::splat),
        }
    }

    /// `e^x` up to three units in the last place, `x` held between [`SMALLEST`] and [`LARGEST`];
    /// `multiply_add(x, y, sum)` is `x * y + sum`. Of what is no number, anything comes: models whose
    /// weights are not finite are refused when they are read.
    #[inline(always)]
    pub(super) fn of(
        &self,
        x: f32x4,
        multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4,
    ) -> f32x4 {
        let [smallest, largest] = self.bounds;
        let x = x.fast_max(smallest).fast_min(largest);
        let [log2_e, to_integer] = self.to_exponent;
        let shifted = multiply_add(x, log2_e, to_integer);
        let exponent = shifted - to_integer;
        let mut rest = x;
        for part in self.to_rest {
            rest = multiply_add(exponent, part, rest);
        }
        let [mut power, others @ ..] = self.series;
        for factor in others {
            power = multiply_add(power, rest, factor);
        }
        // Times two to the exponent: what pushes the integer up pushes out what is above it.
        let (shifted, power): (i32x4, i32x4) = (bytemuck::cast(shifted), bytemuck::cast(power));
        bytemuck::cast(power + (shifted << 23))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_units_in_the_last_place() {
        for fused in [false, true] {
            let multiply_add = |x: f32x4, y: f32x4, sum: f32x4| {
                let (x, y, sum) = (x.to_array(), y.to_array(), sum.to_array());
                f32x4::new(std::array::from_fn(|i| {
                    if fused {
                        x[i].mul_add(y[i], sum[i])
                    } else {
                        x[i] * y[i] + sum[i]
                    }
                }))
            };
            let exponential = Exponential::new();
            for step in 0..400_000 {
                let x = SMALLEST + (LARGEST - SMALLEST) * step as f32 / 400_000.0;
                let found = exponential.of(f32x4::splat(x), multiply_add).to_array()[0];
                let right = f64::from(x).exp();
                let unit = f64::from(f32::EPSILON) * 2f64.powf(right.log2().floor());
                assert!(
                    (f64::from(found) - right).abs() <= 3.0 * unit,
                    "e^{x} is {right}, not {found}"
                );
            }
            let held = exponential
                .of(f32x4::new([-1e30, -88.0, 89.0, 1e30]), multiply_add)
                .to_array();
            assert!(held[0] > 0.0 && held[0] < 2e-38 && held[0] == held[1]);
            assert!(held[3].is_finite() && held[3] > 1e38 && held[2] == held[3]);
        }
    }
}
