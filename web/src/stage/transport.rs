use couplet_playback::tr;
use leptos::prelude::*;

use crate::browser;
use crate::playhead::{SPEEDS, Stride};
use crate::store::use_store;

const FIRST: &str = "M4 4h2v12H4zM16 4v12L7 10z";
const BACK: &str = "M14.5 4v12L6 10z";
const PLAY: &str = "M6 3.5v13L17 10z";
const PAUSE: &str = "M5 4h3.6v12H5zM11.4 4H15v12h-3.6z";
const NEXT: &str = "M4 4v12l8-6zM13 4h2.4v12H13z";
const END: &str = "M3 4v12l7-6zM10 4v12l7-6zM17 4h1.6v12H17z";
const STOP: &str = "M5 5h10v10H5z";

fn glyph(path: impl IntoView + 'static) -> impl IntoView {
    view! { <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">{path}</svg> }
}

fn previous(stride: Stride) -> String {
    match stride {
        Stride::Token => tr!("Previous token"),
        Stride::Phase => tr!("Previous phase"),
        Stride::Round => tr!("Previous round"),
    }
}

fn next(stride: Stride) -> String {
    match stride {
        Stride::Token => tr!("Next token"),
        Stride::Phase => tr!("Next phase"),
        Stride::Round => tr!("Next round"),
    }
}

/// Puts the focus on Play, from where Space goes on playing and pausing: for buttons that are gone
/// once they have been pressed.
pub fn focus_play() {
    browser::focus("[data-testid=play]");
}

/// Buttons that move the playhead.
#[component]
pub fn Transport() -> impl IntoView {
    let store = use_store();
    let playhead = store.playhead;
    let label = move || {
        if playhead.playing.get() {
            tr!("Pause")
        } else if store.is_waiting() {
            tr!("Waiting")
        } else if playhead.held() {
            tr!("Timing")
        } else if store.branch_point().is_some() {
            tr!("button" => "Branch")
        } else if store.would_write() {
            // On a phone all buttons of the row have one line.
            match browser::is_narrow() {
                true => tr!("Write"),
                false => tr!("Write and play"),
            }
        } else {
            tr!("Play")
        }
    };
    let icon = move || if playhead.playing.get() { PAUSE } else { PLAY };
    let writing = move || store.is_writing();
    let button = move |class: &'static str,
                       label: String,
                       id: &'static str,
                       path: &'static str,
                       act: fn(crate::store::Store)| {
        view! {
            <button type="button" class=format!("button {class}") aria-label=label.clone() title=label data-testid=id
                on:click=move |_| act(store)>
                {glyph(view! { <path d=path fill="currentColor" /> })}
            </button>
        }
    };
    // A text ends by itself, too, and Stop then goes: left by itself it would take the focus with it.
    let stop_held = StoredValue::new(false);
    let hold_stop = move |held: bool| {
        // Who leaves the window finds the focus where it was.
        if untrack(writing) && document().has_focus().unwrap_or(true) {
            stop_held.set_value(held);
        }
    };
    Effect::new(move |_| {
        if !writing()
            && stop_held
                .try_update_value(std::mem::take)
                .unwrap_or_default()
        {
            focus_play();
        }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        if let Some(stride) = Stride::ALL.into_iter().find(|stride| stride.name() == name) {
            playhead.stride.set(stride);
        }
    };
    view! {
        <div class="playback">
            <div class="transport" role="group" aria-label=tr!("Playback")>
                {button("first", tr!("Back to the prompt"), "first", FIRST, |store| store.playhead.go(0))}
                <button type="button" class="button" aria-label=move || previous(playhead.stride.get())
                    title=move || previous(playhead.stride.get()) data-testid="prev-phase"
                    on:click=move |_| playhead.step(playhead.stride.get_untracked(), false)>
                    {glyph(view! { <path d=BACK fill="currentColor" /> })}
                </button>
                <button type="button" class="button play" data-testid="play" on:click=move |_| store.play_or_pause()
                    disabled=move || playhead.held() || store.form.read().is_err() && store.would_write()
                    title=move || playhead.held().then(|| tr!("Nothing moves while the engine is timed."))>
                    {glyph(view! { <path d=icon fill="currentColor" /> })}
                    <span>{label}</span>
                </button>
                <Show when=writing>
                    <button type="button" class="button stop" data-testid="stop"
                        on:focus=move |_| hold_stop(true) on:blur=move |_| hold_stop(false)
                        on:click=move |_| {
                            store.stop();
                            focus_play();
                        }>
                        {glyph(view! { <path d=STOP fill="currentColor" /> })}
                        <span>{tr!("Stop")}</span>
                    </button>
                </Show>
                <span class="stride">
                    <button type="button" class="button step" data-testid="next-phase"
                        aria-label=move || next(playhead.stride.get())
                        on:click=move |_| playhead.step(playhead.stride.get_untracked(), true)>
                        {glyph(view! { <path d=NEXT fill="currentColor" /> })}
                        <span>{tr!("Next")}</span>
                    </button>
                    <select aria-label=tr!("What Next and Previous move by") data-testid="stride" on:change=choose>
                        {Stride::ALL
                            .map(|stride| {
                                view! {
                                    <option value=stride.name() prop:selected=move || playhead.stride.get() == stride>
                                        {stride.title()}
                                    </option>
                                }
                            })
                            .collect_view()}
                    </select>
                </span>
                {button("end", tr!("To the end"), "end", END, |store| store.playhead.end())}
            </div>
            <div class="speeds" role="group" aria-label=tr!("Speed")>
                {SPEEDS
                    .map(|(speed, label)| {
                        view! {
                            <button type="button"
                                aria-pressed=move || if playhead.speed.get() == speed { "true" } else { "false" }
                                on:click=move |_| playhead.speed.set(speed)>
                                {label}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
            <p class="keys" aria-hidden="true">
                <kbd>{tr!("Space")}</kbd>" "{tr!("play")}" "<kbd>"←"</kbd><kbd>"→"</kbd>" "{tr!("token")}" "
                <kbd>","</kbd><kbd>"."</kbd>" "{tr!("phase")}" "<kbd>"["</kbd><kbd>"]"</kbd>" "{tr!("round")}
            </p>
        </div>
    }
}
