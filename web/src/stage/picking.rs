//! Picking a token of a distribution, to have it written instead of the one that stands there.

use couplet_playback::tr;
use leptos::prelude::*;
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
    /// The token that has the focus, in the chart or in a table.
    focused: RwSignal<Option<u32>>,
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
            focused: RwSignal::new(None),
        }
    }

    fn pick(self, token: u32) {
        // Else the chart would be another one by the time the button is pressed.
        self.store.playhead.pause();
        self.picked.set(Some(token));
    }

    /// Where Tab stops among these tokens: at the one that has the focus, so that it leads on from there,
    /// else at the one that is picked, else at the `entry`.
    pub fn stop(self, tokens: &[u32], entry: Option<u32>) -> Option<u32> {
        let among = |token: &u32| tokens.contains(token);
        let (focused, picked) = (self.focused.get(), self.picked.get());
        focused.filter(among).or(picked.filter(among)).or(entry)
    }

    /// A token in a table, with room for a finger. Tab stops at one of them.
    pub fn button(self, token: u32, stop: Memo<Option<u32>>) -> impl IntoView {
        let pressed = move || (self.picked.get() == Some(token)).to_string();
        let name = self.store.show(token);
        view! {
            <button type="button" class="pick-row" aria-pressed=pressed aria-label=self.store.say(token) title=tr!("Write it here instead")
                tabindex=move || tabindex(stop.get() == Some(token)) data-token=token.to_string()
                on:focus=move |_| self.focused.set(Some(token)) on:blur=move |_| self.focused.set(None)
                on:keydown=rove on:click=move |_| self.pick(token)>
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
                        <button type="button" class="button" data-testid="force" aria-label=tr!("Write “{}” instead", store.say(token)) disabled=move || store.is_waiting()
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
            ..
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
        let on_key = move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" | " " => {
                if let Some((_, token)) = area_of(&event) {
                    event.prevent_default();
                    self.pick(token);
                }
            }
            _ => rove(event),
        };
        let stop = Memo::new(move |_| {
            areas.with(|areas| {
                let areas = areas.as_ref()?;
                let tokens: Vec<u32> = areas.tokens.iter().map(|(token, _)| *token).collect();
                self.stop(&tokens, Some(areas.entry))
            })
        });
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
            view! {
                <rect class="pick" role="button" tabindex=move || tabindex(token.get() == stop.get())
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
                    on:click=on_click on:keydown=on_key on:focusout=move |_| self.focused.set(None)
                    on:focusin=move |event| self.focused.set(area_of(&event).map(|(_, token)| token))>
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

/// Of many that keys go through, Tab stops at one.
pub fn tabindex(stops: bool) -> &'static str {
    if stops { "0" } else { "-1" }
}

/// Keys that go from one to another of what stands in the rows of a table, or in a drawing. The playhead
/// stays where it is; it is what the arrows to the left and right move in a table.
pub fn rove(event: KeyboardEvent) {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let Some(at) = target.filter(|_| !is_modified(&event)) else {
        return;
    };
    let row = at.closest("tr").ok().flatten();
    let (in_table, at) = (row.is_some(), row.unwrap_or(at));
    let around = || at.parent_element();
    let to = match event.key().as_str() {
        "ArrowLeft" | "ArrowRight" if in_table => return,
        "ArrowRight" | "ArrowDown" => seek(at.next_element_sibling(), true),
        "ArrowLeft" | "ArrowUp" => seek(at.previous_element_sibling(), false),
        "Home" => around().and_then(|around| seek(around.first_element_child(), true)),
        "End" => around().and_then(|around| seek(around.last_element_child(), false)),
        _ => return,
    };
    event.prevent_default();
    if let Some(to) = to {
        // Elements of a drawing take the focus just as others do.
        let _ = to.unchecked_ref::<HtmlElement>().focus();
    }
}

fn is_modified(event: &KeyboardEvent) -> bool {
    event.shift_key() || event.ctrl_key() || event.meta_key() || event.alt_key()
}

/// The first from here on, in a direction, that can have the focus.
fn seek(mut at: Option<Element>, forward: bool) -> Option<Element> {
    while let Some(here) = at {
        if here.matches(".pick").unwrap_or(false) {
            return Some(here);
        }
        if let Ok(Some(button)) = here.query_selector(".pick-row") {
            return Some(button);
        }
        at = if forward {
            here.next_element_sibling()
        } else {
            here.previous_element_sibling()
        };
    }
    None
}
