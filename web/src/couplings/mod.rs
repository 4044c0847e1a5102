//! Couplings: ways for two distributions to share chance.

mod call;
mod card;
mod clock;
mod drafts;
mod editor;
mod exhibit;
mod line;
mod mark;
mod matrix;
mod mechanism;
pub mod presets;
mod stage;
mod swap;
mod throwing;
mod throws;
mod typing;
mod words;

use couplet_speculation::couplings::Coupling;
use leptos::prelude::*;

use crate::lessons::{Cover, Covered};
use card::Card;
use drafts::SeveralDrafts;
use editor::Editor;
use line::Line;
use swap::SwapPanel;
use throws::Throws;

pub use call::{answer, exact, read};
pub use exhibit::{Exact, Exhibit};

/// The scene.
#[component]
pub fn Couplings() -> impl IntoView {
    view! {
        <div class="couplings" data-testid="couplings">
            <div class="couplings-top">
                <Editor />
                <Cover what=Covered::SharedChance><Line /></Cover>
            </div>
            <div class="couplings-throwing">
                // What one throw comes to is an answer too.
                <Cover what=Covered::SharedChance><Throws /></Cover>
                <Cover what=Covered::Agreement>
                    <div class="couplings-cards">
                        {Coupling::ALL
                            .map(|coupling| match coupling {
                                Coupling::Independent => view! { <Card coupling=coupling /> }.into_any(),
                                coupling => view! { <Cover what=Covered::SharedChance><Card coupling=coupling /></Cover> }.into_any(),
                            })
                            .collect_view()}
                    </div>
                </Cover>
            </div>
            <Cover what=Covered::SharedChance><SeveralDrafts /></Cover>
            <Cover what=Covered::Swap><SwapPanel /></Cover>
        </div>
    }
}
