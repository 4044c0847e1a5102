//! Pairs thrown by the engine, to measure how often they agree.

use couplet_playback::tr;
use couplet_protocol::{
    BackendKind, Command, CoupleRequest, Coupled, CouplingName, MAX_SEED, Reply,
};
use couplet_speculation::couplings::Coupling;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::exhibit::Exhibit;
use crate::engine_client::{EngineClient, EngineState};
use crate::errors::Said;
use crate::store::Scene;
use crate::words::share_at_95;

/// Thrown by itself once nobody moves a handle.
const BY_ITSELF: u64 = 20_000;
/// Thrown on request.
pub const ON_REQUEST: u64 = 100_000;
/// How long the distributions must stand still before anything is thrown by itself.
const SETTLED_MS: u32 = 600;

/// What was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// How often which pair, row after row, the draft's token first. Shape: (tokens, tokens).
    pub counts: Vec<u64>,
    /// How many pairs.
    pub trials: u64,
    /// In how many of them both tokens were the same.
    pub agreed: u64,
    /// Where: another one goes on where the first was lost.
    pub backends: Vec<BackendKind>,
    /// How long it took.
    pub milliseconds: f64,
}

impl Measured {
    fn new(coupled: &Coupled, tokens: usize) -> Option<Self> {
        let whole = coupled.trials > 0 && coupled.counts.len() == tokens * tokens;
        whole.then(|| {
            let counts: Vec<u64> = coupled
                .counts
                .iter()
                .map(|count| u64::from(*count))
                .collect();
            Self {
                agreed: counts.iter().step_by(tokens + 1).sum(),
                counts,
                trials: coupled.trials,
                backends: vec![coupled.backend],
                milliseconds: coupled.milliseconds,
            }
        })
    }

    fn add(&mut self, more: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&more.counts) {
            *count += more;
        }
        self.trials += more.trials;
        self.agreed += more.agreed;
        for backend in &more.backends {
            if !self.backends.contains(backend) {
                self.backends.push(*backend);
            }
        }
        self.milliseconds += more.milliseconds;
    }

    /// Share of the pairs that agreed.
    pub fn rate(&self) -> f64 {
        self.agreed as f64 / self.trials as f64
    }

    /// Wilson's interval of that share, 95 %.
    pub fn interval(&self) -> [f64; 2] {
        share_at_95(self.agreed.min(self.trials), self.trials)
    }
}

/// What a coupling's measurement is up to.
#[derive(Clone, PartialEq)]
pub enum Throwing {
    /// Nothing.
    Idle,
    /// So many pairs are being thrown.
    UnderWay(u64),
    /// The last throw failed, for this reason.
    Failed(Said),
}

/// The measurement of one coupling.
#[derive(Clone, Copy)]
pub struct Board {
    coupling: Coupling,
    /// What was counted for the distributions on the page.
    pub measured: RwSignal<Option<Measured>>,
    /// What is going on.
    pub state: RwSignal<Throwing>,
    inner: StoredValue<Inner>,
}

#[derive(Clone, Copy)]
struct Inner {
    /// The request that is under way.
    request: Option<u32>,
    /// Whether it was told to stop.
    stopped: bool,
    /// Counts distributions: what was thrown for others is of no use.
    version: u32,
    /// Whether something is to be thrown by itself.
    due: bool,
    /// How often something was asked for: each time with other numbers.
    asked: u64,
}

impl Board {
    /// Nothing measured yet.
    pub fn new(coupling: Coupling) -> Self {
        Self {
            coupling,
            measured: RwSignal::new(None),
            state: RwSignal::new(Throwing::Idle),
            inner: StoredValue::new(Inner {
                request: None,
                stopped: false,
                version: 0,
                due: true,
                asked: 0,
            }),
        }
    }

    fn is_free(&self) -> bool {
        self.inner.with_value(|inner| inner.request.is_none())
    }

    /// Drops what was measured for other distributions.
    fn forget(&self, engine: EngineClient) {
        let mut stop = None;
        self.inner.update_value(|inner| {
            inner.version = inner.version.wrapping_add(1);
            inner.due = true;
            inner.asked = 0;
            stop = inner.request.filter(|_| !inner.stopped);
            inner.stopped = inner.request.is_some();
        });
        self.measured.set(None);
        match stop {
            Some(id) => engine.stop(id),
            None if self.is_free() => self.state.set(Throwing::Idle),
            None => {}
        }
    }

    fn receive(&self, version: u32, tokens: usize, reply: &Reply) {
        let current = self.inner.with_value(|inner| inner.version) == version;
        self.inner.update_value(|inner| {
            inner.request = None;
            inner.stopped = false;
        });
        let state = match reply {
            _ if !current => Throwing::Idle,
            Reply::Coupled { coupled, .. } => match Measured::new(coupled, tokens) {
                Some(more) => {
                    self.measured.update(|measured| match measured {
                        Some(measured) => measured.add(&more),
                        None => *measured = Some(more),
                    });
                    Throwing::Idle
                }
                None => Throwing::Failed(Said::new(|| tr!("The engine threw nothing."))),
            },
            Reply::Failed { failure, .. } => {
                Throwing::Failed(Said::ByEngine(failure.sentence.clone()))
            }
            _ => Throwing::Idle,
        };
        self.state.set(state);
    }
}

impl Exhibit {
    /// Throws a first lot of pairs whenever the distributions have settled, the scene is open and
    /// the engine is ready.
    pub(super) fn measure_when_settled(&self) {
        let exhibit = *self;
        let (engine, scene) = (exhibit.store.engine, exhibit.store.scene);
        let changes = StoredValue::new(0u32);
        let settled = RwSignal::new(false);
        Effect::new(move |_| {
            exhibit.exact.track();
            exhibit.seed.track();
            let now = changes.get_value().wrapping_add(1);
            changes.set_value(now);
            settled.set(false);
            for board in exhibit.boards {
                board.forget(engine);
            }
            let settle = move || {
                if changes.get_value() == now {
                    settled.set(true);
                }
            };
            Timeout::new(SETTLED_MS, settle).forget();
        });
        Effect::new(move |_| {
            exhibit.boards.iter().for_each(|board| board.state.track());
            let here = scene.get() == Scene::Couplings;
            let idle = engine.state.with(EngineState::is_idle);
            if !(settled.get() && here && idle) {
                return;
            }
            for board in exhibit.boards {
                if board.is_free() && board.inner.with_value(|inner| inner.due) {
                    exhibit.send(board, BY_ITSELF);
                }
            }
        });
    }

    /// Throws more pairs under every coupling that is not at it already.
    pub fn throw_many(&self, trials: u64) {
        for board in self.boards.into_iter().filter(Board::is_free) {
            self.send(board, trials);
        }
    }

    fn send(&self, board: Board, trials: u64) {
        let engine = self.store.engine;
        let exact = self.exact.get_untracked();
        let tokens = exact.len();
        let Inner { asked, version, .. } = board.inner.get_value();
        let request = CoupleRequest {
            draft: exact.pair.draft_probs().to_vec(),
            target: exact.pair.target_probs().to_vec(),
            rule: name_of(board.coupling),
            trials,
            seed: (self.seed.get_untracked() + asked) % (MAX_SEED + 1),
        };
        let id = engine.request_aside(
            |id| Command::Couple { id, request },
            move |reply| board.receive(version, tokens, reply),
        );
        board.inner.update_value(|inner| {
            inner.due = false;
            inner.asked += 1;
            inner.request = Some(id);
        });
        board.state.set(Throwing::UnderWay(trials));
    }
}

/// A coupling's name on the wire.
pub fn name_of(coupling: Coupling) -> CouplingName {
    match coupling {
        Coupling::Independent => CouplingName::Independent,
        Coupling::MinHash => CouplingName::MinHash,
        Coupling::Gumbel => CouplingName::Gumbel,
        Coupling::Optimal => CouplingName::Optimal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_another_backend_throws_are_counted_and_both_are_named() {
        let thrown = |backend, counts: [u32; 4]| {
            let coupled = Coupled {
                counts: counts.to_vec(),
                trials: counts.into_iter().map(u64::from).sum(),
                backend,
                milliseconds: 2.0,
            };
            Measured::new(&coupled, 2).unwrap()
        };
        let mut measured = thrown(BackendKind::Gpu, [3, 1, 1, 5]);
        measured.add(&thrown(BackendKind::Gpu, [1, 0, 0, 0]));
        measured.add(&thrown(BackendKind::Cpu, [1, 2, 2, 5]));
        assert_eq!((measured.agreed, measured.trials), (15, 21));
        assert_eq!(measured.backends, [BackendKind::Gpu, BackendKind::Cpu]);
    }
}
