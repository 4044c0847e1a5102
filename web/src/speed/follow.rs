//! Where a person looks who has something timed: at how far it is, then at what came of it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, ScrollBehavior, ScrollIntoViewOptions};

use super::state::SpeedState;
use crate::browser;
use crate::playhead::reduced_motion;

/// The progress and the way to stop it.
const PROGRESS: &str = ".timing";

/// What a measurement can end with, most telling first: also with what is beside a file's.
const ENDS: [&str; 4] = [
    ".speed-failed",
    ":has([data-testid=from-file]) ~ * #other-title",
    "#race-title",
    "#invitation-title",
];

/// Brings into view, and under the focus, what the measurement that was asked for here shows:
/// its progress when it begins, its result when it ends. Whoever is busy with something else on
/// the page by then is left alone.
pub fn follow(speed: SpeedState) {
    let busy = Memo::new(move |_| speed.is_busy());
    Effect::new(move |before: Option<bool>| {
        let busy = busy.get();
        if before.is_some_and(|before| before != busy) && speed.awaited.get_value() {
            // By then it is on the page.
            request_animation_frame(move || if busy { begun() } else { ended(speed) });
        }
        busy
    });
}

fn begun() {
    if let Some(progress) = found(PROGRESS) {
        // Nothing moves while the engine is timed.
        bring(&progress, ScrollBehavior::Instant);
    }
}

fn ended(speed: SpeedState) {
    speed.awaited.set_value(false);
    let Some(end) = ENDS.into_iter().find_map(found) else {
        return;
    };
    if is_elsewhere() {
        return;
    }
    let behavior = if reduced_motion() {
        ScrollBehavior::Instant
    } else {
        ScrollBehavior::Smooth
    };
    bring(&end, behavior);
}

fn found(selector: &str) -> Option<HtmlElement> {
    let element = document().query_selector(selector).ok().flatten()?;
    element.dyn_into().ok()
}

/// Whether the focus is on something that is still there. The progress has gone, and with it the
/// focus of whoever only waited.
fn is_elsewhere() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| {
        !matches!(active.tag_name().as_str(), "BODY" | "HTML")
            && !active.matches(":disabled").unwrap_or(false)
    })
}

fn bring(element: &HtmlElement, behavior: ScrollBehavior) {
    if !element.has_attribute("tabindex") {
        let _ = element.set_attribute("tabindex", "-1");
    }
    browser::focus_quietly(element);
    if is_in_view(element) {
        return;
    }
    let options = ScrollIntoViewOptions::new();
    options.set_behavior(behavior);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

fn is_in_view(element: &Element) -> bool {
    let area = element.get_bounding_client_rect();
    area.top() >= 0.0 && area.bottom() <= browser::window_height()
}
