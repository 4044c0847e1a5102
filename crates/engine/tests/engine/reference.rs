//! The fused path against plain burn operations, and rows against each other.

use std::rc::Rc;

use crate::common::{PROMPTS, backends, clock, louder, shipped, tiny, tiny_files};
use burn::tensor::{Device, Int, Tensor, TensorData};
use couplet_engine::{Engine, KernelSet, Pair};

/// Sums run in another order than burn's, over at most a few hundred terms of order one, and
/// GPUs evaluate `exp` to a few units in the last place: errors stay near 1e-5 of the largest
/// logits, which are of order ten.
const ABSOLUTE: f32 = 2e-4;
const RELATIVE: f32 = 2e-4;

fn check_against_burn(name: &str, engine: &Engine, text: &str) {
    let pair = engine.pair();
    let tokens = pair.tokenizer.encode(text).unwrap();
    if tokens.is_empty() {
        return;
    }
    let ids: Vec<i32> = tokens.iter().map(|id| *id as i32).collect();
    let input =
        Tensor::<2, Int>::from_data(TensorData::new(ids, [1, tokens.len()]), &Device::flex());
    let expected: Vec<f32> = pair
        .target
        .forward(input)
        .into_data()
        .try_into_vec()
        .unwrap();
    let found = pollster::block_on(engine.target_logits(&tokens, 9)).unwrap();
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let tolerance = ABSOLUTE + RELATIVE * expected.abs();
        assert!(
            (found - expected).abs() <= tolerance,
            "{name}, {text:?}, logit {index}: {found} != {expected}"
        );
    }
}

#[test]
fn fused_logits_are_those_of_plain_burn() {
    for (name, backend) in backends() {
        let (shipped, tiny) = (shipped(&backend), tiny(&backend, 8));
        for kernels in KernelSet::ALL {
            shipped.use_kernel_set(kernels);
            tiny.use_kernel_set(kernels);
            for prompt in PROMPTS {
                let text = format!(
                    "{prompt}the people of the city, and so farewell.\nAnd then some more of it all."
                );
                check_against_burn(name, &shipped, &text);
            }
            // Grouped-query attention and an output layer of its own.
            check_against_burn(name, &tiny, "abcdefghabcaabbccddhgfedcba");
        }
    }
}

#[test]
fn a_rows_logits_do_not_depend_on_its_company() {
    for (name, backend) in backends() {
        let engine = shipped(&backend);
        let tokens = engine
            .pair()
            .tokenizer
            .encode("Now is the winter of our discontent\nMade glorious")
            .unwrap();
        for kernels in KernelSet::ALL {
            engine.use_kernel_set(kernels);
            let alone = pollster::block_on(engine.target_logits(&tokens, 1)).unwrap();
            for rows in 2..=9 {
                let together = pollster::block_on(engine.target_logits(&tokens, rows)).unwrap();
                let same = alone
                    .iter()
                    .zip(&together)
                    .all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{name}, {kernels:?}, {rows} rows");
            }
        }
    }
}

/// A set that is found to differ is never chosen, so a trial that finds differences where there are
/// none would go unnoticed.
#[test]
fn the_trial_finds_that_kernel_sets_compute_the_same() {
    for (name, backend) in backends() {
        for engine in [shipped(&backend), tiny(&backend, 8)] {
            assert!(
                pollster::block_on(engine.kernel_sets_agree()).unwrap(),
                "{name}"
            );
        }
    }
}

/// On a GPU, kernels that share their sums read weights of 16 bits. Where those are not the file's,
/// texts would be others than on the CPU.
#[test]
fn weights_that_16_bits_do_not_hold_are_read_in_32() {
    for (name, backend) in backends() {
        for engine in [shipped(&backend), tiny(&backend, 8)] {
            // A whole block is drafted at once on GPUs only.
            let offered = if name == "GPU" { 3 } else { 2 };
            assert!(
                engine.kernel_sets().eq(KernelSet::ALL[..offered].to_vec()),
                "{name}"
            );
        }
        let mut pair = Pair::new(tiny_files(8)).unwrap();
        pair.target = louder(pair.target, 1.0 + 1e-6);
        let engine = pollster::block_on(Engine::new(Rc::new(pair), &backend, clock)).unwrap();
        engine.use_kernel_set(KernelSet::Together);
        if name == "GPU" {
            assert_eq!(engine.kernel_set(), KernelSet::Alone);
            let chosen = pollster::block_on(engine.choose_kernels()).unwrap();
            assert_eq!(chosen, KernelSet::Alone);
        }
        check_against_burn(name, &engine, "abcdefghabcaabbccddhgfedcba");
    }
}

#[test]
fn the_quickest_kernels_are_chosen_among_those_that_compute_the_same() {
    for (name, backend) in backends() {
        let engine = shipped(&backend);
        let chosen = pollster::block_on(engine.choose_kernels()).unwrap();
        assert_eq!(engine.kernel_set(), chosen, "{name}");
        check_against_burn(name, &engine, "What say you to the people of the city?");
    }
}
