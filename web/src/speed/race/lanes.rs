//! The drawing of the two lanes.

use couplet_playback::{decimal, tr};
use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;

use super::clock::Clock;
use super::layout::{Lane, Look, MARGIN, Origin, Track, places};
use crate::axis::round_step;
use crate::speed::words;
use crate::stage::{Sign, mark};

/// Base line of the letters of each lane.
const LETTERS: [f64; 2] = [38.0, 104.0];
/// The line that the target alone writes on.
const LINE: f64 = 49.5;
/// Top and bottom of the blocks under the speculative lane.
const BLOCKS: [f64; 2] = [126.0, 148.0];
/// The time axis.
const AXIS: f64 = 168.5;
/// Height of the whole.
const HEIGHT: f64 = 192.0;

/// Both lanes; time moves the cut line, and what lies behind it is not there yet.
pub fn drawing(
    track: &Arc<Track>,
    clock: Clock,
    scroller: NodeRef<html::Div>,
) -> impl IntoView + use<> {
    let at = {
        let track = track.clone();
        Memo::new(move |_| track.time(clock.at.get()))
    };
    let x = {
        let track = track.clone();
        Memo::new(move |_| track.x(at.get().min(track.end)))
    };
    // The cut line stays in sight, wherever it is moved to.
    Effect::new(move |_| {
        let x = x.get();
        let Some(scroller) = scroller.get() else {
            return;
        };
        let playing = clock.playing.get_untracked();
        request_animation_frame(move || {
            let left = f64::from(scroller.scroll_left());
            let width = f64::from(scroller.client_width());
            if x > left + width - 60.0 || x < left {
                let room = if playing { 0.75 * width } else { 60.0 };
                scroller.set_scroll_left((x - width + room).max(0.0) as i32);
            }
        });
    });
    let label = {
        let track = track.clone();
        move || {
            let at = at.get();
            tr!(
                "After {} milliseconds the target alone has written {} tokens and speculation {}.",
                words::milliseconds(at),
                track.lanes[0].tokens_at(at),
                track.lanes[1].tokens_at(at)
            )
        }
    };
    let (width, height) = (format!("{:.0}", track.width), format!("{HEIGHT:.0}"));
    // Near the right edge the time stands left of the line.
    let flip = {
        let edge = track.width - 70.0;
        move || {
            if x.get() > edge {
                ("end", -5)
            } else {
                ("start", 5)
            }
        }
    };
    // The newest letters and what stands under them are left out of it.
    let [one, other] = LETTERS;
    let cut = format!(
        "M0 16V{:.0}M0 {:.0}V{:.0}M0 {:.0}V{AXIS}",
        one - 15.0,
        one + 6.0,
        other - 15.0,
        other + 19.0
    );
    let line = move || format!("translate({:.1} 0)", x.get());
    view! {
        <svg class="race-drawing" class:whole=track.look == Look::Whole role="img" aria-label=label viewBox=format!("0 0 {width} {height}") width=width.clone()
            height=height>
            <path class="grid" d=format!("M{MARGIN} {LINE}H{:.1}", track.width - MARGIN) />
            {alone(track, at)}
            {speculative(track, at)}
            <clipPath id="race-past">
                <rect x="0" y="0" width=move || format!("{:.1}", x.get()) height="200" />
            </clipPath>
            <g clip-path="url(#race-past)">{blocks(track)}</g>
            {axis(track)}
            <g class="race-cut" transform=line>
                <path d=cut />
                <text class="number strong" x=move || flip().1 y="13" text-anchor=move || flip().0>
                    {move || format!("{} ms", words::milliseconds(at.get()))}
                </text>
            </g>
        </svg>
    }
}

fn there(track: &Arc<Track>, lane: usize, at: Memo<f64>) -> Memo<usize> {
    let track = track.clone();
    Memo::new(move |_| track.lanes[lane].rounds_at(at.get()))
}

/// The rounds that the drawing has room for.
fn drawn<'a>(
    track: &Track,
    lane: &'a Lane,
) -> impl Iterator<Item = (usize, &'a super::layout::Round)> {
    let end = track.end;
    lane.rounds
        .iter()
        .enumerate()
        .take_while(move |(_, round)| round.end <= end)
}

fn alone(track: &Arc<Track>, at: Memo<f64>) -> impl IntoView + use<> {
    let there = there(track, 0, at);
    let places = places(&track.lanes[0], track);
    drawn(track, &track.lanes[0])
        .map(|(index, round)| {
            let x = track.x(round.end);
            let single = round.letters.len() == 1
                && round.letters.iter().all(|letter| letter.text.chars().count() == 1);
            let text: String = round.letters.iter().map(|letter| letter.text.as_str()).collect();
            let anchor = if single { "middle" } else { "end" };
            // Seen as a whole, letters end where their round does, as those of the other lane.
            let placed = places[index].last().filter(|_| track.look == Look::Whole);
            let at = placed.map_or(x, |(middle, width)| middle + if single { 0.0 } else { width / 2.0 });
            let text = track.lettered.then(|| {
                view! { <text class="race-letter" x=format!("{at:.1}") y=LETTERS[0] text-anchor=anchor>{text}</text> }
            });
            view! {
                <g class:later=move || there.get() <= index>
                    {text}
                    <path class="race-tick" d=format!("M{x:.1} {:.1}v7", LINE - 2.0) />
                </g>
            }
        })
        .collect_view()
}

fn speculative(track: &Arc<Track>, at: Memo<f64>) -> impl IntoView + use<> {
    let there = there(track, 1, at);
    let all = places(&track.lanes[1], track);
    drawn(track, &track.lanes[1])
        .map(|(index, round)| {
            let places = &all[index];
            let letters = round
                .letters
                .iter()
                .zip(places)
                .filter(|_| track.lettered)
                .map(|(letter, (x, _))| {
                    let resampled = letter.origin == Origin::Resampled;
                    view! {
                        <text class="race-letter" class:res=resampled x=format!("{x:.1}") y=LETTERS[1] text-anchor="middle">
                            {letter.text.clone()}
                        </text>
                    }
                })
                .collect_view();
            let kept = round
                .letters
                .iter()
                .zip(places)
                .filter(|(letter, _)| letter.origin == Origin::Accepted)
                .map(|(_, (x, width))| (x - width / 2.0, x + width / 2.0))
                .reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
                .map(|(from, to)| view! { <path class="race-kept" d=format!("M{:.1} {}H{:.1}", from + 1.0, LETTERS[1] + 7.0, to - 1.0) /> });
            let closing = round.letters.iter().zip(places).next_back().and_then(|(letter, (x, _))| {
                let (sign, size) = match letter.origin {
                    Origin::Resampled => (Sign::Resampled, 9.5),
                    Origin::Bonus => (Sign::Bonus, 11.5),
                    Origin::Accepted | Origin::Target => return None,
                };
                (track.lettered || round.room(track.scale) > 2.0 * size).then(|| mark(sign, *x, LETTERS[1] + 12.0, size))
            });
            view! { <g class:later=move || there.get() <= index>{letters}{kept}{closing}</g> }
        })
        .collect_view()
}

/// When the draft and when the target was at work.
fn blocks(track: &Arc<Track>) -> impl IntoView + use<> {
    let [top, bottom] = BLOCKS;
    let height = format!("{:.0}", bottom - top);
    let lane = &track.lanes[1];
    lane.rounds
        .iter()
        .take_while(|round| round.start < track.end)
        .map(|round| {
            let (from, turn, to) = (track.x(round.start), track.x(round.drafted), track.x(round.end));
            let gap = ((to - from) * 0.1).min(2.0);
            let rect = |class: &'static str, from: f64, to: f64| {
                let width = (to - from).max(0.0);
                view! {
                    <rect class=class x=format!("{from:.1}") y=format!("{top:.0}") width=format!("{width:.1}")
                        height=height.clone() />
                }
            };
            let drafting = (turn > from + 0.2).then(|| {
                view! {
                    {rect("bar-draft", from, turn)}
                    {rect("bar-hatch", from, turn)}
                }
            });
            view! { {drafting}{rect("bar-checking", turn, to - gap)} }
        })
        .collect_view()
}

fn axis(track: &Arc<Track>) -> impl IntoView + use<> {
    let last = track.last();
    let parts = (track.width / 110.0).max(2.0);
    let step = round_step(last, parts);
    let count = (last / step).floor().min(400.0) as usize;
    let decimals = (-step.log10().floor()).clamp(0.0, 4.0) as usize;
    let ticks = (0..=count)
        .map(|index| {
            let at = index as f64 * step;
            let x = format!("{:.1}", track.x(at));
            let unit = if index == 0 { " ms" } else { "" };
            view! {
                <path class="axis" d=format!("M{x} {AXIS}v4") />
                <text class="number small" x=x y=AXIS + 18.0 text-anchor=if index == 0 { "start" } else { "middle" }>
                    {format!("{}{unit}", decimal(at, decimals))}
                </text>
            }
        })
        .collect_view();
    view! {
        <path class="axis" d=format!("M{MARGIN} {AXIS}H{:.1}", track.width - MARGIN) />
        {ticks}
    }
}
