//! Memory that does not grow with what is written. A test file of its own: what other tests
//! allocate would count.

mod common;

use common::{backends, tiny, tiny_settings};
use couplet_engine::{Ahead, Engine};
use couplet_protocol::Settings;

/// Resident memory of this process in bytes, where the system tells it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024 * kilobytes)
}

/// Writes texts of up to 44 tokens, one after the other, in every way in which rounds are run.
fn write_tokens(engine: &Engine, tokens: usize) {
    let mut written = 0;
    let mut seed = 0;
    while written < tokens {
        let settings = Settings {
            seed,
            gamma: seed as u32 % 9,
            auto_gamma: seed % 5 == 4,
            max_tokens: 1000,
            ..tiny_settings()
        };
        let ahead = [Ahead::FAST, Ahead::WATCHED, Ahead::FAST][seed as usize % 3];
        pollster::block_on(async {
            let (mut run, _) = engine.start(&settings).await.expect("the prompt is read");
            while run.finished().is_none() {
                engine.rounds(&mut run, ahead).await.expect("rounds run");
                // Now and then somebody stops.
                if seed % 7 == 6 {
                    break;
                }
            }
            written += run.written();
        });
        seed += 1;
    }
}

#[test]
fn memory_stays_flat_over_a_hundred_thousand_tokens() {
    if resident().is_none() {
        return;
    }
    for (name, backend) in backends() {
        let engine = tiny(&backend, 8);
        // A software adapter takes minutes for as many.
        let tokens = if name == "GPU" { 3_000 } else { 100_000 };
        let tokens = std::env::var("COUPLET_MEMORY_TOKENS")
            .ok()
            .and_then(|tokens| tokens.parse().ok())
            .unwrap_or(tokens);
        write_tokens(&engine, tokens / 5);
        let early = resident().expect("it was told before");
        write_tokens(&engine, tokens);
        let late = resident().expect("it was told before");
        let grown = late.saturating_sub(early);
        println!("{name}: {} MB, then {} more bytes", early >> 20, grown);
        assert!(grown < 4 << 20, "{name}: {grown} bytes more");
    }
}
