//! Timing speculation against the target alone.

use couplet_protocol::{Command, Measurement, Reply, Settings};
use leptos::prelude::*;

use super::Store;

/// A measurement in progress or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Measuring {
    /// Pairs done, pairs asked for.
    Running(u32, u32),
    /// The result.
    Done(Box<Measurement>),
    /// Why not.
    Failed(String),
}

impl Store {
    /// Times speculation against the target alone, with the form's settings.
    pub fn measure(&self) {
        let Ok(settings) = untrack(|| self.form.read()) else {
            return;
        };
        self.playhead.pause();
        let store = *self;
        self.measure_with(settings, 5, move |reply| {
            if let Reply::Failed { failure, .. } = reply {
                store.refuse(failure);
            }
        });
    }

    /// Times with any settings; `also` sees every reply after the page has.
    pub fn measure_with(
        &self,
        settings: Settings,
        pairs: u32,
        mut also: impl FnMut(&Reply) + 'static,
    ) {
        let store = *self;
        self.measuring.set(Some(Measuring::Running(0, pairs)));
        let pair = settings.pair.clone();
        self.engine.request_with_pair(
            &pair,
            |id| Command::Measure {
                id,
                settings,
                pairs,
            },
            move |reply| {
                match reply {
                    Reply::Measuring { done, pairs, .. } => {
                        store.playhead.pause();
                        store.measuring.set(Some(Measuring::Running(*done, *pairs)));
                    }
                    Reply::Measured { measurement, .. } => {
                        store
                            .measuring
                            .set(Some(Measuring::Done(Box::new(measurement.clone()))));
                    }
                    Reply::Failed { failure, .. } => {
                        store
                            .measuring
                            .set(Some(Measuring::Failed(failure.sentence.clone())));
                    }
                    _ => {}
                }
                also(reply);
            },
        );
    }
}
