//! While something is being timed: a page that stands still, and how far it is.

use couplet_playback::{capital, tr};
use leptos::prelude::*;

use super::setup::duration;
use super::state::use_speed;
use crate::heard::Heard;
use crate::language;
use crate::store::{Measuring, use_store};

/// How far a bench is, heard at every quarter: the counter would talk for minutes.
pub fn heard_progress(measuring: Measuring) -> Memo<Option<String>> {
    Memo::new(move |_| {
        measuring.progress.with(|progress| {
            let progress = progress.as_ref()?;
            let quarter = (4 * progress.done).checked_div(progress.runs);
            Some(match quarter {
                Some(quarter) => tr!("{} % of the runs are done.", 25 * quarter),
                None => language::of_engine(&progress.stage),
            })
        })
    })
}

/// How far the bench is and the way out of it; what went wrong with the last one.
#[component]
pub fn Timing() -> impl IntoView {
    let (store, speed) = (use_store(), use_speed());
    let measuring = store.measuring;
    let says = move || {
        measuring.progress.get().map(|progress| {
            let stage = language::of_engine(&progress.stage);
            if progress.runs == 0 {
                return format!("{stage}.");
            }
            let done = tr!(
                "{stage}: {done} of {runs} runs done.",
                stage,
                done = progress.done,
                runs = progress.runs
            );
            match progress.left.map(duration) {
                Some(left) => format!("{done} {}", capital(&tr!("{left} left.", left))),
                None => done,
            }
        })
    };
    let heard = heard_progress(measuring);
    let (done, runs) = (
        move || {
            measuring
                .progress
                .with(|progress| progress.as_ref().map_or(0, |progress| progress.done))
        },
        move || {
            measuring
                .progress
                .with(|progress| progress.as_ref().map_or(1, |progress| progress.runs.max(1)))
        },
    );
    let busy = Memo::new(move |_| measuring.busy());
    let ended = Signal::derive(move || {
        let stopped = measuring.stopped.get() && !busy.get();
        stopped.then(|| tr!("Stopped: nothing of this measurement is kept."))
    });
    let failed = Signal::derive(move || {
        let said = measuring.failed.get().filter(|_| !busy.get())?;
        Some(not_measured(said.now()))
    });
    view! {
        <Heard said=ended known=true />
        <Heard said=failed known=true />
        {move || busy.get().then(|| view! {
            <section class="card timing" data-testid="timing" aria-label=tr!("Measurement in progress")>
                <div>
                    <Heard said=heard />
                    <p class="serif" data-testid="progress">{says}</p>
                    <progress aria-label=tr!("Runs done") max=move || runs().to_string() value=move || done().to_string()></progress>
                    <p class="muted">{tr!("Nothing moves while the engine is timed.")}</p>
                </div>
                <button type="button" class="button" data-testid="bench-stop" on:click=move |_| {
                    // Also of one that a script began: the button goes, and with it the focus.
                    speed.awaited.set_value(true);
                    store.stop_measuring();
                }>
                    {tr!("Stop")}
                </button>
            </section>
        })}
        {move || ended.get().map(|said| view! { <p class="muted" data-testid="bench-stopped">{said}</p> })}
        {move || measuring.failed.get().filter(|_| !busy.get()).map(|said| view! {
            <p class="speed-failed" data-testid="bench-failed">
                {not_measured(said.now())}
                {measuring.reports.with(|reports| !reports.is_empty())
                    .then(|| format!(" {}", tr!("What was measured before stays below.")))}
            </p>
        })}
    }
}

fn not_measured(sentence: String) -> String {
    tr!("Nothing was measured: {sentence}", sentence)
}
