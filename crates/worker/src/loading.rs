//! A pair and an engine for it: fetched, put on the highest rung that works, and put there again after
//! a loss.

use std::cell::Cell;
use std::rc::Rc;

use couplet_engine::{EngineError, Pair, PairFiles, Run};
use couplet_kernels::DeviceError;
use couplet_model::{FileEntry, ModelCard};
use couplet_protocol::{
    BackendChoice, BackendKind, Drafter, Failure, FailureKind, Reply, Settings,
};
use futures_util::future::{join, join_all};

use crate::download::{self, Stage, Watcher};
use crate::ladder::{self, Gpu};
use crate::scope;
use crate::session::{Loaded, MAX_LOSSES, Session};

impl Session {
    pub(crate) async fn load(
        &self,
        id: u32,
        name: &str,
        choice: BackendChoice,
    ) -> Result<(), Failure> {
        let settings = Settings {
            pair: name.to_owned(),
            ..Settings::default()
        };
        settings
            .check()
            .map_err(|error| EngineError::from(error).failure())?;
        self.choice.set(Some(choice));
        let known = self
            .loaded
            .borrow()
            .clone()
            .filter(|loaded| loaded.pair.card.name == name);
        if let Some(loaded) = known.as_ref().filter(|known| known.choice == choice) {
            if loaded.is_lost() {
                return self.replace_engine(id, 1, None).await.map(drop);
            }
            let pair = loaded.pair.info().map_err(|error| error.failure())?;
            let device = loaded.device.clone();
            scope::post(&Reply::Loaded { id, pair, device });
            return Ok(());
        }
        // A GPU can get ready while nothing but the line is busy.
        let gpu = ladder::open_gpu(choice, name, &self.connection);
        let (pair, gpu) = match known {
            Some(known) => (known.pair, gpu.await),
            None => {
                let (pair, gpu) = join(self.fetch_pair(id, name), gpu).await;
                (Rc::new(pair?), gpu)
            }
        };
        let total = pair
            .card
            .downloads()
            .iter()
            .map(|entry| entry.bytes as u64)
            .sum();
        scope::post(&Reply::Loading {
            id,
            stage: "Live models get ready".to_owned(),
            received: total,
            total,
        });
        self.install(id, pair, gpu, false).await.map(drop)
    }

    /// Puts a pair on the highest rung that works, in the place of a GPU that was lost or not, and
    /// tells the page.
    async fn install(
        &self,
        id: u32,
        pair: Rc<Pair>,
        gpu: Option<Result<Gpu, DeviceError>>,
        was_lost: bool,
    ) -> Result<Loaded, Failure> {
        let (engine, mut device) = ladder::climb(&pair, gpu, &self.connection, &self.stillness)
            .await
            .map_err(|error| error.failure())?;
        if was_lost {
            let lost = match device.backend {
                BackendKind::Gpu => "The GPU was lost; there is a new connection to it.",
                BackendKind::Cpu => "The GPU was lost; the CPU computes instead.",
            };
            device.reason.get_or_insert_with(|| lost.to_owned());
        }
        let info = pair.info().map_err(|error| error.failure())?;
        let loaded = Loaded {
            pair,
            choice: self.choice.get().unwrap_or_default(),
            engine: Rc::new(engine),
            device: device.clone(),
            miscounts: Rc::default(),
        };
        *self.loaded.borrow_mut() = Some(loaded.clone());
        scope::post(&Reply::Loaded {
            id,
            pair: info,
            device,
        });
        Ok(loaded)
    }

    /// The pair's files, from an earlier visit or from the network.
    async fn fetch_pair(&self, id: u32, name: &str) -> Result<Pair, Failure> {
        let folder = format!("pairs/{name}/");
        let gave_up = || self.is_stopped(id);
        let breaks = || post_loading(id, Stage::Broken, 0, 0);
        let bytes = download::small(&format!("{folder}model-card.json"), &gave_up, breaks).await?;
        let card: ModelCard = serde_json::from_slice(&bytes)
            .map_err(|error| unreadable(&format!("{folder}model-card.json"), &error))?;
        let entries = card.downloads();
        let fetched = self.fetch_all(id, &folder, &entries).await?;
        let mut fetched = fetched.into_iter();
        let mut next = || fetched.next().unwrap_or_default();
        let files = PairFiles {
            card: bytes,
            tokenizer: next(),
            draft_config: next(),
            draft_weights: next(),
            target_config: next(),
            target_weights: next(),
        };
        let pair = Pair::new(files).map_err(|error| error.failure())?;
        let hashes: Vec<String> = entries
            .into_iter()
            .chain(pair.card.bigram.as_ref())
            .map(|entry| entry.sha256.clone())
            .collect();
        wasm_bindgen_futures::spawn_local(async move {
            let hashes: Vec<&str> = hashes.iter().map(String::as_str).collect();
            download::tidy(&folder, &hashes).await;
        });
        Ok(pair)
    }

    /// Files of the pair in `folder`, all at once: one after another, each would wait for an
    /// answer first.
    async fn fetch_all(
        &self,
        id: u32,
        folder: &str,
        entries: &[&FileEntry],
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let loading = Loading::new(self, id, entries);
        let fetches = entries.iter().enumerate().map(|(index, entry)| {
            let loading = &loading;
            async move {
                let watcher = FileLoading { loading, index };
                self.downloads.file(folder, entry, &watcher).await
            }
        });
        let fetched = join_all(fetches).await;
        if fetched.iter().all(Result::is_ok) {
            return fetched.into_iter().collect();
        }
        // What one of them cannot have, the others do not lose, also where the browser keeps nothing
        // or only says that it does.
        let mut trouble = Vec::new();
        for (entry, file) in entries.iter().zip(fetched) {
            match file {
                Ok(bytes) if !self.is_stopped(id) => {
                    self.downloads.put_back(entry, &bytes);
                }
                Ok(_) => {}
                Err(failure) => trouble.push(failure),
            }
        }
        Err(trouble.swap_remove(0))
    }

    /// Fetches what a drafter needs besides the models: they arrive with the pair, the bigram
    /// table only when somebody asks for it.
    pub(crate) async fn provide_drafter(
        &self,
        id: u32,
        loaded: &Loaded,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let engine = &loaded.engine;
        if settings.drafter != Drafter::Bigram || engine.has_bigram() {
            return Ok(());
        }
        let card = &loaded.pair.card;
        let entry = card
            .bigram
            .as_ref()
            .ok_or_else(|| EngineError::NoBigram.failure())?;
        let folder = format!("pairs/{}/", card.name);
        let bytes = self.fetch_all(id, &folder, &[entry]).await?.concat();
        let table = loaded
            .pair
            .bigram(&bytes)
            .map_err(|error| error.failure())?;
        engine.set_bigram(&table);
        Ok(())
    }

    /// The pair with a working engine; loads what is missing.
    pub(crate) async fn ready(&self, id: u32, pair: &str) -> Result<Loaded, Failure> {
        let usable = |loaded: &Loaded| loaded.pair.card.name == pair && !loaded.is_lost();
        if !self.loaded.borrow().as_ref().is_some_and(usable) {
            self.load(id, pair, self.choice.get().unwrap_or_default())
                .await?;
        }
        Ok(self.loaded.borrow().clone().expect("load() provides one"))
    }

    /// What a run goes on with after a loss, from what is written of it where it has begun.
    pub(crate) async fn recover(
        &self,
        id: u32,
        losses: &mut u32,
        mut error: DeviceError,
        settings: &Settings,
        mut written: Option<&mut Run>,
    ) -> Result<Loaded, Failure> {
        loop {
            *losses += 1;
            let loaded = self.replace_engine(id, *losses, Some(error)).await?;
            self.provide_drafter(id, &loaded, settings).await?;
            let Some(run) = written.as_deref_mut() else {
                return Ok(loaded);
            };
            let resumed = loaded.engine.resume(run);
            match scope::patiently(loaded.engine.device(), resumed).await {
                Ok(()) => return Ok(loaded),
                Err(EngineError::Device(again))
                    if *losses <= MAX_LOSSES && !self.is_stopped(id) =>
                {
                    error = again;
                }
                Err(other) => return Err(other.failure()),
            }
        }
    }

    /// After a loss: the GPU again, or the CPU when it keeps failing or `error` is that it computes
    /// something else, which it would do again.
    pub(crate) async fn replace_engine(
        &self,
        id: u32,
        losses: u32,
        error: Option<DeviceError>,
    ) -> Result<Loaded, Failure> {
        let pair = self
            .loaded
            .borrow()
            .as_ref()
            .map(|loaded| loaded.pair.clone())
            .expect("what was lost had a pair");
        let choice = if losses > MAX_LOSSES {
            BackendChoice::Cpu
        } else {
            self.choice.get().unwrap_or_default()
        };
        // Where it only refused something, it still has its memory.
        self.connection.give_up();
        let gpu = match error {
            Some(error @ DeviceError::Differs) => Some(Err(error)),
            _ => ladder::open_gpu(choice, &pair.card.name, &self.connection).await,
        };
        self.install(id, pair, gpu, true).await
    }
}

/// What is said of a file that is there and makes no sense.
pub(crate) fn unreadable(path: &str, error: &serde_json::Error) -> Failure {
    if !error.is_data() {
        return download::something_else(path);
    }
    let sentence = format!("{path} cannot be read: {error}.");
    Failure::new(FailureKind::Files, sentence)
}

/// Tells the page what is happening to a pair on its way; `total` is 0 as long as nobody knows it.
fn post_loading(id: u32, stage: Stage, received: u64, total: u64) {
    let stage = match stage {
        Stage::Kept => "Live models, kept from the last visit",
        Stage::Arriving => "Live models arrive",
        Stage::Broken => "The connection broke and is tried again",
    };
    scope::post(&Reply::Loading {
        id,
        stage: stage.to_owned(),
        received,
        total,
    });
}

/// Tells the page how far several files have come.
struct Loading<'a> {
    session: &'a Session,
    id: u32,
    /// Bytes of each file that have arrived.
    received: Vec<Cell<u64>>,
    total: u64,
}

impl<'a> Loading<'a> {
    fn new(session: &'a Session, id: u32, entries: &[&FileEntry]) -> Self {
        Self {
            session,
            id,
            received: entries.iter().map(|_| Cell::default()).collect(),
            total: entries.iter().map(|entry| entry.bytes as u64).sum(),
        }
    }
}

/// One of these files.
struct FileLoading<'a> {
    loading: &'a Loading<'a>,
    index: usize,
}

impl Watcher for FileLoading<'_> {
    fn progress(&self, stage: Stage, received: usize) {
        let loading = self.loading;
        loading.received[self.index].set(received as u64);
        let received = loading.received.iter().map(Cell::get).sum();
        post_loading(loading.id, stage, received, loading.total);
    }

    fn gave_up(&self) -> bool {
        let Loading { session, id, .. } = self.loading;
        session.is_stopped(*id)
    }
}
