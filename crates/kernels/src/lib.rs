//! The kernels of a round: WGSL for the GPU, and for each but [`Kernel::DraftBlock`] a twin in Rust with
//! the same name and the same bindings, less the gains of those that [read halves](Kernel::reads_halves).
//!
//! A [`Device`] is either a GPU or the CPU; [`Dispatch`]es are the same for both, so the engine
//! is written once and every kernel can be compared with its twin.

pub mod couple;
pub mod cpu;
mod device;
mod gpu;
mod halves;
#[cfg(test)]
mod layout;
mod panels;
mod params;
pub mod rounds;

pub use device::{Buffer, Device, DeviceError, Dispatch, Program, Read, Readback, Step};
pub use gpu::{GpuBuffer, GpuDevice, GpuSetup};
pub use halves::{Halves, halves};
pub use panels::{CPU_PANEL, PANEL, in_panels, padded};
pub use params::{KernelRule, Pass, RunSettings, record};

/// What a kernel does with a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// A uniform block.
    Uniform,
    /// A storage buffer that is only read.
    ReadOnly,
    /// A storage buffer that is written.
    ReadWrite,
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Width of the heads that [`Kernel::Attention`] is for; [`Kernel::AttentionAny`] is for others.
pub const COMMON_HEAD_DIM: usize = 32;

/// The widest residual stream, and queries, for which [`Kernel::DraftBlock`] has room.
pub const BLOCK_STREAM: usize = 256;
/// The widest gated activation for which it has.
pub const BLOCK_INTERMEDIATE: usize = 512;

impl Kernel {
    /// The kernel that does the same, with invocations that [share their sums](Self::together) if
    /// that is wanted and there is one.
    pub fn variant(self, shares_sums: bool) -> Self {
        let together = self.together().filter(|_| shares_sums);
        together.unwrap_or(self)
    }

    /// How many of so many rows an invocation computes together: groups of them are as few and
    /// as equal as can be.
    pub fn rows_together(self, rows: u32) -> u32 {
        let groups = rows.div_ceil(self.most_rows_together());
        rows.div_ceil(groups.max(1)).max(1)
    }
}
