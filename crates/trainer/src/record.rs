//! A pair's recorded runs: what the page plays before any weight has arrived, and what its lessons
//! are about.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use couplet_engine::{Backend, Engine, EngineError, Pair, PairFiles};
use couplet_protocol::{BackendKind, DeviceInfo, Settings, Trace, VERSION};

use crate::bench::milliseconds;

/// Runs the pair in a folder on the CPU, with the settings that the page starts with and the
/// card's prompt, and writes the engine's own events to `recording.json` beside the card; then
/// once more with nothing drafted, to `recording-alone.json`.
///
/// # Errors
///
/// If a file of the pair is missing or damaged, the prompt does not suit the vocabulary, or the
/// recording cannot be written.
pub fn record(pair_folder: &Path) -> anyhow::Result<()> {
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    let pair = Rc::new(pair);
    let usual = Settings::default();
    let alone = Settings {
        gamma: 0,
        ..Settings::default()
    };
    for (file, settings) in [("recording.json", usual), ("recording-alone.json", alone)] {
        let trace = pollster::block_on(run(Rc::clone(&pair), settings))?;
        let path = pair_folder.join(file);
        let json = serde_json::to_vec(&trace)?;
        fs::write(&path, &json).with_context(|| format!("cannot write {}", path.display()))?;
        println!(
            "{}: {} events, {} bytes",
            path.display(),
            trace.events.len(),
            json.len()
        );
    }
    Ok(())
}

/// A run of the pair on its card's prompt.
async fn run(pair: Rc<Pair>, asked: Settings) -> Result<Trace, EngineError> {
    let prompt = if pair.card.prompt.is_empty() {
        asked.prompt.clone()
    } else {
        pair.card.prompt.clone()
    };
    let settings = Settings {
        pair: pair.card.name.clone(),
        prompt,
        ..asked
    };
    let info = pair.info()?;
    let engine = Engine::new(pair, &Backend::cpu(), milliseconds).await?;
    let (mut run, mut events) = engine.start(&settings).await?;
    while run.finished().is_none() {
        events.extend(engine.round(&mut run, true).await?);
    }
    Ok(Trace {
        version: VERSION,
        settings,
        branch: None,
        pair: info,
        device: DeviceInfo {
            backend: BackendKind::Cpu,
            variant: String::new(),
            name: "CPU, native build".to_owned(),
            reason: None,
        },
        events,
    })
}
