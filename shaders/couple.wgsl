// Throws coupled pairs of tokens and counts which came together.
//
// throws         seed, coupling, tokens, which trials
// draft_probs    (tokens)
// target_probs   (tokens)
// sums           (3, tokens)        running sums of the draft, the target and the residual
// counts         (tokens, tokens)   rows draft, columns target; added to
//
// Every trial has numbers of its own, keyed by its index as the numbers of a text are by position,
// so trials may be dealt to invocations and dispatches in any way. An invocation throws whole
// trials, one after the other. Twin: crates/kernels/src/cpu/couple.rs.
// Source: Daliri, Musco, Suresh 2025.
//#import random
//#import arithmetic
//#import shared_noise

// Twin: `Throws` in crates/kernels/src/params.rs, same order.
struct Throws {
    seed: vec2<u32>,
    // One of the COUPLING_ constants.
    coupling: u32,
    tokens: u32,
    // Index of the first trial, and how many follow it, itself included.
    first_trial: u32,
    trials: u32,
    // Invocations that share the trials.
    invocations: u32,
    // The largest probability of either row in units of 2^-32.
    highest: u32,
}

const COUPLING_INDEPENDENT: u32 = 0u;
const COUPLING_MINHASH: u32 = 1u;
const COUPLING_GUMBEL: u32 = 2u;
const COUPLING_OPTIMAL: u32 = 3u;

@group(0) @binding(0) var<uniform> throws: Throws;
@group(0) @binding(1) var<storage, read> draft_probs: array<f32>;
@group(0) @binding(2) var<storage, read> target_probs: array<f32>;
@group(0) @binding(3) var<storage, read> sums: array<f32>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

const DRAFT_SUMS: u32 = 0u;
const TARGET_SUMS: u32 = 1u;
const RESIDUAL_SUMS: u32 = 2u;

// Later than every clock strikes: 2^7 at a probability of 2^-64.
const LATE_CLOCK: f32 = 128.0;
const MAX_TIME: u32 = 0xffffffffu;
// Two times that differ by less than this part of them may be in the other order when nothing is
// rounded but the quotients: four times what `rough_clock` is wrong by.
const CLOSE: f32 = 0x1p-18f;

fn count(draft: u32, target_: u32) {
    atomicAdd(&counts[draft * throws.tokens + target_], 1u);
}

// The first token whose running sum exceeds u times the total. Running sums never fall, so halving
// finds it, and where the sum reaches the total there is a token of positive weight.
fn draw_from(row: u32, u: f32) -> u32 {
    let start = row * throws.tokens;
    let total = sums[start + throws.tokens - 1u];
    let goal = u * total;
    var first = 0u;
    var last = throws.tokens - 1u;
    while first < last {
        let middle = (first + last) / 2u;
        let sum = sums[start + middle];
        if sum > goal || sum == total {
            last = middle;
        } else {
            first = middle + 1u;
        }
    }
    return first;
}

fn throw_independent(invocation: u32) {
    for (var index = invocation; index < throws.trials; index += throws.invocations) {
        let trial = throws.first_trial + index;
        count(
            draw_from(DRAFT_SUMS, uniform_at(throws.seed, trial, PURPOSE_DRAFT, 0u)),
            draw_from(TARGET_SUMS, uniform_at(throws.seed, trial, PURPOSE_TARGET, 0u)),
        );
    }
}

fn throw_optimal(invocation: u32) {
    for (var index = invocation; index < throws.trials; index += throws.invocations) {
        let trial = throws.first_trial + index;
        let draft = draw_from(DRAFT_SUMS, uniform_at(throws.seed, trial, PURPOSE_DRAFT, 0u));
        let height = uniform_at(throws.seed, trial, PURPOSE_ACCEPT, 0u) * draft_probs[draft];
        var token = draft;
        if height >= target_probs[draft] {
            token = draw_from(
                RESIDUAL_SUMS,
                uniform_at(throws.seed, trial, PURPOSE_RESIDUAL, 0u),
            );
        }
        count(draft, token);
    }
}

// The darts of one trial after those of another in one loop: invocations that run in step would
// otherwise wait at every trial for the one among them that throws the most. Every dart is thrown
// and looked at, so the tokens are those of `shared_draw`.
fn throw_minhash(invocation: u32) {
    var index = invocation;
    var dart_index = 0u;
    var waiting = vec2<bool>(true, true);
    var token = vec2<u32>(0u, 0u);
    while index < throws.trials {
        let thrown = dart(throws.seed, throws.first_trial + index, dart_index, throws.tokens);
        dart_index++;
        // Most darts fly above both rows and need not be compared with either.
        if thrown.z == 1u && thrown.y < throws.highest {
            let under = vec2<bool>(
                thrown.y < fixed_point(draft_probs[thrown.x]),
                thrown.y < fixed_point(target_probs[thrown.x]),
            );
            token = select(token, vec2<u32>(thrown.x), waiting & under);
            waiting = waiting & !under;
        }
        if !any(waiting) || dart_index == MAX_DARTS {
            count(token.x, token.y);
            index += throws.invocations;
            dart_index = 0u;
            waiting = vec2<bool>(true, true);
            token = vec2<u32>(0u, 0u);
        }
    }
}

// Whoever is first in a race: its clock, its probability and its token.
struct First {
    clock: f32,
    prob: f32,
    token: u32,
}

// What `exponential_clock` makes of the same random words, wrong by less than 2^-20 of itself: the
// polynomial of `slope_of_log` in f32, which takes an eighth of the instructions.
fn rough_clock(seed: vec2<u32>, trial: u32, token: u32) -> f32 {
    let bits = threefry2x32(seed, vec2<u32>(trial, (PURPOSE_CLOCK << 24u) | token));
    let twice_w = f32(bits.y | 1u) * 0x1p-32f;
    let x = 1.0 - twice_w;
    var slope = 0.031262618 - x * 0.005499831;
    slope = 0.083671406 - x * slope;
    slope = 0.14782986 - x * slope;
    slope = 0.20981593 - x * slope;
    slope = 0.2786218 - x * slope;
    slope = 0.38613254 - x * slope;
    slope = 0.61369973 - x * slope;
    slope = 1.3862944 - x * slope;
    return f32(countLeadingZeros(bits.x)) * 0.6931472 + 0.5 * twice_w * slope;
}

// The tokens whose clocks strike first in both races, the clocks being the same. Integer divisions
// and logarithms are slow, so rough clocks race first, and clock / prob < first.clock / first.prob
// is asked as clock * first.prob < first.clock * prob. Only a trial in which two times came close
// is raced again, with the clocks and the quotients that `shared_draw` compares; of 65 tokens that
// is one in some tens of thousands.
fn throw_gumbel(invocation: u32) {
    for (var index = invocation; index < throws.trials; index += throws.invocations) {
        let trial = throws.first_trial + index;
        var draft = First(LATE_CLOCK, SMALLEST_PROB, 0u);
        var target_ = First(LATE_CLOCK, SMALLEST_PROB, 0u);
        var is_close = false;
        for (var token = 0u; token < throws.tokens; token++) {
            let draft_prob = draft_probs[token];
            let target_prob = target_probs[token];
            if max(draft_prob, target_prob) < SMALLEST_PROB {
                continue;
            }
            let clock = rough_clock(throws.seed, trial, token);
            if draft_prob >= SMALLEST_PROB {
                let time = clock * draft.prob;
                let best = draft.clock * draft_prob;
                is_close = is_close || abs(time - best) <= best * CLOSE;
                if time < best {
                    draft = First(clock, draft_prob, token);
                }
            }
            if target_prob >= SMALLEST_PROB {
                let time = clock * target_.prob;
                let best = target_.clock * target_prob;
                is_close = is_close || abs(time - best) <= best * CLOSE;
                if time < best {
                    target_ = First(clock, target_prob, token);
                }
            }
        }
        // An empty loop and not a branch: some devices execute both sides of every branch.
        let again = select(0u, throws.tokens, is_close);
        var draft_time = MAX_TIME;
        var target_time = MAX_TIME;
        for (var token = 0u; token < again; token++) {
            let clock = exponential_clock(throws.seed, trial, token);
            if draft_probs[token] >= SMALLEST_PROB {
                // The bits of positive numbers have their order.
                let time = bitcast<u32>(quotient(clock, draft_probs[token]));
                if time < draft_time {
                    draft_time = time;
                    draft.token = token;
                }
            }
            if target_probs[token] >= SMALLEST_PROB {
                let time = bitcast<u32>(quotient(clock, target_probs[token]));
                if time < target_time {
                    target_time = time;
                    target_.token = token;
                }
            }
        }
        count(draft.token, target_.token);
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    switch throws.coupling {
        case COUPLING_INDEPENDENT: {
            throw_independent(id.x);
        }
        case COUPLING_MINHASH: {
            throw_minhash(id.x);
        }
        case COUPLING_GUMBEL: {
            throw_gumbel(id.x);
        }
        default: {
            throw_optimal(id.x);
        }
    }
}
