use burn::module::Module;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::tensor::{Bool, Device, Int, Tensor, activation};

use crate::DecoderConfig;

/// A causal language model. Field names are Hugging Face's, so that a tensor's path in the
/// module is its name in the safetensors file.
///
/// Source: Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models".
#[derive(Module, Debug)]
pub struct Decoder {
    /// Embedding, layers and final norm.
    pub model: DecoderModel,
    /// Output layer, absent when it is the embedding table.
    pub lm_head: Option<Linear>,
}

/// Everything below the output layer.
#[derive(Module, Debug)]
pub struct DecoderModel {
    /// Token table, `(vocab, hidden)`.
    pub embed_tokens: Embedding,
    /// The layers, bottom first.
    pub layers: Vec<Layer>,
    /// Norm before the output layer.
    pub norm: RmsNorm,
    rope_theta: f64,
}

/// One layer: attention and gated feed-forward, each after a norm and added to the stream.
#[derive(Module, Debug)]
pub struct Layer {
    /// Norm before attention.
    pub input_layernorm: RmsNorm,
    /// Attention.
    pub self_attn: Attention,
    /// Norm before the feed-forward part.
    pub post_attention_layernorm: RmsNorm,
    /// Feed-forward part.
    pub mlp: Mlp,
}

/// Causal multi-head attention with rotary positions and grouped keys and values.
#[derive(Module, Debug)]
pub struct Attention {
    /// Queries, `(hidden, heads * head_dim)`.
    pub q_proj: Linear,
    /// Keys, `(hidden, kv_heads * head_dim)`.
    pub k_proj: Linear,
    /// Values, `(hidden, kv_heads * head_dim)`.
    pub v_proj: Linear,
    /// Output, `(heads * head_dim, hidden)`.
    pub o_proj: Linear,
    heads: usize,
    kv_heads: usize,
    head_dim: usize,
}

/// SwiGLU feed-forward: `down(silu(gate(x)) * up(x))`.
///
/// Source: Shazeer 2020, "GLU Variants Improve Transformer".
#[derive(Module, Debug)]
pub struct Mlp {
    /// `(hidden, intermediate)`.
    pub gate_proj: Linear,
    /// `(hidden, intermediate)`.
    pub up_proj: Linear,
    /// `(intermediate, hidden)`.
    pub down_proj: Linear,
}

impl DecoderConfig {
    /// A decoder with fresh random weights: normal with deviation 0.02, and the layers that
    /// write to the residual stream smaller by the root of twice the depth.
    ///
    /// Source: Radford et al. 2019 (GPT-2), section 2.3.
    pub fn init(&self, device: &Device) -> Decoder {
        let (dim, hidden, head_dim) = (self.hidden_size, self.intermediate_size, self.head_dim());
        let (heads, kv_heads) = (self.num_attention_heads, self.num_key_value_heads);
        let normal = |std: f64| Initializer::Normal { mean: 0.0, std };
        let linear = |input, output, std| {
            LinearConfig::new(input, output)
                .with_bias(false)
                .with_initializer(normal(std))
                .init(device)
        };
        let norm = || {
            RmsNormConfig::new(dim)
                .with_epsilon(self.rms_norm_eps)
                .init(device)
        };
        let residual_std = 0.02 / (2.0 * self.num_hidden_layers as f64).sqrt();
        let layers = (0..self.num_hidden_layers)
            .map(|_| Layer {
                input_layernorm: norm(),
                self_attn: Attention {
                    q_proj: linear(dim, heads * head_dim, 0.02),
                    k_proj: linear(dim, kv_heads * head_dim, 0.02),
                    v_proj: linear(dim, kv_heads * head_dim, 0.02),
                    o_proj: linear(heads * head_dim, dim, residual_std),
                    heads,
                    kv_heads,
                    head_dim,
                },
                post_attention_layernorm: norm(),
                mlp: Mlp {
                    gate_proj: linear(dim, hidden, 0.02),
                    up_proj: linear(dim, hidden, 0.02),
                    down_proj: linear(hidden, dim, residual_std),
                },
            })
            .collect();
        Decoder {
            model: DecoderModel {
                embed_tokens: EmbeddingConfig::new(self.vocab_size, dim)
                    .with_initializer(normal(0.02))
                    .init(device),
                layers,
                norm: norm(),
                rope_theta: self.rope_theta,
            },
            lm_head: (!self.tie_word_embeddings).then(|| linear(dim, self.vocab_size, 0.02)),
        }
    }
}

impl Decoder {
    /// Logits of the next token after every position.
    ///
    /// # Shapes
    ///
    /// - `tokens`: `(batch, length)`
    /// - result: `(batch, length, vocab)`, logits
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let hidden = self.model.forward(tokens);
        match &self.lm_head {
            Some(head) => head.forward(hidden),
            None => {
                let table = self.model.embed_tokens.weight.val();
                hidden.matmul(table.transpose().unsqueeze::<3>())
            }
        }
    }

    /// The output layer's weights as `(vocab, hidden)`, whether tied or not.
    pub fn output_table(&self) -> Tensor<2> {
        match &self.lm_head {
            Some(head) => head.weight.val().transpose(),
            None => self.model.embed_tokens.weight.val(),
        }
    }
}

impl DecoderModel {
    /// # Shapes
    ///
    /// - `tokens`: `(batch, length)`
    /// - result: `(batch, length, hidden)`, after the final norm
    fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let [_, length] = tokens.dims();
        let device = tokens.device();
        let rotary = Rotary::new(
            length,
            self.layers[0].self_attn.head_dim,
            self.rope_theta,
            &device,
        );
        let mask = Tensor::<2, Bool>::tril_mask([length, length], 0, &device);
        let mut hidden = self.embed_tokens.forward(tokens);
        for layer in &self.layers {
            hidden = layer.forward(hidden, &rotary, &mask);
        }
        self.norm.forward(hidden)
    }
}

impl Layer {
    fn forward(&self, hidden: Tensor<3>, rotary: &Rotary, mask: &Tensor<2, Bool>) -> Tensor<3> {
        let attended =
            self.self_attn
                .forward(self.input_layernorm.forward(hidden.clone()), rotary, mask);
        let hidden = hidden + attended;
        let fed = self
            .mlp
            .forward(self.post_attention_layernorm.forward(hidden.clone()));
        hidden + fed
    }
}

impl Mlp {
    fn forward(&self, hidden: Tensor<3>) -> Tensor<3> {
        let gate = activation::silu(self.gate_proj.forward(hidden.clone()));
        self.down_proj.forward(gate * self.up_proj.forward(hidden))
    }
}

impl Attention {
    fn forward(&self, hidden: Tensor<3>, rotary: &Rotary, mask: &Tensor<2, Bool>) -> Tensor<3> {
        let [batch, length, _] = hidden.dims();
        // (batch, length, heads * head_dim) -> (batch, heads, length, head_dim)
        let split = |x: Tensor<3>, heads| {
            x.reshape([batch, length, heads, self.head_dim])
                .swap_dims(1, 2)
        };
        let queries = rotary.apply(split(self.q_proj.forward(hidden.clone()), self.heads));
        let keys = rotary.apply(split(self.k_proj.forward(hidden.clone()), self.kv_heads));
        let values = split(self.v_proj.forward(hidden), self.kv_heads);
        let keys = self.share(keys);
        let values = self.share(values);
        let scale = (self.head_dim as f64).powf(-0.5);
        // (batch, heads, length, length)
        let scores = queries.matmul(keys.swap_dims(2, 3)) * scale;
        // Finite, because a WGSL implementation may assume that infinities never occur.
        let scores = scores.mask_fill(mask.clone().unsqueeze::<4>(), -1e30);
        let mixed = activation::softmax(scores, 3).matmul(values);
        self.o_proj.forward(mixed.swap_dims(1, 2).reshape([
            batch,
            length,
            self.heads * self.head_dim,
        ]))
    }

    /// Repeats each key or value head for the query heads of its group.
    fn share(&self, heads: Tensor<4>) -> Tensor<4> {
        let group = self.heads / self.kv_heads;
        if group == 1 {
            return heads;
        }
        let [batch, kv_heads, length, dim] = heads.dims();
        heads
            .unsqueeze_dim::<5>(2)
            .expand([batch, kv_heads, group, length, dim])
            .reshape([batch, kv_heads * group, length, dim])
    }
}

/// Rotary position angles in Hugging Face's order: the two halves of a head are rotated
/// against each other.
///
/// Source: Su et al. 2021, "RoFormer", equation 34.
struct Rotary {
    /// `(length, head_dim / 2)`
    cos: Tensor<2>,
    /// `(length, head_dim / 2)`
    sin: Tensor<2>,
}

impl Rotary {
    fn new(length: usize, head_dim: usize, theta: f64, device: &Device) -> Self {
        let half = head_dim / 2;
        let frequencies: Vec<f32> = (0..half)
            .map(|i| theta.powf(-2.0 * i as f64 / head_dim as f64) as f32)
            .collect();
        let frequencies = Tensor::<1>::from_floats(frequencies.as_slice(), device).unsqueeze::<2>();
        let positions = Tensor::<1, Int>::arange(0..length as i64, device)
            .float()
            .unsqueeze_dim::<2>(1);
        let angles = positions.matmul(frequencies);
        Self {
            cos: angles.clone().cos(),
            sin: angles.sin(),
        }
    }

    /// `(batch, heads, length, head_dim)` in and out.
    fn apply(&self, x: Tensor<4>) -> Tensor<4> {
        let half = x.dims()[3] / 2;
        let low = x.clone().narrow(3, 0, half);
        let high = x.narrow(3, half, half);
        let cos = self.cos.clone().unsqueeze::<4>();
        let sin = self.sin.clone().unsqueeze::<4>();
        let rotated_low = low.clone() * cos.clone() - high.clone() * sin.clone();
        let rotated_high = high * cos + low * sin;
        Tensor::cat(vec![rotated_low, rotated_high], 3)
    }
}

impl DecoderModel {
    /// Base of the rotary position angles.
    pub fn rope_theta(&self) -> f64 {
        self.rope_theta
    }
}
