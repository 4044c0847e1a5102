// Arithmetic that gives the same bits on every device: integer operations, and f32 values taken
// apart and put together as bits. Twin: crates/speculation/src/random/arithmetic.rs.

// Tokens below this probability, 2^-64, never win: their quotients would leave the range in
// which every GPU computes normally.
const SMALLEST_PROB: f32 = 0x1p-64f;

// The upper word of the product.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let carried = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (carried >> 16u);
}

// The 24 significant bits of a normal f32.
fn significand(bits: u32) -> u32 {
    return (bits & 0x007fffffu) | 0x00800000u;
}

// The f32 with these 24 significant bits and this biased exponent.
fn assemble(significant: u32, biased_exponent: u32) -> f32 {
    return bitcast<f32>((biased_exponent << 23u) | (significant & 0x007fffffu));
}

// The upper 24 bits of a word whose highest bit is set, as the fraction leading / 2^32 times
// 2^exponent.
fn fraction(leading: u32, exponent: i32) -> f32 {
    return assemble(leading >> 8u, u32(126 + exponent));
}

// numerator / denominator, both positive and within 2^+-64, rounded toward zero.
fn quotient(numerator: f32, denominator: f32) -> f32 {
    let numerator_bits = bitcast<u32>(numerator);
    let denominator_bits = bitcast<u32>(denominator);
    let divisor = significand(denominator_bits);
    let dividend = significand(numerator_bits);
    var digits = dividend / divisor;
    var remainder = dividend % divisor;
    for (var digit = 0u; digit < 3u; digit++) {
        remainder = remainder << 8u;
        digits = (digits << 8u) | (remainder / divisor);
        remainder = remainder % divisor;
    }
    let exponent = (numerator_bits >> 23u) + 126u - (denominator_bits >> 23u);
    if (digits >> 24u) == 0u {
        return assemble(digits, exponent);
    }
    return assemble(digits >> 1u, exponent + 1u);
}

// The slope by which w = odd / 2^33 is multiplied to give -ln(1 - w), with 31 fractional bits.
fn slope_of_log(odd: u32) -> u32 {
    var coefficients = array<u32, 8>(
        2977044394u, 1317910142u, 829213300u, 598335756u,
        450576296u, 317462212u, 179682973u, 67135961u,
    );
    var slope = 11810797u;
    for (var power = 0u; power < 8u; power++) {
        slope = coefficients[7u - power] - multiply_high(slope, ~odd);
    }
    return slope;
}

// A probability in units of 2^-32, rounded down; 1 becomes the largest word.
fn fixed_point(prob: f32) -> u32 {
    if prob >= 1.0 {
        return 0xffffffffu;
    }
    return u32(prob * 4294967296.0);
}

// Whether a probability is a normal number above zero.
fn is_normal(prob: f32) -> bool {
    let exponent = (bitcast<u32>(prob) >> 23u) & 0xffu;
    return exponent > 0u && exponent < 0xffu;
}

// -ln(x) for a normal x in (0, 1], in units of 2^-25.
fn minus_ln(x: f32) -> u32 {
    let ln_2 = 23258160u;
    let bits = bitcast<u32>(x);
    let halvings = 127u - (bits >> 23u);
    let below_two = (1u << 24u) - significand(bits);
    if below_two == 0x00800000u {
        return halvings * ln_2;
    }
    let twice_w = below_two << 9u;
    let log = multiply_high(twice_w, slope_of_log(twice_w));
    return (log >> 7u) + (halvings * ln_2) - ln_2;
}
