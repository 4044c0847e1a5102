//! Sentences about trouble, each with a way out.

mod notice;
mod said;

pub use notice::{Known, Notices};
pub use said::Said;
