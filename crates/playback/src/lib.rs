//! What the page shows, computed from what happened: `fold(events[0..t])`.
//!
//! A [`Run`] indexes the events of one run into [`Round`]s and [`Step`]s, one step per phase.
//! [`Run::state`] folds it up to a playhead into a [`StageState`], which is all that the views
//! draw. Playing, stepping back, scrubbing and replaying a recording are therefore one path,
//! and none of it needs a browser.

mod narration;
mod run;
mod state;
mod step;
mod visible;

#[cfg(test)]
mod fixture;

pub use narration::{Piece, count_word, narrate, plain, round_summary};
pub use run::{Closing, ClosingKind, Proposal, Round, Run, Verdict};
pub use state::{Glyph, InkToken, Mark, RoundInk, StageState, Statistics, fold};
pub use step::{Pace, Phase, Step};
pub use visible::{Cut, is_special, visible};
