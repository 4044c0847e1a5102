//! The mistakes: which are switched on, and what came out of each.

mod exhibit;
mod gallery;

use std::collections::VecDeque;

use couplet_protocol::{Mistake, Rule, Settings};
use leptos::prelude::*;

use crate::errors::Said;
use crate::proof::counting::{Tally, request};
use crate::proof::pair::ProofPair;
use crate::proof::slices::Slices;
use crate::store::Store;

pub use exhibit::mistake_selector;
pub use gallery::Gallery;

/// Tokens drafted per round: with fewer than two there is no second position for a mistake to
/// repeat itself.
pub const GAMMA: u32 = 2;

/// What is known of a mistake.
#[derive(Clone, PartialEq)]
pub enum Found {
    /// It is switched off.
    Off,
    /// Texts are being counted, or wait for those of others to be; these are there already.
    Waiting(Tally),
    /// What it wrote.
    Counted(Tally),
    /// Why it could not be counted.
    Failed(Said),
}

/// One mistake on show.
#[derive(Clone, Copy)]
pub struct Exhibit {
    /// Which.
    pub mistake: Mistake,
    /// What is known of it.
    pub found: RwSignal<Found>,
}

/// The museum; copies are the same.
#[derive(Clone, Copy)]
pub struct Museum {
    pair: RwSignal<ProofPair>,
    /// The mistakes, in the order in which they are shown.
    pub exhibits: StoredValue<Vec<Exhibit>>,
    /// Which are still to be counted.
    queue: StoredValue<VecDeque<usize>>,
    /// Which is being counted.
    current: StoredValue<Option<usize>>,
    slices: Slices,
}

impl Museum {
    /// A museum with every switch off.
    pub fn new(store: Store, pair: RwSignal<ProofPair>) -> Self {
        let exhibits = Mistake::ALL
            .map(|mistake| Exhibit {
                mistake,
                found: RwSignal::new(Found::Off),
            })
            .to_vec();
        Self {
            pair,
            exhibits: StoredValue::new(exhibits),
            queue: StoredValue::new(VecDeque::new()),
            current: StoredValue::new(None),
            slices: Slices::new(store),
        }
    }

    /// The mistake at a place.
    pub fn exhibit(&self, place: usize) -> Option<Exhibit> {
        self.exhibits.with_value(|all| all.get(place).copied())
    }

    /// How many are switched on.
    pub fn on(&self) -> usize {
        self.made().len()
    }

    /// Those that are switched on, tracked.
    pub fn made(&self) -> Vec<Mistake> {
        self.exhibits.with_value(|all| {
            all.iter()
                .filter(|exhibit| exhibit.found.with(|found| *found != Found::Off))
                .map(|exhibit| exhibit.mistake)
                .collect()
        })
    }

    /// Makes these mistakes and no others; those that are made already stay as they are.
    pub fn make(&self, mistakes: &[Mistake]) {
        let made = untrack(|| self.made());
        for (place, mistake) in Mistake::ALL.iter().enumerate() {
            let on = mistakes.contains(mistake);
            if on != made.contains(mistake) {
                self.put(place, on);
            }
        }
        self.pump();
    }

    /// Makes a mistake, or makes it no more.
    pub fn switch(&self, place: usize, on: bool) {
        self.put(place, on);
        self.pump();
    }

    /// Switches every mistake.
    pub fn switch_all(&self, on: bool) {
        self.make(if on { &Mistake::ALL } else { &[] });
    }

    /// Counts again, for another pair, what is switched on.
    pub fn forget(&self) {
        for mistake in untrack(|| self.made()) {
            if let Some(place) = Mistake::ALL.iter().position(|it| *it == mistake) {
                self.put(place, true);
            }
        }
        self.pump();
    }

    /// Drops what was counted of a mistake; where it is on, it waits to be counted.
    fn put(&self, place: usize, on: bool) {
        let Some(exhibit) = self.exhibit(place) else {
            return;
        };
        self.queue
            .update_value(|queue| queue.retain(|waiting| *waiting != place));
        if self.current.get_value() == Some(place) {
            self.current.set_value(None);
            self.slices.stop();
        }
        match on {
            true => self.enqueue(place, exhibit, Tally::default()),
            false => exhibit.found.set(Found::Off),
        }
    }

    /// Counts more texts of a mistake.
    pub fn add(&self, place: usize) {
        if let Some(exhibit) = self.exhibit(place)
            && let Found::Counted(tally) = exhibit.found.get_untracked()
        {
            self.enqueue(place, exhibit, tally);
            self.pump();
        }
    }

    fn enqueue(&self, place: usize, exhibit: Exhibit, before: Tally) {
        exhibit.found.set(Found::Waiting(before));
        self.queue.update_value(|queue| queue.push_back(place));
    }

    /// Has the next one counted, if none is.
    fn pump(&self) {
        if self.current.get_value().is_some() {
            return;
        }
        let next = self.queue.try_update_value(VecDeque::pop_front).flatten();
        let Some((place, exhibit)) = next.and_then(|place| Some((place, self.exhibit(place)?)))
        else {
            return;
        };
        let Found::Waiting(tally) = exhibit.found.get_untracked() else {
            return;
        };
        self.current.set_value(Some(place));
        let pair = self.pair.get_untracked();
        // The same numbers for every mistake.
        let seed = Settings::default().seed;
        let (mistake, first) = (Some(exhibit.mistake), tally.trials);
        let request = request(&pair, Rule::Rejection, GAMMA, mistake, first, seed);
        let museum = *self;
        self.slices.count(
            request,
            Box::new(move |counted| {
                let mut added = Ok(());
                exhibit.found.update(|found| {
                    if let Found::Waiting(tally) = found {
                        added = tally.add(counted, pair.len(), GAMMA);
                    }
                });
                added
            }),
            Box::new(move |result| {
                museum.current.set_value(None);
                match result {
                    Ok(()) => exhibit.found.update(|found| {
                        if let Found::Waiting(tally) = found {
                            *found = Found::Counted(std::mem::take(tally));
                        }
                    }),
                    // What failed for one fails for all: they do not try one after another.
                    Err(why) => museum.give_up(exhibit, &why),
                }
                museum.pump();
            }),
        );
    }

    /// Fails a mistake and all that wait after it.
    fn give_up(&self, first: Exhibit, why: &Said) {
        let waiting = self.queue.get_value();
        self.queue.set_value(VecDeque::new());
        let behind = waiting.into_iter().filter_map(|place| self.exhibit(place));
        for exhibit in std::iter::once(first).chain(behind) {
            exhibit.found.set(Found::Failed(why.clone()));
        }
    }
}
