//! What a person has set and not had written yet: the tab keeps it for when the page is loaded anew,
//! by a pull, by a phone that had dropped it, or for a newer version of Couplet.

use couplet_protocol::Settings;
use serde::{Deserialize, Serialize};

use crate::form::Texts;
use crate::{browser, permalink};

/// Under which the tab remembers it. The number counts its layouts.
const KEY: &str = "couplet-form-1";

#[derive(Serialize, Deserialize)]
struct Kept {
    /// What the address said meanwhile: another one has a form of its own.
    address: Settings,
    form: Texts,
}

/// Has the tab keep a form, as long as it is open.
pub fn keep(form: &Texts) {
    let kept = Kept {
        address: permalink::read().settings,
        form: form.clone(),
    };
    if let Ok(text) = serde_json::to_string(&kept) {
        browser::have_tab_remember(KEY, &text);
    }
}

/// Forgets it: it is being written, or another form has taken its place.
pub fn forget() {
    browser::have_tab_remember(KEY, "");
}

/// What the tab has kept of a page with an address that says this, if the page is loaded anew.
pub fn kept_by_tab(address: &Settings) -> Option<Texts> {
    // A link that is put into the address line of an open page has it loaded anew as well.
    if !browser::was_here() || !permalink::is_marked() {
        forget();
        return None;
    }
    let kept: Kept = serde_json::from_str(&browser::remembered_by_tab(KEY)?).ok()?;
    // One about another pair, that of a file say, would have neither a recording nor models.
    let fits = kept.address == *address && kept.form.pair() == address.pair;
    fits.then_some(kept.form)
}
