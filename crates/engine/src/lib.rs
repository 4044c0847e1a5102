//! The round: draft, verify, commit. Knows models and kernels, but no browser.
//!
//! An [`Engine`] holds a pair of models on one device. [`Engine::start`] reads a prompt;
//! [`Engine::round`] runs one round in one submission with one readback and returns its facts as
//! [`Event`](couplet_protocol::Event)s.

mod burn_device;
mod decoder;
mod engine;
mod error;
mod events;
mod exhibit;
mod measure;
mod packed;
mod pair;
mod rule;

pub use burn_device::{Backend, burn_on_gpu};
pub use engine::{Engine, Run};
pub use error::EngineError;
pub use exhibit::{count_rounds, couple};
pub use measure::measure;
pub use pair::{Pair, PairFiles};
