//! What was measured, where and how: the facts behind the verdict, and the files that hold them.

use couplet_playback::{decimal, grouped, interval, shortest, tr};
use couplet_protocol::Drafter;
use leptos::prelude::*;

use super::files;
use super::reading::{self, alpha, arithmetic, c, predicted, v};
use super::setup::{Again, OpenReport};
use super::state::use_speed;
use super::sweep::CHART;
use super::words;
use crate::language;
use crate::lessons::{Cover, Covered};
use crate::share::{save, save_png, save_svg};
use crate::store::Kept;
use crate::words::token_count;

/// A fact of more characters takes two columns.
const WORDY: usize = 60;

/// A fact: its name, and how a report puts it.
struct Fact {
    name: AnyView,
    says: fn(&Kept) -> String,
}

/// The section about a report, with the other backend's facts under its own.
#[component]
pub fn Facts(
    /// What was measured.
    kept: Kept,
) -> impl IntoView {
    let other = use_speed().other;
    let (csv, json) = (kept.report.clone(), kept.report.clone());
    let name = files::name(&kept.report);
    let (csv_name, json_name, png_name, svg_name) =
        (name.clone(), name.clone(), name.clone(), name);
    let trouble = RwSignal::new(None);
    let kept = StoredValue::new(kept);
    view! {
        <section class="card facts" data-testid="facts" aria-labelledby="facts-title">
            <header>
                <h2 id="facts-title">{tr!("This measurement")}</h2>
                <div class="facts-buttons">
                    <button type="button" class="button" data-testid="csv" title=tr!("The sweep as a table")
                        on:click=move |_| save(&format!("{csv_name}.csv"), "text/csv", &files::csv(&csv))>
                        "CSV"
                    </button>
                    <button type="button" class="button" data-testid="json" title=tr!("The whole report")
                        on:click=move |_| save(&format!("{json_name}.json"), "application/json", &files::json(&json))>
                        "JSON"
                    </button>
                    <button type="button" class="button" data-testid="svg" title=tr!("The chart of the sweep, for print")
                        on:click=move |_| save_svg(CHART, &format!("{svg_name}.svg"), trouble)>
                        "SVG"
                    </button>
                    <button type="button" class="button" data-testid="png" title=tr!("The chart of the sweep as a picture")
                        on:click=move |_| save_png(CHART, &format!("{png_name}.png"), trouble)>
                        "PNG"
                    </button>
                    <OpenReport />
                </div>
            </header>
            {move || trouble.get().map(|sentence: String| view! { <p class="field-error" role="alert">{sentence}</p> })}
            <Cover what=Covered::Measured>
                <dl class="facts-list">
                    {facts()
                        .into_iter()
                        .map(|fact| {
                            let own = kept.with_value(fact.says);
                            let says = fact.says;
                            // In one column so many words would make their row the highest by far.
                            let wordy = own.chars().count() > WORDY;
                            view! {
                                <div class:wordy=wordy>
                                    <dt>{fact.name}</dt>
                                    <dd>{own}</dd>
                                    {move || other.get().map(|other| view! { <dd class="muted">{says(&other)}</dd> })}
                                </div>
                            }
                        })
                        .collect_view()}
                </dl>
            </Cover>
            <Again />
        </section>
    }
}

fn facts() -> Vec<Fact> {
    let fact = |name: AnyView, says: fn(&Kept) -> String| Fact { name, says };
    vec![
        fact(tr!("Device").into_any(), |kept| {
            language::of_engine(&kept.report.device.name)
        }),
        fact(tr!("Backend").into_any(), backend),
        fact(tr!("Pair").into_any(), |kept| {
            language::of_engine(&kept.pair.title)
        }),
        fact(tr!("Rule").into_any(), |kept| {
            let settings = &kept.report.request.settings;
            tr!(
                "{}, temperature {}",
                words::rule(settings, &kept.pair),
                shortest(settings.temperature)
            )
        }),
        fact(
            view! { {tr!("Acceptance rate")}" "<em>"α"</em> }.into_any(),
            |kept| alpha(&kept.report).map_or_else(none, |alpha| decimal(alpha, 2)),
        ),
        fact(
            view! { <em>"c"</em>", "{tr!("draft / target")} }.into_any(),
            |kept| c(&kept.report).map_or_else(none, |c| decimal(c, 2)),
        ),
        fact(
            view! { <em>"v"</em>", "{tr!("verify / one token")} }.into_any(),
            |kept| {
                let row = kept.report.headline().map(|headline| headline.row);
                let v = row.and_then(|row| Some((row, v(&kept.report, row.gamma.round())?)));
                v.map_or_else(none, |(row, v)| {
                    let rows = row.gamma.round() as u32 + 1;
                    tr!(
                        "{cost} for one position" | "{cost} for {n} positions" % rows,
                        cost = decimal(v, 2)
                    )
                })
            },
        ),
        fact(tr!("Formula").into_any(), |kept| {
            let best = kept.report.best();
            let value =
                best.and_then(|row| Some((row, predicted(&kept.report, row.gamma as u32)?)));
            value.map_or_else(none, |(row, value)| {
                tr!("{} at γ = {}", words::factor(value), words::gamma(row))
            })
        }),
        fact(tr!("Best γ").into_any(), |kept| {
            words::best_gamma(&kept.report).unwrap_or_else(none)
        }),
        fact(tr!("Measured").into_any(), |kept| {
            kept.report.headline().map_or_else(none, |headline| {
                let row = headline.row;
                let [low, high] = headline.interval.map(words::bound);
                let measured = format!("{} {}", words::factor(row.speed_up), interval(low, high));
                let name = words::interval_name(&kept.report.request);
                let gamma = words::gamma(row);
                if kept.report.is_about_auto() {
                    tr!(
                        "{measured} with γ chosen by the engine, median of the pairs; in brackets: {name}",
                        measured,
                        name
                    )
                } else {
                    tr!(
                        "{measured} at γ = {gamma}, median of the pairs; in brackets: {name}",
                        measured,
                        gamma,
                        name
                    )
                }
            })
        }),
        fact(tr!("Tokens per second").into_any(), |kept| {
            let row = kept.report.headline().map(|headline| headline.row);
            row.map_or_else(none, |row| {
                let medians = tr!(
                    "{}, alone {} in the runs beside them, each a median",
                    words::rate(row.speculation.median),
                    words::rate(row.target_alone.median)
                );
                match reading::points_elsewhere(row) {
                    true => tr!("{medians}; the verdict compares runs pair by pair", medians),
                    false => medians,
                }
            })
        }),
        fact(tr!("Arithmetic per token").into_any(), operations),
        fact(tr!("Runs").into_any(), runs),
    ]
}

/// What is paid for the time that is saved.
fn operations(kept: &Kept) -> String {
    // A table and a constant compute nothing.
    let c_hat = match kept.report.request.settings.drafter {
        Drafter::Model => kept.pair.draft.parameters as f64 / kept.pair.target.parameters as f64,
        Drafter::Bigram | Drafter::Uniform => 0.0,
    };
    let row = kept.report.headline().map(|headline| headline.row);
    let factor = row.and_then(|row| Some((arithmetic(row, c_hat)?, row)));
    factor.map_or_else(none, |(factor, row)| {
        tr!(
            "{factor} that of the target alone at γ = {gamma}",
            factor = words::factor(factor),
            gamma = words::gamma(row)
        )
    })
}

fn none() -> String {
    "–".to_owned()
}

fn backend(kept: &Kept) -> String {
    let device = &kept.report.device;
    let kind = words::backend(device.backend);
    if device.variant.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}, {}", language::of_engine(&device.variant))
    }
}

fn runs(kept: &Kept) -> String {
    let report = &kept.report;
    let most = report.request.contenders();
    let pairs = report.request.pairs;
    let tokens = token_count(report.tokens as usize);
    if most > 1 {
        tr!(
            "{runs}: {pairs} pairs per γ, alternating, and a warm-up, {tokens}",
            runs = grouped(report.request.runs()),
            pairs,
            tokens
        )
    } else {
        tr!(
            "{runs}: {pairs} pairs, alternating, and a warm-up, {tokens}",
            runs = grouped(report.request.runs()),
            pairs,
            tokens
        )
    }
}
