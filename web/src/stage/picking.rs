//! Picking a token of a distribution, to have it written instead of the one that stands there.

use leptos::prelude::*;
use tr::tr;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent};

use super::gauge::probability;
use super::transport::focus_play;
use crate::browser;
use crate::store::{Selection, Store};

/// A place of the text at which another token can be written.
#[derive(Clone, Copy)]
pub struct Picking {
    store: Store,
    place: Selection,
    /// What stands there at the playhead.
    stands: Option<u32>,
    /// Where the keyboard enters the chart.
    entry: u32,
    picked: RwSignal<Option<u32>>,
}

impl Picking {
    /// A place, what stands there, and the token by which the keyboard enters.
    pub fn new(store: Store, place: Selection, stands: Option<u32>, entry: u32) -> Self {
        Self {
            store,
            place,
            stands,
            entry,
            picked: RwSignal::new(None),
        }
    }

    fn pick(self, token: u32) {
        // Else the chart would be another one by the time the button is pressed.
        self.store.playhead.pause();
        self.picked.set(Some(token));
    }

    /// A press somewhere in a chart, which hears for all its areas: there are too many of them to be
    /// given ears of their own with every token.
    pub fn on_click(picking: Option<Self>, event: &MouseEvent) {
        if let Some((picking, (_, token))) = picking.zip(area_of(event)) {
            picking.pick(token);
        }
    }

    /// A key in a chart.
    pub fn on_key(picking: Option<Self>, event: &KeyboardEvent) {
        let Some((picking, (area, token))) = picking.zip(area_of(event)) else {
            return;
        };
        match event.key().as_str() {
            "Enter" | " " => picking.pick(token),
            "ArrowRight" | "ArrowDown" => move_focus(area, true),
            "ArrowLeft" | "ArrowUp" => move_focus(area, false),
            _ => return,
        }
        event.prevent_default();
    }

    /// The area of a token in a chart.
    pub fn area(self, token: u32, area: Area, probs: [Option<f32>; 2]) -> AnyView {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        let [draft, target] = probs.map(|prob| prob.map_or(tr!("unknown"), probability));
        let label = tr!(
            "{token}: draft {draft}, target {target}",
            token = self.store.show(token),
            draft,
            target
        );
        let tip = label.clone();
        let pressed = move || (self.picked.get() == Some(token)).to_string();
        let tabindex = move || {
            let at = self.picked.get().unwrap_or(self.entry);
            if at == token { "0" } else { "-1" }
        };
        view! {
            <rect class="pick" role="button" tabindex=tabindex aria-pressed=pressed aria-label=label
                data-token=token.to_string() x=format!("{x:.1}") y=format!("{y:.1}") width=format!("{width:.1}")
                height=format!("{height:.1}")>
                <title>{tip}</title>
            </rect>
        }
        .into_any()
    }

    /// A token in a table, with room for a finger.
    pub fn button(self, token: u32) -> impl IntoView {
        let pressed = move || (self.picked.get() == Some(token)).to_string();
        let name = self.store.show(token);
        view! {
            <button type="button" class="pick-row" aria-pressed=pressed title=tr!("Write it here instead")
                data-token=token.to_string() on:click=move |_| self.pick(token)>
                {name}
            </button>
        }
    }

    /// What can be done with the picked token.
    pub fn offer(self) -> impl IntoView {
        let store = self.store;
        view! {
            <div class="offer" aria-live=move || self.picked.get().map(|_| "polite")>
                {move || match self.picked.get() {
                    None => view! { <p class="muted">{tr!("Pick a token to write it here instead")}</p> }.into_any(),
                    Some(token) if self.stands == Some(token) => view! {
                        <p class="muted">{tr!("“{}” stands here already", store.show(token))}</p>
                    }
                    .into_any(),
                    Some(token) => view! {
                        <button type="button" class="button" data-testid="force" disabled=move || store.wanted.get()
                            on:click=move |_| {
                                store.force(self.place, token);
                                focus_play();
                                browser::show("#manuscript");
                            }>
                            {tr!("Write “{}” instead", store.show(token))}
                        </button>
                    }
                    .into_any(),
                }}
            </div>
        }
    }
}

/// Where a token is in a chart.
#[derive(Clone, Copy)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// The area in which something happened, and its token.
fn area_of(event: &Event) -> Option<(Element, u32)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let area = target.closest(".pick").ok()??;
    let token = area.get_attribute("data-token")?.parse().ok()?;
    Some((area, token))
}

/// To the next or previous token of the chart. The playhead stays where it is.
fn move_focus(area: Element, forward: bool) {
    let mut at = Some(area);
    while let Some(here) = at {
        at = if forward {
            here.next_element_sibling()
        } else {
            here.previous_element_sibling()
        };
        if let Some(next) = at
            .as_ref()
            .filter(|next| next.class_list().contains("pick"))
        {
            // Elements of a drawing take the focus just as others do.
            let _ = next.unchecked_ref::<HtmlElement>().focus();
            return;
        }
    }
}
