//! What this page is, for whoever sees it for the first time.

use couplet_playback::{is_exact, tr};
use leptos::prelude::*;

use super::rule_formula::shown_settings;
use crate::browser;
use crate::lessons::{to_step, use_lessons};
use crate::share::use_sharing;
use crate::store::use_store;

const KEY: &str = "couplet-introduced";

/// Two sentences and a way on, until somebody closes them or has branched, which is when two texts
/// need their place.
#[component]
pub fn Introduction() -> impl IntoView {
    let (lessons, store) = (use_lessons(), use_store());
    let shown = RwSignal::new(browser::remembered(KEY).is_none() && !use_sharing().embed);
    let close = move |_| {
        shown.set(false);
        browser::remember(KEY, "1");
        browser::focus("#scene");
    };
    let free = move || {
        let branched = store.versions.list.with(|versions| !versions.is_empty());
        shown.get() && !branched && lessons.open.with(Option::is_none)
    };
    let settings = shown_settings(store);
    view! {
        <Show when=free>
            <section class="introduction" data-testid="introduction" aria-label=tr!("What this page shows")>
                <p>
                    {tr!("A small model pencils a few tokens ahead; a large one checks all in one pass, inks what it accepts and replaces the first it rejects.")}" "
                    {move || match settings.with(is_exact) {
                        true => tr!("So text can come sooner, exactly as likely as from the large one alone."),
                        false => tr!("So text can come sooner, but this rule changes how likely it is."),
                    }}
                </p>
                <button type="button" class="button" data-testid="first-lesson" on:click=move |_| {
                    lessons.go(0, 0);
                    to_step();
                }>
                    {tr!("Start lesson 1")}
                </button>
                <button type="button" class="icon-button" data-testid="introduced" aria-label=tr!("Hide this") title=tr!("Hide this") on:click=close>
                    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                        <path d="M5 5l10 10M15 5L5 15" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" />
                    </svg>
                </button>
            </section>
        </Show>
    }
}
