// Threefry-2x32 with 20 rounds and the uniforms made from it, bit for bit those of
// crates/speculation/src/random.rs. Source: Salmon et al. 2011.

const PURPOSE_DRAFT: u32 = 0u;
const PURPOSE_ACCEPT: u32 = 1u;
const PURPOSE_RESIDUAL: u32 = 2u;
const PURPOSE_TARGET: u32 = 3u;
const PURPOSE_CLOCK: u32 = 5u;
const PURPOSE_DART: u32 = 6u;

fn rotate_left(x: u32, bits: u32) -> u32 {
    return (x << bits) | (x >> (32u - bits));
}

fn threefry2x32(key: vec2<u32>, counter: vec2<u32>) -> vec2<u32> {
    var rotations = array<u32, 8>(13u, 15u, 26u, 6u, 17u, 29u, 16u, 24u);
    var keys = array<u32, 3>(key.x, key.y, key.x ^ key.y ^ 0x1BD11BDAu);
    var x = counter + vec2<u32>(keys[0], keys[1]);
    for (var round = 0u; round < 20u; round++) {
        x.x = x.x + x.y;
        x.y = rotate_left(x.y, rotations[round % 8u]) ^ x.x;
        if (round + 1u) % 4u == 0u {
            let injection = (round + 1u) / 4u;
            x.x = x.x + keys[injection % 3u];
            x.y = x.y + keys[(injection + 1u) % 3u] + injection;
        }
    }
    return x;
}

// (k + 1/2) / 2^23 with k < 2^23: exact, never 0 and never 1.
fn uniform_from_bits(bits: u32) -> f32 {
    return (f32(bits >> 9u) + 0.5) * (1.0 / 8388608.0);
}

fn uniform_at(seed: vec2<u32>, position: u32, purpose: u32, lane: u32) -> f32 {
    return uniform_from_bits(threefry2x32(seed, vec2<u32>(position, (purpose << 24u) | lane)).x);
}
