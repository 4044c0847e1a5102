//! The layout of weights that rows are multiplied with.

/// Columns of a panel. A matrix of shape (inputs, outputs) is kept as panels of this many
/// columns, each of shape (inputs, [`PANEL`]), one after the other, the last filled with zeros:
/// whoever computes neighbouring columns reads neighbouring memory, and whoever computes one
/// panel reads on and on. 16 numbers are a cache line.
pub const PANEL: usize = 16;

/// Columns of a matrix after it has been filled to whole panels.
pub const fn padded(columns: usize) -> usize {
    columns.next_multiple_of(PANEL)
}

/// Lays out a matrix. Shapes: `matrix` (inputs, outputs), row after row; returns
/// (panels, inputs, [`PANEL`]).
pub fn in_panels(matrix: &[f32], inputs: usize) -> Vec<f32> {
    let outputs = matrix.len() / inputs;
    let mut panels = vec![0.0; inputs * padded(outputs)];
    for (i, row) in matrix.chunks_exact(outputs).enumerate() {
        for (panel, columns) in row.chunks(PANEL).enumerate() {
            panels[(panel * inputs + i) * PANEL..][..columns.len()].copy_from_slice(columns);
        }
    }
    panels
}
