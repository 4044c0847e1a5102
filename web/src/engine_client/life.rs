//! The worker's life: started, replaced when it dies, and heard.

use couplet_protocol::{BackendChoice, Failure, FailureKind, Reply};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker};

use super::wire::{Live, NO_WORKER, Request, crash_failure, worker_url};
use super::{EngineClient, EngineState, reject};

/// An engine that has not started and of which nothing has come for so long never will: a slow phone
/// compiles it in a part of that.
const SILENCE_MS: u32 = 60_000;

impl EngineClient {
    /// Starts the worker and loads the pair.
    pub fn start(&self) {
        self.state.set(EngineState::Starting);
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
                return;
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
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            client.crash(generation, "The engine stopped unexpectedly.");
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        self.inner().borrow_mut().live = Some(Live {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        });
        self.limit_silence(generation);
        self.ask_for_pairs();
        self.enqueue_load();
    }

    /// Gives the worker up if it neither starts nor lets anything be heard from now on. How long its
    /// code takes in all is the line's business.
    fn limit_silence(&self, generation: u32) {
        let client = *self;
        let heard = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.heard += 1;
            inner.heard
        };
        gloo_timers::callback::Timeout::new(SILENCE_MS, move || {
            let is_silent = {
                let inner = client.inner();
                let inner = inner.borrow();
                !inner.started && inner.heard == heard
            };
            if is_silent {
                client.crash(
                    generation,
                    "The engine did not start: nothing came any more.",
                );
            }
        })
        .forget();
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

    /// Restarts on another engine.
    pub fn restart_with(&self, backend: BackendChoice) {
        self.inner().borrow_mut().backend = backend;
        self.restart();
    }

    fn receive(&self, generation: u32, reply: &Reply) {
        match reply {
            Reply::Arriving => self.limit_silence(generation),
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
            live.worker.set_onmessage(None);
            live.worker.set_onerror(None);
            live.worker.terminate();
            // Freed later: one of these closures may be what is running.
            gloo_timers::callback::Timeout::new(0, move || drop(live)).forget();
        }
        self.pair.set(None);
        self.tell_waiters(&Err(failure.clone()));
        reject(requests, failure);
    }
}
