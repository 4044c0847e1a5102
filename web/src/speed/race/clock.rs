//! The clock of the race: the time of the timed runs, played back as slowly as a person wants.

use leptos::prelude::*;

use crate::playhead::{now, reduced_motion};

/// Copies are the same clock.
#[derive(Clone, Copy)]
pub struct Clock {
    /// Milliseconds of the runs; infinite is the end.
    pub at: RwSignal<f64>,
    /// How many times slower than it was.
    pub slower: RwSignal<Option<f64>>,
    /// Whether time passes.
    pub playing: RwSignal<bool>,
    /// Counts starts: a frame that was asked for before another start does nothing.
    start: StoredValue<u32>,
}

impl Clock {
    /// At the end: the race has been run.
    pub fn new() -> Self {
        Self {
            at: RwSignal::new(f64::INFINITY),
            slower: RwSignal::new(None),
            playing: RwSignal::new(false),
            start: StoredValue::new(0),
        }
    }

    /// Goes on to `end`, from the beginning where it stands there, so many times slower.
    pub fn play(&self, end: f64, slower: f64) {
        if reduced_motion() {
            self.finish();
            return;
        }
        if self.at.get_untracked() >= end {
            self.at.set(0.0);
        }
        self.start
            .update_value(|start| *start = start.wrapping_add(1));
        self.playing.set(true);
        self.tick(self.start.get_value(), now(), end, slower);
    }

    /// Stands still.
    pub fn pause(&self) {
        self.start
            .update_value(|start| *start = start.wrapping_add(1));
        if self.playing.get_untracked() {
            self.playing.set(false);
        }
    }

    /// Stands still at a time.
    pub fn go(&self, at: f64) {
        self.pause();
        self.at.set(at);
    }

    /// Stands still at the end.
    pub fn finish(&self) {
        self.go(f64::INFINITY);
    }

    fn tick(self, start: u32, last: f64, end: f64, slower: f64) {
        request_animation_frame(move || {
            if self.start.try_get_value() != Some(start) {
                return;
            }
            let now = now();
            let at = self.at.get_untracked() + (now - last).max(0.0) / slower;
            if at >= end {
                self.finish();
                return;
            }
            self.at.set(at);
            self.tick(start, now, end, slower);
        });
    }
}

/// The slow-downs on offer.
const SLOWER: [f64; 11] = [
    1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 100.0, 200.0, 400.0, 1000.0, 2000.0,
];

/// How long a race is to be watched unless a person wants otherwise, in milliseconds.
const USUAL_MS: f64 = 8_000.0;

/// The slow-down with which a race is best watched.
pub fn usual(end: f64) -> f64 {
    let fits = SLOWER
        .into_iter()
        .rev()
        .find(|slower| end * slower <= USUAL_MS);
    fits.unwrap_or(1.0)
}

/// The slow-downs that make sense for a race: none, and those with which it lasts a second at least and a
/// minute at most.
pub fn offered(end: f64) -> Vec<f64> {
    SLOWER
        .into_iter()
        .filter(|slower| *slower == 1.0 || (1_000.0..=60_000.0).contains(&(end * slower)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_slowed_until_it_can_be_watched() {
        assert_eq!(usual(20_000.0), 1.0);
        assert_eq!(usual(134.0), 40.0);
        assert_eq!(usual(9.0), 400.0);
        assert_eq!(offered(134.0), [1.0, 10.0, 20.0, 40.0, 100.0, 200.0, 400.0]);
    }
}
