//! A count that is asked for slice by slice, so that its texts are seen to come.

use couplet_protocol::{RoundsCounted, RoundsRequest};
use leptos::prelude::*;

use super::counting::ask;
use crate::errors::Said;
use crate::store::Store;

/// Texts of the first slice of a count, of which nobody knows yet how long they take.
const FIRST: u64 = 500;

/// Texts of a slice at least.
const LEAST: u64 = 125;

/// Milliseconds below which the next slice is twice as large.
const QUICK: f64 = 200.0;

/// Milliseconds above which the next slice is half as large.
const SLOW: f64 = 800.0;

/// Adds what a slice brought.
pub type Add = Box<dyn FnMut(&RoundsCounted) -> Result<(), Said>>;

/// Hears how a count ended that nobody stopped.
pub type Done = Box<dyn FnOnce(Result<(), Said>)>;

/// One count at a time; copies are the same.
#[derive(Clone, Copy)]
pub struct Slices {
    store: Store,
    /// Counts the counts, so that what comes of another one is dropped.
    asked: StoredValue<u32>,
    /// The request that is under way.
    request: StoredValue<Option<u32>>,
    /// Texts of the next slice.
    slice: StoredValue<u64>,
}

impl Slices {
    /// Nothing is being counted.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            asked: StoredValue::new(0),
            request: StoredValue::new(None),
            slice: StoredValue::new(FIRST),
        }
    }

    /// Ends the count, of which neither `add` nor `done` is called any more.
    pub fn stop(&self) {
        // First: one that the engine does not have yet is answered at once.
        self.asked.update_value(|asked| *asked += 1);
        // What is counted next may take longer.
        self.slice.set_value(FIRST);
        if let Some(id) = self.request.try_update_value(Option::take).flatten() {
            self.store.engine.stop(id);
        }
    }

    /// Has all texts of a request counted.
    pub fn count(&self, request: RoundsRequest, mut add: Add, done: Done) {
        let slices = *self;
        let part = RoundsRequest {
            trials: self.slice.get_value().min(request.trials),
            ..request.clone()
        };
        let asked = self.asked.get_value();
        let id = ask(self.store, part, move |result| {
            if slices.asked.get_value() != asked {
                return;
            }
            slices.request.set_value(None);
            let added = result.and_then(|counted| add(&counted).map(|()| counted));
            match added {
                // An engine that stopped by itself has counted nothing more.
                Ok(counted) if (1..request.trials).contains(&counted.trials) => {
                    slices
                        .slice
                        .update_value(|slice| match counted.milliseconds {
                            ..QUICK => *slice *= 2,
                            SLOW.. => *slice = (*slice / 2).max(LEAST),
                            _ => {}
                        });
                    let rest = RoundsRequest {
                        first_trial: request.first_trial + counted.trials,
                        trials: request.trials - counted.trials,
                        ..request
                    };
                    slices.count(rest, add, done);
                }
                added => done(added.map(|_| ())),
            }
        });
        self.request.set_value(Some(id));
    }
}
