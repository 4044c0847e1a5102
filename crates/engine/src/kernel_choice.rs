//! Which of several kernels that do the same is the quickest here.

use couplet_kernels::{Device, DeviceError, Read};
use couplet_protocol::{Drafter, Settings};

use crate::programs::{Portion, ProgramKind};
use crate::{Engine, EngineError};

/// Which kernels compute attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttentionKernels {
    /// One kernel, whose workgroups wait for their own keys: four dispatches a layer.
    #[default]
    Together,
    /// Projections and attention apart: five dispatches a layer, nobody waits.
    Apart,
}

impl AttentionKernels {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Together, Self::Apart];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Together => "four kernels a layer",
            Self::Apart => "five kernels a layer",
        }
    }
}

/// Passes in one submission: enough for what they cost to outweigh what a submission does.
const PASSES: usize = 4;

/// How often each choice is timed; the fastest counts, since others only disturb.
const TIMES: usize = 2;

/// Rows whose logits are compared.
const TRIAL_ROWS: usize = 5;

/// How far the logits of two choices may be apart: sums run in another order.
const TOLERANCE: f32 = 1e-3;

/// Whether two choices computed the same.
fn agree(expected: &[f32], found: &[f32]) -> bool {
    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE * (1.0 + a.abs());
    expected.len() == found.len() && expected.iter().zip(found).all(close)
}

impl Engine {
    /// Which kernels compute attention.
    pub fn attention_kernels(&self) -> AttentionKernels {
        self.target.attention()
    }

    /// Goes on with these kernels. Texts under one seed may differ between choices, as between
    /// devices, where two tokens are as probable to the last place.
    pub fn use_attention_kernels(&self, choice: AttentionKernels) {
        self.target.set_attention(choice);
        self.draft.set_attention(choice);
        self.programs.borrow_mut().clear();
    }

    /// Times a step of the target and the check of a block with each choice, and goes on with
    /// the quickest: a tenth of a second on a software adapter, a few milliseconds on a GPU. On
    /// the CPU there is nothing to choose.
    ///
    /// # Errors
    ///
    /// If the device fails, or the choices do not compute the same on it.
    pub async fn choose_kernels(&self) -> Result<AttentionKernels, EngineError> {
        if matches!(self.device, Device::Cpu) {
            return Ok(self.attention_kernels());
        }
        let mut best = (f64::INFINITY, AttentionKernels::default());
        let mut expected = None;
        for choice in AttentionKernels::ALL {
            self.use_attention_kernels(choice);
            // A kernel that the GPU does not run at all is the quickest of them.
            let found = self.trial_logits().await?;
            if !agree(expected.get_or_insert_with(|| found.clone()), &found) {
                let message = format!("{} compute something else than others", choice.name());
                return Err(DeviceError::Refused(message).into());
            }
            // Builds the pipelines.
            self.time_passes(1).await?;
            let mut fastest = f64::INFINITY;
            for _ in 0..TIMES {
                fastest = fastest.min(self.time_passes(PASSES).await?);
            }
            if fastest < best.0 {
                best = (fastest, choice);
            }
        }
        self.use_attention_kernels(best.1);
        Ok(best.1)
    }

    /// Logits of the target over the first rows of whatever the token buffer holds, computed
    /// with nothing left over from passes before.
    async fn trial_logits(&self) -> Result<Vec<f32>, EngineError> {
        let program = self.prepared(ProgramKind {
            portion: Portion::TargetPass,
            drafter: Drafter::Uniform,
            ..ProgramKind::round(&Settings::default(), TRIAL_ROWS - 1)
        });
        self.target.forget();
        self.device.write(&self.state, 0, &[1]);
        let read = Read {
            buffer: &self.target.logits,
            words: 0..TRIAL_ROWS * self.pair.target_config.vocab_size,
        };
        let words = self.device.run(&[&program], &[read]).await?;
        Ok(bytemuck::cast_slice(&words[0]).to_vec())
    }

    /// Milliseconds of so many passes over one row and over five.
    async fn time_passes(&self, passes: usize) -> Result<f64, EngineError> {
        let settings = Settings::default();
        let programs = [0, 4].map(|gamma| {
            self.prepared(ProgramKind {
                portion: Portion::TargetPass,
                drafter: Drafter::Uniform,
                ..ProgramKind::round(&settings, gamma)
            })
        });
        let middle = self.pair.context() / 2;
        self.device.write(&self.state, 0, &[middle as u32]);
        let all: Vec<_> = std::iter::repeat_n(&programs, passes)
            .flatten()
            .map(|program| &**program)
            .collect();
        let start = self.now();
        let read = Read {
            buffer: &self.target.logits,
            words: 0..1,
        };
        self.device.run(&all, &[read]).await?;
        Ok(self.now() - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_compute_something_else_do_not_agree() {
        assert!(agree(&[1.0, -20.0], &[1.0005, -20.01]));
        assert!(!agree(&[1.0, -20.0], &[1.0, 0.0]));
        assert!(!agree(&[1.0, -20.0], &[1.0, f32::NAN]));
        assert!(!agree(&[1.0], &[]));
    }
}
