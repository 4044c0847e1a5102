// The distribution of a row of logits after temperature, top-k and top-p, by a workgroup. Top-k is
// applied before top-p, which looks at the distribution renormalised after it; a token stays when
// the mass ranked strictly before it is below top_p. Ties rank the lower id first. The importing
// kernel declares pass_, settings, logits, probs and LANES, how many invocations it has: a divisor
// of PARTS, or a multiple. Twin: crates/kernels/src/cpu/probabilities.rs.

// Every 64th token belongs to the same part. Sums run in the order of parts and, within one, of
// ids, however many invocations share them out, so that a row's result depends on nothing else.
const PARTS: u32 = 64u;

var<workgroup> part_value: array<f32, PARTS>;
var<workgroup> part_token: array<u32, PARTS>;

// Whether token a ranks before token b: more probable, or as probable with the lower id.
fn ranks_before(a_value: f32, a: u32, b_value: f32, b: u32) -> bool {
    return a_value > b_value || (a_value == b_value && a < b);
}

// A number that is larger exactly when the value is; both zeros have the same.
fn key_of(value: f32) -> u32 {
    let bits = select(bitcast<u32>(value), 0u, value == 0.0);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

// Number of tokens whose key is not below the given one.
fn tokens_from(lane: u32, key: u32, source: u32) -> u32 {
    for (var part = lane; part < PARTS; part += LANES) {
        var count = 0u;
        for (var token = part; token < pass_.vocab; token += PARTS) {
            count += select(0u, 1u, key_of(logits[source + token]) >= key);
        }
        part_token[part] = count;
    }
    workgroupBarrier();
    var total = 0u;
    for (var part = 0u; part < PARTS; part++) {
        total += part_token[part];
    }
    workgroupBarrier();
    return total;
}

// Sum of the weights of all tokens whose key is not below the given one. Adding a token never
// makes it smaller, whatever the rounding.
fn mass_from(lane: u32, key: u32, source: u32, destination: u32) -> f32 {
    // With a divisor of PARTS, whoever adds a weight has also written it; else others may have.
    if LANES > PARTS {
        storageBarrier();
    }
    for (var part = lane; part < PARTS; part += LANES) {
        var sum = 0.0;
        for (var token = part; token < pass_.vocab; token += PARTS) {
            if key_of(logits[source + token]) >= key {
                sum += probs[destination + token];
            }
        }
        part_value[part] = sum;
    }
    workgroupBarrier();
    var total = 0.0;
    for (var part = 0u; part < PARTS; part++) {
        total += part_value[part];
    }
    workgroupBarrier();
    // Weights that others have added are overwritten next.
    if LANES > PARTS {
        storageBarrier();
    }
    return total;
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
    for (var part = lane; part < PARTS; part += LANES) {
        var value = -1e30;
        var ranked_first = vocab;
        for (var token = part; token < vocab; token += PARTS) {
            let other = logits[source + token];
            if other > value {
                value = other;
                ranked_first = token;
            }
        }
        part_value[part] = value;
        part_token[part] = ranked_first;
    }
    workgroupBarrier();
    var best_value = -1e30;
    var best_token = vocab;
    for (var part = 0u; part < PARTS; part++) {
        if ranks_before(part_value[part], part_token[part], best_value, best_token) {
            best_value = part_value[part];
            best_token = part_token[part];
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
