//! What differs between the settings of two runs, in words.

use couplet_playback::{separator, shortest};
use couplet_protocol::{Drafter, Rule, Settings};
use tr::tr;

use super::rule_words::title;

/// The parameters of the rule that is used; `None` where it has none.
pub fn parameters(settings: &Settings) -> Option<String> {
    match settings.rule {
        Rule::Lenience => Some(shortest(settings.lenience)),
        Rule::Typical => Some(format!(
            "ε {}{}δ {}",
            shortest(settings.epsilon),
            separator(),
            shortest(settings.delta)
        )),
        Rule::Rejection
        | Rule::Block
        | Rule::Gumbel
        | Rule::MinHash
        | Rule::SampleAndMatch
        | Rule::Greedy => None,
    }
}

/// `γ 5 → 2` for every setting that differs, and the token that was forced for another. Parameters
/// count only under the rule that has them.
pub fn changes(
    old: &Settings,
    new: &Settings,
    forced: Option<(Option<String>, String)>,
) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some((stood, token)) = forced {
        changes.push(match stood {
            Some(stood) => tr!("“{stood}” → “{token}”, by hand", stood, token),
            None => tr!("“{token}” by hand", token),
        });
    }
    let mut change = |name: &str, old: String, new: String| {
        if old != new {
            changes.push(format!("{name} {old} → {new}"));
        }
    };
    let gamma = |settings: &Settings| {
        if settings.auto_gamma {
            tr!("auto")
        } else {
            settings.gamma.to_string()
        }
    };
    change("γ", gamma(old), gamma(new));
    change(
        &tr!("rule"),
        title(old.rule).to_owned(),
        title(new.rule).to_owned(),
    );
    let of_rule = |settings: &Settings| parameters(settings).unwrap_or_default();
    if old.rule == new.rule {
        let name = match new.rule {
            Rule::Lenience => tr!("lenience"),
            _ => tr!("Typical" => "line"),
        };
        change(&name, of_rule(old), of_rule(new));
    }
    change(&tr!("drafter"), drafter(old.drafter), drafter(new.drafter));
    change(
        &tr!("temperature"),
        shortest(old.temperature),
        shortest(new.temperature),
    );
    change(&tr!("top-k"), old.top_k.to_string(), new.top_k.to_string());
    change(&tr!("top-p"), shortest(old.top_p), shortest(new.top_p));
    change(&tr!("seed"), old.seed.to_string(), new.seed.to_string());
    change(
        &tr!("tokens"),
        old.max_tokens.to_string(),
        new.max_tokens.to_string(),
    );
    changes
}

fn drafter(drafter: Drafter) -> String {
    match drafter {
        Drafter::Model => tr!("drafter" => "model"),
        Drafter::Bigram => tr!("drafter" => "pairs"),
        Drafter::Uniform => tr!("drafter" => "uniform"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use couplet_protocol::Rule;

    #[test]
    fn only_what_differs_is_told() {
        let old = Settings::default();
        assert!(changes(&old, &old, None).is_empty());
        let new = Settings {
            gamma: 2,
            temperature: 1.2,
            // Not in force under Rejection.
            lenience: 0.25,
            ..old.clone()
        };
        assert_eq!(
            changes(&old, &new, None),
            ["γ 5 → 2", "temperature 0.8 → 1.2"]
        );
        let rule = Settings {
            rule: Rule::Gumbel,
            ..old.clone()
        };
        assert_eq!(changes(&old, &rule, None), ["rule Rejection → Gumbel"]);
        let lenient = |lenience| Settings {
            rule: Rule::Lenience,
            lenience,
            ..old.clone()
        };
        assert_eq!(
            changes(&lenient(0.5), &lenient(0.2), None),
            ["lenience 0.5 → 0.2"]
        );
    }

    #[test]
    fn a_token_by_hand_comes_first() {
        let old = Settings::default();
        let forced = Some((Some("n".to_owned()), "e".to_owned()));
        assert_eq!(changes(&old, &old, forced), ["“n” → “e”, by hand"]);
        let behind = Some((None, "e".to_owned()));
        assert_eq!(changes(&old, &old, behind), ["“e” by hand"]);
    }
}
