//! What the page says about each rule.

use couplet_playback::{redraws, tr};
use couplet_protocol::Rule;

/// Rules of one kind, as the choice lists them.
pub struct Group {
    /// What they have in common.
    pub title: fn() -> String,
    /// The rules.
    pub rules: &'static [Rule],
}

/// Every rule, by what its text is worth.
pub const GROUPS: [Group; 3] = [
    Group {
        title: || tr!("Exact"),
        rules: &[Rule::Rejection, Rule::Block],
    },
    Group {
        title: || tr!("Exact, and one seed gives one text, whoever drafts"),
        rules: &[Rule::Gumbel, Rule::MinHash, Rule::SampleAndMatch],
    },
    Group {
        title: || tr!("In general exact only at temperature 0 or top-k 1"),
        rules: &[Rule::Greedy, Rule::Lenience, Rule::Typical],
    },
];

/// Its name for people.
pub fn title(rule: Rule) -> &'static str {
    match rule {
        Rule::Rejection => "Rejection",
        Rule::Block => "Block",
        Rule::Gumbel => "Gumbel",
        Rule::MinHash => "MinHash",
        Rule::SampleAndMatch => "Sample and match",
        Rule::Greedy => "Greedy",
        Rule::Lenience => "Lenience",
        Rule::Typical => "Typical",
    }
}

/// When a token stays, in plain words.
pub fn hint(rule: Rule) -> String {
    match rule {
        Rule::Rejection => tr!("A token stays with probability target / draft, at most 1."),
        Rule::Block => tr!("Judged together: the longest prefix that passes stays."),
        Rule::Gumbel => tr!("Both models race the same clocks; a token first in both stays."),
        Rule::MinHash => {
            tr!(
                "Both models look at the same darts; a token stays if the first hit of each names it."
            )
        }
        Rule::SampleAndMatch => tr!("The target draws a token of its own; equal ones stay."),
        Rule::Greedy => tr!("A token stays if it is the target’s most probable one."),
        Rule::Lenience => tr!("As Rejection, but only a share of the draft’s probability counts."),
        Rule::Typical => tr!("A token stays if the target finds it probable enough."),
    }
}

/// Why the text is not the target's, where it is not.
pub fn why_not_exact(rule: Rule) -> String {
    match rule {
        Rule::Greedy => {
            tr!("Always inks the target’s favourite, so in general its text is not the target’s.")
        }
        Rule::Lenience => {
            tr!(
                "Keeps what the draft likes too often, so in general its text leans to the draft’s."
            )
        }
        Rule::Typical => {
            tr!(
                "Keeps whatever is probable enough, as often as the draft proposes it, so in general its text leans to the draft’s."
            )
        }
        Rule::Rejection | Rule::Block | Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => {
            String::new()
        }
    }
}

/// What replaces a rejected token.
pub fn replacement(rule: Rule) -> String {
    match rule {
        Rule::Rejection | Rule::Block | Rule::Lenience => tr!("from the residual"),
        Rule::Gumbel | Rule::MinHash | Rule::SampleAndMatch => tr!("the target’s own"),
        Rule::Greedy => tr!("the target’s favourite"),
        Rule::Typical => tr!("from the target"),
    }
}

/// What became of the place of a rejected token, in a word.
pub fn replaced(rule: Rule) -> String {
    match redraws(rule) {
        true => tr!("resampled"),
        false => tr!("replaced"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_offered_once() {
        let offered: Vec<Rule> = GROUPS
            .iter()
            .flat_map(|group| group.rules)
            .copied()
            .collect();
        assert_eq!(offered.len(), Rule::ALL.len());
        assert!(Rule::ALL.iter().all(|rule| offered.contains(rule)));
        let invariant = GROUPS[1].rules.iter();
        assert!(invariant.copied().all(Rule::is_drafter_invariant));
    }

    #[test]
    fn only_what_is_drawn_again_is_called_resampled() {
        for rule in Rule::ALL {
            let own = replacement(rule).starts_with("the target’s");
            assert_eq!(replaced(rule) == "replaced", own, "{rule:?}");
        }
    }

    #[test]
    fn what_can_be_not_exact_says_why() {
        for rule in GROUPS[2].rules {
            assert!(!why_not_exact(*rule).is_empty());
        }
    }
}
