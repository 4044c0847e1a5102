//! The language in which runs are told, and everything else that is said with [`tr!`](crate::tr).

/// Says everything from now on as `translator` says it.
pub fn speak_as(translator: impl tr::Translator + 'static) {
    tr::set_translator!(translator);
}

/// Says everything from now on in English, as it stands in the code.
pub fn speak_english() {
    tr::unset_translator!();
}

/// English words in the language that is spoken, with what is filled in: `tr::tr!` of the crate,
/// and to be written like it. That one looks the words up anew wherever it stands, which in a page
/// of 1,500 sayings takes a thirtieth of all that there is to download; this one calls a function.
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
    match context {
        Some(context) => tr::tr!(context => english),
        None => tr::tr!(english),
    }
}

/// What [`tr!`](crate::tr) looks up where the words depend on a count.
#[doc(hidden)]
pub fn said_of(
    count: u64,
    context: Option<&'static str>,
    one: &'static str,
    several: &'static str,
) -> String {
    match context {
        Some(context) => tr::tr!(context => one | several % count),
        None => tr::tr!(one | several % count),
    }
}
