//! Branches: runs that go on from the middle of the one on the page.

use couplet_playback::Take;
use couplet_protocol::{Branch, FinishReason, Settings};
use leptos::prelude::*;

use super::{Selection, Store};

/// Where the playhead would have to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// Further back.
    Before,
    /// Further on.
    Behind,
}

impl Store {
    /// The tokens after the prompt of the run on the page, whatever the playhead. Not tracked.
    pub fn written_tokens(&self) -> Vec<u32> {
        self.shown.with_untracked(|shown| {
            self.run.with_untracked(|run| {
                let take = Take {
                    branch: shown.as_ref().and_then(|shown| shown.branch.as_ref()),
                    run,
                    playhead: usize::MAX,
                };
                take.tokens()
            })
        })
    }

    /// How many tokens of the run on the page were there before its first round. Tracked.
    pub fn brought_along(&self) -> usize {
        self.shown.with(|shown| {
            let branch = shown.as_ref().and_then(|shown| shown.branch.as_ref());
            branch.map_or(0, Branch::len)
        })
    }

    /// Where the playhead has to go for the edited settings to branch, if the run is over, they
    /// branch somewhere and nothing can branch from where it stands. Tracked.
    pub fn branches_elsewhere(&self) -> Option<Elsewhere> {
        let (form, _) = self.edited_in_place()?;
        let is_over = self.run.with(|run| run.finished().is_some());
        if !is_over || self.branch_point().is_some() {
            return None;
        }
        let brought = self.brought_along();
        // The first place to branch from, and whether anything comes after it.
        let (first, rounds) = self.run.with(|run| {
            let rounds = run.rounds();
            let first = rounds.first().map_or(0, |round| round.committed.len());
            (first, rounds.len())
        });
        let (first, goes_on) = match brought {
            0 => (first, rounds > 1),
            _ => (brought, rounds > 0),
        };
        let committed = self.state.with(|state| state.statistics.committed);
        (goes_on && (first as u32) < form.max_tokens).then_some(
            match brought + committed as usize {
                0 => Elsewhere::Behind,
                _ => Elsewhere::Before,
            },
        )
    }

    /// The settings of the form and those of the run on the page, where they differ and the prompt
    /// is the same. Tracked.
    fn edited_in_place(&self) -> Option<(Settings, Settings)> {
        let form = self.form.read().ok()?;
        let old = self
            .shown
            .with(|shown| shown.as_ref().map(|shown| shown.settings.as_used()))?;
        let edited = form != old && (&form.pair, &form.prompt) == (&old.pair, &old.prompt);
        // Until somebody changes it, the form is that of the run which a link asks for.
        (edited && !self.asking.wanted.get() && !self.asking.linked.get()).then_some((form, old))
    }

    /// After how many tokens of the text Play branches: settings were edited that leave the
    /// beginning of the text as it is, and the playhead stands in the middle. Tracked.
    pub fn branch_point(&self) -> Option<usize> {
        let (form, old) = self.edited_in_place()?;
        let committed = self.state.with(|state| state.statistics.committed);
        let kept = self.brought_along() + committed as usize;
        let (all, finished) = self.run.with(|run| {
            let of_round = |round: &std::sync::Arc<couplet_playback::Round>| round.committed.len();
            let all: usize = run.rounds().iter().map(of_round).sum();
            (all, run.finished())
        });
        let at_end = kept >= self.brought_along() + all;
        let more = match finished {
            None => true,
            // Asked for more tokens, a text goes on where it was cut off.
            Some(FinishReason::Length | FinishReason::Stopped) => form.max_tokens > old.max_tokens,
            Some(_) => false,
        };
        let writes = (kept as u32) < form.max_tokens;
        (kept > 0 && writes && (!at_end || more)).then_some(kept)
    }

    /// Goes on from the playhead with the edited settings.
    pub fn branch_here(&self) {
        let Some(at) = untrack(|| self.branch_point()) else {
            return;
        };
        let mut kept = self.written_tokens();
        kept.truncate(at);
        self.ask(Some(Branch { kept, forced: None }));
    }

    /// Goes on with another token at a place of the text, under the settings of the form.
    pub fn force(&self, place: Selection, token: u32) {
        let Some(shown) = self.shown.get_untracked() else {
            return;
        };
        let start: usize = self.run.with_untracked(|run| {
            let before = run.rounds().iter().take(place.round);
            before.map(|round| round.committed.len()).sum()
        });
        let mut kept = self.written_tokens();
        kept.truncate(shown.branch.as_ref().map_or(0, Branch::len) + start + place.column);
        let fits = |form: &Settings| {
            (&form.pair, &form.prompt) == (&shown.settings.pair, &shown.settings.prompt)
        };
        // Another prompt has no such place: then the run's own settings hold.
        if !untrack(|| self.form.read()).is_ok_and(|form| fits(&form)) {
            self.form.write(&shown.settings);
        }
        self.ask(Some(Branch {
            kept,
            forced: Some(token),
        }));
    }
}
