//! What a language's file says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use couplet_playback::written;
use serde::Deserialize;
use tr::Translator;

use crate::lessons::Words;

/// The file of a language, `web/words/CODE.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageFile {
    /// The words of the lessons.
    pub lessons: Words,
    /// Everything else that the page says.
    pub page: Catalogue,
}

/// What is said instead, by what the code says. Where English words mean several things, the code
/// names their context: the key is then the context, a stroke, and the words.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Catalogue(BTreeMap<String, Saying>);

/// What is said instead of one thing.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Saying {
    Always(String),
    /// For one, and for every other number.
    Counted([String; 2]),
}

impl Catalogue {
    fn find(&self, english: &str, context: Option<&str>) -> Option<&Saying> {
        match context {
            Some(context) => self.0.get(&format!("{context}|{english}")),
            None => self.0.get(english),
        }
    }

    /// What is said instead of a sentence of the engine: of all that fit, the one that leaves the
    /// least of it to the parts that differ.
    pub fn of_engine(&self, sentence: &str) -> String {
        let fitting = self.0.iter().filter_map(|(key, saying)| {
            let pattern = key.strip_prefix("engine|")?;
            match saying {
                Saying::Always(saying) => Some((pattern, saying, parts(pattern, sentence)?)),
                Saying::Counted(_) => None,
            }
        });
        let Some((_, saying, parts)) = fitting.max_by_key(|(pattern, ..)| pattern.len()) else {
            return sentence.to_owned();
        };
        let as_said = |part: &str| {
            // The stop that ends a sentence is no decimal point.
            let number = part.strip_suffix('.').unwrap_or(part);
            match number.parse::<f64>() {
                Ok(_) => format!("{}{}", written(number), &part[number.len()..]),
                Err(_) => self.of_engine(part),
            }
        };
        // Cut apart before it is filled: a part may hold such signs itself.
        let mut pieces = saying.split("{}");
        let mut said = pieces.next().unwrap_or_default().to_owned();
        for (piece, part) in pieces.zip(&parts) {
            said += &as_said(part);
            said += piece;
        }
        said
    }
}

/// What stands in a sentence in the places of a pattern's `{}`, if it is made like it.
fn parts<'a>(pattern: &str, sentence: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = pattern.split("{}");
    let mut rest = sentence.strip_prefix(fixed.next()?)?;
    let mut parts = Vec::new();
    let mut fixed = fixed.peekable();
    while let Some(piece) = fixed.next() {
        let (part, behind) = match fixed.peek() {
            Some(_) => rest.split_once(piece)?,
            None => (rest.strip_suffix(piece)?, ""),
        };
        parts.push(part);
        rest = behind;
    }
    rest.is_empty().then_some(parts)
}

impl Translator for Catalogue {
    fn translate<'a>(&'a self, english: &'a str, context: Option<&'a str>) -> Cow<'a, str> {
        match self.find(english, context) {
            Some(Saying::Always(saying)) => saying.into(),
            _ => english.into(),
        }
    }

    fn ntranslate<'a>(
        &'a self,
        count: u64,
        one: &'a str,
        several: &'a str,
        context: Option<&'a str>,
    ) -> Cow<'a, str> {
        match (self.find(one, context), count) {
            (Some(Saying::Counted([saying, _])), 1) => saying.into(),
            (Some(Saying::Counted([_, saying])), _) => saying.into(),
            (_, 1) => one.into(),
            _ => several.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn german() -> Catalogue {
        let file: LanguageFile = serde_json::from_str(include_str!("../../words/de.json")).unwrap();
        file.page
    }

    /// What stands in braces, in alphabetical order.
    fn places(text: &str) -> Vec<&str> {
        let behind = text.split('{').skip(1);
        let mut places: Vec<&str> = behind
            .filter_map(|behind| Some(behind.split_once('}')?.0))
            .collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn what_is_said_instead_has_a_place_for_all_that_is_filled_in() {
        for (english, saying) in &german().0 {
            match saying {
                Saying::Always(saying) => assert_eq!(places(saying), places(english), "{english}"),
                // Words for one can spare the count.
                Saying::Counted([one, several]) => {
                    let several = places(several);
                    let mut fewer = [places(one), places(english)].concat().into_iter();
                    assert!(fewer.all(|place| several.contains(&place)), "{english}");
                }
            }
        }
    }

    /// Where numbers have a decimal comma, another one between them would read as one of theirs; and
    /// the page's fonts draw a narrow space as nearly none.
    #[test]
    fn numbers_in_german_stand_apart() {
        for (english, saying) in &german().0 {
            let sayings = match saying {
                Saying::Always(saying) => std::slice::from_ref(saying),
                Saying::Counted(both) => both,
            };
            for said in sayings {
                assert!(!said.contains('\u{202f}'), "{english}");
                let functions = ["min(", "max("].map(|function| said.split(function).skip(1));
                for inside in functions.into_iter().flatten() {
                    let inside = inside.split(')').next().unwrap_or_default();
                    assert!(inside.contains("; "), "{english}: {inside}");
                }
            }
        }
    }

    #[test]
    fn sentences_of_the_engine_are_recognised_with_what_differs_in_them() {
        let catalogue = german();
        for (english, german) in [
            (
                "14 tokens after the prompt do not fit; keep at most 12.",
                "14 Token hinter dem Anfang passen nicht; behalte höchstens 12.",
            ),
            (
                "99 is out of range; choose 0 to 16.",
                "99 geht hier nicht; wähle 0 bis 16.",
            ),
            (
                "WebGPU is not used because no GPU is available: {}.",
                "WebGPU wird nicht benutzt: Keine GPU ist verfügbar ({}).",
            ),
            (
                "The engine did not answer. The text and settings are kept.",
                "Der Rechenkern hat nicht geantwortet. Text und Einstellungen bleiben.",
            ),
            // What differs may look like a place itself.
            (
                "a{}.bin could not be downloaded ({}). Check the connection and try again: what has arrived is kept.",
                "a{}.bin war nicht zu laden ({}). Prüfe die Verbindung und versuche es noch einmal: Was schon da ist, bleibt.",
            ),
            (
                "The engine could not be loaded (x.js: 404). Check the connection and try again.",
                "Der Rechenkern war nicht zu laden (x.js: 404). Prüfe die Verbindung und versuche es noch einmal.",
            ),
            ("Nothing that it says.", "Nothing that it says."),
            ("", ""),
        ] {
            assert_eq!(catalogue.of_engine(english), german);
        }
    }
}
