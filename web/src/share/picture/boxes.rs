//! A part of the page that is made of text, boxes and charts, as one drawing: everything stands
//! where the browser put it.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{CssStyleDeclaration, DomRect, Element, Node};

use super::style;

/// Share of a line's height that lies above its base line, in the page's two fonts.
const ABOVE_SERIF: f64 = 0.756;
const ABOVE_SANS: f64 = 0.719;

/// What is there to be pressed or typed into.
const PRESSED: &str = ".button, .segments, .icon-button, .switch, input, select, textarea, details";

/// The drawing of an element, in pixels from its upper left corner.
pub fn draw(element: &Element) -> String {
    let area = element.get_bounding_client_rect();
    let mut text = String::new();
    add(element, &area, &mut text);
    text
}

fn add(element: &Element, area: &DomRect, text: &mut String) {
    let Ok(Some(computed)) = window().get_computed_style(element) else {
        return;
    };
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let rect = element.get_bounding_client_rect();
    let unseen = rect.width() < 1.5 || rect.height() < 0.5;
    if value("display") == "none"
        || value("visibility") == "hidden"
        || unseen && value("overflow") == "hidden"
    {
        return;
    }
    let (x, y) = (rect.x() - area.x(), rect.y() - area.y());
    if element.tag_name().eq_ignore_ascii_case("svg") {
        return text.push_str(&nested(element, [x, y, rect.width(), rect.height()]));
    }
    // What a person must press has no place on paper.
    if element.matches(PRESSED).unwrap_or(false) {
        return;
    }
    let opacity = value("opacity");
    let faded = opacity.parse::<f64>().is_ok_and(|opacity| opacity < 1.0);
    if faded {
        text.push_str(&format!("<g opacity=\"{opacity}\">"));
    }
    text.push_str(&frame(&computed, [x, y, rect.width(), rect.height()]));
    let mut next = element.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        match child.dyn_ref::<Element>() {
            Some(inner) => add(inner, area, text),
            None if child.node_type() == Node::TEXT_NODE => {
                text.push_str(&words(&child, &computed, area));
            }
            None => {}
        }
    }
    if faded {
        text.push_str("</g>");
    }
}

/// A chart inside the element.
fn nested(original: &Element, [x, y, width, height]: [f64; 4]) -> String {
    let Some(copy) = original
        .clone_node_with_deep(true)
        .ok()
        .and_then(|copy| copy.dyn_into::<Element>().ok())
    else {
        return String::new();
    };
    style(original, &copy);
    let size = [("x", x), ("y", y), ("width", width), ("height", height)];
    for (name, value) in size {
        let _ = copy.set_attribute(name, &format!("{value:.1}"));
    }
    let _ = copy.set_attribute("overflow", "visible");
    copy.outer_html()
}

/// The ground and the border of a box.
fn frame(computed: &CssStyleDeclaration, [x, y, width, height]: [f64; 4]) -> String {
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let number = |name: &str| {
        value(name)
            .trim_end_matches("px")
            .parse::<f64>()
            .unwrap_or(0.0)
    };
    let mut text = String::new();
    let ground = value("background-color");
    let radius = number("border-top-left-radius").min(height / 2.0);
    if !is_clear(&ground) {
        text.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\" fill=\"{ground}\"/>"
        ));
    }
    let sides = [
        ("top", [x, y, x + width, y]),
        ("right", [x + width, y, x + width, y + height]),
        ("bottom", [x, y + height, x + width, y + height]),
        ("left", [x, y, x, y + height]),
    ];
    for (side, [x1, y1, x2, y2]) in sides {
        let (thick, kind) = (
            number(&format!("border-{side}-width")),
            value(&format!("border-{side}-style")),
        );
        let colour = value(&format!("border-{side}-color"));
        if thick > 0.0 && kind != "none" && !is_clear(&colour) {
            let dashes = if kind == "dashed" || kind == "dotted" {
                " stroke-dasharray=\"4 3\""
            } else {
                ""
            };
            text.push_str(&format!(
                "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{colour}\" stroke-width=\"{thick}\"{dashes}/>"
            ));
        }
    }
    text
}

fn is_clear(colour: &str) -> bool {
    colour.is_empty()
        || colour == "transparent"
        || colour.ends_with(", 0)")
        || colour.ends_with("/ 0)")
}

/// The words of a text node, line by line.
fn words(node: &Node, computed: &CssStyleDeclaration, area: &DomRect) -> String {
    let content = node.text_content().unwrap_or_default();
    if content.trim().is_empty() {
        return String::new();
    }
    let Some(range) = call(&document(), "createRange", &[]) else {
        return String::new();
    };
    let mut lines: Vec<(DomRect, String)> = Vec::new();
    for (from, to, word) in pieces(&content) {
        let offset = |place: usize| JsValue::from_f64(place as f64);
        let placed = call(&range, "setStart", &[node.into(), offset(from)])
            .and_then(|_| call(&range, "setEnd", &[node.into(), offset(to)]))
            .and_then(|_| call(&range, "getBoundingClientRect", &[]))
            .and_then(|rect| rect.dyn_into::<DomRect>().ok());
        let Some(rect) = placed.filter(|rect| rect.width() > 0.0) else {
            continue;
        };
        match lines.last_mut() {
            Some((first, line)) if (first.y() - rect.y()).abs() < 2.0 => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push((rect, word)),
        }
    }
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let family = value("font-family").replace('"', "'");
    let above = if family.contains("Serif") {
        ABOVE_SERIF
    } else {
        ABOVE_SANS
    };
    let line_through = if value("text-decoration-line").contains("line-through") {
        " text-decoration=\"line-through\""
    } else {
        ""
    };
    lines
        .iter()
        .map(|(rect, line)| {
            format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\" font-family=\"{family}\" font-size=\"{}\" font-weight=\"{}\" font-style=\"{}\"{line_through}>{}</text>",
                rect.x() - area.x(),
                rect.y() - area.y() + rect.height() * above,
                value("color"),
                value("font-size"),
                value("font-weight"),
                value("font-style"),
                escaped(line)
            )
        })
        .collect()
}

/// The words of a text with their places, counted as the browser counts.
fn pieces(content: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let (mut at, mut start, mut word) = (0, 0, String::new());
    for letter in content.chars() {
        if letter.is_whitespace() && letter != '\u{a0}' {
            if !word.is_empty() {
                found.push((start, at, std::mem::take(&mut word)));
            }
        } else {
            if word.is_empty() {
                start = at;
            }
            word.push(letter);
        }
        at += letter.len_utf16();
    }
    if !word.is_empty() {
        found.push((start, at, word));
    }
    found
}

/// Text between tags or in an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let method: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
    let list: js_sys::Array = arguments.iter().collect();
    method.apply(object, &list).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_the_browser_counts() {
        let found = pieces(" a 🖋b\n c");
        let expected = [(1, 2, "a"), (3, 6, "🖋b"), (8, 9, "c")];
        let expected = expected.map(|(from, to, word)| (from, to, word.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn signs_of_markup_stay_text() {
        assert_eq!(escaped("u < 1 & \"x\""), "u &lt; 1 &amp; &quot;x&quot;");
    }
}
