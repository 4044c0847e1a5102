//! What the kernel `couple` counts, on the CPU and on the GPU, against the exact couplings of
//! `couplet_speculation` and against the noise that decoding uses.

use std::cell::Cell;

use couplet_kernels::couple::{CoupleCounts, CoupleError, Trials, couple};
use couplet_kernels::{Device, GpuDevice};
use couplet_speculation::input::{InputError, MAX_JOINT_TOKENS, MAX_TRIALS};
use couplet_speculation::random::exponential::exponential;
use couplet_speculation::random::{
    Purpose, first_dart, race, threefry2x32, uniform_from_bits, words,
};
use couplet_speculation::{Coupling, Pair, chi_square, normalised};

/// The GPU, unless there is none and the environment says that there need be none.
fn gpu() -> Option<Device> {
    match pollster::block_on(GpuDevice::new()) {
        Ok(gpu) => Some(Device::Gpu(gpu)),
        Err(error) => {
            assert!(
                std::env::var_os("COUPLET_WITHOUT_GPU").is_some(),
                "{error}: install a Vulkan driver (Debian: mesa-vulkan-drivers) or set COUPLET_WITHOUT_GPU=1"
            );
            None
        }
    }
}

fn devices() -> impl Iterator<Item = Device> {
    [Device::Cpu].into_iter().chain(gpu())
}

/// Throws with a clock that makes every piece eight times as long as the one before.
fn throw(device: &Device, request: Trials<'_>) -> CoupleCounts {
    pollster::block_on(couple(device, request, || 0.0, async |_| true))
        .unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

fn request(pair: &Pair, coupling: Coupling, trials: u64) -> Trials<'_> {
    Trials {
        pair,
        coupling,
        seed: 0x0123_4567_89ab_cdef,
        trials,
    }
}

/// Both rows as the kernels see them.
fn rounded(pair: &Pair) -> [Vec<f32>; 2] {
    [pair.draft_probs(), pair.target_probs()]
        .map(|probs| probs.iter().map(|&prob| prob as f32).collect())
}

/// The counts of a request for Gumbel or MinHash by the noise that decoding uses.
fn tally(request: Trials<'_>) -> Vec<u32> {
    let tokens = request.pair.vocabulary();
    let rows = rounded(request.pair);
    let mut counts = vec![0; tokens * tokens];
    for trial in 0..request.trials as u32 {
        let [draft, target] = [&rows[0], &rows[1]].map(|row| match request.coupling {
            Coupling::Gumbel => race(request.seed, trial, row.iter().copied()),
            _ => first_dart(request.seed, trial, row),
        });
        counts[draft * tokens + target] += 1;
    }
    counts
}

/// What a pair of rows looks like.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// All probabilities alike, a little different between the rows.
    Flat,
    /// A few large probabilities, mostly the same tokens in both rows.
    Peaked,
    /// Tokens that one row or both never draw.
    WithZeros,
    /// No token that both rows draw.
    Disjoint,
    /// Twice the same row.
    Equal,
    /// Nothing in common.
    Unlike,
}

const KINDS: [Kind; 6] = [
    Kind::Flat,
    Kind::Peaked,
    Kind::WithZeros,
    Kind::Disjoint,
    Kind::Equal,
    Kind::Unlike,
];

fn pair(case: u32, kind: Kind, tokens: u32) -> Pair {
    let number = |row: u32, token: u32| {
        f64::from(uniform_from_bits(threefry2x32([case, row], [token, 7])[0]))
    };
    let weight = |row: u32, token: u32| match kind {
        Kind::Flat => 1.0 + 0.5 * number(row, token),
        Kind::Peaked => number(0, token).powi(9) + 0.3 * number(row, token).powi(9) + 1e-9,
        // The first two tokens leave neither row empty.
        Kind::WithZeros => match (token, number(row + 4, token) < 0.4) {
            (0 | 1, _) => 0.3,
            (_, true) => 0.0,
            (_, false) => number(0, token) + number(row, token),
        },
        Kind::Disjoint if token % 2 == row % 2 => 0.0,
        Kind::Disjoint | Kind::Unlike => number(row, token).powi(3),
        Kind::Equal => number(0, token).powi(3),
    };
    let row = |row: u32| {
        let weights: Vec<f64> = (0..tokens).map(|token| weight(row, token)).collect();
        normalised(&weights).expect("some weight is positive")
    };
    Pair::new(&row(1), &row(2)).expect("both are distributions")
}

/// The sums of the rows and of the columns.
fn marginals(counts: &[u32], tokens: usize) -> [Vec<u64>; 2] {
    let mut sums = [vec![0; tokens], vec![0; tokens]];
    for (draft, row) in counts.chunks_exact(tokens).enumerate() {
        for (target, &count) in row.iter().enumerate() {
            sums[0][draft] += u64::from(count);
            sums[1][target] += u64::from(count);
        }
    }
    sums
}

/// Over 240 pairs, of 2 to 2,000 tokens, in each of the four couplings.
///
/// Agreement: within four standard errors of the exact value, 960 comparisons. A normal number is
/// further away once in 15,800, so of sixteen seeds one would fail by chance alone; the seed is
/// fixed. Where the exact value is 0 or 1 so is the rate.
///
/// Marginals and joints: the chi-square test, since among half a million probabilities some are
/// always more than four standard errors away. No p-value of about 2,600 is below 1e-6, which happens in
/// one seed of 400, and fewer than 2 % are below 1 %, where a bias shows that is too small for a
/// single pair.
///
/// The GPU: the same counts.
#[test]
fn pairs_of_every_kind_are_thrown_as_often_as_the_mathematics_says() {
    const SIZES: [u32; 20] = [
        2, 2, 3, 3, 4, 5, 6, 8, 10, 13, 17, 26, 40, 65, 65, 100, 200, 500, 1_000, 2_000,
    ];
    let gpu = gpu();
    let mut p_values = Vec::new();
    let mut furthest = 0.0f64;
    for case in 0..240u32 {
        // Every size meets every kind.
        let tokens = SIZES[case as usize % SIZES.len()];
        let kind = KINDS[(case as usize + case as usize / SIZES.len()) % KINDS.len()];
        let trials = (1_000_000 / u64::from(tokens)).clamp(2_000, 20_000);
        let pair = pair(case, kind, tokens);
        for coupling in Coupling::ALL {
            let about = format!("case {case}: {coupling:?}, {kind:?}, {tokens} tokens");
            let request = Trials {
                seed: u64::from(case),
                ..request(&pair, coupling, trials)
            };
            let found = throw(&Device::Cpu, request);
            let tokens = tokens as usize;
            let sums = marginals(&found.counts, tokens);
            assert_eq!((sums[0].iter().sum(), found.trials), (trials, trials));

            let agreed: u32 = found.counts.iter().step_by(tokens + 1).sum();
            let rate = f64::from(agreed) / trials as f64;
            let exact = pair.agreement(coupling);
            let error = (exact * (1.0 - exact).max(0.0) / trials as f64).sqrt();
            assert!(
                (rate - exact).abs() <= 4.0 * error + 1e-12,
                "{about}: {rate} is not {exact} within four times {error}"
            );
            if error > 1e-6 {
                furthest = furthest.max((rate - exact).abs() / error);
            }

            let rows = [pair.draft_probs(), pair.target_probs()];
            for (sums, probs) in sums.iter().zip(rows) {
                let never = |(&count, &prob): (&u64, &f64)| prob > 0.0 || count == 0;
                assert!(sums.iter().zip(probs).all(never), "{about}");
                p_values.push((chi_square(sums, probs).p_value, about.clone()));
            }
            if tokens <= 65 {
                let joint = pair.joint(coupling).expect("few tokens");
                let counts: Vec<u64> = found.counts.iter().copied().map(u64::from).collect();
                p_values.push((chi_square(&counts, joint.probs()).p_value, about.clone()));
            }
            if let Some(gpu) = &gpu {
                assert!(throw(gpu, request) == found, "{about}: the GPU differs");
            }
        }
    }
    p_values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let improbable = p_values.iter().filter(|(p, _)| *p < 0.01).count();
    println!(
        "agreement at most {furthest:.2} standard errors away; of {} p-values {improbable} below \
         0.01, the smallest {:?}",
        p_values.len(),
        p_values[0]
    );
    assert!(p_values[0].0 > 1e-6, "{:?}", p_values[0]);
    assert!(50 * improbable < p_values.len(), "{improbable}");
}

/// `rough_clock` of the shader.
fn rough_clock(seed: u64, trial: u32, token: u32) -> f32 {
    const COEFFICIENTS: [f32; 9] = [
        1.3862944,
        0.61369973,
        0.38613254,
        0.2786218,
        0.20981593,
        0.14782986,
        0.083671406,
        0.031262618,
        0.005499831,
    ];
    let bits = words(seed, trial, Purpose::Clock, token);
    let twice_w = (bits[1] | 1) as f32 * 2f32.powi(-32);
    let slope = COEFFICIENTS
        .into_iter()
        .rev()
        .reduce(|slope, coefficient| coefficient - (1.0 - twice_w) * slope)
        .expect("there are nine");
    bits[0].leading_zeros() as f32 * std::f32::consts::LN_2 + 0.5 * twice_w * slope
}

#[test]
fn rough_clocks_are_wrong_by_less_than_the_shader_says() {
    let mut worst = 0.0f64;
    for trial in 0..1_000_000 {
        let exact = f64::from(exponential(9, trial, 1));
        worst = worst.max((f64::from(rough_clock(9, trial, 1)) / exact - 1.0).abs());
    }
    println!("rough clocks are wrong by {worst:e} at most");
    assert!(worst < 2f64.powi(-20), "{worst:e}");
}

/// The winner of a race as the shader sees it at first.
fn rough_race(seed: u64, trial: u32, probs: &[f32]) -> usize {
    let (mut first, mut winner) = ((f32::MAX, 1.0), 0);
    for (token, &prob) in probs.iter().enumerate() {
        let clock = rough_clock(seed, trial, token as u32);
        if clock * first.1 < first.0 * prob {
            (first, winner) = ((clock, prob), token);
        }
    }
    winner
}

/// The GPU races with rough clocks and decides exactly only where two times are close. Here every
/// row is made for one trial, so that both its clocks strike at the same time but for the last
/// bits, and the rough race often has the wrong winner.
#[test]
fn close_races_are_decided_by_their_quotients() {
    let devices: Vec<Device> = devices().collect();
    let mut otherwise = 0;
    for seed in 0..400 {
        let [first, second] = [0, 1].map(|token| exponential(seed, 0, token));
        let share = first / (first + second);
        let [draft, target] =
            [share, share.next_up()].map(|share| [share, 1.0 - share].map(f64::from));
        let pair = Pair::new(&draft, &target).expect("shares of one");
        otherwise += rounded(&pair)
            .iter()
            .filter(|row| rough_race(seed, 0, row) != race(seed, 0, row.iter().copied()))
            .count();
        let request = Trials {
            seed,
            ..request(&pair, Coupling::Gumbel, 1)
        };
        for device in &devices {
            assert_eq!(throw(device, request).counts, tally(request), "{seed}");
        }
    }
    assert!(otherwise > 40, "{otherwise}");
}

/// Decoding with shared noise and this kernel draw the same tokens from the same rows.
#[test]
fn clocks_and_darts_are_those_of_decoding() {
    for (case, tokens, trials) in [(1, 2, 20_000), (2, 65, 2_000), (3, 2_000, 50)] {
        for kind in KINDS {
            let pair = pair(case, kind, tokens);
            for coupling in [Coupling::Gumbel, Coupling::MinHash] {
                let request = request(&pair, coupling, trials);
                let expect = tally(request);
                for device in devices() {
                    let found = throw(&device, request).counts;
                    assert!(found == expect, "{coupling:?}, {kind:?}, {tokens} tokens");
                }
            }
        }
    }
}

/// Trial by trial [`Pair::sample`] uses the same numbers; it adds in f64, so a draw that falls
/// between the two roundings of a sum is another one there.
#[test]
fn trials_are_those_of_the_mathematics_but_for_roundings() {
    let pair = pair(4, Kind::Unlike, 65);
    for coupling in Coupling::ALL {
        let request = request(&pair, coupling, 50_000);
        let mut difference = throw(&Device::Cpu, request)
            .counts
            .iter()
            .map(|&count| i64::from(count))
            .collect::<Vec<_>>();
        for trial in 0..50_000 {
            let drawn = pair.sample(coupling, request.seed, trial);
            difference[drawn.draft * 65 + drawn.target] -= 1;
        }
        let differ = difference.iter().map(|count| count.abs()).sum::<i64>() / 2;
        let roundings = match coupling {
            Coupling::Gumbel | Coupling::MinHash => 0,
            Coupling::Independent | Coupling::Optimal => 5,
        };
        assert!(
            differ <= roundings,
            "{coupling:?}: {differ} of 50,000 differ"
        );
    }
}

/// A clock by which one piece after the other takes as many milliseconds as `pieces` says, from
/// the beginning again after the last.
fn clock(pieces: &[f64]) -> impl Fn() -> f64 {
    let (time, looks) = (Cell::new(0.0), Cell::new(0));
    move || {
        // The first look of a piece is at its start.
        if looks.get() % 2 == 1 {
            time.set(time.get() + pieces[looks.get() / 2 % pieces.len()]);
        }
        looks.set(looks.get() + 1);
        time.get()
    }
}

/// However the clock cuts the trials into pieces, the counts are the same; what is stopped has
/// thrown the first of them.
#[test]
fn pieces_of_any_size_add_up() {
    let pair = pair(5, Kind::Peaked, 26);
    for device in devices() {
        for coupling in Coupling::ALL {
            let trials = match coupling {
                Coupling::Independent | Coupling::Optimal => 300_001,
                Coupling::MinHash | Coupling::Gumbel => 60_001,
            };
            let request = request(&pair, coupling, trials);
            let whole = throw(&device, request);
            for pieces in [&[80.0][..], &[160.0, 800.0, 20.0, 80.0]] {
                let mut ends = Vec::new();
                let found =
                    pollster::block_on(couple(&device, request, clock(pieces), async |done| {
                        ends.push(done);
                        true
                    }));
                assert_eq!(found.as_ref(), Ok(&whole));
                assert!(ends.is_sorted_by(|a, b| a < b) && ends.last() == Some(&trials));
                assert!(ends.len() > pieces.len(), "{ends:?}");

                let middle = ends[ends.len() / 2 - 1];
                let stopped =
                    pollster::block_on(couple(&device, request, clock(pieces), async |done| {
                        done < middle
                    }));
                let first = Trials {
                    trials: middle,
                    ..request
                };
                assert_eq!(stopped, Ok(throw(&device, first)));
            }
        }
    }
}

#[test]
fn seeds_are_other_numbers_in_both_words() {
    let pair = pair(6, Kind::Flat, 13);
    for device in devices() {
        for coupling in Coupling::ALL {
            let of_seed = |seed| {
                let request = request(&pair, coupling, 1_000);
                throw(&device, Trials { seed, ..request })
            };
            assert_ne!(of_seed(1), of_seed(2));
            assert_ne!(of_seed(1), of_seed(1 | 1 << 32));
        }
    }
}

#[test]
fn what_cannot_be_thrown_is_refused_by_the_name_of_its_argument() {
    let refused = |pair: &Pair, trials: u64| {
        let request = request(pair, Coupling::Optimal, trials);
        pollster::block_on(couple(&Device::Cpu, request, || 0.0, async |_| true))
    };
    let small = pair(7, Kind::Flat, 2);
    for trials in [0, MAX_TRIALS + 1, u64::MAX] {
        assert_eq!(
            refused(&small, trials),
            Err(CoupleError::Input(InputError::Trials(trials)))
        );
    }
    let large = pair(8, Kind::Flat, MAX_JOINT_TOKENS as u32 + 1);
    let error = refused(&large, 1).unwrap_err();
    assert_eq!(
        error,
        CoupleError::Input(InputError::JointTooLarge { count: 2_049 })
    );
    assert!(
        error.to_string().contains("`draft` and `target`"),
        "{error}"
    );
}
