//! `a=1&b=two+words` as pairs and back, as browsers write it in forms and addresses.

/// The pairs of a query, in order; nonsense becomes odd values, never an error.
pub fn parse(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(key), decoded(value))
        })
        .collect()
}

/// Pairs as a query.
pub fn print(pairs: &[(String, String)]) -> String {
    let printed: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{}={}", encoded(key), encoded(value)))
        .collect();
    printed.join("&")
}

/// The value of a key; the last one where there are several.
pub fn value<'a>(pairs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    let mut found = pairs.iter().rev().filter(|(name, _)| name == key);
    found.next().map(|(_, value)| value.as_str())
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = |place: usize| {
            let digit = bytes.get(place).copied().map(char::from);
            digit.and_then(|digit| digit.to_digit(16))
        };
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push((16 * high + low) as u8);
                at += 3;
                continue;
            }
            (b'+', ..) => plain.push(b' '),
            _ => plain.push(*byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn encoded(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => printed.push('+'),
            byte if byte.is_ascii_alphanumeric() || b"*-._".contains(&byte) => {
                printed.push(char::from(byte));
            }
            byte => printed.push_str(&format!("%{byte:02X}")),
        }
    }
    printed
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
