//! What the engine does with whole pairs. One program: each further one would have burn's generics
//! compiled once more.

mod ahead;
mod bench;
mod branch;
#[path = "../common/mod.rs"]
mod common;
mod device;
mod generation;
mod invariance;
mod recordings;
mod reference;
mod transformers;
mod trouble;
