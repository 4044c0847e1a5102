//! The run that a branch left, in a link: what of its settings is not as usual, and what it began
//! with. It is short, so that the models can write it again and both stand beside each other.

use couplet_protocol::{Branch, Settings};

use super::{query, settings, view};

/// A run that a branch left.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// Everything that determined it.
    pub settings: Settings,
    /// What stood after its prompt, where it was a branch itself.
    pub branch: Option<Branch>,
}

/// What a branch has in common with the run that it left.
const COMMON: [&str; 2] = ["pair", "prompt"];
/// The longest text that is read, in bytes.
const LONGEST: usize = super::LONGEST_LINK;

impl Left {
    /// As a text for a link; none where its own branch has no such text.
    pub fn print(&self) -> Option<String> {
        let usual = settings::print(&Settings::default());
        let mut pairs = settings::print(&self.settings);
        pairs.retain(|pair| !COMMON.contains(&pair.0.as_str()) && !usual.contains(pair));
        if let Some(branch) = self.branch.as_ref().filter(|branch| !branch.is_empty()) {
            pairs.push(("branch".to_owned(), branch.print()?));
        }
        Some(query::print(&pairs))
    }

    /// What [`Self::print`] wrote, for a branch with these settings; `None` for anything else.
    pub fn parse(text: &str, of: &Settings) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut pairs = query::parse(text);
        let named = query::value(&pairs, "branch").filter(|text| !text.is_empty());
        let branch = match named {
            Some(text) => Some(view::branch(text)?),
            None => None,
        };
        pairs.retain(|(key, _)| !COMMON.contains(&key.as_str()));
        let settings = Settings {
            pair: of.pair.clone(),
            prompt: of.prompt.clone(),
            ..settings::read(&pairs).ok()?
        };
        Some(Self { settings, branch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_left_comes_back_from_a_short_text() {
        let of = Settings {
            prompt: "A&B=C".to_owned(),
            seed: 3,
            ..Settings::default()
        };
        let usual = Settings {
            prompt: of.prompt.clone(),
            ..Settings::default()
        };
        let other = Settings {
            gamma: 2,
            seed: 88,
            auto_gamma: true,
            ..usual.clone()
        };
        let branch = Branch::parse("AAAB~AC");
        for (settings, branch, most) in [(usual, None, 0), (other, branch, 60)] {
            let left = Left { settings, branch };
            let text = left.print().unwrap();
            assert!(text.len() <= most, "{text}");
            assert_eq!(Left::parse(&text, &of), Some(left));
        }
    }

    #[test]
    fn nonsense_is_none() {
        for text in ["gamma=99", "branch=%00", "v=7", &"a=b&".repeat(2_000)] {
            assert_eq!(Left::parse(text, &Settings::default()), None, "{text}");
        }
    }
}
