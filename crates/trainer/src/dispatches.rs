//! How many dispatches the engine makes, counted on real rounds.

use std::path::Path;
use std::rc::Rc;

use anyhow::Context;
use couplet_engine::{Backend, Engine, Pair, PairFiles};
use couplet_protocol::{Event, Settings};

/// Dispatches of one drafted token, for the first of which a round has a lookup more, and of one
/// pass of the target with its verification, for the pair whose files are in `folder`.
///
/// # Errors
///
/// If the engine cannot run the pair.
pub fn count(folder: &Path) -> anyhow::Result<[u32; 2]> {
    let pair = Pair::new(PairFiles::from_folder(folder)?)?;
    let name = pair.card.name.clone();
    let prompt = pair.card.prompt.clone();
    let engine = pollster::block_on(Engine::new(Rc::new(pair), &Backend::cpu(), || 0.0))?;
    let round = |gamma| -> anyhow::Result<u32> {
        let settings = Settings {
            pair: name.clone(),
            prompt: prompt.clone(),
            gamma,
            ..Settings::default()
        };
        let (mut run, _) = pollster::block_on(engine.start(&settings))?;
        let events = pollster::block_on(engine.round(&mut run, false))?;
        events
            .iter()
            .find_map(|event| match event {
                Event::RoundEnded { timings, .. } => Some(timings.dispatches),
                _ => None,
            })
            .context("a round ended without its timings")
    };
    Ok([round(2)? - round(1)?, round(0)?])
}
