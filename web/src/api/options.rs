//! What a script passes to a call, read with care.

use couplet_protocol::{Branch, Failure, Settings, SpeedRequest, Which};
use js_sys::{Array, ArrayBuffer, JsString, Object, Reflect};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;

use crate::permalink;

/// What went wrong with a call: the argument, if it is one's fault, and a sentence.
pub struct Refusal {
    /// The argument, if it is one's fault.
    pub field: Option<String>,
    /// The sentence.
    pub sentence: String,
}

impl Refusal {
    /// The fault of one argument.
    pub fn of(field: &str, sentence: impl Into<String>) -> Self {
        Self {
            field: Some(field.to_owned()),
            sentence: sentence.into(),
        }
    }

    /// No argument's fault.
    pub fn plain(sentence: &str) -> Self {
        Self {
            field: None,
            sentence: sentence.to_owned(),
        }
    }

    /// As an `Error` with a `field`.
    pub fn error(&self) -> JsValue {
        let message = match &self.field {
            Some(field) => format!("{field}: {}", self.sentence),
            None => self.sentence.clone(),
        };
        let error = js_sys::Error::new(&message);
        if let Some(field) = &self.field {
            let _ = Reflect::set(&error, &"field".into(), &field.into());
        }
        error.into()
    }
}

impl From<&Failure> for Refusal {
    fn from(failure: &Failure) -> Self {
        Self {
            field: failure.field.clone(),
            sentence: failure.sentence.clone(),
        }
    }
}

/// The options of a call as plain values.
///
/// # Errors
///
/// When they are no object of plain values.
pub fn plain(options: &JsValue) -> Result<Map<String, Value>, Refusal> {
    if options.is_undefined() || options.is_null() {
        return Ok(Map::new());
    }
    let wrong = || Refusal::of("options", "must be an object of plain values");
    // A map's entries are no properties: it would say nothing.
    let is_map = options.is_instance_of::<js_sys::Map>();
    if !options.is_object() || is_map || Array::is_array(options) {
        return Err(wrong());
    }
    // JSON has neither such numbers nor halves of characters, and a typed array is no list there.
    let options = Object::assign(&Object::new(), options.unchecked_ref());
    let names = Reflect::own_keys(&options).unwrap_or_default();
    for name in names.iter().filter_map(|name| name.as_string()) {
        let key = JsValue::from(name.as_str());
        let value = Reflect::get(&options, &key).unwrap_or_default();
        if value.as_f64().is_some_and(|number| !number.is_finite()) {
            return Err(Refusal::of(&name, "must be a finite number"));
        }
        let text = value.dyn_ref::<JsString>();
        if text.is_some_and(|text| !text.is_valid_utf16()) {
            return Err(Refusal::of(&name, "ends or begins within a character"));
        }
        if ArrayBuffer::is_view(&value) {
            let _ = Reflect::set(&options, &key, &Array::from(&value));
        }
    }
    let text = js_sys::JSON::stringify(&options)
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(wrong)?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(wrong()),
    }
}

/// The settings in options; without a prompt of their own they get the one that suits the pair.
///
/// # Errors
///
/// Names the first option that is out of range.
pub fn settings(
    options: &Map<String, Value>,
    prompt_of: impl FnOnce(&str) -> Option<String>,
) -> Result<Settings, Refusal> {
    let mut settings = read_settings(options)?;
    if !options.contains_key("prompt")
        && let Some(prompt) = prompt_of(&settings.pair)
    {
        settings.prompt = prompt;
    }
    Ok(settings)
}

/// Takes out of the options what a run is to go on from.
///
/// # Errors
///
/// When it is no such thing.
pub fn branch(options: &mut Map<String, Value>) -> Result<Option<Branch>, Refusal> {
    let Some(branch) = options.remove("branch").filter(|branch| !branch.is_null()) else {
        return Ok(None);
    };
    let wrong = || {
        let sentence = "must be { kept: [token, …], forced: token }; `forced` may be absent";
        Refusal::of("branch", sentence)
    };
    // What reads objects takes lists of their values too.
    if !branch.is_object() {
        return Err(wrong());
    }
    serde_json::from_value(branch)
        .map(Some)
        .map_err(|_| wrong())
}

/// What to time: settings, and beside them `gammas`, `auto` and `pairs`.
///
/// # Errors
///
/// Names the first option that is out of range.
pub fn bench(
    mut options: Map<String, Value>,
    prompt_of: impl FnOnce(&str) -> Option<String>,
) -> Result<SpeedRequest, Refusal> {
    let (gammas, auto, pairs) = (
        options.remove("gammas"),
        options.remove("auto"),
        options.remove("pairs"),
    );
    let mut request = SpeedRequest {
        settings: settings(&options, prompt_of)?,
        gammas: SpeedRequest::all_gammas(),
        auto: false,
        pairs: SpeedRequest::FEWEST_PAIRS,
    };
    if let Some(gammas) = gammas {
        request.gammas = serde_json::from_value(gammas)
            .map_err(|_| Refusal::of("gammas", "must be a list of whole numbers"))?;
    }
    if let Some(auto) = auto {
        request.auto = serde_json::from_value(auto)
            .map_err(|_| Refusal::of("auto", "must be true or false"))?;
    }
    if let Some(pairs) = pairs {
        request.pairs = serde_json::from_value(pairs)
            .map_err(|_| Refusal::of("pairs", "must be a whole number, 5 to 50"))?;
    }
    request
        .check()
        .map_err(|error| Refusal::of(error.field, error.sentence))?;
    Ok(request)
}

/// Settings from options; each option is tried by itself, so that the one at fault can be named.
fn read_settings(options: &Map<String, Value>) -> Result<Settings, Refusal> {
    for (name, value) in options {
        let one: Map<String, Value> = std::iter::once((name.clone(), value.clone())).collect();
        if let Err(error) = serde_json::from_value::<Settings>(Value::Object(one)) {
            let reason = error.to_string();
            let sentence = if reason.starts_with("unknown field") {
                "there is no such option".to_owned()
            } else if reason.starts_with("invalid") {
                let value = permalink::shorten(&value.to_string());
                format!("{value} is not {}", kind_of(name))
            } else if let Some((_, choices)) = reason.split_once("expected one of ") {
                let value = permalink::shorten(&value.to_string());
                format!("{value} is none of {}", choices.replace('`', "\""))
            } else {
                reason
            };
            return Err(Refusal::of(name, sentence));
        }
    }
    let settings: Settings = serde_json::from_value(Value::Object(options.clone()))
        .map_err(|error| Refusal::of("options", error.to_string()))?;
    settings
        .check()
        .map_err(|error| Refusal::of(error.field, error.sentence))?;
    Ok(settings)
}

/// What an option must be, by what it is where nobody gives it.
fn kind_of(name: &str) -> &'static str {
    let usual = serde_json::to_value(Settings::default()).unwrap_or_default();
    match usual.get(name) {
        Some(Value::Number(number)) if number.is_u64() => "a whole number from 0 on",
        Some(Value::Number(_)) => "a number",
        Some(Value::Bool(_)) => "true or false",
        _ => "a string that this option takes",
    }
}

/// Refuses a pair that the page does not have; where nobody could say which it has, none.
///
/// # Errors
///
/// Names those that there are.
pub fn check_pair(name: &str, known: &[String]) -> Result<(), Refusal> {
    if known.is_empty() || known.iter().any(|known| known == name) {
        return Ok(());
    }
    let name = permalink::shorten(name);
    let sentence = format!("there is no pair {name}; choose {}", known.join(" or "));
    Err(Refusal::of("pair", sentence))
}

/// The pair, the model and the text of a call for a distribution.
///
/// # Errors
///
/// Names the first option that is out of range.
pub fn distribution(options: &Map<String, Value>) -> Result<(String, Which, String), Refusal> {
    if let Some(name) = options
        .keys()
        .find(|name| !["pair", "model", "text"].contains(&name.as_str()))
    {
        return Err(Refusal::of(name, "there is no such option"));
    }
    let text = |name: &str| match options.get(name) {
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Refusal::of(name, "must be a string")),
        None => Ok(None),
    };
    let pair = text("pair")?.unwrap_or_else(|| Settings::default().pair);
    let check = Settings {
        pair: pair.clone(),
        ..Settings::default()
    };
    check
        .check()
        .map_err(|error| Refusal::of(error.field, error.sentence))?;
    let model = match text("model")?.as_deref() {
        Some("draft") => Which::Draft,
        Some("target") => Which::Target,
        _ => return Err(Refusal::of("model", "must be \"draft\" or \"target\"")),
    };
    let text = text("text")?.ok_or_else(|| Refusal::of("text", "must be a string"))?;
    Ok((pair, model, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(options: Value) -> Option<Refusal> {
        let Value::Object(options) = options else {
            return None;
        };
        read_settings(&options).err()
    }

    fn field(options: Value) -> Option<String> {
        refusal(options).and_then(|refusal| refusal.field)
    }

    #[test]
    fn a_bad_option_is_named() {
        assert_eq!(field(json!({ "gama": 3 })).as_deref(), Some("gama"));
        assert_eq!(field(json!({ "seed": "x" })).as_deref(), Some("seed"));
        assert_eq!(field(json!({ "seed": -1 })).as_deref(), Some("seed"));
        assert_eq!(
            field(json!({ "temperature": null })).as_deref(),
            Some("temperature")
        );
        assert_eq!(field(json!({ "gamma": 17 })).as_deref(), Some("gamma"));
        assert_eq!(field(json!({ "rule": "coin" })).as_deref(), Some("rule"));
        assert_eq!(field(json!({ "gamma": 3 })), None);
    }

    #[test]
    fn a_bad_value_is_told_what_it_should_be() {
        let sentence = |options: Value| refusal(options).map(|refusal| refusal.sentence);
        assert_eq!(
            sentence(json!({ "gamma": -1 })).as_deref(),
            Some("-1 is not a whole number from 0 on")
        );
        assert_eq!(
            sentence(json!({ "temperature": null })).as_deref(),
            Some("null is not a number")
        );
        assert_eq!(
            sentence(json!({ "auto_gamma": 3 })).as_deref(),
            Some("3 is not true or false")
        );
        let rule = sentence(json!({ "rule": "Rejection" })).unwrap_or_default();
        assert!(
            rule.starts_with("\"Rejection\" is none of \"rejection\","),
            "{rule}"
        );
        let long = sentence(json!({ "seed": "x".repeat(1000) })).unwrap_or_default();
        assert!(long.len() < 100, "{long}");
    }

    #[test]
    fn a_pair_that_there_is_not_is_refused_by_name() {
        let known = ["shakespeare".to_owned(), "stories".to_owned()];
        assert!(check_pair("stories", &known).is_ok());
        assert!(check_pair("gpt4", &[]).is_ok());
        let refusal = check_pair("gpt4", &known).err();
        assert_eq!(
            refusal.map(|refusal| refusal.sentence).as_deref(),
            Some("there is no pair gpt4; choose shakespeare or stories")
        );
    }

    #[test]
    fn a_branch_is_kept_tokens_and_perhaps_a_forced_one() {
        let read = |options: Value| match options {
            Value::Object(mut options) => branch(&mut options).map_err(|refusal| refusal.field),
            _ => Ok(None),
        };
        let expected = Branch {
            kept: vec![3, 1],
            forced: Some(2),
        };
        let both = json!({ "branch": { "kept": [3, 1], "forced": 2 } });
        assert_eq!(read(both), Ok(Some(expected)));
        assert_eq!(read(json!({ "gamma": 3 })), Ok(None));
        assert_eq!(read(json!({ "branch": null })), Ok(None));
        for wrong in [
            json!({ "branch": 3 }),
            json!({ "branch": [] }),
            json!({ "branch": [[1, 2]] }),
            json!({ "branch": { "kept": [-1] } }),
            json!({ "branch": { "keep": [1] } }),
            json!({ "branch": { "kept": ["a"] } }),
        ] {
            assert_eq!(read(wrong), Err(Some("branch".to_owned())));
        }
    }

    #[test]
    fn a_distribution_needs_a_model_and_a_text() {
        let refused = |options: Value| match options {
            Value::Object(options) => distribution(&options)
                .err()
                .and_then(|refusal| refusal.field),
            _ => None,
        };
        assert_eq!(refused(json!({ "text": "O" })).as_deref(), Some("model"));
        assert_eq!(
            refused(json!({ "model": "draft" })).as_deref(),
            Some("text")
        );
        assert_eq!(
            refused(json!({ "model": "draft", "text": "O", "x": 1 })).as_deref(),
            Some("x")
        );
        assert_eq!(refused(json!({ "model": "draft", "text": "O" })), None);
    }

    #[test]
    fn what_a_bench_cannot_do_is_named() {
        let refused = |options: Value| match options {
            Value::Object(options) => bench(options, |_| None)
                .err()
                .and_then(|refusal| refusal.field),
            _ => None,
        };
        assert_eq!(refused(json!({ "pairs": 4 })).as_deref(), Some("pairs"));
        assert_eq!(refused(json!({ "pairs": "x" })).as_deref(), Some("pairs"));
        assert_eq!(refused(json!({ "gammas": 3 })).as_deref(), Some("gammas"));
        assert_eq!(
            refused(json!({ "gammas": [3, 1] })).as_deref(),
            Some("gammas")
        );
        assert_eq!(refused(json!({ "auto": 1 })).as_deref(), Some("auto"));
        assert_eq!(refused(json!({ "gama": 1 })).as_deref(), Some("gama"));
        assert_eq!(
            refused(json!({ "gammas": [3], "auto": true, "pairs": 6 })),
            None
        );
    }
}
