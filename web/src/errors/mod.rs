//! Sentences about trouble, each with a way out.

mod notice;

pub use notice::Notices;
