//! What a person takes away as a file.

use gloo_timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Url};

/// How long a browser may take to begin with a download.
const KEPT_MS: u32 = 60_000;

/// Gives a person a text as a file.
pub fn save(name: &str, kind: &str, text: &str) {
    let Some(address) = address_of(kind, text) else {
        return;
    };
    save_address(name, &address);
    Timeout::new(KEPT_MS, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
}

/// Gives a person what an address holds as a file.
pub fn save_address(name: &str, address: &str) {
    let link = document()
        .create_element("a")
        .ok()
        .and_then(|link| link.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(link) = link {
        let _ = link.set_attribute("href", address);
        let _ = link.set_attribute("download", name);
        link.click();
    }
}

/// An address of this visit that holds a text.
fn address_of(kind: &str, text: &str) -> Option<String> {
    let options = BlobPropertyBag::new();
    options.set_type(&format!("{kind};charset=utf-8"));
    let parts = Array::of1(&JsValue::from_str(text));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
    Url::create_object_url_with_blob(&blob).ok()
}
