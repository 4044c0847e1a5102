//! Where the text on the page comes from, and how far the models have come that could write
//! another. One line that is always there, so that nothing moves when its words change.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

use crate::engine_client::EngineState;
use crate::store::{Store, use_store};

/// The line.
#[component]
pub fn Provenance() -> impl IntoView {
    let store = use_store();
    let kind = move || {
        store.shown.with(|shown| match shown {
            Some(shown) if shown.file.is_some() => "file",
            Some(shown) if shown.recorded => "recorded",
            Some(_) => "live",
            None => "none",
        })
    };
    view! {
        <section class="provenance" data-testid="provenance" data-kind=kind aria-label="Where this text comes from">
            <i class="provenance-mark" aria-hidden="true"></i>
            <Origin />
            <Models />
            <Way />
        </section>
    }
}

#[component]
fn Origin() -> impl IntoView {
    let store = use_store();
    let words = move || {
        store.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let what = match (shown.recorded, shown.pair.name == store.form.pair.get()) {
                (true, true) => "Recorded run".to_owned(),
                (false, true) => "Live run".to_owned(),
                (true, false) => format!("Recorded run of {}", shown.pair.title),
                (false, false) => format!("Live run of {}", shown.pair.title),
            };
            let after = shown.branch.as_ref().map(|branch| branch.kept.len());
            let (what, who) = match (&shown.file, after) {
                (Some(file), _) => (format!("Replayed from {file}"), String::new()),
                (None, Some(1)) => (what, format!(", branched after 1 {}", shown.pair.token_kind)),
                (None, Some(after)) => (what, format!(", branched after {after} {}s", shown.pair.token_kind)),
                (None, None) if shown.recorded => (what, ", made by these two models".to_owned()),
                (None, None) => (what, ", written on this page".to_owned()),
            };
            Some(view! {
                <b>{what}</b><span class="who">{who}</span>" "<span class="where">{format!("({})", shown.device.name)}</span>
            })
        })
    };
    view! { <p class="origin">{words}</p> }
}

#[component]
fn Models() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let progress = Memo::new(move |_| match engine.state.get() {
        EngineState::Starting => Some(("Live models".to_owned(), 0, 0)),
        EngineState::Loading {
            stage,
            received,
            total,
        } => Some((stage, received, total)),
        _ => None,
    });
    let size = move || {
        let name = store.form.pair.get();
        engine.pairs.with(|pairs| {
            let pair = pairs.iter().find(|pair| pair.name == name);
            pair.map(|pair| pair.bytes)
        })
    };
    let how_far = move || {
        let (stage, received, total) = progress.get()?;
        let bytes = match (total, size()) {
            // Said before the first byte is asked for.
            (0, Some(size)) => format!(": {} to come", megabytes(size)),
            (0, None) => String::new(),
            (total, _) => format!(": {:.1} of {}", received as f64 / 1e6, megabytes(total)),
        };
        Some(format!("{stage}{bytes}"))
    };
    let bar = move || progress.get().filter(|(_, _, total)| *total > 0);
    let rest = move || match engine.state.get() {
        EngineState::Starting | EngineState::Loading { .. }
            if store.linked.get() && store.wanted.get() =>
        {
            "The linked run follows as soon as they are here."
        }
        EngineState::Starting | EngineState::Loading { .. } if store.wanted.get() => {
            "Your text follows as soon as they are here."
        }
        EngineState::Starting | EngineState::Loading { .. } => "Nothing you type leaves this page.",
        EngineState::Ready if store.recorded() && store.linked.get() => {
            "The models are ready for the linked run."
        }
        EngineState::Ready if store.recorded() => "The live models are ready.",
        EngineState::Ready if store.branch_needs_middle() => {
            "Write begins anew; step back first, and the run branches there instead."
        }
        EngineState::Ready => "",
        EngineState::Failed(_) | EngineState::Crashed if store.recorded() => {
            "No live models: the notice above says why. The recording works without them."
        }
        EngineState::Failed(_) | EngineState::Crashed => {
            "No live models: the notice above says why."
        }
    };
    view! {
        <div class="models">
            <Show when=move || progress.with(Option::is_some)>
                <p class="how-far" data-testid="loading">
                    <span>{how_far}</span>
                    <progress aria-label="Download" class:unknown=move || bar().is_none()
                        max=move || bar().map_or(1, |(_, _, total)| total).to_string()
                        prop:value=move || bar().map_or(0.0, |(_, received, _)| received as f64)></progress>
                </p>
            </Show>
            <p class="rest" class:waiting=move || progress.with(Option::is_some)>{rest}</p>
        </div>
    }
}

#[component]
fn Way() -> impl IntoView {
    let store = use_store();
    let offered = move || {
        store.engine.state.get() == EngineState::Ready && store.recorded() && !store.wanted.get()
    };
    let label = move || {
        if store.linked.get() {
            "Write the linked run"
        } else {
            "Write your own"
        }
    };
    let act = move |_| {
        if store.linked.get_untracked() {
            store.generate();
        } else {
            invite(store);
        }
    };
    let branch = Memo::new(move |_| store.branch_point());
    let branches = Memo::new(move |_| branch.with(Option::is_some));
    // While time passes the button stays the same and only its number changes.
    let words = move || {
        let kind = store
            .pair()
            .map_or("token".to_owned(), |pair| pair.token_kind.clone());
        let plural = |at: usize| if at == 1 { "" } else { "s" };
        branch
            .get()
            .map(|at| format!("Branch after {at} {kind}{}", plural(at)))
    };
    view! {
        <Show when=move || branches.get()>
            <button type="button" class="button way" data-testid="branch" on:click=move |_| store.branch_here()
                title="Goes on from the playhead with the edited settings; both runs stay">
                {words}
            </button>
        </Show>
        <Show when=move || !branches.get() && offered()>
            <button type="button" class="button way" data-testid="write-your-own" on:click=act>{label}</button>
        </Show>
    }
}

/// Leads to the prompt, ready to be written over.
fn invite(store: Store) {
    store.playhead.pause();
    store.settings_open.set(true);
    request_animation_frame(|| {
        let prompt = document()
            .get_element_by_id("prompt")
            .and_then(|element| element.dyn_into::<HtmlTextAreaElement>().ok());
        if let Some(prompt) = prompt {
            let _ = prompt.focus();
            prompt.select();
        }
    });
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
