//! Light, dark or as the system has it; remembered between visits.

use std::cell::Cell;

use couplet_playback::tr;
use leptos::prelude::*;

use crate::browser;
use crate::permalink;

const KEY: &str = "couplet-theme";
const ATTRIBUTE: &str = "data-theme";

thread_local! {
    static CHOSEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether somebody chose colours since the page was opened: what a link asked for no longer counts.
pub fn was_chosen() -> bool {
    CHOSEN.get()
}

/// Colours of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    Auto,
    /// Ink on paper.
    Light,
    /// Chalk on slate.
    Dark,
}

impl Theme {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// What the page wears: a link's colours, else the stored ones.
    fn worn() -> Self {
        let root = document().document_element();
        match root
            .and_then(|root| root.get_attribute(ATTRIBUTE))
            .as_deref()
        {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::Auto,
        }
    }

    fn apply(self) {
        if let Some(root) = document().document_element() {
            let _ = match self {
                Self::Auto => root.remove_attribute(ATTRIBUTE),
                theme => root.set_attribute(ATTRIBUTE, theme.name()),
            };
        }
        browser::remember(KEY, self.name());
    }
}

/// The button that changes the colours.
#[component]
pub fn ThemeToggle() -> impl IntoView {
    let theme = RwSignal::new(Theme::worn());
    let label = move || match theme.get() {
        Theme::Auto => tr!("Colours: auto"),
        Theme::Light => tr!("Colours: light"),
        Theme::Dark => tr!("Colours: dark"),
    };
    let change = move |_| {
        theme.update(|theme| *theme = theme.next());
        theme.get_untracked().apply();
        CHOSEN.set(true);
        permalink::write_view(false, |view| view.theme = None);
    };
    view! {
        <button type="button" class="icon-button" data-testid="theme" aria-label=label title=label on:click=change>
            <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                <circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.6" />
                <path
                    d=move || match theme.get() {
                        Theme::Auto => "M10 2.8v14.4M10 3a7 7 0 0 1 0 14z",
                        Theme::Light => "M10 2.8v14.4",
                        Theme::Dark => "M10 3a7 7 0 0 1 0 14a7 7 0 0 1 0-14z",
                    }
                    fill="currentColor" stroke="currentColor" stroke-width="1.4"
                />
            </svg>
        </button>
    }
}
