//! The Stage: the text being written, and the round that writes it.

pub(crate) mod bars;
mod caches;
mod caption;
mod columns;
mod controls;
mod every_rule;
mod fate;
mod figure;
pub(crate) mod gauge;
pub(crate) mod icons;
mod inspector;
mod introduction;
mod kinds;
mod likely;
mod manuscript;
mod noise;
mod picking;
mod provenance;
mod residual;
mod round;
mod rounds_table;
mod rule_field;
mod rule_formula;
mod rule_words;
mod speed_up;
mod statistics;
mod timeline;
mod transport;
mod typecase;
mod version_words;
mod versions;

use couplet_playback::{Phase, narrate, plain, round_summary, tr};
use couplet_protocol::Rule;
use leptos::prelude::*;

use crate::browser;
use crate::heard::{Heard, STEP};
use crate::lessons::{Cover, Covered};
use crate::playhead::now;
use crate::store::{Selection, use_store};
pub use icons::{Sign, icon, mark};
pub use rule_field::{RuleField, RuleNote};
pub use rule_words::{replaced, title as rule_title};
pub use transport::focus_play;
pub use version_words::parameters as rule_parameters;

pub use columns::keep_focus;
use controls::Controls;
pub use controls::{NumberField, PairField, drafter_title, error_line, hint_line, lead_to_error};
use fate::Fate;
use inspector::Inspector;
use introduction::Introduction;
use manuscript::Manuscript;
use provenance::Provenance;
use round::RoundPanel;
use rounds_table::RoundsTable;
use rule_formula::settings_of;
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
                <div class="with-gloss"><Introduction /><Manuscript /></div>
                <RoundPanel />
                <Timeline />
                <Transport />
                <RoundsTable />
            </div>
            <aside class="side" aria-label=tr!("Distributions and statistics")>
                <Inspector />
                <Cover what=Covered::Statistics><StatisticsPanel /></Cover>
            </aside>
        </div>
        <LiveRegion />
    }
}

/// Rounds that follow each other faster in play cannot all be said.
const APART_MS: f64 = 4000.0;

/// One polite sentence for every round that plays, and for every step that is taken by hand.
#[component]
fn LiveRegion() -> impl IntoView {
    let store = use_store();
    let sentence = Memo::new(move |_| {
        let playing = store.playhead.playing.get();
        store.state.with(|state| {
            let step = state.step?;
            let rounds = if step.phase == Phase::Commit {
                step.round + 1
            } else if playing {
                // While the needle falls, the last complete round is what was said.
                step.round
            } else {
                let (round, settings) = (state.round.as_ref()?, settings_of(store));
                // The drawing that the sentence speaks of shows u and what it is held against.
                let by_needle = matches!(settings.rule, Rule::Rejection | Rule::Lenience);
                if step.phase == Phase::Judge && by_needle {
                    let at = Selection {
                        round: step.round,
                        column: step.column,
                    };
                    return Some(Fate::of(state, round, at, &settings)?.heard(store));
                }
                let pieces = narrate(round, step, &settings, |token| store.show(token));
                return Some(plain(&pieces));
            };
            store.run.with_untracked(|run| {
                let round = run.rounds().get(rounds.checked_sub(1)?)?;
                let rule = settings_of(store).rule;
                Some(round_summary(rounds, round, rule, |token| {
                    store.show(token)
                }))
            })
        })
    });
    // With the time from which the next one is to keep apart.
    let said = Memo::new(move |before: Option<&(f64, Option<String>)>| {
        let (at, sentence) = (now(), sentence.get());
        let playing = store.playhead.playing.get();
        match before {
            Some(before) if before.1 == sentence || playing && at - before.0 < APART_MS => {
                before.clone()
            }
            // The slider says by itself where it is, the inspector what became of a token that is
            // picked, and a lesson what it shows.
            Some(before)
                if store.playhead.unasked.get_value()
                    || store.selected.with(Option::is_some)
                    || browser::has_focus(".timeline") =>
            {
                before.clone()
            }
            _ => (at, sentence),
        }
    });
    view! { <Heard said=Signal::derive(move || said.get().1) waits=STEP known=true testid="live" /> }
}
