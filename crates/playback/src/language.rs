//! The language in which runs are told.

/// Tells everything from now on as `translator` says it.
pub fn speak_as(translator: impl tr::Translator + 'static) {
    tr::set_translator!(translator);
}

/// Tells everything from now on in English, as it stands in the code.
pub fn speak_english() {
    tr::unset_translator!();
}
