//! All characters of a small vocabulary on one scale, laid out like a printer's type case.

use couplet_playback::at_most;
use couplet_protocol::Distribution;
use leptos::prelude::*;
use tr::tr;

use super::bars::BarPaths;
use super::icons::{Sign, mark};
use super::picking::{Area, Picking};
use crate::store::Store;

const WIDTH: f64 = 348.0;
const ROW: usize = 26;

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
            ids.sort_by_key(|id| tokens[*id as usize].clone());
        }
    }
    (trays[0].len() <= ROW && trays[1].len() <= ROW).then_some(trays)
}

/// What the bars of all trays are high together, in pixels.
pub const TALL: f64 = 172.0;
/// The same where lines about one token stand above, so that nothing below moves down.
pub const SHORT: f64 = 102.0;

/// The type case, or `None` where the vocabulary does not fit one. `all`: what its bars are high
/// together.
pub fn type_case(
    all: f64,
    store: Store,
    tokens: &[String],
    draft: Option<&Distribution>,
    target: Option<&Distribution>,
    hits: &[Hit],
    picking: Option<Picking>,
) -> Option<AnyView> {
    let trays = trays(tokens)?;
    let prob = |distribution: Option<&Distribution>, id: u32| {
        distribution
            .and_then(|distribution| distribution.prob(id))
            .map_or(0.0, f64::from)
    };
    let most = |ids: &[u32]| {
        ids.iter()
            .map(|id| prob(draft, *id).max(prob(target, *id)))
            .fold(0.0, f64::max)
    };
    let (scale, tall) = heights(all, [0, 1, 2].map(|tray| most(&trays[tray])));
    let titles = [
        tr!("upper case"),
        tr!("lower case"),
        tr!("points and spaces"),
    ];
    let mut y = 0.0;
    let mut views = Vec::new();
    for (tray, ids) in trays.iter().enumerate() {
        for (row, ids) in ids.chunks(ROW).enumerate() {
            let height = tall[tray] + 14.0;
            if row == 0 {
                y += 15.0;
                views.push(view! { <text class="number small" x="0" y=format!("{:.1}", y - 3.0)>{titles[tray].clone()}</text> }.into_any());
            }
            y += height;
            views.push(line(
                store,
                ids,
                y,
                scale,
                draft,
                target,
                hits,
                tray == 1,
                picking,
            ));
            y += 20.0;
        }
    }
    let label = tr!(
        "Draft and target probability of all {} characters",
        tokens.len()
    );
    Some(
        view! {
            <svg class="figure case" viewBox=format!("0 0 {WIDTH} {y:.0}") role=role(picking) aria-label=label
                on:click=move |event| Picking::on_click(picking, &event) on:keydown=move |event| Picking::on_key(picking, &event)>
                {views}
            </svg>
        }
        .into_any(),
    )
}

/// A drawing whose tokens can be picked is a group of buttons.
pub fn role(picking: Option<Picking>) -> &'static str {
    if picking.is_some() { "group" } else { "img" }
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

fn line(
    store: Store,
    ids: &[u32],
    base: f64,
    scale: f64,
    draft: Option<&Distribution>,
    target: Option<&Distribution>,
    hits: &[Hit],
    ruled: bool,
    picking: Option<Picking>,
) -> AnyView {
    let prob = |distribution: Option<&Distribution>, id: u32| {
        distribution
            .and_then(|distribution| distribution.prob(id))
            .map_or(0.0, f64::from)
    };
    let cell = WIDTH / ROW as f64;
    let mut paths = BarPaths::default();
    let mut letters = (String::new(), String::new());
    let mut backs = Vec::new();
    let mut flags = Vec::new();
    let mut areas = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let (x, d, t) = (index as f64 * cell, prob(draft, *id), prob(target, *id));
        let middle = x + cell / 2.0;
        let height = (d.max(t) * scale).max(6.0);
        paths.stand(x + (cell - 10.0) / 2.0, base, scale, d, t, 7.4, 2.6);
        let hit = hits.iter().find(|(token, _)| token == id);
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
        if let Some(picking) = picking {
            let known = |distribution: Option<&Distribution>| {
                distribution.and_then(|known| known.prob(*id))
            };
            let area = Area {
                x: x - 0.2,
                y: base - height - 3.0,
                width: cell + 0.4,
                height: height + 20.0,
            };
            areas.push(picking.area(*id, area, [known(draft), known(target)]));
        }
    }
    let end = if ids.len() < ROW {
        ids.len() as f64 * cell
    } else {
        WIDTH
    };
    let step = [0.05, 0.1, 0.2, 0.25]
        .into_iter()
        .find(|step| step * scale > 45.0)
        .unwrap_or(0.5);
    let tops: Vec<f64> = ids
        .iter()
        .map(|id| prob(draft, *id).max(prob(target, *id)))
        .collect();
    let top = tops.iter().copied().fold(0.0, f64::max);
    let values = (1..=10)
        .map(|index| step * f64::from(index))
        .take_while(|value| ruled && *value < top);
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
        {areas}
        {numbers}
    }
    .into_any()
}
