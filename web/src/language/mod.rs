//! The language of the page. English stands in the code, each saying in a `tr!`; what another
//! language says instead is in its file, `web/words/CODE.json`.

mod catalogue;
mod choice;
mod engine;
mod pieces;

use std::sync::Arc;

use couplet_playback::tr;
use leptos::prelude::*;

use catalogue::Catalogue;
pub use catalogue::LanguageFile;
pub use choice::{LanguageChoice, was_chosen};
pub use engine::of_engine;
pub use pieces::{filled, slot};

use crate::browser;
use crate::lessons;

/// `web/inline/language.js` looks under it.
const KEY: &str = "couplet-language";

/// A language that the page speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The one in the code.
    English,
    /// The one in `de.json`.
    German,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its code in BCP 47.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Its name for those who speak it.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    fn of(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| code == language.code())
    }

    /// What the page opens in, as `web/inline/language.js` found before anything was shown.
    pub fn first() -> Self {
        let root = document().document_element();
        root.and_then(|root| Self::of(&root.get_attribute("lang")?))
            .unwrap_or(Self::English)
    }

    /// Makes everything that is said from now on be said in this language.
    ///
    /// # Errors
    ///
    /// Why that cannot be, in a sentence, in the language spoken so far.
    pub async fn speak(self) -> Result<(), String> {
        match self {
            Self::English => {
                speak_as(None);
                lessons::speak(None);
            }
            language => {
                let file = fetch(language).await?;
                speak_as(Some(Arc::new(file.page)));
                lessons::speak(Some(file.lessons));
            }
        }
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("lang", self.code());
        }
        Ok(())
    }

    fn remember(self) {
        browser::remember(KEY, self.code());
    }
}

/// Has everything but the lessons be said as this catalogue says; without any, in English. Returns
/// how it was said before.
fn speak_as(catalogue: Option<Arc<Catalogue>>) -> Option<Arc<Catalogue>> {
    match &catalogue {
        None => couplet_playback::speak_english(),
        Some(catalogue) => couplet_playback::speak_as(Arc::clone(catalogue)),
    }
    engine::speak(catalogue)
}

/// What `say` says in English, whatever the page speaks: to a script.
pub fn in_english<T>(say: impl FnOnce() -> T) -> T {
    let spoken = speak_as(None);
    let said = say();
    speak_as(spoken);
    said
}

async fn fetch(language: Language) -> Result<LanguageFile, String> {
    let path = format!("words/{}.json", language.code());
    let bytes = browser::fetch(&path).await.ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let file = text.and_then(|text| serde_json::from_str(&text).ok());
    file.ok_or_else(not_had)
}

/// Why a language is not spoken, in the one that is.
pub fn not_had() -> String {
    tr!(
        "The page could not be loaded in this language: check the connection, then load the page again or choose the language under “?”."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands outside the page's code, because it is needed before that has arrived.
    #[test]
    fn the_first_words_are_there_in_every_language() {
        let script = include_str!("../../inline/language.js");
        let page = include_str!("../../../index.html");
        let codes = Language::ALL.map(|language| format!("\"{}\"", language.code()));
        let spoken = format!("const SPOKEN = [{}];", codes.join(", "));
        assert!(script.contains(&spoken), "{spoken}");
        assert!(script.contains(&format!("getItem(\"{KEY}\")")));
        let mut parts = page.split("<template id=");
        let shell = parts.next().unwrap();
        for code in codes {
            let paragraph = format!("<p lang={code}");
            assert!(shell.contains(&paragraph), "{code}: the page is on its way");
            for template in parts.clone() {
                assert!(template.contains(&paragraph), "{code}: {template}");
            }
        }
        assert_eq!(parts.count(), 3);
    }
}
