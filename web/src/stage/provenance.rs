//! Where the text on the page comes from, and how far the models have come that could write
//! another. One line that is always there, so that nothing moves when its words change.

use std::sync::Arc;

use couplet_playback::{decimal, separator, tr};
use couplet_protocol::{FinishReason, PairInfo};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

use super::kinds;
use super::transport::focus_play;
use super::version_words::{all_settings, own_settings};
use crate::engine_client::EngineState;
use crate::heard::Heard;
use crate::language::of_engine;
use crate::share::{has_control, use_sharing};
use crate::store::{Elsewhere, Store, use_store};

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
    // How far they are would be told all the time; that they are there is worth hearing once.
    let ready = Signal::derive(move || {
        (store.engine.state.get() == EngineState::Ready).then(|| tr!("The live models are ready."))
    });
    // What the line above the text and the timeline show of a run that is being written, and of one
    // that was.
    let written = Signal::derive(move || {
        let kind = |pair: Arc<PairInfo>| pair.token_kind.clone();
        let kind = store.pair().map_or("token".to_owned(), kind);
        if store.is_waiting() {
            return Some(tr!(
                "Your text will be written as soon as the models are here."
            ));
        }
        if store.is_writing() {
            return Some(tr!("Writing…"));
        }
        let written = store.run.with(|run| {
            let rounds = run.finished().map(|_| run.rounds())?;
            let count = rounds.iter().map(|round| round.committed.len()).sum();
            let tokens = kinds::tokens(&kind, count);
            Some(format!("{tokens}, {}", kinds::rounds(rounds.len())))
        })?;
        (!store.recorded()).then(|| format!("{}: {written}", tr!("Live run")))
    });
    view! {
        <section class="provenance" data-testid="provenance" data-kind=kind aria-label=tr!("Where this text comes from")>
            <i class="provenance-mark" aria-hidden="true"></i>
            <Origin />
            <Models />
            <Way />
            <Heard said=ready known=true />
            <Heard said=written known=true testid="written-heard" />
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
                (true, true) => tr!("Recorded run"),
                (false, true) => tr!("Live run"),
                (true, false) => tr!("Recorded run of {}", of_engine(&shown.pair.title)),
                (false, false) => tr!("Live run of {}", of_engine(&shown.pair.title)),
            };
            let after = shown.branch.as_ref().map(|branch| branch.kept.len());
            let (what, who) = match (&shown.file, after) {
                (Some(file), _) => (tr!("Replayed from {file}", file), String::new()),
                (None, Some(after)) => {
                    (what, tr!(", branched {after}", after = kinds::after(&shown.pair.token_kind, after)))
                }
                (None, None) if shown.recorded => (what, tr!(", made by these two models")),
                (None, None) => (what, tr!(", written on this page")),
            };
            Some(view! {
                <b>{what}</b><span class="who">{who}</span>" "<span class="where">{format!("({})", of_engine(&shown.device.name))}</span>
            })
        })
    };
    let ended = move || {
        let sentence = why_it_ended(store)?;
        Some(view! { <span class="ended" data-testid="ended">{sentence}</span> })
    };
    // The form is about the next run, and may say something else by now.
    let otherwise = move || {
        let form = store.form.read().ok()?.as_used();
        store.shown.with(|shown| {
            let settings = shown.as_ref()?.settings.as_used();
            let own = own_settings(&settings, &form).join(&separator());
            (form.pair == settings.pair && !own.is_empty()).then(|| view! { <span class="own-settings" data-testid="own-settings">{tr!("Written with {own}.", own)}</span> })
        })
    };
    let all = move || {
        store.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let title = of_engine(&shown.pair.title);
            Some(format!("{title}: {}", all_settings(&shown.settings)))
        })
    };
    view! {
        <p class="origin">{words}{ended}{otherwise}</p>
        <p class="on-paper">{all}</p>
    }
}

/// At the end of a run, why it has fewer tokens than were asked for.
fn why_it_ended(store: Store) -> Option<String> {
    let at = store.playhead.at.get();
    let reason = store
        .run
        .with(|run| run.finished().filter(|_| at >= run.steps().len()))?;
    match reason {
        FinishReason::Length => None,
        FinishReason::EndOfText => Some(tr!("It ended with the end-of-text token.")),
        FinishReason::Stopped => Some(tr!("Stopped before its end.")),
        FinishReason::ContextFull => Some(match store.pair() {
            Some(pair) => tr!(
                "It ended early: the context of {} tokens is full.",
                pair.context
            ),
            None => tr!("It ended early: the context is full."),
        }),
    }
}

#[component]
fn Models() -> impl IntoView {
    let store = use_store();
    let engine = store.engine;
    let progress = Memo::new(move |_| match engine.state.get() {
        EngineState::Starting => Some((of_engine("Live models"), 0, 0)),
        EngineState::Loading {
            stage,
            received,
            total,
        } => Some((of_engine(&stage), received, total)),
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
        Some(match (total, size()) {
            // Said before the first byte is asked for.
            (0, Some(size)) => tr!("{stage}: {size} to come", stage, size = megabytes(size)),
            (0, None) => stage,
            (total, _) => {
                let received = decimal(received as f64 / 1e6, 1);
                tr!(
                    "{stage}: {received} of {total}",
                    stage,
                    received,
                    total = megabytes(total)
                )
            }
        })
    };
    let bar = move || progress.get().filter(|(_, _, total)| *total > 0);
    let embed = use_sharing().embed;
    let rest = move || match engine.state.get() {
        EngineState::Starting | EngineState::Loading { .. }
            if store.asking.linked.get() && store.asking.wanted.get() =>
        {
            tr!("The linked run follows as soon as they are here.")
        }
        EngineState::Starting | EngineState::Loading { .. } if store.asking.wanted.get() => {
            tr!("Your text follows as soon as they are here.")
        }
        // The page around a frame can ask for it.
        EngineState::Starting | EngineState::Loading { .. } if embed => String::new(),
        EngineState::Starting | EngineState::Loading { .. } => {
            tr!("Nothing you type leaves this page.")
        }
        EngineState::Ready if store.is_writing() && store.measuring.busy() => {
            tr!("Your text follows as soon as the measurement is done.")
        }
        EngineState::Ready if store.recorded() && store.asking.linked.get() => {
            tr!("The models are ready for the linked run.")
        }
        EngineState::Ready if store.recorded() => tr!("The live models are ready."),
        EngineState::Ready => match store.branches_elsewhere() {
            Some(Elsewhere::Before) => {
                tr!("Write begins anew; step back first, and the run branches there instead.")
            }
            Some(Elsewhere::Behind) => {
                tr!("Write begins anew; step forward first, and the run branches there instead.")
            }
            None => String::new(),
        },
        EngineState::Failed(_) | EngineState::Crashed if store.recorded() => {
            tr!("No live models: the notice above says why. The recording works without them.")
        }
        EngineState::Failed(_) | EngineState::Crashed => {
            tr!("No live models: the notice above says why.")
        }
    };
    view! {
        <div class="models">
            <Show when=move || progress.with(Option::is_some)>
                <p class="how-far" data-testid="loading">
                    <span>{how_far}</span>
                    <progress aria-label=tr!("Download") class:unknown=move || bar().is_none()
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
    let hidden = use_sharing().hidden;
    let offered = move || {
        store.engine.state.get() == EngineState::Ready
            && store.recorded()
            && !store.asking.wanted.get()
            && (store.asking.linked.get() || hidden.with(|hidden| has_control("prompt", hidden)))
    };
    let label = move || {
        if store.asking.linked.get() {
            tr!("Write the linked run")
        } else {
            tr!("Your own prompt")
        }
    };
    let act = move |_| {
        if store.asking.linked.get_untracked() {
            store.ask_linked();
            focus_play();
        } else {
            invite(store);
        }
    };
    let go_on = move |_| {
        store.branch_here();
        focus_play();
    };
    let branch = Memo::new(move |_| store.branch_point());
    let branches = Memo::new(move |_| branch.with(Option::is_some));
    // While time passes the button stays the same and only its number changes.
    let words = move || {
        let kind = store
            .pair()
            .map_or("token".to_owned(), |pair| pair.token_kind.clone());
        branch
            .get()
            .map(|at| tr!("Branch {after}", after = kinds::after(&kind, at)))
    };
    view! {
        <Show when=move || branches.get()>
            <button type="button" class="button way" data-testid="branch" on:click=go_on
                title=tr!("Goes on from the playhead with the edited settings; both runs stay")>
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
            // The end of a long prompt would be in sight, and not its beginning.
            prompt.set_scroll_top(0);
        }
    });
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", decimal(bytes as f64 / 1e6, 1))
}
