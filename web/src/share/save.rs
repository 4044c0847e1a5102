//! What a person takes away as a file.

use js_sys::{Array, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// How long a browser may take to begin with a download.
const KEPT_MS: u32 = 60_000;

/// Gives a person a text as a file.
pub fn save(name: &str, kind: &str, text: &str) {
    let Some(address) = address_of(kind, text) else {
        return;
    };
    save_address(name, &address);
    set_timeout(
        move || {
            let _ = web_sys::Url::revoke_object_url(&address);
        },
        std::time::Duration::from_millis(u64::from(KEPT_MS)),
    );
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
    let class: js_sys::Function = Reflect::get(&window(), &"Blob".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let options = Object::new();
    Reflect::set(
        &options,
        &"type".into(),
        &format!("{kind};charset=utf-8").into(),
    )
    .ok()?;
    let parts = Array::of1(&JsValue::from_str(text));
    let blob = Reflect::construct(&class, &Array::of2(&parts, &options)).ok()?;
    let url: JsValue = Reflect::get(&window(), &"URL".into()).ok()?;
    let create: js_sys::Function = Reflect::get(&url, &"createObjectURL".into())
        .ok()?
        .dyn_into()
        .ok()?;
    create.call1(&url, &blob).ok()?.as_string()
}
