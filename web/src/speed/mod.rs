//! Speed: what speculation buys on this machine, with an interval, whether it is much or nothing.

mod chart;
mod comparison;
mod earlier;
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
use crate::lessons::{Cover, Covered, covered};
use crate::store::Kept;
use earlier::Earlier;
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
pub use reading::predicted;
pub use state::{SpeedState, USUAL_PAIRS};
pub use what_if::Terms;

/// What tests of this scene, and of what it remembers, begin with.
#[cfg(test)]
pub mod test {
    use couplet_protocol::{ModelInfo, PairInfo, SpeedRequest};

    pub use super::reading::tests::report;
    use crate::store::{AskedBy, Kept};

    /// A pair of two letters.
    pub fn pair() -> PairInfo {
        let model = ModelInfo {
            parameters: 1,
            layers: 1,
            hidden_size: 1,
            validation_loss: 1.0,
        };
        PairInfo {
            name: "x".to_owned(),
            title: "X".to_owned(),
            token_kind: "character".to_owned(),
            tokens: ["a", "b"].map(str::to_owned).to_vec(),
            prefix_tokens: 0,
            context: 64,
            acceptance_rate: 0.8,
            target: model.clone(),
            draft: model,
        }
    }

    /// A report with these intervals that the Speed scene asked for, in other words than usual.
    pub fn kept(intervals: &[(u32, [f64; 2])], ask: impl FnOnce(&mut SpeedRequest)) -> Kept {
        let mut report = report(intervals);
        ask(&mut report.request);
        Kept {
            report: report.into(),
            pair: pair().into(),
            asked_by: AskedBy::Speed,
            at: 0.0,
            seconds: 0.0,
            file: None,
        }
    }
}

/// The scene.
#[component]
pub fn Speed() -> impl IntoView {
    let speed = use_speed();
    let main = speed.main;
    follow(speed);
    // A report makes its views anew; what it comes to is heard from a place that stays.
    let covered = covered(Covered::Measured);
    let heard = Signal::derive(move || {
        let told = || main.with(|main| main.as_ref().and_then(words::in_short));
        (!covered.get()).then(told).flatten()
    });
    view! {
        <div class="speed">
            <Heard said=heard known=true />
            <Timing />
            <Earlier />
            {move || match main.get() {
                Some(kept) => report(kept).into_any(),
                None => view! { <Invitation /><WhatIf /> }.into_any(),
            }}
        </div>
    }
}

fn report(kept: Kept) -> impl IntoView {
    let shown = StoredValue::new(kept.clone());
    let drawn = move || {
        let kept = shown.get_value();
        view! {
            <Race kept=kept.clone() />
            <div class="speed-two">
                <Sweep kept=kept.clone() />
                <div class="speed-column">
                    <Shares report=kept.report.clone() />
                    <Other main=kept />
                </div>
            </div>
        }
    };
    view! {
        <Cover what=Covered::Measured>{drawn()}</Cover>
        <WhatIf />
        <Facts kept=kept />
    }
}
