use serde::{Deserialize, Serialize};

/// Largest number of tokens the draft may propose in one round.
pub const MAX_GAMMA: u32 = 16;

/// Largest seed: the largest integer that JavaScript numbers hold exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// How drafted tokens are judged. What each does, exactly and with its source, is in
/// `couplet_speculation::Rule`; here are the names and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Keep x when `u * draft(x) < target(x)`, else redraw from the residual: exact.
    #[default]
    Rejection,
    /// Judge the drafted tokens together and keep the longest prefix that passes: exact.
    Block,
    /// Both models race the same clocks; keep x when it is the target's own: exact, and the text
    /// does not depend on the draft.
    Gumbel,
    /// Both models look at the same darts; keep x when it is the target's own: exact, and the
    /// text does not depend on the draft.
    #[serde(rename = "minhash")]
    MinHash,
    /// The target draws a token of its own; keep x when it is that one: exact, and the text does
    /// not depend on the draft.
    SampleAndMatch,
    /// Keep x when it is the target's most probable token: exact where there is
    /// [one text](Settings::has_one_text).
    Greedy,
    /// Rejection with the draft's probabilities times [`Settings::lenience`]: exact at 1 and where
    /// there is [one text](Settings::has_one_text).
    Lenience,
    /// Keep x when `target(x) > min(epsilon, delta * e^-H)`: exact where there is
    /// [one text](Settings::has_one_text).
    Typical,
}

impl Rule {
    /// Every rule, in the order in which the page offers them.
    pub const ALL: [Self; 8] = [
        Self::Rejection,
        Self::Block,
        Self::Gumbel,
        Self::MinHash,
        Self::SampleAndMatch,
        Self::Greedy,
        Self::Lenience,
        Self::Typical,
    ];

    /// The rule with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Its name in links and in calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rejection => "rejection",
            Self::Block => "block",
            Self::Gumbel => "gumbel",
            Self::MinHash => "minhash",
            Self::SampleAndMatch => "sample_and_match",
            Self::Greedy => "greedy",
            Self::Lenience => "lenience",
            Self::Typical => "typical",
        }
    }

    /// The parameters that it reads, in the order in which the page shows them.
    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Lenience => &[Parameter::Lenience],
            Self::Typical => &[Parameter::Epsilon, Parameter::Delta],
            Self::Rejection
            | Self::Block
            | Self::Gumbel
            | Self::MinHash
            | Self::SampleAndMatch
            | Self::Greedy => &[],
        }
    }

    /// Whether it reads a parameter.
    pub fn reads(self, parameter: Parameter) -> bool {
        self.parameters().contains(&parameter)
    }

    /// Whether one seed gives the same text with every drafter, every gamma and the target alone.
    pub fn is_drafter_invariant(self) -> bool {
        matches!(
            self,
            Self::Gumbel | Self::MinHash | Self::SampleAndMatch | Self::Greedy
        )
    }

    /// Whether a round's drafted tokens are judged together, all of them, and not one after the other
    /// up to the first that is rejected. No acceptance rate of tokens says it all then.
    pub fn judges_together(self) -> bool {
        match self {
            Self::Block => true,
            Self::Rejection
            | Self::Gumbel
            | Self::MinHash
            | Self::SampleAndMatch
            | Self::Greedy
            | Self::Lenience
            | Self::Typical => false,
        }
    }
}

/// A number that only some rules read. Each is a field of [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// [`Settings::lenience`].
    Lenience,
    /// [`Settings::epsilon`].
    Epsilon,
    /// [`Settings::delta`].
    Delta,
}

impl Parameter {
    /// Its name in links and in calls, which is that of the field.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lenience => "lenience",
            Self::Epsilon => "epsilon",
            Self::Delta => "delta",
        }
    }
}

/// Who drafts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drafter {
    /// The pair's draft model.
    #[default]
    Model,
    /// A table of which token follows which, counted in the pair's training text.
    Bigram,
    /// Every token with the same probability.
    Uniform,
}

impl Drafter {
    /// Every drafter, from the best to the worst.
    pub const ALL: [Self; 3] = [Self::Model, Self::Bigram, Self::Uniform];

    /// The drafter with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|drafter| drafter.name() == name)
    }

    /// Its name in links and in calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Bigram => "bigram",
            Self::Uniform => "uniform",
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
    /// Text to continue, at most [`Self::MAX_PROMPT`] characters.
    pub prompt: String,
    /// Tokens the draft proposes per round, 0 to [`MAX_GAMMA`]; 0 is the target alone.
    pub gamma: u32,
    /// Whether the engine chooses γ before every batch of rounds, from 0 to
    /// [`Self::MAX_AUTO_GAMMA`], by what it has measured; `gamma` is then not looked at. The choice
    /// depends on time, so a seed fixes the text only where [`Self::is_drafter_invariant`].
    pub auto_gamma: bool,
    /// How drafted tokens are judged.
    pub rule: Rule,
    /// Multiplies the draft's probabilities under [`Rule::Lenience`], [`Self::SMALLEST_SHARE`] to 1.
    pub lenience: f64,
    /// [`Rule::Typical`]: a token above this probability is kept, [`Self::SMALLEST_SHARE`] to 1.
    pub epsilon: f64,
    /// [`Rule::Typical`]: a token above this times `e^-H` is kept, [`Self::SMALLEST_SHARE`] to 1.
    pub delta: f64,
    /// Who drafts.
    pub drafter: Drafter,
    /// Divides the logits, 0 or [`Self::SMALLEST_TEMPERATURE`] to [`Self::LARGEST_TEMPERATURE`]; 0 takes the most probable token.
    pub temperature: f64,
    /// Only the k most probable tokens stay possible; 0 is off. At most [`Self::MAX_TOP_K`].
    pub top_k: u32,
    /// Only the most probable tokens that together reach this mass stay possible,
    /// [`Self::SMALLEST_SHARE`] to 1; 1 is off.
    pub top_p: f64,
    /// Seed of every random number, at most [`MAX_SEED`].
    pub seed: u64,
    /// Tokens to generate, 1 to [`Self::MAX_TOKENS`]; the context may end the text sooner.
    pub max_tokens: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pair: "shakespeare".to_owned(),
            prompt: "KING RICHARD:\n".to_owned(),
            gamma: 5,
            auto_gamma: false,
            rule: Rule::Rejection,
            lenience: 0.5,
            epsilon: 0.09,
            delta: 0.3,
            drafter: Drafter::Model,
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
    /// Name of the field: one of [`Settings`], of a [`SpeedRequest`](crate::SpeedRequest), or `branch`;
    /// `settings` where a text is no such object.
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub sentence: String,
}

impl Settings {
    /// Smallest lenience, epsilon, delta and mass of top-p.
    pub const SMALLEST_SHARE: f64 = 1e-6;

    /// Smallest temperature besides 0: one over it, times what lies between two logits, is still
    /// a number of 32 bits.
    pub const SMALLEST_TEMPERATURE: f64 = 1e-3;

    /// Largest temperature.
    pub const LARGEST_TEMPERATURE: f64 = 4.0;

    /// Largest γ that the engine chooses by itself.
    pub const MAX_AUTO_GAMMA: u32 = 8;

    /// Most tokens that a run can be asked for.
    pub const MAX_TOKENS: u32 = 4096;

    /// Largest [`Self::top_k`].
    pub const MAX_TOP_K: u32 = 1_000_000;

    /// Longest prompt in characters, before any tokenizer has seen it.
    pub const MAX_PROMPT: usize = 4000;

    /// Whether one token is left of each of the target's rows, at temperature 0 and at top-k 1:
    /// then it has one text, and every rule writes that. A top-p that leaves one token here may
    /// leave more there.
    pub fn has_one_text(&self) -> bool {
        self.temperature == 0.0 || self.top_k == 1
    }

    /// Whether the seed fixes the text, whoever drafts and however far: under a rule that is
    /// [drafter-invariant](Rule::is_drafter_invariant), and where there is
    /// [one text](Self::has_one_text).
    pub fn is_drafter_invariant(&self) -> bool {
        self.rule.is_drafter_invariant() || self.has_one_text()
    }

    /// Whether the formulas in α hold: every token is judged by itself, or there is
    /// [one text](Self::has_one_text) and nothing is left to weigh.
    pub fn has_formula(&self) -> bool {
        !self.rule.judges_together() || self.has_one_text()
    }

    /// These settings as far as they are used: parameters that the rule does not read are the
    /// usual ones.
    pub fn as_used(&self) -> Self {
        let usual = Self::default();
        let used = |parameter| match self.rule.reads(parameter) {
            true => self.parameter(parameter),
            false => usual.parameter(parameter),
        };
        Self {
            lenience: used(Parameter::Lenience),
            epsilon: used(Parameter::Epsilon),
            delta: used(Parameter::Delta),
            ..self.clone()
        }
    }

    /// A parameter, whether the rule reads it or not.
    pub fn parameter(&self, parameter: Parameter) -> f64 {
        match parameter {
            Parameter::Lenience => self.lenience,
            Parameter::Epsilon => self.epsilon,
            Parameter::Delta => self.delta,
        }
    }

    /// Checks every field that can be judged without a model.
    ///
    /// # Errors
    ///
    /// Names the first field that is out of range and says what would be right.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.faults().into_iter().next().map_or(Ok(()), Err)
    }

    /// Every field that is out of range as far as that can be judged without a model, in the order of
    /// [`Self::check`].
    pub fn faults(&self) -> Vec<SettingsError> {
        let mut faults = Vec::new();
        let mut refuse = |field, sentence: String| faults.push(SettingsError { field, sentence });
        let Self {
            ref pair,
            ref prompt,
            gamma,
            auto_gamma: _,
            rule: _,
            lenience,
            epsilon,
            delta,
            drafter: _,
            temperature,
            top_k,
            top_p,
            seed,
            max_tokens,
        } = *self;
        if pair.is_empty() || !pair.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            refuse(
                "pair",
                "a pair's name has letters, digits and hyphens only".to_owned(),
            );
        }
        let length = prompt.chars().count();
        if length > Self::MAX_PROMPT {
            refuse(
                "prompt",
                format!(
                    "{length} characters are too many; {} fit at most",
                    Self::MAX_PROMPT
                ),
            );
        }
        if gamma > MAX_GAMMA {
            refuse(
                "gamma",
                format!("{gamma} is out of range; choose 0 to {MAX_GAMMA}"),
            );
        }
        let shares = [
            ("lenience", lenience),
            ("epsilon", epsilon),
            ("delta", delta),
            ("top_p", top_p),
        ];
        for (field, value) in shares {
            if !(Self::SMALLEST_SHARE..=1.0).contains(&value) {
                let least = Self::SMALLEST_SHARE;
                refuse(
                    field,
                    format!("{value} is out of range; choose {least} to 1"),
                );
            }
        }
        let (least, most) = (Self::SMALLEST_TEMPERATURE, Self::LARGEST_TEMPERATURE);
        if temperature != 0.0 && !(least..=most).contains(&temperature) {
            refuse(
                "temperature",
                format!("{temperature} is out of range; choose 0, or {least} to {most}"),
            );
        }
        if top_k > Self::MAX_TOP_K {
            let most = Self::MAX_TOP_K;
            refuse(
                "top_k",
                format!("{top_k} is out of range; choose up to {most}, or 0 to turn it off"),
            );
        }
        if seed > MAX_SEED {
            refuse(
                "seed",
                format!("{seed} is out of range; choose 0 to {MAX_SEED}"),
            );
        }
        if !(1..=Self::MAX_TOKENS).contains(&max_tokens) {
            refuse(
                "max_tokens",
                format!(
                    "{max_tokens} is out of range; choose 1 to {}",
                    Self::MAX_TOKENS
                ),
            );
        }
        faults
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
        assert_eq!(field(r#"{"temperature": 1e-39}"#), "temperature");
        assert_eq!(field(r#"{"top_p": 1e-50}"#), "top_p");
        assert_eq!(field(r#"{"temperature": 4.1}"#), "temperature");
        assert_eq!(field(r#"{"lenience": 0}"#), "lenience");
        assert_eq!(field(r#"{"epsilon": 1.5}"#), "epsilon");
        assert_eq!(field(r#"{"delta": -1}"#), "delta");
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
    fn all_fields_out_of_range_are_named_in_their_order() {
        let settings = Settings {
            gamma: MAX_GAMMA + 1,
            top_p: 0.0,
            epsilon: 2.0,
            max_tokens: 0,
            ..Settings::default()
        };
        let faults = settings.faults();
        let fields: Vec<_> = faults.iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["gamma", "epsilon", "top_p", "max_tokens"]);
        assert_eq!(settings.check(), Err(faults[0].clone()));
        assert_eq!(Settings::default().faults(), []);
    }

    #[test]
    fn the_ends_of_every_range_belong_to_it() {
        let shares = |share: f64| Settings {
            lenience: share,
            epsilon: share,
            delta: share,
            top_p: share,
            ..Settings::default()
        };
        let largest = Settings {
            // Characters, not bytes.
            prompt: "ä".repeat(Settings::MAX_PROMPT),
            gamma: MAX_GAMMA,
            temperature: Settings::LARGEST_TEMPERATURE,
            top_k: 1_000_000,
            seed: MAX_SEED,
            max_tokens: Settings::MAX_TOKENS,
            ..shares(1.0)
        };
        assert_eq!(largest.check(), Ok(()));
        for temperature in [0.0, Settings::SMALLEST_TEMPERATURE] {
            let smallest = Settings {
                prompt: String::new(),
                gamma: 0,
                temperature,
                top_k: 0,
                seed: 0,
                max_tokens: 1,
                ..shares(Settings::SMALLEST_SHARE)
            };
            assert_eq!(smallest.check(), Ok(()));
        }
        assert_eq!(field(r#"{"max_tokens": 4097}"#), "max_tokens");
    }

    #[test]
    fn a_seed_fixes_the_text_under_rules_of_the_targets_own_token_and_where_there_is_one() {
        let fixed = |rule, temperature, top_k| {
            let settings = Settings {
                rule,
                temperature,
                top_k,
                ..Settings::default()
            };
            settings.is_drafter_invariant()
        };
        for rule in Rule::ALL {
            let own = [
                Rule::Gumbel,
                Rule::MinHash,
                Rule::SampleAndMatch,
                Rule::Greedy,
            ];
            for top_k in [0, 2] {
                assert_eq!(fixed(rule, 0.8, top_k), own.contains(&rule), "{rule:?}");
            }
            assert!(fixed(rule, 0.0, 0), "{rule:?}");
            assert!(fixed(rule, 0.8, 1), "{rule:?}");
        }
    }

    #[test]
    fn rules_and_drafters_have_one_name_each() {
        for rule in Rule::ALL {
            let json = serde_json::to_string(&rule).unwrap();
            assert_eq!(json, format!("{:?}", rule.name()));
        }
        for drafter in Drafter::ALL {
            let json = serde_json::to_string(&drafter).unwrap();
            assert_eq!(json, format!("{:?}", drafter.name()));
        }
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
