//! The two distributions, to be looked at and changed.

mod bars;
mod handle;

use couplet_playback::{decimal, tr};
use leptos::prelude::*;

use super::exhibit::{Origin, use_exhibit};
use super::presets::PRESETS;
use super::stage::{FromStage, StagePicker};
use super::typing::Typing;
use crate::lessons::{Covered, covered};
use bars::Bars;
use handle::name_of;

/// More letters than this share one pair of handles.
const HANDLED: usize = 14;

/// The panel.
#[component]
pub fn Editor() -> impl IntoView {
    let exhibit = use_exhibit();
    let picking = RwSignal::new(matches!(
        exhibit.exact.get_untracked().origin,
        Origin::Stage(_)
    ));
    // The most that can agree is what one lesson asks for.
    let covered = covered(Covered::Agreement);
    let overlap = move || match covered.get() {
        true => "?".to_owned(),
        false => exhibit.exact.with(|exact| decimal(exact.agreement[3], 3)),
    };
    let many = Memo::new(move |_| exhibit.exact.with(|exact| exact.len() > HANDLED));
    let about = move || match (exhibit.exact.get().origin.clone(), many.get()) {
        (Origin::Stage(taken), _) => taken.words(),
        (_, true) => {
            tr!("Pick a letter and move its handles; the others rescale to total 1.")
        }
        (_, false) => tr!("Drag a handle; the others rescale to total 1."),
    };
    let held = RwSignal::new(None);
    let hint = move || match held.get() {
        Some((row, token)) => exhibit.exact.with(|exact| {
            let value = exact.row(row).get(token).copied().unwrap_or(0.0);
            format!("{} {}", name_of(exact, row, token), decimal(value, 3))
        }),
        None => about(),
    };
    view! {
        <section class="card editor" data-testid="editor" aria-labelledby="editor-title">
            <header>
                <div>
                    <h2 id="editor-title">{tr!("Two distributions")}</h2>
                    <p class="muted hint" data-testid="editor-hint">{hint}</p>
                </div>
                <FromStage open=picking />
            </header>
            <Show when=move || picking.get()>
                <StagePicker />
            </Show>
            <Bars many=many held=held />
            <p class="key">
                <span class="key-entry"><i class="swatch draft"></i>{tr!("draft")}</span>
                <span class="key-entry">
                    <i class="swatch overlap"></i>{tr!("overlap")}" "
                    <b class="figures" data-testid="overlap">
                        {overlap}
                    </b>
                </span>
                <span class="key-entry"><i class="swatch target"></i>{tr!("target")}</span>
                <span class="key-end">
                    "TV "
                    <b class="figures" data-testid="distance">
                        {move || exhibit.exact.with(|exact| decimal(exact.distance, 3))}
                    </b>
                </span>
            </p>
            <Presets />
            <Typing />
        </section>
    }
}

#[component]
fn Presets() -> impl IntoView {
    let exhibit = use_exhibit();
    let is = move |index: usize| {
        exhibit
            .exact
            .with(|exact| exact.origin == Origin::Preset(index))
    };
    view! {
        <div class="presets" role="group" aria-label=tr!("Examples")>
            {PRESETS
                .iter()
                .enumerate()
                .map(|(index, preset)| {
                    view! {
                        <button type="button" aria-pressed=move || if is(index) { "true" } else { "false" }
                            on:click=move |_| exhibit.show_preset(index)>
                            {(preset.title)()}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
}
