//! The kernels' twins: the same names, the same bindings, the same order of every sum.
//!
//! Where a shader gives each invocation one column of one row, a twin walks the weights once
//! and serves all rows and columns from each of them; the order in which one result's terms are
//! added is the same, so rows are as independent of each other as on the GPU.

mod attention;
mod attention_inputs;
mod bigram;
mod couple;
mod draw;
mod embed;
mod gate_up;
mod inverse_cdf;
mod logits;
mod museum;
mod probabilities;
mod project_residual;
mod shared_draw;
mod verdict;
mod verify;
mod verify_block;
mod verify_own;
mod verify_typical;

use std::cell::{Ref, RefMut};

use crate::{Buffer, Dispatch, Kernel};

/// A dispatch's buffers, by binding.
pub(crate) struct Bindings<'a>(&'a [Buffer]);

impl Bindings<'_> {
    fn uniform<T: bytemuck::Pod>(&self, binding: usize) -> T {
        let words = self.words(binding);
        bytemuck::pod_read_unaligned(&bytemuck::cast_slice::<u32, u8>(&words)[..size_of::<T>()])
    }

    fn words(&self, binding: usize) -> Ref<'_, [u32]> {
        match &self.0[binding] {
            Buffer::Cpu(words) => Ref::map(words.borrow(), Vec::as_slice),
            Buffer::Gpu(_) => unreachable!("a twin runs on buffers in memory"),
        }
    }

    fn words_mut(&self, binding: usize) -> RefMut<'_, [u32]> {
        match &self.0[binding] {
            Buffer::Cpu(words) => RefMut::map(words.borrow_mut(), Vec::as_mut_slice),
            Buffer::Gpu(_) => unreachable!("a twin runs on buffers in memory"),
        }
    }

    fn floats(&self, binding: usize) -> Ref<'_, [f32]> {
        Ref::map(self.words(binding), bytemuck::cast_slice)
    }

    fn floats_mut(&self, binding: usize) -> RefMut<'_, [f32]> {
        RefMut::map(self.words_mut(binding), bytemuck::cast_slice_mut)
    }
}

/// Runs the twin of a dispatch's kernel.
pub(crate) fn run(dispatch: &Dispatch) {
    let bindings = Bindings(&dispatch.bindings);
    let texts = dispatch.workgroups[1] as usize;
    match dispatch.kernel {
        Kernel::Attention => attention::run(&bindings),
        Kernel::AttentionInputs => attention_inputs::run(&bindings),
        Kernel::Bigram => bigram::run(&bindings, dispatch.workgroups[1] as usize),
        Kernel::Couple => couple::run(&bindings),
        Kernel::Draw => draw::run(&bindings, dispatch.workgroups),
        Kernel::Embed => embed::run(&bindings),
        Kernel::GateUp => gate_up::run(&bindings),
        Kernel::Logits => logits::run(&bindings),
        Kernel::Museum => museum::run(&bindings, texts),
        Kernel::Probabilities => probabilities::run(&bindings, dispatch.workgroups[0] as usize),
        Kernel::ProjectResidual => project_residual::run(&bindings),
        Kernel::SharedDraw => shared_draw::run(&bindings, dispatch.workgroups),
        Kernel::Verify => verify::run(&bindings, texts),
        Kernel::VerifyBlock => verify_block::run(&bindings, texts),
        Kernel::VerifyOwn => verify_own::run(&bindings, texts),
        Kernel::VerifyTypical => verify_typical::run(&bindings, texts),
    }
}

/// `1 / sqrt(mean(x^2) + epsilon)`, squares summed in four lanes as the shaders do.
fn norm_factor(row: &[f32], epsilon: f32) -> f32 {
    let mut squares = [0.0f32; 4];
    for x in row.chunks_exact(4) {
        for lane in 0..4 {
            squares[lane] += x[lane] * x[lane];
        }
    }
    let mean = (squares[0] + squares[1] + squares[2] + squares[3]) / row.len() as f32;
    1.0 / (mean + epsilon).sqrt()
}

/// `output[row] += input[row] * weights` for every row, the terms of each result added in the
/// order of the inputs.
///
/// Shapes: `input` (rows, inputs), `weights` (inputs, outputs), `output` (rows, outputs).
fn multiply_rows(
    input: &[f32],
    inputs: usize,
    weights: &[f32],
    output: &mut [f32],
    outputs: usize,
) {
    for (i, weights) in weights.chunks_exact(outputs).take(inputs).enumerate() {
        for (row, output) in output.chunks_exact_mut(outputs).enumerate() {
            let x = input[row * inputs + i];
            for (sum, weight) in output.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
    }
}
