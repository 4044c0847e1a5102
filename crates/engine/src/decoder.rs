//! One decoder as dispatches: four or five kernels a layer, one lookup before, one output
//! layer after.

mod layers;

use std::cell::Cell;
use std::ops::Range;

use couplet_kernels::{Buffer, Device, Dispatch, Kernel, Pass};
use couplet_model::DecoderConfig;

use crate::KernelSet;
use crate::packed::PackedDecoder;

/// Rows that scratch buffers hold: a chunk of a prompt, and more than a drafted block.
pub(crate) const MAX_ROWS: usize = 32;

/// A decoder on a device, with its caches and scratch memory.
#[derive(Debug)]
pub(crate) struct DeviceDecoder {
    config: DecoderConfig,
    capacity: usize,
    device: Device,
    kernels: Cell<KernelSet>,
    weights: PackedDecoder,
    /// Keys and values of each layer, `(kv_heads, capacity, head_dim)`. Entries beyond the
    /// committed length are leftovers of rejected tokens; no row ever looks at them before it
    /// has overwritten them.
    caches: Vec<(Buffer, Buffer)>,
    stream: Buffer,
    mixed: Buffer,
    activated: Buffer,
    /// `(MAX_ROWS, heads, capacity)`, for heads of the common width.
    scores: Buffer,
    /// `(MAX_ROWS, vocab)`
    pub(crate) logits: Buffer,
}

impl DeviceDecoder {
    pub(crate) fn new(
        config: DecoderConfig,
        capacity: usize,
        weights: PackedDecoder,
        device: &Device,
    ) -> Self {
        let (head_dim, kv_heads) = (config.head_dim(), config.num_key_value_heads);
        let cache = || device.zeros(capacity * kv_heads * head_dim);
        let rows = |width: usize| device.zeros(MAX_ROWS * width);
        Self {
            caches: (0..config.num_hidden_layers)
                .map(|_| (cache(), cache()))
                .collect(),
            stream: rows(config.hidden_size),
            mixed: rows(config.num_attention_heads * head_dim),
            activated: rows(config.intermediate_size),
            scores: rows(config.num_attention_heads * capacity),
            logits: rows(config.vocab_size),
            capacity,
            device: device.clone(),
            kernels: Cell::default(),
            weights,
            config,
        }
    }

    pub(crate) fn kernel_set(&self) -> KernelSet {
        self.kernels.get()
    }

    /// Whether its weights are there for these kernels.
    pub(crate) fn is_for(&self, kernels: KernelSet) -> bool {
        self.weights.is_for(kernels, &self.device)
    }

    /// Whether one workgroup can draft with it.
    pub(crate) fn fits_one_workgroup(&self) -> bool {
        self.weights.in_a_row.is_some()
    }

    /// Dispatches made from now on use these kernels, which it must be [for](Self::is_for).
    pub(crate) fn use_kernel_set(&self, kernels: KernelSet) {
        self.kernels.set(kernels);
    }

    /// Leaves nothing of earlier passes.
    pub(crate) fn forget(&self) {
        let scratch = [
            &self.stream,
            &self.mixed,
            &self.activated,
            &self.scores,
            &self.logits,
        ];
        let caches = self.caches.iter().flat_map(|(keys, values)| [keys, values]);
        for buffer in scratch.into_iter().chain(caches) {
            self.device.write(buffer, 0, &vec![0; buffer.words()]);
        }
    }

    /// The dispatches that compute `rows` rows, the first at position `committed length +
    /// offset`, appending to the caches. `logit_rows` get logits, written from row 0.
    pub(crate) fn forward(
        &self,
        tokens: &Buffer,
        state: &Buffer,
        rows: usize,
        offset: i32,
        logit_rows: Range<usize>,
    ) -> Vec<Dispatch> {
        let mut dispatches = vec![self.lookup(tokens, state, rows, offset)];
        dispatches.extend(self.layers(state, rows, offset, logit_rows));
        dispatches
    }

    /// The dispatch that puts the tokens' embeddings into the residual stream.
    fn lookup(&self, tokens: &Buffer, state: &Buffer, rows: usize, offset: i32) -> Dispatch {
        let hidden = self.config.hidden_size;
        let pass = Pass {
            rows: rows as u32,
            offset,
            output_size: hidden as u32,
            ..Pass::default()
        };
        Dispatch {
            kernel: Kernel::Embed,
            bindings: vec![
                self.device.uniform(&pass),
                tokens.clone(),
                state.clone(),
                self.weights.embedding.clone(),
                self.stream.clone(),
            ],
            rows_together: 1,
            workgroups: [
                (hidden / 4).div_ceil(Kernel::Embed.invocations() as usize) as u32,
                rows as u32,
            ],
        }
    }

    /// The dispatch that draws a token from the one row of logits and looks it up: the whole
    /// vocabulary's probabilities go to row `source_row` of `probs`, the token to its position.
    pub(crate) fn sample(
        &self,
        pass: Pass,
        settings: &Buffer,
        probs: &Buffer,
        state: &Buffer,
        tokens: &Buffer,
    ) -> Dispatch {
        let pass = Pass {
            output_size: self.config.hidden_size as u32,
            ..pass
        };
        Dispatch {
            kernel: self.kernels.get().variant(Kernel::Sample),
            bindings: vec![
                self.device.uniform(&pass),
                settings.clone(),
                self.logits.clone(),
                probs.clone(),
                state.clone(),
                tokens.clone(),
                self.weights.embedding.clone(),
                self.stream.clone(),
            ],
            rows_together: 1,
            workgroups: [1, 1],
        }
    }

    /// The dispatch that drafts `gamma` tokens after the last two committed ones, where
    /// [one workgroup can](Self::fits_one_workgroup): their distributions go to the first rows of
    /// `probs`. The draw is the one of `pass`.
    pub(crate) fn block(
        &self,
        gamma: usize,
        pass: Pass,
        settings: &Buffer,
        probs: &Buffer,
        state: &Buffer,
        tokens: &Buffer,
    ) -> Option<Dispatch> {
        let weights = self.weights.in_a_row.as_ref()?;
        let (keys, values) = self.caches.first()?;
        let config = &self.config;
        let pass = Pass {
            rows: gamma as u32,
            offset: -2,
            input_size: config.hidden_size as u32,
            output_size: config.intermediate_size as u32,
            heads: config.num_attention_heads as u32,
            kv_heads: config.num_key_value_heads as u32,
            head_dim: config.head_dim() as u32,
            capacity: self.capacity as u32,
            epsilon: config.rms_norm_eps as f32,
            ..pass
        };
        Some(Dispatch {
            kernel: Kernel::DraftBlock,
            bindings: vec![
                self.device.uniform(&pass),
                settings.clone(),
                state.clone(),
                tokens.clone(),
                weights.weights.clone(),
                weights.gains.clone(),
                keys.clone(),
                values.clone(),
                probs.clone(),
                self.logits.clone(),
            ],
            rows_together: 1,
            workgroups: [1, 1],
        })
    }

    /// [`Self::forward`] without the lookup.
    pub(crate) fn layers(
        &self,
        state: &Buffer,
        rows: usize,
        offset: i32,
        logit_rows: Range<usize>,
    ) -> Vec<Dispatch> {
        assert!(
            rows <= MAX_ROWS,
            "{rows} rows do not fit the scratch buffers"
        );
        layers::Layers {
            decoder: self,
            state,
            offset,
            kernels: self.kernels.get(),
            logit_rows,
        }
        .dispatches(rows)
    }
}
