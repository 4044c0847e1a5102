//! Taking the page's state away and bringing it back: links, files, pictures, frames, paper.

mod address;
mod check;
pub mod csv;
mod figures;
mod hidden;
mod intake;
mod link;
mod panel;
mod picture;
mod save;
mod trace_csv;

use leptos::prelude::*;

use crate::couplings::Exhibit;
use crate::errors::Said;
use crate::lessons::Lessons;
use crate::permalink::View;
use crate::proof::ProofState;
use crate::speed::SpeedState;
use crate::store::Store;

pub use address::{follow, follow_history};
pub use check::read as read_trace;
pub use figures::{save_png, save_svg};
pub use hidden::{EmbedFoot, dress, has_control};
pub use intake::{ChooseFile, accept_drops};
pub use link::short as short_link;
pub use panel::Share;
pub use save::save;

/// What the page knows about being shared; copies are the same.
#[derive(Clone, Copy)]
pub struct Sharing {
    /// Whether the panel is open.
    pub open: RwSignal<bool>,
    /// Names of what is hidden, each one of [`crate::permalink::HIDEABLE`].
    pub hidden: RwSignal<Vec<&'static str>>,
    /// Whether the page stands in a frame of another one.
    pub embed: bool,
    /// What came of the last file.
    pub file_trouble: RwSignal<Option<Said>>,
    /// What is heard of a file that is replayed.
    pub replayed: RwSignal<Option<String>>,
    /// Whether a file hangs over the page.
    pub hovering: RwSignal<bool>,
    store: Store,
    lessons: Lessons,
    exhibit: Exhibit,
    proof: ProofState,
    speed: SpeedState,
}

impl Sharing {
    /// As a link says.
    pub fn new(
        store: Store,
        lessons: Lessons,
        exhibit: Exhibit,
        proof: ProofState,
        speed: SpeedState,
        view: &View,
    ) -> Self {
        Self {
            open: RwSignal::new(false),
            hidden: RwSignal::new(view.hide.clone()),
            embed: view.embed,
            file_trouble: RwSignal::new(None),
            replayed: RwSignal::new(None),
            hovering: RwSignal::new(false),
            store,
            lessons,
            exhibit,
            proof,
            speed,
        }
    }
}

/// What the page knows about being shared.
pub fn use_sharing() -> Sharing {
    expect_context::<Sharing>()
}
