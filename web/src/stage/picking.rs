//! Picking a token of a distribution, to have it written instead of the one that stands there.

use leptos::prelude::*;
use tr::tr;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent};

use super::gauge::probability;
use super::inspector::{Place, areas};
use super::transport::focus_play;
use crate::browser;
use crate::store::{Selection, Store};

/// Whoever looks at a place of the text picks a token that is to be written there.
#[derive(Clone, Copy)]
pub struct Picking {
    store: Store,
    here: Memo<Option<Place>>,
    /// What room a chart for fingers has, as the type case is told.
    room: Memo<Option<f64>>,
    picked: RwSignal<Option<u32>>,
}

impl Picking {
    /// For the place that the inspector shows, in a chart of so much `room`.
    pub fn new(store: Store, here: Memo<Option<Place>>, room: Memo<Option<f64>>) -> Self {
        let picked = RwSignal::new(None);
        // At another place nothing is picked yet.
        Effect::new(move |_| {
            here.track();
            if picked.with_untracked(Option::is_some) {
                picked.set(None);
            }
        });
        Self {
            store,
            here,
            room,
            picked,
        }
    }

    fn pick(self, token: u32) {
        // Else the chart would be another one by the time the button is pressed.
        self.store.playhead.pause();
        self.picked.set(Some(token));
    }

    /// A token in a table, with room for a finger.
    pub fn button(self, token: u32) -> impl IntoView {
        let pressed = move || (self.picked.get() == Some(token)).to_string();
        let name = self.store.show(token);
        view! {
            <button type="button" class="pick-row" aria-pressed=pressed aria-label=self.store.say(token) title=tr!("Write it here instead")
                data-token=token.to_string() on:click=move |_| self.pick(token)>
                {name}
            </button>
        }
    }

    /// What can be done with the picked token at a place.
    pub fn offer(self, at: Selection, stands: Option<u32>) -> impl IntoView {
        let store = self.store;
        view! {
            <div class="offer" aria-live=move || self.picked.get().map(|_| "polite")>
                {move || match self.picked.get() {
                    None => view! { <p class="muted hint">{tr!("Pick a token to write it here instead")}</p> }.into_any(),
                    Some(token) if stands == Some(token) => view! {
                        <p class="muted">{tr!("“{}” stands here already", store.say(token))}</p>
                    }
                    .into_any(),
                    Some(token) => view! {
                        <button type="button" class="button" data-testid="force" aria-label=tr!("Write “{}” instead", store.say(token)) disabled=move || store.asking.wanted.get()
                            on:click=move |_| {
                                store.force(at, token);
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

    /// The areas of the chart's tokens, over its drawing. They stay while place follows place: made anew
    /// with every token they would cost more than all the rest, and whoever is on one would lose it.
    pub fn areas(self) -> impl IntoView {
        let Self {
            store,
            here,
            room,
            picked,
        } = self;
        let areas =
            Memo::new(move |_| here.with(|place| areas(store, place.as_ref()?, room.get())));
        let count = Memo::new(move |_| {
            areas.with(|areas| areas.as_ref().map_or(0, |areas| areas.tokens.len()))
        });
        let view_box = move || {
            areas.with(|areas| {
                areas
                    .as_ref()
                    .map(|areas| format!("0 0 {:.0} {:.0}", areas.width, areas.height))
            })
        };
        let on_click = move |event: MouseEvent| {
            if let Some((_, token)) = area_of(&event) {
                self.pick(token);
            }
        };
        let on_key = move |event: KeyboardEvent| {
            let Some((area, token)) = area_of(&event) else {
                return;
            };
            match event.key().as_str() {
                "Enter" | " " => self.pick(token),
                "ArrowRight" | "ArrowDown" => move_focus(area, true),
                "ArrowLeft" | "ArrowUp" => move_focus(area, false),
                "Home" => focus_end(&area, "first"),
                "End" => focus_end(&area, "last"),
                _ => return,
            }
            event.prevent_default();
        };
        let one = move |index: usize| {
            let token = Memo::new(move |_| {
                areas.with(|areas| areas.as_ref()?.tokens.get(index).map(|(token, _)| *token))
            });
            let label = Memo::new(move |_| {
                here.with(|place| Some(told(store, place.as_ref()?, token.get()?)))
            });
            let side = move |side: fn(&Area) -> f64| {
                move || {
                    areas.with(|areas| {
                        let (_, area) = areas.as_ref()?.tokens.get(index)?;
                        Some(format!("{:.1}", side(area)))
                    })
                }
            };
            let tabindex = move || {
                let entry = areas.with(|areas| areas.as_ref().map(|areas| areas.entry));
                let at = picked.get().or(entry);
                if token.get() == at { "0" } else { "-1" }
            };
            view! {
                <rect class="pick" role="button" tabindex=tabindex
                    aria-pressed=move || (picked.get().is_some() && picked.get() == token.get()).to_string()
                    aria-label=move || label.get() data-token=move || token.get().map(|token| token.to_string())
                    x=side(|area| area.x) y=side(|area| area.y) width=side(|area| area.width)
                    height=side(|area| area.height)>
                    <title>{move || label.get()}</title>
                </rect>
            }
        };
        view! {
            <Show when=move || { count.get() > 0 }>
                <svg class="figure areas" viewBox=view_box role="group" aria-label=tr!("Pick a token to write it here instead")
                    on:click=on_click on:keydown=on_key>
                    <For each=move || 0..count.get() key=|index| *index children=one />
                </svg>
            </Show>
        }
    }
}

/// Where everything in a chart is that can be picked.
#[derive(Clone, PartialEq)]
pub struct Areas {
    /// Of the chart, in its own units.
    pub width: f64,
    /// The same.
    pub height: f64,
    /// Tokens and where they are.
    pub tokens: Vec<(u32, Area)>,
    /// Where the keyboard enters.
    pub entry: u32,
}

/// A token and its probabilities, for who hovers over it or listens.
fn told(store: Store, place: &Place, token: u32) -> String {
    let [draft, target] = place
        .probs(token)
        .map(|prob| prob.map_or(tr!("unknown"), probability));
    tr!(
        "{token}: draft {draft}, target {target}",
        token = store.say(token),
        draft,
        target
    )
}

/// Where a token is in a chart.
#[derive(Clone, Copy, PartialEq)]
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

/// To the first or last token of the chart.
fn focus_end(area: &Element, which: &str) {
    let end = format!(".pick:{which}-of-type");
    if let Some(end) = area
        .parent_element()
        .and_then(|chart| chart.query_selector(&end).ok().flatten())
    {
        browser::focus_quietly(&end);
    }
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
