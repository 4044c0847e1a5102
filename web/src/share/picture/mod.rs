//! A chart of the page as a drawing that stands by itself, and as a picture of it.

mod boxes;

use couplet_playback::tr;
use js_sys::Promise;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlImageElement};

use crate::browser;

/// What the page's style sheets decide about a chart.
const STYLES: [&str; 22] = [
    "display",
    "transform",
    "transform-origin",
    "transform-box",
    "visibility",
    "stroke-opacity",
    "font-style",
    "text-anchor",
    "dominant-baseline",
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

/// A font that drawings are set in.
struct Font {
    family: &'static str,
    address: &'static str,
    italic: bool,
    more: &'static str,
}

const fn font(
    family: &'static str,
    address: &'static str,
    italic: bool,
    more: &'static str,
) -> Font {
    Font {
        family,
        address,
        italic,
        more,
    }
}

const SANS: &str = "Source Sans 3";
const SERIF: &str = "Source Serif 4";
const GREEK: &str = "unicode-range:U+370-3FF;";
const FONTS: [Font; 6] = [
    font(
        SANS,
        "fonts/source-sans-3-latin-wght-normal.woff2",
        false,
        "",
    ),
    font(
        SANS,
        "fonts/source-sans-3-greek-500-normal.woff2",
        false,
        GREEK,
    ),
    font(
        SERIF,
        "fonts/source-serif-4-latin-wght-normal.woff2",
        false,
        "",
    ),
    font(
        SERIF,
        "fonts/source-serif-4-latin-400-italic.woff2",
        true,
        "",
    ),
    font(
        SERIF,
        "fonts/source-serif-4-greek-400-italic.woff2",
        false,
        GREEK,
    ),
    font(
        SERIF,
        "fonts/source-serif-4-greek-400-italic.woff2",
        true,
        GREEK,
    ),
];

/// Pixels of paper around what is drawn.
const MARGIN: f64 = 16.0;

/// The lines below a drawing that say where it comes from: size of their letters, distance, and about
/// what a letter takes, in pixels.
const ORIGIN: [f64; 3] = [12.0, 16.0, 6.0];

/// The longest side of a drawing, in pixels of the page.
const LARGEST: f64 = 10_000.0;

pub use boxes::escaped;

/// A drawing that needs nothing of the page.
pub struct Drawing {
    /// The SVG file.
    pub text: String,
    width: f64,
    height: f64,
}

/// A chart of the page, or a part of it that is more than one chart, with its styles and fonts
/// inside, and below it what its `data-origin` says, so that it can be cited by itself.
///
/// # Errors
///
/// A sentence for the person who wanted the file.
pub async fn standalone(original: &Element) -> Result<Drawing, String> {
    let gone = || tr!("The chart is not on the page any more.");
    let area = original.get_bounding_client_rect();
    let (width, height) = (area.width().ceil(), area.height().ceil());
    if width < 1.0 || height < 1.0 {
        return Err(gone());
    }
    if width > LARGEST || height > LARGEST {
        return Err(tr!(
            "The picture would be larger than most programs open. Save the run instead, or show less of it."
        ));
    }
    let mut content = boxes::draw(original);
    let root = document().document_element().ok_or_else(gone)?;
    let page = window().get_computed_style(&root).ok().flatten();
    let colour = |name: &str| {
        let value = page
            .as_ref()
            .and_then(|page| page.get_property_value(name).ok());
        value.unwrap_or_default().trim().to_owned()
    };
    let [size, distance, letter] = ORIGIN;
    let origin = original.get_attribute("data-origin").unwrap_or_default();
    let mut height = height;
    for line in lines(&origin, (width / letter) as usize) {
        height += distance;
        content.push_str(&format!(
            "<text y=\"{height}\" fill=\"{}\" font-family=\"'{SANS}', sans-serif\" font-size=\"{size}\">{}</text>",
            colour("--ink-2"),
            escaped(&line)
        ));
    }
    let (width, height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let mut fonts = String::new();
    for font in FONTS {
        if content.contains(font.family) && (!font.italic || content.contains("italic")) {
            fonts.push_str(&face(&font).await);
        }
    }
    // A face that could not be had leaves the text in the next font of its family.
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\
         <defs><style>{fonts}</style>\
         <pattern id=\"hatch\" width=\"4.2\" height=\"4.2\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <path d=\"M0 0V4.2\" stroke=\"{}\" stroke-width=\"1.5\"/></pattern></defs>\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/><g transform=\"translate({MARGIN} {MARGIN})\">{content}</g></svg>",
        colour("--draft"),
        colour("--sheet")
    );
    Ok(Drawing {
        text,
        width,
        height,
    })
}

/// A text in lines of at most so many letters, where no word has more.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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
async fn face(font: &Font) -> String {
    let Ok(bytes) = browser::fetch(font.address).await else {
        return String::new();
    };
    let binary: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let Ok(base) = window().btoa(&binary) else {
        return String::new();
    };
    let style = if font.italic {
        "font-style:italic;"
    } else {
        ""
    };
    let (family, more) = (font.family, font.more);
    format!(
        "@font-face{{font-family:'{family}';font-weight:200 900;{style}{more}src:url(data:font/woff2;base64,{base}) format('woff2');}}"
    )
}

/// Longest side of a picture in pixels.
const LONGEST_SIDE: f64 = 8_000.0;

/// Most pixels of a picture: phones draw 16,777,216.
const MOST_PIXELS: f64 = 16e6;

/// A drawing as the address of a PNG, with so many pixels for each of the page.
///
/// # Errors
///
/// A sentence for the person who wanted the file.
pub async fn png(drawing: &Drawing, scale: f64) -> Result<String, String> {
    let failed =
        |_: JsValue| tr!("This browser would not draw the picture; the SVG holds the same.");
    let image = HtmlImageElement::new().map_err(failed)?;
    // A canvas has its limits; a large figure gets fewer pixels for each of the page.
    let scale = scale
        .min(LONGEST_SIDE / drawing.width.max(drawing.height))
        .min((MOST_PIXELS / (drawing.width * drawing.height)).sqrt());
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
    let context: CanvasRenderingContext2d =
        context.dyn_into().map_err(|_| failed(JsValue::NULL))?;
    let (width, height) = (canvas.width().into(), canvas.height().into());
    context
        .draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)
        .map_err(failed)?;
    let address = canvas.to_data_url().map_err(failed)?;
    // A canvas that is too large after all gives an empty file and no error.
    match address.starts_with("data:image/png") {
        true => Ok(address),
        false => Err(failed(JsValue::NULL)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_picture_comes_from_is_said_in_lines_that_fit() {
        assert_eq!(lines("13 pairs; seed 7", 20), ["13 pairs; seed 7"]);
        assert_eq!(lines("13 pairs; seed 7", 10), ["13 pairs;", "seed 7"]);
        assert_eq!(lines("0123456789abcdef x", 4), ["0123456789abcdef", "x"]);
        assert!(lines("", 10).is_empty());
    }
}
