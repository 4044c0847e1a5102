//! Letters for the last row of a lecture hall. `web/inline/look.js` enlarges; here is the button,
//! and the address remembers.

use couplet_playback::tr;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::permalink;

const ATTRIBUTE: &str = "data-projector";

/// Whether the page is enlarged.
pub fn is_on() -> bool {
    let root = document().document_element();
    root.is_some_and(|root| root.has_attribute(ATTRIBUTE))
}

/// How many pixels of the window one of the page is: what a pointer's place must be divided by.
pub fn scale() -> f64 {
    let zoom = document()
        .document_element()
        .and_then(|root| js_sys::Reflect::get(&root, &JsValue::from_str("currentCSSZoom")).ok())
        .and_then(|zoom| zoom.as_f64());
    zoom.filter(|zoom| *zoom > 0.0).unwrap_or(1.0)
}

fn switch(on: bool) {
    if let Some(root) = document().document_element() {
        let _ = match on {
            true => root.set_attribute(ATTRIBUTE, ""),
            false => root.remove_attribute(ATTRIBUTE),
        };
    }
    if let Ok(event) = web_sys::Event::new("couplet-projector") {
        let _ = window().dispatch_event(&event);
    }
    permalink::write_view(false, |view| view.projector = on);
}

/// The button that enlarges the page.
#[component]
pub fn ProjectorToggle() -> impl IntoView {
    let on = RwSignal::new(is_on());
    let change = move |_| {
        on.update(|on| *on = !*on);
        switch(on.get_untracked());
    };
    view! {
        <button type="button" class="icon-button" data-testid="projector" aria-label=tr!("Large letters, for a projector")
            title=tr!("Large letters, for a projector") aria-pressed=move || on.get().to_string() on:click=change>
            <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                <path d="M1.6 15.6 5.2 6.4h.8l3.6 9.2M2.9 12.4h5.4" fill="none" stroke="currentColor" stroke-width="1.5" />
                <path d="M9.4 15.6 13.6 3.4h1l4.2 12.2M11 11.4h6.2" fill="none" stroke="currentColor" stroke-width="1.9" />
            </svg>
        </button>
    }
}
