//! `window.couplet`: what the page does by hand, a script can do by call. See `web/API.md`.

use couplet_protocol::{Command, Failure, Reply, Settings, Which};
use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::couplings;
use crate::engine_client::EngineClient;
use crate::store::{Store, is_end};

/// What went wrong with a call: the argument, if it is one's fault, and a sentence.
struct Refusal {
    field: Option<String>,
    sentence: String,
}

impl Refusal {
    fn of(field: &str, sentence: impl Into<String>) -> Self {
        Self {
            field: Some(field.to_owned()),
            sentence: sentence.into(),
        }
    }

    fn error(&self) -> JsValue {
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

/// Puts `couplet` into the window.
pub fn install(store: Store) {
    let api = Object::new();
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&api, &name.into(), value);
    };
    set("version", &couplet_protocol::VERSION.into());
    set("ready", &call(move |_, settle| ready(store, settle)));
    set("pairs", &call(move |_, settle| pairs(store.engine, settle)));
    set(
        "generate",
        &call(move |options, settle| generate(store, options, settle)),
    );
    set(
        "distribution",
        &call(move |options, settle| distribution(store.engine, options, settle)),
    );
    set(
        "measure",
        &call(move |options, settle| measure(store, options, settle)),
    );
    set(
        "couple",
        &call(move |options, settle| couple(store.engine, &options, settle)),
    );
    let trace = Closure::<dyn Fn() -> JsValue>::new(move || {
        store.trace().map_or(JsValue::NULL, |trace| to_js(&trace))
    });
    set("trace", &trace.into_js_value());
    let _ = Reflect::set(&window(), &"couplet".into(), &api);
}

/// Settles a promise once.
struct Settle {
    resolve: Function,
    reject: Function,
}

impl Settle {
    fn resolve(&self, value: &JsValue) {
        let _ = self.resolve.call1(&JsValue::NULL, value);
    }

    fn reject(&self, refusal: &Refusal) {
        let _ = self.reject.call1(&JsValue::NULL, &refusal.error());
    }
}

fn call(act: impl Fn(Map<String, Value>, Settle) + 'static) -> JsValue {
    Closure::<dyn Fn(JsValue) -> Promise>::new(move |options: JsValue| {
        Promise::new(&mut |resolve, reject| {
            let settle = Settle { resolve, reject };
            match read_options(&options) {
                Ok(options) => act(options, settle),
                Err(refusal) => settle.reject(&refusal),
            }
        })
    })
    .into_js_value()
}

fn read_options(options: &JsValue) -> Result<Map<String, Value>, Refusal> {
    if options.is_undefined() || options.is_null() {
        return Ok(Map::new());
    }
    let wrong = || Refusal::of("options", "must be an object of plain values");
    let text = js_sys::JSON::stringify(options)
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(wrong)?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(wrong()),
    }
}

/// The settings in options; without a prompt of their own they get the one that suits the pair.
fn settings_of(store: Store, options: &Map<String, Value>) -> Result<Settings, Refusal> {
    let mut settings = read_settings(options)?;
    if !options.contains_key("prompt")
        && let Some(prompt) = store.prompt_of(&settings.pair)
    {
        settings.prompt = prompt;
    }
    Ok(settings)
}

/// Settings from options; each option is tried by itself, so that the one at fault can be named.
fn read_settings(options: &Map<String, Value>) -> Result<Settings, Refusal> {
    for (name, value) in options {
        let one: Map<String, Value> = std::iter::once((name.clone(), value.clone())).collect();
        if let Err(error) = serde_json::from_value::<Settings>(Value::Object(one)) {
            let reason = error.to_string();
            let sentence = if reason.starts_with("unknown field") {
                "there is no such option".to_owned()
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

fn to_js(value: &impl Serialize) -> JsValue {
    serde_json::to_string(value)
        .ok()
        .and_then(|text| js_sys::JSON::parse(&text).ok())
        .unwrap_or(JsValue::NULL)
}

fn ready(store: Store, settle: Settle) {
    let engine = store.engine;
    engine.when_ready(move |result| match result {
        Ok(()) => {
            let pair = engine.pair.get_untracked();
            let device = engine.device.get_untracked();
            settle.resolve(&to_js(
                &json!({ "pair": pair.as_deref(), "device": device }),
            ));
        }
        Err(failure) => settle.reject(&Refusal::from(&failure)),
    });
}

fn pairs(engine: EngineClient, settle: Settle) {
    engine.request(
        |id| Command::Pairs { id },
        move |reply| match reply {
            Reply::Pairs { pairs, .. } => settle.resolve(&to_js(pairs)),
            Reply::Failed { failure, .. } => settle.reject(&failure.into()),
            _ => {}
        },
    );
}

fn generate(store: Store, options: Map<String, Value>, settle: Settle) {
    let settings = match settings_of(store, &options) {
        Ok(settings) => settings,
        Err(refusal) => return settle.reject(&refusal),
    };
    store.form.write(&settings);
    store.write(settings, move |reply| {
        if let Reply::Failed { failure, .. } = reply {
            settle.reject(&failure.into());
        } else if is_end(reply) {
            store.playhead.end();
            settle.resolve(&store.trace().map_or(JsValue::NULL, |trace| to_js(&trace)));
        }
    });
}

fn measure(store: Store, mut options: Map<String, Value>, settle: Settle) {
    let pairs = match options
        .remove("pairs")
        .map(|pairs| pairs.as_u64().and_then(|pairs| u32::try_from(pairs).ok()))
    {
        None => 5,
        Some(Some(pairs @ 5..=50)) => pairs,
        Some(_) => {
            return settle.reject(&Refusal::of("pairs", "must be a whole number, 5 to 50"));
        }
    };
    let settings = match settings_of(store, &options) {
        Ok(settings) => settings,
        Err(refusal) => return settle.reject(&refusal),
    };
    store.measure_with(settings, pairs, move |reply| match reply {
        Reply::Measured { measurement, .. } => settle.resolve(&to_js(measurement)),
        Reply::Failed { failure, .. } => settle.reject(&failure.into()),
        _ => {}
    });
}

fn couple(engine: EngineClient, options: &Map<String, Value>, settle: Settle) {
    let request = match couplings::read(options) {
        Ok(request) => request,
        Err((field, sentence)) => return settle.reject(&Refusal::of(&field, sentence)),
    };
    let tokens = request.draft.len();
    engine.request_aside(
        |id| Command::Couple { id, request },
        move |reply| match reply {
            Reply::Coupled { coupled, .. } => {
                settle.resolve(&to_js(&couplings::answer(coupled, tokens)))
            }
            Reply::Failed { failure, .. } => settle.reject(&failure.into()),
            _ => {}
        },
    );
}

fn distribution(engine: EngineClient, options: Map<String, Value>, settle: Settle) {
    let (pair, model, text) = match read_distribution(&options) {
        Ok(asked) => asked,
        Err(refusal) => return settle.reject(&refusal),
    };
    let asked = pair.clone();
    engine.request_with_pair(
        &asked,
        |id| Command::Distribution {
            id,
            pair,
            model,
            text,
        },
        move |reply| match reply {
            Reply::Distribution { distribution, .. } => settle.resolve(&to_js(distribution)),
            Reply::Failed { failure, .. } => settle.reject(&failure.into()),
            _ => {}
        },
    );
}

fn read_distribution(options: &Map<String, Value>) -> Result<(String, Which, String), Refusal> {
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

    fn field(options: Value) -> Option<String> {
        let Value::Object(options) = options else {
            return None;
        };
        read_settings(&options)
            .err()
            .and_then(|refusal| refusal.field)
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
    fn a_distribution_needs_a_model_and_a_text() {
        let refused = |options: Value| match options {
            Value::Object(options) => read_distribution(&options)
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
}
