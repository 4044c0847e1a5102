//! The language in which runs are told, and everything else that is said with [`tr!`](crate::tr).

use tr::Translator;
use tr::internal::with_translator;

/// Says everything from now on as `translator` says it.
pub fn speak_as(translator: impl Translator + 'static) {
    tr::set_translator!(translator);
}

/// Says everything from now on in English, as it stands in the code.
pub fn speak_english() {
    tr::unset_translator!();
}

/// English words in the language that is spoken, with what is filled in: `tr::tr!` of the crate,
/// and to be written like it. That one has its look-up inlined wherever it stands, which a page that
/// says much is slower to download for; this one calls a function.
#[macro_export]
macro_rules! tr {
    (@ $context:expr, $english:literal) => {
        $crate::said($context, $english)
    };
    (@ $context:expr, $english:literal, $($filled:tt)+) => {
        $crate::runtime_format!($crate::said($context, $english), $($filled)+)
    };
    (@ $context:expr, $one:literal | $several:literal % $count:expr $(, $($filled:tt)+)?) => {{
        let n = $count;
        let said = $crate::said_of(n as u64, $context, $one, $several);
        $crate::runtime_format!(said, $($($filled)+,)? n = n)
    }};
    ($context:literal => $($said:tt)+) => {
        $crate::tr!(@ Some($context), $($said)+)
    };
    ($($said:tt)+) => {
        $crate::tr!(@ None, $($said)+)
    };
}

#[doc(hidden)]
pub use tr::runtime_format;

/// What [`tr!`](crate::tr) looks up.
#[doc(hidden)]
pub fn said(context: Option<&'static str>, english: &'static str) -> String {
    let said = |translator: &dyn Translator| translator.translate(english, context).into_owned();
    with_translator(module_path!(), said)
}

/// What [`tr!`](crate::tr) looks up where the words depend on a count.
#[doc(hidden)]
pub fn said_of(
    count: u64,
    context: Option<&'static str>,
    one: &'static str,
    several: &'static str,
) -> String {
    let said = |translator: &dyn Translator| {
        let said = translator.ntranslate(count, one, several, context);
        said.into_owned()
    };
    with_translator(module_path!(), said)
}
