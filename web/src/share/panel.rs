//! The panel behind the header's Share button.

use couplet_playback::tr;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::figures::{Figure, figures_of, save_png, save_svg};
use super::save::save;
use super::trace_csv::trace_csv;
use super::{ChooseFile, Sharing, link, use_sharing};
use crate::browser;
use crate::dialog::Dialog;
use crate::heard::Heard;
use crate::permalink::HIDEABLE;
use crate::store::{Scene, Store, use_store};

/// The dialog.
#[component]
pub fn Share() -> impl IntoView {
    let (store, sharing) = (use_store(), use_sharing());
    let open = sharing.open;
    view! {
        <Heard said=sharing.replayed known=true testid="replayed" />
        <Dialog open=open name="share" title=tr!("Share and keep")>
            // Made anew whenever it opens: it is about the page as it then is.
            {move || open.get().then(|| view! {
                <LinkPart store=store sharing=sharing />
                <HidePart sharing=sharing />
                <FilePart store=store sharing=sharing />
                <PicturePart scene=store.scene.get_untracked() />
                <FramePart sharing=sharing />
            })}
        </Dialog>
    }
}

/// What a link to a scene does not bring back.
fn left_out(scene: Scene) -> Option<String> {
    match scene {
        Scene::Proof => Some(tr!(
            "What was counted is not in it: whoever opens it counts anew."
        )),
        Scene::Speed => Some(tr!(
            "What was measured is not in it. The report (JSON) holds that, and “Open a report” in Speed shows it."
        )),
        Scene::Stage | Scene::Couplings | Scene::Lessons => None,
    }
}

#[component]
fn LinkPart(store: Store, sharing: Sharing) -> impl IntoView {
    let link = Memo::new(move |_| link::short(sharing));
    let from_file = move || {
        store
            .shown
            .with(|shown| shown.as_ref().is_some_and(|shown| shown.file.is_some()))
    };
    let another_time = move || {
        store.shown.with(|shown| {
            shown.as_ref().is_some_and(|shown| {
                let settings = &shown.settings;
                settings.auto_gamma && !settings.is_drafter_invariant() && shown.file.is_none()
            })
        })
    };
    view! {
        <section aria-labelledby="share-link-title">
            <h3 id="share-link-title">{tr!("A link to this")}</h3>
            {move || match link.get() {
                Ok(address) => {
                    let bytes = address.len();
                    // A branch takes along what it left, as far as there is room; nothing else
                    // that is beside the run comes with it.
                    let alone = store.compared.with(Option::is_some) && !address.contains("&left=");
                    view! {
                        <Copied id="share-link" label=tr!("Link") text=address.clone() long=false />
                        <p class="muted">
                            {tr!("{bytes} bytes. It holds the prompt, the pair, the seed and all other settings of the run, the scene, the place in the run, the lesson and what is hidden.", bytes)}
                        </p>
                        {left_out(store.scene.get()).map(|sentence| view! {
                            <p class="muted" data-testid="share-left-out">{sentence}</p>
                        })}
                        {alone.then(|| view! {
                            <p class="muted" data-testid="share-alone">{tr!("The link holds the run on the page, not the one that it is compared with.")}</p>
                        })}
                    }
                    .into_any()
                }
                Err(sentence) => view! { <p class="field-error" role="alert" data-testid="share-too-long">{sentence}</p> }.into_any(),
            }}
            <Show when=another_time>
                <p class="muted" data-testid="share-auto">{tr!("The engine chose γ while it wrote, by what it had timed, so the link may write another text. The file of the run holds this one.")}</p>
            </Show>
            <Show when=from_file>
                <p class="muted">{tr!("This run came from a file. The link has its settings written anew; to show this very run, send the file.")}</p>
            </Show>
        </section>
    }
}

#[component]
fn HidePart(sharing: Sharing) -> impl IntoView {
    let hidden = sharing.hidden;
    let toggle = move |name: &'static str| {
        hidden.update(|names| {
            let known = HIDEABLE.iter().map(|it| it.name);
            let change = |it: &&str| names.contains(it) != (*it == name);
            *names = known.filter(change).collect();
        });
    };
    view! {
        <section aria-labelledby="share-hide-title">
            <h3 id="share-hide-title">{tr!("Hide for a class")}</h3>
            <p class="muted">{tr!("Whoever opens the link meets the page without these; this panel brings them back.")}</p>
            <ul class="share-hide">
                {HIDEABLE
                    .map(|it| {
                        view! {
                            <li>
                                <label>
                                    <input type="checkbox" data-testid=format!("hide-{}", it.name)
                                        prop:checked=move || hidden.with(|names| names.contains(&it.name))
                                        on:change=move |_| toggle(it.name) />
                                    {(it.title)()}
                                </label>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
            <Show when=move || hidden.with(|names| !names.is_empty())>
                <button type="button" class="button" data-testid="hide-none" on:click=move |_| {
                    hidden.set(Vec::new());
                    browser::focus(".share-hide input");
                }>
                    {tr!("Show everything")}
                </button>
            </Show>
        </section>
    }
}

#[component]
fn FramePart(sharing: Sharing) -> impl IntoView {
    let snippet = Memo::new(move |_| link::frame(sharing));
    view! {
        <section aria-labelledby="share-frame-title">
            <h3 id="share-frame-title">{tr!("Inside a page of your own")}</h3>
            {move || match snippet.get() {
                Ok(text) => view! { <Copied id="share-frame" label=tr!("Markup of the frame") text=text long=true /> }.into_any(),
                Err(sentence) => view! { <p class="muted">{sentence}</p> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn FilePart(store: Store, sharing: Sharing) -> impl IntoView {
    let name = move || {
        store.shown.with_untracked(|shown| {
            shown.as_ref().map(|shown| {
                let settings = &shown.settings;
                format!(
                    "couplet-{}-{}-{}",
                    settings.pair,
                    settings.rule.name().replace('_', "-"),
                    settings.seed
                )
            })
        })
    };
    let json = move |_| {
        if let (Some(trace), Some(name)) = (store.record(), name())
            && let Ok(text) = serde_json::to_string(&trace)
        {
            save(&format!("{name}.json"), "application/json", &text);
        }
    };
    let csv = move |_| {
        if let (Some(trace), Some(name)) = (store.record(), name()) {
            save(&format!("{name}.csv"), "text/csv", &trace_csv(&trace));
        }
    };
    let none = move || store.shown.with(Option::is_none);
    view! {
        <section aria-labelledby="share-file-title">
            <h3 id="share-file-title">{tr!("This run as a file")}</h3>
            <div class="share-buttons">
                <button type="button" class="button" data-testid="trace-json" disabled=none on:click=json>{tr!("Trace as JSON")}</button>
                <button type="button" class="button" data-testid="trace-csv" disabled=none on:click=csv
                    title=tr!("A row for every drafted token that was judged")>{tr!("Table as CSV")}</button>
                <ChooseFile label=tr!("Replay a trace") testid="trace-file" />
                <button type="button" class="button" data-testid="print" on:click=move |_| print_page(sharing)>{tr!("Print")}</button>
            </div>
            <p class="muted">{tr!("The JSON holds every number of the run. Dropped anywhere on this page it plays again, without the models.")}</p>
            {move || sharing.file_trouble.get().map(|said| view! {
                <p class="field-error" role="alert" data-testid="file-trouble">{said.now()}</p>
            })}
        </section>
    }
}

/// The dialog is not what is to be printed.
fn print_page(sharing: Sharing) {
    sharing.open.set(false);
    request_animation_frame(|| {
        let _ = window().print();
    });
}

#[component]
fn PicturePart(scene: Scene) -> impl IntoView {
    let trouble = RwSignal::new(None);
    let figures = figures_of(scene);
    (!figures.is_empty()).then(|| {
        view! {
            <section aria-labelledby="share-picture-title">
                <h3 id="share-picture-title">{tr!("Pictures of this scene")}</h3>
                <ul class="share-pictures">
                    {figures.into_iter().map(|figure| picture_row(figure, trouble)).collect_view()}
                </ul>
                {move || trouble.get().map(|sentence| view! { <p class="field-error" role="alert">{sentence}</p> })}
            </section>
        }
    })
}

fn picture_row(figure: Figure, trouble: RwSignal<Option<String>>) -> impl IntoView {
    let Figure {
        selector,
        title,
        file,
        ..
    } = figure;
    let title = title();
    view! {
        <li>
            <span>{title.clone()}</span>
            <button type="button" class="button" data-testid=format!("svg-{file}") aria-label=tr!("{title} as SVG", title)
                on:click=move |_| save_svg(selector, &format!("{file}.svg"), trouble)>"SVG"</button>
            <button type="button" class="button" data-testid=format!("png-{file}") aria-label=tr!("{title} as PNG", title)
                on:click=move |_| save_png(selector, &format!("{file}.png"), trouble)>"PNG"</button>
        </li>
    }
}

/// A text that can be copied.
#[component]
fn Copied(
    /// Of the field.
    id: &'static str,
    /// What it is.
    label: String,
    /// The text.
    text: String,
    /// Whether it takes several lines.
    long: bool,
) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let copied = text.clone();
    let copy = move |_| {
        let text = copied.clone();
        // The same words are heard again only if they were gone for a moment.
        said.set(String::new());
        spawn_local(async move {
            let done = write_clipboard(&text).await.is_some() || copy_selected(id).is_some();
            let words = if done {
                tr!("Copied.")
            } else {
                tr!("Press Ctrl+C (⌘C) to copy what is selected.")
            };
            request_animation_frame(move || said.set(words));
        });
    };
    view! {
        <div class="share-copy">
            <label class="visually-hidden" for=id>{label.clone()}</label>
            {if long {
                view! { <textarea id=id data-testid=id readonly rows="4" spellcheck="false">{text}</textarea> }.into_any()
            } else {
                view! { <input id=id data-testid=id readonly type="text" value=text /> }.into_any()
            }}
            <button type="button" class="button" data-testid=format!("{id}-copy") aria-label=tr!("Copy: {label}", label) on:click=copy>{tr!("Copy")}</button>
            <span class="muted" role="status">{move || said.get()}</span>
        </div>
    }
}

async fn write_clipboard(text: &str) -> Option<()> {
    let clipboard = js_sys::Reflect::get(&window(), &"navigator".into())
        .and_then(|navigator| js_sys::Reflect::get(&navigator, &"clipboard".into()))
        .ok()?;
    let write: js_sys::Function = js_sys::Reflect::get(&clipboard, &"writeText".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let promise: js_sys::Promise = write
        .call1(&clipboard, &text.into())
        .ok()?
        .dyn_into()
        .ok()?;
    JsFuture::from(promise).await.ok().map(|_| ())
}

/// Selects the text and has the browser copy it, where there is no clipboard to write to.
fn copy_selected(id: &str) -> Option<()> {
    let field = document().get_element_by_id(id)?;
    let call = |object: &JsValue, name: &str, argument: &JsValue| {
        let method: js_sys::Function = js_sys::Reflect::get(object, &name.into())
            .ok()?
            .dyn_into()
            .ok()?;
        method.call1(object, argument).ok()
    };
    call(&field, "select", &JsValue::UNDEFINED)?;
    call(&document(), "execCommand", &"copy".into())?
        .as_bool()
        .filter(|done| *done)
        .map(|_| ())
}
