//! A chart of the page as a drawing that stands by itself, and as a picture of it.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlCanvasElement, HtmlImageElement, Response};

/// What the page's style sheets decide about a chart.
const STYLES: [&str; 13] = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "paint-order",
    "font-family",
    "font-size",
    "font-weight",
    "font-variant-numeric",
];

/// The font of the charts' text.
const FONT: &str = "fonts/source-sans-3-latin-wght-normal.woff2";
const GREEK: &str = "fonts/source-sans-3-greek-wght-normal.woff2";

/// A drawing that needs nothing of the page.
pub struct Drawing {
    /// The SVG file.
    pub text: String,
    width: f64,
    height: f64,
}

/// The chart with this id, its styles and font inside.
///
/// # Errors
///
/// A sentence for the person who wanted the file.
pub async fn standalone(id: &str) -> Result<Drawing, String> {
    let gone = || "The chart is not on the page any more.".to_owned();
    let original = document().get_element_by_id(id).ok_or_else(gone)?;
    let copy: Element = original
        .clone_node_with_deep(true)
        .ok()
        .and_then(|copy| copy.dyn_into().ok())
        .ok_or_else(gone)?;
    style(&original, &copy);
    let size = |name: &str| {
        let text = original.get_attribute(name);
        text.and_then(|text| text.parse::<f64>().ok())
            .filter(|size| (1.0..=10_000.0).contains(size))
            .ok_or_else(gone)
    };
    let (width, height) = (size("width")?, size("height")?);
    let _ = copy.set_attribute("xmlns", "http://www.w3.org/2000/svg");
    let _ = copy.remove_attribute("id");
    let background = window()
        .get_computed_style(&document().document_element().ok_or_else(gone)?)
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value("--sheet").ok())
        .unwrap_or_default();
    let fonts = format!(
        "{}{}",
        face(FONT, "").await,
        face(GREEK, "unicode-range:U+370-3FF;").await
    );
    // A face that could not be had leaves the text in the next font of its family.
    let before = format!(
        "<defs><style>{fonts}</style></defs><rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
        background.trim()
    );
    copy.insert_adjacent_html("afterbegin", &before)
        .map_err(|_| gone())?;
    Ok(Drawing {
        text: copy.outer_html(),
        width,
        height,
    })
}

/// Copies what the style sheets decide from one tree to its copy.
fn style(original: &Element, copy: &Element) {
    if let Ok(Some(computed)) = window().get_computed_style(original) {
        let text: String = STYLES
            .iter()
            .filter_map(|name| {
                let value = computed.get_property_value(name).ok()?;
                (!value.is_empty()).then(|| format!("{name}:{};", value.replace('"', "'")))
            })
            .collect();
        let _ = copy.set_attribute("style", &text);
    }
    let _ = copy.remove_attribute("class");
    let (from, to) = (original.children(), copy.children());
    for index in 0..from.length().min(to.length()) {
        if let (Some(from), Some(to)) = (from.item(index), to.item(index)) {
            style(&from, &to);
        }
    }
}

/// A font as part of a style sheet; empty where it cannot be had.
async fn face(address: &str, more: &str) -> String {
    let Some(bytes) = fetch(address).await else {
        return String::new();
    };
    let binary: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let Ok(base) = window().btoa(&binary) else {
        return String::new();
    };
    format!(
        "@font-face{{font-family:'Source Sans 3';font-weight:200 900;{more}src:url(data:font/woff2;base64,{base}) format('woff2');}}"
    )
}

async fn fetch(address: &str) -> Option<Vec<u8>> {
    let answer = JsFuture::from(window().fetch_with_str(address))
        .await
        .ok()?;
    let answer: Response = answer.dyn_into().ok()?;
    if !answer.ok() {
        return None;
    }
    let buffer = JsFuture::from(answer.array_buffer().ok()?).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// A drawing as the address of a PNG, with so many pixels for each of the page.
///
/// # Errors
///
/// A sentence for the person who wanted the file.
pub async fn png(drawing: &Drawing, scale: f64) -> Result<String, String> {
    let failed =
        |_: JsValue| "This browser would not draw the picture; the SVG holds the same.".to_owned();
    let image = HtmlImageElement::new().map_err(failed)?;
    let text = String::from(js_sys::encode_uri_component(&drawing.text));
    let loaded = Promise::new(&mut |resolve, reject| {
        image.set_onload(Some(&resolve));
        image.set_onerror(Some(&reject));
    });
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{text}"));
    JsFuture::from(loaded).await.map_err(failed)?;
    let canvas: HtmlCanvasElement = document()
        .create_element("canvas")
        .map_err(failed)?
        .dyn_into()
        .map_err(|_| failed(JsValue::NULL))?;
    canvas.set_width((drawing.width * scale).round() as u32);
    canvas.set_height((drawing.height * scale).round() as u32);
    let context = canvas
        .get_context("2d")
        .map_err(failed)?
        .ok_or_else(|| failed(JsValue::NULL))?;
    let draw: Function = Reflect::get(&context, &"drawImage".into())
        .map_err(failed)?
        .dyn_into()
        .map_err(failed)?;
    let place = Array::of5(
        &image,
        &0.into(),
        &0.into(),
        &canvas.width().into(),
        &canvas.height().into(),
    );
    draw.apply(&context, &place).map_err(failed)?;
    canvas.to_data_url().map_err(failed)
}
