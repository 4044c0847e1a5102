//! What differs between the settings of two runs, in words.

use couplet_playback::{separator, shortest, tr};
use couplet_protocol::{Drafter, Rule, Settings};

use super::rule_words::title;
use crate::form::label;

/// The parameters of the rule that is used, with their names where there are several; `None` where it
/// has none.
pub fn parameters(settings: &Settings) -> Option<String> {
    let value = |parameter| shortest(settings.parameter(parameter));
    match settings.rule.parameters() {
        [] => None,
        [only] => Some(value(*only)),
        several => {
            let named = several
                .iter()
                .map(|parameter| format!("{} {}", label(parameter.name()), value(*parameter)));
            Some(named.collect::<Vec<_>>().join(&separator()))
        }
    }
}

/// Every setting but the pair and the prompt, with its name, as a person reads it. A rule's parameters
/// are empty where it has none.
fn named(settings: &Settings) -> [(String, String); 9] {
    let Settings {
        pair: _,
        prompt: _,
        gamma,
        auto_gamma,
        rule,
        // As far as the rule has them.
        lenience: _,
        epsilon: _,
        delta: _,
        drafter,
        temperature,
        top_k,
        top_p,
        seed,
        max_tokens,
    } = settings;
    let gamma = match auto_gamma {
        true => tr!("auto"),
        false => gamma.to_string(),
    };
    let parameter = match rule {
        Rule::Lenience => tr!("lenience"),
        Rule::Typical => tr!("Typical" => "line"),
        Rule::Rejection
        | Rule::Block
        | Rule::Gumbel
        | Rule::MinHash
        | Rule::SampleAndMatch
        | Rule::Greedy => String::new(),
    };
    [
        ("γ".to_owned(), gamma),
        (tr!("rule"), title(*rule).to_owned()),
        (parameter, parameters(settings).unwrap_or_default()),
        (tr!("drafter"), drafter_name(*drafter)),
        (tr!("temperature"), shortest(*temperature)),
        (tr!("top-k"), top_k.to_string()),
        (tr!("top-p"), shortest(*top_p)),
        (tr!("seed"), seed.to_string()),
        (tr!("tokens"), max_tokens.to_string()),
    ]
}

/// `γ 5 → 2` for every setting that differs, and the token that was forced for another. Parameters
/// count only under the rule that has them.
pub fn changes(
    old: &Settings,
    new: &Settings,
    forced: Option<(Option<String>, String)>,
) -> Vec<String> {
    let forced = forced.map(|(stood, token)| match stood {
        Some(stood) if stood != token => tr!("“{stood}” → “{token}”, by hand", stood, token),
        _ => tr!("“{token}” by hand", token),
    });
    let both = named(old).into_iter().zip(named(new));
    let changed = both
        .filter(|((old_name, old), (name, new))| old_name == name && old != new)
        // Another rule's parameters were not changed, they are others.
        .filter(|((_, old), (_, new))| !old.is_empty() && !new.is_empty())
        .map(|((name, old), (_, new))| format!("{name} {old} → {new}"));
    forced.into_iter().chain(changed).collect()
}

/// `temperature 0.8` for every setting of a run of which the form says something else; pair and
/// prompt apart.
pub fn own_settings(run: &Settings, form: &Settings) -> Vec<String> {
    let both = named(run).into_iter().zip(named(form));
    both.filter(|(own, other)| own != other && !own.1.is_empty())
        .map(|((name, own), _)| format!("{name} {own}"))
        .collect()
}

/// All settings of a run but its pair and prompt, in one line.
pub fn all_settings(run: &Settings) -> String {
    let named = named(run).into_iter();
    let told: Vec<String> = named
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    told.join(&separator())
}

fn drafter_name(drafter: Drafter) -> String {
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
    fn a_run_tells_what_the_form_says_otherwise() {
        let run = Settings::default();
        let form = Settings {
            temperature: 2.0,
            rule: Rule::Lenience,
            ..run.clone()
        };
        assert_eq!(own_settings(&run, &run), Vec::<String>::new());
        assert_eq!(
            own_settings(&run, &form),
            ["rule Rejection", "temperature 0.8"]
        );
        assert_eq!(
            all_settings(&form),
            "γ 5, rule Lenience, lenience 0.5, drafter model, temperature 2, top-k 0, top-p 1, \
             seed 1611, tokens 120"
        );
    }

    #[test]
    fn a_token_by_hand_comes_first() {
        let old = Settings::default();
        let forced = Some((Some("n".to_owned()), "e".to_owned()));
        assert_eq!(changes(&old, &old, forced), ["“n” → “e”, by hand"]);
        let same = Some((Some("e".to_owned()), "e".to_owned()));
        assert_eq!(changes(&old, &old, same), ["“e” by hand"]);
        let behind = Some((None, "e".to_owned()));
        assert_eq!(changes(&old, &old, behind), ["“e” by hand"]);
    }
}
