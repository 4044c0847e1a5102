//! Which pair is loaded, and which is on its way.

use std::sync::Arc;

use couplet_protocol::{Command, Reply};
use leptos::prelude::*;

use super::{EngineClient, EngineState};

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

    /// Loads another pair. Loads that it makes pointless are given up.
    pub fn choose(&self, pair: &str) {
        let given_up = {
            let inner = self.inner();
            let mut inner = inner.borrow_mut();
            inner.pair = pair.to_owned();
            let is_load = |command: &Command| matches!(command, Command::Load { .. });
            inner.queue.retain(|request| !is_load(&request.command));
            inner
                .active
                .as_ref()
                .filter(|request| is_load(&request.command))
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
                    client.state.set(EngineState::Failed(failure.clone()));
                    client.tell_waiters(&Err(failure.clone()));
                    client.reject_waiting(failure);
                }
                _ => {}
            },
        );
    }
}
