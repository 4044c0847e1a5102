//! Tokens as they can be seen.

use crate::tr;

/// How a vocabulary cuts text: what of a token then needs a mark to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Every token is a character, and a space is one like any other.
    Characters,
    /// Most tokens begin a word and bring the space before it along.
    WordPieces,
}

impl Cut {
    /// How the vocabulary with these texts cuts.
    pub fn of(tokens: &[String]) -> Self {
        let begins_a_word = |text: &String| text.len() > 1 && text.starts_with(' ');
        if tokens.iter().any(begins_a_word) {
            Self::WordPieces
        } else {
            Self::Characters
        }
    }
}

/// What stands for the end-of-text token.
fn end() -> String {
    tr!("‹end›")
}

/// Whether a token stands for no text but for its beginning or end.
pub fn is_special(text: &str) -> bool {
    text.starts_with("<|") && text.ends_with("|>") || ["<s>", "</s>"].contains(&text)
}

/// A token as it can be seen: `↵` for a line break, `␣` for a space at its start or end. Among
/// word pieces the space before a word goes without saying; a piece that continues a word has a
/// hyphen instead.
pub fn visible(text: &str, cut: Cut) -> String {
    if is_special(text) {
        return end();
    }
    let lines = text.replace('\n', "↵");
    let inner = lines.trim_matches(' ');
    if inner.is_empty() {
        return "␣".repeat(lines.len().max(1));
    }
    let mut before = lines.len() - lines.trim_start_matches(' ').len();
    let after = lines.len() - lines.trim_end_matches(' ').len();
    let mut hyphen = "";
    if cut == Cut::WordPieces {
        let begins = inner.chars().next();
        if before == 0 && begins.is_some_and(char::is_lowercase) {
            hyphen = "-";
        } else if before == 1 && begins != Some('↵') {
            before = 0;
        }
    }
    format!("{}{hyphen}{inner}{}", "␣".repeat(before), "␣".repeat(after))
}

/// The same for people who listen, to whom a sign that stands alone is often not read.
pub fn spoken(visible: &str) -> String {
    if let Some(name) = sign(visible) {
        return name;
    }
    visible
        .replace('↵', &tr!("line break"))
        .replace('␣', &format!("{} ", tr!("space")))
        .replace(&end(), &tr!("end of text"))
        .trim_end()
        .to_owned()
}

/// The name of a punctuation mark.
fn sign(text: &str) -> Option<String> {
    Some(match text {
        "," => tr!("comma"),
        "." => tr!("full stop"),
        ":" => tr!("colon"),
        ";" => tr!("semicolon"),
        "!" => tr!("exclamation mark"),
        "?" => tr!("question mark"),
        "-" => tr!("hyphen"),
        "'" | "’" => tr!("apostrophe"),
        "\"" | "“" | "”" => tr!("quotation mark"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_can_be_seen_among_characters() {
        let check = |text, expect| assert_eq!(visible(text, Cut::Characters), expect);
        check("\n", "↵");
        check(" ", "␣");
        check("a", "a");
        check("", "␣");
    }

    #[test]
    fn word_pieces_show_where_words_go_on() {
        let check = |text, expect| assert_eq!(visible(text, Cut::WordPieces), expect, "{text:?}");
        check(" the", "the");
        check("ing", "-ing");
        check("Once", "Once");
        check(".", ".");
        check(" \"", "\"");
        check(" ", "␣");
        check("  ", "␣␣");
        check("  the", "␣␣the");
        check("\n", "↵");
        check("\n\n", "↵↵");
        check(" \n", "␣↵");
        check("the ", "-the␣");
        check("<|endoftext|>", "‹end›");
        check("</s>", "‹end›");
        check("<|", "<|");
        check("|>", "|>");
    }

    #[test]
    fn signs_that_stand_alone_have_names_for_those_who_listen() {
        let check = |text, expect| assert_eq!(spoken(&visible(text, Cut::Characters)), expect);
        check(",", "comma");
        check("\n", "line break");
        check(" ", "space");
        check("a", "a");
        check("<|endoftext|>", "end of text");
        check("don't.", "don't.");
    }

    #[test]
    fn a_vocabulary_tells_how_it_cuts() {
        let of = |tokens: &[&str]| {
            let tokens: Vec<String> = tokens.iter().map(|text| (*text).to_owned()).collect();
            Cut::of(&tokens)
        };
        assert_eq!(of(&["a", " ", "\n"]), Cut::Characters);
        assert_eq!(of(&["<|endoftext|>", "a", " a", "ing"]), Cut::WordPieces);
    }
}
