//! What a script passes to a call, read with care.

use couplet_protocol::{
    Branch, Drafter, Failure, FailureKind, Rule, Settings, SpeedRequest, Which,
};
use js_sys::{Array, ArrayBuffer, JsString, Reflect};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;

use crate::permalink;

/// What went wrong with a call: of what kind it is, the argument, if it is one's fault, and a sentence.
pub struct Refusal {
    /// Of what kind it is.
    pub kind: FailureKind,
    /// The argument, if it is one's fault.
    pub field: Option<String>,
    /// The sentence.
    pub sentence: String,
}

impl Refusal {
    /// The fault of one argument.
    pub fn of(field: &str, sentence: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Input,
            field: Some(field.to_owned()),
            sentence: sentence.into(),
        }
    }

    /// As an `Error` with a `code` and a `field`.
    pub fn error(&self) -> JsValue {
        let message = match self.field.as_deref() {
            Some("") => format!("\"\": {}", self.sentence),
            Some(field) => format!("{}: {}", permalink::shorten(field), self.sentence),
            None => self.sentence.clone(),
        };
        let error = js_sys::Error::new(&message);
        let _ = Reflect::set(&error, &"code".into(), &super::to_js(&self.kind));
        if self.kind == FailureKind::Stopped {
            // As browsers call what somebody gives up.
            error.set_name("AbortError");
        }
        if let Some(field) = &self.field {
            let _ = Reflect::set(&error, &"field".into(), &field.into());
        }
        error.into()
    }
}

impl From<&Failure> for Refusal {
    fn from(failure: &Failure) -> Self {
        Self {
            kind: failure.kind,
            field: failure.field.clone(),
            sentence: failure.sentence.clone(),
        }
    }
}

/// How deep options go: a list in an object in the options.
const DEEPEST: usize = 4;
/// The longest list that is looked at.
const LONGEST_LIST: u32 = 1 << 20;

/// The options of a call as plain values. What would say nothing, since its entries are not
/// properties or no values, is refused.
///
/// # Errors
///
/// When they are no object of plain values.
pub fn plain(options: &JsValue) -> Result<Map<String, Value>, Refusal> {
    let mut map = Map::new();
    if options.is_undefined() || options.is_null() {
        return Ok(map);
    }
    if is_promise(options) {
        return Err(Refusal::of("options", PROMISE));
    }
    if !is_plain(options) {
        let sentence = "must be an object of plain values, { gamma: 4 } say; Object.fromEntries \
                        makes one of a Map, a FormData or URLSearchParams";
        return Err(Refusal::of("options", sentence));
    }
    for (name, value) in properties(options) {
        let refuse = |sentence: &str| Refusal::of(&name, sentence);
        let value = value.map_err(refuse)?;
        if value.is_undefined() {
            continue;
        }
        if value.as_f64().is_some_and(|number| !number.is_finite()) {
            return Err(refuse("must be a finite number"));
        }
        let value = value_of(&value, DEEPEST).map_err(refuse)?;
        map.insert(name, value);
    }
    Ok(map)
}

/// Whatever has been forgotten to be awaited.
pub const PROMISE: &str = "a promise is no value here; write await before it";

/// Whether a value is a promise, of whatever window.
pub fn is_promise(value: &JsValue) -> bool {
    let then = value
        .is_object()
        .then(|| Reflect::get(value, &"then".into()));
    then.is_some_and(|then| then.is_ok_and(|then| then.is_function()))
}

/// Whether a value is an object as braces make them, of whatever window: one that inherits nothing
/// but what every object has.
pub fn is_plain(value: &JsValue) -> bool {
    let parent = |value: &JsValue| Reflect::get_prototype_of(value).ok();
    if !value.is_object() || Array::is_array(value) {
        return false;
    }
    parent(value).is_some_and(|prototype| {
        let own = |name: &str| Reflect::get_own_property_descriptor(&prototype, &name.into());
        prototype.is_null()
            || (parent(&prototype).is_some_and(|parent| parent.is_null())
                && own("isPrototypeOf").is_ok_and(|own| !own.is_undefined()))
    })
}

/// Names and values of an object, where those can be read.
fn properties(object: &JsValue) -> impl Iterator<Item = (String, Result<JsValue, &'static str>)> {
    let names = Reflect::own_keys(object).unwrap_or_default();
    let object = object.clone();
    names.into_iter().filter_map(move |key| {
        let value = Reflect::get(&object, &key).map_err(|_| "cannot be read");
        Some((key.as_string()?, value))
    })
}

/// A value as JSON has it; a number that is none becomes null.
fn value_of(value: &JsValue, depth: usize) -> Result<Value, &'static str> {
    if value.is_null() || value.is_undefined() {
        return Ok(Value::Null);
    }
    if let Some(flag) = value.as_bool() {
        return Ok(flag.into());
    }
    if let Some(number) = value.as_f64() {
        // Whole ones are told apart from others.
        let is_whole = number.fract() == 0.0 && number.abs() < 9e18;
        return Ok(if is_whole {
            (number as i64).into()
        } else {
            number.into()
        });
    }
    if let Some(text) = value.dyn_ref::<JsString>() {
        return match text.is_valid_utf16() {
            true => Ok(String::from(text).into()),
            false => Err("ends or begins within a character"),
        };
    }
    if value.is_function() {
        return Err("a function is no value here");
    }
    if value.is_symbol() {
        return Err("a symbol is no value here");
    }
    if value.is_bigint() {
        return Err("a BigInt is no value here; write a number");
    }
    if is_promise(value) {
        return Err(PROMISE);
    }
    let length = Reflect::get(value, &"length".into()).unwrap_or_default();
    let is_list = Array::is_array(value) || ArrayBuffer::is_view(value);
    if let Some(length) = length.as_f64().filter(|_| is_list && depth > 0) {
        if length > f64::from(LONGEST_LIST) {
            return Err("is too long a list");
        }
        let item = |index: u32| {
            let item = Reflect::get_u32(value, index).map_err(|_| "cannot be read")?;
            value_of(&item, depth - 1)
        };
        return (0..length as u32).map(item).collect();
    }
    if is_plain(value) && depth > 0 {
        let mut map = Map::new();
        for (name, value) in properties(value) {
            let value = value?;
            if !value.is_undefined() {
                map.insert(name, value_of(&value, depth - 1)?);
            }
        }
        return Ok(map.into());
    }
    Err("must be a number, a text, true or false, or a list or plain object of those")
}

/// The settings in options; without a prompt of their own they get the one that suits the pair.
///
/// # Errors
///
/// Names the first option that is out of range.
pub fn settings(
    mut options: Map<String, Value>,
    prompt_of: impl FnOnce(&str) -> Option<String>,
) -> Result<Settings, Refusal> {
    // What the engine chooses itself may be anything.
    if options.get("auto_gamma") == Some(&true.into()) {
        options.remove("gamma");
    }
    let mut settings = read_settings(&options)?;
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
    let branch: Branch = read(&branch).map_err(|_| wrong())?;
    // One without tokens is none.
    Ok(Some(branch).filter(|branch| !branch.is_empty()))
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
    // What `gammas` and `auto` take the place of may be anything.
    options.remove("gamma");
    options.remove("auto_gamma");
    let mut request = SpeedRequest {
        settings: settings(options, prompt_of)?,
        gammas: SpeedRequest::all_gammas(),
        auto: false,
        pairs: SpeedRequest::usual_pairs(),
    };
    if let Some(gammas) = gammas {
        request.gammas =
            read(&gammas).map_err(|_| Refusal::of("gammas", "must be a list of whole numbers"))?;
    }
    if let Some(auto) = auto {
        request.auto = read(&auto).map_err(|_| Refusal::of("auto", "must be true or false"))?;
    }
    if let Some(pairs) = pairs {
        let (least, most) = (SpeedRequest::FEWEST_PAIRS, SpeedRequest::MOST_PAIRS);
        request.pairs = read(&pairs).map_err(|_| {
            let sentence = format!("must be a whole number, {least} to {most}");
            Refusal::of("pairs", sentence)
        })?;
    }
    request
        .check()
        .map_err(|error| Refusal::of(error.field, error.sentence))?;
    Ok(request)
}

/// Reads a value by way of its text, as everything else that the page reads.
fn read<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_str(&value.to_string())
}

/// Settings from options; each option is tried by itself, so that the one at fault can be named.
fn read_settings(options: &Map<String, Value>) -> Result<Settings, Refusal> {
    for (name, value) in options {
        let choices = choices_of(name);
        if !choices.is_empty() && !choices.iter().any(|choice| value == choice) {
            let value = permalink::shorten(&value.to_string());
            let sentence = format!("{value} is none of \"{}\"", choices.join("\", \""));
            return Err(Refusal::of(name, sentence));
        }
        let one: Map<String, Value> = std::iter::once((name.clone(), value.clone())).collect();
        if let Err(error) = read::<Settings>(&Value::Object(one)) {
            let reason = error.to_string();
            let sentence = if reason.starts_with("unknown field") {
                "there is no such option".to_owned()
            } else if reason.starts_with("invalid") {
                let value = permalink::shorten(&value.to_string());
                format!("{value} is not {}", kind_of(name))
            } else {
                reason
            };
            return Err(Refusal::of(name, sentence));
        }
    }
    let settings: Settings = read(&Value::Object(options.clone()))
        .map_err(|error| Refusal::of("options", error.to_string()))?;
    settings
        .check()
        .map_err(|error| Refusal::of(error.field, error.sentence))?;
    Ok(settings)
}

/// What an option must be.
fn kind_of(name: &str) -> &'static str {
    match name {
        "gamma" | "top_k" | "seed" => "a whole number from 0 on",
        "max_tokens" => "a whole number from 1 on",
        "auto_gamma" => "true or false",
        "pair" | "prompt" => "a string",
        _ => "a number",
    }
}

/// The names among which an option chooses; none where it takes anything else.
fn choices_of(name: &str) -> Vec<&'static str> {
    match name {
        "rule" => Rule::ALL.map(Rule::name).to_vec(),
        "drafter" => Drafter::ALL.map(Drafter::name).to_vec(),
        _ => Vec::new(),
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

/// What a call for a distribution is about: the model, and settings whose prompt is the text.
///
/// # Errors
///
/// Names the first option that is out of range.
pub fn distribution(mut options: Map<String, Value>) -> Result<(Which, Settings), Refusal> {
    let (model, text) = (options.remove("model"), options.remove("text"));
    let filters = ["pair", "temperature", "top_k", "top_p"];
    if let Some(name) = options
        .keys()
        .find(|name| !filters.contains(&name.as_str()))
    {
        return Err(Refusal::of(name, "there is no such option"));
    }
    let mut settings = read_settings(&options)?;
    if !options.contains_key("temperature") {
        settings.temperature = 1.0;
    }
    let model = match model.as_ref().and_then(Value::as_str) {
        Some("draft") => Which::Draft,
        Some("target") => Which::Target,
        _ => return Err(Refusal::of("model", "must be \"draft\" or \"target\"")),
    };
    let Some(Value::String(text)) = text else {
        return Err(Refusal::of("text", "must be a string"));
    };
    settings.prompt = text;
    // All the rest is in range already.
    let checked = settings.check();
    checked.map_err(|error| Refusal::of("text", error.sentence))?;
    Ok((model, settings))
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
    fn a_gamma_that_the_engine_chooses_may_be_anything() {
        let gamma = |auto: bool| {
            let options = json!({ "auto_gamma": auto, "gamma": 99 });
            let options = options.as_object().cloned().unwrap_or_default();
            settings(options, |_| None).map(|settings| settings.gamma)
        };
        assert_eq!(gamma(true).ok(), Some(Settings::default().gamma));
        assert_eq!(
            gamma(false).err().and_then(|it| it.field).as_deref(),
            Some("gamma")
        );
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
        let usual = serde_json::to_value(Settings::default()).unwrap_or_default();
        for (name, value) in usual.as_object().into_iter().flatten() {
            let kind = match value {
                Value::Number(number) if number.is_u64() => {
                    // Zero is refused as well.
                    if name == "max_tokens" {
                        "a whole number from 1 on"
                    } else {
                        "a whole number from 0 on"
                    }
                }
                Value::Number(_) => "a number",
                Value::Bool(_) => "true or false",
                _ => "a string",
            };
            assert!(
                kind_of(name) == kind || !choices_of(name).is_empty(),
                "{name}"
            );
        }
        let rule = sentence(json!({ "rule": "Rejection" })).unwrap_or_default();
        assert!(
            rule.starts_with("\"Rejection\" is none of \"rejection\","),
            "{rule}"
        );
        for odd in [json!(null), json!({ "rejection": null })] {
            let rule = sentence(json!({ "rule": odd })).unwrap_or_default();
            assert!(
                rule.contains(" is none of \"rejection\", \"block\","),
                "{rule}"
            );
        }
        let drafter = sentence(json!({ "drafter": { "bigram": null } }));
        assert_eq!(
            drafter.as_deref(),
            Some("{\"bigram\":null} is none of \"model\", \"bigram\", \"uniform\"")
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
        for none in [json!(null), json!({}), json!({ "kept": [] })] {
            assert_eq!(read(json!({ "branch": none })), Ok(None));
        }
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
    fn a_distribution_needs_a_model_and_a_text_and_is_plain_unless_filters_are_asked_for() {
        let read = |more: Value| {
            let mut options = Map::from_iter([
                ("model".to_owned(), "draft".into()),
                ("text".to_owned(), "O".into()),
            ]);
            if let Value::Object(more) = more {
                options.extend(more);
            }
            distribution(options).map_err(|refusal| refusal.field.unwrap_or_default())
        };
        let long = "O".repeat(Settings::MAX_PROMPT + 1);
        for (wrong, field) in [
            (json!({ "model": null }), "model"),
            (json!({ "text": 3 }), "text"),
            (json!({ "text": long }), "text"),
            (json!({ "gamma": 4 }), "gamma"),
            (json!({ "prompt": "O" }), "prompt"),
            (json!({ "top_p": 0 }), "top_p"),
        ] {
            assert_eq!(read(wrong).err().as_deref(), Some(field));
        }
        let (model, settings) = read(json!({})).unwrap();
        let filter = |settings: &Settings| (settings.temperature, settings.top_k, settings.top_p);
        assert_eq!((model, settings.prompt.as_str()), (Which::Draft, "O"));
        assert_eq!(filter(&settings), (1.0, 0, 1.0));
        let (_, settings) = read(json!({ "temperature": 0.5, "top_k": 3, "top_p": 0.9 })).unwrap();
        assert_eq!(filter(&settings), (0.5, 3, 0.9));
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
        assert_eq!(refused(json!({ "gamma": 99, "auto_gamma": "x" })), None);
    }
}
