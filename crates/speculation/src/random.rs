//! The counter-based generator: every number is a pure function of (seed, position, purpose,
//! lane), the same on CPU and GPU.
//!
//! Beyond uniforms there are two kinds of noise that a draft and a target share at a position:
//! exponential [clocks](mod@exponential), one per token, and [darts]. Both come from integer arithmetic
//! and exact f32 operations only, so a shader that is transcribed from them gives the same bits.

pub mod arithmetic;
pub mod darts;
pub mod exponential;

pub use darts::{Dart, MAX_DARTS, dart, first_dart};
pub use exponential::{exponential, race};

/// What a random number decides. Different purposes never share a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Draws the draft's token at a position.
    Draft = 0,
    /// Decides whether the drafted token at a position is kept.
    Accept = 1,
    /// Draws the replacement of a rejected token: from the residual, under Typical from the target.
    Residual = 2,
    /// Draws the target's own token at a position: bonus tokens, plain decoding, and Sample and
    /// match everywhere.
    Target = 3,
    /// Chooses training windows.
    Training = 4,
    /// The exponential clock of a token at a position, shared by draft and target; the lane is the
    /// token's id.
    Clock = 5,
    /// A dart at a position, shared by draft and target; the lane is the dart's index.
    Dart = 6,
}

/// Threefry-2x32 with 20 rounds.
///
/// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3";
/// rotation constants from Random123, which JAX uses too.
pub const fn threefry2x32(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let mut x = [
        counter[0].wrapping_add(keys[0]),
        counter[1].wrapping_add(keys[1]),
    ];
    let mut round = 0;
    while round < 20 {
        x[0] = x[0].wrapping_add(x[1]);
        x[1] = x[1].rotate_left(ROTATIONS[round % 8]) ^ x[0];
        round += 1;
        if round % 4 == 0 {
            // After every fourth round the key is injected, shifted by one word each time.
            let injection = round / 4;
            x[0] = x[0].wrapping_add(keys[injection % 3]);
            x[1] = x[1]
                .wrapping_add(keys[(injection + 1) % 3])
                .wrapping_add(injection as u32);
        }
    }
    x
}

/// The number that `seed` gives to (position, purpose, lane), uniform on the open interval
/// (0, 1).
///
/// Values are `(k + 1/2) / 2^23` with `k < 2^23`: exact in f32, never 0 and never 1. `lane` must
/// be below 2^24.
pub fn uniform(seed: u64, position: u32, purpose: Purpose, lane: u32) -> f32 {
    uniform_from_bits(words(seed, position, purpose, lane)[0])
}

/// The two words of random bits that `seed` gives to (position, purpose, lane). `lane` must be
/// below 2^24.
pub fn words(seed: u64, position: u32, purpose: Purpose, lane: u32) -> [u32; 2] {
    debug_assert!(lane < 1 << 24, "a lane has 24 bits");
    let key = [seed as u32, (seed >> 32) as u32];
    threefry2x32(key, [position, ((purpose as u32) << 24) | lane])
}

/// Maps the upper 23 bits to `(k + 1/2) / 2^23`.
pub fn uniform_from_bits(bits: u32) -> f32 {
    ((bits >> 9) as f32 + 0.5) * (1.0 / 8_388_608.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers published with Random123 (`kat_vectors`, threefry2x32, 20 rounds).
    #[test]
    fn threefry_gives_the_published_answers() {
        let ones = u32::MAX;
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(threefry2x32([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(
            threefry2x32([ones, ones], [ones, ones]),
            [0x1cb9_96fc, 0xbb00_2be7]
        );
        assert_eq!(
            threefry2x32([pi[2], pi[3]], [pi[0], pi[1]]),
            [0xc492_3a9c, 0x483d_f7a0]
        );
    }

    #[test]
    fn uniforms_are_never_zero_and_never_one() {
        assert!(uniform_from_bits(0) > 0.0);
        assert!(uniform_from_bits(u32::MAX) < 1.0);
    }

    #[test]
    fn seeds_positions_purposes_and_lanes_have_coins_of_their_own() {
        let base = uniform(7, 3, Purpose::Draft, 0);
        assert_ne!(base, uniform(8, 3, Purpose::Draft, 0));
        // Seeds have up to 53 bits, and the upper ones count.
        assert_ne!(base, uniform((1 << 40) | 7, 3, Purpose::Draft, 0));
        assert_ne!(base, uniform(7, 4, Purpose::Draft, 0));
        assert_ne!(base, uniform(7, 3, Purpose::Accept, 0));
        assert_ne!(base, uniform(7, 3, Purpose::Draft, 1));
    }
}
