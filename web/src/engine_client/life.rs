//! The worker's life: started, replaced when it dies, and heard.

use couplet_protocol::{BackendChoice, Command, Failure, FailureKind, Reply};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessageEvent, Worker};

use super::wire::{Live, NO_WORKER, Request, WORKER_SCRIPT, crash_failure, worker_url};
use super::{EngineClient, EngineState, reject};
use crate::browser::WAITS_MS;

/// An engine that has not started and of which nothing has come for so long never will: a slow phone
/// compiles it in a part of that. Nor does one end any more what it has not ended so long after a Stop.
const SILENCE_MS: u32 = 60_000;

/// An engine of which nothing has come for so long after a Stop never answers any more: it does so
/// between two passes of a model, which take a part of that on the slowest devices.
const STOP_LIMIT_MS: u32 = 10_500;

/// A timer that comes so much too late was held back with the page.
const OVERDUE_MS: f64 = 2_000.0;

impl EngineClient {
    /// Starts the worker and loads the pair.
    pub fn start(&self) {
        self.state.set(EngineState::Starting);
        self.inner().borrow_mut().misses = 0;
        if self.make_worker() {
            self.ask_for_pairs();
            self.enqueue_load();
        }
    }

    /// Makes a worker, in the place of one whose script did not come; false where that is a crash.
    fn make_worker(&self) -> bool {
        let client = *self;
        let generation = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.generation += 1;
            inner.started = false;
            inner.generation
        };
        let worker = match Worker::new(&worker_url()) {
            Ok(worker) => worker,
            Err(_) => {
                self.crash(generation, NO_WORKER);
                return false;
            }
        };
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if client.inner().borrow().generation != generation {
                return;
            }
            let text = event.data().as_string().unwrap_or_default();
            match serde_json::from_str::<Reply>(&text) {
                Ok(reply) => client.receive(generation, &reply),
                // Whoever waits for this answer would wait for ever.
                Err(_) => client.crash(generation, "The engine sent what cannot be read."),
            }
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            // A script that runs tells its error; one that does not come has none to tell.
            if event.is_instance_of::<ErrorEvent>() || client.inner().borrow().started {
                client.crash(generation, "The engine stopped unexpectedly.");
            } else {
                client.miss(generation);
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let live = Live {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        };
        let before = self.inner().borrow_mut().live.replace(live);
        if let Some(before) = before {
            end(before);
        }
        self.expect_more();
        true
    }

    /// Asks for the worker's script again, or tells that it cannot be had.
    fn miss(&self, generation: u32) {
        let client = *self;
        let is_awaited = move || client.inner().borrow().generation == generation;
        if !is_awaited() {
            return;
        }
        let wait = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.misses += 1;
            WAITS_MS.get(inner.misses - 1).copied()
        };
        let Some(wait) = wait else {
            let sentence = format!(
                "The engine could not be loaded ({WORKER_SCRIPT}). Check the connection and try again."
            );
            return self.fail(&Failure::new(FailureKind::Download, sentence));
        };
        let again = move || {
            if is_awaited() {
                client.make_worker();
            }
        };
        gloo_timers::callback::Timeout::new(wait, again).forget();
    }

    /// Has a worker that has not started let something be heard soon. How long its code takes in all
    /// is the line's business.
    fn expect_more(&self) {
        let sentence = "The engine did not start: nothing came any more.";
        self.limit_silence(SILENCE_MS, sentence);
    }

    /// Has the engine end a request, if it has it, and finds out whether it is alive: one that works
    /// answers a Stop at once, or after the pass in progress.
    pub(super) fn post_stop(&self, id: u32) {
        if self.inner().borrow().started {
            self.post(&Command::Stop { id });
            self.limit_silence(STOP_LIMIT_MS, "The engine did not answer.");
        }
    }

    /// Gives up an engine that answers and does not end what it was told to: one whose GPU hangs, say.
    pub(super) fn limit_ending(&self, id: u32) {
        let client = *self;
        let generation = self.inner().borrow().generation;
        let judge = move || {
            let is_there = {
                let inner = client.inner();
                let inner = inner.borrow();
                let mut all = inner.active.iter().chain(&inner.aside);
                all.any(|request| request.id == id)
            };
            if is_there {
                client.crash(generation, "The engine did not answer.");
            }
        };
        judge_in(SILENCE_MS, judge);
    }

    /// Finds out whether the engine is alive; what waits for one that is not is refused.
    pub fn probe(&self) {
        // Requests are counted from 1.
        self.post_stop(0);
        // Nothing stops that one, which takes a moment.
        let moment = {
            let inner = self.inner();
            let inner = inner.borrow();
            let is_short =
                |request: &&Request| matches!(request.command, Command::Distribution { .. });
            inner
                .active
                .as_ref()
                .filter(is_short)
                .map(|request| request.id)
        };
        if let Some(id) = moment {
            self.limit_ending(id);
        }
    }

    /// Gives the worker up, with a sentence, if nothing is heard of it for so many milliseconds from
    /// now on.
    fn limit_silence(&self, milliseconds: u32, sentence: &'static str) {
        let client = *self;
        let heard = move || {
            let inner = client.inner();
            let inner = inner.borrow();
            (inner.generation, inner.heard)
        };
        let before = heard();
        let judge = move || {
            if heard() == before {
                client.crash(before.0, sentence);
            }
        };
        judge_in(milliseconds, judge);
    }

    /// Ends the worker and starts a new one.
    pub fn restart(&self) {
        self.trouble.set(None);
        self.drop_worker(&crash_failure("The engine was started again."));
        // Unless somebody who was told of the failure has started it.
        if !self.is_alive() {
            self.start();
        }
    }

    /// Restarts on another engine, with the pair that the page shows.
    pub fn restart_with(&self, backend: BackendChoice, pair: &str) {
        self.inner().borrow_mut().backend = backend;
        self.restart_for(pair);
    }

    fn receive(&self, generation: u32, reply: &Reply) {
        let started = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.heard += 1;
            inner.started
        };
        match reply {
            Reply::Alive if started => {}
            Reply::Alive => self.expect_more(),
            Reply::Started => {
                self.inner().borrow_mut().started = true;
                self.pump();
                self.post_aside();
            }
            // Without the device or its own code the worker is of no use, but it has not crashed.
            Reply::Failed { id: None, failure }
                if matches!(failure.kind, FailureKind::Device | FailureKind::Download) =>
            {
                self.fail(failure);
            }
            Reply::Failed { id: None, failure } => self.crash(generation, &failure.sentence),
            reply => self.answer(generation, reply),
        }
    }

    pub(super) fn crash(&self, generation: u32, sentence: &str) {
        if self.inner().borrow().generation != generation {
            return;
        }
        let first = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.restarts += 1;
            inner.restarts == 1
        };
        self.drop_worker(&crash_failure(sentence));
        if first {
            self.trouble.set(Some(format!(
                "{sentence} It was started again; the text and settings are kept."
            )));
            if !self.is_alive() {
                self.start();
            }
        } else {
            self.trouble
                .set(Some(format!("{sentence} The text and settings are kept.")));
            if !self.is_alive() {
                self.state.set(EngineState::Crashed);
            }
        }
    }

    /// Ends a worker that has no device or lacks its own code.
    pub(super) fn fail(&self, failure: &Failure) {
        self.drop_worker(failure);
        if !self.is_alive() {
            self.state.set(EngineState::Failed(failure.clone()));
        }
    }

    /// Ends the worker and fails all that was asked of it. Who hears of that may ask again, and then
    /// has another worker started.
    pub(super) fn drop_worker(&self, failure: &Failure) {
        let (live, requests) = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            let inner = &mut *inner;
            inner.generation += 1;
            inner.started = false;
            let requests: Vec<Request> = inner
                .active
                .take()
                .into_iter()
                .chain(inner.queue.drain(..))
                .chain(inner.aside.drain(..))
                .collect();
            (inner.live.take(), requests)
        };
        if let Some(live) = live {
            end(live);
        }
        self.pair.set(None);
        self.tell_waiters(&Err(failure.clone()));
        reject(requests, failure);
    }
}

/// Has an engine judged in so many milliseconds. A page that slept meanwhile, as phones let those sleep
/// that nobody looks at, gives the engine as many once more: it may have slept too.
fn judge_in(milliseconds: u32, judge: impl FnOnce() + 'static) {
    let due = js_sys::Date::now() + f64::from(milliseconds);
    let wake = move || {
        if js_sys::Date::now() > due + OVERDUE_MS {
            gloo_timers::callback::Timeout::new(milliseconds, judge).forget();
        } else {
            judge();
        }
    };
    gloo_timers::callback::Timeout::new(milliseconds, wake).forget();
}

/// Ends a worker.
fn end(live: Live) {
    live.worker.set_onmessage(None);
    live.worker.set_onerror(None);
    live.worker.terminate();
    // Freed later: one of these closures may be what is running.
    gloo_timers::callback::Timeout::new(0, move || drop(live)).forget();
}
