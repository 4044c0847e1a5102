//! The recorded runs that play before the models arrive and in lessons: readable, and what the
//! shipped models write today.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::common::{clock, write};
use couplet_engine::{Backend, Engine, Pair, PairFiles};
use couplet_playback::Run;
use couplet_protocol::{Event, Settings, Trace};

const ADVICE: &str = "run `cargo xtask record --all` and look at the result in the browser";

/// The folders of the shipped pairs.
fn pair_folders() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/pairs");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(all)
        .expect("there are pairs")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("model-card.json").is_file())
        .collect();
    folders.sort();
    folders
}

/// The run with a draft, and the one of the target alone.
const FILES: [&str; 2] = ["recording.json", "recording-alone.json"];

fn recording(folder: &Path, file: &str) -> Trace {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; {ADVICE}", path.display()));
    Trace::from_json(&text).unwrap_or_else(|why| panic!("{}: {why} {ADVICE}", path.display()))
}

/// Tokens of the text with those of the prompt.
fn committed(events: &[Event]) -> Vec<u32> {
    let mut tokens = Vec::new();
    for event in events {
        match event {
            Event::Started { prompt_tokens, .. } => tokens.extend(prompt_tokens),
            Event::Committed { tokens: more, .. } => tokens.extend(more),
            _ => {}
        }
    }
    tokens
}

#[test]
fn recordings_are_runs_of_their_pair_with_the_usual_settings() {
    for folder in pair_folders() {
        let trace = recording(&folder, FILES[0]);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let usual = Settings {
            pair: name.clone(),
            prompt: trace.settings.prompt.clone(),
            ..Settings::default()
        };
        assert_eq!(trace.settings, usual, "{name}: {ADVICE}");
        let alone = recording(&folder, FILES[1]);
        let nothing_drafted = Settings { gamma: 0, ..usual };
        assert_eq!(alone.settings, nothing_drafted, "{name}: {ADVICE}");
        assert_eq!(trace.pair.name, name, "{ADVICE}");
        let run = Run::from_events(&trace.events);
        assert!(run.finished().is_some(), "{name}: {ADVICE}");
        let rejected = run.rounds().iter().any(|round| round.rejected().is_some());
        let bonus = run.rounds().iter().any(|round| round.rejected().is_none());
        assert!(
            rejected && bonus,
            "{name}: a recording shows both ways in which a round can end; {ADVICE}"
        );
    }
}

#[test]
fn the_shipped_models_write_what_was_recorded() {
    for folder in pair_folders() {
        let pair = PairFiles::from_folder(&folder)
            .and_then(Pair::new)
            .expect("the shipped pair is sound");
        let info = pair.info().unwrap();
        let engine = pollster::block_on(Engine::new(Rc::new(pair), &Backend::cpu(), clock))
            .expect("the CPU takes the pair");
        for file in FILES {
            let trace = recording(&folder, file);
            assert_eq!(info, trace.pair, "{ADVICE}");
            let (tokens, _) = write(&engine, &trace.settings);
            assert!(
                tokens == committed(&trace.events),
                "{}: {file} is stale: {ADVICE}",
                folder.display()
            );
        }
    }
}
