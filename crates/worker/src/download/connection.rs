//! One request and the bytes that come back.

use futures_util::future::{Either, select};
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, Request, RequestCache, RequestInit,
    Response,
};

use crate::scope;

/// A connection over which nothing has come for so long is as good as broken.
const SILENCE_MS: u32 = 20_000;
/// How often to look whether anybody still waits.
const LOOK_UP_MS: u32 = 200;

/// An answered request. Dropping it ends the transfer.
pub(super) struct Connection {
    /// The status of the answer.
    pub(super) status: u16,
    /// The header of that name.
    pub(super) content_range: Option<String>,
    reader: Option<ReadableStreamDefaultReader>,
    abort: AbortController,
}

impl Connection {
    /// Asks for the bytes of a file from `from` on.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in a few words.
    pub(super) async fn open(
        address: &str,
        cache: RequestCache,
        from: usize,
        gave_up: &impl Fn() -> bool,
    ) -> Result<Self, String> {
        let words = |error: JsValue| words(&error);
        let abort = AbortController::new().map_err(words)?;
        let options = RequestInit::new();
        options.set_cache(cache);
        options.set_signal(Some(&abort.signal()));
        if from > 0 {
            let headers = Headers::new().map_err(words)?;
            headers
                .set("Range", &format!("bytes={from}-"))
                .map_err(words)?;
            options.set_headers(&headers);
        }
        let request = Request::new_with_str_and_init(address, &options).map_err(words)?;
        let response = within(scope::scope().fetch_with_request(&request), gave_up)
            .await
            .inspect_err(|_| abort.abort())?;
        let response: Response = response.unchecked_into();
        Ok(Self {
            status: response.status(),
            content_range: response.headers().get("Content-Range").ok().flatten(),
            reader: response
                .body()
                .map(|body| body.get_reader().unchecked_into()),
            abort,
        })
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// Why nothing more comes, in a few words.
    pub(super) async fn next(
        &self,
        gave_up: &impl Fn() -> bool,
    ) -> Result<Option<Uint8Array>, String> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let piece = within(reader.read(), gave_up).await?;
        let get = |name: &str| Reflect::get(&piece, &JsValue::from_str(name)).ok();
        if get("done").is_some_and(|done| done.is_truthy()) {
            return Ok(None);
        }
        Ok(get("value").and_then(|value| value.dyn_into().ok()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

/// Waits for a promise, but not for ever, and no longer than anybody cares.
async fn within(promise: Promise, gave_up: &impl Fn() -> bool) -> Result<JsValue, String> {
    // The same future all along: a promise that is left alone would count as a fault when it fails.
    let mut answer = JsFuture::from(promise);
    let mut silent = 0;
    loop {
        match select(&mut answer, scope::sleep(LOOK_UP_MS)).await {
            Either::Left((answer, _)) => return answer.map_err(|error| words(&error)),
            Either::Right(_) => silent += LOOK_UP_MS,
        }
        if silent >= SILENCE_MS || gave_up() {
            return Err("nothing came any more".to_owned());
        }
    }
}

/// What an exception says.
fn words(error: &JsValue) -> String {
    let message = Reflect::get(error, &JsValue::from_str("message")).ok();
    message
        .and_then(|message| message.as_string())
        .or_else(|| error.as_string())
        .unwrap_or_else(|| "no reason given".to_owned())
}
