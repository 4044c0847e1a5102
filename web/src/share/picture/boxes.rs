//! A part of the page that is made of text, boxes and charts, as one drawing: everything stands
//! where the browser put it.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{CssStyleDeclaration, DomRect, Element, Node, XmlSerializer};

use super::style;

/// Share of a line's height that lies above its base line, in the page's two fonts.
const ABOVE_SERIF: f64 = 0.756;
const ABOVE_SANS: f64 = 0.719;

/// What is there to be pressed or typed into, and what says so.
const PRESSED: &str = ".button, .segments, .icon-button, .switch, .race-controls, input, select, textarea, details, .offer";

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
    // What runs on from line to line has a ground on each of them.
    if value("display") == "inline" {
        for line in line_boxes(element) {
            let place = [line.x() - area.x(), line.y() - area.y()];
            text.push_str(&frame(
                &computed,
                [place[0], place[1], line.width(), line.height()],
            ));
        }
    } else {
        text.push_str(&frame(&computed, [x, y, rect.width(), rect.height()]));
    }
    // What is scrolled out of sight is not in the drawing either; what is in it keeps its places.
    let is_cut = is_scrolled(element, &value("overflow-x"));
    if is_cut {
        let [width, height] = [rect.width(), rect.height()];
        text.push_str(&format!(
            "<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" viewBox=\"{x:.1} {y:.1} {width:.1} {height:.1}\" overflow=\"hidden\">"
        ));
    }
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
    if is_cut {
        text.push_str("</svg>");
    }
    for side in ["::before", "::after"] {
        text.push_str(&stroke(element, side, [x, y]));
    }
    if faded {
        text.push_str("</g>");
    }
}

/// Whether an element shows a part of what is in it.
fn is_scrolled(element: &Element, overflow: &str) -> bool {
    let is_larger = element.scroll_width() > element.client_width()
        || element.scroll_height() > element.client_height();
    ["auto", "scroll"].contains(&overflow) && is_larger
}

/// The boxes of an element that is part of a line, one for each line.
fn line_boxes(element: &Element) -> Vec<DomRect> {
    let list = element.get_client_rects();
    (0..list.length()).filter_map(|at| list.get(at)).collect()
}

/// The line that a style sheet draws across an element: an empty box before or after its content,
/// of which only the upper border is seen.
fn stroke(element: &Element, side: &str, [x, y]: [f64; 2]) -> String {
    let computed = window().get_computed_style_with_pseudo_elt(element, side);
    let Ok(Some(computed)) = computed else {
        return String::new();
    };
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let number = |name: &str| pixels(&value(name));
    let (thick, colour) = (number("border-top-width"), value("border-top-color"));
    let is_line = value("content") == "\"\"" && value("position") == "absolute";
    if !is_line || thick <= 0.0 || is_clear(&colour) {
        return String::new();
    }
    let half = number("width") / 2.0;
    let (across, down) = (x + number("left") + half, y + number("top") + thick / 2.0);
    let turn = Some(value("transform")).filter(|turn| turn.starts_with("matrix("));
    format!(
        "<path d=\"M{:.1} 0H{half:.1}\" transform=\"translate({across:.1} {down:.1}) {}\" stroke=\"{colour}\" stroke-width=\"{thick}\"/>",
        -half,
        turn.unwrap_or_default()
    )
}

/// A computed length.
fn pixels(value: &str) -> f64 {
    value.trim_end_matches("px").parse().unwrap_or(0.0)
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
    // As HTML it would have names for letters that a drawing does not know.
    let xml = XmlSerializer::new().and_then(|xml| xml.serialize_to_string(&copy));
    // What leptos finds its way by.
    writable(&xml.unwrap_or_default()).replace("<!---->", "")
}

/// The ground and the border of a box.
fn frame(computed: &CssStyleDeclaration, [x, y, width, height]: [f64; 4]) -> String {
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let number = |name: &str| pixels(&value(name));
    let mut text = String::new();
    let ground = value("background-color");
    let radius = number("border-top-left-radius").min(height / 2.0);
    if !is_clear(&ground) {
        text.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\" fill=\"{ground}\"/>"
        ));
    }
    let place = [x, y, width, height];
    text.extend(hatching(&value("background-image"), place));
    // A line along the lower edge that takes no room.
    let (shadow, image, size) = (
        value("box-shadow"),
        value("background-image"),
        value("background-size"),
    );
    let line = lower_edge(&shadow).or_else(|| lower_image(&image, &size));
    if let Some((colour, thick)) = line {
        let down = y + height - thick / 2.0;
        let dashes = if image.starts_with("repeating") {
            format!(" stroke-dasharray=\"{thick} {thick}\"")
        } else {
            String::new()
        };
        text.push_str(&format!(
            "<path d=\"M{x:.1} {down:.1}H{:.1}\" stroke=\"{colour}\" stroke-width=\"{thick}\"{dashes}/>",
            x + width
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

/// Colour and width of a line that a shadow draws inside the lower edge of a box.
fn lower_edge(shadow: &str) -> Option<(&str, f64)> {
    let (colour, rest) = shadow.split_once(") 0px -")?;
    let (thick, rest) = rest.split_once("px ")?;
    let colour = &shadow[..=colour.len()];
    (rest == "0px 0px inset").then_some((colour, thick.parse().ok()?))
}

/// The same drawn by a picture as wide as the box and a few pixels high: its first colour.
fn lower_image<'a>(image: &'a str, size: &str) -> Option<(&'a str, f64)> {
    let thick = size.strip_prefix("100% ")?.strip_suffix("px")?;
    let colour = &image[image.find("rgb")?..];
    Some((&colour[..=colour.find(')')?], thick.parse().ok()?))
}

/// Whether a computed colour is not seen. In `rgb(191, 118, 0)` the last number is no opacity.
fn is_clear(colour: &str) -> bool {
    colour.is_empty()
        || colour == "transparent"
        || colour.starts_with("rgba(") && colour.ends_with(", 0)")
        || colour.ends_with("/ 0)")
}

/// Distance of the strokes of a hatching along an edge, and their width, as the style sheets have
/// them for the draft's key.
const HATCH: [f64; 2] = [5.66, 1.3];

/// A ground of slanted strokes with a border: the draft's key, which style sheets draw.
fn hatching(image: &str, [x, y, width, height]: [f64; 4]) -> Option<String> {
    let [stroke, ground] = hatch_colours(image)?;
    let [distance, thick] = HATCH;
    let strokes = ((width + height) / distance).ceil() as usize;
    let path: String = (0..strokes)
        .map(|index| {
            let from = (index as f64 + 0.16) * distance;
            format!("M{from:.1} 0l{:.1} {height:.1}", -height)
        })
        .collect();
    Some(format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{ground}\" stroke=\"{stroke}\"/>\
         <svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" overflow=\"hidden\"><path d=\"{path}\" stroke=\"{stroke}\" stroke-width=\"{thick}\"/></svg>"
    ))
}

/// The colours of the strokes and of the ground between them.
fn hatch_colours(image: &str) -> Option<[&str; 2]> {
    let stops = image.strip_prefix("repeating-linear-gradient(135deg, ")?;
    let mut colours = stops.match_indices("rgb").filter_map(|(at, _)| {
        let colour = &stops[at..];
        Some(&colour[..=colour.find(')')?])
    });
    let stroke = colours.next()?;
    Some([stroke, colours.last()?])
}

/// Words that stand on one line.
struct Line {
    first: DomRect,
    /// Where the last of them ends.
    end: f64,
    words: String,
}

/// The words of a text node, line by line, with what runs below them.
fn words(node: &Node, computed: &CssStyleDeclaration, area: &DomRect) -> String {
    let content = node.text_content().unwrap_or_default();
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let decoration = value("text-decoration-line");
    let under = underlining(node, computed);
    let underlined = under.is_some();
    let blank = content.trim().is_empty();
    if content.is_empty() || blank && !underlined {
        return String::new();
    }
    let Ok(range) = document().create_range() else {
        return String::new();
    };
    // A space is a token too, and has its line.
    let pieces = match blank {
        true => vec![(0, content.encode_utf16().count(), String::new())],
        false => pieces(&content),
    };
    let mut lines: Vec<Line> = Vec::new();
    for (from, to, word) in pieces {
        let placed = range
            .set_start(node, from as u32)
            .and_then(|()| range.set_end(node, to as u32));
        let rect = range.get_bounding_client_rect();
        if placed.is_err() || rect.width() <= 0.0 {
            continue;
        }
        match lines.last_mut() {
            Some(line) if (line.first.y() - rect.y()).abs() < 2.0 => {
                line.end = rect.right();
                line.words.push(' ');
                line.words.push_str(&word);
            }
            _ => lines.push(Line {
                end: rect.right(),
                first: rect,
                words: word,
            }),
        }
    }
    let family = value("font-family").replace('"', "'");
    let above = if family.contains("Serif") {
        ABOVE_SERIF
    } else {
        ABOVE_SANS
    };
    let line_through = if decoration.contains("line-through") {
        " text-decoration=\"line-through\""
    } else {
        ""
    };
    let mut text = String::new();
    for Line { first, end, words } in &lines {
        let x = first.x() - area.x();
        let base = first.y() - area.y() + first.height() * above;
        if let Some(computed) = &under {
            text.push_str(&underline(computed, x, end - area.x(), base));
        }
        if !words.is_empty() {
            text.push_str(&format!(
                "<text x=\"{x:.1}\" y=\"{base:.1}\" fill=\"{}\" font-family=\"{family}\" font-size=\"{}\" font-weight=\"{}\" font-style=\"{}\"{line_through}>{}</text>",
                value("color"),
                value("font-size"),
                value("font-weight"),
                value("font-style"),
                escaped(words)
            ));
        }
    }
    text
}

/// The styles of what draws a line below a text node: the element that it is in, or the one around
/// that where it is part of its line.
fn underlining(node: &Node, computed: &CssStyleDeclaration) -> Option<CssStyleDeclaration> {
    let value = |computed: &CssStyleDeclaration, name: &str| computed.get_property_value(name).ok();
    let is_underlined = |computed: &CssStyleDeclaration| {
        value(computed, "text-decoration-line").is_some_and(|line| line.contains("underline"))
    };
    if is_underlined(computed) {
        return Some(computed.clone());
    }
    let in_line =
        value(computed, "display")? == "inline" && value(computed, "position")? == "static";
    let around = node.parent_element()?.parent_element()?;
    let around = window().get_computed_style(&around).ok().flatten()?;
    (in_line && is_underlined(&around)).then_some(around)
}

/// The line below words that end there, as the style sheets want it.
fn underline(computed: &CssStyleDeclaration, from: f64, to: f64, base: f64) -> String {
    let value = |name: &str| computed.get_property_value(name).unwrap_or_default();
    let thick = match pixels(&value("text-decoration-thickness")) {
        thick if thick > 0.0 => thick,
        _ => 1.0,
    };
    let dashes = match value("text-decoration-style").as_str() {
        "dotted" => format!(" stroke-dasharray=\"{thick} {thick}\""),
        "dashed" => format!(" stroke-dasharray=\"{} {}\"", 3.0 * thick, 2.0 * thick),
        _ => String::new(),
    };
    let down = base + pixels(&value("text-underline-offset")) + thick / 2.0;
    format!(
        "<path d=\"M{from:.1} {down:.1}H{to:.1}\" stroke=\"{}\" stroke-width=\"{thick}\"{dashes}/>",
        value("text-decoration-color")
    )
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
    writable(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// XML has no way to write a control character, which a prompt or a model may hold.
fn writable(text: &str) -> String {
    let has_none = |letter: char| match letter {
        '\t' | '\n' | '\r' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        _ => letter < ' ',
    };
    text.replace(has_none, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(
            escaped("a\u{1}\n<\u{fffe}>\""),
            "a\u{fffd}\n&lt;\u{fffd}&gt;&quot;"
        );
    }

    #[test]
    fn words_are_counted_as_the_browser_counts() {
        let found = pieces(" a 🖋b\n c");
        let expected = [(1, 2, "a"), (3, 6, "🖋b"), (8, 9, "c")];
        let expected = expected.map(|(from, to, word)| (from, to, word.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn only_a_line_inside_the_lower_edge_is_one() {
        let shadow = "rgb(0, 133, 106) 0px -2px 0px 0px inset";
        assert_eq!(lower_edge(shadow), Some(("rgb(0, 133, 106)", 2.0)));
        for other in [
            "none",
            "rgb(0, 0, 0) 0px -2px 4px 0px",
            "rgb(0, 0, 0) 0px 0px 0px 2px",
        ] {
            assert_eq!(lower_edge(other), None, "{other}");
        }
    }

    #[test]
    fn a_picture_along_the_lower_edge_is_a_line() {
        let image =
            "repeating-linear-gradient(90deg, rgb(47, 111, 171) 0px, rgba(0, 0, 0, 0) 2.5px)";
        assert_eq!(
            lower_image(image, "100% 2.5px"),
            Some(("rgb(47, 111, 171)", 2.5))
        );
        assert_eq!(lower_image(image, "1px 100%"), None);
        assert_eq!(lower_image("none", "auto"), None);
    }

    #[test]
    fn only_what_is_not_opaque_at_all_is_clear() {
        for colour in [
            "",
            "transparent",
            "rgba(0, 0, 0, 0)",
            "color(srgb 1 0 0 / 0)",
        ] {
            assert!(is_clear(colour), "{colour}");
        }
        for colour in ["rgb(191, 118, 0)", "rgba(191, 118, 0, 0.5)", "rgb(0, 0, 0)"] {
            assert!(!is_clear(colour), "{colour}");
        }
    }

    #[test]
    fn slanted_strokes_have_their_two_colours() {
        let image = "repeating-linear-gradient(135deg, rgb(47, 111, 171) 0px, rgb(47, 111, 171) 1.3px, rgb(207, 224, 238) 1.3px, rgb(207, 224, 238) 4px)";
        assert_eq!(
            hatch_colours(image),
            Some(["rgb(47, 111, 171)", "rgb(207, 224, 238)"])
        );
        assert_eq!(hatch_colours("none"), None);
        let level = image.replace("135deg", "90deg");
        assert_eq!(hatch_colours(&level), None);
    }

    #[test]
    fn signs_of_markup_stay_text() {
        assert_eq!(escaped("u < 1 & \"x\""), "u &lt; 1 &amp; &quot;x&quot;");
    }
}
