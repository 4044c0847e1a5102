//! The most probable tokens of a large vocabulary and the rest, one line each.

use couplet_playback::tr;
use leptos::prelude::*;

use super::bars::BarPaths;
use super::gauge::probability;
use super::icons::{Sign, mark};
use super::inspector::{Place, entries};
use super::picking::{Area, Areas};
use crate::store::Store;
use crate::words::cut_to;

/// Tokens in the list.
pub const LISTED: usize = 20;
/// Height of a line of the list.
const LINE: f64 = 17.0;
/// The same where fingers hit it: twenty lines of 44 px would fill the window, and the table below has
/// rows as high as that.
const LINE_FOR_FINGERS: f64 = 28.0;
/// Where its bars begin, and how long the longest is.
const BARS: (f64, f64) = (92.0, 150.0);

/// The whole drawing.
const WIDTH: f64 = 348.0;

/// How high lines are: the drawing for fingers is one that is told its `room`.
fn pitch(room: Option<f64>) -> f64 {
    room.map_or(LINE, |_| LINE_FOR_FINGERS)
}

/// How high the drawing is with lines of a height.
fn height(pitch: f64) -> f64 {
    (LISTED + 1) as f64 * pitch + 4.0
}

/// A line of the list: what it is about, and the two probabilities.
struct Line {
    /// None stands for all the others.
    token: Option<u32>,
    label: String,
    /// Absent where it was not kept.
    draft: Option<f64>,
    /// Absent where it was not kept.
    target: Option<f64>,
    hit: Option<Sign>,
    /// Whether its numbers are written out.
    told: bool,
}

impl Line {
    fn most(&self) -> f64 {
        self.draft.unwrap_or(0.0).max(self.target.unwrap_or(0.0))
    }
}

fn lines(store: Store, place: &Place) -> Vec<Line> {
    let is_hit = |token: u32| place.hits.iter().any(|(hit, _)| *hit == token);
    let mut shown = entries(place);
    // However improbable: what was drawn is shown.
    let mut drawn: Vec<_> = shown.iter().skip(LISTED).copied().collect();
    drawn.retain(|(token, ..)| is_hit(*token));
    shown.truncate(LISTED - drawn.len());
    shown.extend(drawn);
    let rest = |known: bool, probs: &mut dyn Iterator<Item = Option<f32>>| {
        let sum: f64 = probs.flatten().map(f64::from).sum();
        known.then(|| (1.0 - sum).max(0.0))
    };
    let rest = Line {
        token: None,
        label: tr!("the rest"),
        draft: rest(
            place.draft.is_some(),
            &mut shown.iter().map(|entry| entry.1),
        ),
        target: rest(
            place.target.is_some(),
            &mut shown.iter().map(|entry| entry.2),
        ),
        hit: None,
        told: true,
    };
    let mut lines: Vec<Line> = shown
        .into_iter()
        .map(|(token, draft, target)| {
            let hit = place.hits.iter().find(|(hit, _)| *hit == token);
            let mut line = Line {
                token: Some(token),
                label: cut_to(&store.show(token), 11),
                draft: draft.map(f64::from),
                target: target.map(f64::from),
                hit: hit.map(|(_, sign)| *sign),
                told: hit.is_some(),
            };
            line.told |= line.most() >= 0.05;
            line
        })
        .collect();
    lines.push(rest);
    lines
}

/// Where the tokens of the list are. `entry`: the one by which the keyboard enters.
pub fn areas(store: Store, place: &Place, entry: u32, room: Option<f64>) -> Areas {
    let pitch = pitch(room);
    let area = |(index, line): (usize, Line)| {
        let area = Area {
            x: 0.0,
            y: index as f64 * pitch + 1.0,
            width: WIDTH,
            height: pitch,
        };
        Some((line.token?, area))
    };
    let lines = lines(store, place);
    Areas {
        width: WIDTH,
        height: height(pitch),
        tokens: lines.into_iter().enumerate().filter_map(area).collect(),
        entry,
    }
}

/// The list.
pub fn list(store: Store, place: &Place, room: Option<f64>) -> impl IntoView + use<> {
    let pitch = pitch(room);
    let lines = lines(store, place);
    let (left, longest) = BARS;
    let most = lines.iter().map(Line::most).fold(0.05, f64::max);
    let scale = longest / most;
    let mut paths = BarPaths::default();
    let mut backs = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        let y = index as f64 * pitch + 1.0 + (pitch - LINE) / 2.0;
        let (draft, target) = (line.draft.unwrap_or(0.0), line.target.unwrap_or(0.0));
        paths.draft.add(left, y + 2.4, draft * scale, 8.0);
        paths.target.add(left, y + 5.4, target * scale, 8.0);
        let common = draft.min(target);
        paths.overlap.add(left, y + 5.4, common * scale, 5.0);
        if let Some(sign) = line.hit {
            backs.push(view! {
                <rect class=format!("hit {}", sign.class()) x="0" y=format!("{y:.1}") width=WIDTH.to_string() height=LINE.to_string() rx="3" />
            });
        }
        let numbers = line.told.then(|| {
            let number = |value: Option<f64>| {
                value.map_or("–".to_owned(), |value| probability(value as f32))
            };
            let numbers = format!("{} / {}", number(line.draft), number(line.target));
            let x = left + line.most() * scale + 6.0;
            view! { <text class="number small" x=format!("{x:.1}") y=format!("{:.1}", y + 12.5)>{numbers}</text> }
        });
        rows.push(view! {
            <text class="letter" class:on=line.hit.is_some() x=format!("{:.1}", left - 8.0) y=format!("{:.1}", y + 12.5)
                text-anchor="end">
                {line.label}
            </text>
            {numbers}
            {line.hit.map(|sign| mark(sign, 338.0, y + 8.5, 11.0))}
        });
    }
    view! {
        <svg class="figure case" viewBox=format!("0 0 {WIDTH} {:.0}", height(pitch)) role="img"
            aria-label=tr!("Most probable tokens, draft and target")>
            {backs}
            {paths.view()}
            {rows}
        </svg>
    }
}
