//! Speed: what speculation buys on this machine, with an interval, whether it is much or nothing.

mod chart;
mod comparison;
mod facts;
mod files;
mod follow;
mod other;
mod progress;
mod race;
mod reading;
mod setup;
mod shares;
mod state;
mod sweep;
mod what_if;
pub mod words;

use leptos::prelude::*;

use crate::heard::Heard;
use crate::store::Kept;
use facts::Facts;
use follow::follow;
use other::Other;
use progress::Timing;
use race::Race;
use setup::Invitation;
use shares::Shares;
use state::use_speed;
use sweep::Sweep;
use what_if::WhatIf;

pub use progress::heard_progress;
pub use state::SpeedState;
pub use what_if::Terms;

/// The scene.
#[component]
pub fn Speed() -> impl IntoView {
    let speed = use_speed();
    let main = speed.main;
    follow(speed);
    // A report makes its views anew; what it comes to is heard from a place that stays.
    let heard = Signal::derive(move || main.with(|main| main.as_ref().and_then(words::in_short)));
    view! {
        <div class="speed">
            <Heard said=heard />
            <Timing />
            {move || match main.get() {
                Some(kept) => report(kept).into_any(),
                None => view! { <Invitation /><WhatIf /> }.into_any(),
            }}
        </div>
    }
}

fn report(kept: Kept) -> impl IntoView {
    view! {
        <Race kept=kept.clone() />
        <div class="speed-two">
            <Sweep kept=kept.clone() />
            <div class="speed-column">
                <Shares report=kept.report.clone() />
                <Other main=kept.clone() />
            </div>
        </div>
        <WhatIf />
        <Facts kept=kept />
    }
}
