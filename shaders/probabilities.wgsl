// Temperature, top-k and top-p: the distribution that is both sampled from and verified with.
//
// settings   temperature, top_k, top_p
// logits     (rows, vocab)      from row 0 on
// probs      (rows, vocab)      written from destination_row on
//
// One workgroup per row. Every sum runs in the order of lanes and ids, so a row's result does
// not depend on the number of rows. Top-k is applied before top-p, which looks at the
// distribution renormalised after it; a token stays when the mass ranked strictly before it is
// below top_p. Ties rank the lower id first. Twin: crates/kernels/src/cpu/probabilities.rs.
//#import pass
//#import settings

@group(0) @binding(0) var<uniform> pass_: Pass;
@group(0) @binding(1) var<uniform> settings: RunSettings;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> probs: array<f32>;

const LANES: u32 = 64u;

var<workgroup> lane_value: array<f32, LANES>;
var<workgroup> lane_token: array<u32, LANES>;

// Whether token a ranks before token b: more probable, or as probable with the lower id.
fn ranks_before(a_value: f32, a: u32, b_value: f32, b: u32) -> bool {
    return a_value > b_value || (a_value == b_value && a < b);
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

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let source = group.x * pass_.vocab;
    let destination = (group.x + pass_.destination_row) * pass_.vocab;
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

    // First the k most probable tokens, with their mass summed in the order of lanes.
    let inverse_temperature = 1.0 / settings.temperature;
    let limit_k = select(settings.top_k, vocab, settings.top_k == 0u);
    var lane_sum = 0.0;
    for (var token = lane; token < vocab; token += LANES) {
        let value = logits[source + token];
        var kept = true;
        if limit_k < vocab {
            var rank = 0u;
            for (var other = 0u; other < vocab; other++) {
                rank += select(0u, 1u, ranks_before(logits[source + other], other, value, token));
            }
            kept = rank < limit_k;
        }
        let weight = select(0.0, exp((value - best_value) * inverse_temperature), kept);
        probs[destination + token] = weight;
        lane_sum += weight;
    }
    var total = sum_of_lanes(lane, lane_sum);

    // Then, of those, the most probable ones up to the mass top_p: each lane finds the last in
    // rank of its own that stays, and the last of all is the boundary.
    if settings.top_p < 1.0 {
        storageBarrier();
        var boundary_value = 1e30;
        var boundary_token = 0u;
        for (var token = lane; token < vocab; token += LANES) {
            let value = logits[source + token];
            var mass_before = 0.0;
            for (var other = 0u; other < vocab; other++) {
                if ranks_before(logits[source + other], other, value, token) {
                    mass_before += probs[destination + other];
                }
            }
            let kept = probs[destination + token] > 0.0 && mass_before < settings.top_p * total;
            if kept && ranks_before(boundary_value, boundary_token, value, token) {
                boundary_value = value;
                boundary_token = token;
            }
        }
        lane_value[lane] = boundary_value;
        lane_token[lane] = boundary_token;
        workgroupBarrier();
        for (var other = 0u; other < LANES; other++) {
            if ranks_before(boundary_value, boundary_token, lane_value[other], lane_token[other]) {
                boundary_value = lane_value[other];
                boundary_token = lane_token[other];
            }
        }
        workgroupBarrier();
        lane_sum = 0.0;
        for (var token = lane; token < vocab; token += LANES) {
            let after = ranks_before(boundary_value, boundary_token, logits[source + token], token);
            let weight = select(probs[destination + token], 0.0, after);
            probs[destination + token] = weight;
            lane_sum += weight;
        }
        total = sum_of_lanes(lane, lane_sum);
    }
    for (var token = lane; token < vocab; token += LANES) {
        probs[destination + token] = probs[destination + token] / total;
    }
}
