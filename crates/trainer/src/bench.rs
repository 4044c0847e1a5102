//! The engine's own bench, natively, and its kernels against plain burn operations.

use std::path::Path;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context as _, bail};
use couplet_engine::{Ahead, Backend, Engine, KernelSet, Pair, PairFiles};
use couplet_kernels::Device;
use couplet_protocol::{BackendKind, DeviceInfo, Settings, SpeedReport, SpeedRequest};
use serde::Serialize;

use crate::plain_burn::PlainDecoder;

/// How often fused kernels and plain operations take turns.
const TURNS: usize = 5;

/// What is printed.
#[derive(Serialize)]
struct NativeReport {
    /// The engine's report, of the same form as in the browser.
    report: SpeedReport,
    /// Fused kernels against plain burn, where asked for.
    plain_burn: Option<PlainBurn>,
}

/// One token of the target after the same greedy text, turn by turn, in milliseconds.
#[derive(Serialize)]
struct PlainBurn {
    /// Tokens of a turn; both wrote the same ones.
    tokens: usize,
    fused: Vec<f64>,
    plain: Vec<f64>,
}

/// Prints the report of a bench as JSON.
///
/// `plain_tokens` is how many tokens plain burn writes in a turn; with 0 it is left out.
///
/// # Errors
///
/// If the pair or the request cannot be used, there is no GPU where one is asked for, or plain
/// burn writes another text than the engine.
pub fn bench(
    pair_folder: &Path,
    request: &str,
    gpu: bool,
    plain_tokens: usize,
) -> anyhow::Result<()> {
    let mut request: SpeedRequest = serde_json::from_str(request).context("--request")?;
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    request.settings.pair.clone_from(&pair.card.name);
    if request.settings.prompt.is_empty() {
        request.settings.prompt.clone_from(&pair.card.prompt);
    }
    let backend = backend(gpu)?;
    let engine = pollster::block_on(Engine::new(Rc::new(pair), &backend, milliseconds))?;
    let kernels = pollster::block_on(engine.choose_kernels())?;
    let device = device(&backend, kernels);
    let report = pollster::block_on(couplet_engine::bench(
        &engine,
        &request,
        device,
        async |_| true,
    ))?
    .context("the bench was left")?;
    let plain_burn = (plain_tokens > 0)
        .then(|| against_plain_burn(&engine, &backend, &request.settings, plain_tokens))
        .transpose()?;
    println!(
        "{}",
        serde_json::to_string(&NativeReport { report, plain_burn })?
    );
    Ok(())
}

/// Where the engine runs natively.
pub(crate) fn backend(gpu: bool) -> anyhow::Result<Backend> {
    Ok(match gpu {
        true => pollster::block_on(Backend::gpu())?,
        false => Backend::cpu(),
    })
}

/// A native device by its name.
pub(crate) fn device(backend: &Backend, kernels: KernelSet) -> DeviceInfo {
    let (kind, name) = match &backend.kernels {
        Device::Gpu(gpu) => {
            let info = gpu.setup().adapter.get_info();
            (
                BackendKind::Gpu,
                format!("{}, {:?}", info.name, info.backend),
            )
        }
        Device::Cpu => (BackendKind::Cpu, "CPU, native".to_owned()),
    };
    DeviceInfo {
        backend: kind,
        variant: match kind {
            BackendKind::Gpu => kernels.name().to_owned(),
            BackendKind::Cpu => couplet_engine::cpu_variant().to_owned(),
        },
        name,
        reason: None,
    }
}

fn against_plain_burn(
    engine: &Engine,
    backend: &Backend,
    settings: &Settings,
    tokens: usize,
) -> anyhow::Result<PlainBurn> {
    let settings = Settings {
        temperature: 0.0,
        gamma: 0,
        max_tokens: tokens as u32,
        ..settings.clone()
    };
    let pair = engine.pair();
    let plain_decoder = PlainDecoder::new(&pair.target_config, &pair.target, &backend.burn);
    let mut times = PlainBurn {
        tokens,
        fused: Vec::new(),
        plain: Vec::new(),
    };
    // Both read the prompt without being timed; burn does so once.
    let mut read = None;
    for turn in 0..=TURNS {
        let (mut run, _) = pollster::block_on(engine.start(&settings))?;
        let prompt = run.tokens().to_vec();
        let start = milliseconds();
        while run.finished().is_none() {
            pollster::block_on(engine.rounds(&mut run, Ahead::FAST))?;
        }
        let fused = milliseconds() - start;
        let written = run.tokens()[prompt.len()..].to_vec();

        let (last, before) = prompt.split_last().context("the prompt has no token")?;
        let mut text = read
            .get_or_insert_with(|| {
                let mut text = plain_decoder.start();
                for token in before {
                    text.push(*token);
                }
                text
            })
            .clone();
        let start = milliseconds();
        let mut token = *last;
        let mut found = Vec::new();
        while found.len() < written.len() {
            token = text.push(token);
            found.push(token);
        }
        let plain = milliseconds() - start;
        if found != written {
            bail!("plain burn writes {found:?}, the engine {written:?}");
        }
        // The first turn warms caches and pipelines.
        if turn > 0 {
            times.fused.push(fused / written.len() as f64);
            times.plain.push(plain / written.len() as f64);
        }
    }
    Ok(times)
}

/// Milliseconds since the first call.
pub(crate) fn milliseconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}
