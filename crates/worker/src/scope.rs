//! What the worker needs of its global scope.

use std::pin::pin;

use couplet_kernels::Device;
use couplet_protocol::Reply;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::DedicatedWorkerGlobalScope;

/// The global scope.
pub(crate) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Whether the page came in a way that nobody between could change: browsers keep WebGPU for such
/// pages.
pub(crate) fn is_secure() -> bool {
    scope().is_secure_context()
}

/// Sends a reply to the page.
pub(crate) fn post(reply: &Reply) {
    if let Ok(text) = serde_json::to_string(reply) {
        // Fails only when the page is gone.
        scope().post_message(&JsValue::from_str(&text)).ok();
    }
}

/// Milliseconds since the worker started.
pub(crate) fn now() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

/// Lets the worker receive messages.
pub(crate) fn breathe() -> TimeoutFuture {
    sleep(0)
}

/// Waits.
pub(crate) fn sleep(milliseconds: u32) -> TimeoutFuture {
    TimeoutFuture::new(milliseconds)
}

/// Waits, but no longer than anybody cares.
pub(crate) async fn sleep_unless(milliseconds: u32, gave_up: &impl Fn() -> bool) {
    let end = now() + f64::from(milliseconds);
    while !gave_up() && now() < end {
        sleep(milliseconds.min(100)).await;
    }
}

/// Milliseconds between looks at work that is being waited for.
const GLANCE: u32 = 5;

/// A timer that comes so much too late was held back with the page.
const OVERDUE_MS: f64 = 2_000.0;

/// Waits for something, but so many milliseconds at most: `None` then. A page that slept meanwhile, as
/// phones let those sleep that nobody looks at, gives it as many once more: it has slept too.
pub(crate) async fn within<T>(milliseconds: u32, work: impl Future<Output = T>) -> Option<T> {
    let due = Date::now() + f64::from(milliseconds);
    let mut work = pin!(work);
    if let Either::Left((result, _)) = select(work.as_mut(), sleep(milliseconds)).await {
        return Some(result);
    }
    if Date::now() <= due + OVERDUE_MS {
        return None;
    }
    match select(work, sleep(milliseconds)).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}

/// Waits for work on a device, but not when it is to be given up: `None` then. Meanwhile the
/// browser is reminded to look whether the device has finished something.
pub(crate) async fn attend<T>(
    device: &Device,
    given_up: impl Fn() -> bool,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = pin!(work);
    loop {
        if let Either::Left((result, _)) = select(work.as_mut(), sleep(GLANCE)).await {
            return Some(result);
        }
        if given_up() {
            return None;
        }
        device.nudge();
    }
}

/// Waits for work on a device that ends by itself, reminding the browser meanwhile.
pub(crate) async fn patiently<T>(device: &Device, work: impl Future<Output = T>) -> T {
    let done = attend(device, || false, work).await;
    done.expect("it is never given up")
}

/// An address relative to the folder that the worker was loaded from.
pub(crate) fn address(path: &str) -> String {
    let here = scope().location().href();
    let folder = here.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{path}")
}

/// What the browser calls itself, version included.
pub(crate) fn browser() -> String {
    scope().navigator().user_agent().unwrap_or_default()
}

/// What the browser tells of its GPU: "apple metal-3". Empty when it tells nothing; wgpu passes
/// on only the description, which browsers leave empty.
pub(crate) async fn gpu_name() -> String {
    let get = |object: &JsValue, name: &str| Reflect::get(object, &JsValue::from_str(name)).ok();
    let request = || -> Option<Promise> {
        let gpu = get(&scope().navigator(), "gpu")?;
        let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
        let options = Object::new();
        Reflect::set(
            &options,
            &"powerPreference".into(),
            &"high-performance".into(),
        )
        .ok()?;
        request.call1(&gpu, &options).ok()?.dyn_into().ok()
    };
    let Some(request) = request() else {
        return String::new();
    };
    let Ok(adapter) = JsFuture::from(request).await else {
        return String::new();
    };
    let Some(info) = get(&adapter, "info") else {
        return String::new();
    };
    let word = |name| {
        get(&info, name)
            .and_then(|word| word.as_string())
            .filter(|word| !word.is_empty())
    };
    match word("description") {
        Some(description) => description,
        None => ["vendor", "architecture"]
            .into_iter()
            .filter_map(word)
            .collect::<Vec<_>>()
            .join(" "),
    }
}
