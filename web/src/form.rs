//! The settings as a person edits them: raw text per field, read and checked as a whole.

use couplet_playback::{tr, written};
use couplet_protocol::{Drafter, MAX_GAMMA, Parameter, Rule, Settings, SettingsError};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{language, unwritten};

/// A field and what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// Name of the field of [`Settings`].
    pub field: String,
    /// The sentence.
    pub sentence: String,
}

impl FieldError {
    /// The sentence where the field is not.
    pub fn on_the_stage(&self) -> String {
        tr!(
            "The settings on the Stage need a look first: {}: {}.",
            label(&self.field),
            self.sentence.trim_end_matches('.')
        )
    }
}

/// What stands at a field of [`Settings`]; its own name if it has no field here.
pub fn label(field: &str) -> String {
    match field {
        "pair" => tr!("Pair"),
        "prompt" => tr!("Prompt"),
        "gamma" => "γ".to_owned(),
        "rule" => tr!("Rule"),
        "lenience" => "Lenience".to_owned(),
        "epsilon" => "ε".to_owned(),
        "delta" => "δ".to_owned(),
        "drafter" => tr!("Drafter"),
        "temperature" => tr!("Temperature"),
        "top_k" => tr!("Top-k"),
        "top_p" => tr!("Top-p"),
        "seed" => tr!("Seed"),
        "max_tokens" => tr!("Tokens"),
        other => other.to_owned(),
    }
}

/// What stands in the fields of a form, as a person has left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Texts {
    texts: Box<[String; 11]>,
    auto_gamma: bool,
    rule: Rule,
    drafter: Drafter,
}

impl Texts {
    /// Name of the pair.
    pub fn pair(&self) -> &str {
        &self.texts[0]
    }
}

impl From<&Settings> for Texts {
    fn from(settings: &Settings) -> Self {
        let Settings {
            pair,
            prompt,
            gamma,
            auto_gamma,
            rule,
            lenience,
            epsilon,
            delta,
            drafter,
            temperature,
            top_k,
            top_p,
            seed,
            max_tokens,
        } = settings;
        Self {
            texts: Box::new([
                pair.clone(),
                prompt.clone(),
                gamma.to_string(),
                lenience.to_string(),
                epsilon.to_string(),
                delta.to_string(),
                temperature.to_string(),
                top_k.to_string(),
                top_p.to_string(),
                seed.to_string(),
                max_tokens.to_string(),
            ]),
            auto_gamma: *auto_gamma,
            rule: *rule,
            drafter: *drafter,
        }
    }
}

/// The controls. Copies are the same form.
#[derive(Clone, Copy)]
pub struct Form {
    /// Name of the pair.
    pub pair: RwSignal<String>,
    /// Text to continue.
    pub prompt: RwSignal<String>,
    /// Tokens drafted per round.
    pub gamma: RwSignal<String>,
    /// Whether the engine chooses that number.
    pub auto_gamma: RwSignal<bool>,
    /// How drafted tokens are judged.
    pub rule: RwSignal<Rule>,
    /// Parameter of Lenience.
    pub lenience: RwSignal<String>,
    /// First parameter of Typical.
    pub epsilon: RwSignal<String>,
    /// Second parameter of Typical.
    pub delta: RwSignal<String>,
    /// Who drafts.
    pub drafter: RwSignal<Drafter>,
    /// Divides the logits.
    pub temperature: RwSignal<String>,
    /// Most probable tokens kept.
    pub top_k: RwSignal<String>,
    /// Probability mass kept.
    pub top_p: RwSignal<String>,
    /// Seed of all draws.
    pub seed: RwSignal<String>,
    /// Tokens to write.
    pub max_tokens: RwSignal<String>,
    /// What the engine said about a field, until it is edited.
    pub refused: RwSignal<Option<FieldError>>,
    /// How often a person has changed something.
    pub edits: RwSignal<u32>,
}

impl Form {
    /// A form that shows these settings.
    pub fn new(settings: &Settings) -> Self {
        let form = Self {
            pair: RwSignal::default(),
            prompt: RwSignal::default(),
            gamma: RwSignal::default(),
            auto_gamma: RwSignal::default(),
            rule: RwSignal::default(),
            lenience: RwSignal::default(),
            epsilon: RwSignal::default(),
            delta: RwSignal::default(),
            drafter: RwSignal::default(),
            temperature: RwSignal::default(),
            top_k: RwSignal::default(),
            top_p: RwSignal::default(),
            seed: RwSignal::default(),
            max_tokens: RwSignal::default(),
            refused: RwSignal::default(),
            edits: RwSignal::default(),
        };
        form.write(settings);
        form
    }

    /// Shows these settings.
    pub fn write(&self, settings: &Settings) {
        self.put(&Texts::from(settings));
    }

    /// What stands in it, whether it works or not. Not tracked.
    pub fn texts(&self) -> Texts {
        Texts {
            texts: Box::new(self.fields().map(|field| field.get_untracked())),
            auto_gamma: self.auto_gamma.get_untracked(),
            rule: self.rule.get_untracked(),
            drafter: self.drafter.get_untracked(),
        }
    }

    /// Has it say that again.
    pub fn put(&self, texts: &Texts) {
        for (field, text) in self.fields().into_iter().zip(texts.texts.iter()) {
            field.set(text.clone());
        }
        self.auto_gamma.set(texts.auto_gamma);
        self.rule.set(texts.rule);
        self.drafter.set(texts.drafter);
        self.refused.set(None);
    }

    /// The fields in which something is written, in the order of [`Texts`].
    fn fields(&self) -> [RwSignal<String>; 11] {
        [
            self.pair,
            self.prompt,
            self.gamma,
            self.lenience,
            self.epsilon,
            self.delta,
            self.temperature,
            self.top_k,
            self.top_p,
            self.seed,
            self.max_tokens,
        ]
    }

    /// To be called when a person has changed a field.
    pub fn edited(&self) {
        self.refused.set(None);
        self.edits.update(|edits| *edits += 1);
        unwritten::keep(&self.texts());
    }

    /// What the form says, tracked.
    ///
    /// # Errors
    ///
    /// The first field that does not work, and why.
    pub fn read(&self) -> Result<Settings, FieldError> {
        let (settings, faults) = self.look();
        faults.into_iter().next().map_or(Ok(settings), Err)
    }

    /// What the form says, the usual in the place of what cannot be read, and all that is wrong.
    fn look(&self) -> (Settings, Vec<FieldError>) {
        let usual = Settings::default();
        let rule = self.rule.get();
        let auto_gamma = self.auto_gamma.get();
        let mut faults = Vec::new();
        let wrong = &mut faults;
        let gamma = self.read_gamma(auto_gamma, usual.gamma);
        let share = |text, parameter: Parameter| match rule.reads(parameter) {
            true => number(text, parameter.name(), || {
                tr!("write a number above 0, up to 1")
            }),
            // Its field is not shown, so whatever stands in it is neither an error nor another setting.
            false => Ok(usual.parameter(parameter)),
        };
        let lenience = share(self.lenience, Parameter::Lenience);
        let epsilon = share(self.epsilon, Parameter::Epsilon);
        let delta = share(self.delta, Parameter::Delta);
        let temperature = number(self.temperature, "temperature", || {
            tr!("write a number, 0 to {}", Settings::LARGEST_TEMPERATURE)
        });
        let top_k = number(self.top_k, "top_k", || {
            tr!("write a whole number, 0 or more; 0 turns it off")
        });
        let top_p = number(self.top_p, "top_p", || {
            tr!("write a number above 0, up to 1")
        });
        let seed = number(self.seed, "seed", || tr!("write a whole number, 0 or more"));
        let max_tokens = number(self.max_tokens, "max_tokens", || {
            tr!("write a whole number, 1 to {}", Settings::MAX_TOKENS)
        });
        let settings = Settings {
            pair: self.pair.get(),
            prompt: self.prompt.get(),
            gamma: read_or(usual.gamma, gamma, wrong),
            auto_gamma,
            rule,
            lenience: read_or(usual.lenience, lenience, wrong),
            epsilon: read_or(usual.epsilon, epsilon, wrong),
            delta: read_or(usual.delta, delta, wrong),
            drafter: self.drafter.get(),
            temperature: read_or(usual.temperature, temperature, wrong),
            top_k: read_or(usual.top_k, top_k, wrong),
            top_p: read_or(usual.top_p, top_p, wrong),
            seed: read_or(usual.seed, seed, wrong),
            max_tokens: read_or(usual.max_tokens, max_tokens, wrong),
        };
        let refuse = |error: SettingsError| FieldError {
            field: error.field.to_owned(),
            sentence: language::of_engine(&error.sentence),
        };
        faults.extend(settings.faults().into_iter().map(refuse));
        (settings, faults)
    }

    /// γ as it is written; while the engine chooses it, whatever stands there is no error.
    fn read_gamma(&self, auto: bool, usual: u32) -> Result<u32, FieldError> {
        let gamma = number(self.gamma, "gamma", || {
            tr!("write a whole number, 0 to {}", MAX_GAMMA)
        });
        if !auto {
            return gamma;
        }
        let fits = |gamma: &u32| *gamma <= MAX_GAMMA;
        Ok(gamma.ok().filter(fits).unwrap_or(usual))
    }

    /// All that is wrong, each field once: by the page's own check, or, where that finds nothing, by
    /// the engine's.
    pub fn errors(&self) -> Vec<FieldError> {
        let (_, mut faults) = self.look();
        if faults.is_empty() {
            let refused = self.refused.get();
            faults.extend(refused.map(|refused| FieldError {
                sentence: language::of_engine(&refused.sentence),
                ..refused
            }));
        }
        faults
    }

    /// What is wrong with a field.
    pub fn error_at(&self, field: &str) -> Option<FieldError> {
        self.errors().into_iter().find(|error| error.field == field)
    }
}

/// What was read, or else the usual, with what is wrong added to the rest of that.
fn read_or<T>(usual: T, read: Result<T, FieldError>, wrong: &mut Vec<FieldError>) -> T {
    read.unwrap_or_else(|error| {
        wrong.push(error);
        usual
    })
}

fn number<T: std::str::FromStr>(
    text: RwSignal<String>,
    field: &str,
    wanted: fn() -> String,
) -> Result<T, FieldError> {
    let text = text.get();
    text.trim().parse().map_err(|_| FieldError {
        field: field.to_owned(),
        sentence: if text.trim().is_empty() {
            wanted()
        } else {
            tr!(
                "“{text}” does not work here; {wanted}",
                text = written(text.trim()),
                wanted = wanted()
            )
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_is_wrong_by_itself_has_a_sentence() {
        let form = Form::new(&Settings::default());
        form.seed.set("x".to_owned());
        form.temperature.set("9".to_owned());
        form.max_tokens.set(String::new());
        // Its field is not shown.
        form.lenience.set("x".to_owned());
        form.refused.set(Some(FieldError {
            field: "prompt".to_owned(),
            sentence: String::new(),
        }));
        let errors = form.errors();
        let fields: Vec<_> = errors.iter().map(|error| &*error.field).collect();
        assert_eq!(fields, ["seed", "max_tokens", "temperature"]);
        assert_eq!(form.read(), Err(errors[0].clone()));
        assert!(form.error_at("temperature").is_some());
        // What the engine refused was asked for with settings that work.
        assert_eq!(form.error_at("prompt"), None);
        form.write(&Settings::default());
        assert_eq!(form.errors(), []);
    }

    #[test]
    fn what_is_put_into_a_form_stands_in_its_fields() {
        let settings = Settings {
            pair: "stories".to_owned(),
            prompt: "Once".to_owned(),
            gamma: 3,
            auto_gamma: true,
            rule: Rule::Typical,
            lenience: 0.25,
            epsilon: 0.2,
            delta: 0.6,
            drafter: Drafter::Uniform,
            temperature: 1.3,
            top_k: 9,
            top_p: 0.9,
            seed: 77,
            max_tokens: 31,
        };
        let form = Form::new(&settings);
        assert_eq!(form.texts(), Texts::from(&settings));
        assert_eq!(form.read(), Ok(settings.as_used()));
        assert_eq!(form.texts().pair(), "stories");
        form.seed.set("many".to_owned());
        let left = form.texts();
        form.write(&Settings::default());
        form.put(&left);
        assert_eq!(form.seed.get_untracked(), "many");
    }

    #[test]
    fn every_setting_that_can_be_refused_has_a_label() {
        let settings = serde_json::to_value(Settings::default()).unwrap();
        for field in settings.as_object().unwrap().keys() {
            // Either choice is good.
            if field != "auto_gamma" {
                assert_ne!(label(field), *field);
            }
        }
    }
}
