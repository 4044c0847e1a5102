//! The browser's Cache API. Private windows, full disks and pages without a secure origin have
//! none.

use js_sys::Reflect;
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
    let opened = scope::within(PATIENCE_MS, JsFuture::from(storage()?.open(name)));
    let cache = opened.await?.ok()?;
    Some(cache.unchecked_into())
}
