// The distribution of a row of logits after temperature, top-k and top-p, by 64 invocations. Every
// sum runs in the order of lanes and ids, so a row's result does not depend on what else is
// computed. Top-k is applied before top-p, which looks at the distribution renormalised after it;
// a token stays when the mass ranked strictly before it is below top_p. Ties rank the lower id
// first. The importing kernel declares pass_, settings, logits and probs.
// Twin: crates/kernels/src/cpu/probabilities.rs.

const LANES: u32 = 64u;

var<workgroup> lane_value: array<f32, LANES>;
var<workgroup> lane_token: array<u32, LANES>;

// Whether token a ranks before token b: more probable, or as probable with the lower id.
fn ranks_before(a_value: f32, a: u32, b_value: f32, b: u32) -> bool {
    return a_value > b_value || (a_value == b_value && a < b);
}

// A number that is larger exactly when the value is; both zeros have the same.
fn key_of(value: f32) -> u32 {
    let bits = select(bitcast<u32>(value), 0u, value == 0.0);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

// Adds the values of all lanes in the order of lanes.
fn sum_of_lanes(lane: u32, value: f32) -> f32 {
    lane_value[lane] = value;
    workgroupBarrier();
    var total = 0.0;
    for (var other = 0u; other < LANES; other++) {
        total += lane_value[other];
    }
    workgroupBarrier();
    return total;
}

// Number of tokens whose key is not below the given one.
fn tokens_from(lane: u32, key: u32, source: u32) -> u32 {
    var count = 0u;
    for (var token = lane; token < pass_.vocab; token += LANES) {
        count += select(0u, 1u, key_of(logits[source + token]) >= key);
    }
    lane_token[lane] = count;
    workgroupBarrier();
    var total = 0u;
    for (var other = 0u; other < LANES; other++) {
        total += lane_token[other];
    }
    workgroupBarrier();
    return total;
}

// Sum of the weights of all tokens whose key is not below the given one. Adding a token never
// makes it smaller, whatever the rounding.
fn mass_from(lane: u32, key: u32, source: u32, destination: u32) -> f32 {
    var sum = 0.0;
    for (var token = lane; token < pass_.vocab; token += LANES) {
        if key_of(logits[source + token]) >= key {
            sum += probs[destination + token];
        }
    }
    return sum_of_lanes(lane, sum);
}

// Tokens with a lower id and the same key.
fn equals_before(token: u32, source: u32) -> u32 {
    let key = key_of(logits[source + token]);
    var count = 0u;
    for (var other = 0u; other < token; other++) {
        count += select(0u, 1u, key_of(logits[source + other]) == key);
    }
    return count;
}

// Reads the logits from `source` on, writes the probabilities from `destination` on.
fn row_probabilities(lane: u32, source: u32, destination: u32) {
    let vocab = pass_.vocab;

    // The most probable token.
    var best_value = -1e30;
    var best_token = vocab;
    for (var token = lane; token < vocab; token += LANES) {
        let value = logits[source + token];
        if value > best_value {
            best_value = value;
            best_token = token;
        }
    }
    lane_value[lane] = best_value;
    lane_token[lane] = best_token;
    workgroupBarrier();
    for (var other = 0u; other < LANES; other++) {
        if ranks_before(lane_value[other], lane_token[other], best_value, best_token) {
            best_value = lane_value[other];
            best_token = lane_token[other];
        }
    }
    workgroupBarrier();

    if settings.temperature == 0.0 {
        for (var token = lane; token < vocab; token += LANES) {
            probs[destination + token] = select(0.0, 1.0, token == best_token);
        }
        return;
    }

    let inverse_temperature = 1.0 / settings.temperature;
    for (var token = lane; token < vocab; token += LANES) {
        probs[destination + token] = exp((logits[source + token] - best_value) * inverse_temperature);
    }

    // First the k most probable tokens. The key of the last of them is found bit by bit: it is
    // the largest one that k tokens reach.
    if settings.top_k > 0u && settings.top_k < vocab {
        var boundary = 0u;
        for (var bit = 0x80000000u; bit > 0u; bit = bit >> 1u) {
            if tokens_from(lane, boundary | bit, source) >= settings.top_k {
                boundary |= bit;
            }
        }
        // At least one token has the largest key there is, so the next key exists.
        let places = settings.top_k - tokens_from(lane, boundary + 1u, source);
        for (var token = lane; token < vocab; token += LANES) {
            let key = key_of(logits[source + token]);
            if key < boundary || (key == boundary && equals_before(token, source) >= places) {
                probs[destination + token] = 0.0;
            }
        }
    }
    var total = mass_from(lane, 0u, source, destination);

    // Then, of those, the most probable ones up to the mass top_p: the key of the last of them
    // is the largest one at which the mass reaches top_p. Of equal tokens, the lower ids come
    // first, each with the same weight.
    if settings.top_p < 1.0 {
        let goal = settings.top_p * total;
        var boundary = 0u;
        for (var bit = 0x80000000u; bit > 0u; bit = bit >> 1u) {
            if mass_from(lane, boundary | bit, source, destination) >= goal {
                boundary |= bit;
            }
        }
        let mass_before = mass_from(lane, boundary + 1u, source, destination);
        for (var token = lane; token < vocab; token += LANES) {
            let key = key_of(logits[source + token]);
            var kept = key >= boundary;
            if key == boundary && probs[destination + token] > 0.0 {
                let equals = f32(equals_before(token, source));
                kept = mass_before + equals * probs[destination + token] < goal;
            }
            if !kept {
                probs[destination + token] = 0.0;
            }
        }
        total = mass_from(lane, 0u, source, destination);
    }
    for (var token = lane; token < vocab; token += LANES) {
        probs[destination + token] = probs[destination + token] / total;
    }
}
