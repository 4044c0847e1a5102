//! Runs that share the beginning of their text: the one on the page and those beside it. Going
//! back and forth between them loses nothing.

use couplet_playback::{Comparison, Run, Take};
use couplet_protocol::Event;
use leptos::prelude::*;

use super::writing::CUT_OFF;
use super::{Shown, Store};
use crate::permalink::Left;

/// How many runs stand beside each other at most: a script may ask for a thousand branches, and each
/// keeps all its events.
const MOST: usize = 16;

/// A run and what it is. What happened in the one on the page is in the store.
#[derive(Clone, Debug)]
pub struct Version {
    /// The version that it left; none for the first.
    pub parent: Option<usize>,
    /// What it is.
    pub shown: Shown,
    log: Log,
}

#[derive(Clone, Debug, Default)]
struct Log {
    run: Run,
    events: Vec<Event>,
    at: usize,
    furthest: usize,
}

/// All versions; empty while nothing has branched. Copies are the same.
#[derive(Clone, Copy)]
pub struct Versions {
    /// In the order in which they began.
    pub list: RwSignal<Vec<Version>>,
    /// Which one is on the page.
    pub current: RwSignal<usize>,
    /// Which one was on the page before.
    before: RwSignal<usize>,
    /// Counts how often all of them gave way to others.
    family: StoredValue<u32>,
}

/// One of the versions, whichever is on the page, until others take the place of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    family: u32,
    version: usize,
}

impl Default for Versions {
    fn default() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            current: RwSignal::new(0),
            before: RwSignal::new(0),
            family: StoredValue::new(0),
        }
    }
}

/// The version on the page beside its closest relative.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The version that was left.
    pub parent: usize,
    /// The one that left it.
    pub child: usize,
    /// Which of both is on the page; it counts up to the playhead.
    pub current: usize,
    /// The two.
    pub comparison: Comparison,
}

/// All versions of a run that was taken off the page.
#[derive(Clone, Debug)]
pub(super) struct KeptVersions {
    list: Vec<Version>,
    current: usize,
    before: usize,
}

impl Versions {
    /// All of them as they are, each of them over.
    pub(super) fn keep(&self) -> KeptVersions {
        let current = self.current.get_untracked();
        let mut list = self.list.get_untracked();
        for (index, version) in list.iter_mut().enumerate() {
            if index != current && version.log.run.finished().is_none() {
                version.log.events.push(CUT_OFF);
                version.log.run.push(&CUT_OFF);
            }
        }
        KeptVersions {
            list,
            current,
            before: self.before.get_untracked(),
        }
    }

    /// The version on the page.
    pub(super) fn here(&self) -> Origin {
        Origin {
            family: self.family.get_value(),
            version: self.current.get_untracked(),
        }
    }

    /// Where a version is, if it still is one of these.
    fn place_of(&self, origin: Origin) -> Option<usize> {
        (origin.family == self.family.get_value()).then_some(origin.version)
    }

    /// Puts them beside the one that is back on the page.
    pub(super) fn bring_back(&self, kept: KeptVersions) {
        self.family.update_value(|family| *family += 1);
        self.list.set(kept.list);
        self.current.set(kept.current);
        self.before.set(kept.before);
    }

    /// Whether one of them was written here.
    pub(super) fn has_own(&self) -> bool {
        let is_own = |version: &Version| !version.shown.recorded;
        self.list.with_untracked(|list| list.iter().any(is_own))
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.family.update_value(|family| *family += 1);
        if self.list.with_untracked(|list| !list.is_empty()) {
            self.list.set(Vec::new());
        }
        self.current.set(0);
        self.before.set(0);
    }

    /// Parent and child of a comparison of the version on the page: with the one that it left, or
    /// with one that left it.
    fn relatives(&self) -> Option<(usize, usize)> {
        let (current, before) = (self.current.get(), self.before.get());
        self.list.with(|list| {
            if let Some(parent) = list.get(current)?.parent {
                return Some((parent, current));
            }
            let left = |version: &Version| version.parent == Some(current);
            let child = if list.get(before).is_some_and(left) {
                before
            } else {
                list.iter().rposition(left)?
            };
            Some((current, child))
        })
    }
}

impl Store {
    /// The version on the page.
    pub fn version_here(&self) -> Origin {
        self.versions.here()
    }

    /// The version that a run which is about to begin goes on from: the one that was on the page when
    /// it was asked for, else the one that is. None where there are enough: it stands by itself then, and
    /// these can be brought back.
    pub(super) fn parent_of(&self, next: &Shown, asked_at: Origin) -> Option<usize> {
        if self.versions.list.with_untracked(Vec::len) >= MOST {
            return None;
        }
        let current = self.versions.current.get_untracked();
        let asked_at = self.versions.place_of(asked_at);
        let mut candidates = asked_at.into_iter().chain([current]);
        candidates.find(|version| self.is_branch_of(next, *version))
    }

    fn is_branch_of(&self, next: &Shown, version: usize) -> bool {
        let Some(branch) = &next.branch else {
            return false;
        };
        let goes_on = |shown: &Shown, run: &Run| {
            let take = Take {
                branch: shown.branch.as_ref(),
                run,
                playhead: usize::MAX,
            };
            (&shown.settings.pair, &shown.settings.prompt)
                == (&next.settings.pair, &next.settings.prompt)
                && take.tokens().starts_with(&branch.kept)
        };
        if version == self.versions.current.get_untracked() {
            return self.shown.with_untracked(|shown| {
                let shown = shown.as_ref();
                shown.is_some_and(|shown| self.run.with_untracked(|run| goes_on(shown, run)))
            });
        }
        self.versions.list.with_untracked(|list| {
            let version = list.get(version);
            version.is_some_and(|version| goes_on(&version.shown, &version.log.run))
        })
    }

    /// Puts the run on the page beside the others and begins one that left the version `parent`.
    pub(super) fn begin_branch(&self, parent: usize, next: Shown) {
        let versions = self.versions;
        if versions.list.with_untracked(Vec::is_empty) {
            let Some(shown) = self.shown.get_untracked() else {
                return self.begin(Some(next));
            };
            versions.list.set(vec![Version {
                parent: None,
                shown,
                log: Log::default(),
            }]);
        }
        self.put_aside();
        let mut child = 0;
        versions.list.update(|list| {
            child = list.len();
            list.push(Version {
                parent: Some(parent),
                shown: next.clone(),
                log: Log::default(),
            });
        });
        versions.before.set(parent);
        versions.current.set(child);
        self.clear(Some(next));
    }

    /// Moves the log of the run on the page to its version.
    fn put_aside(&self) {
        self.playhead.pause();
        let log = Log {
            run: self.run.get_untracked(),
            events: self.take_events(),
            at: self.playhead.at.get_untracked(),
            furthest: self.playhead.furthest.get_untracked(),
        };
        let current = self.versions.current.get_untracked();
        self.versions.list.update(|list| {
            if let Some(version) = list.get_mut(current) {
                version.log = log;
            }
        });
    }

    /// Shows another version where it was left, and its settings in the form.
    pub fn show_version(&self, index: usize) {
        let versions = self.versions;
        let current = versions.current.get_untracked();
        let known = versions.list.with_untracked(Vec::len);
        if index == current || index >= known {
            return;
        }
        self.put_aside();
        let mut found = None;
        versions.list.update(|list| {
            found = list
                .get_mut(index)
                .map(|version| (version.shown.clone(), std::mem::take(&mut version.log)));
        });
        let Some((shown, log)) = found else { return };
        versions.before.set(current);
        versions.current.set(index);
        self.form.write(&shown.settings);
        self.clear(Some(shown));
        self.restore(log.events, log.run);
        self.playhead.place(log.at, log.furthest);
    }

    /// Adds to a version that is being written, wherever it is.
    pub(super) fn append_to(&self, version: usize, events: &[Event]) {
        if version == self.versions.current.get_untracked() {
            return self.append(events);
        }
        self.versions.list.update(|list| {
            if let Some(version) = list.get_mut(version) {
                version.log.events.extend_from_slice(events);
                events.iter().for_each(|event| version.log.run.push(event));
            }
        });
    }

    /// The run that the one on the page left, where it is still beside it; tracked.
    pub fn left(&self) -> Option<Left> {
        let current = self.versions.current.get();
        self.versions.list.with(|list| {
            let parent = &list.get(list.get(current)?.parent?)?.shown;
            Some(Left {
                settings: parent.settings.clone(),
                branch: parent.branch.clone(),
            })
        })
    }

    /// The version on the page beside its closest relative; tracked.
    pub(super) fn compare(&self) -> Option<Compared> {
        let versions = self.versions;
        let (parent, child) = versions.relatives()?;
        let current = versions.current.get();
        let at = self.playhead.at.get();
        versions.list.with(|list| {
            self.run.with(|run| {
                let take = |index: usize| {
                    let version = list.get(index)?;
                    let here = index == current;
                    Some(Take {
                        branch: version.shown.branch.as_ref(),
                        run: if here { run } else { &version.log.run },
                        playhead: if here { at } else { usize::MAX },
                    })
                };
                let from = list.get(child)?.shown.branch.as_ref()?.kept.len();
                Some(Compared {
                    parent,
                    child,
                    current,
                    comparison: Comparison::new(take(parent)?, take(child)?, from),
                })
            })
        })
    }
}
