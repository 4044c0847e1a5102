//! Drawings in the pixels of the page, so that text keeps its size on a phone.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

/// The width of an element in pixels, `usual` until it is on the page.
pub fn width_of(element: NodeRef<Div>, usual: f64) -> Signal<f64> {
    let width = RwSignal::new(usual);
    let measure = move || {
        if let Some(Some(element)) = element.try_get_untracked() {
            // Not its rectangle in the window: a projector's page is enlarged.
            let found = f64::from(element.client_width());
            if found > 0.0 && (found - width.get_untracked()).abs() > 0.5 {
                width.set(found);
            }
        }
    };
    Effect::new(move |_| {
        if element.get().is_some() {
            request_animation_frame(measure);
        }
    });
    let resized = window_event_listener(ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());
    width.into()
}
