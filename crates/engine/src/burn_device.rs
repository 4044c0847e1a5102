//! Burn and the kernels on one device.

use burn::backend::Wgpu;
use burn::cubecl::wgpu::{AutoCompiler, WgpuServer, WgpuSetup};
use burn::tensor::{Device as BurnDevice, Tensor};
use couplet_kernels::{Buffer, Device, DeviceError, GpuBuffer, GpuDevice, Kernel};

use crate::KernelSet;
use crate::trial::TRIAL_ROWS;

/// The kernels of a round by Rejection, whatever the set.
const FIRST_KERNELS: [Kernel; 7] = [
    Kernel::Embed,
    Kernel::ProjectResidual,
    Kernel::GateUp,
    Kernel::Logits,
    Kernel::Sample,
    Kernel::Probabilities,
    Kernel::Verify,
];

/// How many rows its passes have: a drafted token, and verifying at the default γ.
const FIRST_ROWS: [u32; 2] = [1, TRIAL_ROWS as u32];

/// Where burn keeps the tensors and where kernels run: the same place.
#[derive(Clone, Debug)]
pub struct Backend {
    /// Burn's device, which owns the weights.
    pub burn: BurnDevice,
    /// The kernels' device.
    pub kernels: Device,
}

impl Backend {
    /// Burn's CPU backend and the kernels' twins.
    pub fn cpu() -> Self {
        Self {
            burn: BurnDevice::flex(),
            kernels: Device::Cpu,
        }
    }

    /// The fastest GPU, shared by burn and the kernels.
    ///
    /// # Errors
    ///
    /// If there is no GPU, it lacks a needed limit, or burn cannot use it.
    pub async fn gpu() -> Result<Self, DeviceError> {
        let gpu = GpuDevice::new().await?;
        Ok(Self {
            burn: burn_on_gpu(&gpu)?,
            kernels: Device::Gpu(gpu),
        })
    }

    /// Has the GPU build what a round by Rejection is made of with these kernels, while the models
    /// are on their way. On the CPU there is nothing to build.
    pub fn prepare(&self, kernels: KernelSet) {
        if let Device::Gpu(gpu) = &self.kernels {
            let own: &[Kernel] = match kernels {
                KernelSet::Alone => {
                    // A round's first drafted token needs the keys and values of two rows.
                    gpu.prepare(&[Kernel::AttentionInputs], &[2]);
                    &[Kernel::AttentionInputs, Kernel::Attention]
                }
                KernelSet::Together => &[Kernel::Attend],
                KernelSet::BlockAtOnce => {
                    gpu.prepare(&[Kernel::DraftBlock], &[1]);
                    &[Kernel::Attend]
                }
            };
            let shared = FIRST_KERNELS.map(|kernel| kernels.variant(kernel));
            gpu.prepare(&[own, &shared].concat(), &FIRST_ROWS);
        }
    }

    /// Whether the GPU is of no more use.
    pub fn is_lost(&self) -> bool {
        self.kernels.is_lost()
    }

    /// The words of a CPU tensor as a kernel's buffer. On the GPU burn uploads and owns the
    /// memory, and the kernels borrow it: the caller keeps the returned tensor as long as the
    /// buffer.
    pub(crate) async fn buffer(
        &self,
        tensor: Tensor<2>,
    ) -> Result<(Buffer, Option<Tensor<2>>), DeviceError> {
        let refused = |error: &dyn std::fmt::Debug| DeviceError::Refused(format!("{error:?}"));
        let data = tensor
            .into_data_async()
            .await
            .map_err(|error| refused(&error))?;
        if let Device::Cpu = self.kernels {
            let numbers: Vec<f32> = data.try_into_vec().map_err(|error| refused(&error))?;
            return Ok((self.kernels.floats(&numbers), None));
        }
        let bytes = 4 * data.num_elements() as u64;
        let tensor = Tensor::<2>::from_data(data, &self.burn);
        let primitive = tensor
            .clone()
            .try_into_primitive::<Wgpu>()
            .map_err(|error| refused(&error))?;
        let resource = primitive
            .client
            .get_resource::<WgpuServer<AutoCompiler>>(primitive.handle.clone())
            .map_err(|error| refused(&error))?;
        let resource = resource.resource();
        let buffer = GpuBuffer::borrowed(resource.buffer.clone(), resource.offset, bytes);
        Ok((Buffer::Gpu(buffer), Some(tensor)))
    }
}

/// Registers the kernels' GPU with burn.
///
/// # Errors
///
/// If burn cannot use it.
pub fn burn_on_gpu(gpu: &GpuDevice) -> Result<BurnDevice, DeviceError> {
    let setup = gpu.setup();
    let burn = BurnDevice::wgpu_options()
        .tasks_max(32)
        .setup(WgpuSetup {
            instance: setup.instance.clone(),
            adapter: setup.adapter.clone(),
            device: setup.device.clone(),
            queue: setup.queue.clone(),
            backend: setup.adapter.get_info().backend,
        })
        .init()
        .map_err(|error| DeviceError::Refused(format!("burn cannot use this GPU: {error}")));
    // Burn has put its own ears in the place of ours.
    gpu.watch();
    burn
}

#[cfg(test)]
mod tests {
    use super::*;
    use couplet_protocol::Settings;

    /// Prompts are read with the kernels of the most rows: those, too, have to be among the first.
    #[test]
    fn the_first_kernels_are_those_of_a_prompt_and_a_round_at_the_default_gamma() {
        let verified = Settings::default().gamma + 1;
        let others = "what else another default γ needs is in ARCHITECTURE.md";
        assert_eq!(TRIAL_ROWS as u32, verified, "{others}");
        let most = Kernel::GateUp.most_rows_together();
        assert_eq!(
            most, verified,
            "MOST_ROWS of crates/kernels/build.rs; {others}"
        );
    }
}
