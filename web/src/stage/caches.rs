//! The caches of both models: how they grow with a round, and what a rejection leaves to be overwritten.

use std::ops::Range;

use couplet_playback::{Cache, tr};
use couplet_protocol::Drafter;
use leptos::prelude::*;

use super::bars::{Rectangles, dots};
use super::rule_formula::settings_of;
use crate::store::use_store;

/// Width of an entry with the gap behind it.
const CELL: f64 = 8.0;
const GAP: f64 = 1.5;
const HEIGHT: f64 = 12.0;
/// Entries that are drawn one by one; those before them are one block.
const CELLS: usize = 34;
/// How many of those were there before the round.
const BEFORE: usize = 16;
/// Width of that block.
const BLOCK: f64 = 34.0;
const WIDTH: f64 = BLOCK + CELLS as f64 * CELL;

#[derive(Clone, Copy, PartialEq)]
struct Line {
    name: &'static str,
    cache: Cache,
    /// The first entry that is drawn by itself.
    from: usize,
}

/// Both caches in a line each.
#[component]
pub fn CachesLine() -> impl IntoView {
    let store = use_store();
    let lines = Memo::new(move |_| {
        store.epoch.track();
        let playhead = store.state.with(|state| state.playhead);
        let caches = store
            .run
            .with_untracked(|run| run.started().then(|| run.caches(playhead)))?;
        let from = caches.target.kept.saturating_sub(BEFORE);
        // A draft that ends before what is drawn of the target one by one has its own.
        let line = |name, cache: Cache| Line {
            name,
            cache,
            from: match cache.len() > from {
                true => from,
                false => cache.len().saturating_sub(BEFORE),
            },
        };
        let model = settings_of(store).drafter == Drafter::Model;
        Some([
            model.then(|| line("draft", caches.draft)),
            Some(line("target", caches.target)),
        ])
    });
    // The prompt is read when the run begins, not when the playhead first moves.
    let started = Memo::new(move |_| store.run.with(|run| run.started()));
    view! {
        <section class="caches" data-testid="caches" aria-label=tr!("KV caches")>
            <h2 title=tr!("What each model keeps of the tokens it has read")>{tr!("KV caches")}</h2>
            {move || {
                started.track();
                lines.get().map(|lines| lines.into_iter().map(|known| match known {
                    Some(known) => line(known).into_any(),
                    None => view! { <p class="cache-none">{tr!("draft: no model drafts, so there is none")}</p> }.into_any(),
                }).collect_view())
            }}
        </section>
    }
}

impl Line {
    fn of_draft(&self) -> bool {
        self.name == "draft"
    }

    fn title(&self) -> String {
        if self.of_draft() {
            tr!("draft")
        } else {
            tr!("target")
        }
    }

    /// What the round changed.
    fn change(&self) -> String {
        match (self.cache.added, self.cache.cut) {
            (0, 0) => String::new(),
            (added, 0) => format!("+{added}"),
            (added, cut) => format!("+{added} −{cut}"),
        }
    }

    /// What a listener hears.
    fn spoken(&self) -> String {
        let Cache { added, cut, .. } = self.cache;
        let (model, entries) = (self.title(), self.cache.len());
        match (added, cut) {
            (0, 0) => tr!("{model} cache: {entries} entries", model, entries),
            (added, 0) => tr!(
                "{model} cache: {entries} entries, {added} added by this round",
                model,
                entries,
                added
            ),
            (added, cut) => tr!(
                "{model} cache: {entries} entries, {added} added by this round, {cut} to be overwritten",
                model,
                entries,
                added,
                cut
            ),
        }
    }
}

/// The entries that are drawn one by one, from `from` on: those that were there before the round,
/// those that it added, those that it left to be overwritten, and places that nothing has taken.
///
/// A draft that was silent for long may lack entries from before `from`.
fn one_by_one(Cache { kept, added, cut }: Cache, from: usize) -> [Range<usize>; 4] {
    let drawn = |start: usize, end: usize| {
        let bounded = |entry: usize| entry.clamp(from, from + CELLS);
        bounded(start)..bounded(end)
    };
    let held = kept + added;
    [
        drawn(0, kept),
        drawn(kept, held),
        drawn(held, held + cut),
        drawn(held + cut, usize::MAX),
    ]
}

/// The part of the block that stands for all entries before `from` which these take, in pixels.
fn share_of_block(entries: Range<usize>, from: usize) -> Option<Range<f64>> {
    let [start, end] = [entries.start, entries.end].map(|entry| entry.min(from));
    let x = |entry: usize| (BLOCK - 5.0) * entry as f64 / from as f64;
    (start < end).then(|| x(start)..x(end))
}

fn line(line: Line) -> impl IntoView {
    let Cache { kept, added, .. } = line.cache;
    let x = |entry: usize| BLOCK + (entry - line.from) as f64 * CELL;
    let draft = line.of_draft();
    let cells = |entries: Range<usize>| {
        let mut cells = Rectangles::default();
        for entry in entries {
            cells.add(x(entry), 1.0, CELL - GAP, HEIGHT);
        }
        cells
    };
    let (back, over) = if draft {
        ("bar-draft", Some("bar-hatch"))
    } else {
        ("bar-target", None)
    };
    let [old, new, cut, free] = one_by_one(line.cache, line.from);
    let [block_of_old, block_of_new] = [0..kept, kept..kept + added].map(|entries| {
        let mut block = Rectangles::default();
        if let Some(Range { start, end }) = share_of_block(entries, line.from) {
            block.add(start, 1.0, end - start, HEIGHT);
        }
        block
    });
    let held = |class: &'static str, entries: Range<usize>, block: &Rectangles| {
        let cells = cells(entries);
        view! {
            <g class=class>
                {block.view(back)}
                {over.map(|over| block.view(over))}
                {cells.view(back)}
                {over.map(|over| cells.view(over))}
                {draft.then(|| cells.view("bar-outline"))}
            </g>
        }
    };
    let strikes: String = cut
        .clone()
        .map(|entry| {
            let (left, right) = (x(entry) + 0.6, x(entry) + CELL - GAP - 0.6);
            format!("M{left:.1} 12L{right:.1} 2")
        })
        .collect();
    let free = dots(free.map(|entry| x(entry) + 3.0), 7.0);
    let fold = (line.from > 0).then(|| {
        view! { <path class="cache-fold" d=format!("M{:.1} 0l-2.5 3.5 3 3-3 3.5 2.5 4", BLOCK - 2.5) /> }
    });
    view! {
        <p class="cache" data-testid=format!("cache-{}", line.name)>
            <span class=format!("cache-name k-{}", line.name)>{line.title()}</span>
            <svg viewBox=format!("0 0 {WIDTH} 14") role="img" aria-label=line.spoken() preserveAspectRatio="xMinYMid meet">
                {held("cache-old", old, &block_of_old)}
                {fold}
                {held("cache-new", new, &block_of_new)}
                {cells(cut).view("cache-cut")}
                <path class="cache-strike" d=strikes />
                <path class="cache-free" d=free />
            </svg>
            <span class="cache-count"><b>{line.cache.len()}</b>" "<small>{line.change()}</small></span>
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(kept: usize, added: usize, cut: usize) -> Cache {
        Cache { kept, added, cut }
    }

    #[test]
    fn a_draft_that_lags_behind_what_is_drawn_one_by_one_has_nothing_there() {
        let silent = one_by_one(cache(30, 0, 0), 100);
        assert_eq!(silent, [100..100, 100..100, 100..100, 100..134]);
        let reads = one_by_one(cache(30, 80, 2), 100);
        assert_eq!(reads, [100..100, 100..110, 110..112, 112..134]);
    }

    #[test]
    fn more_than_there_is_room_for_ends_with_the_room() {
        let entries = one_by_one(cache(20, 30, 9), 0);
        assert_eq!(entries, [0..20, 20..34, 34..34, 34..34]);
    }

    #[test]
    fn the_block_shows_how_much_of_it_was_there_before() {
        assert_eq!(share_of_block(0..116, 100), Some(0.0..29.0));
        assert_eq!(share_of_block(0..50, 100), Some(0.0..14.5));
        assert_eq!(share_of_block(50..120, 100), Some(14.5..29.0));
        assert_eq!(share_of_block(116..122, 100), None);
        assert_eq!(share_of_block(0..7, 0), None);
    }
}
