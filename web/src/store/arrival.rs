//! Where in the run that it names an address wants the page to stand.

use leptos::prelude::*;

use super::{Selection, Store};

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// Steps of the run after which the playhead stands.
    pub(super) at: usize,
    /// The token that is picked there.
    pub(super) pick: Option<Selection>,
}

/// How the page gets to stand there.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// Where the address wants it to stand, until the run that it names has begun.
    asked: StoredValue<Option<Standing>>,
    /// Where it goes to stand as soon as the run on the page reaches so far.
    pending: RwSignal<Option<Standing>>,
    /// Where it was brought to, while it stands there.
    reached: StoredValue<Option<Standing>>,
}

impl Arrival {
    /// That of a page with an address that names so many steps, and a token there.
    pub(super) fn new(at: Option<usize>, pick: Option<Selection>) -> Self {
        Self {
            asked: StoredValue::new(at.map(|at| Standing { at, pick })),
            pending: RwSignal::new(None),
            reached: StoredValue::new(None),
        }
    }

    /// Another run is wanted than the address names.
    pub(super) fn forget_asked(&self) {
        self.asked.set_value(None);
    }

    /// Another run is on the page.
    pub(super) fn clear(&self) {
        self.pending.set(None);
        self.reached.set_value(None);
    }
}

impl Store {
    /// Plays the run that has begun, unless the address names a place in it.
    pub(super) fn play_or_arrive(&self) {
        match self.arrival.asked.get_value() {
            Some(standing) => {
                self.arrival.asked.set_value(None);
                self.arrival.pending.set(Some(standing));
            }
            None => self.playhead.play(),
        }
    }

    /// Whether the address names a place in the run that comes.
    pub(super) fn is_awaited(&self) -> bool {
        self.arrival.asked.with_value(Option::is_some)
    }

    /// Whether the playhead is on its way to where the address wants it.
    pub fn is_arriving(&self) -> bool {
        self.arrival.pending.get_untracked().is_some() || self.arrival.asked.get_value().is_some()
    }

    /// What is picked at a place of the playhead before a person picks anything: what the address
    /// picked there, as long as nobody leaves.
    pub(super) fn brought_pick(&self, at: usize) -> Option<Selection> {
        let standing = self.arrival.reached.get_value();
        if standing.is_some_and(|standing| standing.at != at) {
            self.arrival.reached.set_value(None);
        }
        standing.filter(|standing| standing.at == at)?.pick
    }

    /// Goes to stand where the address says, as far as the run has such a place and such a token.
    fn stand(&self, Standing { at, pick }: Standing) {
        self.playhead.go(at);
        let at = self.playhead.at.get_untracked();
        let pick = pick.filter(|pick| self.state.with_untracked(|state| pick.is_in(state)));
        self.arrival.reached.set_value(Some(Standing { at, pick }));
        self.selected.set(pick);
    }

    /// Sends the playhead to its place once the run has come so far.
    pub(super) fn watch_arrival(&self) {
        let store = *self;
        Effect::new(move |_| {
            let Some(standing) = store.arrival.pending.get() else {
                return;
            };
            let here = store
                .run
                .with(|run| run.steps().len() >= standing.at || run.finished().is_some());
            let moved =
                store.playhead.at.get_untracked() > 0 || store.playhead.playing.get_untracked();
            if here && !moved {
                store.stand(standing);
            }
            if here || moved {
                store.arrival.pending.set(None);
            }
        });
    }
}
