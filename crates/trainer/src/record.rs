//! A pair's recorded run: what the page plays before any weight has arrived.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;
use couplet_engine::{Backend, Engine, EngineError, Pair, PairFiles};
use couplet_protocol::{BackendKind, DeviceInfo, Settings, Trace, VERSION};

use crate::bench::milliseconds;

/// Runs the pair in a folder on the CPU, with the settings that the page starts with and the
/// card's prompt, and writes the engine's own events to `recording.json` beside the card.
///
/// # Errors
///
/// If a file of the pair is missing or damaged, the prompt does not suit the vocabulary, or the
/// recording cannot be written.
pub fn record(pair_folder: &Path) -> anyhow::Result<()> {
    let pair = PairFiles::from_folder(pair_folder)
        .and_then(Pair::new)
        .with_context(|| format!("no pair can be read from {}", pair_folder.display()))?;
    let trace = pollster::block_on(run(Rc::new(pair)))?;
    let path = pair_folder.join("recording.json");
    let json = serde_json::to_vec(&trace)?;
    fs::write(&path, &json).with_context(|| format!("cannot write {}", path.display()))?;
    println!(
        "{}: {} events, {} bytes",
        path.display(),
        trace.events.len(),
        json.len()
    );
    Ok(())
}

async fn run(pair: Rc<Pair>) -> Result<Trace, EngineError> {
    let usual = Settings::default();
    let prompt = if pair.card.prompt.is_empty() {
        usual.prompt.clone()
    } else {
        pair.card.prompt.clone()
    };
    let settings = Settings {
        pair: pair.card.name.clone(),
        prompt,
        ..usual
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
