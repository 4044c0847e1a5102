//! Files with runs or measurements: dropped on the page, or chosen.

use std::sync::{Mutex, PoisonError};

use couplet_playback::tr;
use couplet_protocol::SpeedReport;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, DragEvent, Event, File, HtmlInputElement};

use super::check::{self, MOST_BYTES, report};
use super::{Sharing, use_sharing};
use crate::browser;
use crate::errors::Said;
use crate::permalink::shorten;
use crate::stage::focus_play;
use crate::store::{Kept, Recording, Scene, Store, fetch_recording, use_store};

/// The button that has a file chosen.
#[component]
pub fn ChooseFile(
    /// What it says.
    label: String,
    /// By what tests find its field.
    testid: &'static str,
) -> impl IntoView {
    let (store, sharing) = (use_store(), use_sharing());
    let chosen = move |event: Event| {
        let field: HtmlInputElement = event_target(&event);
        if let Some(file) = field.files().and_then(|files| files.get(0)) {
            take(store, sharing, file);
        }
        // The same file can be chosen again.
        field.set_value("");
    };
    view! {
        <label class="button share-choose">
            {label}
            <input type="file" accept=".json,application/json" data-testid=testid on:change=chosen />
        </label>
    }
}

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
            match dropped_file(&event) {
                Some(Ok(file)) => take(store, sharing, file),
                Some(Err(why)) => refuse(store, sharing, why),
                None => {}
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

/// The one file that was dropped, or why there is none to read.
fn dropped_file(event: &DragEvent) -> Option<Result<File, Said>> {
    let data = event.data_transfer()?;
    let files = data.files()?;
    let file = files.get(0)?;
    Some(if files.length() > 1 {
        Err(Said::new(|| {
            tr!("Those are several files. Drop one of them: a run replaces the one on the page.")
        }))
    } else if is_folder(&data) {
        Err(Said::new(|| {
            tr!("That is a folder. Drop the file of a run that is in it.")
        }))
    } else {
        Ok(file)
    })
}

/// Whether the first thing that was dropped is a folder, which a browser gives as a file too.
fn is_folder(data: &DataTransfer) -> bool {
    let entry = data.items().get(0).map(|item| item.webkit_get_as_entry());
    entry.is_some_and(|entry| matches!(entry, Ok(Some(entry)) if entry.is_directory()))
}

/// Says why a file is not shown: in the panel, and above the scene where that is closed.
fn refuse(store: Store, sharing: Sharing, why: Said) {
    if !sharing.open.get_untracked() {
        store.message.set(Some(why.clone()));
    }
    sharing.file_trouble.set(Some(why));
}

/// What `find` has found in a text, found again only in another language: a long text takes a while.
fn found(store: Store, text: String, found: String, find: fn(&str) -> Option<String>) -> Said {
    let last = Mutex::new((store.language.get_untracked(), found));
    Said::new(move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let language = store.language.get_untracked();
        if last.0 != language {
            *last = (language, find(&text).unwrap_or_default());
        }
        last.1.clone()
    })
}

/// Reads a file and shows the run or the measurement in it, unless another file or a run was asked for before it was
/// read. What is wrong with it is said where `refuse` says, and the page then stays as
/// it is.
pub fn take(store: Store, sharing: Sharing, file: File) {
    let number = store.asking.count();
    sharing.file_trouble.set(None);
    sharing.replayed.set(None);
    let (name, size) = (file.name(), file.size());
    let refuse = move |why: Said| refuse(store, sharing, why);
    if size > MOST_BYTES as f64 {
        return refuse(Said::new(move || {
            let sentence = check::too_large(size as usize);
            tr!("“{name}” cannot be replayed. {sentence}", name, sentence)
        }));
    }
    spawn_local(async move {
        let text = JsFuture::from(file.text()).await.ok();
        if !store.asking.is_last(number) {
            return;
        }
        let Some(text) = text.and_then(|text| text.as_string()) else {
            return refuse(Said::new(move || {
                tr!("“{name}” could not be read; choose it again.", name)
            }));
        };
        if let Some(read) = report::read(&text) {
            let shown = match read {
                Ok(report) => measured(store, report, &name).await,
                Err(why) => Err(found(store, text, why, |text| report::read(text)?.err())),
            };
            return match shown {
                _ if !store.asking.is_last(number) => {}
                Ok(kept) => {
                    store.message.set(None);
                    sharing.open.set(false);
                    store.open_scene(Scene::Speed);
                    sharing.speed.open(kept);
                    request_animation_frame(|| {
                        browser::focus("#scene");
                    });
                }
                Err(why) => refuse(Said::new(move || {
                    let sentence = why.now();
                    tr!("“{name}” cannot be shown. {sentence}", name, sentence)
                })),
            };
        }
        match check::read(&text) {
            Ok(trace) => {
                let chosen = sharing.open.get_untracked();
                store.message.set(None);
                sharing.open.set(false);
                store.open_scene(Scene::Stage);
                let name = in_short(&name);
                store.replay(trace, Some(name.clone()));
                store.playhead.play();
                let rounds = store.run.with_untracked(|run| run.rounds().len());
                let rounds = tr!("1 round" | "{n} rounds" % rounds);
                sharing
                    .replayed
                    .set(Some(tr!("{name} is replayed: {rounds}", name, rounds)));
                if chosen {
                    // The panel goes first, and gives the focus to the button that opened it.
                    request_animation_frame(focus_play);
                }
            }
            Err(why) => {
                let why = found(store, text, why, |text| check::read(text).err());
                refuse(Said::new(move || {
                    let sentence = why.now();
                    tr!("“{name}” cannot be replayed. {sentence}", name, sentence)
                }));
            }
        }
    });
}

/// As much of a file's name as the page has room for.
fn in_short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// A measurement with its pair, which its file does not hold.
async fn measured(store: Store, report: SpeedReport, file: &str) -> Result<Kept, Said> {
    let name = report.request.settings.pair.clone();
    let loaded = store.engine.pair.get_untracked();
    let pair = match loaded.filter(|pair| pair.name == name) {
        Some(pair) => pair,
        None => match fetch_recording(&name, Recording::Speculative).await {
            Ok(trace) => trace.pair.into(),
            Err(_) => {
                return Err(Said::new(move || {
                    tr!(
                        "It is about the pair “{pair}”, which this page does not have or could not fetch.",
                        pair = shorten(&name)
                    )
                }));
            }
        },
    };
    Ok(Kept::of_file(report, pair, in_short(file)))
}
