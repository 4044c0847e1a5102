// Noise that draft and target share at a position: an exponential clock for every token, and a
// sequence of darts. Twins: crates/speculation/src/random/exponential.rs and darts.rs.
// Source: Daliri, Musco, Suresh 2025.

const MAX_DARTS: u32 = 1u << 24u;

// The clock of a token: exponentially distributed with mean 1, as a geometric number of
// halvings and the logarithm of what is left.
fn exponential_clock(seed: vec2<u32>, position: u32, token: u32) -> f32 {
    let bits = threefry2x32(seed, vec2<u32>(position, (PURPOSE_CLOCK << 24u) | token));
    let halvings = countLeadingZeros(bits.x);
    let odd = bits.y | 1u;
    let slope = slope_of_log(odd);
    let high = multiply_high(odd, slope);
    let low = odd * slope;
    if halvings > 0u {
        let sum = halvings * 93032640u + (high >> 5u);
        let zeros = countLeadingZeros(sum);
        return fraction(sum << zeros, 5 - i32(zeros));
    }
    let zeros = countLeadingZeros(high);
    if zeros == 0u {
        return fraction(high, 0);
    }
    if zeros == 32u {
        let low_zeros = countLeadingZeros(low);
        return fraction(low << low_zeros, -32 - i32(low_zeros));
    }
    return fraction((high << zeros) | (low >> (32u - zeros)), -i32(zeros));
}

// A dart: token, height, and 1 if it hit the board.
fn dart(seed: vec2<u32>, position: u32, index: u32, vocab: u32) -> vec3<u32> {
    let bits = threefry2x32(seed, vec2<u32>(position, (PURPOSE_DART << 24u) | index));
    let too_many = (0u - vocab) % vocab;
    let on_board = bits.x * vocab >= too_many;
    return vec3<u32>(multiply_high(bits.x, vocab), bits.y, select(0u, 1u, on_board));
}
