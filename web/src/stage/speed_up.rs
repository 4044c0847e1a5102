use couplet_playback::{interval, shortest, tr};
use couplet_protocol::TokensPerSecond;
use leptos::prelude::*;

use crate::browser;
use crate::engine_client::EngineState;
use crate::heard::Heard;
use crate::language::of_engine;
use crate::speed::{heard_progress, words};
use crate::store::{Kept, Scene, use_store};
use crate::words::token_count;

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
    // Another pair is another race.
    let newest = move || {
        let of_pair = |kept: &&Kept| store.form.pair.with(|pair| *pair == kept.pair.name);
        measuring
            .reports
            .with(|reports| reports.iter().rev().find(of_pair).cloned())
    };
    let all = move |_| {
        store.open_scene(Scene::Speed);
        browser::focus("#scene");
    };
    // Two voices: whoever stops a measurement does not hear the result of the one before.
    let progress = heard_progress(measuring);
    let heard = Signal::derive(move || newest().as_ref().and_then(words::in_short));
    let failed = Signal::derive(move || measuring.failed.get().map(|said| said.now()));
    let act = move |_| {
        if untrack(|| measuring.busy()) {
            store.stop_measuring();
        } else {
            store.measure();
        }
    };
    view! {
        <div class="statistic speed-up">
            <h3>{tr!("Speed-up, measured")}</h3>
            <Heard said=progress />
            <Heard said=failed known=true />
            <Heard said=heard known=true testid="speed-up-heard" />
            {move || match measuring.progress.get() {
                Some(progress) if progress.runs == 0 => view! {
                    <p class="big">"–"</p>
                    <p class="muted">{of_engine(&progress.stage)}"."</p>
                }
                .into_any(),
                Some(progress) => view! {
                    <p class="big">{progress.done}" "<small>{tr!("of {} runs timed", progress.runs)}</small></p>
                    <progress aria-label=tr!("Measurement") max=progress.runs.max(1).to_string() value=progress.done.to_string()></progress>
                    <p class="muted">{tr!("Nothing moves while the engine is timed.")}</p>
                }
                .into_any(),
                None => newest().map_or_else(|| view! { <p class="muted">{tr!("not yet on this device")}</p> }.into_any(), |kept| result(&kept).into_any()),
            }}
            {move || measuring.failed.get().map(|said| view! { <p class="field-error">{said.now()}</p> })}
            // One button: the focus stays on it.
            <button type="button" class="button" data-testid=move || if measuring.busy() { "measure-stop" } else { "measure" }
                disabled=move || !measuring.busy() && !ready() on:click=act>
                {move || if measuring.busy() { tr!("Stop measuring") } else { tr!("Measure speed-up") }}
            </button>
            {move || newest().is_none().then(|| view! { <p class="muted">{run_speed}</p> })}
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
            "{} tokens/s {}",
            words::rate(speed.median),
            interval(words::rate(speed.min), words::rate(speed.max))
        )
    };
    let settings = &report.request.settings;
    let headline = report.headline()?;
    let row = headline.row;
    let [low, high] = headline.interval.map(words::bound);
    let name = words::interval_name(&report.request);
    let gamma = if report.is_about_auto() {
        tr!("γ by the engine, {} on average", words::gamma(row))
    } else {
        format!("γ {}", words::gamma(row))
    };
    Some(view! {
        <p class="big" data-testid="speed-up">
            {words::factor(row.speed_up)}" "<small title=name.clone()>{interval(low, high)}</small>" "
            <b>{words::verdict(headline.verdict)}</b>
        </p>
        <dl class="speeds-measured">
            <dt>{tr!("with the draft")}</dt><dd>{speed(&row.speculation)}</dd>
            <dt>{tr!("target alone")}</dt><dd>{speed(&row.target_alone)}</dd>
        </dl>
        <p class="muted">
            {tr!(
                "The median of {pairs} ratios, each of two runs side by side, in brackets: {interval}; {tokens} a run, {rule}, {gamma}, temperature {temperature}, on {device}",
                pairs = report.request.pairs, tokens = token_count(report.tokens as usize), gamma, temperature = shortest(settings.temperature),
                device = of_engine(&report.device.name), rule = words::rule(settings, &kept.pair), interval = name
            )}
        </p>
    })
}
