//! The mistakes: which are switched on, and what came out of each.

mod exhibit;
mod gallery;

use std::collections::VecDeque;

use couplet_protocol::{Mistake, Rule, Settings};
use leptos::prelude::*;

use crate::proof::counting::{Tally, ask, request};
use crate::proof::pair::ProofPair;
use crate::store::Store;

pub use exhibit::exhibit_of;
pub use gallery::Gallery;

/// Tokens drafted per round: with fewer than two there is no second position for a mistake to
/// repeat itself.
pub const GAMMA: u32 = 2;

/// What is known of a mistake.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It is switched off.
    Off,
    /// Texts are being counted, or wait for those of others to be; so many were before.
    Waiting(Tally),
    /// What it wrote.
    Counted(Tally),
    /// Why it could not be counted.
    Failed(String),
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
    store: Store,
    pair: RwSignal<ProofPair>,
    /// The mistakes, in the order in which they are shown.
    pub exhibits: StoredValue<Vec<Exhibit>>,
    /// Which are still to be counted.
    queue: StoredValue<VecDeque<usize>>,
    busy: StoredValue<bool>,
    /// Counts changes of the pair, so that late replies are dropped.
    asked: StoredValue<u32>,
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
            store,
            pair,
            exhibits: StoredValue::new(exhibits),
            queue: StoredValue::new(VecDeque::new()),
            busy: StoredValue::new(false),
            asked: StoredValue::new(0),
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
                self.switch(place, on);
            }
        }
    }

    /// Makes a mistake, or makes it no more.
    pub fn switch(&self, place: usize, on: bool) {
        let Some(exhibit) = self.exhibit(place) else {
            return;
        };
        self.queue
            .update_value(|queue| queue.retain(|waiting| *waiting != place));
        if on {
            self.enqueue(place, exhibit, Tally::default());
        } else {
            exhibit.found.set(Found::Off);
        }
    }

    /// Counts more texts of a mistake.
    pub fn add(&self, place: usize) {
        if let Some(exhibit) = self.exhibit(place)
            && let Found::Counted(tally) = exhibit.found.get_untracked()
        {
            self.enqueue(place, exhibit, tally);
        }
    }

    fn enqueue(&self, place: usize, exhibit: Exhibit, before: Tally) {
        exhibit.found.set(Found::Waiting(before));
        self.queue.update_value(|queue| queue.push_back(place));
        self.pump();
    }

    /// Switches every mistake.
    pub fn switch_all(&self, on: bool) {
        for place in 0..Mistake::ALL.len() {
            let is_on = self
                .exhibit(place)
                .is_some_and(|exhibit| exhibit.found.with_untracked(|found| *found != Found::Off));
            if is_on != on {
                self.switch(place, on);
            }
        }
    }

    /// Counts again, for another pair, what is switched on.
    pub fn forget(&self) {
        self.asked.update_value(|asked| *asked += 1);
        self.busy.set_value(false);
        for place in 0..Mistake::ALL.len() {
            let on = self
                .exhibit(place)
                .is_some_and(|exhibit| exhibit.found.with_untracked(|found| *found != Found::Off));
            if on {
                self.switch(place, true);
            }
        }
    }

    /// Asks for the next one, if none is being counted.
    fn pump(&self) {
        if self.busy.get_value() {
            return;
        }
        let mut next = None;
        self.queue.update_value(|queue| next = queue.pop_front());
        let Some((place, exhibit)) = next.and_then(|place| Some((place, self.exhibit(place)?)))
        else {
            return;
        };
        let Found::Waiting(mut tally) = exhibit.found.get_untracked() else {
            return;
        };
        self.busy.set_value(true);
        let pair = self.pair.get_untracked();
        // The same numbers for every mistake.
        let seed = Settings::default().seed;
        let (mistake, first) = (Some(exhibit.mistake), tally.trials);
        let request = request(&pair, Rule::Rejection, GAMMA, mistake, first, seed);
        let (museum, asked) = (*self, self.asked.get_value());
        ask(self.store, request, move |result| {
            if museum.asked.get_value() != asked {
                return;
            }
            museum.busy.set_value(false);
            // Switched off and on again meanwhile, it waits for another answer.
            let waits = museum.queue.with_value(|queue| queue.contains(&place));
            let wanted = exhibit
                .found
                .with_untracked(|found| matches!(found, Found::Waiting(_)));
            match result.and_then(|counted| tally.add(&counted, pair.len(), GAMMA)) {
                Ok(()) if wanted && !waits => exhibit.found.set(Found::Counted(tally)),
                Ok(()) => {}
                // What failed for one fails for all: they do not try one after another.
                Err(sentence) => museum.give_up(wanted.then_some(exhibit), &sentence),
            }
            museum.pump();
        });
    }

    /// Fails a mistake and all that wait behind it.
    fn give_up(&self, first: Option<Exhibit>, sentence: &str) {
        let waiting = self.queue.get_value();
        self.queue.set_value(VecDeque::new());
        let behind = waiting.into_iter().filter_map(|place| self.exhibit(place));
        for exhibit in first.into_iter().chain(behind) {
            exhibit.found.set(Found::Failed(sentence.to_owned()));
        }
    }
}
