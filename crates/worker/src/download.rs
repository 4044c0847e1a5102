//! Files of the pairs.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Request, RequestCache, RequestInit, Response};

use crate::scope;

/// Fetches a file below `pairs/`, reporting each piece's size. With `fresh`, caches are passed
/// by.
///
/// # Errors
///
/// A sentence that names the file.
pub(crate) async fn fetch(
    path: &str,
    fresh: bool,
    mut received: impl FnMut(usize),
) -> Result<Vec<u8>, String> {
    let failed = |why: String| {
        format!("{path} could not be downloaded ({why}). Check the connection and try again.")
    };
    let options = RequestInit::new();
    options.set_cache(if fresh {
        RequestCache::Reload
    } else {
        RequestCache::Default
    });
    let address = scope::address(&format!("pairs/{path}"));
    let request = Request::new_with_str_and_init(&address, &options)
        .map_err(|error| failed(message(&error)))?;
    let response = JsFuture::from(scope::scope().fetch_with_request(&request))
        .await
        .map_err(|error| failed(message(&error)))?;
    let response: Response = response.unchecked_into();
    if !response.ok() {
        return Err(failed(format!("the server answered {}", response.status())));
    }
    let Some(body) = response.body() else {
        return Err(failed("the answer was empty".to_owned()));
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let piece = JsFuture::from(reader.read())
            .await
            .map_err(|error| failed(message(&error)))?;
        let done =
            Reflect::get(&piece, &JsValue::from_str("done")).is_ok_and(|done| done.is_truthy());
        if done {
            return Ok(bytes);
        }
        if let Ok(value) = Reflect::get(&piece, &JsValue::from_str("value")) {
            let value: Uint8Array = value.unchecked_into();
            received(value.length() as usize);
            bytes.extend(value.to_vec());
        }
    }
}

fn message(error: &JsValue) -> String {
    Reflect::get(error, &JsValue::from_str("message"))
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| "no reason given".to_owned())
}
