//! Choosing the language.

use std::cell::Cell;

use couplet_playback::tr;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Language, not_had};
use crate::errors::Said;
use crate::store::use_store;
use crate::{browser, permalink};

thread_local! {
    /// What was chosen last; the views go with every choice.
    static WANTED: Cell<Option<Language>> = const { Cell::new(None) };
}

/// Whether somebody chose one since the page was opened.
pub fn was_chosen() -> bool {
    WANTED.get().is_some()
}

/// The languages, of which one is chosen.
#[component]
pub fn LanguageChoice() -> impl IntoView {
    let store = use_store();
    let trouble = RwSignal::new(None::<String>);
    let choose = move |language: Language| {
        WANTED.set(Some(language));
        trouble.set(None);
        spawn_local(async move {
            let spoken = language.speak().await;
            // Another may have been chosen while the words of this one were on their way.
            match spoken {
                Ok(()) if WANTED.get() != Some(language) => {
                    let _ = store.language.get_untracked().speak().await;
                }
                Ok(()) => {
                    language.remember();
                    permalink::forget_language();
                    // The page may have opened without the words of this one.
                    let lacked = |said: &Said| said.now() == not_had();
                    let message = store.message.get_untracked();
                    if message.as_ref().is_some_and(lacked) {
                        store.message.set(None);
                    }
                    let field = document().active_element().map(|element| element.id());
                    store.language.set(language);
                    // Who began to write while the words were on their way goes on in the new field.
                    request_animation_frame(move || {
                        if let Some(id) = field.filter(|id| !id.is_empty()) {
                            browser::focus(&format!("#{id}"));
                        }
                    });
                }
                // Nobody wants it any more.
                Err(_) if WANTED.get() != Some(language) => {}
                Err(sentence) => {
                    trouble.set(Some(sentence));
                    // Who has closed the help meanwhile would not hear of it.
                    if !browser::has_dialog() {
                        store.message.set(Some(Said::new(not_had)));
                    }
                }
            }
        });
    };
    view! {
        <div class="languages" data-testid="languages">
            <span id="language-title" class="muted">{tr!("Language")}</span>
            <div class="segments" role="group" aria-labelledby="language-title">
                {Language::ALL
                    .map(|language| view! {
                        <button type="button" lang=language.code()
                            aria-pressed=move || (store.language.get() == language).to_string()
                            on:click=move |_| choose(language)>
                            {language.own_name()}
                        </button>
                    })
                    .collect_view()}
            </div>
            {move || trouble.get().map(|sentence| view! { <p class="field-error" role="alert">{sentence}</p> })}
        </div>
    }
}
