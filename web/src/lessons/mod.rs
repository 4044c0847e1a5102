//! Lessons: short, in order, each step a state of the real page, guessed before it is shown.

mod answered;
mod answers;
mod contents;
mod course;
mod cover;
mod facts;
mod panel;
mod places;
mod plan;
mod progress;
mod runs;
mod state;
mod words;

pub use contents::Contents;
pub use cover::{Cover, Covered, covered, why_covered};
pub use panel::{Panel, lead, to_step};
pub use state::{Before, Lessons, use_lessons};
pub use words::{Words, speak};
