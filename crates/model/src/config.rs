use serde::{Deserialize, Deserializer, Serialize};

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
    /// Base of the rotary position angles. Written at the top level, where every version of
    /// Hugging Face's library looks; read from `rope_parameters` too, where new ones write it.
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
    /// Token that stands before a text.
    #[serde(
        default,
        deserialize_with = "first_token_id",
        skip_serializing_if = "Option::is_none"
    )]
    pub bos_token_id: Option<u32>,
    /// Token that ends a text; the first one where the file lists several.
    #[serde(
        default,
        deserialize_with = "first_token_id",
        skip_serializing_if = "Option::is_none"
    )]
    pub eos_token_id: Option<u32>,
}

/// A token id as Hugging Face writes it: a number, a list of numbers, or null.
fn first_token_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "a token id must be a number, a list of numbers, or null"
    )]
    enum TokenIds {
        One(u32),
        Several(Vec<u32>),
    }
    let ids = Option::<TokenIds>::deserialize(deserializer)?;
    Ok(match ids {
        None => None,
        Some(TokenIds::One(id)) => Some(id),
        Some(TokenIds::Several(ids)) => ids.first().copied(),
    })
}

/// Fields of Hugging Face's `LlamaConfig` that say where [`DecoderConfig`] may differ from what
/// the weights were made for. They are read and judged, never written.
#[derive(Deserialize)]
struct OtherFields {
    rope_parameters: Option<RopeParameters>,
    rope_scaling: Option<RopeParameters>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
}

/// What newer files say about rotary positions, and older ones about stretching them.
#[derive(Deserialize)]
struct RopeParameters {
    rope_theta: Option<f64>,
    rope_type: Option<String>,
    /// Older name of `rope_type`.
    #[serde(rename = "type")]
    older_type: Option<String>,
}

impl OtherFields {
    fn check(&self) -> Result<(), ConfigError> {
        let groups = [
            ("rope_parameters.rope_type", &self.rope_parameters),
            ("rope_scaling.rope_type", &self.rope_scaling),
        ];
        for (field, rope) in groups {
            let Some(rope) = rope else { continue };
            for kind in rope.rope_type.iter().chain(&rope.older_type) {
                if kind != "default" {
                    let rule = "only \"default\" is known: positions that are not stretched";
                    return refuse(field, kind, rule);
                }
            }
        }
        let biases = [
            ("attention_bias", self.attention_bias),
            ("mlp_bias", self.mlp_bias),
        ];
        for (field, present) in biases {
            if present == Some(true) {
                return refuse(field, &true, "linear layers have no biases here");
            }
        }
        Ok(())
    }

    fn rope_theta(&self) -> Option<f64> {
        [&self.rope_parameters, &self.rope_scaling]
            .into_iter()
            .flatten()
            .find_map(|rope| rope.rope_theta)
    }
}

fn refuse(
    field: &'static str,
    value: &dyn ToString,
    rule: &'static str,
) -> Result<(), ConfigError> {
    Err(ConfigError::Unsupported {
        field,
        value: value.to_string(),
        rule,
    })
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
    /// A decoder with tied embeddings and as many key and value heads as query heads, for 256 positions.
    /// Checks nothing; [`Self::from_json`] does.
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
            bos_token_id: None,
            eos_token_id: None,
        }
    }

    /// Reads and checks a `config.json`.
    ///
    /// # Errors
    ///
    /// If the text is not such a file, or describes a decoder that the kernels cannot run.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let mut config: Self = serde_json::from_str(text)?;
        let other: OtherFields = serde_json::from_str(text)?;
        other.check()?;
        if let Some(theta) = other.rope_theta() {
            config.rope_theta = theta;
        }
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
        if !["", "llama"].contains(&self.model_type.as_str()) {
            return refuse("model_type", &self.model_type, "only \"llama\" is known");
        }
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
        if !(self.rope_theta.is_finite() && self.rope_theta > 0.0) {
            return refuse("rope_theta", &self.rope_theta, "it must be above 0");
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
    use serde_json::json;

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

    /// The file of a small decoder with `fields` set.
    fn with(fields: serde_json::Value) -> Result<DecoderConfig, ConfigError> {
        let mut file = serde_json::to_value(DecoderConfig::new(65, 128, 2, 4)).unwrap();
        let object = file.as_object_mut().unwrap();
        object.extend(fields.as_object().unwrap().clone());
        DecoderConfig::from_json(&file.to_string())
    }

    #[test]
    fn the_rotary_base_is_found_wherever_hugging_face_writes_it() {
        let check = |fields, expect: f64| assert_eq!(with(fields).unwrap().rope_theta, expect);
        check(json!({}), 10_000.0);
        check(json!({ "rope_theta": 5e4, "rope_scaling": null }), 5e4);
        let rope = json!({ "rope_theta": 5e4, "rope_type": "default" });
        check(json!({ "rope_parameters": rope }), 5e4);
        check(
            json!({ "rope_theta": 5e4, "rope_scaling": { "type": "default" } }),
            5e4,
        );
    }

    #[test]
    fn what_would_be_computed_wrongly_is_refused_by_name() {
        let check = |fields, expect: &str| {
            let message = with(fields).unwrap_err().to_string();
            assert!(message.contains(expect), "{message}");
        };
        check(
            json!({ "rope_parameters": { "rope_theta": 5e5, "rope_type": "llama3", "factor": 8.0 } }),
            "rope_parameters.rope_type is llama3",
        );
        check(
            json!({ "rope_scaling": { "type": "linear", "factor": 2.0 } }),
            "rope_scaling.rope_type is linear",
        );
        check(json!({ "attention_bias": true }), "attention_bias is true");
        check(json!({ "mlp_bias": true }), "mlp_bias is true");
        check(json!({ "model_type": "qwen2" }), "model_type is qwen2");
        check(json!({ "rope_theta": 0.0 }), "rope_theta is 0");
        assert!(with(json!({ "attention_bias": false, "mlp_bias": false })).is_ok());
    }

    #[test]
    fn token_ids_are_numbers_or_lists_or_absent() {
        let ids = |fields| {
            let config = with(fields).unwrap();
            (config.bos_token_id, config.eos_token_id)
        };
        assert_eq!(ids(json!({})), (None, None));
        assert_eq!(
            ids(json!({ "bos_token_id": null, "eos_token_id": null })),
            (None, None)
        );
        assert_eq!(
            ids(json!({ "bos_token_id": 1, "eos_token_id": 2 })),
            (Some(1), Some(2))
        );
        assert_eq!(ids(json!({ "eos_token_id": [3, 4] })), (None, Some(3)));
        let message = with(json!({ "eos_token_id": "two" }))
            .unwrap_err()
            .to_string();
        assert!(message.contains("a number, a list of numbers"), "{message}");

        let config = with(json!({ "eos_token_id": [3, 4] })).unwrap();
        let file = serde_json::to_value(&config).unwrap();
        assert_eq!(file["eos_token_id"], 3);
        assert_eq!(file.get("bos_token_id"), None);
    }
}
