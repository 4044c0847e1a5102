use std::collections::BTreeSet;

use tokenizers::Tokenizer;

/// Why a text cannot be turned into tokens.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The file is damaged or of a kind this build does not read.
    #[error("tokenizer.json cannot be read: {0}")]
    Unreadable(String),
    /// The text has characters without a token.
    #[error(
        "these characters are not in the model's vocabulary: {}",
        .0.iter().map(|c| visible(*c)).collect::<Vec<_>>().join(" ")
    )]
    UnknownCharacters(Vec<char>),
}

/// A character, or its number where it cannot be seen: what is copied from elsewhere brings such
/// along.
fn visible(character: char) -> String {
    let formats = matches!(character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    // By itself it would stand on the space before it, or on nothing.
    let marks = matches!(character,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{e0100}'..='\u{e01ef}');
    if character.is_control() || character.is_whitespace() || formats || marks {
        format!("U+{:04X}", u32::from(character))
    } else {
        character.to_string()
    }
}

/// A `tokenizer.json`, and the text of every token.
#[derive(Clone, Debug)]
pub struct TextTokenizer {
    tokenizer: Tokenizer,
    texts: Vec<String>,
    unknown: Option<u32>,
}

impl TextTokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// If the bytes are not such a file.
    pub fn from_json(bytes: &[u8]) -> Result<Self, TokenizerError> {
        let tokenizer = Tokenizer::from_bytes(bytes)
            .map_err(|error| TokenizerError::Unreadable(error.to_string()))?;
        let size = tokenizer.get_vocab_size(true) as u32;
        let texts = (0..size)
            .map(|id| tokenizer.decode(&[id], false).unwrap_or_default())
            .collect();
        let unknown = tokenizer.token_to_id("<unk>");
        Ok(Self {
            tokenizer,
            texts,
            unknown,
        })
    }

    /// Number of tokens.
    pub fn vocab_size(&self) -> usize {
        self.texts.len()
    }

    /// The text of one token.
    pub fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", String::as_str)
    }

    /// The texts of all tokens, in the order of their ids.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Token ids of `text`.
    ///
    /// # Errors
    ///
    /// If a character has no token, naming all such characters.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizerError> {
        let encode = |text: &str| {
            let encoding = self.tokenizer.encode(text, false);
            encoding
                .map(|encoding| encoding.get_ids().to_vec())
                .unwrap_or_default()
        };
        let is_lost =
            |ids: &[u32]| ids.is_empty() || ids.iter().any(|id| Some(*id) == self.unknown);
        let mut seen = BTreeSet::new();
        let mut lost: Vec<char> = Vec::new();
        for character in text.chars() {
            if seen.insert(character) && is_lost(&encode(character.encode_utf8(&mut [0; 4]))) {
                lost.push(character);
            }
        }
        if lost.is_empty() {
            Ok(encode(text))
        } else {
            Err(TokenizerError::UnknownCharacters(lost))
        }
    }

    /// The text of a sequence of tokens.
    pub fn decode(&self, ids: &[u32]) -> String {
        self.tokenizer.decode(ids, false).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_cannot_be_seen_are_told_by_their_numbers() {
        let error = TokenizerError::UnknownCharacters(
            "🦊\u{a0}\t\u{200b}é\u{301}\u{fe0f}".chars().collect(),
        );
        let said = error.to_string();
        assert!(
            said.ends_with("vocabulary: 🦊 U+00A0 U+0009 U+200B é U+0301 U+FE0F"),
            "{said}"
        );
    }
}
