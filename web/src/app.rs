//! The page as a whole: header, trouble, the scenes, keys.

use couplet_playback::tr;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::couplings::{Couplings, Exhibit};
use crate::errors::{Known, Notices, Said};
use crate::header::Header;
use crate::help::{Help, single_keys};
use crate::language::Language;
use crate::lessons::{Before, Contents, Covered, Lessons, Panel, lead, use_lessons};
use crate::playhead::Stride;
use crate::proof::{Proof, ProofState};
use crate::share::{self, EmbedFoot, Share, Sharing, use_sharing};
use crate::speed::{Speed, SpeedState};
use crate::stage::{Stage, keep_focus};
use crate::store::{Scene, Store, use_store};
use crate::{api, browser, permalink, projector};

/// The page.
#[component]
pub fn App(
    /// What it speaks.
    language: Language,
    /// A sentence above everything.
    message: Option<Said>,
) -> impl IntoView {
    let link = permalink::read();
    let store = Store::new(link.clone(), language);
    if message.is_some() {
        store.message.set(message);
    }
    provide_context(store);
    let (exhibit, proof) = (Exhibit::new(store), ProofState::new(store));
    provide_context(exhibit);
    provide_context(proof);
    let speed = SpeedState::new(store);
    provide_context(speed);
    let view = &link.view;
    let before = Before::of(view.scene, exhibit, proof, speed);
    let unfit = match view.scene {
        Scene::Couplings => exhibit.follow_link(&view.exhibits),
        Scene::Proof => proof.follow_link(&view.exhibits),
        Scene::Speed => {
            speed.follow_link(&view.exhibits);
            None
        }
        Scene::Stage | Scene::Lessons => None,
    };
    if let Some(key) = unfit {
        store.message.set(Some(permalink::left_out(key)));
    }
    let lessons = Lessons::new(store, exhibit, proof, speed, view, before);
    provide_context(lessons);
    let sharing = Sharing::new(store, lessons, exhibit, proof, speed, view);
    provide_context(sharing);
    provide_context(Known::new());
    share::dress(view, sharing.hidden);
    share::accept_drops(store, sharing);
    share::follow(sharing);
    api::install(store, exhibit, proof, sharing);
    let (help, single_keys) = (RwSignal::new(false), single_keys());
    let listener = window_event_listener(ev::keydown, move |event| {
        if !browser::has_dialog() {
            on_key(store, lessons, help, single_keys, &event);
        }
    });
    on_cleanup(move || listener.remove());
    permalink::claim();
    let back = window_event_listener(ev::popstate, move |event| {
        if permalink::is_of_another_link(&event.state()) {
            // Everything that it says is to be followed, as when it was opened.
            let _ = window().location().reload();
        } else {
            let view = permalink::read().view;
            // What stands over the page is about the part that was left.
            help.set(false);
            sharing.open.set(false);
            store.scene.set(view.scene);
            lessons.follow_history(&view);
            share::follow_history(sharing);
        }
    });
    on_cleanup(move || back.remove());
    Effect::new(move |before: Option<()>| {
        let (scene, language) = (store.scene.get(), store.language.get());
        let lesson = lessons.heading();
        // So the page is called before anything has run.
        let is_called = (scene, language) == (Scene::Stage, Language::English) && lesson.is_none();
        if before.is_some() || !is_called {
            document().set_title(&match lesson {
                Some(heading) => format!("{heading} · Couplet"),
                None => scene.title_of_page(),
            });
        }
    });
    // All that is said stands in the views: another language makes them anew.
    move || {
        store.language.track();
        view! { <Views help=help single_keys=single_keys /> }
    }
}

#[component]
fn Views(help: RwSignal<bool>, single_keys: RwSignal<bool>) -> impl IntoView {
    let (store, sharing, lessons) = (use_store(), use_sharing(), use_lessons());
    view! {
        <button type="button" class="skip" on:click=move |_| skip_to_scene()>{tr!("Skip to the page")}</button>
        <Hatch />
        {(!sharing.embed).then(|| view! { <Header help=help /> })}
        <main id="scene" tabindex="-1" class:with-lesson=move || lessons.open.with(Option::is_some)
            class:rounds-covered=move || lessons.covers(Covered::Rounds)
            data-scene=move || store.scene.get().name()>
            <Notices />
            <Panel />
            <div class="scene">{move || match store.scene.get() {
                Scene::Stage => view! { <Stage /> }.into_any(),
                Scene::Couplings => view! { <Couplings /> }.into_any(),
                Scene::Speed => view! { <Speed /> }.into_any(),
                Scene::Proof => view! { <Proof /> }.into_any(),
                Scene::Lessons => view! { <Contents /> }.into_any(),
            }}</div>
        </main>
        {sharing.embed.then(|| view! { <EmbedFoot /> })}
        <Show when=move || sharing.hovering.get()>
            <div class="drop-here" aria-hidden="true"><p>{tr!("Drop the file of a run or a measurement: it is shown here")}</p></div>
        </Show>
        <Share />
        <Help open=help single_keys=single_keys />
    }
}

/// Past the header. Not a link: the address after `#` holds the settings.
fn skip_to_scene() {
    browser::jump("#scene");
    browser::focus("#scene");
}

/// Hatching of everything that belongs to the draft.
#[component]
fn Hatch() -> impl IntoView {
    view! {
        <svg width="0" height="0" class="defs" aria-hidden="true">
            <defs>
                <pattern id="hatch" width="4.2" height="4.2" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <path d="M0 0V4.2" class="hatch-line" />
                </pattern>
            </defs>
        </svg>
    }
}

fn on_key(
    store: Store,
    lessons: Lessons,
    help: RwSignal<bool>,
    single_keys: RwSignal<bool>,
    event: &KeyboardEvent,
) {
    let key = event.key();
    // Some keyboards have brackets only together with Alt.
    let alt = event.alt_key() && !matches!(key.as_str(), "[" | "]");
    if event.ctrl_key() || event.meta_key() || alt || event.default_prevented() {
        return;
    }
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let within = |selector: &str| {
        element
            .as_ref()
            .is_some_and(|element| element.closest(selector).ok().flatten().is_some())
    };
    // A guess is no text that these keys could move in.
    let field = within("input, textarea, select, [contenteditable], dialog, [role=listbox]");
    // What scrolls keeps the keys that scroll it. The text is where the run is moved.
    let scrolls = element.as_ref().is_some_and(|element| {
        let region = "[role=region][tabindex]:not(#manuscript)";
        element.matches(region).unwrap_or(false)
    });
    if (!field && !scrolls || within(".lesson-ask")) && present(store, lessons, event) {
        event.prevent_default();
        return;
    }
    if field || is_character(&key) && !single_keys.get_untracked() {
        return;
    }
    if key == "?" {
        help.set(true);
        event.prevent_default();
        return;
    }
    // The other keys move the run, which only the Stage shows.
    if scrolls || store.scene.get_untracked() != Scene::Stage {
        return;
    }
    let playhead = store.playhead;
    let step = |stride, forward| {
        keep_focus();
        playhead.step(stride, forward);
    };
    match (key.as_str(), event.shift_key()) {
        (" ", _) if within("button, summary, a") => return,
        // Beside the run they scroll as everywhere.
        ("Home" | "End", _) if within("aside") => return,
        (" ", _) => store.play_or_pause(),
        ("ArrowRight", false) => step(Stride::Token, true),
        ("ArrowLeft", false) => step(Stride::Token, false),
        (".", _) => step(Stride::Phase, true),
        (",", _) => step(Stride::Phase, false),
        ("ArrowRight", true) | ("]", _) => step(Stride::Round, true),
        ("ArrowLeft", true) | ("[", _) => step(Stride::Round, false),
        ("Home", _) => {
            keep_focus();
            playhead.go(0);
        }
        ("End", _) => {
            keep_focus();
            playhead.end();
        }
        _ => return,
    }
    event.prevent_default();
}

/// Whether a key writes a character, the space among them; others have longer names.
fn is_character(key: &str) -> bool {
    key.chars().nth(1).is_none()
}

/// The keys of a presenter's remote: with letters for a projector they lead through a lesson or the
/// run, where everywhere else they scroll. Tells whether they did.
fn present(store: Store, lessons: Lessons, event: &KeyboardEvent) -> bool {
    let forward = match event.key().as_str() {
        "PageDown" => true,
        "PageUp" => false,
        _ => return false,
    };
    if !projector::is_on() || event.shift_key() {
        return false;
    }
    let in_lesson = lessons.open.with_untracked(Option::is_some);
    if in_lesson && !lessons.folded.get_untracked() {
        // A key that is held down would reveal and leave at once.
        return event.repeat() || lead(lessons, forward);
    }
    let on_stage = store.scene.get_untracked() == Scene::Stage;
    if on_stage {
        store.playhead.step(Stride::Phase, forward);
    }
    on_stage
}
