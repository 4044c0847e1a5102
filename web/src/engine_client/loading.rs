//! Which pair is loaded, and which is on its way.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use couplet_protocol::{Command, Reply, Settings};
use leptos::prelude::*;

use super::wire::Request;
use super::{EngineClient, EngineState};

/// Whether it is about a pair, which is loaded before.
fn needs_pair(command: &Command) -> bool {
    matches!(
        command,
        Command::Generate { .. } | Command::Distribution { .. } | Command::Bench { .. }
    )
}

impl EngineClient {
    /// Loads the pair again after a failed download, with another worker where there is none.
    pub fn retry(&self) {
        if !self.is_alive() {
            self.restart();
        } else {
            self.ask_for_pairs();
            self.enqueue_load();
        }
    }

    /// Has the engine get the pair ready that the page shows, where it has failed to or is on its way
    /// to another that nobody else waits for: since that one was chosen, a run of this one may have
    /// been put back.
    pub fn bring(&self, pair: &str) {
        let is_other = self.is_other(pair);
        match self.state.get_untracked() {
            EngineState::Failed(_) | EngineState::Crashed if is_other => self.choose(pair),
            EngineState::Failed(_) => self.retry(),
            EngineState::Crashed => self.restart(),
            EngineState::Starting | EngineState::Loading { .. }
                if is_other && !self.has_requests() =>
            {
                self.choose(pair);
            }
            EngineState::Starting | EngineState::Loading { .. } | EngineState::Ready => {}
        }
    }

    /// Starts the engine again, with the pair that the page shows.
    pub fn restart_for(&self, pair: &str) {
        if self.is_other(pair) {
            self.inner().borrow_mut().pair = pair.to_owned();
        }
        self.restart();
    }

    /// Whether a pair that there is, is not the one that was asked for last.
    fn is_other(&self, pair: &str) -> bool {
        self.inner().borrow().pair != pair && self.unknown_pair(pair).is_none()
    }

    /// Whether something waits for the pair that is on its way.
    fn has_requests(&self) -> bool {
        let inner = self.inner();
        let inner = inner.borrow();
        let mut requests = inner.active.iter().chain(&inner.queue);
        let asks_for_more =
            requests.any(|request| !matches!(request.command, Command::Load { .. }));
        asks_for_more || !inner.waiters.is_empty()
    }

    /// Loads another pair. Loads that it makes pointless are given up: those after which nothing
    /// waits that needs their pair.
    pub fn choose(&self, pair: &str) {
        let given_up = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.pair = pair.to_owned();
            let is_load = |request: &Request| matches!(request.command, Command::Load { .. });
            // From the last on: what stands after a load, up to the next one, is about its pair.
            let mut is_needed = false;
            let mut left = VecDeque::new();
            while let Some(request) = inner.queue.pop_back() {
                if is_load(&request) {
                    if mem::take(&mut is_needed) {
                        left.push_front(request);
                    }
                } else {
                    is_needed |= needs_pair(&request.command);
                    left.push_front(request);
                }
            }
            inner.queue = left;
            inner
                .active
                .as_ref()
                .filter(|request| !is_needed && is_load(request))
                .map(|request| request.id)
        };
        if let Some(id) = given_up {
            self.post_stop(id);
            self.limit_ending(id);
        }
        self.retry();
    }

    pub(super) fn enqueue_load(&self) {
        let client = *self;
        let (pair, backend, load) = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.loads += 1;
            (inner.pair.clone(), inner.backend, inner.loads)
        };
        let is_usual = pair == Settings::default().pair;
        // A load that another one has followed says nothing about what the page waits for.
        let is_newest = move || client.inner().borrow().loads == load;
        self.state.set(EngineState::Loading {
            stage: "Live models".to_owned(),
            received: 0,
            total: 0,
        });
        self.enqueue(
            |id| Command::Load { id, pair, backend },
            move |reply| match reply {
                Reply::Loading {
                    stage,
                    received,
                    total,
                    ..
                } if is_newest() => {
                    client.state.set(EngineState::Loading {
                        stage: stage.clone(),
                        received: *received,
                        total: *total,
                    });
                }
                Reply::Loaded { pair, device, .. } => {
                    client.pair.set(Some(Arc::new(pair.clone())));
                    client.device.set(Some(device.clone()));
                    if is_newest() {
                        client.state.set(EngineState::Ready);
                        client.tell_waiters(&Ok(()));
                        // A list that could not be had before the models may come now.
                        client.ask_for_pairs();
                    }
                }
                Reply::Failed { failure, .. } if is_newest() => {
                    client.pair.set(None);
                    client.reject_waiting(failure);
                    let failure = failure.clone();
                    let generation = client.inner().borrow().generation;
                    let fail = move || {
                        let is_same = client.inner().borrow().generation == generation;
                        if is_newest() && is_same {
                            client.state.set(EngineState::Failed(failure.clone()));
                            client.tell_waiters(&Err(failure));
                        }
                    };
                    // Where the list of pairs has no such one, the usual one is asked for then.
                    match is_usual || !client.is_alive() {
                        true => fail(),
                        false => client.once_pairs_are_known(fail),
                    }
                }
                _ => {}
            },
        );
    }
}
