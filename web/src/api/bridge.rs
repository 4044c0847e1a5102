//! The same calls for a page of another origin that shows this one in a frame: it cannot reach the
//! frame's `couplet`, but it can send it messages. That lets it read what is typed there, so only a
//! page that was opened to be embedded listens. See `web/API.md`.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Window};

/// What of an `Error` arrives: the browser would copy only its message.
const TOLD: [&str; 4] = ["name", "message", "field", "code"];

/// Answers the page around, where there is one, and says that it does.
pub fn listen(api: &Object) {
    let Ok(Some(around)) = window().parent() else {
        return;
    };
    if Object::is(&around, &window()) {
        return;
    }
    let hello = object([
        ("couplet", "started".into()),
        ("version", couplet_protocol::VERSION.into()),
    ]);
    send(&around, &hello, "*");
    let api = api.clone();
    // For as long as the page is there.
    let _ = window_event_listener(ev::message, move |event: MessageEvent| {
        let from_around = event
            .source()
            .is_some_and(|from| Object::is(&from, &around));
        let asked = event.data();
        let part = |key: &str| Reflect::get(&asked, &key.into()).unwrap_or_default();
        let (name, id) = (part("couplet"), part("id"));
        if !from_around || !name.is_string() {
            return;
        }
        let answered = answer(&api, &name, &part("argument"));
        let around = around.clone();
        spawn_local(async move {
            let (key, value) = match answered {
                Ok(promise) => match JsFuture::from(promise).await {
                    Ok(result) => ("result", result),
                    Err(error) => ("error", told(&error)),
                },
                Err(error) => ("error", told(&error)),
            };
            // A page that is a file, say, has no origin that a message could name.
            let origin = event.origin();
            let origin = if origin.starts_with("http") {
                &origin
            } else {
                "*"
            };
            let answer = object([("couplet", name), ("id", id), (key, value)]);
            send(&around, &answer, origin);
        });
    });
}

/// Calls what has this name.
fn answer(api: &Object, name: &JsValue, argument: &JsValue) -> Result<Promise, JsValue> {
    let call = Reflect::get(api, name)?.dyn_into::<Function>();
    let own = Object::has_own(api, name);
    let call = call.ok().filter(|_| own).ok_or_else(|| {
        let name = name.as_string().unwrap_or_default();
        js_sys::Error::new(&format!("couplet: there is no call “{name}”"))
    })?;
    Ok(Promise::resolve(&call.call1(&JsValue::NULL, argument)?))
}

/// What is known of an error.
fn told(error: &JsValue) -> JsValue {
    object(TOLD.map(|key| (key, Reflect::get(error, &key.into()).unwrap_or_default()))).into()
}

fn object<const N: usize>(parts: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (key, value) in parts {
        let _ = Reflect::set(&object, &key.into(), &value);
    }
    object
}

fn send(to: &Window, message: &Object, origin: &str) {
    let _ = to.post_message(message, origin);
}
