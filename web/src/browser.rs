//! What the page asks of its browser in several places: to remember, to scroll and to move the focus, to
//! fetch, and what it says of itself, its window and its styles.

use std::time::Duration;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Reflect, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortSignal, Element, FocusOptions, HtmlElement, PerformanceNavigation, RequestInit, Response,
    ScrollIntoViewOptions, ScrollLogicalPosition,
};

use crate::projector;

/// A text in JSON, in lines for people. The browser breaks them: to write every type in two ways makes
/// the page larger.
pub fn indented(json: &str) -> Option<String> {
    let value = js_sys::JSON::parse(json).ok()?;
    let text =
        js_sys::JSON::stringify_with_replacer_and_space(&value, &JsValue::NULL, &2.into()).ok()?;
    text.as_string()
}

/// What the browser remembers under a key; nothing where it remembers nothing at all.
pub fn remembered(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Has the browser remember a value, where it does.
pub fn remember(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, value);
    }
}

/// What the tab remembers under a key, until it is closed.
pub fn remembered_by_tab(key: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(key).ok()?
}

/// Has the tab remember a value, where it does and has room.
pub fn have_tab_remember(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = storage.set_item(key, value);
    }
}

/// What the browser says of itself under a name; `None` where it knows no such name.
pub fn navigator(name: &str) -> Option<JsValue> {
    let of = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    of(&of(&window(), "navigator")?, name).filter(|it| !it.is_undefined() && !it.is_null())
}

/// What time it is, in UTC: `2026-03-01T12:34:56.789Z`.
pub fn now() -> String {
    Date::new_0().to_iso_string().into()
}

/// Couplet's version, and after it the hash of this build's programs and scripts, where the page
/// knows it.
pub fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    build_hash().map_or_else(|| version.to_owned(), |hash| format!("{version} {hash}"))
}

/// The hash of this build's programs and scripts, the engine's included, in hexadecimal digits.
pub fn build_hash() -> Option<String> {
    let named = document().query_selector("meta[name=build]");
    named.ok().flatten()?.get_attribute("content")
}

/// Whether the browser shows the page again: loaded anew, or on a way back. It asks an interface that is
/// deprecated for one that tells more, since this is all that has to be known.
pub fn was_here() -> bool {
    let navigation = window().performance().map(|it| it.navigation());
    navigation.is_some_and(|it| it.type_() != PerformanceNavigation::TYPE_NAVIGATE)
}

/// Whether something stands over the page. Not by what the page knows: of a dialog that Escape has
/// closed it hears a moment later.
pub fn has_dialog() -> bool {
    let found = document().query_selector("dialog[open]");
    found.is_ok_and(|found| found.is_some())
}

/// Scrolls to the beginning of what a selector finds, once the page has settled, unless that can be
/// seen already.
pub fn show(selector: &'static str) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            let Some(element) = document().query_selector(selector).ok().flatten() else {
                return;
            };
            let top = element.get_bounding_client_rect().top();
            if !(0.0..=0.7 * window_height()).contains(&top) {
                jump(selector);
            }
        });
    });
}

/// Whether enough of what a selector finds is in the window to be looked at.
pub fn is_seen(selector: &str) -> bool {
    let Some(element) = document().query_selector(selector).ok().flatten() else {
        return false;
    };
    let (place, height) = (element.get_bounding_client_rect(), window_height());
    place.top() <= 0.7 * height && place.bottom() >= 0.3 * height
}

/// How high the window is, in pixels of the window.
pub fn window_height() -> f64 {
    let height = window().inner_height().ok();
    height.and_then(|height| height.as_f64()).unwrap_or(0.0)
}

/// Whether somebody points with a finger.
pub fn is_touched() -> bool {
    asks("(pointer: coarse)")
}

/// Whether a media query holds.
pub fn asks(query: &str) -> bool {
    let query = window().match_media(query).ok().flatten();
    query.is_some_and(|query| query.matches())
}

/// Whether the page is laid out for a hand: narrower than 700 px.
pub fn is_narrow() -> bool {
    let width = window().inner_width().ok();
    width
        .and_then(|width| width.as_f64())
        .is_some_and(|width| width < 700.0)
}

/// Puts the focus on what a selector finds, as [`focus_quietly`] does.
pub fn focus(selector: &str) -> bool {
    let element = document().query_selector(selector).ok().flatten();
    element.is_some_and(|element| focus_quietly(&element))
}

/// Unfolds the `<details>` that a selector finds, if there is one.
pub fn unfold(selector: &str) {
    if let Ok(Some(details)) = document().query_selector(selector) {
        let _ = details.set_attribute("open", "");
    }
}

/// Whether what a selector finds has the focus.
pub fn has_focus(selector: &str) -> bool {
    let focused = document().active_element();
    focused.is_some_and(|element| element.matches(selector).unwrap_or(false))
}

/// Puts the focus on an element, without scrolling there; tells whether it has it then: what is hidden
/// or disabled takes none.
pub fn focus_quietly(element: &Element) -> bool {
    let quietly = FocusOptions::new();
    quietly.set_prevent_scroll(true);
    // Parts of a drawing have the method too.
    let html: &HtmlElement = element.unchecked_ref();
    let _ = html.focus_with_options(&quietly);
    document().active_element().as_ref() == Some(element)
}

/// Scrolls as little as brings what a selector finds into view.
pub fn bring_near(selector: &str) {
    scroll_near(selector);
    // Asked for in a frame that changes the page, a browser may scroll nowhere.
    let selector = selector.to_owned();
    set_timeout(move || scroll_near(&selector), Duration::ZERO);
}

fn scroll_near(selector: &str) {
    if let Some(element) = document().query_selector(selector).ok().flatten() {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Scrolls what a selector finds by itself, as little as brings what another one finds within it into
/// view; tells whether that is enough for it to be in the window.
pub fn bring_near_within(frame: &str, selector: &str) -> bool {
    let found = |selector| document().query_selector(selector).ok().flatten();
    let (Some(frame), Some(element)) = (found(frame), found(selector)) else {
        return false;
    };
    let [around, within] = [&frame, &element].map(Element::get_bounding_client_rect);
    if around.bottom() > window_height() {
        return false;
    }
    let below = within.bottom() - around.bottom();
    if below <= 0.0 {
        return true;
    }
    let before = frame.scroll_top();
    frame.set_scroll_top(before + (below / projector::scale()).ceil() as i32 + FRAME_PX);
    frame.scroll_top() > before
}

/// What is left free below something that is brought into view in its frame: a lesson's fades there.
const FRAME_PX: i32 = 18;

/// The computed value of a style property of what a selector finds.
pub fn style_of(selector: &str, property: &str) -> Option<String> {
    let element = document().query_selector(selector).ok().flatten()?;
    let style = window().get_computed_style(&element).ok().flatten()?;
    style.get_property_value(property).ok()
}

/// Whether what a selector finds stays where it is when the page is scrolled.
pub fn is_fixed(selector: &str) -> bool {
    style_of(selector, "position").as_deref() == Some("fixed")
}

/// Scrolls what a selector finds back to its own beginning.
pub fn unscroll(selector: &str) {
    if let Some(element) = document().query_selector(selector).ok().flatten() {
        element.set_scroll_top(0);
    }
}

/// Scrolls to the beginning of what a selector finds.
pub fn jump(selector: &str) {
    if let Some(element) = document().query_selector(selector).ok().flatten() {
        element.scroll_into_view();
    }
}

/// Milliseconds before each further attempt to have a file of the page's server; what asks for those
/// of the engine shares no code with the page, so a test compares the numbers.
pub const WAITS_MS: [u32; 4] = [300, 1_000, 3_000, 6_000];

/// How long the first attempt at a file may take in all, in milliseconds: its request may have got lost.
const FIRST_LIMIT_MS: u32 = 10_000;

/// How long each further attempt may take, and after which time no other is made. Who has a line on which
/// these files take longer waits for no models either.
const LIMIT_MS: u32 = 60_000;

/// A file of the page's server, by an address relative to the page's.
///
/// # Errors
///
/// Why it cannot be had after several attempts, in a clause in English.
pub async fn fetch(address: &str) -> Result<Vec<u8>, String> {
    let until = Date::now() + f64::from(LIMIT_MS);
    let mut limit = FIRST_LIMIT_MS;
    let mut waits = WAITS_MS.into_iter();
    loop {
        let (why, may_pass) = match attempt(address, limit).await {
            Ok(bytes) => return Ok(bytes),
            Err(why) => why,
        };
        let may_pass = may_pass && Date::now() < until;
        let Some(wait) = waits.next().filter(|_| may_pass) else {
            return Err(why);
        };
        TimeoutFuture::new(wait).await;
        limit = LIMIT_MS;
    }
}

/// The file, or why it has not come and whether another attempt may fare better.
async fn attempt(address: &str, limit_ms: u32) -> Result<Vec<u8>, (String, bool)> {
    let broken = |_| ("the connection broke".to_owned(), true);
    let init = RequestInit::new();
    init.set_signal(Some(&AbortSignal::timeout_with_u32(limit_ms)));
    let response = JsFuture::from(window().fetch_with_str_and_init(address, &init))
        .await
        .map_err(broken)?;
    let response: Response = response.unchecked_into();
    if !response.ok() {
        let status = response.status();
        let may_pass = matches!(status, 408 | 425 | 429 | 500..);
        return Err((format!("the server answered {status}"), may_pass));
    }
    let buffer = JsFuture::from(response.array_buffer().map_err(broken)?)
        .await
        .map_err(broken)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_asked_for_at_one_pace() {
        let loader = include_str!("../../crates/worker/couplet-worker_loader.js");
        let models = include_str!("../../crates/model/src/arrival.rs");
        for (source, name) in [
            (loader, "const WAITS_MS = ["),
            (models, "const WAITS: [u32; 4] = ["),
        ] {
            let list = source
                .split_once(name)
                .and_then(|(_, rest)| rest.split_once(']'));
            let waits: Vec<u32> = (list
                .map(|(list, _)| list.replace('_', ""))
                .unwrap_or_default())
            .split(", ")
            .filter_map(|wait| wait.parse().ok())
            .collect();
            assert_eq!(waits, WAITS_MS, "{name}");
        }
    }
}
