//! The bars of both distributions, their scale and their letters.

use couplet_playback::{decimal, tr};
use leptos::html::Div;
use leptos::prelude::*;

use super::handle::Handle;
use crate::couplings::exhibit::{Exact, Row, use_exhibit};
use crate::projector;
use crate::stage::bars::bars;
use crate::width::width_of;
use crate::words::cut_to;

const HEIGHT: f64 = 214.0;
/// With words under the bars instead of letters.
const HEIGHT_WITH_WORDS: f64 = 232.0;
/// Where the bars stand.
pub const BASE: f64 = 182.0;
/// The top of the scale.
pub const TOP: f64 = 14.0;
/// Room for the numbers of the scale.
const RIGHT: f64 = 30.0;

/// Where things are in the drawing.
#[derive(Clone, Copy, PartialEq)]
pub struct Frame {
    width: f64,
    /// Pixels per probability.
    pub scale: f64,
    /// The probability at the top.
    pub full: f64,
    tokens: usize,
    /// Whether there are words under the bars, which are turned to fit.
    turned: bool,
}

impl Frame {
    fn new(width: f64, exact: &Exact, full: f64) -> Self {
        Self {
            width,
            scale: (BASE - TOP) / full,
            full,
            tokens: exact.len(),
            turned: {
                let longest = exact.labels.iter().map(|label| label.chars().count()).max();
                let step = (width - RIGHT) / exact.len() as f64;
                longest.is_some_and(|longest| longest > 2 && 6.0 + 9.5 * longest as f64 > step)
            },
        }
    }

    fn height(&self) -> f64 {
        if self.turned {
            HEIGHT_WITH_WORDS
        } else {
            HEIGHT
        }
    }

    /// The width that a token has.
    pub fn step(&self) -> f64 {
        (self.width - RIGHT) / self.tokens as f64
    }

    /// Where a token begins, how wide its bars are and how far the target's is to the right.
    pub fn place(&self, token: usize) -> (f64, f64, f64) {
        let step = self.step();
        let bar = (step * 0.42).clamp(1.6, 34.0);
        let shift = bar * 0.42;
        let left = token as f64 * step + (step - bar - shift) / 2.0;
        (left, bar, shift)
    }
}

/// A scale that leaves room above the highest bar.
fn full_for(largest: f64) -> f64 {
    let steps = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8];
    let wanted = largest * 1.12;
    steps
        .into_iter()
        .find(|full| *full >= wanted)
        .unwrap_or(1.06)
}

/// The drawing with its handles.
#[component]
pub fn Bars(
    /// Whether the tokens are so many that one of them has the handles.
    many: Memo<bool>,
    /// The handle that is moved.
    held: RwSignal<Option<(Row, usize)>>,
) -> impl IntoView {
    let exhibit = use_exhibit();
    let holder = NodeRef::<Div>::new();
    let width = width_of(holder, 470.0);
    // While a handle is moved the scale stands still: otherwise the bar would run from the pointer.
    let dragging = RwSignal::new(None::<f64>);
    let picked = RwSignal::new(0usize);
    let frame = Memo::new(move |_| {
        exhibit.exact.with(|exact| {
            let full = dragging.get().unwrap_or_else(|| full_for(exact.largest()));
            Frame::new(width.get(), exact, full)
        })
    });
    let tokens = Memo::new(move |_| exhibit.exact.with(|exact| exact.len()));
    Effect::new(move |_| {
        let tokens = tokens.get();
        // The handles begin where there is something to move.
        let likely = exhibit.exact.with_untracked(|exact| {
            let both = |token: &usize| {
                exact.pair.draft_probs()[*token] + exact.pair.target_probs()[*token]
            };
            (0..tokens).max_by(|a, b| both(a).total_cmp(&both(b)))
        });
        picked.set(likely.unwrap_or(0));
    });
    let handled = move || match many.get() {
        true => vec![picked.get().min(tokens.get() - 1)],
        false => (0..tokens.get()).collect(),
    };
    let handles = move || {
        handled()
            .into_iter()
            .flat_map(|token| [(Row::Draft, token), (Row::Target, token)])
            .map(|(row, token)| {
                view! { <Handle row=row token=token frame=frame dragging=dragging held=held /> }
            })
            .collect_view()
    };
    let pick = move |event: web_sys::MouseEvent| {
        if many.get_untracked()
            && let Some(holder) = holder.get_untracked()
        {
            let x = f64::from(event.client_x()) - holder.get_bounding_client_rect().left();
            let x = x / projector::scale();
            let frame = frame.get_untracked();
            let token = (x / frame.step()).floor().max(0.0) as usize;
            if token < frame.tokens {
                picked.set(token);
            }
        }
    };
    view! {
        <div class="editor-bars" node_ref=holder>
            <svg width=move || width.get() height=move || frame.get().height()
                viewBox=move || format!("0 0 {} {}", width.get(), frame.get().height()) role="group"
                aria-label=tr!("Two distributions; every handle is a slider") on:click=pick>
                {move || grid(frame.get())}
                {move || {
                    let marked = many.get().then(|| picked.get());
                    exhibit.exact.with(|exact| drawing(exact, frame.get(), marked))
                }}
                {handles}
            </svg>
        </div>
        <Show when=move || many.get()>
            <div class="field pick-letter">
                <label for="pick-letter">{tr!("handles of")}</label>
                <select id="pick-letter" data-testid="pick-letter" prop:value=move || picked.get().to_string()
                    on:change=move |event| picked.set(event_target_value(&event).parse().unwrap_or(0))>
                    {move || {
                        exhibit
                            .exact
                            .with(|exact| {
                                (0..exact.len())
                                    .map(|token| {
                                        view! {
                                            <option value=token.to_string() selected=move || picked.get() == token>
                                                {tr!(
                                                    "{label}: draft {draft}, target {target}",
                                                    label = exact.label(token),
                                                    draft = decimal(exact.pair.draft_probs()[token], 3),
                                                    target = decimal(exact.pair.target_probs()[token], 3)
                                                )}
                                            </option>
                                        }
                                    })
                                    .collect_view()
                            })
                    }}
                </select>
            </div>
        </Show>
    }
}

fn grid(frame: Frame) -> impl IntoView {
    let step = match frame.full {
        full if full <= 0.05 => 0.01,
        full if full <= 0.1 => 0.02,
        full if full <= 0.4 => 0.1,
        _ => 0.2,
    };
    let lines = (1..)
        .map(|index| index as f64 * step)
        .take_while(|value| *value < frame.full - step * 0.2)
        .map(|value| {
            let y = BASE - value * frame.scale;
            let digits = if step < 0.1 { 2 } else { 1 };
            view! {
                <path class="grid" d=format!("M0 {y:.1}H{:.1}", frame.width) />
                <text class="number small" x=format!("{:.1}", frame.width) y=format!("{:.1}", y - 4.0) text-anchor="end">
                    {decimal(value, digits)}
                </text>
            }
        })
        .collect_view();
    view! {
        {lines}
        <path class="axis" d=format!("M0 {}H{:.1}", BASE + 0.5, frame.width) />
    }
}

fn drawing(exact: &Exact, frame: Frame, marked: Option<usize>) -> impl IntoView + use<> {
    let step = frame.step();
    // Of many labels every so manieth is written.
    let needed = if frame.turned { 14.0 } else { 13.0 };
    let every = (needed / step).ceil().max(1.0) as usize;
    (0..exact.len())
        .map(|token| {
            let (left, bar, shift) = frame.place(token);
            let (draft, target) = (
                exact.pair.draft_probs()[token],
                exact.pair.target_probs()[token],
            );
            let middle = left + (bar + shift) / 2.0;
            let is_marked = marked == Some(token);
            let back = is_marked.then(|| {
                view! {
                    <rect class="hit acc" x=format!("{:.1}", token as f64 * step) y=TOP.to_string()
                        width=format!("{:.1}", step.max(3.0)) height=format!("{:.1}", frame.height() - TOP) />
                }
            });
            let beside = |marked: usize| marked.abs_diff(token) as f64 * step < needed;
            let written = is_marked || (token % every == 0 && !marked.is_some_and(beside));
            let label = written.then(|| {
                let large = step >= 24.0;
                let (class, anchor, y, turn) = match frame.turned {
                    true => ("letter tilted", "end", BASE + 12.0, Some(format!("rotate(-55 {middle:.1} {:.1})", BASE + 12.0))),
                    false if large => ("letter large", "middle", BASE + 22.0, None),
                    false => ("letter", "middle", BASE + 22.0, None),
                };
                view! {
                    <text class=class class:on=is_marked x=format!("{middle:.1}") y=format!("{y:.1}") text-anchor=anchor transform=turn>
                        {cut_to(&exact.label(token), 6)}
                    </text>
                }
            });
            view! {
                {back}
                {bars(left, BASE, frame.scale, draft, target, bar, shift)}
                {label}
            }
        })
        .collect_view()
}
