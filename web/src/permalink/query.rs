//! `a=1&b=two+words` as pairs and back, as browsers write it in forms and addresses.

/// The pairs of a query, in order; nonsense becomes odd values, never an error.
pub fn parse(text: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

/// Pairs as a query.
pub fn print(pairs: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// The value of a key; the last one where there are several.
pub fn value<'a>(pairs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    let mut found = pairs.iter().rev().filter(|(name, _)| name == key);
    found.next().map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        for value in ["", "a b", "KING RICHARD:\n", "ça & 100 % = €+", "%41", "🖋"] {
            let pairs = vec![("prompt".to_owned(), value.to_owned())];
            assert_eq!(parse(&print(&pairs)), pairs);
        }
    }

    #[test]
    fn broken_escapes_are_letters() {
        assert_eq!(value(&parse("a=%4&b=%zz&a=%"), "a"), Some("%"));
        assert_eq!(value(&parse("b=%zz"), "b"), Some("%zz"));
        assert_eq!(value(&parse("b=%FF"), "b"), Some("\u{fffd}"));
        assert_eq!(value(&parse("=x&&&y"), "y"), Some(""));
    }
}
