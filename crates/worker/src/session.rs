//! What the worker knows between commands.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use couplet_engine::{Engine, EngineError, Pair, PairFiles, measure};
use couplet_model::{FileEntry, ModelCard};
use couplet_protocol::{
    BackendChoice, Command, DeviceInfo, Distribution, Event, Failure, FailureKind, FinishReason,
    PairSummary, Reply, Settings, Which,
};

use crate::{download, ladder, scope};

/// The loaded pair and requests to stop.
#[derive(Default)]
pub(crate) struct Session {
    loaded: RefCell<Option<Loaded>>,
    choice: Cell<BackendChoice>,
    stopped: RefCell<HashSet<u32>>,
    last_breath: Cell<f64>,
}

#[derive(Clone)]
struct Loaded {
    pair: Rc<Pair>,
    /// Absent after the device was lost.
    engine: Option<Rc<Engine>>,
    device: DeviceInfo,
}

/// Milliseconds of work between looks at the mailbox.
const BREATH: f64 = 12.0;

/// How often one run may lose its GPU before it goes on with the CPU.
const MAX_LOSSES: u32 = 2;

impl Session {
    /// Marks a run to be stopped after the round in progress.
    pub(crate) fn stop(&self, id: u32) {
        self.stopped.borrow_mut().insert(id);
    }

    /// Fulfils a command or says why not.
    pub(crate) async fn obey(&self, command: Command) {
        let (id, result) = match command {
            Command::Pairs { id } => (id, self.pairs(id).await),
            Command::Load { id, pair, backend } => (id, self.load(id, &pair, backend).await),
            Command::Generate { id, settings } => (id, self.generate(id, &settings).await),
            Command::Distribution {
                id,
                pair,
                model,
                text,
            } => (id, self.distribution(id, &pair, model, &text).await),
            Command::Measure {
                id,
                settings,
                pairs,
            } => (id, self.measure(id, &settings, pairs).await),
            // Handled on arrival.
            Command::Stop { .. } => return,
        };
        self.stopped.borrow_mut().remove(&id);
        if let Err(failure) = result {
            scope::post(&Reply::Failed {
                id: Some(id),
                failure,
            });
        }
    }

    async fn pairs(&self, id: u32) -> Result<(), Failure> {
        let bytes = download::fetch("pairs.json", false, |_| ())
            .await
            .map_err(|sentence| download_failure(sentence))?;
        let pairs: Vec<PairSummary> = serde_json::from_slice(&bytes).map_err(|error| Failure {
            kind: FailureKind::Files,
            field: None,
            sentence: format!("pairs.json cannot be read: {error}."),
        })?;
        scope::post(&Reply::Pairs { id, pairs });
        Ok(())
    }

    async fn load(&self, id: u32, name: &str, choice: BackendChoice) -> Result<(), Failure> {
        let settings = Settings {
            pair: name.to_owned(),
            ..Settings::default()
        };
        settings
            .check()
            .map_err(|error| EngineError::from(error).failure())?;
        self.choice.set(choice);
        let known = self
            .loaded
            .borrow()
            .as_ref()
            .filter(|loaded| loaded.pair.card.name == name)
            .map(|l| l.pair.clone());
        let pair = match known {
            Some(pair) => pair,
            None => Rc::new(self.fetch_pair(id, name).await?),
        };
        scope::post(&Reply::Loading {
            id,
            stage: "Preparing the models".to_owned(),
            received: 0,
            total: 0,
        });
        let (engine, device) = ladder::climb(&pair, choice)
            .await
            .map_err(|error| error.failure())?;
        let info = pair.info().map_err(|error| error.failure())?;
        *self.loaded.borrow_mut() = Some(Loaded {
            pair,
            engine: Some(Rc::new(engine)),
            device: device.clone(),
        });
        scope::post(&Reply::Loaded {
            id,
            pair: info,
            device,
        });
        Ok(())
    }

    /// Downloads a pair; files that turn out damaged are fetched once more past all caches.
    async fn fetch_pair(&self, id: u32, name: &str) -> Result<Pair, Failure> {
        let mut failure = None;
        for fresh in [false, true] {
            let files = fetch_files(id, name, fresh).await?;
            match Pair::new(files) {
                Ok(pair) => return Ok(pair),
                Err(error) => failure = Some(error.failure()),
            }
        }
        Err(failure.expect("both attempts failed"))
    }

    async fn generate(&self, id: u32, settings: &Settings) -> Result<(), Failure> {
        let mut loaded = self.ready(id, &settings.pair).await?;
        let fail = |error: EngineError| error.failure();
        let mut engine = loaded.engine.clone().expect("ready() provides one");
        let mut losses = 0;
        let (mut run, events) = match engine.start(settings).await {
            Err(EngineError::Device(_)) => {
                losses += 1;
                (loaded, engine) = self.replace_engine(id, losses).await?;
                engine.start(settings).await.map_err(fail)?
            }
            started => started.map_err(fail)?,
        };
        scope::post(&Reply::Events { id, events });
        while run.finished().is_none() {
            if self.stopped.borrow_mut().remove(&id) {
                let reason = FinishReason::Stopped;
                scope::post(&Reply::Events {
                    id,
                    events: vec![Event::Finished { reason }],
                });
                break;
            }
            match engine.round(&mut run, true).await {
                Ok(events) => scope::post(&Reply::Events { id, events }),
                // What was committed is known here: another engine goes on from it.
                Err(EngineError::Device(_)) if losses <= MAX_LOSSES => {
                    losses += 1;
                    (loaded, engine) = self.replace_engine(id, losses).await?;
                    engine.resume(&run);
                }
                Err(error) => return Err(error.failure()),
            }
            self.breathe().await;
        }
        drop(loaded);
        Ok(())
    }

    async fn distribution(
        &self,
        id: u32,
        pair: &str,
        model: Which,
        text: &str,
    ) -> Result<(), Failure> {
        let loaded = self.ready(id, pair).await?;
        let engine = loaded.engine.expect("ready() provides one");
        let probs = engine
            .distribution(model, text)
            .await
            .map_err(|error| error.failure())?;
        scope::post(&Reply::Distribution {
            id,
            distribution: Distribution::new(&probs),
        });
        Ok(())
    }

    async fn measure(&self, id: u32, settings: &Settings, pairs: u32) -> Result<(), Failure> {
        let loaded = self.ready(id, &settings.pair).await?;
        let engine = loaded.engine.expect("ready() provides one");
        let mut reported = None;
        let between = async |done: u32| {
            if reported != Some(done) {
                reported = Some(done);
                scope::post(&Reply::Measuring { id, done, pairs });
            }
            self.breathe().await;
            !self.stopped.borrow_mut().remove(&id)
        };
        let result = measure(&engine, settings, loaded.device, pairs, between)
            .await
            .map_err(|error| error.failure())?;
        match result {
            Some(measurement) => scope::post(&Reply::Measured { id, measurement }),
            None => scope::post(&Reply::Failed {
                id: Some(id),
                failure: Failure {
                    kind: FailureKind::Input,
                    field: None,
                    sentence: "The measurement was stopped.".to_owned(),
                },
            }),
        }
        Ok(())
    }

    /// The pair with a working engine; loads what is missing.
    async fn ready(&self, id: u32, pair: &str) -> Result<Loaded, Failure> {
        let usable = |loaded: &Loaded| loaded.pair.card.name == pair && loaded.engine.is_some();
        if !self.loaded.borrow().as_ref().is_some_and(usable) {
            self.load(id, pair, self.choice.get()).await?;
        }
        Ok(self.loaded.borrow().clone().expect("load() provides one"))
    }

    /// After a loss: the GPU again, or the CPU when it keeps failing.
    async fn replace_engine(&self, id: u32, losses: u32) -> Result<(Loaded, Rc<Engine>), Failure> {
        let pair = self
            .loaded
            .borrow()
            .as_ref()
            .map(|loaded| loaded.pair.clone())
            .expect("a run has a pair");
        let choice = if losses > MAX_LOSSES {
            BackendChoice::Cpu
        } else {
            self.choice.get()
        };
        let (engine, mut device) = ladder::climb(&pair, choice)
            .await
            .map_err(|error| error.failure())?;
        device
            .reason
            .get_or_insert_with(|| "The GPU was lost; the run went on with a new one.".to_owned());
        let engine = Rc::new(engine);
        let loaded = Loaded {
            pair: pair.clone(),
            engine: Some(engine.clone()),
            device: device.clone(),
        };
        *self.loaded.borrow_mut() = Some(loaded.clone());
        let info = pair.info().map_err(|error| error.failure())?;
        scope::post(&Reply::Loaded {
            id,
            pair: info,
            device,
        });
        Ok((loaded, engine))
    }

    /// Looks at the mailbox now and then, not after every round: a timer costs milliseconds.
    async fn breathe(&self) {
        if scope::now() - self.last_breath.get() > BREATH {
            scope::breathe().await;
            self.last_breath.set(scope::now());
        }
    }
}

async fn fetch_files(id: u32, name: &str, fresh: bool) -> Result<PairFiles, Failure> {
    let path = |file: &str| format!("{name}/{file}");
    let card = download::fetch(&path("model-card.json"), fresh, |_| ())
        .await
        .map_err(download_failure)?;
    let parsed: ModelCard = serde_json::from_slice(&card).map_err(|error| Failure {
        kind: FailureKind::Files,
        field: None,
        sentence: format!("{name}/model-card.json cannot be read: {error}."),
    })?;
    let entries: [&FileEntry; 5] = [
        &parsed.tokenizer,
        &parsed.draft.config,
        &parsed.draft.weights,
        &parsed.target.config,
        &parsed.target.weights,
    ];
    let total: u64 = entries.iter().map(|entry| entry.bytes as u64).sum();
    let mut received = 0;
    let mut files = Vec::new();
    for entry in entries {
        let report = |bytes: usize| {
            received += bytes as u64;
            scope::post(&Reply::Loading {
                id,
                stage: "Downloading the models".to_owned(),
                received,
                total,
            });
        };
        files.push(
            download::fetch(&path(&entry.path), fresh, report)
                .await
                .map_err(download_failure)?,
        );
    }
    let mut files = files.into_iter();
    let mut next = || files.next().unwrap_or_default();
    Ok(PairFiles {
        card,
        tokenizer: next(),
        draft_config: next(),
        draft_weights: next(),
        target_config: next(),
        target_weights: next(),
    })
}

fn download_failure(sentence: String) -> Failure {
    Failure {
        kind: FailureKind::Download,
        field: None,
        sentence,
    }
}
