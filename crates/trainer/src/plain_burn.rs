//! The target as burn operations, one token at a time with a cache of keys and values: what the
//! engine's kernels are measured against.

use burn::module::Module;
use burn::tensor::{Device, Int, Tensor, activation};
use couplet_model::{Decoder, DecoderConfig, Layer};

/// A text that grows by one token at a time.
#[derive(Clone)]
pub struct PlainText<'a> {
    model: &'a PlainDecoder,
    /// Keys and values of every layer, `(1, heads, length, head_dim)`; none before the first token.
    caches: Vec<Option<[Tensor<4>; 2]>>,
    length: usize,
}

/// A decoder with the angles of every position.
pub struct PlainDecoder {
    decoder: Decoder,
    heads: usize,
    head_dim: usize,
    /// `(1, 1, positions, head_dim / 2)`
    cos: Tensor<4>,
    sin: Tensor<4>,
    device: Device,
}

impl PlainDecoder {
    /// Puts a copy of the decoder on a device.
    ///
    /// # Panics
    ///
    /// If heads share keys and values: no shipped model does.
    pub fn new(config: &DecoderConfig, decoder: &Decoder, device: &Device) -> Self {
        assert_eq!(config.num_key_value_heads, config.num_attention_heads);
        let (positions, head_dim) = (config.max_position_embeddings, config.head_dim());
        let angles: Vec<f32> = (0..positions)
            .flat_map(|position| {
                (0..head_dim / 2).map(move |i| {
                    let frequency = config.rope_theta.powf(-2.0 * i as f64 / head_dim as f64);
                    position as f32 * frequency as f32
                })
            })
            .collect();
        let angles = Tensor::<1>::from_floats(angles.as_slice(), device).reshape([
            1,
            1,
            positions,
            head_dim / 2,
        ]);
        Self {
            decoder: decoder.clone().to_device(device),
            heads: config.num_attention_heads,
            head_dim,
            cos: angles.clone().cos(),
            sin: angles.sin(),
            device: device.clone(),
        }
    }

    /// An empty text.
    pub fn start(&self) -> PlainText<'_> {
        PlainText {
            model: self,
            caches: vec![None; self.decoder.model.layers.len()],
            length: 0,
        }
    }
}

impl PlainText<'_> {
    /// Appends a token and returns the most probable next one.
    pub fn push(&mut self, token: u32) -> u32 {
        let model = &self.model.decoder.model;
        let token = Tensor::<2, Int>::from_ints([[token as i32]], &self.model.device);
        let mut hidden = model.embed_tokens.forward(token);
        for (index, layer) in model.layers.iter().enumerate() {
            hidden = self.layer(index, layer, hidden);
        }
        self.length += 1;
        let hidden = model.norm.forward(hidden);
        let logits = match &self.model.decoder.lm_head {
            Some(head) => head.forward(hidden),
            None => {
                let table = model.embed_tokens.weight.val();
                hidden.matmul(table.transpose().unsqueeze::<3>())
            }
        };
        let best: i64 = logits.argmax(2).into_scalar();
        best as u32
    }

    fn layer(&mut self, index: usize, layer: &Layer, hidden: Tensor<3>) -> Tensor<3> {
        let attention = &layer.self_attn;
        let normed = layer.input_layernorm.forward(hidden.clone());
        let (heads, head_dim) = (self.model.heads, self.model.head_dim);
        let split = |x: Tensor<3>| x.reshape([1, heads, 1, head_dim]);
        let query = self.rotated(split(attention.q_proj.forward(normed.clone())));
        let key = self.rotated(split(attention.k_proj.forward(normed.clone())));
        let value = split(attention.v_proj.forward(normed));
        let [keys, values] = match self.caches[index].take() {
            None => [key, value],
            Some([keys, values]) => [
                Tensor::cat(vec![keys, key], 2),
                Tensor::cat(vec![values, value], 2),
            ],
        };
        self.caches[index] = Some([keys.clone(), values.clone()]);
        let scores = query.matmul(keys.swap_dims(2, 3)) * (head_dim as f64).powf(-0.5);
        let mixed = activation::softmax(scores, 3).matmul(values);
        let mixed = mixed.reshape([1, 1, heads * head_dim]);
        let hidden = hidden + attention.o_proj.forward(mixed);
        let normed = layer.post_attention_layernorm.forward(hidden.clone());
        let mlp = &layer.mlp;
        let gate = activation::silu(mlp.gate_proj.forward(normed.clone()));
        hidden + mlp.down_proj.forward(gate * mlp.up_proj.forward(normed))
    }

    /// Rotates `(1, heads, 1, head_dim)` to the place of the token that is being appended.
    fn rotated(&self, x: Tensor<4>) -> Tensor<4> {
        let half = self.model.head_dim / 2;
        let cos = self.model.cos.clone().narrow(2, self.length, 1);
        let sin = self.model.sin.clone().narrow(2, self.length, 1);
        let low = x.clone().narrow(3, 0, half);
        let high = x.narrow(3, half, half);
        let rotated_low = low.clone() * cos.clone() - high.clone() * sin.clone();
        Tensor::cat(vec![rotated_low, high * cos + low * sin], 3)
    }
}
