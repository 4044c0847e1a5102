//! The other backend, since for models this small the CPU may beat the GPU, and the page says which
//! does; or this device, beside what was measured on another.

use couplet_playback::tr;
use couplet_protocol::{BackendChoice, BackendKind, Verdict};
use leptos::prelude::*;

use super::comparison::compare;
use super::state::use_speed;
use super::sweep::SmallSweep;
use super::words;
use crate::browser;
use crate::engine_client::EngineState;
use crate::language;
use crate::store::{Kept, Store, use_store};

/// The section beside the main report.
#[component]
pub fn Other(
    /// The main report.
    main: Kept,
) -> impl IntoView {
    let speed = use_speed();
    move || match speed.other.get() {
        Some(other) => both(&main, &other).into_any(),
        None if main.file.is_some() => offer_here().into_any(),
        None => offer(&main).into_any(),
    }
}

fn choice(kind: BackendKind) -> BackendChoice {
    match kind {
        BackendKind::Gpu => BackendChoice::Auto,
        BackendKind::Cpu => BackendChoice::Cpu,
    }
}

fn opposite(kind: BackendKind) -> BackendKind {
    match kind {
        BackendKind::Gpu => BackendKind::Cpu,
        BackendKind::Cpu => BackendKind::Gpu,
    }
}

/// Whether this browser offers WebGPU at all.
fn has_gpu() -> bool {
    browser::navigator("gpu").is_some()
}

/// Nothing to compare with yet.
fn offer(main: &Kept) -> impl IntoView + use<> {
    let store = use_store();
    let speed = use_speed();
    let target = opposite(main.backend());
    let (title, says) = match target {
        BackendKind::Cpu => (
            tr!("And on the CPU?"),
            tr!(
                "For models this small a processor may be the faster place: it starts no passes and waits for no readback. The same measurement there, with the same settings, tells."
            ),
        ),
        BackendKind::Gpu => (
            tr!("And on the GPU?"),
            tr!(
                "A graphics card usually checks a whole draft for little more than one token, but every pass has to be started. The same measurement there, with the same settings, tells which wins."
            ),
        ),
    };
    let fell_back = main
        .report
        .device
        .reason
        .clone()
        .filter(|_| target == BackendKind::Gpu);
    let possible = target == BackendKind::Cpu || (has_gpu() && fell_back.is_none());
    let blocked = blocked(store);
    view! {
        <section class="card other" data-testid="other" aria-labelledby="other-title">
            <header><h2 id="other-title">{title}</h2></header>
            {if possible {
                view! {
                    <p class="serif">{says}</p>
                    <button type="button" class="button" data-testid="measure-other" disabled=blocked
                        on:click=move |_| speed.measure_same(Some(choice(target)))>
                        {tr!("Measure on the {}", words::backend(target))}
                    </button>
                    <p class="muted">{tr!("Loads the models there; the page stays on it until you switch back.")}</p>
                }
                .into_any()
            } else {
                let why = match fell_back {
                    Some(reason) => language::of_engine(&reason),
                    None => tr!("This browser offers no WebGPU."),
                };
                view! { <p class="serif">{tr!("There is nothing to compare with here.")}" "{why}</p> }.into_any()
            }}
        </section>
    }
}

/// Nothing can be measured now.
fn blocked(store: Store) -> impl Fn() -> bool + Copy {
    move || store.measuring.busy() || store.engine.state.get() != EngineState::Ready
}

/// What is above was measured on another device.
fn offer_here() -> impl IntoView {
    view! {
        <section class="card other" data-testid="other" aria-labelledby="other-title">
            <header><h2 id="other-title">{tr!("And on this device?")}</h2></header>
            <p class="serif">{tr!("The same measurement here, with the same settings, tells.")}</p>
            {measure_here()}
        </section>
    }
}

/// The same measurement on this device.
fn measure_here() -> impl IntoView {
    let (store, speed) = (use_store(), use_speed());
    view! {
        <button type="button" class="button" data-testid="measure-other" disabled=blocked(store)
            on:click=move |_| speed.measure_same(None)>
            {tr!("Measure here")}
        </button>
    }
}

fn both(main: &Kept, other: &Kept) -> impl IntoView + use<> {
    let store = use_store();
    let speed = use_speed();
    let report = other.report.clone();
    let headline = report.headline();
    let elsewhere = main.file.is_some();
    // Another sweep of the same task is there already; this one may still be wanted.
    let again = (elsewhere && main.report.request != other.report.request).then(measure_here);
    let title = headline.map_or_else(String::new, |headline| match headline.verdict {
        _ if elsewhere => tr!("And on this device"),
        Verdict::Slower => tr!("And when it does not pay"),
        _ => tr!("And on the {}", words::backend(other.backend())),
    });
    let verdict = headline.map(|headline| {
        view! {
            <p class="other-verdict" data-testid="other-verdict">
                <b>{words::factor(headline.row.speed_up)}" "{words::verdict(headline.verdict)}</b>" "
                <span class="muted">{language::of_engine(&report.device.name)}", "{words::interval(&headline, &report.request)}</span>
            </p>
        }
    });
    let comparison = compare(&main.report, &other.report, elsewhere);
    let (kind, at) = (other.backend(), other.at);
    let winner = comparison.winner;
    let here = move || store.engine.device.get().map(|device| device.backend);
    // Wherever the page runs now, the way to the other place is open.
    let switch = move || {
        let there = opposite(here().filter(|_| !elsewhere)?);
        let name = words::backend(there);
        let text = if winner == Some(there) {
            tr!("Use the {name} from now on", name)
        } else {
            tr!("Back to the {name}", name)
        };
        Some(view! {
            <button type="button" class="button" data-testid="switch-backend" disabled=move || store.measuring.busy()
                on:click=move |_| store.use_backend(choice(there))>
                {text}
            </button>
        })
    };
    view! {
        <section class="card other" data-testid="other" aria-labelledby="other-title">
            <header><h2 id="other-title">{title}</h2></header>
            {verdict}
            <div class="other-body">
                <SmallSweep report=report.clone() />
                <p class="serif">{words::sweep(&report)}{words::last_word(&report).map(|last| format!(" {last}"))}</p>
            </div>
            <p class="serif other-winner" data-testid="winner">{comparison.says}</p>
            <div class="other-buttons">
                {again}
                {switch}
                <button type="button" class="button" data-testid="swap-reports" on:click=move |_| speed.chosen.set(Some(at))>
                    {if elsewhere { tr!("Show this device above") } else { tr!("Show the {} above", words::backend(kind)) }}
                </button>
            </div>
        </section>
    }
}
