//! The page's end of the wire to the engine: one worker, one queue of requests.
//!
//! Requests that need the models are answered one after another, others beside them. Every request
//! gets a last reply: its own, or a failure when the worker dies. Only loads of a pair that somebody
//! has left since are dropped without one.

mod life;
mod loading;
mod wire;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use couplet_playback::tr;
use couplet_protocol::{
    BackendChoice, Command, DeviceInfo, Failure, FailureKind, PairInfo, PairSummary, Reply,
};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

pub use wire::reply_id;
use wire::{Inner, NO_WORKER, Request, Sink, Waiter, crash_failure, is_last, stopped_reply};

use crate::permalink;

/// How the engine is.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineState {
    /// The worker is being started.
    Starting,
    /// A pair is on its way.
    Loading {
        /// What is happening, as the engine says it.
        stage: String,
        /// Bytes received.
        received: u64,
        /// Bytes in all.
        total: u64,
    },
    /// A pair is loaded.
    Ready,
    /// Loading failed, or the device is gone.
    Failed(Failure),
    /// The worker died and was not started again by itself.
    Crashed,
}

impl EngineState {
    /// Whether what needs no models may be computed unasked: not while they get ready, when kernels
    /// are timed that would be disturbed.
    pub fn is_idle(&self) -> bool {
        match self {
            Self::Ready => true,
            Self::Failed(failure) => failure.kind != FailureKind::Device,
            Self::Starting | Self::Loading { .. } | Self::Crashed => false,
        }
    }
}

/// Handle to the engine; copies are the same engine.
#[derive(Clone, Copy)]
pub struct EngineClient {
    inner: StoredValue<Rc<RefCell<Inner>>, LocalStorage>,
    /// How it is.
    pub state: RwSignal<EngineState>,
    /// The loaded pair.
    pub pair: RwSignal<Option<Arc<PairInfo>>>,
    /// Where it runs.
    pub device: RwSignal<Option<DeviceInfo>>,
    /// What can be loaded.
    pub pairs: RwSignal<Vec<PairSummary>>,
    /// What the person should know about a crash.
    pub trouble: RwSignal<Option<String>>,
}

impl EngineClient {
    /// A client without a worker; [`Self::start`] makes one.
    pub fn new(pair: &str, backend: BackendChoice) -> Self {
        let inner = Inner {
            pair: pair.to_owned(),
            backend,
            ..Inner::default()
        };
        Self {
            inner: StoredValue::new_local(Rc::new(RefCell::new(inner))),
            state: RwSignal::new(EngineState::Starting),
            pair: RwSignal::new(None),
            device: RwSignal::new(None),
            pairs: RwSignal::new(Vec::new()),
            trouble: RwSignal::new(None),
        }
    }

    fn inner(&self) -> Rc<RefCell<Inner>> {
        self.inner.get_value()
    }

    /// Tells what is wrong with a request, once the caller has its number.
    fn refuse(&self, failure: Failure, mut sink: impl FnMut(&Reply) + 'static) -> u32 {
        let id = self.next_id();
        gloo_timers::callback::Timeout::new(0, move || {
            sink(&Reply::Failed {
                id: Some(id),
                failure,
            });
        })
        .forget();
        id
    }

    fn next_id(&self) -> u32 {
        let inner = self.inner();
        let mut inner = inner.borrow_mut();
        inner.last_id += 1;
        inner.last_id
    }

    fn enqueue(
        &self,
        command: impl FnOnce(u32) -> Command,
        sink: impl FnMut(&Reply) + 'static,
    ) -> u32 {
        let id = self.next_id();
        self.inner().borrow_mut().queue.push_back(Request {
            id,
            command: command(id),
            sink: Box::new(sink),
        });
        self.pump();
        id
    }

    /// Starts the engine again if there is none, so that what is asked is answered; false where no
    /// worker can be made, and nobody would answer.
    fn wake(&self) -> bool {
        if !self.is_alive() {
            self.restart();
        }
        self.is_alive()
    }

    fn is_alive(&self) -> bool {
        self.inner().borrow().live.is_some()
    }

    /// Calls back once the page knows which pairs there are, or that nobody can say; in the order
    /// of the calls.
    pub fn when_pairs_are_known(&self, waiter: impl FnOnce(Result<(), Failure>) + 'static) {
        if self.wake() {
            self.ask_for_pairs();
        }
        self.await_pairs(Box::new(waiter), Err(crash_failure(NO_WORKER)));
    }

    fn pairs_are_known(&self) -> bool {
        self.pairs.with_untracked(|pairs| !pairs.is_empty())
    }

    /// Whether the list of pairs is on its way.
    fn pairs_are_asked_for(&self) -> bool {
        let inner = self.inner();
        let inner = inner.borrow();
        let is_it = |request: &Request| matches!(request.command, Command::Pairs { .. });
        inner.aside.iter().any(is_it)
    }

    fn ask_for_pairs(&self) {
        if self.pairs_are_known() || self.pairs_are_asked_for() {
            return;
        }
        let client = *self;
        self.ask_aside(
            |id| Command::Pairs { id },
            move |reply| {
                let result = match reply {
                    Reply::Pairs { pairs, .. } => {
                        client.pairs.set(pairs.clone());
                        Ok(())
                    }
                    Reply::Failed { failure, .. } => Err(failure.clone()),
                    _ => return,
                };
                // Later: who goes on may need another worker, and this one may just be dropped.
                let tell = move || {
                    let waiters = std::mem::take(&mut client.inner().borrow_mut().pairs_waiters);
                    for waiter in waiters {
                        client.await_pairs(waiter, result.clone());
                    }
                };
                gloo_timers::callback::Timeout::new(0, tell).forget();
            },
        );
    }

    /// Goes on once a list that is on its way is here, or cannot be had; at once where none is.
    pub(super) fn once_pairs_are_known(&self, then: impl FnOnce() + 'static) {
        self.await_pairs(Box::new(|_| then()), Ok(()));
    }

    /// Lets somebody wait, or go on with a result where no list is on its way.
    fn await_pairs(&self, waiter: Waiter, result: Result<(), Failure>) {
        let known = self.pairs_are_known();
        let in_line = !self.inner().borrow().pairs_waiters.is_empty();
        if in_line || (!known && self.pairs_are_asked_for()) {
            self.inner().borrow_mut().pairs_waiters.push(waiter);
        } else {
            waiter(if known { Ok(()) } else { result });
        }
    }

    /// A request that needs no pair of models, `Couple` or `CountRounds`: it does not wait for
    /// the queue, so that a scene without models works while they arrive.
    pub fn request_aside(
        &self,
        command: impl FnOnce(u32) -> Command,
        sink: impl FnMut(&Reply) + 'static,
    ) -> u32 {
        if !self.wake() {
            return self.refuse(crash_failure(NO_WORKER), sink);
        }
        self.ask_aside(command, sink)
    }

    /// Asks beside the queue, as soon as there is a worker.
    fn ask_aside(
        &self,
        command: impl FnOnce(u32) -> Command,
        sink: impl FnMut(&Reply) + 'static,
    ) -> u32 {
        let id = self.next_id();
        let command = command(id);
        let started = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.aside.push(Request {
                id,
                command: command.clone(),
                sink: Box::new(sink),
            });
            inner.started
        };
        if started {
            self.post(&command);
        }
        id
    }

    /// Posts what was asked for before the worker had started.
    fn post_aside(&self) {
        let inner = self.inner();
        let commands: Vec<Command> = inner
            .borrow()
            .aside
            .iter()
            .map(|request| request.command.clone())
            .collect();
        for command in &commands {
            self.post(command);
        }
    }

    /// Gives a reply to the request beside the queue that it belongs to, if it does.
    fn answer_aside(&self, reply: &Reply) -> bool {
        let request = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            let id = reply_id(reply);
            let place = inner
                .aside
                .iter()
                .position(|request| Some(request.id) == id);
            place.map(|place| inner.aside.swap_remove(place))
        };
        let Some(mut request) = request else {
            return false;
        };
        // All of these have one reply.
        (request.sink)(reply);
        true
    }

    /// Queues a request, with the pair loaded before. `sink` sees every reply to it; the last one
    /// ends it.
    pub fn request_with_pair(
        &self,
        pair: &str,
        command: impl FnOnce(u32) -> Command,
        sink: impl FnMut(&Reply) + 'static,
    ) -> u32 {
        if let Some(failure) = self.unknown_pair(pair) {
            return self.refuse(failure, sink);
        }
        if !self.wake() {
            return self.refuse(crash_failure(NO_WORKER), sink);
        }
        let expected =
            {
                let inner = self.inner();
                let inner = inner.borrow();
                let pending =
                    inner.active.iter().chain(&inner.queue).rev().find_map(
                        |request| match &request.command {
                            Command::Load { pair, .. } => Some(pair.clone()),
                            _ => None,
                        },
                    );
                pending.or_else(|| {
                    self.pair
                        .with_untracked(|pair| pair.as_ref().map(|pair| pair.name.clone()))
                })
            };
        if expected.as_deref() != Some(pair) {
            self.inner().borrow_mut().pair = pair.to_owned();
            self.enqueue_load();
        }
        self.enqueue(command, sink)
    }

    /// What is wrong with a pair that the page does not have: that of a run from a file, say. An
    /// engine that went for it would lose the one that it has.
    pub fn unknown_pair(&self, name: &str) -> Option<Failure> {
        let is_missing = self.pairs.with_untracked(|pairs| {
            !pairs.is_empty() && pairs.iter().all(|pair| pair.name != name)
        });
        is_missing.then(|| Failure {
            kind: FailureKind::Input,
            field: Some("pair".to_owned()),
            sentence: tr!(
                "this page does not have the pair “{name}”; choose another",
                name = permalink::shorten(name)
            ),
        })
    }

    /// Ends a run or a measurement; one that the engine does not have yet, it never gets.
    pub fn stop(&self, id: u32) {
        let waiting = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            let is_it = |request: &Request| request.id == id;
            let queued = inner.queue.iter().position(is_it);
            let aside = inner.aside.iter().position(is_it);
            match (queued, aside) {
                (Some(place), _) => inner.queue.remove(place),
                (None, Some(place)) if !inner.started => Some(inner.aside.swap_remove(place)),
                (None, _) => None,
            }
        };
        let Some(mut request) = waiting else {
            self.post_stop(id);
            return self.limit_ending(id);
        };
        // What it waits for may wait for an engine that is dead.
        self.probe();
        let reply = stopped_reply(&request);
        (request.sink)(&reply);
    }

    /// Calls back once the pair is ready or has failed.
    pub fn when_ready(&self, waiter: impl FnOnce(Result<(), Failure>) + 'static) {
        match self.state.get_untracked() {
            EngineState::Ready => waiter(Ok(())),
            EngineState::Failed(failure) => waiter(Err(failure)),
            EngineState::Crashed => waiter(Err(crash_failure("The engine stopped unexpectedly."))),
            EngineState::Starting | EngineState::Loading { .. } => {
                self.inner().borrow_mut().waiters.push(Box::new(waiter));
            }
        }
    }

    fn tell_waiters(&self, result: &Result<(), Failure>) {
        let waiters = std::mem::take(&mut self.inner().borrow_mut().waiters);
        for waiter in waiters {
            waiter(result.clone());
        }
    }

    fn reject_waiting(&self, failure: &Failure) {
        let waiting = std::mem::take(&mut self.inner().borrow_mut().queue);
        reject(waiting, failure);
    }

    fn answer(&self, generation: u32, reply: &Reply) {
        if self.answer_aside(reply) {
            return;
        }
        let loads = {
            let inner = self.inner();
            let inner = inner.borrow();
            let active = inner.active.as_ref();
            let Some(request) = active.filter(|request| reply_id(reply) == Some(request.id)) else {
                return;
            };
            matches!(request.command, Command::Load { .. })
        };
        let last = match reply {
            // A run that lost its device goes on: the engine tells where.
            Reply::Loaded { pair, device, .. } if !loads => {
                self.pair.set(Some(Arc::new(pair.clone())));
                self.device.set(Some(device.clone()));
                false
            }
            reply => is_last(reply),
        };
        if !last {
            self.tell_active(reply);
            return;
        }
        let request = self.inner().borrow_mut().active.take();
        if let Some(mut request) = request {
            (request.sink)(reply);
        }
        match reply {
            Reply::Failed { failure, .. } if failure.kind == FailureKind::Internal => {
                self.crash(generation, &failure.sentence);
            }
            // Without one the worker is of no use. Where a run or a measurement loses it, the worker
            // looks for another by itself.
            Reply::Failed { failure, .. } if loads && failure.kind == FailureKind::Device => {
                self.fail(failure);
            }
            _ => self.pump(),
        }
    }

    /// Gives the active request a reply that is not its last. It stays the active one meanwhile: what
    /// its sink asks for has to wait.
    fn tell_active(&self, reply: &Reply) {
        let nobody = || -> Sink { Box::new(|_| {}) };
        let taken = self
            .inner()
            .borrow_mut()
            .active
            .as_mut()
            .map(|request| (request.id, std::mem::replace(&mut request.sink, nobody())));
        let Some((id, mut sink)) = taken else { return };
        sink(reply);
        let inner = self.inner();
        let mut inner = inner.borrow_mut();
        if let Some(request) = inner.active.as_mut().filter(|request| request.id == id) {
            request.sink = sink;
        }
    }

    fn pump(&self) {
        let next = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            if !inner.started || inner.active.is_some() || inner.live.is_none() {
                return;
            }
            let Some(request) = inner.queue.pop_front() else {
                return;
            };
            let command = request.command.clone();
            inner.active = Some(request);
            command
        };
        self.post(&next);
    }

    fn post(&self, command: &Command) {
        let Ok(text) = serde_json::to_string(command) else {
            return;
        };
        if let Some(live) = &self.inner().borrow().live {
            let _ = live.worker.post_message(&JsValue::from_str(&text));
        }
    }
}

fn reject(requests: impl IntoIterator<Item = Request>, failure: &Failure) {
    for mut request in requests {
        (request.sink)(&Reply::Failed {
            id: Some(request.id),
            failure: failure.clone(),
        });
    }
}
