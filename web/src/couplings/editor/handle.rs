//! A handle: a slider on top of a bar, for mouse, touch and keyboard.

use couplet_playback::{decimal, tr};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, PointerEvent};

use super::bars::{BASE, Frame, TOP};
use crate::couplings::exhibit::{Exact, Row, use_exhibit};
use crate::projector;

/// How far a pointer moves before a handle follows, in pixels of the window: no finger lies still.
const STILL: f64 = 4.0;

/// Where and at which value a handle was taken hold of, which need not be in its middle.
#[derive(Clone, Copy)]
struct Grip {
    /// In pixels of the window, downwards.
    y: f64,
    value: f64,
    /// Whether the pointer has left the place.
    moves: bool,
}

impl Grip {
    /// What the value is with the pointer at a height, `scale` pixels of the window per probability;
    /// `None` while that is no movement. Whole thousandths read better than what a pixel happens to be.
    fn value_at(&mut self, y: f64, scale: f64) -> Option<f64> {
        let up = self.y - y;
        self.moves |= up.abs() >= STILL;
        let value = (self.value + up / scale).clamp(0.0, 1.0);
        self.moves.then(|| (value * 1000.0).round() / 1000.0)
    }
}

/// What a handle changes, in words.
pub fn name_of(exact: &Exact, row: Row, token: usize) -> String {
    let token = exact.label(token);
    match row {
        Row::Draft => tr!("draft of {}", token),
        Row::Target => tr!("target of {}", token),
    }
}

/// The handle of one token in one row.
#[component]
pub fn Handle(
    /// The distribution.
    row: Row,
    /// The token.
    token: usize,
    /// Where things are.
    frame: Memo<Frame>,
    /// The scale that is kept while a handle is moved.
    dragging: RwSignal<Option<f64>>,
    /// The handle that is moved.
    held: RwSignal<Option<(Row, usize)>>,
) -> impl IntoView {
    let exhibit = use_exhibit();
    let value = Memo::new(move |_| {
        exhibit
            .exact
            .with(|exact| exact.row(row).get(token).copied().unwrap_or(0.0))
    });
    let place = move || {
        let frame = frame.get();
        let (left, bar, shift) = frame.place(token);
        let y = BASE - value.get() * frame.scale;
        (left, bar, shift, y, frame.step())
    };
    let grip = StoredValue::new(None::<Grip>);
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let element: web_sys::Element = event_target(&event);
        let element = element
            .closest("[role=slider]")
            .ok()
            .flatten()
            .unwrap_or(element);
        let _ = element.set_pointer_capture(event.pointer_id());
        let _ = element.unchecked_ref::<web_sys::HtmlElement>().focus();
        exhibit.release();
        dragging.set(Some(frame.get_untracked().full));
        grip.set_value(Some(Grip {
            y: f64::from(event.client_y()),
            value: value.get_untracked(),
            moves: false,
        }));
    };
    let moved = move |event: PointerEvent| {
        let scale = frame.get_untracked().scale;
        // A little above the top of the scale no handle goes.
        let most = (BASE - TOP * 0.5) / scale;
        let y = f64::from(event.client_y());
        let to = |grip: &mut Option<Grip>| grip.as_mut()?.value_at(y, scale * projector::scale());
        if let Some(value) = grip.try_update_value(to).flatten() {
            let value = value.min(most);
            held.set(Some((row, token)));
            exhibit.edit(row, token, value);
        }
    };
    let up = move |_: PointerEvent| {
        if grip.get_value().is_some() {
            grip.set_value(None);
            dragging.set(None);
            held.set(None);
            exhibit.release();
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let step = if event.shift_key() { 0.001 } else { 0.01 };
        let now = value.get_untracked();
        let next = match event.key().as_str() {
            "ArrowUp" | "ArrowRight" => now + step,
            "ArrowDown" | "ArrowLeft" => now - step,
            // There a presenter's remote means the lesson.
            "PageUp" | "PageDown" if projector::is_on() => return,
            "PageUp" => now + 0.1,
            "PageDown" => now - 0.1,
            "Home" => 0.0,
            "End" => 1.0,
            _ => return,
        };
        event.prevent_default();
        exhibit.edit(row, token, (next * 1e6).round() / 1e6);
    };
    let shape = move || {
        let (left, bar, shift, y, step) = place();
        // Fingers get as much as there is, up to 44 pixels in height.
        let (hit_x, hit_width) = match row {
            Row::Draft => (left + (bar + shift) / 2.0 - step / 2.0, step / 2.0),
            Row::Target => (left + (bar + shift) / 2.0, step / 2.0),
        };
        let wide = hit_width.max(15.0);
        let hit_x = if row == Row::Draft {
            hit_x + hit_width - wide
        } else {
            hit_x
        };
        let hit = view! {
            <rect class="handle-hit" x=format!("{hit_x:.1}") y=format!("{:.1}", y - 22.0) width=format!("{wide:.1}") height="44" />
        };
        match row {
            Row::Draft => view! {
                {hit}
                <path class="handle draft" d=format!("M{:.1} {y:.1}H{:.1}", left - 3.0, left + bar - shift + 3.0) />
                <circle class="handle draft" cx=format!("{:.1}", left + 4.0_f64.min(bar / 3.0)) cy=format!("{y:.1}") r="6" />
            }
            .into_any(),
            Row::Target => view! {
                {hit}
                <path class="handle target" d=format!("M{:.1} {y:.1}H{:.1}", left + bar - 3.0, left + bar + shift + 3.0) />
                <rect class="handle target" x=format!("{:.1}", left + bar + shift - 11.0 + 4.0) y=format!("{:.1}", y - 5.5) width="11" height="11" rx="2" />
            }
            .into_any(),
        }
    };
    let name = row.name();
    let label = move || exhibit.exact.with(|exact| name_of(exact, row, token));
    view! {
        <g class="slider" role="slider" tabindex="0" data-testid=format!("handle-{name}-{token}")
            aria-label=label aria-valuemin="0" aria-valuemax="1" aria-orientation="vertical"
            aria-valuenow=move || format!("{:.3}", value.get()) aria-valuetext=move || decimal(value.get(), 3)
            // Inside a drawing the style touch-action is not enough to keep the page from scrolling.
            on:touchstart=move |event: web_sys::TouchEvent| event.prevent_default()
            on:pointerdown=down on:pointermove=moved on:pointerup=up on:pointercancel=up on:keydown=key
            on:blur=move |_| exhibit.release()>
            {shape}
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_keeps_its_value_under_whichever_part_of_it_is_held() {
        let held = Grip {
            y: 318.0,
            value: 0.1,
            moves: false,
        };
        let mut grip = held;
        assert_eq!(grip.value_at(319.0, 400.0), None, "no finger lies still");
        assert_eq!(grip.value_at(298.0, 400.0), Some(0.15));
        assert_eq!(grip.value_at(317.0, 400.0), Some(0.103), "it moves now");
        assert_eq!(grip.value_at(1000.0, 400.0), Some(0.0));
        assert_eq!(grip.value_at(-1000.0, 400.0), Some(1.0));
        // On a projector a pixel of the page is more than one of the window.
        assert_eq!({ held }.value_at(298.0, 800.0), Some(0.125));
    }
}
