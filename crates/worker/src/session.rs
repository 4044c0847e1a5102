//! What the worker knows between commands.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use couplet_engine::{Ahead, Engine, EngineError, Pair, Progress, bench};
use couplet_protocol::{
    BackendChoice, Branch, Command, DeviceInfo, Distribution, Event, Failure, FinishReason,
    PairSummary, Reply, Settings, SpeedRequest, Which,
};

use crate::download::{self, Downloads};
use crate::ladder;
use crate::loading::unreadable;
use crate::scope;
use crate::stillness::Stillness;

/// The loaded pair and requests to stop.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) loaded: RefCell<Option<Loaded>>,
    /// Which engine the page asks for; unknown before the first pair.
    pub(crate) choice: Cell<Option<BackendChoice>>,
    pub(crate) downloads: Downloads,
    pub(crate) connection: ladder::Connection,
    pub(crate) stopped: RefCell<HashSet<u32>>,
    pub(crate) stillness: Stillness,
    last_breath: Cell<f64>,
}

#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) pair: Rc<Pair>,
    pub(crate) engine: Rc<Engine>,
    pub(crate) device: DeviceInfo,
    /// What the page had asked for.
    pub(crate) choice: BackendChoice,
    /// Whether the GPU was found to count otherwise than the processor what Couplings or Proof asks.
    pub(crate) miscounts: Rc<Cell<bool>>,
}

impl Loaded {
    /// Whether its GPU is of no more use.
    pub(crate) fn is_lost(&self) -> bool {
        self.engine.device().is_lost()
    }
}

/// Milliseconds of work between looks at the mailbox.
const BREATH: f64 = 12.0;

/// The page hears how far a bench is at most this often, in milliseconds: whoever hears it, draws.
const QUIET: f64 = 300.0;

/// Milliseconds that the page then has for that, before the next run is timed: some frames.
const DRAWING: u32 = 40;

/// How often one run may lose its GPU before it goes on with the CPU.
pub(crate) const MAX_LOSSES: u32 = 2;

impl Session {
    /// Marks a request to be stopped: it ends as soon as it looks, a run with what it has told.
    pub(crate) fn stop(&self, id: u32) {
        self.stopped.borrow_mut().insert(id);
    }

    /// Fulfils a command or says why not.
    pub(crate) async fn obey(&self, command: Command) {
        let (id, result) = match command {
            Command::Load { id, pair, backend } => (id, self.load(id, &pair, backend).await),
            Command::Generate {
                id,
                settings,
                branch,
            } => {
                let branch = branch.unwrap_or_default();
                let written = self.generate(id, &settings, &branch).await;
                let end = || {
                    self.end_stopped(id);
                    Ok(())
                };
                (id, self.unless_stopped(id, written, end))
            }
            Command::Distribution {
                id,
                model,
                settings,
            } => (id, self.distribution(id, model, &settings).await),
            Command::Bench { id, request } => {
                let measured = self.bench(id, &request).await;
                let end = || Err(Failure::measurement_stopped());
                (id, self.unless_stopped(id, measured, end))
            }
            // Handled on arrival.
            Command::Pairs { .. }
            | Command::Stop { .. }
            | Command::Couple { .. }
            | Command::CountRounds { .. } => return,
        };
        self.stopped.borrow_mut().remove(&id);
        if let Err(failure) = result {
            scope::post(&Reply::Failed {
                id: Some(id),
                failure,
            });
        }
    }

    /// Answers which pairs there are. Others are being fulfilled meanwhile.
    pub(crate) async fn pairs(&self, id: u32) {
        const PATH: &str = "pairs/pairs.json";
        let fetched = download::small(PATH, &|| self.is_stopped(id), || {}).await;
        let read = fetched.and_then(|bytes| {
            let pairs = serde_json::from_slice::<Vec<PairSummary>>(&bytes);
            pairs.map_err(|error| unreadable(PATH, &error))
        });
        self.stopped.borrow_mut().remove(&id);
        scope::post(&match read {
            Ok(pairs) => Reply::Pairs { id, pairs },
            Err(failure) => Reply::Failed {
                id: Some(id),
                failure,
            },
        });
    }

    async fn generate(&self, id: u32, settings: &Settings, branch: &Branch) -> Result<(), Failure> {
        let mut loaded = self.ready(id, &settings.pair).await?;
        self.provide_drafter(id, &loaded, settings).await?;
        let mut losses = 0;
        let (mut run, events) = loop {
            let engine = &loaded.engine;
            // Reads the prompt.
            let begun = engine.branch(settings, branch);
            match scope::patiently(engine.device(), begun).await {
                Err(EngineError::Device(error)) if losses <= MAX_LOSSES && !self.is_stopped(id) => {
                    loaded = self.recover(id, &mut losses, error, settings, None).await?;
                }
                begun => break begun.map_err(|error| error.failure())?,
            }
        };
        // What was said while the prompt was read is heard now: stopped before it began, a run leaves
        // the page as it is.
        scope::breathe().await;
        if self.is_stopped(id) {
            self.end_stopped(id);
            return Ok(());
        }
        scope::post(&Reply::Events { id, events });
        while run.finished().is_none() {
            let stopped = || self.is_stopped(id);
            // A text that is stopped ends with what the page has been told of it.
            let told = if stopped() {
                None
            } else {
                let times = loaded.engine.is_about_to_time(&run);
                let _held = times.then(|| self.stillness.hold());
                let rounds = loaded.engine.rounds(&mut run, Ahead::WATCHED);
                scope::attend(loaded.engine.device(), stopped, rounds).await
            };
            match told {
                Some(Ok(events)) => scope::post(&Reply::Events { id, events }),
                // What was committed is known here: another engine goes on from it, unless nobody
                // waits for that any more.
                Some(Err(EngineError::Device(error))) if losses <= MAX_LOSSES && !stopped() => {
                    let written = Some(&mut run);
                    loaded = self
                        .recover(id, &mut losses, error, settings, written)
                        .await?;
                }
                Some(Err(error)) => return Err(error.failure()),
                None => {
                    self.end_stopped(id);
                    break;
                }
            }
            self.breathe().await;
        }
        Ok(())
    }

    async fn distribution(
        &self,
        id: u32,
        model: Which,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let mut engine = self.ready(id, &settings.pair).await?.engine;
        let mut losses = 0;
        let probs = loop {
            let computed = engine.distribution(model, settings);
            match scope::patiently(engine.device(), computed).await {
                Err(EngineError::Device(error)) if losses <= MAX_LOSSES => {
                    losses += 1;
                    engine = self.replace_engine(id, losses, Some(error)).await?.engine;
                }
                probs => break probs.map_err(|error| error.failure())?,
            }
        };
        scope::post(&Reply::Distribution {
            id,
            distribution: Distribution::new(&probs),
        });
        Ok(())
    }

    async fn bench(&self, id: u32, request: &SpeedRequest) -> Result<(), Failure> {
        let fail = |error: EngineError| error.failure();
        request.check().map_err(|error| fail(error.into()))?;
        let loaded = self.ready(id, &request.settings.pair).await?;
        self.provide_drafter(id, &loaded, &request.settings).await?;
        let stopped = || self.is_stopped(id);
        let engine = loaded.engine;
        let (mut seen, mut told) = (None, f64::NEG_INFINITY);
        let between = async |progress: Progress<'_>| {
            // Not within a run, which would go on with the caches of whoever drew.
            let begins = seen.replace(progress.done) != Some(progress.done);
            if begins && scope::now() - told > QUIET {
                scope::post(&Reply::Benching {
                    id,
                    stage: progress.stage.to_owned(),
                    done: progress.done,
                    runs: progress.runs,
                });
                scope::sleep(DRAWING).await;
                told = scope::now();
            }
            self.breathe().await;
            !stopped()
        };
        let result = {
            let _held = self.stillness.hold();
            let bench = bench(&engine, request, loaded.device, between);
            scope::attend(engine.device(), stopped, bench).await
        };
        if let Some(Err(EngineError::Device(error))) = &result {
            // What was measured says nothing any more; whoever asks next finds an engine. If there is
            // none, they are told why.
            let _ = self.replace_engine(id, 1, Some(error.clone())).await;
        }
        let report = result.transpose().map_err(fail)?.flatten();
        match report {
            Some(report) => scope::post(&Reply::Benched {
                id,
                report: Box::new(report),
            }),
            None => return Err(Failure::measurement_stopped()),
        }
        Ok(())
    }

    pub(crate) fn is_stopped(&self, id: u32) -> bool {
        self.stopped.borrow().contains(&id)
    }

    /// A request that was stopped ends by that, also where it shows as a failure: what was on its
    /// way for it is given up.
    fn unless_stopped(
        &self,
        id: u32,
        result: Result<(), Failure>,
        end: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match result {
            Err(_) if self.is_stopped(id) => end(),
            result => result,
        }
    }

    /// Tells the page that a run ends here because it was stopped.
    fn end_stopped(&self, id: u32) {
        let reason = FinishReason::Stopped;
        let events = vec![Event::Finished { reason }];
        scope::post(&Reply::Events { id, events });
    }

    /// Looks at the mailbox now and then, not after every round: a timer costs milliseconds.
    pub(crate) async fn breathe(&self) {
        if scope::now() - self.last_breath.get() > BREATH {
            scope::breathe().await;
            self.last_breath.set(scope::now());
        }
    }
}
