//! All characters of a small vocabulary on one scale, laid out like a printer's type case.

use couplet_playback::at_most;
use couplet_protocol::Distribution;
use leptos::prelude::*;
use tr::tr;

use super::bars::BarPaths;
use super::icons::{Sign, mark};
use super::inspector::Place;
use super::picking::{Area, Areas};
use crate::store::Store;

const WIDTH: f64 = 348.0;
const ROW: usize = 26;
/// Room for a character.
const CELL: f64 = WIDTH / ROW as f64;
/// Room for the name of a tray, above its bars for marks, and below them for the letters.
const TITLE: f64 = 15.0;
const ABOVE: f64 = 20.0;
const BELOW: f64 = 20.0;

/// A token to point out and why.
pub type Hit = (u32, Sign);

/// Upper case, lower case, everything else; `None` where tokens are not single characters.
fn trays(tokens: &[String]) -> Option<[Vec<u32>; 3]> {
    let mut trays = [Vec::new(), Vec::new(), Vec::new()];
    if tokens.len() > Distribution::COMPLETE {
        return None;
    }
    for (id, text) in tokens.iter().enumerate() {
        let mut characters = text.chars();
        let first = characters.next()?;
        if characters.next().is_some() {
            return None;
        }
        let tray = match first {
            first if first.is_uppercase() => 0,
            first if first.is_lowercase() => 1,
            _ => 2,
        };
        trays[tray].push(id as u32);
    }
    for (tray, ids) in trays.iter_mut().enumerate() {
        if tray < 2 {
            ids.sort_by(|one, other| tokens[*one as usize].cmp(&tokens[*other as usize]));
        }
    }
    (trays[0].len() <= ROW && trays[1].len() <= ROW).then_some(trays)
}

/// What the bars of all trays are high together, in pixels.
const TALL: f64 = 172.0;
/// The same where lines about one token stand above, so that nothing below moves down.
const SHORT: f64 = 102.0;

/// A type case, laid out for a place of the text.
pub struct TypeCase {
    lines: Vec<Line>,
    /// Characters in all trays.
    characters: usize,
    scale: f64,
    height: f64,
}

/// A line of letters under their bars.
struct Line {
    tray: usize,
    /// Whether the tray begins with it.
    first: bool,
    ids: Vec<u32>,
    /// Where its bars stand.
    base: f64,
    /// How tall its tray is.
    tall: f64,
}

/// The larger of the two probabilities of a token.
fn most(place: &Place, id: u32) -> f64 {
    place
        .probs(id)
        .into_iter()
        .flatten()
        .map(f64::from)
        .fold(0.0, f64::max)
}

impl TypeCase {
    /// Whether a vocabulary fits a type case.
    pub fn fits(tokens: &[String]) -> bool {
        trays(tokens).is_some()
    }

    /// `None` where the vocabulary does not fit.
    pub fn of(tokens: &[String], place: &Place) -> Option<Self> {
        let trays = trays(tokens)?;
        let all = if place.has_fate() { SHORT } else { TALL };
        let tallest = |ids: &[u32]| ids.iter().map(|id| most(place, *id)).fold(0.0, f64::max);
        let (scale, tall) = heights(all, [0, 1, 2].map(|tray| tallest(&trays[tray])));
        let mut height = 0.0;
        let mut lines = Vec::new();
        for (tray, ids) in trays.iter().enumerate() {
            for (row, ids) in ids.chunks(ROW).enumerate() {
                if row == 0 {
                    height += TITLE;
                }
                height += tall[tray] + ABOVE;
                lines.push(Line {
                    tray,
                    first: row == 0,
                    ids: ids.to_vec(),
                    base: height,
                    tall: tall[tray],
                });
                height += BELOW;
            }
        }
        Some(Self {
            lines,
            characters: tokens.len(),
            scale,
            height,
        })
    }

    /// The drawing.
    pub fn view(&self, store: Store, place: &Place) -> impl IntoView + use<> {
        let titles = [
            tr!("upper case"),
            tr!("lower case"),
            tr!("points and spaces"),
        ];
        let line = |line: &Line| {
            let title = line.first.then(|| {
                let y = line.base - line.tall - ABOVE - 3.0;
                view! { <text class="number small" x="0" y=format!("{y:.1}")>{titles[line.tray].clone()}</text> }
            });
            view! { {title}{line.view(store, place, self.scale)} }
        };
        let lines = self.lines.iter().map(line).collect_view();
        let label = tr!(
            "Draft and target probability of all {} characters",
            self.characters
        );
        view! {
            <svg class="figure case" viewBox=format!("0 0 {WIDTH} {:.0}", self.height) role="img" aria-label=label>{lines}</svg>
        }
    }

    /// Where its characters are. `entry`: the one by which the keyboard enters.
    pub fn areas(&self, place: &Place, entry: u32) -> Areas {
        let of_line = |line: &Line| {
            let base = line.base;
            let area = |(index, id): (usize, &u32)| {
                let height = bar_height(place, *id, self.scale);
                let area = Area {
                    x: index as f64 * CELL - 0.2,
                    y: base - height - 3.0,
                    width: CELL + 0.4,
                    height: height + 20.0,
                };
                (*id, area)
            };
            line.ids.iter().enumerate().map(area).collect::<Vec<_>>()
        };
        Areas {
            width: WIDTH,
            height: self.height,
            tokens: self.lines.iter().flat_map(of_line).collect(),
            entry,
        }
    }
}

/// How tall the bars of a character are: never so low that nobody hits them.
fn bar_height(place: &Place, id: u32, scale: f64) -> f64 {
    (most(place, id) * scale).max(6.0)
}

/// Pixels per unit of probability, and the height of each tray for its most probable token.
/// Together the trays are always equally tall, so that nothing below them moves.
fn heights(all: f64, most: [f64; 3]) -> (f64, [f64; 3]) {
    const LEAST: [f64; 3] = [6.0, 30.0, 6.0];
    let at = |scale: f64| [0, 1, 2].map(|tray| (most[tray] * scale).max(LEAST[tray]));
    // Grows with the scale: bisection finds the largest that fits.
    let (mut low, mut high) = (0.0, 850.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if at(middle).iter().sum::<f64>() <= all {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut tall = at(low);
    tall[1] += all - tall.iter().sum::<f64>();
    (low, tall)
}

impl Line {
    fn view(&self, store: Store, place: &Place, scale: f64) -> impl IntoView + use<> {
        let Self { ids, base, .. } = self;
        let base = *base;
        let mut paths = BarPaths::default();
        let mut letters = (String::new(), String::new());
        let mut backs = Vec::new();
        let mut flags = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let x = index as f64 * CELL;
            let [d, t] = place.probs(*id).map(|prob| prob.map_or(0.0, f64::from));
            let middle = x + CELL / 2.0;
            let height = bar_height(place, *id, scale);
            paths.stand(x + (CELL - 10.0) / 2.0, base, scale, d, t, 7.4, 2.6);
            let hit = place.hits.iter().find(|(token, _)| token == id);
            if let Some((_, sign)) = hit {
                backs.push(view! {
                <rect class=format!("hit {}", sign.class()) x=format!("{:.1}", x - 0.4) width=format!("{:.1}", CELL + 0.8)
                    y=format!("{:.1}", base - height - 18.0) height=format!("{:.1}", height + 35.0) rx="3" />
            });
                flags.push(view! {
                <text class="letter on" x=format!("{middle:.1}") y=format!("{:.1}", base + 13.0) text-anchor="middle" aria-hidden="true">
                    {store.show(*id)}
                </text>
                {mark(*sign, middle, base - height - 9.0, 11.0)}
            });
            } else {
                // One element writes all letters: each has a place of its own in its list.
                letters.0 += &format!("{middle:.1} ");
                letters.1 += &store.show(*id);
            }
        }
        let end = if ids.len() < ROW {
            ids.len() as f64 * CELL
        } else {
            WIDTH
        };
        let step = [0.05, 0.1, 0.2, 0.25]
            .into_iter()
            .find(|step| step * scale > 45.0)
            .unwrap_or(0.5);
        let tops: Vec<f64> = ids.iter().map(|id| most(place, *id)).collect();
        let top = tops.iter().copied().fold(0.0, f64::max);
        let values = (1..=10)
            .map(|index| step * f64::from(index))
            .take_while(|value| self.tray == 1 && *value < top);
        let rules = values
            .clone()
            .map(|value| {
                let y = base - value * scale;
                view! { <path class="grid" d=format!("M0 {y:.1}H{WIDTH}") /> }
            })
            .collect_view();
        // At the right, unless bars stand there and none at the left.
        let reaches = |columns: &[f64], value: f64| columns.iter().any(|top| *top > value);
        let near = tops.len().min(2);
        let numbers = values
        .map(|value| {
            let right = ids.len() == ROW && reaches(&tops[ROW - near..], value);
            let left = right && !reaches(&tops[..near], value);
            let (x, anchor) = if left { (0.0, "start") } else { (WIDTH, "end") };
            let y = base - value * scale - 3.0;
            view! {
                <text class="number small halo" x=x.to_string() y=format!("{y:.1}") text-anchor=anchor>
                    {at_most(value, 2)}
                </text>
            }
        })
        .collect_view();
        view! {
            {rules}
            <path class="axis" d=format!("M0 {:.1}H{end:.1}", base + 0.5) />
            {backs}
            {paths.view()}
            <text class="letter" x=letters.0 y=format!("{:.1}", base + 13.0) text-anchor="middle" aria-hidden="true">{letters.1}</text>
            {flags}
            {numbers}
        }
    }
}
