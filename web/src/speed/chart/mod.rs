//! Drawings of speed-up by draft length.

mod formula;
mod frame;
mod place;
mod sweep;

pub use formula::curve;
pub use sweep::{Size, chart};
