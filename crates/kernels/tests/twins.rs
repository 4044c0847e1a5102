//! Every kernel against its twin, on the same random inputs.

use couplet_kernels::rounds::verdict_kernel;
use couplet_kernels::*;
use couplet_speculation::random::threefry2x32;
use couplet_speculation::{argmax, draw};

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

/// Numbers between -1 and 1.
fn numbers(seed: u32, count: usize) -> Vec<f32> {
    (0..count as u32)
        .map(|i| threefry2x32([seed, 0], [i, 0])[0] as f32 / 2_147_483_648.0 - 1.0)
        .collect()
}

/// Rows of probabilities; some are exactly 0, and with 0 in every row for the last token.
fn distributions(seed: u32, rows: usize, vocab: usize) -> Vec<f32> {
    let mut probs = numbers(seed, rows * vocab);
    for row in probs.chunks_exact_mut(vocab) {
        for (token, prob) in row.iter_mut().enumerate() {
            *prob = if token % 5 == 4 || token == vocab - 1 {
                0.0
            } else {
                (4.0 * *prob).exp()
            };
        }
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|prob| *prob /= total);
    }
    probs
}

/// Contents of a binding before the run.
#[derive(Clone)]
enum Content {
    Uniform(Vec<u32>),
    Words(Vec<u32>),
    /// (inputs, outputs), laid out as the device wants it.
    Matrix(Vec<f32>, usize),
}

fn uniform<T: bytemuck::Pod>(value: T) -> Content {
    Content::Uniform(bytemuck::pod_collect_to_vec(bytemuck::bytes_of(&value)))
}

fn floats(numbers: Vec<f32>) -> Content {
    Content::Words(bytemuck::cast_slice(&numbers).to_vec())
}

fn words(words: Vec<u32>) -> Content {
    Content::Words(words)
}

/// A matrix whose numbers 16 bits hold, and what its inputs are multiplied with.
struct Matrix {
    /// (inputs, outputs)
    weights: Vec<f32>,
    /// (inputs)
    gains: Vec<f32>,
}

impl Matrix {
    fn new(seed: u32, inputs: usize, outputs: usize) -> Self {
        let of_ten_bits = |x: f32| (512.0 * x).round() / 512.0;
        let weights = numbers(seed, inputs * outputs);
        Self {
            weights: weights.into_iter().map(of_ten_bits).collect(),
            gains: numbers(seed + 100, inputs),
        }
    }

    /// In 32 bits, the gains folded in.
    fn full(&self) -> Content {
        let rows = self
            .weights
            .chunks_exact(self.weights.len() / self.gains.len());
        let folded = rows.zip(&self.gains);
        let folded = folded.flat_map(|(row, gain)| row.iter().map(move |x| x * gain));
        Content::Matrix(folded.collect(), self.gains.len())
    }

    /// The same contents for a kernel whose invocations share their work.
    fn halved(&self, contents: &[Content]) -> Vec<Content> {
        let halves =
            halves(&in_panels(&self.weights, self.gains.len(), PANEL)).expect("of ten bits");
        let gains = self.gains.iter().map(|gain| gain * halves.factor);
        let mut contents = contents.to_vec();
        contents[WEIGHTS] = words(halves.words);
        contents.push(floats(gains.collect()));
        contents
    }
}

/// The binding of a matrix.
const WEIGHTS: usize = 3;

/// Runs a kernel on a device and returns the contents of all its bindings afterwards.
fn run(
    device: &Device,
    kernel: Kernel,
    contents: &[Content],
    workgroups: [u32; 2],
) -> Vec<Vec<u32>> {
    run_rows(device, kernel, 1, contents, workgroups)
}

/// [`run`] with so many rows for each invocation.
fn run_rows(
    device: &Device,
    kernel: Kernel,
    rows_together: u32,
    contents: &[Content],
    workgroups: [u32; 2],
) -> Vec<Vec<u32>> {
    let bindings: Vec<Buffer> = contents
        .iter()
        .map(|content| match content {
            Content::Uniform(words) => {
                let mut block = [0u32; 16];
                block[..words.len()].copy_from_slice(words);
                device.uniform(&block)
            }
            Content::Words(words) => device.buffer(words),
            Content::Matrix(numbers, inputs) => {
                device.floats(&in_panels(numbers, *inputs, device.panel()))
            }
        })
        .collect();
    let program = device.program(vec![Dispatch {
        kernel,
        bindings: bindings.clone(),
        rows_together,
        workgroups,
    }]);
    let reads: Vec<Read<'_>> = bindings
        .iter()
        .zip(contents)
        .filter_map(|(buffer, content)| match content {
            Content::Words(words) => Some(Read {
                buffer,
                words: 0..words.len(),
            }),
            Content::Matrix(..) => Some(Read {
                buffer,
                words: 0..0,
            }),
            Content::Uniform(_) => None,
        })
        .collect();
    let mut found = pollster::block_on(device.run(&[&program], &reads))
        .unwrap_or_else(|error| panic!("{}: {error}", kernel.name()));
    if kernel == Kernel::Attention {
        // What it remembers between its loops is nobody's business.
        found[4].clear();
    }
    found
}

/// What differs is `exp`, the inverse root and fused multiply-adds, a few units in the last place
/// each, and the order of sums that invocations share.
fn check_floats(kernel: Kernel, contents: &[Content], workgroups: [u32; 2]) {
    let Some(gpu) = gpu() else { return };
    let found = run(&gpu, kernel, contents, workgroups);
    for rows in 2..=kernel.most_rows_together() {
        let together = run_rows(&gpu, kernel, rows, contents, workgroups);
        assert_eq!(together, found, "{}: {rows} rows together", kernel.name());
    }
    compare_floats(kernel, contents, workgroups, &found);
}

/// The kernel whose invocations share their work, too; `panels` is how many its matrix has.
fn check_floats_of_both(
    kernel: Kernel,
    contents: &[Content],
    matrix: &Matrix,
    workgroups: [u32; 2],
    panels: usize,
) {
    check_floats(kernel, contents, workgroups);
    let together = kernel.together().expect("there are two of it");
    let Content::Uniform(pass) = &contents[0] else {
        unreachable!("every kernel is told about its rows first")
    };
    // As in the engine, no more groups than rows fill: another one would write beyond them.
    let workgroups = [panels as u32, pass[0].div_ceil(4)];
    check_halved(together, contents, matrix, workgroups);
}

/// A kernel that reads weights of 16 bits beside a twin that reads all of them.
fn check_halved(kernel: Kernel, contents: &[Content], matrix: &Matrix, workgroups: [u32; 2]) {
    let Some(gpu) = gpu() else { return };
    let found = run(&gpu, kernel, &matrix.halved(contents), workgroups);
    compare_floats(kernel, contents, workgroups, &found);
}

/// What a kernel has made of the contents beside what its twin makes of them.
fn compare_floats(kernel: Kernel, contents: &[Content], workgroups: [u32; 2], found: &[Vec<u32>]) {
    let expected = run(&Device::Cpu, kernel, contents, workgroups);
    let mut changed = false;
    let before = contents.iter().filter_map(|content| match content {
        Content::Words(words) => Some(words.as_slice()),
        Content::Matrix(..) => Some([].as_slice()),
        Content::Uniform(_) => None,
    });
    let written = kernel
        .bindings()
        .iter()
        .filter(|kind| **kind != BindingKind::Uniform)
        .map(|kind| *kind == BindingKind::ReadWrite);
    let results = found.iter().zip(&expected).zip(before).zip(written);
    for (((found, expected), before), written) in results {
        if !written || found.is_empty() {
            continue;
        }
        changed |= expected != before;
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            if found == expected {
                continue;
            }
            let (found, expected) = (f32::from_bits(*found), f32::from_bits(*expected));
            let tolerance = 1e-5 + 1e-5 * expected.abs();
            assert!(
                (found - expected).abs() <= tolerance,
                "{}, {index}: {found} != {expected}",
                kernel.name()
            );
        }
    }
    assert!(changed, "{} wrote nothing", kernel.name());
}

/// Eight invocations and 64 come to the same, to the bit: texts do not depend on who draws them.
/// Returns what the GPU found, where there is one.
fn check_sampling(
    kernel: Kernel,
    contents: &[Content],
    workgroups: [u32; 2],
) -> Option<Vec<Vec<u32>>> {
    let gpu = gpu()?;
    let found = run(&gpu, kernel, contents, workgroups);
    let together = kernel.together().expect("there are two of it");
    assert_eq!(run(&gpu, together, contents, workgroups), found);
    compare_floats(kernel, contents, workgroups, &found);
    Some(found)
}

fn check_exactly(kernel: Kernel, contents: &[Content]) {
    check_words(kernel, contents, [1, 1]);
}

fn check_words(kernel: Kernel, contents: &[Content], workgroups: [u32; 2]) {
    let Some(gpu) = gpu() else { return };
    for variant in [Some(kernel), kernel.together()].into_iter().flatten() {
        assert_eq!(
            run(&gpu, variant, contents, workgroups),
            run(&Device::Cpu, kernel, contents, workgroups),
            "{}",
            variant.name()
        );
    }
}

const CAPACITY: usize = 40;

/// Two groups, whether an invocation computes four rows together or eight.
const ROWS: usize = 9;

/// Which rows kernels of a layer compute: all of them, or some of the last.
const RANGES: [[usize; 2]; 2] = [[0, ROWS], [5, 3]];

/// [`pass`] for rows from one on.
fn pass_from([first, rows]: [usize; 2], input_size: usize, output_size: usize) -> Pass {
    Pass {
        rows: rows as u32,
        source_row: first as u32,
        ..pass(input_size, output_size)
    }
}

/// Rows of which the first may be before the beginning of the text.
fn pass(input_size: usize, output_size: usize) -> Pass {
    Pass {
        rows: ROWS as u32,
        offset: -2,
        input_size: input_size as u32,
        output_size: output_size as u32,
        heads: 4,
        kv_heads: 2,
        head_dim: 16,
        vocab: 65,
        capacity: CAPACITY as u32,
        epsilon: 1e-5,
        ..Pass::default()
    }
}

#[test]
fn every_decode_kernel_agrees_with_its_twin() {
    for length in [1, 30] {
        let state = || words(vec![length]);
        let tokens = (0..CAPACITY as u32).map(|i| (i * 7) % 65).collect();
        check_floats(
            Kernel::Embed,
            &[
                uniform(pass(0, 64)),
                words(tokens),
                state(),
                floats(numbers(1, 65 * 64)),
                floats(vec![0.0; ROWS * 64]),
            ],
            [2, ROWS as u32],
        );
        // Attend shares out its sums and adds them in another order, which may show in a last place
        // when there are many.
        let matrix = Matrix::new(3, 64, 128);
        let inputs = |rows: usize| {
            [
                uniform(Pass {
                    rows: rows as u32,
                    ..pass(64, 128)
                }),
                state(),
                floats(numbers(2, rows * 64)),
                matrix.full(),
                floats(numbers(4, CAPACITY * 16)),
                floats(numbers(5, CAPACITY * 32)),
                floats(numbers(6, CAPACITY * 32)),
                floats(vec![0.0; rows * 64]),
            ]
        };
        check_halved(Kernel::Attend, &inputs(3), &matrix, [2, 1]);
        check_floats(Kernel::AttentionInputs, &inputs(ROWS), [2, ROWS as u32]);
        for range in RANGES {
            let matrix = Matrix::new(9, 96, 64);
            check_floats_of_both(
                Kernel::ProjectResidual,
                &[
                    uniform(pass_from(range, 96, 64)),
                    state(),
                    floats(numbers(8, ROWS * 96)),
                    matrix.full(),
                    floats(numbers(10, ROWS * 64)),
                ],
                &matrix,
                [2, ROWS as u32],
                64 / PANEL,
            );
            let matrix = Matrix::new(12, 64, 192);
            check_floats_of_both(
                Kernel::GateUp,
                &[
                    uniform(pass_from(range, 64, 96)),
                    state(),
                    floats(numbers(11, ROWS * 64)),
                    matrix.full(),
                    floats(vec![0.0; ROWS * 96]),
                ],
                &matrix,
                [3, ROWS as u32],
                96 / PANEL,
            );
        }
        let matrix = Matrix::new(14, 64, 65);
        check_floats_of_both(
            Kernel::Logits,
            &[
                uniform(Pass {
                    rows: ROWS as u32 - 1,
                    source_row: 1,
                    ..pass(64, 65)
                }),
                state(),
                floats(numbers(13, ROWS * 64)),
                matrix.full(),
                floats(vec![0.0; (ROWS - 1) * 65]),
            ],
            &matrix,
            [3, ROWS as u32],
            65usize.div_ceil(PANEL),
        );
    }
}

/// Heads of the common width and others; rows that see little and rows that see much.
#[test]
fn attention_agrees_with_its_twin() {
    const POSITIONS: usize = 150;
    for (kernel, head_dim) in [
        (Kernel::Attention, COMMON_HEAD_DIM),
        (Kernel::AttentionAny, 16),
        (Kernel::AttentionAny, 40),
    ] {
        for (length, range) in [(1, RANGES[0]), (30, RANGES[0]), (140, RANGES[1])] {
            let pass = Pass {
                head_dim: head_dim as u32,
                capacity: POSITIONS as u32,
                ..pass_from(range, 0, 0)
            };
            let mut contents = vec![
                uniform(pass),
                words(vec![length]),
                floats(numbers(5, POSITIONS * 2 * head_dim)),
                floats(numbers(6, POSITIONS * 2 * head_dim)),
                floats(numbers(7, ROWS * 4 * head_dim)),
            ];
            if kernel == Kernel::Attention {
                contents.push(floats(vec![0.0; ROWS * 4 * POSITIONS]));
            }
            check_floats(kernel, &contents, [2, ROWS as u32]);
        }
    }
}

fn settings(rule: KernelRule, temperature: f32, top_k: u32, top_p: f32) -> RunSettings {
    RunSettings {
        seed: [1611, 7],
        rule: rule as u32,
        top_k,
        temperature,
        top_p,
        lenience: 0.5,
        epsilon: 0.09,
        delta: 0.3,
        ..RunSettings::default()
    }
}

#[test]
fn probabilities_agree_with_their_twin_and_with_the_mathematics() {
    use couplet_speculation::distribution::{Filter, probabilities};
    for vocab in [2, 65, 500, 2_050] {
        let mut logits: Vec<f32> = numbers(15, 2 * vocab).iter().map(|x| 6.0 * x).collect();
        // A tie for the first place, in both rows.
        for row in logits.chunks_exact_mut(vocab) {
            (row[0], row[1]) = (7.0, 7.0);
        }
        for (temperature, top_k, top_p) in [
            (1.0, 0, 1.0),
            (0.7, 0, 1.0),
            (0.0, 0, 1.0),
            (1.0, 3, 1.0),
            (1.0, 1, 1.0),
            (1.3, 0, 0.8),
            (1.0, 5, 0.6),
            (1.0, 10_000, 1.0),
        ] {
            let pass = Pass {
                rows: 2,
                destination_row: 1,
                vocab: vocab as u32,
                ..Pass::default()
            };
            let settings = settings(KernelRule::Rejection, temperature, top_k, top_p);
            let contents = [
                uniform(pass),
                uniform(settings),
                floats(logits.clone()),
                floats(vec![0.0; 3 * vocab]),
            ];
            check_sampling(Kernel::Probabilities, &contents, [2, 1]);
            let found = run(&Device::Cpu, Kernel::Probabilities, &contents, [2, 1]);
            let filter = Filter {
                temperature: f64::from(temperature),
                top_k: top_k as usize,
                top_p: f64::from(top_p),
            };
            for row in 0..2 {
                let expected = probabilities(&logits[row * vocab..][..vocab], &filter);
                for (found, expected) in found[1][(row + 1) * vocab..][..vocab].iter().zip(expected)
                {
                    let found = f64::from(f32::from_bits(*found));
                    let tolerance = 1e-6 + 1e-4 * expected;
                    assert!(
                        (found - expected).abs() <= tolerance,
                        "{settings:?}: {found} != {expected}"
                    );
                }
            }
        }
    }
}

/// Masks and starting values are finite, since WGSL may assume that infinities and NaN never
/// occur: even logits far apart at a low temperature give probabilities.
#[test]
fn extreme_logits_give_finite_probabilities() {
    let mut logits: Vec<f32> = numbers(16, 65).iter().map(|x| 1e6 * x).collect();
    logits[7] = -1e6;
    for (top_k, top_p) in [(0, 1.0), (1, 1.0), (2, 0.5)] {
        let pass = Pass {
            rows: 1,
            vocab: 65,
            ..Pass::default()
        };
        let contents = [
            uniform(pass),
            uniform(settings(KernelRule::Rejection, 0.01, top_k, top_p)),
            floats(logits.clone()),
            floats(vec![0.0; 65]),
        ];
        check_sampling(Kernel::Probabilities, &contents, [1, 1]);
        let found = run(&Device::Cpu, Kernel::Probabilities, &contents, [1, 1]);
        let probs: Vec<f32> = found[1].iter().map(|bits| f32::from_bits(*bits)).collect();
        assert!(probs.iter().all(|prob| prob.is_finite()), "{probs:?}");
        assert!((probs.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    for kernel in Kernel::ALL {
        let has_f64 = |source: &&str| source.contains("f64");
        assert!(!kernel.sources().iter().any(has_f64), "{}", kernel.name());
    }
}

#[test]
fn draws_are_those_of_the_twin() {
    for vocab in [2, 65, 500, 2_050] {
        for row in 0..3 {
            let pass = Pass {
                rows: 1,
                source_row: row,
                vocab,
                ..Pass::default()
            };
            check_exactly(
                Kernel::Draw,
                &[
                    uniform(pass),
                    uniform(settings(KernelRule::Rejection, 1.0, 0, 1.0)),
                    words(vec![9]),
                    floats(distributions(20 + row, 3, vocab as usize)),
                    words(vec![0; CAPACITY]),
                ],
            );
        }
    }
}

#[test]
fn sampling_at_once_is_that_of_the_twin() {
    for vocab in [65usize, 500, 2_050] {
        for step in 0..3 {
            let pass = Pass {
                rows: 1,
                source_row: step,
                destination_row: step,
                output_size: 32,
                vocab: vocab as u32,
                ..Pass::default()
            };
            for (temperature, top_k) in [(1.0, 0), (0.0, 0), (0.7, 20)] {
                let contents = [
                    uniform(pass),
                    uniform(settings(KernelRule::Rejection, temperature, top_k, 1.0)),
                    floats(numbers(50 + step, vocab)),
                    floats(vec![0.0; 3 * vocab]),
                    words(vec![9]),
                    words(vec![0; CAPACITY]),
                    floats(numbers(60, vocab * 32)),
                    floats(vec![0.0; 64]),
                ];
                // The token is drawn from what the kernel itself made of the logits.
                let Some(found) = check_sampling(Kernel::Sample, &contents, [1, 1]) else {
                    return;
                };
                let expected = run(&Device::Cpu, Kernel::Sample, &contents, [1, 1]);
                assert_eq!(found[3], expected[3], "tokens");
                assert_eq!(found[5], expected[5], "the looked-up row");
            }
        }
    }
}

/// Several texts side by side: each has a committed length, and with it positions, of its own.
#[test]
fn texts_side_by_side_are_those_of_the_twin() {
    use couplet_speculation::random::Purpose;
    let vocab = 65;
    let lengths = vec![1, 12, 25];
    let probs = distributions(33, 4, vocab);
    for purpose in [Purpose::Draft, Purpose::Target] {
        let pass = Pass {
            vocab: vocab as u32,
            purpose: purpose as u32,
            ..Pass::default()
        };
        let contents = [
            uniform(pass),
            uniform(settings(KernelRule::Gumbel, 1.0, 0, 1.0)),
            words(lengths.clone()),
            floats(probs.clone()),
            words(vec![0; CAPACITY]),
        ];
        check_words(Kernel::Draw, &contents, [4, 3]);
        check_words(Kernel::SharedDraw, &contents, [4, 3]);
        // A text alone is written like the same text in company.
        let together = &run(&Device::Cpu, Kernel::Draw, &contents, [4, 3])[2];
        for length in &lengths {
            let contents = [
                uniform(pass),
                uniform(settings(KernelRule::Gumbel, 1.0, 0, 1.0)),
                words(vec![*length]),
                floats(probs.clone()),
                words(vec![0; CAPACITY]),
            ];
            let alone = &run(&Device::Cpu, Kernel::Draw, &contents, [4, 1])[2];
            let place = *length as usize..*length as usize + 4;
            assert_eq!(alone[place.clone()], together[place]);
        }
    }
}

#[test]
fn a_bigram_table_is_looked_up_as_by_its_twin() {
    let vocab = 65;
    let pass = Pass {
        offset: -2,
        vocab: vocab as u32,
        ..Pass::default()
    };
    for length in [1, 9] {
        let tokens: Vec<u32> = (0..CAPACITY as u32).map(|i| i * 7 % 65).collect();
        let contents = [
            uniform(pass),
            words(tokens),
            words(vec![length]),
            floats(numbers(3, vocab * vocab)),
            floats(vec![0.0; 2 * vocab]),
        ];
        check_words(Kernel::Bigram, &contents, [3, 2]);
    }
}

/// Clocks and darts are the same words on every device, so the drawn tokens are equal.
#[test]
fn shared_draws_are_those_of_the_twin() {
    for vocab in [2usize, 65, 500, 2_050] {
        for rule in [KernelRule::Gumbel, KernelRule::MinHash] {
            for seed in 0..4 {
                let pass = Pass {
                    source_row: 1,
                    vocab: vocab as u32,
                    ..Pass::default()
                };
                let settings = RunSettings {
                    seed: [seed, 7],
                    rule: rule as u32,
                    ..RunSettings::default()
                };
                let contents = [
                    uniform(pass),
                    uniform(settings),
                    words(vec![9]),
                    floats(distributions(60 + seed, 6, vocab)),
                    words(vec![0; CAPACITY]),
                ];
                check_words(Kernel::SharedDraw, &contents, [5, 1]);
            }
        }
    }
}

/// Every rule and mistake, with the kernel that judges by it.
fn judges() -> impl Iterator<Item = (Kernel, KernelRule)> {
    KernelRule::ALL
        .into_iter()
        .map(|rule| (verdict_kernel(rule), rule))
}

#[test]
fn every_kernel_that_judges_is_that_of_a_rule() {
    let judged: Vec<Kernel> = judges()
        .flat_map(|(kernel, _)| [Some(kernel), kernel.together()])
        .flatten()
        .collect();
    let judging = |kernel: &&Kernel| kernel.sources()[0].contains("fn commit_round(");
    let judging: Vec<&Kernel> = Kernel::ALL.iter().filter(judging).collect();
    assert!(judging.contains(&&Kernel::Verify));
    for kernel in judging {
        assert!(judged.contains(kernel), "{}", kernel.name());
    }
}

/// Texts side by side between two distributions that are far from each other, so that coins reject
/// and keep tokens alike, and the rules of one kernel come to different ends.
#[test]
fn verdicts_are_those_of_the_twin() {
    const TEXTS: usize = 64;
    for vocab in [2usize, 65, 500] {
        for gamma in [0, 1, 4, 8] {
            let target = distributions(40, gamma + 1, vocab);
            let other = distributions(41, gamma + 1, vocab);
            let draft: Vec<f32> = target
                .iter()
                .zip(&other)
                .map(|(a, b)| 0.4 * a + 0.6 * b)
                .collect();
            let spacing = gamma + 2;
            let lengths: Vec<u32> = (0..TEXTS).map(|text| (1 + text * spacing) as u32).collect();
            let mut tokens = vec![0; 1 + TEXTS * spacing];
            for (text, length) in lengths.iter().enumerate() {
                for place in 0..gamma {
                    // The target's favourite now and then, which is all that Greedy keeps.
                    let favourite = (text + place).is_multiple_of(3);
                    let row = |rows: &[f32]| -> Vec<f64> {
                        let row = &rows[place * vocab..][..vocab];
                        row.iter().map(|prob| f64::from(*prob)).collect()
                    };
                    let token = if favourite {
                        argmax(&row(&target))
                    } else {
                        let u = threefry2x32([42, 0], [text as u32, place as u32])[0];
                        draw(&row(&draft), f64::from(u) / 4_294_967_296.0)
                    };
                    tokens[*length as usize + place] = token as u32;
                }
            }
            let mut ends = Vec::new();
            for (kernel, rule) in judges() {
                let pass = Pass {
                    rows: gamma as u32,
                    vocab: vocab as u32,
                    ..Pass::default()
                };
                let mut contents = vec![
                    uniform(pass),
                    uniform(settings(rule, 1.0, 0, 1.0)),
                    floats(draft[..gamma.max(1) * vocab].to_vec()),
                    floats(target.clone()),
                    words(tokens.clone()),
                    words(lengths.clone()),
                    words(vec![0; TEXTS * record::words(gamma)]),
                ];
                if kernel == Kernel::VerifyOwn {
                    // The target's own tokens are the drafted ones up to a place in each block.
                    let own = tokens.iter().enumerate();
                    let differs = |i: usize| i % 5 == 3;
                    contents.push(words(
                        own.map(|(i, token)| token ^ u32::from(differs(i)))
                            .collect(),
                    ));
                }
                check_words(kernel, &contents, [1, TEXTS as u32]);
                let written = run(&Device::Cpu, kernel, &contents, [1, TEXTS as u32]);
                ends.push((kernel, rule, written[3].clone(), written[2].clone()));
            }
            if vocab == 2 || gamma < 4 {
                // Too little to tell the rules apart.
                continue;
            }
            let grown = |end: &[u32]| -> Vec<usize> {
                let grown = end.iter().zip(&lengths);
                grown.map(|(end, length)| (end - length) as usize).collect()
            };
            let (_, _, end, _) = &ends[0];
            let all_kept = grown(end).iter().filter(|grown| **grown > gamma).count();
            let rejected = TEXTS - all_kept;
            assert!(rejected >= 20, "{vocab}, {gamma}: {rejected} rejections");
            let kept: usize = grown(end).iter().map(|grown| grown - 1).sum();
            assert!(kept >= 20, "{vocab}, {gamma}: {kept} kept");
            for (index, (kernel, rule, end, tokens)) in ends.iter().enumerate() {
                for (other, other_rule, other_end, other_tokens) in &ends[..index] {
                    let told = (end, tokens) != (other_end, other_tokens);
                    assert!(
                        told || kernel != other || *kernel == Kernel::VerifyOwn,
                        "{vocab}, {gamma}: {rule:?} is not told from {other_rule:?}"
                    );
                }
            }
        }
    }
}

/// The traps of verification, on the CPU and on the GPU alike: the twins are equal word by word.
mod traps {
    use super::*;

    fn verify(draft: &[f32], target: &[f32], token: u32, seed: u32) -> (u32, u32) {
        let pass = Pass {
            rows: 1,
            vocab: draft.len() as u32,
            ..Pass::default()
        };
        let contents = [
            uniform(pass),
            uniform(RunSettings {
                seed: [seed, 0],
                temperature: 1.0,
                top_p: 1.0,
                ..RunSettings::default()
            }),
            floats(draft.to_vec()),
            floats(target.to_vec()),
            words(vec![0, token, 0]),
            words(vec![1]),
            words(vec![0; record::words(1)]),
        ];
        check_exactly(Kernel::Verify, &contents);
        let record = &run(&Device::Cpu, Kernel::Verify, &contents, [1, 1])[4];
        (record[record::ACCEPTED], record[record::NEW_TOKEN])
    }

    #[test]
    fn a_token_that_the_target_excludes_is_never_kept() {
        let target = [0.5, 0.5, 0.0, 0.5, 0.5, 0.0];
        for seed in 0..50 {
            let (accepted, token) = verify(&[0.0, 0.0, 1.0], &target, 2, seed);
            assert_eq!(accepted, 0);
            assert!(token < 2);
        }
    }

    /// u * draft == target exactly: the comparison is strict.
    #[test]
    fn a_draw_on_the_edge_is_not_kept() {
        use couplet_speculation::random::{Purpose, uniform};
        for seed in 0..50 {
            let u = uniform(u64::from(seed), 1, Purpose::Accept, 0);
            let target = [1.0 - u, 0.0, u, 1.0, 0.0, 0.0];
            assert_eq!(verify(&[0.0, 0.0, 1.0], &target, 2, seed).0, 0);
        }
    }

    #[test]
    fn equal_distributions_always_accept() {
        let probs = [0.2, 0.3, 0.5];
        let target = [probs, probs].concat();
        for seed in 0..50 {
            assert_eq!(verify(&probs, &target, 1, seed).0, 1);
        }
    }

    /// The drafted token has no overlap, and rounding leaves no residual anywhere: the target's
    /// own distribution serves.
    #[test]
    fn a_residual_that_sums_to_nothing_draws_from_the_target() {
        let draft = [0.75, 0.25, 0.5];
        let target = [0.75, 0.25, 0.0, 0.75, 0.25, 0.0];
        let mut drawn = [0; 3];
        for seed in 0..50 {
            let (accepted, token) = verify(&draft, &target, 2, seed);
            assert_eq!(accepted, 0);
            drawn[token as usize] += 1;
        }
        assert!(drawn[0] > 25 && drawn[1] > 2 && drawn[2] == 0, "{drawn:?}");
    }
}
