//! How long coupled pairs of tokens take, on the GPU and on the CPU.
//!
//! `cargo run -p couplet-kernels --example couple_speed [gpu|cpu]`
//!
//! A time counts only if what was counted in it is right: before the first, a fiftieth of the trials
//! must give the twin's counts, pair by pair; every run's counts must be those of the first, add up
//! to the trials, and agree as often as the formula says.

use std::time::Instant;

use couplet_kernels::couple::{CoupleCounts, Trials, couple};
use couplet_kernels::{Device, GpuDevice};
use couplet_speculation::random::{threefry2x32, uniform_from_bits};
use couplet_speculation::{Coupling, Pair, median, normalised};

const REPEATS: usize = 5;
const SEED: u64 = 1611;

fn main() {
    let wanted = std::env::args().nth(1);
    let wants = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    if wants("gpu") {
        match pollster::block_on(GpuDevice::new()) {
            Ok(gpu) => {
                println!("{}", gpu.setup().adapter.get_info().name);
                table(&Device::Gpu(gpu));
            }
            Err(error) => println!("{error}"),
        }
    }
    if wants("cpu") {
        println!("CPU");
        table(&Device::Cpu);
    }
}

fn table(device: &Device) {
    println!("coupling     tokens     trials  pieces  median ms  (range)");
    for (tokens, trials) in [(2, 1_000_000), (65, 1_000_000), (2_048, 20_000)] {
        let pair = pair(tokens);
        for coupling in Coupling::ALL {
            let request = Trials {
                pair: &pair,
                coupling,
                seed: SEED,
                trials,
            };
            // Compiles the pipeline, and compares with the twin.
            let short = Trials {
                trials: trials / 50,
                ..request
            };
            let expect = run(&Device::Cpu, short).0;
            assert_eq!(run(device, short).0, expect, "{coupling:?}");
            let mut times = Vec::new();
            let mut first: Option<CoupleCounts> = None;
            let mut pieces = 0;
            for _ in 0..REPEATS {
                let start = Instant::now();
                let (counts, taken) = run(device, request);
                times.push(start.elapsed().as_secs_f64() * 1e3);
                check(&counts, request);
                pieces = taken;
                assert_eq!(*first.get_or_insert_with(|| counts.clone()), counts);
            }
            times.sort_by(f64::total_cmp);
            println!(
                "{:<12} {tokens:>6} {trials:>10} {pieces:>7} {:>10.0}  ({:.0} to {:.0})",
                format!("{coupling:?}"),
                median(&times),
                times[0],
                times[REPEATS - 1],
            );
        }
    }
}

fn run(device: &Device, request: Trials<'_>) -> (CoupleCounts, usize) {
    let clock = Instant::now();
    let mut pieces = 0;
    let counts = pollster::block_on(couple(
        device,
        request,
        || clock.elapsed().as_secs_f64() * 1e3,
        async |_| {
            pieces += 1;
            true
        },
    ))
    .unwrap_or_else(|error| panic!("{error}"));
    (counts, pieces)
}

fn check(found: &CoupleCounts, request: Trials<'_>) {
    let tokens = request.pair.vocabulary();
    let sum = |counts: &mut dyn Iterator<Item = &u32>| counts.map(|&count| u64::from(count)).sum();
    let total: u64 = sum(&mut found.counts.iter());
    assert_eq!((total, found.trials), (request.trials, request.trials));
    let agreed: u64 = sum(&mut found.counts.iter().step_by(tokens + 1));
    let rate = agreed as f64 / total as f64;
    let exact = request.pair.agreement(request.coupling);
    let error = (exact * (1.0 - exact) / total as f64).sqrt();
    assert!(
        (rate - exact).abs() <= 4.0 * error + 1e-9,
        "{:?} agreed in {rate}, not in {exact}",
        request.coupling
    );
}

/// Two rows as unlike each other as a draft and a target are.
fn pair(tokens: u32) -> Pair {
    let row = |own: u32| {
        let number =
            |i: u32, row: u32| f64::from(uniform_from_bits(threefry2x32([row, 1], [i, 0])[0]));
        let weights: Vec<f64> = (0..tokens)
            .map(|i| number(i, 0).powi(6) + 0.5 * number(i, own).powi(6))
            .collect();
        normalised(&weights).expect("weights are positive")
    };
    Pair::new(&row(1), &row(2)).expect("both are distributions")
}
