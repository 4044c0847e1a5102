//! The browser's Cache API. Private windows, full disks and pages without a secure origin have
//! none.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage};

use crate::scope;

/// A disk that answers later than this, in milliseconds, keeps nothing.
const PATIENCE_MS: u32 = 10_000;

/// All caches of this origin, where there are any.
pub(crate) fn storage() -> Option<CacheStorage> {
    // Absent where the origin is not secure: looked up by name, since the typed access would
    // take an absent object for one.
    let caches = Reflect::get(&scope::scope(), &JsValue::from_str("caches")).ok()?;
    caches.is_object().then(|| caches.unchecked_into())
}

/// The cache of a name, made anew if need be.
pub(crate) async fn open(name: &str) -> Option<Cache> {
    let cache = answer(storage()?.open(name)).await?;
    Some(cache.unchecked_into())
}

/// What a cache says; nothing where it fails, or is not heard in time: a disk may hang, and what waits
/// for the models can do without it.
pub(crate) async fn answer(promise: Promise) -> Option<JsValue> {
    soon(JsFuture::from(promise)).await?.ok()
}

/// What comes of work on a disk, if that comes in time.
pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> Option<T> {
    scope::within(PATIENCE_MS, work).await
}
