//! Sentences about trouble, each with a way out.

mod notice;
mod said;

pub use notice::Notices;
pub use said::Said;
