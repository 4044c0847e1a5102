//! What a language's file says.

use std::borrow::Cow;
use std::collections::BTreeMap;

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
