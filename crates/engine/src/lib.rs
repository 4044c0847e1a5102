//! The round: draft, verify, commit. Knows models and kernels, but no browser.
//!
//! An [`Engine`] holds a pair of models on one device. [`Engine::start`] reads a prompt;
//! [`Engine::rounds`] runs rounds, several of them in one submission with one readback, and returns
//! their facts as [`Event`](couplet_protocol::Event)s.

mod ahead;
mod auto_gamma;
mod batch;
mod bench;
mod burn_device;
mod cost_model;
mod decoder;
mod engine;
mod error;
mod events;
mod exhibit;
mod kernel_choice;
mod pace;
mod packed;
mod pair;
mod programs;
mod rule;
mod run;
mod trial;

pub use ahead::Ahead;
pub use bench::{Progress, bench};
pub use burn_device::{Backend, burn_on_gpu};
pub use cost_model::{
    KernelCost, PassCost, PredictedRounds, ROWS_TIMED, UnitCosts, Work, cost_table, kernel_costs,
    predicted_rounds,
};
pub use engine::Engine;
pub use error::EngineError;
pub use exhibit::{count_rounds, couple};
pub use kernel_choice::{KernelSet, cpu_variant};
pub use pair::{Pair, PairFiles};
pub use run::Run;
pub use trial::Reference;
