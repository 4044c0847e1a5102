//! A decoder's weights in the layout of the kernels.

use burn::tensor::{Device as BurnDevice, Tensor};
use couplet_kernels::{Buffer, DeviceError, PANEL, padded};
use couplet_model::{Decoder, DecoderConfig};

use crate::Backend;

/// Weights of one layer, in panels of [`PANEL`] columns; norms are folded into the matrices that
/// follow them.
#[derive(Debug)]
pub(crate) struct PackedLayer {
    /// From hidden to (heads + 2 kv_heads) head_dim.
    pub(crate) attention_inputs: Buffer,
    /// From heads head_dim to hidden.
    pub(crate) attention_output: Buffer,
    /// From hidden to intermediate, twice: the gate's panels, then the up projection's.
    pub(crate) gate_up: Buffer,
    /// From intermediate to hidden.
    pub(crate) down: Buffer,
}

/// Weights of a decoder.
#[derive(Debug)]
pub(crate) struct PackedDecoder {
    pub(crate) layers: Vec<PackedLayer>,
    /// (vocab, hidden)
    pub(crate) embedding: Buffer,
    /// From hidden to vocab in panels, the final norm folded in.
    pub(crate) output_table: Buffer,
    /// (capacity, head_dim / 2) pairs of cosine and sine
    pub(crate) rotary: Buffer,
    /// Burn owns the memory that the buffers borrow.
    _tensors: Vec<Tensor<2>>,
}

impl PackedDecoder {
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
        let mut layers = Vec::new();
        for layer in &decoder.model.layers {
            let (attention, mlp) = (&layer.self_attn, &layer.mlp);
            let inputs = vec![
                attention.q_proj.weight.val(),
                attention.k_proj.weight.val(),
                attention.v_proj.weight.val(),
            ];
            let input_gains = layer.input_layernorm.gamma.val().unsqueeze_dim::<2>(1);
            let mlp_gains = layer
                .post_attention_layernorm
                .gamma
                .val()
                .unsqueeze_dim::<2>(1);
            let gate_up = [&mlp.gate_proj, &mlp.up_proj]
                .map(|matrix| in_panels(matrix.weight.val() * mlp_gains.clone()))
                .to_vec();
            layers.push(PackedLayer {
                attention_inputs: pack(in_panels(Tensor::cat(inputs, 1) * input_gains)).await?,
                attention_output: pack(in_panels(attention.o_proj.weight.val())).await?,
                gate_up: pack(Tensor::cat(gate_up, 0)).await?,
                down: pack(in_panels(mlp.down_proj.weight.val())).await?,
            });
        }
        let embedding = pack(decoder.model.embed_tokens.weight.val()).await?;
        let output = decoder.output_table() * decoder.model.norm.gamma.val().unsqueeze_dim::<2>(0);
        let output_table = pack(in_panels(output.transpose())).await?;
        let rotary = pack(rotary_table(config, capacity)).await?;
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
            _tensors: tensors,
        })
    }
}

/// A matrix of shape (inputs, outputs) in panels, as `couplet_kernels::in_panels` lays it out.
/// Shape: (panels inputs, [`PANEL`]).
fn in_panels(matrix: Tensor<2>) -> Tensor<2> {
    let [inputs, outputs] = matrix.dims();
    let panels = padded(outputs) / PANEL;
    let fill = Tensor::<2>::zeros([inputs, padded(outputs) - outputs], &matrix.device());
    let matrix = if padded(outputs) > outputs {
        Tensor::cat(vec![matrix, fill], 1)
    } else {
        matrix
    };
    matrix
        .reshape([inputs, panels, PANEL])
        .swap_dims(0, 1)
        .reshape([panels * inputs, PANEL])
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
