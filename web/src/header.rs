//! Name of the page, its scenes, and where the models run.

use couplet_playback::tr;
use couplet_protocol::BackendKind;
use leptos::prelude::*;

use crate::engine_client::EngineState;
use crate::errors::Known;
use crate::language;
use crate::projector::ProjectorToggle;
use crate::share::use_sharing;
use crate::store::{Scene, use_store};
use crate::theme::ThemeToggle;

/// The top of the page.
#[component]
pub fn Header(
    /// Opens the help.
    help: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <header class="top">
            <h1 class="brand">
                <svg width="24" height="16" viewBox="0 0 24 16" aria-hidden="true">
                    <path d="M1.5 3.5h21" class="brand-pencil" />
                    <path d="M1.5 12.5h17" class="brand-ink" />
                </svg>
                "Couplet"
            </h1>
            <Scenes />
            <div class="top-right">
                <Badge />
                // Nobody puts a phone on a wall, and the badge needs the room.
                <span class="wide-only"><ProjectorToggle /></span>
                <ThemeToggle />
                <button type="button" class="icon-button" data-testid="help" aria-label=tr!("Help: keys and terms")
                    title=tr!("Help: keys and terms (?)") on:click=move |_| help.set(true)>
                    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                        <path d="M6.8 7.4a3.2 3.2 0 1 1 4.9 2.7c-1.1.7-1.7 1.2-1.7 2.4" fill="none"
                            stroke="currentColor" stroke-width="1.7" stroke-linecap="round" />
                        <circle cx="10" cy="15.6" r="1.1" fill="currentColor" />
                    </svg>
                </button>
                <ShareButton />
            </div>
        </header>
    }
}

#[component]
fn ShareButton() -> impl IntoView {
    let (open, store) = (use_sharing().open, use_store());
    view! {
        <button type="button" class="icon-button share-button" data-testid="share" title=tr!("Link, files, pictures, what to hide")
            on:click=move |_| {
                // A link to what is seen, which stands still while it is copied.
                store.playhead.pause();
                open.set(true);
            }>
            <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
                <path d="M8.2 11.8a3.4 3.4 0 0 0 5 .2l2.6-2.6a3.4 3.4 0 0 0-4.8-4.8L9.6 6M11.8 8.2a3.4 3.4 0 0 0-5-.2l-2.6 2.6a3.4 3.4 0 0 0 4.8 4.8L10.4 14"
                    fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
            </svg>
            <span>{tr!("Share")}</span>
        </button>
    }
}

#[component]
fn Scenes() -> impl IntoView {
    let store = use_store();
    view! {
        <nav class="scenes" aria-label=tr!("Scenes")>
            {Scene::ALL
                .map(|scene| {
                    let open = move |_| store.open_scene(scene);
                    view! {
                        <button type="button" data-testid=format!("scene-{}", scene.name())
                            aria-current=move || (store.scene.get() == scene).then_some("page") on:click=open>
                            {scene.title()}
                        </button>
                    }
                })
                .collect_view()}
        </nav>
    }
}

#[component]
fn Badge() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let kind = move || match (engine.state.get(), engine.device.get()) {
        (EngineState::Ready, Some(device)) if device.backend == BackendKind::Gpu => "gpu",
        (EngineState::Ready, Some(_)) => "cpu",
        (EngineState::Failed(_) | EngineState::Crashed, _) => "none",
        _ => "waiting",
    };
    let text = Signal::derive(move || match (engine.state.get(), engine.device.get()) {
        (EngineState::Ready, Some(device)) => language::of_engine(&device.name),
        (EngineState::Failed(_) | EngineState::Crashed, _) if store.recorded() => {
            tr!("Recording only")
        }
        (EngineState::Failed(_) | EngineState::Crashed, _) => tr!("No engine"),
        (
            EngineState::Loading {
                received, total, ..
            },
            _,
        ) if total > 0 => {
            tr!(
                "Loading, {} %",
                (100 * received).checked_div(total).unwrap_or(0).min(100)
            )
        }
        _ => tr!("Loading"),
    });
    let reason = move || {
        let reason = engine.device.get()?.reason?;
        Some(language::of_engine(&reason))
    };
    let known = expect_context::<Known>();
    let name = move || {
        view! {
            <i aria-hidden="true"></i>
            <span>{move || on_phones(&text.get(), true)}<span class="wide-only">{move || on_phones(&text.get(), false)}</span></span>
        }
    };
    let show = move |_| {
        known.show();
        window().scroll_to_with_x_and_y(0.0, 0.0);
    };
    // Where there is a reason for the device, the notice of it can be had again.
    move || {
        match reason() {
            Some(reason) => view! {
                <button type="button" class="badge" data-testid="badge" data-kind=kind title=reason on:click=show>{name()}</button>
            }
            .into_any(),
            None => view! { <p class="badge" data-testid="badge" data-kind=kind>{name()}</p> }.into_any(),
        }
    }
}

/// What phones have room for of a device's name, which is whether it is a GPU or the CPU, or the rest.
fn on_phones(name: &str, kept: bool) -> String {
    let is_device = ["CPU", "WebGPU"].iter().any(|kind| name.starts_with(kind));
    let end = name.find([' ', ',']).filter(|_| is_device);
    let (first, rest) = name.split_at(end.unwrap_or(name.len()));
    if kept { first } else { rest }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_says_what_computes_and_no_half_words() {
        let cut = |name| [true, false].map(|kept| on_phones(name, kept));
        assert_eq!(cut("CPU in WebAssembly"), ["CPU", " in WebAssembly"]);
        assert_eq!(cut("WebGPU, Apple M2"), ["WebGPU", ", Apple M2"]);
        assert_eq!(cut("CPU"), ["CPU", ""]);
        assert_eq!(cut("Loading, 4 %"), ["Loading, 4 %", ""]);
    }
}
