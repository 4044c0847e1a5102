use serde::{Deserialize, Serialize};

use crate::SettingsError;

/// Where a run takes leave of another one: tokens that stand after the prompt before the first
/// round. Random numbers belong to positions, so a branch with the settings of the run that it
/// leaves, cut where a round of that run begins, writes the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Branch {
    /// Tokens of the other run that stay, by id, from the first after the prompt on. They count
    /// as written: [`crate::Settings::max_tokens`] holds for both parts together.
    pub kept: Vec<u32>,
    /// A token that is written after them whatever the models say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<u32>,
}

/// Digits that need no escape in an address.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Branch {
    /// Most tokens that can be kept: as many as a run can be asked for.
    pub const MAX_KEPT: usize = crate::Settings::MAX_TOKENS as usize;

    /// The tokens after the prompt, in order.
    pub fn tokens(&self) -> impl Iterator<Item = u32> + '_ {
        self.kept.iter().copied().chain(self.forced)
    }

    /// How many tokens those are.
    pub fn len(&self) -> usize {
        self.kept.len() + usize::from(self.forced.is_some())
    }

    /// Whether it is none: the run begins after the prompt.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The branch as a short text for links: two characters a token, `~` before a forced one.
    /// `None` where a token has a number that two characters cannot hold.
    pub fn print(&self) -> Option<String> {
        let mut text = String::with_capacity(2 * self.len() + 1);
        for (index, token) in self.tokens().enumerate() {
            if index == self.kept.len() {
                text.push('~');
            }
            let digit = |value: u32| DIGITS.get(value as usize).map(|digit| char::from(*digit));
            text.push(digit(token / 64)?);
            text.push(digit(token % 64)?);
        }
        Some(text)
    }

    /// Reads what [`Self::print`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (kept, forced) = match text.split_once('~') {
            Some((kept, forced)) => (kept, Some(forced)),
            None => (text, None),
        };
        let tokens = |text: &str| -> Option<Vec<u32>> {
            let place = |byte: u8| DIGITS.iter().position(|digit| *digit == byte);
            let pairs = text.as_bytes().chunks(2);
            pairs
                .map(|pair| match pair {
                    [high, low] => Some((64 * place(*high)? + place(*low)?) as u32),
                    _ => None,
                })
                .collect()
        };
        let kept = tokens(kept).filter(|kept| kept.len() <= Self::MAX_KEPT)?;
        let forced = match forced.map(tokens) {
            None => None,
            Some(forced) => match forced?.as_slice() {
                [token] => Some(*token),
                _ => return None,
            },
        };
        Some(Self { kept, forced })
    }

    /// Checks against a vocabulary of so many tokens.
    ///
    /// # Errors
    ///
    /// Names the first token that there is not, or says that there are too many.
    pub fn check(&self, vocabulary: usize) -> Result<(), SettingsError> {
        let refuse = |sentence: String| {
            Err(SettingsError {
                field: "branch",
                sentence,
            })
        };
        if self.kept.len() > Self::MAX_KEPT {
            let (found, most) = (self.kept.len(), Self::MAX_KEPT);
            return refuse(format!(
                "{found} kept tokens are too many; {most} fit at most"
            ));
        }
        match self.tokens().find(|token| *token as usize >= vocabulary) {
            Some(token) => refuse(format!(
                "there is no token {token}; this pair has tokens 0 to {}",
                vocabulary.saturating_sub(1)
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Trace};

    #[test]
    fn tokens_that_there_are_not_are_refused() {
        let branch = |kept: &[u32], forced| Branch {
            kept: kept.to_vec(),
            forced,
        };
        assert!(branch(&[0, 64], Some(3)).check(65).is_ok());
        let error = branch(&[0, 65], None).check(65).unwrap_err();
        assert_eq!(error.field, "branch");
        assert!(error.sentence.contains("no token 65"), "{error}");
        assert!(branch(&[], Some(65)).check(65).is_err());
        assert!(branch(&[0; Branch::MAX_KEPT], Some(0)).check(65).is_ok());
        assert!(branch(&[0; Branch::MAX_KEPT + 1], None).check(65).is_err());
    }

    #[test]
    fn a_link_holds_a_branch_in_few_characters() {
        for (kept, forced) in [
            (vec![0, 63, 64, 2047, 4095], Some(7)),
            (vec![], Some(2000)),
            (vec![5], None),
            (vec![], None),
        ] {
            let branch = Branch { kept, forced };
            let text = branch.print().unwrap();
            assert!(text.len() <= 2 * branch.len() + 1);
            assert_eq!(text.is_empty(), branch.is_empty());
            assert!(
                text.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_~".contains(c))
            );
            assert_eq!(Branch::parse(&text), Some(branch));
        }
        let large = Branch {
            kept: vec![4096],
            forced: None,
        };
        assert_eq!(large.print(), None);
        let long = "AA".repeat(Branch::MAX_KEPT + 1);
        for nonsense in ["A", "AA~", "AA~AAAA", "A!", "~", "AA~AA~AA", "ÄÄ", &long] {
            assert_eq!(Branch::parse(nonsense), None, "{nonsense}");
        }
    }

    /// What was written before there were branches reads as what it was.
    #[test]
    fn a_command_without_a_branch_has_none() {
        let old = r#"{"generate": {"id": 1, "settings": {}}}"#;
        let Ok(Command::Generate { branch, .. }) = serde_json::from_str(old) else {
            panic!("an old command reads");
        };
        assert_eq!(branch, None);
    }

    #[test]
    fn a_trace_keeps_its_branch_and_an_old_one_has_none() {
        let old = concat!(
            r#"{"version": 1, "settings": {}, "events": [], "#,
            r#""device": {"backend": "cpu", "name": ""}, "#,
            r#""pair": {"name": "", "title": "", "token_kind": "", "tokens": [], "#,
            r#""prefix_tokens": 0, "context": 0, "acceptance_rate": 0, "#,
            r#""target": {"parameters": 0, "layers": 0, "hidden_size": 0, "validation_loss": 0}, "#,
            r#""draft": {"parameters": 0, "layers": 0, "hidden_size": 0, "validation_loss": 0}}}"#
        );
        let trace = Trace::from_json(old).unwrap();
        assert_eq!(trace.branch, None);
        assert!(!serde_json::to_string(&trace).unwrap().contains("branch"));
        let branch = Some(Branch {
            kept: vec![3, 1],
            forced: Some(2),
        });
        let trace = Trace { branch, ..trace };
        let text = serde_json::to_string(&trace).unwrap();
        assert_eq!(Trace::from_json(&text).unwrap(), trace);
    }
}
