//! All characters of a small vocabulary on one scale, laid out like a printer's type case.

use couplet_playback::{at_most, tr};
use couplet_protocol::Distribution;
use couplet_speculation::distribution::ranked;
use leptos::prelude::*;

use super::bars::BarPaths;
use super::icons::{Sign, mark};
use super::inspector::Place;
use super::picking::{Area, Areas};
use crate::browser;
use crate::store::Store;

/// How wide the drawing is, in units of its own.
pub const WIDTH: f64 = 348.0;
/// Characters of an alphabet.
const ALPHABET: usize = 26;
/// Up to this width in pixels an alphabet that is for fingers has two lines.
const NARROW: f64 = 420.0;
/// How high a finger is, in pixels.
const FINGER: f64 = 46.0;
/// How much taller bars are together that stand in two lines.
const TWO_LINES: f64 = 60.0;
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
    let code = |id: &u32| tokens[*id as usize].chars().map(u32::from).sum::<u32>();
    for ids in &mut trays[..2] {
        let places = ranked(ids.iter().map(|id| -f64::from(code(id))));
        *ids = places.into_iter().map(|place| ids[place]).collect();
    }
    (trays[0].len() <= ALPHABET && trays[1].len() <= ALPHABET).then_some(trays)
}

/// The width of a drawing for fingers, whose letters stay as large as they are, in pixels; `None` where
/// a mouse hits them or there is room enough.
pub fn room(width: f64) -> Option<f64> {
    let for_fingers = browser::is_narrow() || browser::is_touched();
    (for_fingers && width < NARROW).then_some(width)
}

/// How letters are laid out.
#[derive(Clone, Copy)]
struct Sheet {
    width: f64,
    /// Characters in a line.
    row: usize,
    /// How high at least what answers for a character is.
    least: f64,
    /// How much taller the bars are together.
    taller: f64,
}

impl Sheet {
    fn of(room: Option<f64>) -> Self {
        match room {
            Some(width) => Self {
                width,
                row: ALPHABET / 2,
                least: FINGER,
                taller: TWO_LINES,
            },
            None => Self {
                width: WIDTH,
                row: ALPHABET,
                least: 0.0,
                taller: 0.0,
            },
        }
    }

    /// Room for a character.
    fn cell(&self) -> f64 {
        self.width / self.row as f64
    }
}

/// What the bars of all trays are high together, in pixels.
const TALL: f64 = 102.0;

/// A type case, laid out for a place of the text.
pub struct TypeCase {
    sheet: Sheet,
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

    /// As wide as `room` says; `None` where the vocabulary does not fit.
    pub fn of(tokens: &[String], place: &Place, room: Option<f64>) -> Option<Self> {
        let sheet = Sheet::of(room);
        let trays = trays(tokens)?;
        let all = TALL + sheet.taller;
        let tallest = |ids: &[u32]| ids.iter().map(|id| most(place, *id)).fold(0.0, f64::max);
        let [most, lines] = [
            [0, 1, 2].map(|tray| tallest(&trays[tray])),
            [0, 1, 2].map(|tray| trays[tray].len().div_ceil(sheet.row) as f64),
        ];
        let (scale, tall) = heights(all, most, lines);
        let mut height = 0.0;
        let mut lines = Vec::new();
        for (tray, ids) in trays.iter().enumerate() {
            for (row, ids) in ids.chunks(sheet.row).enumerate() {
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
            sheet,
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
            view! { {title}{line.view(store, place, self.scale, self.sheet)} }
        };
        let lines = self.lines.iter().map(line).collect_view();
        let label = tr!(
            "Draft and target probability of all {} characters",
            self.characters
        );
        view! {
            <svg class="figure case" viewBox=format!("0 0 {} {:.0}", self.sheet.width, self.height) role="img" aria-label=label>{lines}</svg>
        }
    }

    /// Where its characters are. `entry`: the one by which the keyboard enters.
    pub fn areas(&self, place: &Place, entry: u32) -> Areas {
        let cell = self.sheet.cell();
        let of_line = |line: &Line| {
            let bottom = line.base + 17.0;
            let area = |(index, id): (usize, &u32)| {
                let height = bar_height(place, *id, self.scale) + 20.0;
                let height = height.max(self.sheet.least);
                let area = Area {
                    x: index as f64 * cell - 0.2,
                    y: bottom - height,
                    width: cell + 0.4,
                    height,
                };
                (*id, area)
            };
            line.ids.iter().enumerate().map(area).collect::<Vec<_>>()
        };
        Areas {
            width: self.sheet.width,
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

/// Pixels per unit of probability, and the height of each tray's lines for its most probable token.
/// Together all lines are always equally tall, so that nothing below them moves.
fn heights(all: f64, most: [f64; 3], lines: [f64; 3]) -> (f64, [f64; 3]) {
    const LEAST: [f64; 3] = [6.0, 30.0, 6.0];
    let at = |scale: f64| [0, 1, 2].map(|tray| (most[tray] * scale).max(LEAST[tray]));
    let together = |tall: [f64; 3]| (0..3).map(|tray| tall[tray] * lines[tray]).sum::<f64>();
    // Grows with the scale: bisection finds the largest that fits.
    let (mut low, mut high) = (0.0, 850.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if together(at(middle)) <= all {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut tall = at(low);
    tall[1] += (all - together(tall)) / lines[1].max(1.0);
    (low, tall)
}

impl Line {
    fn view(&self, store: Store, place: &Place, scale: f64, sheet: Sheet) -> impl IntoView + use<> {
        let Self { ids, base, .. } = self;
        let (width, row, cell) = (sheet.width, sheet.row, sheet.cell());
        let base = *base;
        let wider = cell / (WIDTH / ALPHABET as f64);
        let mut paths = BarPaths::default();
        let mut letters = (String::new(), String::new());
        let mut backs = Vec::new();
        let mut flags = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let x = index as f64 * cell;
            let [d, t] = place.probs(*id).map(|prob| prob.map_or(0.0, f64::from));
            let middle = x + cell / 2.0;
            let height = bar_height(place, *id, scale);
            let bars = 10.0 * wider;
            paths.stand(
                x + (cell - bars) / 2.0,
                base,
                scale,
                d,
                t,
                7.4 * wider,
                2.6 * wider,
            );
            let hit = place.hits.iter().find(|(token, _)| token == id);
            if let Some((_, sign)) = hit {
                backs.push(view! {
                <rect class=format!("hit {}", sign.class()) x=format!("{:.1}", x - 0.4) width=format!("{:.1}", cell + 0.8)
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
        let end = if ids.len() < row {
            ids.len() as f64 * cell
        } else {
            width
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
                view! { <path class="grid" d=format!("M0 {y:.1}H{width}") /> }
            })
            .collect_view();
        // At the right, unless bars stand there and none at the left.
        let reaches = |columns: &[f64], value: f64| columns.iter().any(|top| *top > value);
        let near = tops.len().min(2);
        let numbers = values
        .map(|value| {
            let right = ids.len() == row && reaches(&tops[row - near..], value);
            let left = right && !reaches(&tops[..near], value);
            let (x, anchor) = if left { (0.0, "start") } else { (width, "end") };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_equally_tall_together_whichever_letter_is_probable() {
        for (all, lines) in [(TALL, [1.0; 3]), (TALL + TWO_LINES, [2.0, 2.0, 1.0])] {
            for most in [[0.9, 0.01, 0.0], [0.0, 0.3, 0.3], [0.001, 0.0, 0.95]] {
                let (scale, tall) = heights(all, most, lines);
                let together: f64 = (0..3).map(|tray| tall[tray] * lines[tray]).sum();
                assert!((together - all).abs() < 1e-6, "{together} of {all}");
                for tray in 0..3 {
                    assert!(
                        most[tray] * scale <= tall[tray] + 1e-9,
                        "{most:?} in {tall:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_finger_has_more_room_for_a_letter_than_a_mouse() {
        // Of a phone of 390 pixels.
        let cell = Sheet::of(Some(336.0)).cell();
        assert!(cell > 25.0 && cell > 1.9 * Sheet::of(None).cell());
    }
}
