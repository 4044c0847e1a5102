//! What the page shows, computed from what happened: `fold(events[0..t])`.
//!
//! A [`Run`] indexes the events of one run into [`Round`]s and [`Step`]s, one step per phase and
//! token that is judged.
//! [`Run::state`] folds it up to a playhead into a [`StageState`], which is all that the views
//! draw. Playing, stepping back, scrubbing and replaying a recording are therefore one path,
//! and none of it needs a browser.
//!
//! What a rule held against a token is a [`Test`]. Where that is noise which draft and target
//! share, it follows from the seed and the log, and [`Race`], [`Board`] and [`OwnDraw`] compute it
//! again.

mod board;
mod caches;
mod comparison;
mod expected;
mod judging;
mod language;
mod narration;
mod numbers;
mod outcome;
mod own_draw;
mod places;
mod race;
mod run;
mod state;
mod step;
mod visible;
mod walk;

#[cfg(test)]
mod fixture;

pub use board::{Board, Throw};
pub use caches::{Cache, Caches};
pub use comparison::{Comparison, Continuation, Take};
pub use expected::{ExpectedKept, ExpectedMean, expected_acceptance, expected_kept};
pub use judging::{Test, is_exact, procedure, wrong};
#[doc(hidden)]
pub use language::{runtime_format, said, said_of};
pub use language::{speak_as, speak_english};
pub use narration::{Piece, capital, count_word, narrate, plain, redraws, round_summary};
pub use numbers::{
    at_most, decimal, dividing, grouped, interval, separator, shortest, significant, told_apart,
    without_idle_noughts, written,
};
pub use outcome::{Outcome, outcomes};
pub use own_draw::OwnDraw;
pub use places::{Tests, tests_by_place};
pub use race::{Race, Runner};
pub use run::{Closing, ClosingKind, Proposal, Round, Run, Unjudged, Verdict};
pub use state::{Glyph, InkToken, Mark, RoundInk, StageState, Statistics, fold};
pub use step::{Pace, Phase, Step};
pub use visible::{Cut, is_special, spoken, visible};
