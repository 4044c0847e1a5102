//! The dispatches of a pass through all layers and the output layer.

use std::ops::Range;

use couplet_kernels::{Buffer, COMMON_HEAD_DIM, Dispatch, Kernel, PANEL, Pass};

use super::DeviceDecoder;
use crate::KernelSet;
use crate::packed::{PackedLayer, PackedMatrix};

/// A pass, and what its dispatches have in common.
pub(super) struct Layers<'a> {
    pub(super) decoder: &'a DeviceDecoder,
    pub(super) state: &'a Buffer,
    /// Position of the first row, counted from the committed length.
    pub(super) offset: i32,
    pub(super) kernels: KernelSet,
    /// The rows that get logits; none where a text is only read.
    pub(super) logit_rows: Range<usize>,
}

/// What the kernels after attention are told about the rows that they compute.
#[derive(Clone)]
struct Uniforms {
    /// For attention and its output, which is added to the residual stream.
    to_hidden: Buffer,
    /// For the first half of the feed-forward network.
    to_gate: Buffer,
    /// For its second half, which is added to the residual stream.
    from_gate: Buffer,
}

impl Layers<'_> {
    /// For so many rows: attention's inputs, attention (one kernel with them where a workgroup
    /// shares its sums), its output, and the two halves of the feed-forward network for each
    /// layer, then the logits.
    pub(super) fn dispatches(&self, rows: usize) -> Vec<Dispatch> {
        let all = 0..rows;
        let to_qkv = self.uniform(&all, self.decoder.config.hidden_size, self.qkv_width());
        let of_all = self.uniforms(&all);
        let layers = &self.decoder.weights.layers;

        let mut dispatches = Vec::new();
        for (index, layer) in layers.iter().enumerate() {
            dispatches.push(self.attention_inputs(index, layer, to_qkv.clone(), rows));
            // Of the last layer, rows without logits are only wanted for their keys and values.
            let is_last = index + 1 == layers.len();
            let (rows, uniforms) = if !is_last || self.logit_rows == all {
                (rows, of_all.clone())
            } else if self.logit_rows.is_empty() {
                continue;
            } else {
                (self.logit_rows.len(), self.uniforms(&self.logit_rows))
            };
            if !self.kernels.shares_sums() {
                dispatches.push(self.attention(index, uniforms.to_hidden.clone(), rows));
            }
            dispatches.extend(self.behind_attention(layer, uniforms, rows));
        }
        if !self.logit_rows.is_empty() {
            dispatches.push(self.logits());
        }
        dispatches
    }

    /// Columns of queries, keys and values together.
    fn qkv_width(&self) -> usize {
        let config = &self.decoder.config;
        (config.num_attention_heads + 2 * config.num_key_value_heads) * config.head_dim()
    }

    fn uniform(&self, rows: &Range<usize>, input_size: usize, output_size: usize) -> Buffer {
        let config = &self.decoder.config;
        self.decoder.device.uniform(&Pass {
            rows: rows.len() as u32,
            source_row: rows.start as u32,
            offset: self.offset,
            input_size: input_size as u32,
            output_size: output_size as u32,
            heads: config.num_attention_heads as u32,
            kv_heads: config.num_key_value_heads as u32,
            head_dim: config.head_dim() as u32,
            vocab: config.vocab_size as u32,
            capacity: self.decoder.capacity as u32,
            epsilon: config.rms_norm_eps as f32,
            ..Pass::default()
        })
    }

    fn uniforms(&self, rows: &Range<usize>) -> Uniforms {
        let config = &self.decoder.config;
        let (hidden, intermediate) = (config.hidden_size, config.intermediate_size);
        let mixed = config.num_attention_heads * config.head_dim();
        Uniforms {
            to_hidden: self.uniform(rows, mixed, hidden),
            to_gate: self.uniform(rows, hidden, intermediate),
            from_gate: self.uniform(rows, intermediate, hidden),
        }
    }

    /// How many of so many rows an invocation of a kernel computes.
    fn rows_together(&self, kernel: Kernel, rows: usize) -> u32 {
        // Texts are read with the kernels that verify, instead of building more for them.
        if self.logit_rows.is_empty() {
            kernel.most_rows_together()
        } else {
            kernel.rows_together(rows as u32)
        }
    }

    /// A kernel that multiplies so many rows with a matrix of so many columns.
    fn multiply(
        &self,
        kernel: Kernel,
        matrix: &PackedMatrix,
        others: Vec<Buffer>,
        columns: usize,
        rows: usize,
    ) -> Dispatch {
        let kernel = self.kernels.variant(kernel);
        let rows_together = self.rows_together(kernel, rows);
        let [columns, rows] = if self.kernels.shares_sums() {
            // A workgroup for a panel and the rows that share its weights.
            [columns.div_ceil(PANEL), self.kernels.groups_of(rows)]
        } else {
            // Invocations with four columns each.
            [
                columns.div_ceil(4 * kernel.invocations() as usize),
                rows.div_ceil(rows_together as usize),
            ]
        };
        Dispatch {
            kernel,
            bindings: matrix.bound(self.kernels, others),
            rows_together,
            workgroups: [columns as u32, rows as u32],
        }
    }

    fn attention_inputs(
        &self,
        index: usize,
        layer: &PackedLayer,
        to_qkv: Buffer,
        rows: usize,
    ) -> Dispatch {
        let decoder = self.decoder;
        let (keys, values) = &decoder.caches[index];
        let others = vec![
            to_qkv,
            self.state.clone(),
            decoder.stream.clone(),
            decoder.weights.rotary.clone(),
            keys.clone(),
            values.clone(),
            decoder.mixed.clone(),
        ];
        let matrix = &layer.attention_inputs;
        if self.kernels.shares_sums() {
            Dispatch {
                kernel: Kernel::Attend,
                bindings: matrix.bound(self.kernels, others),
                rows_together: 1,
                workgroups: [decoder.config.num_key_value_heads as u32, 1],
            }
        } else {
            let columns = self.qkv_width() / 2;
            self.multiply(Kernel::AttentionInputs, matrix, others, columns, rows)
        }
    }

    fn attention(&self, index: usize, to_hidden: Buffer, rows: usize) -> Dispatch {
        let decoder = self.decoder;
        let (keys, values) = &decoder.caches[index];
        let mut bindings = vec![
            to_hidden,
            self.state.clone(),
            keys.clone(),
            values.clone(),
            decoder.mixed.clone(),
        ];
        let kernel = if decoder.config.head_dim() == COMMON_HEAD_DIM {
            bindings.push(decoder.scores.clone());
            Kernel::Attention
        } else {
            Kernel::AttentionAny
        };
        let rows_together = self.rows_together(kernel, rows);
        // A head for each invocation.
        let heads_together = kernel.invocations() as usize;
        Dispatch {
            kernel,
            bindings,
            rows_together,
            workgroups: [
                decoder.config.num_attention_heads.div_ceil(heads_together) as u32,
                rows.div_ceil(rows_together as usize) as u32,
            ],
        }
    }

    fn behind_attention(
        &self,
        layer: &PackedLayer,
        uniforms: Uniforms,
        rows: usize,
    ) -> [Dispatch; 3] {
        let decoder = self.decoder;
        let (hidden, intermediate) = (decoder.config.hidden_size, decoder.config.intermediate_size);
        let bound = |uniform: Buffer, from: &Buffer, to: &Buffer| {
            vec![uniform, self.state.clone(), from.clone(), to.clone()]
        };
        let (stream, mixed, activated) = (&decoder.stream, &decoder.mixed, &decoder.activated);
        [
            self.multiply(
                Kernel::ProjectResidual,
                &layer.attention_output,
                bound(uniforms.to_hidden, mixed, stream),
                hidden,
                rows,
            ),
            self.multiply(
                Kernel::GateUp,
                &layer.gate_up,
                bound(uniforms.to_gate, stream, activated),
                intermediate,
                rows,
            ),
            self.multiply(
                Kernel::ProjectResidual,
                &layer.down,
                bound(uniforms.from_gate, activated, stream),
                hidden,
                rows,
            ),
        ]
    }

    fn logits(&self) -> Dispatch {
        let decoder = self.decoder;
        let (hidden, vocab) = (decoder.config.hidden_size, decoder.config.vocab_size);
        self.multiply(
            Kernel::Logits,
            &decoder.weights.output_table,
            vec![
                self.uniform(&self.logit_rows, hidden, vocab),
                self.state.clone(),
                decoder.stream.clone(),
                decoder.logits.clone(),
            ],
            vocab,
            self.logit_rows.len(),
        )
    }
}
