//! `window.couplet`: what the page does by hand, a script can do by call. See `web/API.md`.

mod bridge;
mod options;

use couplet_protocol::{Command, Event, Failure, FailureKind, PairSummary, Reply, Trace};
use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::couplings::{self, Exhibit};
use crate::engine_client::{EngineClient, reply_id};
use crate::language;
use crate::proof::ProofState;
use crate::share::{self, Sharing};
use crate::store::{AskedBy, Scene, Store, is_end};
use options::Refusal;

/// Puts `couplet` into the window.
pub fn install(store: Store, exhibit: Exhibit, proof: ProofState, sharing: Sharing) {
    let api = Object::new();
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&api, &name.into(), value);
    };
    set("version", &couplet_protocol::VERSION.into());
    set("ready", &call(move |_, settle| ready(store, settle)));
    set("pairs", &call(move |_, settle| pairs(store.engine, settle)));
    let stops = StoredValue::new(0_u32);
    // What is stopped before the list of pairs is there has no number yet by which it could be.
    let stoppable = move |act: fn(Store, Map<String, Value>, Settle), stopped: fn() -> Failure| {
        call(move |options, settle| {
            let asked = stops.get_value();
            store.engine.when_pairs_are_known(move |_| {
                if stops.get_value() == asked {
                    act(store, options, settle);
                } else {
                    settle.reject(&Refusal::from(&stopped()));
                }
            });
        })
    };
    set("generate", &stoppable(generate, run_stopped));
    set("bench", &stoppable(bench, Failure::measurement_stopped));
    set(
        "distribution",
        &call(move |options, settle| {
            let engine = store.engine;
            engine.when_pairs_are_known(move |_| distribution(engine, options, settle));
        }),
    );
    let couples = StoredValue::new(Vec::new());
    set(
        "couple",
        &call(move |options, settle| couple(store.engine, couples, &options, settle)),
    );
    set(
        "replay",
        &Closure::<dyn Fn(JsValue) -> Promise>::new(move |trace: JsValue| {
            Promise::new(&mut |resolve, reject| replay(store, &trace, Settle { resolve, reject }))
        })
        .into_js_value(),
    );
    let link = Closure::<dyn Fn() -> JsValue>::new(move || {
        let link = untrack(|| share::short_link(sharing));
        link.map_or(JsValue::NULL, |link| link.into())
    });
    set("link", &link.into_js_value());
    let stop = Closure::<dyn Fn()>::new(move || {
        stops.update_value(|count| *count += 1);
        store.stop();
        store.stop_measuring();
        for id in couples.get_value() {
            store.engine.stop(id);
        }
        exhibit.stop_swap();
        proof.stop();
        // What is not stopped, a distribution say, may wait for an engine that is dead.
        store.engine.probe();
    });
    set("stop", &stop.into_js_value());
    let trace = Closure::<dyn Fn() -> JsValue>::new(move || {
        store.trace().map_or(JsValue::NULL, |trace| to_js(&trace))
    });
    set("trace", &trace.into_js_value());
    let _ = Reflect::set(&window(), &"couplet".into(), &api);
    if sharing.embed {
        bridge::listen(&api);
    }
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
            match options::plain(&options) {
                Ok(options) => act(options, settle),
                Err(refusal) => settle.reject(&refusal),
            }
        })
    })
    .into_js_value()
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
    engine.when_pairs_are_known(move |result| match result {
        Ok(()) => settle.resolve(&to_js(&engine.pairs.get_untracked())),
        Err(failure) => settle.reject(&Refusal::from(&failure)),
    });
}

/// Names of the pairs that the page has; none if nobody could say.
fn known_pairs(engine: EngineClient) -> Vec<String> {
    let name = |pair: &PairSummary| pair.name.clone();
    engine
        .pairs
        .with_untracked(|pairs| pairs.iter().map(name).collect())
}

fn generate(store: Store, mut options: Map<String, Value>, settle: Settle) {
    let branch = match options::branch(&mut options) {
        Ok(branch) => branch,
        Err(refusal) => return settle.reject(&refusal),
    };
    let settings = match options::settings(options, |name| store.prompt_of(name)) {
        Ok(settings) => settings,
        Err(refusal) => return settle.reject(&refusal),
    };
    if let Err(refusal) = options::check_pair(&settings.pair, &known_pairs(store.engine)) {
        return settle.reject(&refusal);
    }
    // Its own, whatever the page shows meanwhile.
    let mut trace = None::<Trace>;
    let mut version = None;
    let turn = store.turn();
    store.forget_link();
    store.write(settings.clone(), branch.clone(), move |reply| {
        if let Reply::Failed { failure, .. } = reply {
            return settle.reject(&failure.into());
        }
        let Reply::Events { events, .. } = reply else {
            return;
        };
        match &mut trace {
            Some(trace) => trace.events.extend_from_slice(events),
            None if matches!(events.first(), Some(Event::Started { .. })) => {
                trace = store.written_here(&settings, &branch, events);
                if store.turn() == turn {
                    version = Some(store.version_here());
                    if store.is_asked_last(reply) {
                        store.form.write(&settings);
                        store.message.set(None);
                    }
                }
            }
            None => {}
        }
        if is_end(reply) {
            match &trace {
                Some(trace) => {
                    // Unless somebody looks at another version, which stands where it was left.
                    if version == Some(store.version_here()) {
                        store.playhead.end();
                    }
                    settle.resolve(&to_js(trace));
                }
                None => settle.reject(&Refusal::from(&run_stopped())),
            }
        }
    });
}

fn run_stopped() -> Failure {
    let sentence = "The run was stopped before it began.";
    Failure::new(FailureKind::Stopped, sentence)
}

/// Shows a trace that a script passes, as an object or as the text of a file.
fn replay(store: Store, trace: &JsValue, settle: Settle) {
    if options::is_promise(trace) {
        return settle.reject(&Refusal::of("trace", options::PROMISE));
    }
    let is_json = options::is_plain(trace) || js_sys::Array::is_array(trace);
    let text = trace.as_string().or_else(|| {
        let text = js_sys::JSON::stringify(trace).ok().filter(|_| is_json)?;
        text.as_string()
    });
    let Some(text) = text else {
        return settle.reject(&Refusal::of("trace", "must be a trace, or the text of one"));
    };
    match language::in_english(|| share::read_trace(&text)) {
        Ok(trace) => {
            store.open_scene(Scene::Stage);
            store.replay(trace, Some("a script".to_owned()));
            store.playhead.end();
            settle.resolve(&store.trace().map_or(JsValue::NULL, |trace| to_js(&trace)));
        }
        Err(sentence) => settle.reject(&Refusal::of("trace", sentence)),
    }
}

fn bench(store: Store, options: Map<String, Value>, settle: Settle) {
    let request = match options::bench(options, |name| store.prompt_of(name)) {
        Ok(request) => request,
        Err(refusal) => return settle.reject(&refusal),
    };
    let pair = &request.settings.pair;
    if let Err(refusal) = options::check_pair(pair, &known_pairs(store.engine)) {
        return settle.reject(&refusal);
    }
    store.bench(request, AskedBy::Speed, move |reply| match reply {
        Reply::Benched { report, .. } => settle.resolve(&to_js(report)),
        Reply::Failed { failure, .. } => settle.reject(&failure.into()),
        _ => {}
    });
}

/// `couples` has the numbers of those that scripts wait for.
fn couple(
    engine: EngineClient,
    couples: StoredValue<Vec<u32>>,
    options: &Map<String, Value>,
    settle: Settle,
) {
    let request = match language::in_english(|| couplings::read(options)) {
        Ok(request) => request,
        Err((field, sentence)) => return settle.reject(&Refusal::of(&field, sentence)),
    };
    let (tokens, exact) = (request.draft.len(), couplings::exact(&request));
    let id = engine.request_aside(
        |id| Command::Couple { id, request },
        move |reply| {
            couples.update_value(|couples| couples.retain(|id| Some(*id) != reply_id(reply)));
            match reply {
                Reply::Coupled { coupled, .. } => {
                    settle.resolve(&to_js(&couplings::answer(coupled, tokens, &exact)));
                }
                Reply::Failed { failure, .. } => settle.reject(&failure.into()),
                _ => {}
            }
        },
    );
    couples.update_value(|couples| couples.push(id));
}

fn distribution(engine: EngineClient, options: Map<String, Value>, settle: Settle) {
    let (model, settings) = match options::distribution(options) {
        Ok(asked) => asked,
        Err(refusal) => return settle.reject(&refusal),
    };
    let pair = settings.pair.clone();
    if let Err(refusal) = options::check_pair(&pair, &known_pairs(engine)) {
        return settle.reject(&refusal);
    }
    engine.request_with_pair(
        &pair,
        |id| Command::Distribution {
            id,
            model,
            settings,
        },
        move |reply| match reply {
            Reply::Distribution { distribution, .. } => settle.resolve(&to_js(distribution)),
            Reply::Failed { failure, .. } => {
                // The engine reads a text as a prompt.
                let mut refusal = Refusal::from(failure);
                refusal.field = refusal.field.map(|field| match field.as_str() {
                    "prompt" => "text".to_owned(),
                    _ => field,
                });
                settle.reject(&refusal);
            }
            _ => {}
        },
    );
}
