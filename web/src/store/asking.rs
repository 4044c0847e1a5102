//! The runs that are to be written, until the page has them.

use couplet_protocol::{Branch, Settings};
use leptos::prelude::*;

use super::versions::Origin;
use crate::permalink::Left;

/// A branch that was asked for.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) branch: Branch,
    /// Where; an address leaves it to the page.
    pub(super) from: Option<AskedFrom>,
    /// The run that it has left, where that is to be written first: an address may name one.
    pub(super) left: Option<Left>,
}

/// What the page was when a branch was asked for.
#[derive(Clone)]
pub(super) struct AskedFrom {
    pub(super) settings: Settings,
    pub(super) origin: Origin,
}

/// The runs that are to be written. Copies are the same.
#[derive(Clone, Copy)]
pub struct Asking {
    /// Requests that write, or wait to: the first is the one that writes.
    pub(super) writing: RwSignal<Vec<u32>>,
    /// A run was asked for before the engine was ready.
    pub wanted: RwSignal<bool>,
    /// With which settings one was that waited last.
    pub(super) waiting: StoredValue<Option<Settings>>,
    /// The address asks for a run that has not been written yet.
    pub linked: RwSignal<bool>,
    /// What the run that was asked for last is to go on from.
    pub(super) branch: StoredValue<Option<Asked>>,
    /// What a person asked for that has no events yet.
    pub(super) beginning: StoredValue<Option<(Settings, Option<Branch>)>>,
    /// Counts what somebody asked to take the page, runs and files.
    asked: StoredValue<u32>,
}

impl Asking {
    /// That of a page whose address names a run, maybe one that goes on from a branch and has left
    /// another, and whether it asks for that.
    pub(super) fn new(asks: bool, branch: Option<Branch>, left: Option<Left>) -> Self {
        Self {
            writing: RwSignal::default(),
            wanted: RwSignal::new(asks),
            waiting: StoredValue::new(None),
            linked: RwSignal::new(asks),
            branch: StoredValue::new(branch.map(|branch| Asked {
                branch,
                from: None,
                left,
            })),
            beginning: StoredValue::new(None),
            asked: StoredValue::new(0),
        }
    }

    /// Whether a text from its prompt on is wanted, or was asked for and has yet to begin.
    pub fn is_about_to_begin(&self) -> bool {
        let from_prompt = |asked: &Option<_>| matches!(asked, Some((_, None)));
        self.wanted.get_untracked() || self.beginning.with_value(from_prompt)
    }

    /// What the address asks for is on the page, unless a branch of it is wanted too. Tells whether
    /// it was all.
    pub fn answer(&self) -> bool {
        let is_all = self.branch.with_value(Option::is_none);
        if is_all {
            self.linked.set(false);
            self.wanted.set(false);
        }
        is_all
    }

    /// The run that the branch that was asked for has left, to be written before it; told once.
    pub(super) fn take_left(&self) -> Option<Left> {
        let take = |asked: &mut Option<Asked>| asked.as_mut()?.left.take();
        self.branch.try_update_value(take).flatten()
    }

    /// Counts something that somebody asks to take the page. Returns its number.
    pub fn count(&self) -> u32 {
        self.asked.update_value(|asked| *asked += 1);
        self.asked.get_value()
    }

    /// Whether nothing was asked to take the page since what has this number.
    pub fn is_last(&self, number: u32) -> bool {
        self.asked.get_value() == number
    }
}
