//! Drawings in the pixels of the page, so that text keeps its size on a phone.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::ResizeObserver;

/// The width of an element in pixels, `usual` until it is on the page: it follows the window, and
/// whatever else takes room or gives it back.
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
    // What is drawn anew in the midst of an observation could be observed without end.
    let changed = Closure::<dyn Fn()>::new(move || request_animation_frame(measure));
    let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
    let observed = StoredValue::new_local((observer, changed));
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            observed.with_value(|(observer, _)| {
                if let Some(observer) = observer {
                    observer.observe(&element);
                }
            });
        }
    });
    on_cleanup(move || {
        observed.try_with_value(|(observer, _)| {
            if let Some(observer) = observer {
                observer.disconnect();
            }
        });
    });
    width.into()
}
