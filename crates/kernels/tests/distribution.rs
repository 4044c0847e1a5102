//! What the kernels write over 100,000 rounds has the distribution that enumeration predicts:
//! every outcome of a round (accepted tokens, how many, and the added token), not only the
//! first token.

use std::collections::BTreeMap;

use couplet_kernels::{
    Device, Dispatch, GpuDevice, Kernel, Pass, Program, Read, RunSettings, record,
};
use couplet_speculation::rules::{ExactRound, Rule, exact_round};
use couplet_speculation::statistics::chi_square;

const VOCAB: usize = 3;
const GAMMA: usize = 3;
/// Rounds in one submission.
const BATCH: usize = 2_000;
const ROUNDS: usize = 100_000;

/// Example A of the literature's worked cases, its reverse, and two that nearly agree; every
/// position of the block has tables of its own.
const DRAFT: [[f32; VOCAB]; GAMMA] = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.6, 0.3, 0.1]];
const TARGET: [[f32; VOCAB]; GAMMA + 1] = [
    [0.2, 0.3, 0.5],
    [0.5, 0.3, 0.2],
    [0.5, 0.25, 0.25],
    [0.125, 0.25, 0.625],
];

/// Outcomes of `ROUNDS` rounds of the drawing and verifying kernels. The text only grows, so
/// every round has positions, and with them coins, of its own.
fn outcomes(device: &Device, seed: u32) -> BTreeMap<(Vec<usize>, usize), u64> {
    let settings = device.uniform(&RunSettings {
        seed: [seed, 0],
        temperature: 1.0,
        top_p: 1.0,
        ..RunSettings::default()
    });
    let tokens = device.zeros(BATCH * (GAMMA + 1) + GAMMA + 2);
    let state = device.zeros(1);
    let draft_probs = device.floats(DRAFT.as_flattened());
    let target_probs = device.floats(TARGET.as_flattened());
    let draws = device.zeros(GAMMA);
    let records: Vec<_> = (0..BATCH)
        .map(|_| device.zeros(record::words(GAMMA)))
        .collect();
    let pass = Pass {
        vocab: VOCAB as u32,
        ..Pass::default()
    };
    let drafting: Program = device.program(
        (0..GAMMA as u32)
            .map(|step| Dispatch {
                kernel: Kernel::Draw,
                bindings: vec![
                    device.uniform(&Pass {
                        rows: 1,
                        source_row: step,
                        ..pass
                    }),
                    settings.clone(),
                    state.clone(),
                    draft_probs.clone(),
                    tokens.clone(),
                    draws.clone(),
                ],
                workgroups: [1, 1],
            })
            .collect(),
    );
    let gamma = device.uniform(&Pass {
        rows: GAMMA as u32,
        ..pass
    });
    let verifying: Vec<Program> = records
        .iter()
        .map(|record| {
            device.program(vec![Dispatch {
                kernel: Kernel::Verify,
                bindings: vec![
                    gamma.clone(),
                    settings.clone(),
                    draft_probs.clone(),
                    target_probs.clone(),
                    tokens.clone(),
                    state.clone(),
                    record.clone(),
                ],
                workgroups: [1, 1],
            }])
        })
        .collect();
    let programs: Vec<&Program> = verifying
        .iter()
        .flat_map(|verify| [&drafting, verify])
        .collect();
    let mut counts = BTreeMap::new();
    for batch in 0..ROUNDS / BATCH {
        // Another seed for each batch, since the positions begin again.
        let words = [seed, batch as u32 + 1];
        device.write(&settings, 0, &words);
        device.write(&state, 0, &[1]);
        let reads: Vec<Read<'_>> = records
            .iter()
            .map(|buffer| Read {
                buffer,
                words: 0..record::words(GAMMA),
            })
            .collect();
        for record in pollster::block_on(device.run(&programs, &reads)).expect("the kernels run") {
            let accepted = record[record::ACCEPTED] as usize;
            let kept = (0..accepted).map(|i| record[record::HEAD + record::ENTRY * i] as usize);
            let committed = kept.chain([record[record::NEW_TOKEN] as usize]).collect();
            *counts.entry((committed, accepted)).or_insert(0) += 1;
        }
    }
    counts
}

fn check(device: &Device, name: &str) {
    let rows = |table: &[[f32; VOCAB]], position: usize| {
        table[position].iter().map(|x| f64::from(*x)).collect()
    };
    let exact: ExactRound = exact_round(
        Rule::Rejection,
        GAMMA,
        |before: &[usize]| rows(&DRAFT, before.len()),
        |before: &[usize]| rows(&TARGET, before.len()),
    );
    let counts = outcomes(device, 1611);
    assert!(
        counts.keys().all(|outcome| exact.contains_key(outcome)),
        "{name}: an impossible outcome"
    );
    let total: f64 = exact.values().sum();
    let observed: Vec<u64> = exact
        .keys()
        .map(|outcome| counts.get(outcome).copied().unwrap_or(0))
        .collect();
    let expected: Vec<f64> = exact
        .values()
        .map(|probability| probability / total)
        .collect();
    let result = chi_square(&observed, &expected);
    println!(
        "{name}: {ROUNDS} rounds, {} outcomes, {result:?}",
        exact.len()
    );
    // A correct kernel fails this once in a thousand seeds; the seed is fixed.
    assert!(result.p_value > 1e-3, "{name}: {result:?}");
}

#[test]
fn rounds_on_the_cpu_have_the_exact_distribution() {
    check(&Device::Cpu, "CPU");
}

#[test]
fn rounds_on_the_gpu_have_the_exact_distribution() {
    match pollster::block_on(GpuDevice::new()) {
        Ok(gpu) => check(&Device::Gpu(gpu), "GPU"),
        Err(error) => assert!(std::env::var_os("COUPLET_WITHOUT_GPU").is_some(), "{error}"),
    }
}
