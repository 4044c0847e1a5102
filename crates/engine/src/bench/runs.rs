//! One text, timed round by round.

use couplet_kernels::Device;
use couplet_protocol::{RaceLane, RaceRound, RunTime, Settings};

use crate::{Ahead, Engine, EngineError};

/// A text that was written on the clock.
#[derive(Debug)]
pub(super) struct TimedRun {
    rounds: Vec<RaceRound>,
    judged: u32,
    readbacks: u32,
    milliseconds: f64,
}

impl TimedRun {
    pub(super) fn tokens(&self) -> u32 {
        self.rounds
            .iter()
            .map(|round| round.tokens.len() as u32)
            .sum()
    }

    pub(super) fn time(&self) -> RunTime {
        RunTime {
            tokens: self.tokens(),
            milliseconds: self.milliseconds,
        }
    }

    /// Tokens per second.
    pub(super) fn speed(&self) -> f64 {
        self.time().speed()
    }

    pub(super) fn rounds(&self) -> u32 {
        self.rounds.len() as u32
    }

    pub(super) fn drafted(&self) -> u32 {
        self.rounds.iter().map(|round| round.gamma).sum()
    }

    pub(super) fn judged(&self) -> u32 {
        self.judged
    }

    pub(super) fn accepted(&self) -> u32 {
        self.rounds.iter().map(|round| round.accepted).sum()
    }

    pub(super) fn lane(&self, gamma: u32) -> RaceLane {
        RaceLane {
            gamma,
            rounds: self.rounds.clone(),
            readbacks: self.readbacks,
        }
    }
}

/// Writes a text, past its end if it has one: a run of a few tokens says next to nothing, and would
/// count like any other. `go_on` is asked before it, and on the CPU now and then within it; `None` when
/// it says no. Neither the prompt nor `go_on` is timed.
pub(super) async fn timed_run(
    engine: &Engine,
    settings: &Settings,
    mut go_on: impl AsyncFnMut() -> bool,
) -> Result<Option<TimedRun>, EngineError> {
    if !go_on().await {
        return Ok(None);
    }
    let (mut run, _) = engine.start(settings).await?;
    run.goes_past_end = true;
    let mut timed = TimedRun {
        rounds: Vec::new(),
        judged: 0,
        readbacks: 0,
        milliseconds: 0.0,
    };
    while run.finished().is_none() {
        let start = engine.now();
        let facts = engine.advance(&mut run, Ahead::FAST).await?;
        let end = engine.now();
        for round in facts {
            timed.judged += round.judged as u32;
            timed.readbacks += round.timings.readbacks;
            timed.rounds.push(RaceRound {
                end: timed.milliseconds + round.end - start,
                gamma: round.gamma as u32,
                accepted: round.accepted as u32,
                tokens: round.tokens,
            });
        }
        timed.milliseconds += end - start;
        // On a GPU more rounds are under way: time that is not counted would be a gift to them.
        let idle = matches!(engine.device(), Device::Cpu);
        if idle && run.finished().is_none() && !go_on().await {
            return Ok(None);
        }
    }
    Ok(Some(timed))
}
