//! Traces from files: dropped on the page, chosen, or passed by a script.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use tr::tr;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::DragEvent;

use super::Sharing;
use super::check::{self, MOST_BYTES};
use crate::errors::Said;
use crate::store::{Scene, Store};

/// Has the page take in what is dropped on it.
pub fn accept_drops(store: Store, sharing: Sharing) {
    let over = window_event_listener(ev::dragover, move |event| {
        if holds_files(&event) {
            event.prevent_default();
            if !sharing.hovering.get_untracked() {
                sharing.hovering.set(true);
            }
        }
    });
    let left = window_event_listener(ev::dragleave, move |event| {
        // Leaving the window itself leads to no other element.
        if event.related_target().is_none() {
            sharing.hovering.set(false);
        }
    });
    let dropped = window_event_listener(ev::drop, move |event| {
        sharing.hovering.set(false);
        if holds_files(&event) {
            event.prevent_default();
            if let Some(file) = first_file(&event) {
                take(store, sharing, file);
            }
        }
    });
    on_cleanup(move || {
        over.remove();
        left.remove();
        dropped.remove();
    });
}

fn holds_files(event: &DragEvent) -> bool {
    event
        .data_transfer()
        .is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

/// The files of an event or of a field are a list of the browser's own kind.
fn first_file(event: &DragEvent) -> Option<JsValue> {
    let data = event.data_transfer()?;
    first_of(&js_sys::Reflect::get(&data, &"files".into()).ok()?)
}

/// The first of the browser's list of files.
pub fn first_of(files: &JsValue) -> Option<JsValue> {
    let file = js_sys::Reflect::get(files, &0.into()).ok()?;
    (!file.is_undefined() && !file.is_null()).then_some(file)
}

/// Reads a file and shows the run in it. What is wrong with it is said in the panel and above the
/// scene, and the page then stays as it is.
pub fn take(store: Store, sharing: Sharing, file: JsValue) {
    sharing.file_trouble.set(None);
    let property = |name: &str| js_sys::Reflect::get(&file, &name.into()).ok();
    let name = property("name")
        .and_then(|name| name.as_string())
        .unwrap_or_default();
    let size = property("size")
        .and_then(|size| size.as_f64())
        .unwrap_or(0.0);
    let refuse = move |sentence: String| {
        if !sharing.open.get_untracked() {
            let sentence = sentence.clone();
            store.message.set(Some(Said::new(move || sentence.clone())));
        }
        sharing.file_trouble.set(Some(sentence));
    };
    if size > MOST_BYTES as f64 {
        return refuse(tr!(
            "“{name}” has {size} MB; a trace of the longest run is smaller than {most} MB. Choose the file that “Trace as JSON” gave.",
            name,
            size = format!("{:.0}", size / 1e6),
            most = MOST_BYTES >> 20
        ));
    }
    spawn_local(async move {
        let text = match text_of(&file).await {
            Some(text) => text,
            None => return refuse(tr!("“{name}” could not be read; choose it again.", name)),
        };
        match check::read(&text) {
            Ok(trace) => {
                store.message.set(None);
                sharing.open.set(false);
                store.open_scene(Scene::Stage);
                store.replay(trace, Some(name.chars().take(40).collect()));
                store.playhead.play();
            }
            Err(sentence) => refuse(tr!(
                "“{name}” cannot be replayed. {sentence}",
                name,
                sentence
            )),
        }
    });
}

async fn text_of(file: &JsValue) -> Option<String> {
    let read: js_sys::Function = js_sys::Reflect::get(file, &"text".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let promise: js_sys::Promise = read.call0(file).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()?.as_string()
}
