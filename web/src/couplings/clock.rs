//! The time of the drawn throw, from 0 when nothing has been thrown to 1 when all is decided.

use leptos::prelude::*;

use crate::playhead::{now, reduced_motion};

/// How long a whole throw takes to draw.
const LENGTH_MS: f64 = 2600.0;
/// Into how many steps a person can take it apart.
pub const STEPS: usize = 6;

/// How far the drawing is; copies are the same clock.
#[derive(Clone, Copy)]
pub struct Clock {
    /// From 0 to 1.
    pub at: RwSignal<f64>,
    /// Counts starts: a frame that was asked for before another start does nothing.
    start: StoredValue<u32>,
}

impl Clock {
    /// At its end: a throw is first seen as decided.
    pub fn new() -> Self {
        Self {
            at: RwSignal::new(1.0),
            start: StoredValue::new(0),
        }
    }

    /// From the beginning to the end; at the end at once where movement is not wanted.
    pub fn play(&self) {
        self.start
            .update_value(|start| *start = start.wrapping_add(1));
        if reduced_motion() {
            self.at.set(1.0);
            return;
        }
        self.at.set(0.0);
        self.tick(self.start.get_value(), None);
    }

    /// One step further, standing still afterwards; false if there is none.
    pub fn step(&self) -> bool {
        self.start
            .update_value(|start| *start = start.wrapping_add(1));
        let at = self.at.get_untracked();
        if at >= 1.0 {
            return false;
        }
        let steps = STEPS as f64;
        self.at
            .set((((at * steps + 1e-6).floor() + 1.0) / steps).min(1.0));
        true
    }

    /// Back to the beginning, standing still.
    pub fn rewind(&self) {
        self.start
            .update_value(|start| *start = start.wrapping_add(1));
        self.at.set(0.0);
    }

    fn tick(self, start: u32, began: Option<f64>) {
        request_animation_frame(move || {
            if self.start.try_get_value() != Some(start) {
                return;
            }
            let now = now();
            let began = began.unwrap_or(now);
            let at = ((now - began) / LENGTH_MS).min(1.0);
            self.at.set(at);
            if at < 1.0 {
                self.tick(start, Some(began));
            }
        });
    }
}
