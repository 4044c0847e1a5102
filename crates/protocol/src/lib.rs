//! The only types that cross between page and worker: commands, replies, events, traces.
//!
//! Everything is plain data. The engine states facts as [`Event`]s; the page folds them into
//! what it draws; a [`Trace`] is the same list kept in a file. JSON everywhere.

mod branch;
mod event;
mod exhibit;
mod message;
mod settings;
mod speed;

pub use branch::Branch;
pub use event::{Distribution, Event, FinishReason, Timings, Trace};
pub use exhibit::{CoupleRequest, Coupled, CouplingName, Mistake, RoundsCounted, RoundsRequest};
pub use message::{
    BackendChoice, BackendKind, Command, DeviceInfo, Failure, FailureKind, ModelInfo, PairInfo,
    PairSummary, Reply, Which,
};
pub use settings::{Drafter, MAX_GAMMA, MAX_SEED, Parameter, Rule, Settings, SettingsError};
pub use speed::{
    GammaSpeed, Headline, PassCosts, RaceLane, RaceRound, RunTime, SpeedReport, SpeedRequest,
    TimeShare, TimeSource, TokensPerSecond, Verdict, WeightHashes,
};

/// Version of every type here; a trace of another version is refused with a sentence.
pub const VERSION: u32 = 1;
