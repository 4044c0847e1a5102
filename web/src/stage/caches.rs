//! The caches of both models: how they grow with a round, and what a rejection leaves to be overwritten.

use couplet_playback::Cache;
use couplet_protocol::Drafter;
use leptos::prelude::*;
use tr::tr;

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
        let line = |name, cache| Line { name, cache, from };
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

fn line(line: Line) -> impl IntoView {
    let Cache { kept, added, cut } = line.cache;
    let x = |entry: usize| BLOCK + (entry - line.from) as f64 * CELL;
    let draft = line.of_draft();
    let cell = |entry: usize, class: &'static str| {
        view! {
            <rect class=class x=format!("{:.1}", x(entry)) y="1" width=format!("{:.1}", CELL - GAP) height=HEIGHT.to_string() />
        }
    };
    let (back, over) = if draft {
        ("bar-draft", Some("bar-hatch"))
    } else {
        ("bar-target", None)
    };
    let end = line.from + CELLS;
    let holds = (line.from..(kept + added).min(end))
        .map(|entry| {
            let new = if entry >= kept {
                "cache-new"
            } else {
                "cache-old"
            };
            view! {
                <g class=new>
                    {cell(entry, back)}
                    {over.map(|over| cell(entry, over))}
                    {draft.then(|| cell(entry, "bar-outline"))}
                </g>
            }
        })
        .collect_view();
    let lost = ((kept + added).max(line.from)..(kept + added + cut).min(end))
        .map(|entry| {
            let left = x(entry);
            view! {
                {cell(entry, "cache-cut")}
                <path class="cache-strike" d=format!("M{:.1} 12L{:.1} 2", left + 0.6, left + CELL - GAP - 0.6) />
            }
        })
        .collect_view();
    let free = ((kept + added + cut).max(line.from)..end)
        .map(|entry| view! { <circle class="cache-free" cx=format!("{:.1}", x(entry) + 3.0) cy="7" r="0.8" /> })
        .collect_view();
    let block = (line.from > 0).then(|| {
        view! {
            <g class="cache-old">
                <rect class=back x="0" y="1" width=format!("{:.1}", BLOCK - 5.0) height=HEIGHT.to_string() />
                {over.map(|over| view! { <rect class=over x="0" y="1" width=format!("{:.1}", BLOCK - 5.0) height=HEIGHT.to_string() /> })}
            </g>
            <path class="cache-fold" d=format!("M{:.1} 0l-2.5 3.5 3 3-3 3.5 2.5 4", BLOCK - 2.5) />
        }
    });
    view! {
        <p class="cache" data-testid=format!("cache-{}", line.name)>
            <span class=format!("cache-name k-{}", line.name)>{line.title()}</span>
            <svg viewBox=format!("0 0 {WIDTH} 14") role="img" aria-label=line.spoken() preserveAspectRatio="xMinYMid meet">
                {block}{holds}{lost}{free}
            </svg>
            <span class="cache-count"><b>{line.cache.len()}</b>" "<small>{line.change()}</small></span>
        </p>
    }
}
