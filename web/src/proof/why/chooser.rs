//! Which two distributions the scene is about.

use couplet_playback::tr;
use couplet_speculation::Argument;
use leptos::prelude::*;

use crate::proof::from_stage;
use crate::proof::pair::{MOST_TOKENS, Preset, ProofPair, typed};
use crate::proof::state::{Source, use_proof};
use crate::stage::error_line;
use crate::store::use_store;

/// Presets, the Stage, or numbers of one's own.
#[component]
pub fn Chooser(
    /// What stands in the same row.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    let proof = use_proof();
    let trouble = RwSignal::new(None::<String>);
    let typing = move || proof.typed.with(Option::is_some);
    let pressed = move |source: Source| (proof.source.get() == source && !typing()).to_string();
    let from_stage = move |_| match from_stage::take(store) {
        Ok(pair) => {
            trouble.set(None);
            proof.show(Source::Stage, pair);
        }
        Err(sentence) => trouble.set(Some(sentence)),
    };
    let own = move |_| {
        trouble.set(None);
        if !untrack(typing) {
            // Begins with what is on the page.
            proof
                .typed
                .set(Some(proof.pair.with_untracked(ProofPair::as_typed)));
        }
    };
    let note = move || proof.pair.with(ProofPair::note);
    view! {
        <div class="chooser">
            <span class="muted" id="chooser-title">{tr!("Draft and target")}</span>
            <div class="segments" role="group" aria-labelledby="chooser-title">
                {Preset::ALL
                    .map(|preset| {
                        let source = Source::Preset(preset);
                        view! {
                            <button type="button" data-testid=format!("preset-{}", preset.name())
                                aria-pressed=move || pressed(source)
                                on:click=move |_| {
                                    trouble.set(None);
                                    proof.show(source, preset.pair());
                                }>
                                {preset.title()}
                            </button>
                        }
                    })
                    .collect_view()}
                <button type="button" data-testid="from-stage" aria-pressed=move || pressed(Source::Stage)
                    title=tr!("What the two models said at the position under consideration on the Stage") on:click=from_stage>
                    {tr!("From the Stage")}
                </button>
                <button type="button" data-testid="own-pair" aria-pressed=move || typing().to_string() on:click=own>
                    {tr!("Your own")}
                </button>
            </div>
            {children()}
            <Show when=typing>
                <Typed />
            </Show>
            {move || trouble.get().map(|sentence| view! { <p class="field-error" role="alert" data-testid="pair-trouble">{sentence}</p> })}
            {move || note().map(|note| view! { <p class="muted" data-testid="pair-note">{note}</p> })}
        </div>
    }
}

/// Two lists of numbers.
#[component]
fn Typed() -> impl IntoView {
    let proof = use_proof();
    let written = move |field: usize| {
        proof
            .typed
            .with(|typed| typed.as_ref()?.get(field).cloned())
            .unwrap_or_default()
    };
    let write = move |field: usize, text: String| {
        proof.typed.update(|typed| {
            if let Some(place) = typed.as_mut().and_then(|typed| typed.get_mut(field)) {
                *place = text;
            }
        });
    };
    let wrong = RwSignal::new(None::<(Argument, String)>);
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        // Numbers that nobody has touched are what is shown, rounded.
        let as_shown = proof.pair.with_untracked(ProofPair::as_typed);
        if (0..2).all(|field| untrack(|| written(field)) == as_shown[field]) {
            return wrong.set(None);
        }
        match typed(&untrack(|| written(0)), &untrack(|| written(1))) {
            Ok(pair) => {
                wrong.set(None);
                proof.show(Source::Typed, pair);
            }
            Err(error) => wrong.set(Some(error)),
        }
    };
    let field = move |argument: Argument, title: String, place: usize| {
        let error = move || {
            wrong
                .get()
                .filter(|(about, _)| *about == argument)
                .map(|(_, sentence)| sentence)
        };
        let id = format!("own-{}", argument.name());
        view! {
            <div class="field own-field">
                <label for=id.clone()>{title}</label>
                <input id=id.clone() data-testid=id.clone() type="text" inputmode="text" autocomplete="off" spellcheck="false"
                    aria-invalid=move || error().is_some().then_some("true") aria-describedby=format!("{id}-error")
                    prop:value=move || written(place) on:input=move |event| write(place, event_target_value(&event)) />
                {error_line(&id, Signal::derive(error))}
            </div>
        }
    };
    view! {
        <form class="own" on:submit=submit aria-label=tr!("Your own distributions")>
            {field(Argument::Draft, tr!("Draft"), 0)}
            {field(Argument::Target, tr!("Target"), 1)}
            <button type="submit" class="button" data-testid="own-use">{tr!("Use these")}</button>
            <p class="muted">{tr!("2 to {} numbers each, as many in both; they are divided by their sums.", MOST_TOKENS)}</p>
        </form>
    }
}
