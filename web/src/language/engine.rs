//! What the engine says. It speaks English, and parts of its sentences differ: the file of another
//! language has them in the context `engine`, with `{}` in the place of such a part.

use std::sync::{Arc, RwLock};

use super::catalogue::Catalogue;

static CATALOGUE: RwLock<Option<Arc<Catalogue>>> = RwLock::new(None);

/// Has the engine speak as this catalogue says from now on; without any, as it does. Returns how it
/// spoke before.
pub fn speak(catalogue: Option<Arc<Catalogue>>) -> Option<Arc<Catalogue>> {
    let mut current = CATALOGUE.write().ok()?;
    std::mem::replace(&mut *current, catalogue)
}

/// A sentence of the engine in the page's language, or as it came if the language lacks it.
pub fn of_engine(sentence: &str) -> String {
    let catalogue = CATALOGUE.read().ok().and_then(|current| current.clone());
    match catalogue {
        Some(catalogue) => catalogue.of_engine(sentence),
        None => sentence.to_owned(),
    }
}
