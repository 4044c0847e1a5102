//! The sweep: what every draft length buys, measured and predicted.

use couplet_playback::{decimal, grouped, interval, shortest, tr};
use std::sync::Arc;

use couplet_protocol::{GammaSpeed, SpeedReport};
use leptos::html;
use leptos::prelude::*;

use super::chart::{Size, chart};
use super::reading::{alpha, c, predicted, v};
use super::state::use_speed;
use super::words;
use crate::language;
use crate::store::Kept;
use crate::table::{Numbers, Table};
use crate::width::width_of;

/// How the chart is found on the page.
pub const CHART: &str = ".sweep";

/// The section about a report.
#[component]
pub fn Sweep(
    /// What was measured.
    kept: Kept,
) -> impl IntoView {
    let report = kept.report.clone();
    let frame = NodeRef::<html::Div>::new();
    let width = width_of(frame, 620.0);
    // Beside the card of the other backend there is more room.
    let other = use_speed().other;
    let height = move || match width.get() {
        ..520.0 => 300.0,
        _ if other.with(Option::is_some) => 470.0,
        _ => 376.0,
    };
    let says = [
        Some(words::sweep(&report)),
        auto_sentence(&report),
        words::last_word(&report),
    ];
    let says = says.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let table = numbers(&report);
    let origin = words::origin(&report);
    let caption = caption(&report);
    // A picture of this card says by itself what was measured.
    let of = tr!(
        "{pair}; {rule}, temperature {temperature}; {device}",
        pair = language::of_engine(&kept.pair.title),
        rule = words::rule(&report.request.settings, &kept.pair),
        temperature = shortest(report.request.settings.temperature),
        device = language::of_engine(&report.device.name)
    );
    view! {
        <section class="card sweep" data-testid="sweep" data-origin=origin aria-labelledby="sweep-title">
            <header>
                <div>
                    <h2 id="sweep-title">{tr!("How far ahead should the draft look?")}</h2>
                    <p class="muted">{caption}<br />{of}</p>
                </div>
            </header>
            <div class="sweep-frame" node_ref=frame>
                {move || chart(&report, width.get(), height(), Size::Large)}
            </div>
            <p class="serif sweep-says" data-testid="sweep-says">{says}</p>
            <Numbers content=Signal::stored(table) />
        </section>
    }
}

fn caption(report: &SpeedReport) -> String {
    let square = report
        .auto
        .is_some()
        .then(|| tr!("Square: γ chosen by the engine."));
    let says = [Some(points_and_line(report)), square];
    says.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn points_and_line(report: &SpeedReport) -> String {
    let points = tr!(
        "Points: measured. Bars: {}.",
        words::interval_name(&report.request)
    );
    if !report.request.has_formula() {
        let none =
            tr!("A block is judged as one, so there is no formula in α to draw beside them.");
        return format!("{points} {none}");
    }
    match (alpha(report), c(report)) {
        (Some(_), Some(_)) => {
            let line = tr!(
                "Dashed line: what the formula gives with α, c and v as measured, noise included, as if the tests were independent, with the same chance each."
            );
            format!("{line} {points}")
        }
        _ => points,
    }
}

/// How the engine's own choice did.
fn auto_sentence(report: &SpeedReport) -> Option<String> {
    let auto = report.auto.as_ref()?;
    let best = report.best();
    let [low, high] = auto.simultaneous_interval();
    let interval_of = GammaSpeed::simultaneous_interval;
    let factor = format!(
        "{} {}",
        words::factor(auto.speed_up),
        interval(words::bound(low), words::bound(high))
    );
    if auto.gamma < 0.05 {
        return Some(tr!(
            "On auto the engine drafts almost nothing, so this is nearly the target alone: {factor}, the cost of trying included.",
            factor
        ));
    }
    let says = match best {
        // With too few pairs none is ahead of another.
        _ if !report.request.has_enough_pairs() => factor,
        Some(_) if report.gammas.iter().all(|row| low > interval_of(row)[1]) => {
            tr!("{factor}, ahead of every fixed one", factor)
        }
        Some(best) if low > interval_of(best)[1] => {
            tr!("{factor}, ahead of the best fixed one", factor)
        }
        Some(best) if high < interval_of(best)[0] => {
            tr!("{factor}, behind the best fixed one", factor)
        }
        Some(_) => tr!(
            "{factor}; its interval overlaps that of the best fixed one",
            factor
        ),
        None => factor,
    };
    Some(tr!(
        "Left to itself the engine drafts {gamma} tokens a round on average: {says}.",
        gamma = decimal(auto.gamma, 1),
        says
    ))
}

fn numbers(report: &SpeedReport) -> Table {
    let head = [
        "γ".to_owned(),
        tr!("speed-up"),
        words::interval_name(&report.request),
        tr!("formula"),
        "v".to_owned(),
        tr!("tokens/s"),
        tr!("alone, tokens/s"),
        tr!("accepted of judged"),
        tr!("tokens per round"),
    ];
    let number =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| decimal(value, 2));
    let rows = report
        .gammas
        .iter()
        .map(|row| (words::gamma(row), row, Some(row.gamma)))
        .chain(
            report
                .auto
                .iter()
                .map(|row| (tr!("auto, {}", decimal(row.gamma, 1)), row, None)),
        )
        .map(|(name, row, gamma)| {
            let [low, high] = row.simultaneous_interval();
            vec![
                name,
                decimal(row.speed_up, 3),
                tr!(
                    "{first} to {last}",
                    first = decimal(low, 3),
                    last = decimal(high, 3)
                ),
                number(gamma.and_then(|gamma| predicted(report, gamma as u32))),
                number(gamma.and_then(|gamma| v(report, gamma))),
                words::rate(row.speculation.median),
                words::rate(row.target_alone.median),
                tr!(
                    "{} of {}",
                    grouped(row.accepted as usize),
                    grouped(row.judged as usize)
                ),
                number((row.rounds > 0).then(|| f64::from(row.tokens) / f64::from(row.rounds))),
            ]
        })
        .collect();
    Table {
        name: tr!("The sweep in numbers"),
        head: head.to_vec(),
        rows,
    }
}

/// The chart of the other backend's report, smaller.
#[component]
pub fn SmallSweep(
    /// What was measured.
    report: Arc<SpeedReport>,
) -> impl IntoView {
    let frame = NodeRef::<html::Div>::new();
    let width = width_of(frame, 300.0);
    view! {
        <div class="sweep-frame" node_ref=frame>
            {move || chart(&report, width.get(), 190.0, Size::Small)}
        </div>
    }
}
