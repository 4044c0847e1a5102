use serde::{Deserialize, Serialize};

/// Largest number of tokens the draft may propose in one round.
pub const MAX_GAMMA: u32 = 16;

/// Largest seed: the largest integer that JavaScript numbers hold exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// How drafted tokens are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Keep x when `u * draft(x) < target(x)`, else redraw from the residual: exact.
    /// Source: Leviathan et al. 2023; Chen et al. 2023.
    #[default]
    Rejection,
    /// Keep x when it is the target's most probable token: exact at temperature 0.
    Greedy,
}

impl Rule {
    /// Every rule, in the order in which the page offers them.
    pub const ALL: [Self; 2] = [Self::Rejection, Self::Greedy];

    /// Its name on the page, in links and in calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rejection => "rejection",
            Self::Greedy => "greedy",
        }
    }
}

/// Everything that determines a run: the form, the link, the call from a script and the head
/// of a trace are this one type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Name of the pair of models.
    pub pair: String,
    /// Text to continue.
    pub prompt: String,
    /// Tokens the draft proposes per round, 0 to [`MAX_GAMMA`]; 0 is the target alone.
    pub gamma: u32,
    /// How drafted tokens are judged.
    pub rule: Rule,
    /// Divides the logits, 0 to 4; 0 takes the most probable token.
    pub temperature: f64,
    /// Only the k most probable tokens stay possible; 0 is off.
    pub top_k: u32,
    /// Only the most probable tokens that together reach this mass stay possible; 1 is off.
    pub top_p: f64,
    /// Seed of every random number, at most [`MAX_SEED`].
    pub seed: u64,
    /// Tokens to generate, 1 to 4096; the context may end the text sooner.
    pub max_tokens: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pair: "shakespeare".to_owned(),
            prompt: "KING RICHARD:\n".to_owned(),
            gamma: 5,
            rule: Rule::Rejection,
            temperature: 0.8,
            top_k: 0,
            top_p: 1.0,
            seed: 1611,
            max_tokens: 120,
        }
    }
}

/// A setting that is out of range, in words for the person who set it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}: {sentence}")]
pub struct SettingsError {
    /// Name of the field, as in [`Settings`].
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub sentence: String,
}

impl Settings {
    /// Longest prompt in characters, before any tokenizer has seen it.
    pub const MAX_PROMPT: usize = 4000;

    /// Checks every field that can be judged without a model.
    ///
    /// # Errors
    ///
    /// Names the first field that is out of range and says what would be right.
    pub fn check(&self) -> Result<(), SettingsError> {
        let refuse = |field, sentence: String| Err(SettingsError { field, sentence });
        if self.pair.is_empty()
            || !self
                .pair
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-')
        {
            return refuse(
                "pair",
                "a pair's name has letters, digits and hyphens only".to_owned(),
            );
        }
        let length = self.prompt.chars().count();
        if length > Self::MAX_PROMPT {
            return refuse(
                "prompt",
                format!(
                    "{length} characters are too many; {} fit at most",
                    Self::MAX_PROMPT
                ),
            );
        }
        if self.gamma > MAX_GAMMA {
            return refuse(
                "gamma",
                format!("{} is out of range; choose 0 to {MAX_GAMMA}", self.gamma),
            );
        }
        if !(0.0..=4.0).contains(&self.temperature) {
            return refuse(
                "temperature",
                format!("{} is out of range; choose 0 to 4", self.temperature),
            );
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return refuse(
                "top_p",
                format!("{} is out of range; choose above 0 and up to 1", self.top_p),
            );
        }
        if self.top_k > 1_000_000 {
            return refuse(
                "top_k",
                format!("{} is out of range; 0 turns it off", self.top_k),
            );
        }
        if self.seed > MAX_SEED {
            return refuse(
                "seed",
                format!("{} is out of range; choose 0 to {MAX_SEED}", self.seed),
            );
        }
        if self.max_tokens == 0 || self.max_tokens > 4096 {
            return refuse(
                "max_tokens",
                format!("{} is out of range; choose 1 to 4096", self.max_tokens),
            );
        }
        Ok(())
    }

    /// Reads settings from JSON; absent fields keep their defaults.
    ///
    /// # Errors
    ///
    /// If the text is not such an object, has a field of another name, or a field is out of
    /// range.
    pub fn from_json(text: &str) -> Result<Self, SettingsError> {
        let settings: Self = serde_json::from_str(text).map_err(|error| SettingsError {
            field: "settings",
            sentence: error.to_string(),
        })?;
        settings.check()?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(json: &str) -> &'static str {
        Settings::from_json(json).unwrap_err().field
    }

    #[test]
    fn every_field_out_of_range_is_named() {
        assert_eq!(field(r#"{"gamma": 17}"#), "gamma");
        assert_eq!(field(r#"{"temperature": -0.1}"#), "temperature");
        assert_eq!(field(r#"{"temperature": 4.1}"#), "temperature");
        assert_eq!(field(r#"{"top_p": 0}"#), "top_p");
        assert_eq!(field(r#"{"top_p": 1.01}"#), "top_p");
        assert_eq!(field(r#"{"top_k": 1000001}"#), "top_k");
        assert_eq!(field(r#"{"seed": 9007199254740992}"#), "seed");
        assert_eq!(field(r#"{"max_tokens": 0}"#), "max_tokens");
        assert_eq!(field(r#"{"pair": "../secret"}"#), "pair");
        assert_eq!(field(r#"{"gama": 3}"#), "settings");
        let long = "a".repeat(Settings::MAX_PROMPT + 1);
        assert_eq!(field(&format!(r#"{{"prompt": "{long}"}}"#)), "prompt");
    }

    #[test]
    fn absent_fields_keep_their_defaults() {
        let settings = Settings::from_json(r#"{"gamma": 2}"#).unwrap();
        assert_eq!(
            settings,
            Settings {
                gamma: 2,
                ..Settings::default()
            }
        );
    }
}
