//! Products that are added without being rounded first, where the processor can.
//!
//! One instruction instead of two is up to twice the arithmetic, and arithmetic is what verifying
//! several rows costs. In WebAssembly the instruction (`f32x4.relaxed_madd` of the proposal relaxed
//! SIMD) is not known to every browser, and one that does not know it refuses the whole module. So
//! it takes the feature `relaxed-simd` and a worker of its own, which
//! `crates/worker/couplet-worker_loader.js` starts where it can be. On a processor that has no such
//! instruction a browser makes two of it.
//!
//! A processor does it or does not: a row's result never depends on how many rows there are.

use std::hint::black_box;

use wide::f32x4;

/// Loops of products, compiled once for each way of adding them.
pub(super) trait Products {
    /// What the loops come to beside what they write.
    type Output;

    /// Runs the loops with `multiply_add(x, y, sum)`, which is `x * y + sum`.
    ///
    /// To be `#[inline(always)]`, with all that it calls and that multiplies: the instructions are
    /// those of the function where the loops end up.
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) -> Self::Output;
}

/// Runs loops of products in the quickest way that there is.
#[cfg(not(all(target_arch = "wasm32", feature = "relaxed-simd")))]
pub(super) fn compute<P: Products>(products: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("fma") {
        // SAFETY: the processor has just said that it has these instructions.
        #[allow(
            unsafe_code,
            reason = "nothing checks at compile time what is asked at run time"
        )]
        return unsafe { fused(products) };
    }
    separate(products)
}

/// Runs loops of products in the quickest way that there is.
#[cfg(all(target_arch = "wasm32", feature = "relaxed-simd"))]
pub(super) fn compute<P: Products>(products: P) -> P::Output {
    fused(products)
}

/// Whether products are rounded before they are added: found by adding one that shows it.
pub(super) struct RoundsOnce;

impl Products for RoundsOnce {
    type Output = bool;

    #[inline(always)]
    fn run(self, multiply_add: impl Fn(f32x4, f32x4, f32x4) -> f32x4 + Copy) -> bool {
        // Its square ends in 2^-24, for which a number of 32 bits has no place.
        let x = black_box(f32x4::splat(1.0 + 1.0 / 4096.0));
        let rounded = f32x4::splat(1.0 + 1.0 / 2048.0);
        multiply_add(x, x, -rounded).to_array()[0] != 0.0
    }
}

/// Whether the CPU path adds products without rounding them first, as it does where build and
/// processor have an instruction for it.
pub fn is_fused() -> bool {
    compute(RoundsOnce)
}

/// Two instructions, but where every build for the target has the one.
#[inline(never)]
#[cfg(not(all(target_arch = "wasm32", feature = "relaxed-simd")))]
pub(super) fn separate<P: Products>(products: P) -> P::Output {
    products.run(|x, y, sum| x.mul_add(y, sum))
}

#[inline(never)]
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
fn fused<P: Products>(products: P) -> P::Output {
    use std::arch::x86_64::{__m128, _mm_fmadd_ps};

    let own = |x: f32x4| -> __m128 { bytemuck::cast(x.to_array()) };
    products.run(|x, y, sum| f32x4::new(bytemuck::cast(_mm_fmadd_ps(own(x), own(y), own(sum)))))
}

#[inline(never)]
#[cfg(all(target_arch = "wasm32", feature = "relaxed-simd"))]
#[target_feature(enable = "relaxed-simd")]
fn fused<P: Products>(products: P) -> P::Output {
    use std::arch::wasm32::{f32x4 as four, f32x4_extract_lane, f32x4_relaxed_madd, v128};

    let own = |x: f32x4| -> v128 {
        let [a, b, c, d] = x.to_array();
        four(a, b, c, d)
    };
    products.run(|x, y, sum| {
        let sum = f32x4_relaxed_madd(own(x), own(y), own(sum));
        f32x4::new([
            f32x4_extract_lane::<0>(sum),
            f32x4_extract_lane::<1>(sum),
            f32x4_extract_lane::<2>(sum),
            f32x4_extract_lane::<3>(sum),
        ])
    })
}
