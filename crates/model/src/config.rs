use serde::{Deserialize, Serialize};

/// Shape of a decoder, with the names of Hugging Face's `LlamaConfig` (`config.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecoderConfig {
    /// Hugging Face's name of the architecture: `["LlamaForCausalLM"]`.
    #[serde(default)]
    pub architectures: Vec<String>,
    /// Hugging Face's model type: `"llama"`.
    #[serde(default)]
    pub model_type: String,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Width of the gated feed-forward layer.
    pub intermediate_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Number of query heads.
    pub num_attention_heads: usize,
    /// Number of key and value heads; a divisor of the query heads (grouped-query attention).
    pub num_key_value_heads: usize,
    /// Number of tokens in the vocabulary.
    pub vocab_size: usize,
    /// The longest sequence, prompt included, in tokens.
    pub max_position_embeddings: usize,
    /// Epsilon inside the root of RMSNorm.
    pub rms_norm_eps: f64,
    /// Base of the rotary position angles.
    #[serde(default = "default_rope_theta")]
    pub rope_theta: f64,
    /// Whether the output layer is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// Width of one head; `hidden_size / num_attention_heads` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// Activation of the feed-forward gate: only `"silu"` is known.
    #[serde(default = "default_activation")]
    pub hidden_act: String,
}

fn default_rope_theta() -> f64 {
    10_000.0
}

fn default_activation() -> String {
    "silu".to_owned()
}

/// Why a `config.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is not JSON of the expected form.
    #[error("config.json cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A field has a value this runtime does not handle.
    #[error("config.json: {field} is {value}, but {rule}")]
    Unsupported {
        /// Name of the field.
        field: &'static str,
        /// Its value, as text.
        value: String,
        /// What it would have to be.
        rule: &'static str,
    },
}

impl DecoderConfig {
    /// A decoder with tied embeddings and as many key and value heads as query heads.
    pub fn new(vocab_size: usize, hidden_size: usize, layers: usize, heads: usize) -> Self {
        Self {
            architectures: vec!["LlamaForCausalLM".to_owned()],
            model_type: "llama".to_owned(),
            hidden_size,
            // Two thirds of four times the width keeps a gated layer as costly as a plain one;
            // rounded up to whole 32s for the kernels' vectors.
            intermediate_size: (hidden_size * 8 / 3).next_multiple_of(32),
            num_hidden_layers: layers,
            num_attention_heads: heads,
            num_key_value_heads: heads,
            vocab_size,
            max_position_embeddings: 256,
            rms_norm_eps: 1e-5,
            rope_theta: default_rope_theta(),
            tie_word_embeddings: true,
            head_dim: None,
            hidden_act: default_activation(),
        }
    }

    /// Reads and checks a `config.json`.
    ///
    /// # Errors
    ///
    /// If the text is not such a file, or describes a decoder that the kernels cannot run.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let config: Self = serde_json::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    /// Width of one attention head.
    pub fn head_dim(&self) -> usize {
        self.head_dim
            .unwrap_or(self.hidden_size / self.num_attention_heads.max(1))
    }

    /// Number of parameters, tied tables counted once.
    pub fn parameters(&self) -> usize {
        let (dim, hidden, head) = (self.hidden_size, self.intermediate_size, self.head_dim());
        let attention = dim * head * (2 * self.num_attention_heads + 2 * self.num_key_value_heads);
        let layer = attention + 3 * dim * hidden + 2 * dim;
        let tables = if self.tie_word_embeddings { 1 } else { 2 };
        tables * self.vocab_size * dim + self.num_hidden_layers * layer + dim
    }

    fn check(&self) -> Result<(), ConfigError> {
        let refuse = |field, value: &dyn ToString, rule| {
            Err(ConfigError::Unsupported {
                field,
                value: value.to_string(),
                rule,
            })
        };
        if self.hidden_act != "silu" {
            return refuse("hidden_act", &self.hidden_act, "only \"silu\" is known");
        }
        if self.num_attention_heads == 0 {
            return refuse("num_attention_heads", &0, "at least one is needed");
        }
        if self.num_key_value_heads == 0
            || !self
                .num_attention_heads
                .is_multiple_of(self.num_key_value_heads)
        {
            let rule = "it must divide num_attention_heads";
            return refuse("num_key_value_heads", &self.num_key_value_heads, rule);
        }
        // The kernels read vectors of four numbers and rotate the halves of a head separately.
        if !self.head_dim().is_multiple_of(8) || self.head_dim() > 128 || self.head_dim() == 0 {
            return refuse(
                "head_dim",
                &self.head_dim(),
                "it must be a multiple of 8, at most 128",
            );
        }
        if !self.hidden_size.is_multiple_of(4) || self.hidden_size == 0 {
            return refuse(
                "hidden_size",
                &self.hidden_size,
                "it must be a multiple of 4",
            );
        }
        if !self.intermediate_size.is_multiple_of(4) || self.intermediate_size == 0 {
            return refuse(
                "intermediate_size",
                &self.intermediate_size,
                "it must be a multiple of 4",
            );
        }
        if self.num_hidden_layers == 0 {
            return refuse("num_hidden_layers", &0, "at least one is needed");
        }
        if self.vocab_size < 2 {
            return refuse(
                "vocab_size",
                &self.vocab_size,
                "at least two tokens are needed",
            );
        }
        if self.max_position_embeddings < 16 {
            let rule = "at least 16 positions are needed";
            return refuse(
                "max_position_embeddings",
                &self.max_position_embeddings,
                rule,
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsupported_shape_is_refused_by_name() {
        let mut config = DecoderConfig::new(65, 128, 2, 4);
        config.num_key_value_heads = 3;
        let text = serde_json::to_string(&config).unwrap();
        let message = DecoderConfig::from_json(&text).unwrap_err().to_string();
        assert!(message.contains("num_key_value_heads is 3"), "{message}");
    }

    #[test]
    fn a_config_survives_its_file() {
        let config = DecoderConfig::new(65, 128, 8, 4);
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(DecoderConfig::from_json(&text).unwrap(), config);
    }
}
