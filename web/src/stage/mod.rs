//! The Stage: the text being written, and the round that writes it.

mod columns;
mod controls;
mod gauge;
mod icons;
mod inspector;
mod likely;
mod manuscript;
mod provenance;
mod residual;
mod round;
mod statistics;
mod timeline;
mod transport;
mod typecase;

use leptos::prelude::*;

use crate::store::use_store;
use controls::Controls;
use inspector::Inspector;
use manuscript::Manuscript;
use provenance::Provenance;
use round::RoundPanel;
use statistics::StatisticsPanel;
use timeline::Timeline;
use transport::Transport;

/// The scene.
#[component]
pub fn Stage() -> impl IntoView {
    view! {
        <Controls />
        <Provenance />
        <div class="two">
            <div class="main-column">
                <Manuscript />
                <RoundPanel />
                <Timeline />
                <Transport />
            </div>
            <aside class="side" aria-label="Distributions and statistics">
                <Inspector />
                <StatisticsPanel />
            </aside>
        </div>
        <LiveRegion />
    }
}

/// One polite sentence per round.
#[component]
fn LiveRegion() -> impl IntoView {
    let store = use_store();
    let sentence = Memo::new(move |_| {
        store.state.with(|state| {
            let step = state.step?;
            let committed = step.phase == couplet_playback::Phase::Commit;
            // While the needle falls, the last complete round is what was said.
            let index = if committed {
                step.round
            } else {
                step.round.checked_sub(1)?
            };
            store.run.with_untracked(|run| {
                let round = run.rounds().get(index)?;
                Some(couplet_playback::round_summary(index + 1, round, |token| {
                    store.show(token)
                }))
            })
        })
    });
    view! { <p class="visually-hidden" aria-live="polite" data-testid="live">{move || sentence.get().unwrap_or_default()}</p> }
}
