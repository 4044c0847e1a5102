//! A decoder's weights in the layout of the kernels.

use burn::tensor::{Device as BurnDevice, Tensor};
use couplet_kernels::{
    BLOCK_INTERMEDIATE, BLOCK_STREAM, Buffer, Device, DeviceError, Kernel, halves, padded,
};
use couplet_model::{Decoder, DecoderConfig};

use crate::{Backend, KernelSet};

/// A matrix in panels as wide as the device's, with the gains of the norm before it.
#[derive(Debug)]
pub(crate) struct PackedMatrix {
    /// In 32 bits, the gains folded in.
    pub(crate) full: Buffer,
    /// For GPU kernels whose invocations share their work. None on the CPU, and where 16 bits do
    /// not hold the weights exactly.
    pub(crate) halved: Option<HalvedMatrix>,
}

/// A matrix in 16 bits. The gains stay apart from it, because a product of both needs more bits.
#[derive(Debug)]
pub(crate) struct HalvedMatrix {
    /// Half-precision floats.
    pub(crate) weights: Buffer,
    /// (inputs) what inputs are multiplied with: the gains, times the factor of the weights.
    pub(crate) gains: Buffer,
}

/// Weights of one layer.
#[derive(Debug)]
pub(crate) struct PackedLayer {
    /// From hidden to (heads + 2 kv_heads) head_dim.
    pub(crate) attention_inputs: PackedMatrix,
    /// From heads head_dim to hidden.
    pub(crate) attention_output: PackedMatrix,
    /// From hidden to intermediate, twice: the gate's panels, then the up projection's.
    pub(crate) gate_up: PackedMatrix,
    /// From intermediate to hidden.
    pub(crate) down: PackedMatrix,
}

/// Weights of a decoder.
#[derive(Debug)]
pub(crate) struct PackedDecoder {
    pub(crate) layers: Vec<PackedLayer>,
    /// (vocab, hidden)
    pub(crate) embedding: Buffer,
    /// From hidden to vocab.
    pub(crate) output_table: PackedMatrix,
    /// (capacity, head_dim / 2) pairs of cosine and sine
    pub(crate) rotary: Buffer,
    /// All of it once more for `shaders/draft_block.wgsl`, where that has room for it: the matrices
    /// one after the other, then the gains, the rotary table and the embedding table.
    pub(crate) in_a_row: Option<HalvedMatrix>,
    /// Burn owns the memory that the buffers borrow.
    _tensors: Vec<Tensor<2>>,
}

impl PackedMatrix {
    /// A kernel's bindings: the weights after the first three of `others`, and gains at the end
    /// where the kernel reads them.
    pub(crate) fn bound(&self, kernels: KernelSet, others: Vec<Buffer>) -> Vec<Buffer> {
        let mut bindings = others;
        match &self.halved {
            Some(halved) if kernels.shares_sums() => {
                bindings.insert(3, halved.weights.clone());
                bindings.push(halved.gains.clone());
            }
            _ => bindings.insert(3, self.full.clone()),
        }
        bindings
    }
}

impl PackedDecoder {
    /// Whether there are weights for a target's kernels of this set.
    pub(crate) fn is_for(&self, kernels: KernelSet, device: &Device) -> bool {
        let of_layers = self.layers.iter().flat_map(|layer| {
            [
                &layer.attention_inputs,
                &layer.attention_output,
                &layer.gate_up,
                &layer.down,
            ]
        });
        match device {
            Device::Gpu(_) if kernels.shares_sums() => of_layers
                .chain([&self.output_table])
                .all(|matrix| matrix.halved.is_some()),
            _ => true,
        }
    }

    /// Packs a decoder with burn operations on the CPU, then moves the result to the device.
    pub(crate) async fn new(
        decoder: &Decoder,
        config: &DecoderConfig,
        capacity: usize,
        backend: &Backend,
    ) -> Result<Self, DeviceError> {
        let mut tensors = Vec::new();
        let mut pack = async |tensor: Tensor<2>| {
            let (buffer, tensor) = backend.buffer(tensor).await?;
            tensors.extend(tensor);
            Ok::<_, DeviceError>(buffer)
        };
        let columns = backend.kernels.panel();
        let mut in_a_row =
            fits_one_workgroup(config, &backend.kernels).then(HalvedNumbers::default);
        // Some matrices of shape (inputs, outputs), one's panels after the other's.
        let mut matrix = async |parts: Vec<Tensor<2>>, gains: Option<Tensor<1>>| {
            let folded = parts.iter().cloned().map(|part| match &gains {
                Some(gains) => in_panels(part * gains.clone().unsqueeze_dim::<2>(1), columns),
                None => in_panels(part, columns),
            });
            let full = pack(Tensor::cat(folded.collect(), 0)).await?;
            let halved = match backend.kernels {
                Device::Gpu(_) => halve(parts, gains, columns).await?,
                Device::Cpu => None,
            };
            in_a_row = in_a_row
                .take()
                .zip(halved.as_ref())
                .map(|(all, matrix)| all.and(matrix));
            let halved = halved.map(|matrix| matrix.on(&backend.kernels));
            Ok::<_, DeviceError>(PackedMatrix { full, halved })
        };
        let mut layers = Vec::new();
        for layer in &decoder.model.layers {
            let (attention, mlp) = (&layer.self_attn, &layer.mlp);
            let inputs = [&attention.q_proj, &attention.k_proj, &attention.v_proj];
            let inputs = Tensor::cat(inputs.map(|linear| linear.weight.val()).to_vec(), 1);
            let gate_up = [&mlp.gate_proj, &mlp.up_proj].map(|linear| linear.weight.val());
            let before_mlp = layer.post_attention_layernorm.gamma.val();
            layers.push(PackedLayer {
                attention_inputs: matrix(vec![inputs], Some(layer.input_layernorm.gamma.val()))
                    .await?,
                attention_output: matrix(vec![attention.o_proj.weight.val()], None).await?,
                gate_up: matrix(gate_up.to_vec(), Some(before_mlp)).await?,
                down: matrix(vec![mlp.down_proj.weight.val()], None).await?,
            });
        }
        let output = decoder.output_table().transpose();
        let output_table = matrix(vec![output], Some(decoder.model.norm.gamma.val())).await?;
        let embedding = pack(decoder.model.embed_tokens.weight.val()).await?;
        let rotary_numbers = rotary_table(config, capacity);
        let rotary = pack(rotary_numbers.clone()).await?;
        let in_a_row = match in_a_row {
            Some(mut all) => {
                all.gains.extend(numbers(rotary_numbers).await?);
                let table = decoder.model.embed_tokens.weight.val();
                all.gains.extend(numbers(table).await?);
                Some(all.on(&backend.kernels))
            }
            None => None,
        };
        // The kernels submit to the same queue: what burn has queued must reach it first.
        backend
            .burn
            .flush()
            .map_err(|error| DeviceError::Refused(error.to_string()))?;
        Ok(Self {
            layers,
            embedding,
            output_table,
            rotary,
            in_a_row,
            _tensors: tensors,
        })
    }
}

/// Matrices in 16 bits, on their way to a device.
#[derive(Default)]
struct HalvedNumbers {
    words: Vec<u32>,
    gains: Vec<f32>,
}

impl HalvedNumbers {
    /// With another matrix after it.
    fn and(mut self, other: &Self) -> Self {
        self.words.extend(&other.words);
        self.gains.extend(&other.gains);
        self
    }

    fn on(self, device: &Device) -> HalvedMatrix {
        HalvedMatrix {
            weights: device.buffer(&self.words),
            gains: device.floats(&self.gains),
        }
    }
}

/// Whether a decoder is one that `shaders/draft_block.wgsl` has room for, and a device has that.
fn fits_one_workgroup(config: &DecoderConfig, device: &Device) -> bool {
    let Device::Gpu(gpu) = device else {
        return false;
    };
    gpu.has_room_for(Kernel::DraftBlock)
        && config.num_hidden_layers == 1
        && config.hidden_size <= BLOCK_STREAM
        && config.num_attention_heads * config.head_dim() <= BLOCK_STREAM
        && config.intermediate_size <= BLOCK_INTERMEDIATE
}

/// Matrices in 16 bits, one's panels after the other's, if those hold them exactly.
async fn halve(
    parts: Vec<Tensor<2>>,
    gains: Option<Tensor<1>>,
    columns: usize,
) -> Result<Option<HalvedNumbers>, DeviceError> {
    let [inputs, _] = parts[0].dims();
    let gains = gains.unwrap_or_else(|| Tensor::ones([inputs], &parts[0].device()));
    let panels = Tensor::cat(
        parts
            .into_iter()
            .map(|part| in_panels(part, columns))
            .collect(),
        0,
    );
    let Some(halves) = halves(&numbers(panels).await?) else {
        return Ok(None);
    };
    Ok(Some(HalvedNumbers {
        words: halves.words,
        gains: numbers(gains * halves.factor).await?,
    }))
}

async fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, DeviceError> {
    let refused = |error: &dyn std::fmt::Debug| DeviceError::Refused(format!("{error:?}"));
    let data = tensor.into_data_async().await;
    let data = data.map_err(|error| refused(&error))?;
    data.try_into_vec().map_err(|error| refused(&error))
}

/// A matrix of shape (inputs, outputs) in panels, as `couplet_kernels::in_panels` lays it out.
/// Shape: (panels inputs, `columns`).
fn in_panels(matrix: Tensor<2>, columns: usize) -> Tensor<2> {
    let [inputs, outputs] = matrix.dims();
    let panels = padded(outputs) / columns;
    let fill = Tensor::<2>::zeros([inputs, padded(outputs) - outputs], &matrix.device());
    let matrix = if padded(outputs) > outputs {
        Tensor::cat(vec![matrix, fill], 1)
    } else {
        matrix
    };
    matrix
        .reshape([inputs, panels, columns])
        .swap_dims(0, 1)
        .reshape([panels * inputs, columns])
}

/// (cos, sin) of every position and frequency, computed in f64. Source: RoFormer, equation 34.
fn rotary_table(config: &DecoderConfig, capacity: usize) -> Tensor<2> {
    let half = config.head_dim() / 2;
    let mut table = Vec::with_capacity(2 * capacity * half);
    for position in 0..capacity {
        for lane in 0..half {
            let frequency = config
                .rope_theta
                .powf(-2.0 * lane as f64 / config.head_dim() as f64);
            let (sine, cosine) = (position as f64 * frequency).sin_cos();
            table.extend([cosine as f32, sine as f32]);
        }
    }
    Tensor::<1>::from_floats(table.as_slice(), &BurnDevice::flex()).reshape([capacity, 2 * half])
}
