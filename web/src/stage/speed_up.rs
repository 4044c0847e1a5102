use couplet_protocol::TokensPerSecond;
use leptos::prelude::*;
use tr::tr;

use crate::engine_client::EngineState;
use crate::speed::{headline, words};
use crate::store::{Kept, Scene, use_store};

/// What one draft length buys, measured here.
#[component]
pub fn SpeedUp() -> impl IntoView {
    let store = use_store();
    let measuring = store.measuring;
    let run_speed = move || {
        let speed = store
            .state
            .with(|state| state.statistics.tokens_per_second())
            .map(words::rate)?;
        Some(if store.recorded() {
            tr!("{} tokens/s where it was recorded", speed)
        } else {
            tr!(
                "{} tokens/s in this run, which also hands over all that is shown",
                speed
            )
        })
    };
    let ready = move || store.engine.state.get() == EngineState::Ready && store.form.read().is_ok();
    let newest = move || measuring.reports.with(|reports| reports.last().cloned());
    let all = move |_| store.open_scene(Scene::Speed);
    view! {
        <div class="statistic speed-up">
            <h3>{tr!("Speed-up, measured")}</h3>
            {move || match measuring.progress.get() {
                Some(progress) => view! {
                    <p class="big">{progress.done}" "<small>{tr!("of {} runs timed", progress.runs)}</small></p>
                    <progress aria-label=tr!("Measurement") max=progress.runs.max(1).to_string() value=progress.done.to_string()></progress>
                    <p class="muted">{tr!("Nothing moves while the engine is timed.")}</p>
                }
                .into_any(),
                None => newest().map_or_else(|| view! { <p class="big">"–"</p> }.into_any(), |kept| result(&kept).into_any()),
            }}
            {move || measuring.failed.get().map(|sentence| view! { <p class="field-error">{sentence}</p> })}
            {move || newest().is_none().then(|| view! { <p class="muted">{run_speed}</p> })}
            {move || if measuring.busy() {
                view! {
                    <button type="button" class="button measure" data-testid="measure-stop" on:click=move |_| store.stop_measuring()>
                        {tr!("Stop measuring")}
                    </button>
                }
                .into_any()
            } else {
                view! {
                    <button type="button" class="button measure" data-testid="measure" disabled=move || !ready()
                        on:click=move |_| store.measure()>
                        {tr!("Measure speed-up")}
                    </button>
                }
                .into_any()
            }}
            {move || newest().map(|_| view! {
                <button type="button" class="link" data-testid="to-speed" on:click=all>{tr!("All of it in Speed")}</button>
            })}
        </div>
    }
}

fn result(kept: &Kept) -> impl IntoView + use<> {
    let report = &kept.report;
    let speed = |speed: &TokensPerSecond| {
        tr!(
            "{} tokens/s [{}, {}]",
            words::rate(speed.median),
            words::rate(speed.min),
            words::rate(speed.max)
        )
    };
    let settings = &report.request.settings;
    let row = headline(report)?;
    let [low, high] = row.interval;
    let gamma = if report.best().is_some() {
        format!("γ {}", words::gamma(row))
    } else {
        tr!("γ by the engine, {} on average", words::gamma(row))
    };
    Some(view! {
        <p class="big" data-testid="speed-up">
            {words::factor(row.speed_up)}" "<small>{format!("[{low:.2}, {high:.2}]")}</small>" "
            <b>{words::verdict(row.verdict())}</b>
        </p>
        <dl class="speeds-measured">
            <dt>{tr!("with the draft")}</dt><dd>{speed(&row.speculation)}</dd>
            <dt>{tr!("target alone")}</dt><dd>{speed(&row.target_alone)}</dd>
        </dl>
        <p class="muted">
            {tr!(
                "The median of {pairs} ratios, each of two runs side by side; {tokens} tokens a run, {gamma}, temperature {temperature}, on {device}",
                pairs = report.request.pairs, tokens = report.tokens, gamma, temperature = settings.temperature,
                device = report.device.name
            )}
        </p>
    })
}
