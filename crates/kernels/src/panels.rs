//! The layout of weights that rows are multiplied with.

use crate::Device;

/// Columns of a panel on a GPU. A matrix of shape (inputs, outputs) is kept as panels of this many
/// columns, each of shape (inputs, [`PANEL`]), one after the other, the last filled with zeros:
/// whoever computes neighbouring columns reads neighbouring memory, and whoever computes one
/// panel reads in the order of memory. 16 numbers are a cache line.
pub const PANEL: usize = 16;

/// Columns of a panel on the CPU: as many as leave room for the sums of five rows in registers.
pub const CPU_PANEL: usize = 8;

/// The CPU takes panels in pairs.
const _: () = assert!(PANEL.is_multiple_of(2 * CPU_PANEL));

impl Device {
    /// Columns of a panel in this device's memory.
    pub const fn panel(&self) -> usize {
        match self {
            Self::Cpu => CPU_PANEL,
            Self::Gpu(_) => PANEL,
        }
    }
}

/// Columns of a matrix after it has been filled to whole panels, on either device.
pub const fn padded(columns: usize) -> usize {
    columns.next_multiple_of(PANEL)
}

/// Lays out a matrix in panels of so many columns. Shapes: `matrix` (inputs, outputs), row after
/// row; returns (panels, inputs, `columns`). `columns` is [`PANEL`] or [`CPU_PANEL`].
pub fn in_panels(matrix: &[f32], inputs: usize, columns: usize) -> Vec<f32> {
    let outputs = matrix.len() / inputs;
    let mut panels = vec![0.0; inputs * padded(outputs)];
    for (i, row) in matrix.chunks_exact(outputs).enumerate() {
        for (panel, part) in row.chunks(columns).enumerate() {
            panels[(panel * inputs + i) * columns..][..part.len()].copy_from_slice(part);
        }
    }
    panels
}
