//! What the page says: every `tr!` of the sources, held against the files of other languages.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

/// What stands in `tr!`s: one form, or two where it counts something, by the key that it has in
/// a language's file.
type Sayings = BTreeMap<String, Vec<String>>;

/// Before what the engine says: it speaks English and knows no `tr!`.
const ENGINE: &str = "engine|";

/// Whether a language's file says everything that the sources say, and nothing else.
///
/// `page` and `engine` are texts in Rust, `scripts` those in JavaScript that speak for the engine
/// until it runs, `file` the text of `web/words/CODE.json`. Of what the engine says, only that it
/// does say so is looked for.
///
/// # Errors
/// A sentence that names what is missing, left over or has other placeholders.
pub fn complete(
    page: &[&str],
    engine: &[&str],
    scripts: &[&str],
    file: &str,
) -> Result<(), String> {
    let mut said = Sayings::new();
    for source in page {
        collect(parsed(source)?, &mut said);
    }
    let mut literals: Vec<String> = scripts.iter().map(|text| text.to_lowercase()).collect();
    for source in engine {
        collect_literals(parsed(source)?, &mut literals);
    }
    let file: Value = serde_json::from_str(file).map_err(|error| error.to_string())?;
    let page = file["page"].as_object().ok_or("it has no `page`")?;
    let mut offences = Vec::new();
    for (key, english) in &said {
        let Some(value) = page.get(key) else {
            offences.push(format!("{key:?} is missing"));
            continue;
        };
        let other: Vec<&str> = match value {
            Value::Array(forms) => forms.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        if other.len() != english.len() {
            offences.push(format!("{key:?} has {} forms", other.len()));
        }
        // The form for one thing may leave the number out.
        let places = |form: &str| placeholders(form);
        let expected = english.last().map(|form| places(form));
        if other.last().map(|form| places(form)) != expected {
            offences.push(format!("{key:?} has other placeholders"));
        }
    }
    let is_said = |key: &str| match key.strip_prefix(ENGINE) {
        // What stands between the parts that differ; some begin in small letters and end in no
        // full stop before they are put into a sentence.
        Some(sentence) => sentence.to_lowercase().split("{}").all(|part| {
            let part = part.trim_end_matches('.');
            literals.iter().any(|literal| literal.contains(part))
        }),
        None => said.contains_key(key),
    };
    let left_over = page.keys().filter(|key| !is_said(key));
    offences.extend(left_over.map(|key| format!("{key:?} is said nowhere")));
    if offences.is_empty() {
        Ok(())
    } else {
        Err(offences.join("; "))
    }
}

/// Whether a language's file has all lessons, with as many steps and choices as in English and the
/// same names in the braces of each text.
///
/// `english` is the text of the lessons' own file, `file` that of `web/words/CODE.json`.
///
/// # Errors
/// A sentence that names what is missing, left over or has other placeholders.
pub fn has_lessons(english: &str, file: &str) -> Result<(), String> {
    let parse = |text| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    let mut offences = Vec::new();
    compare(
        "lessons",
        &parse(english)?,
        &parse(file)?["lessons"],
        &mut offences,
    );
    if offences.is_empty() {
        Ok(())
    } else {
        Err(offences.join("; "))
    }
}

/// Adds what differs in shape between the words at a place and those in English.
fn compare(place: &str, english: &Value, other: &Value, offences: &mut Vec<String>) {
    match (english, other) {
        (Value::Object(english), Value::Object(other)) => {
            for (key, words) in english {
                match other.get(key) {
                    Some(other) => compare(&format!("{place}.{key}"), words, other, offences),
                    None => offences.push(format!("{place}.{key} is missing")),
                }
            }
            let left_over = other.keys().filter(|key| !english.contains_key(*key));
            offences.extend(left_over.map(|key| format!("{place}.{key} is not in English")));
        }
        (Value::Array(english), Value::Array(other)) => {
            if other.len() != english.len() {
                let (found, expected) = (other.len(), english.len());
                offences.push(format!("{place} has {found} entries, not {expected}"));
            }
            for (index, (words, other)) in english.iter().zip(other).enumerate() {
                compare(&format!("{place}[{index}]"), words, other, offences);
            }
        }
        (Value::String(english), Value::String(other)) => {
            if placeholders(english) != placeholders(other) {
                offences.push(format!("{place} has other placeholders"));
            }
        }
        _ => offences.push(format!("{place} is of another kind")),
    }
}

fn parsed(source: &str) -> Result<TokenStream, String> {
    source.parse().map_err(|error| format!("{error}"))
}

/// The text of a literal, if it is one of text.
fn text(token: Option<&TokenTree>) -> Option<String> {
    match token? {
        TokenTree::Literal(literal) => syn::parse_str::<syn::LitStr>(&literal.to_string())
            .ok()
            .map(|literal| literal.value()),
        _ => None,
    }
}

/// Adds every text in `tokens`, however deep, in small letters.
fn collect_literals(tokens: TokenStream, literals: &mut Vec<String>) {
    for token in tokens {
        literals.extend(text(Some(&token)).map(|text| text.to_lowercase()));
        if let TokenTree::Group(group) = token {
            collect_literals(group.stream(), literals);
        }
    }
}

/// Adds every `tr!` in `tokens`, however deep.
fn collect(tokens: TokenStream, said: &mut Sayings) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before = |back: usize| {
            index
                .checked_sub(back)
                .map(|index| tokens[index].to_string())
        };
        if before(1).as_deref() == Some("!")
            && before(2).as_deref() == Some("tr")
            && let Some((key, forms)) = saying(group.stream())
        {
            said.insert(key, forms);
        }
        collect(group.stream(), said);
    }
}

/// Reads `"words"`, `"one" | "several" % …` and either after `"context" =>`.
fn saying(tokens: TokenStream) -> Option<(String, Vec<String>)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let text = |index: usize| text(tokens.get(index));
    let is = |index: usize, mark: &str| {
        let token = tokens.get(index);
        token.is_some_and(|token| token.to_string() == mark)
    };
    let (context, at) = match is(1, "=") && is(2, ">") {
        true => (format!("{}|", text(0)?), 3),
        false => (String::new(), 0),
    };
    let first = text(at)?;
    let key = format!("{context}{first}");
    let mut forms = vec![first];
    if is(at + 1, "|") {
        forms.push(text(at + 2)?);
    }
    Some((key, forms))
}

/// The names in braces; nameless ones count each by themselves.
fn placeholders(form: &str) -> BTreeSet<String> {
    let mut nameless = 0;
    form.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| {
            if name.is_empty() {
                nameless += 1;
                return (nameless - 1).to_string();
            }
            name.to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        fn title(count: usize) -> String {
            view! { <p title=tr!("Share")>{tr!("one token" | "{n} tokens" % count)}</p> };
            tr!("verb" => "Draft {} \
                 and {name}", 1, name = 2)
        }
    "#;

    const ENGINE: &str = r#"
        #[error("the GPU was lost: {0}")]
        struct Lost(String);
    "#;

    const SCRIPT: &str = "fail(`It could not be loaded (${error}). Try again.`)";

    fn found(page: Value) -> Result<(), String> {
        complete(
            &[SOURCE],
            &[ENGINE],
            &[SCRIPT],
            &serde_json::json!({ "page": page }).to_string(),
        )
    }

    #[test]
    fn a_file_that_says_everything_is_complete() {
        let page = serde_json::json!({
            "Share": "Teilen",
            "one token": ["ein Token", "{n} Token"],
            "verb|Draft {} and {name}": "{name} und {0} entwerfen",
            "engine|the GPU was lost: {}": "die GPU ging verloren: {}",
            "engine|It could not be loaded ({}). Try again.": "Das war nicht zu laden ({}).",
        });
        assert_eq!(found(page), Ok(()));
    }

    #[test]
    fn what_is_missing_left_over_or_has_other_placeholders_is_named() {
        let page = serde_json::json!({
            "one token": "ein Token",
            "verb|Draft {} and {name}": "{nome} und {0} entwerfen",
            "Save": "Sichern",
            "engine|the GPU was found: {}": "die GPU fand sich: {}",
        });
        let offences = found(page).unwrap_err();
        for offence in [
            "\"Share\" is missing",
            "\"one token\" has 1 forms",
            "\"verb|Draft {} and {name}\" has other placeholders",
            "\"Save\" is said nowhere",
            "\"engine|the GPU was found: {}\" is said nowhere",
        ] {
            assert!(offences.contains(offence), "{offence}: {offences}");
        }
    }

    const LESSONS: &str = r#"{"title": "Lessons", "lessons": {
        "exact": {"steps": [{"ask": "Which of {n}?", "choices": ["this", "that"]}, {"ask": "Why?"}]},
        "wrong": {"steps": []}
    }}"#;

    fn lessons(lessons: Value) -> Result<(), String> {
        let file = serde_json::json!({ "title": "Lektionen", "lessons": lessons });
        has_lessons(LESSONS, &serde_json::json!({ "lessons": file }).to_string())
    }

    #[test]
    fn lessons_in_another_language_have_the_shape_of_the_english_ones() {
        let first = serde_json::json!({ "ask": "Welche von {n}?", "choices": ["die", "jene"] });
        let whole = serde_json::json!({
            "exact": { "steps": [first, { "ask": "Warum?" }] },
            "wrong": { "steps": [] },
        });
        assert_eq!(lessons(whole), Ok(()));
        assert!(has_lessons(LESSONS, "{}").is_err());
        let part = serde_json::json!({
            "exact": { "steps": [{ "ask": "Welche von {m}?", "choices": ["die"] }] },
            "slow": { "steps": [] },
        });
        let offences = lessons(part).unwrap_err();
        for offence in [
            "lessons.lessons.exact.steps has 1 entries, not 2",
            "lessons.lessons.exact.steps[0].ask has other placeholders",
            "lessons.lessons.exact.steps[0].choices has 1 entries, not 2",
            "lessons.lessons.slow is not in English",
            "lessons.lessons.wrong is missing",
        ] {
            assert!(offences.contains(offence), "{offence}: {offences}");
        }
    }
}
