//! The kernels' twins: the same names, the same bindings, the same results. `draft_block`, which puts
//! others together, has none: on a CPU nothing is gained by that.
//!
//! Integers are the same to the bit. Floats differ in the last places, since each device adds in
//! the order that suits it and rounds products before or not; what holds on every device is that this order does not depend on the
//! number of rows, so a row's result is the same alone and in company.

mod attend;
mod attention;
mod attention_any;
mod attention_inputs;
mod bigram;
mod couple;
mod draw;
mod embed;
mod exp;
mod fused;
mod gate_up;
pub(crate) mod inverse_cdf;
mod logits;
mod multiply;
mod museum;
mod probabilities;
mod project_residual;
mod sample;
mod shared_draw;
mod verdict;
mod verify;
mod verify_block;
mod verify_own;
mod verify_typical;

use std::cell::{Ref, RefMut};

use wide::f32x4;

pub use self::fused::is_fused;
use self::multiply::load;
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
        Kernel::Attend => attend::run(&bindings),
        Kernel::Attention => attention::run(&bindings),
        Kernel::AttentionAny => attention_any::run(&bindings),
        Kernel::AttentionInputs => attention_inputs::run(&bindings),
        Kernel::Bigram => bigram::run(&bindings, dispatch.workgroups[1] as usize),
        Kernel::Couple => couple::run(&bindings),
        Kernel::DraftBlock => unreachable!("only GPUs draft a block at once"),
        Kernel::Draw | Kernel::DrawTogether => draw::run(&bindings, dispatch.workgroups),
        Kernel::Embed => embed::run(&bindings),
        Kernel::GateUp | Kernel::GateUpTogether => gate_up::run(&bindings),
        Kernel::Logits | Kernel::LogitsTogether => logits::run(&bindings),
        Kernel::Museum => museum::run(&bindings, texts),
        Kernel::Probabilities | Kernel::ProbabilitiesTogether => {
            probabilities::run(&bindings, dispatch.workgroups[0] as usize)
        }
        Kernel::ProjectResidual | Kernel::ProjectResidualTogether => {
            project_residual::run(&bindings)
        }
        Kernel::Sample | Kernel::SampleTogether => sample::run(&bindings),
        Kernel::SharedDraw => shared_draw::run(&bindings, dispatch.workgroups),
        Kernel::Verify | Kernel::VerifyTogether => verify::run(&bindings, texts),
        Kernel::VerifyBlock => verify_block::run(&bindings, texts),
        Kernel::VerifyOwn => verify_own::run(&bindings, texts),
        Kernel::VerifyTypical => verify_typical::run(&bindings, texts),
    }
}

/// `1 / sqrt(mean(x^2) + epsilon)`, squares summed in four lanes as the shaders do.
fn norm_factor(row: &[f32], epsilon: f32) -> f32 {
    let mut squares = f32x4::ZERO;
    for x in row.chunks_exact(4) {
        let x = load(x, 0);
        squares += x * x;
    }
    let [a, b, c, d] = squares.to_array();
    1.0 / ((a + b + c + d) / row.len() as f32 + epsilon).sqrt()
}
