//! Speculation against the target alone, in turn, on one clock.

use couplet_protocol::{DeviceInfo, Measurement, Settings, TokensPerSecond};
use couplet_speculation::statistics::{median, median_interval};

use crate::{Engine, EngineError};

/// Times `pairs` interleaved pairs of runs after one pair of warm-up. Only rounds are timed:
/// neither the prompt nor what `between` does between rounds.
///
/// `between` is told how many pairs are done and says whether to go on; `None` is returned when
/// it says no.
///
/// # Errors
///
/// If a setting is out of range or the device fails.
pub async fn measure(
    engine: &Engine,
    settings: &Settings,
    device: DeviceInfo,
    pairs: u32,
    mut between: impl AsyncFnMut(u32) -> bool,
) -> Result<Option<Measurement>, EngineError> {
    // Fewer give no interval; more keep a person waiting for digits that noise hides.
    let pairs = pairs.clamp(5, 50);
    let alone = Settings {
        gamma: 0,
        ..settings.clone()
    };
    let mut speculation = Vec::new();
    let mut target_alone = Vec::new();
    let mut tokens = 0;
    for pair in 0..=pairs {
        let mut rates = [0.0; 2];
        for (rate, settings) in rates.iter_mut().zip([settings, &alone]) {
            let (mut run, _) = engine.start(settings).await?;
            let mut milliseconds = 0.0;
            while run.finished().is_none() {
                let start = engine.now();
                engine.round(&mut run, false).await?;
                milliseconds += engine.now() - start;
                if !between(pair.saturating_sub(1)).await {
                    return Ok(None);
                }
            }
            tokens = run.written() as u32;
            *rate = 1000.0 * f64::from(tokens) / milliseconds.max(1e-6);
        }
        // The first pair warms caches and pipelines.
        if pair > 0 {
            speculation.push(rates[0]);
            target_alone.push(rates[1]);
        }
    }
    let ratios: Vec<f64> = speculation
        .iter()
        .zip(&target_alone)
        .map(|(a, b)| a / b)
        .collect();
    Ok(Some(Measurement {
        settings: settings.clone(),
        device,
        pairs,
        tokens,
        speculation: summary(&speculation),
        target_alone: summary(&target_alone),
        speed_up: median(&ratios),
        interval: median_interval(&ratios),
    }))
}

fn summary(rates: &[f64]) -> TokensPerSecond {
    TokensPerSecond {
        median: median(rates),
        min: rates.iter().copied().fold(f64::INFINITY, f64::min),
        max: rates.iter().copied().fold(0.0, f64::max),
    }
}
