use std::ops::Range;

use couplet_playback::{Glyph, Run, tr};
use leptos::html;
use leptos::prelude::*;

use super::bars::dots;
use super::icons::{Sign, mark};
use crate::projector;
use crate::store::{Store, use_store};
use crate::width::width_of;

/// Widths of a round. Where the target writes alone a round is one dot: then the widest is taken with
/// which all of them are in sight.
const COLUMNS: [f64; 3] = [20.0, 10.0, 5.3];
/// Left and right of all rounds together.
const ENDS: f64 = 8.0;
/// Width of a digit of the current round's number, at most.
const DIGIT: f64 = 7.5;

/// The width of a round of a run of so many, in a frame.
fn column_width(alone: bool, rounds: usize, frame: f64) -> f64 {
    let [usual, .., narrowest] = COLUMNS;
    if !alone {
        return usual;
    }
    let fits = |column: &f64| rounds as f64 * column + ENDS <= frame;
    COLUMNS.into_iter().find(fits).unwrap_or(narrowest)
}

/// Height of a token: as many as are usual fit, and more of them are lower.
fn cell(tallest: usize) -> f64 {
    const CELL: f64 = 8.2;
    const USUAL: usize = 8;
    CELL * (USUAL + 1) as f64 / (tallest.max(USUAL) + 1) as f64
}

/// One column per round: its height is the number of accepted tokens.
#[component]
pub fn Timeline() -> impl IntoView {
    let store = use_store();
    let scroller = NodeRef::<html::Div>::new();
    let tallest = Memo::new(move |_| {
        let drafted = store
            .run
            .with(|run| run.rounds().iter().map(|round| round.proposals.len()).max());
        let asked = store
            .form
            .gamma
            .with(|gamma| gamma.trim().parse::<usize>().unwrap_or(5).min(16));
        drafted.unwrap_or(asked).max(1)
    });
    let shown = Memo::new(move |_| store.state.with(|state| state.glyphs.len()));
    let total = Memo::new(move |_| store.run.with(|run| run.rounds().len()));
    // Room for rounds that are still to come, up to the edge.
    let width = width_of(scroller, 46.0 * COLUMNS[0]);
    let column = Memo::new(move |_| {
        let drafts = |run: &Run| run.rounds().iter().any(|round| !round.proposals.is_empty());
        column_width(!store.run.with(drafts), total.get(), width.get())
    });
    let slots = move || {
        let fit = ((width.get() - ENDS) / column.get()).floor().max(0.0) as usize;
        total.get().max(shown.get()).max(fit)
    };
    let whole = move || slots() as f64 * column.get() + ENDS;
    let height = move || (tallest.get() + 1) as f64 * cell(tallest.get()) + 24.0;
    let base = move || (tallest.get() + 1) as f64 * cell(tallest.get()) + 5.0;
    let view_box = move || format!("0 0 {:.0} {:.0}", whole(), height());
    let drawn =
        move |(_, x, tallest, glyph): (_, u64, _, _)| drawing(f64::from_bits(x), tallest, glyph);
    let glyphs = move || {
        let epoch = store.epoch.get();
        store.state.with(|state| {
            state
                .glyphs
                .iter()
                .enumerate()
                .map(|(index, glyph)| {
                    let x = center(index, column.get()).to_bits();
                    (epoch, x, tallest.get(), *glyph)
                })
                .collect::<Vec<_>>()
        })
    };
    Effect::new(move |_| {
        let x = shown.get() as f64 * column.get();
        // By the next frame the drawing is as wide as the run is long: before, there may be less to
        // scroll through.
        request_animation_frame(move || {
            let Some(scroller) = scroller.try_get_untracked().flatten() else {
                return;
            };
            let width = f64::from(scroller.client_width());
            let left = f64::from(scroller.scroll_left());
            if x > left + width - 30.0 || x < left + 30.0 {
                scroller.set_scroll_left((x - width * 0.7).max(0.0) as i32);
            }
        });
    });
    // What was watched and lies behind the playhead stays visible, so that it can be found again.
    let seen = Memo::new(move |_| {
        let furthest = store.playhead.furthest.get();
        let round = |run: &Run| run.step_at(furthest).map_or(0, |step| step.round + 1);
        store.run.with(round)
    });
    let ahead = move || {
        let epoch = store.epoch.get();
        let from = shown.get();
        store.run.with(|run| {
            let known = |round| {
                let x = center(round, column.get()).to_bits();
                Some((epoch, x, tallest.get(), run.glyph(round)?))
            };
            (from..seen.get()).filter_map(known).collect::<Vec<_>>()
        })
    };
    let scrubber = Scrubber {
        store,
        scroller,
        column,
    };
    let spoken = move || {
        let last = store.state.with(|state| state.glyphs.last().copied());
        spoken(last, shown.get(), total.get())
    };
    let dragging = StoredValue::new(false);
    let down = move |event: web_sys::PointerEvent| {
        // A finger scrolls; where it taps, the click says.
        if event.pointer_type() == "mouse" && event.button() == 0 {
            if let Some(scroller) = scroller.get_untracked() {
                let _ = scroller.set_pointer_capture(event.pointer_id());
            }
            dragging.set_value(true);
            scrubber.to(event.client_x());
        }
    };
    let drag = move |event: web_sys::PointerEvent| {
        if dragging.get_value() {
            scrubber.to(event.client_x());
        }
    };
    // Rounds that were not watched yet, and room for some that there are not yet.
    let behind = move || shown.get().max(seen.get());
    let ahead_dots = move |rounds: Range<usize>| {
        dots(
            rounds.map(|round| center(round, column.get())),
            base() - 3.0,
        )
    };
    view! {
        <div class="timeline" node_ref=scroller data-testid="timeline" role="slider" tabindex="0" aria-label=tr!("Rounds")
            aria-valuemin="0" aria-valuemax=move || total.get().to_string() aria-valuenow=move || shown.get().to_string()
            aria-valuetext=spoken on:click=move |event| scrubber.to(event.client_x()) on:pointerdown=down on:pointermove=drag
            on:pointerup=move |_| dragging.set_value(false) on:pointercancel=move |_| dragging.set_value(false)
            on:keydown=move |event| scrubber.on_key(&event, shown.get_untracked())>
            <svg class="tl" aria-hidden="true" viewBox=view_box
                width=move || format!("{:.0}", whole()) height=move || format!("{:.0}", height())>
                <path class="axis" d=move || format!("M4 {:.1}H{:.0}", base() + 1.5, whole() - 4.0) />
                <Show when=move || { shown.get() > 0 }>
                    <rect class="tl-now" x=move || format!("{:.0}", shown.get().saturating_sub(1) as f64 * column.get() + 3.0) y="1" width=move || format!("{:.0}", column.get() + 2.0)
                        height=move || format!("{:.1}", base() + 2.0) rx="4" />
                </Show>
                <For each=glyphs key=|glyph| *glyph children=drawn />
                <g class="tl-seen">
                    <For each=ahead key=|glyph| *glyph children=drawn />
                </g>
                <path class="tl-future known" d=move || ahead_dots(behind()..total.get().min(slots())) />
                <path class="tl-future" d=move || ahead_dots(behind().max(total.get())..slots()) />
                {move || numbers(slots(), shown.get(), column.get(), height() - 4.0)}
            </svg>
        </div>
    }
}

/// Room for a number, in pixels.
const NUMBER: f64 = 26.0;

/// Numbers below every fifth round that was shown, and below the last one.
fn numbers(slots: usize, shown: usize, column: f64, y: f64) -> impl IntoView {
    (0..slots.min(shown))
        .map(|index| index + 1)
        // Next to the last one there is no room for another.
        .filter(move |round| {
            let has_room = || (shown - round) as f64 * column > NUMBER;
            *round == shown || round % 5 == 0 && has_room()
        })
        .map(move |round| {
            // The last one ends with the drawing.
            let half = 0.5 * DIGIT * round.to_string().len() as f64;
            let x = center(round - 1, column).min(slots as f64 * column + ENDS - half);
            view! {
                <text class="number" class:on=round == shown x=format!("{x:.1}") y=format!("{y:.1}")
                    text-anchor="middle">
                    {round}
                </text>
            }
        })
        .collect_view()
}

/// Where the playhead stands, for a listener: after the round with the last glyph.
fn spoken(last: Option<Glyph>, count: usize, total: usize) -> String {
    let Some(glyph) = last else {
        return tr!("before the only round" | "before the first of {n} rounds" % total);
    };
    let (accepted, drafted) = (glyph.accepted, glyph.drafted);
    match glyph.bonus {
        Some(_) if drafted == 0 => tr!(
            "round {count} of {total}: one token by the target alone",
            count,
            total
        ),
        Some(true) => tr!(
            "round {count} of {total}: {accepted} of {drafted} kept, and a bonus",
            count,
            total,
            accepted,
            drafted
        ),
        Some(false) => tr!(
            "round {count} of {total}: {accepted} of {drafted} kept, and one replaced",
            count,
            total,
            accepted,
            drafted
        ),
        None => tr!(
            "round {count} of {total}: {accepted} of {drafted} kept",
            count,
            total,
            accepted,
            drafted
        ),
    }
}

/// Takes the playhead to the end of a round, by its index, or of the last one there is.
pub fn go_to_round(store: Store, round: usize) {
    let known = store.run.with_untracked(|run| run.rounds().len());
    if let Some(last) = known.checked_sub(1) {
        let end = |run: &Run| run.end_of(round.min(last));
        store.playhead.go(store.run.with_untracked(end));
    }
}

/// Takes the playhead to rounds, by pointer and by key.
#[derive(Clone, Copy)]
struct Scrubber {
    store: Store,
    scroller: NodeRef<html::Div>,
    /// The width of a round.
    column: Memo<f64>,
}

impl Scrubber {
    fn to_round(self, round: usize) {
        go_to_round(self.store, round);
    }

    /// To the round at a place of the window, in pixels.
    fn to(self, client_x: i32) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let inside = f64::from(client_x) - scroller.get_bounding_client_rect().left();
        let x = inside / projector::scale() + f64::from(scroller.scroll_left());
        self.to_round(
            ((x - ENDS / 2.0) / self.column.get_untracked())
                .floor()
                .max(0.0) as usize,
        );
    }

    fn on_key(self, event: &web_sys::KeyboardEvent, shown: usize) {
        if event.shift_key() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        // Where a round ends, all of it is judged: only there does the value say what became of it.
        match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => self.to_round(shown),
            "ArrowLeft" | "ArrowDown" if shown < 2 => self.store.playhead.go(0),
            "ArrowLeft" | "ArrowDown" => self.to_round(shown - 2),
            // There a presenter's remote means the next step by it.
            "PageUp" | "PageDown" if projector::is_on() => return,
            "PageUp" => self.to_round(shown + 4),
            "PageDown" => self.to_round(shown.saturating_sub(6)),
            _ => return,
        }
        event.prevent_default();
    }
}

fn center(index: usize, column: f64) -> f64 {
    (index as f64 + 0.5) * column + ENDS / 2.0
}

/// A round at a place.
fn drawing(x: f64, tallest: usize, glyph: Glyph) -> impl IntoView {
    let cell = cell(tallest);
    let y = move |row: usize| (tallest + 1) as f64 * cell + 5.0 - (row as f64 + 0.5) * cell;
    let accepted = (0..glyph.accepted)
        .map(|row| {
            view! {
                <rect class="tl-accepted" x=format!("{:.1}", x - 6.0) y=format!("{:.1}", y(row) - 0.35 * cell) width="12"
                    height=format!("{:.1}", 0.7 * cell) rx="1" />
            }
        })
        .collect_view();
    let open = usize::from(glyph.bonus == Some(false));
    let discarded = (glyph.accepted + open..glyph.drafted)
        .map(|row| view! { <circle class="tl-discarded" cx=format!("{x:.1}") cy=format!("{:.1}", y(row)) r="1.7" /> })
        .collect_view();
    // Behind no drafted token it is no bonus for any.
    let alone = glyph.drafted == 0 && glyph.bonus == Some(true);
    let alone = alone.then(|| {
        view! { <circle class="tl-alone" cx=format!("{x:.1}") cy=format!("{:.1}", y(0)) r="2.6" /> }
    });
    let bonus = glyph.bonus.filter(|_| alone.is_none());
    let closing = bonus.map(|bonus| {
        let (sign, size) = if bonus {
            (Sign::Bonus, 10.5)
        } else {
            (Sign::Resampled, 9.0)
        };
        mark(sign, x, y(glyph.accepted), size)
    });
    view! { <g>{accepted}{discarded}{closing}{alone}</g> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_of_a_target_that_writes_alone_are_all_in_sight_where_they_can_be() {
        assert_eq!(column_width(false, 120, 663.0), 20.0);
        assert_eq!(column_width(true, 30, 663.0), 20.0);
        assert_eq!(column_width(true, 60, 663.0), 10.0);
        // The recorded run in the lesson, on a projector of 1024 by 768.
        let column = column_width(true, 120, 663.0);
        assert!(center(119, column) + 2.6 <= 663.0);
        // On a phone there is a way to scroll.
        assert_eq!(column_width(true, 120, 350.0), column);
    }
}
