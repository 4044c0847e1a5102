use leptos::prelude::*;

use crate::engine_client::EngineState;
use crate::store::use_store;

/// How far the models have come, while they have not.
#[component]
pub fn Loading() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let waiting = move || {
        matches!(
            engine.state.get(),
            EngineState::Starting | EngineState::Loading { .. }
        )
    };
    let progress = Memo::new(move |_| match engine.state.get() {
        EngineState::Loading {
            stage,
            received,
            total,
        } => (stage, received, total),
        _ => ("Starting the engine".to_owned(), 0, 0),
    });
    let size = move || {
        let name = store.form.pair.get();
        engine.pairs.with(|pairs| {
            pairs
                .iter()
                .find(|pair| pair.name == name)
                .map(|pair| pair.bytes)
        })
    };
    let bytes = move || {
        let (_, received, total) = progress.get();
        match (total, size()) {
            (0, Some(size)) => format!("{} to download", megabytes(size)),
            (0, None) => String::new(),
            (total, _) => format!("{} of {}", megabytes(received), megabytes(total)),
        }
    };
    view! {
        <Show when=waiting>
            <section class="card loading" aria-label="Loading" data-testid="loading">
                <h2>"The models are on their way"</h2>
                <p class="stage-text"><b>{move || progress.get().0}</b><span>{bytes}</span></p>
                <progress aria-label="Download" max=move || progress.get().2.max(1).to_string()
                    prop:value=move || progress.get().1 as f64></progress>
                <p class="muted">
                    {move || {
                        if store.wanted.get() {
                            "Your text will be written as soon as they are here. Nothing you type leaves this page."
                        } else {
                            "They run inside this page: nothing you type leaves it."
                        }
                    }}
                </p>
            </section>
        </Show>
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
