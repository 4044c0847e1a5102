//! The settings of a run in a link.

use couplet_playback::tr;
use couplet_protocol::{Drafter, Rule, Settings};

use super::query::value;
use super::{Pairs, VERSION, cannot_be, shorten};
use crate::language;

/// Keys that name a setting.
pub const KEYS: [&str; 14] = [
    "pair",
    "prompt",
    "gamma",
    "auto",
    "rule",
    "lenience",
    "epsilon",
    "delta",
    "drafter",
    "temperature",
    "top_k",
    "top_p",
    "seed",
    "max_tokens",
];

/// Settings as pairs.
pub fn print(settings: &Settings) -> Pairs {
    let Settings {
        pair,
        prompt,
        gamma,
        auto_gamma,
        rule,
        // As far as the rule reads them.
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
    let mut pairs = Pairs::new();
    let mut add = |key: &str, value: String| pairs.push((key.to_owned(), value));
    add("pair", pair.clone());
    add("prompt", prompt.clone());
    add("gamma", gamma.to_string());
    if *auto_gamma {
        add("auto", "1".to_owned());
    }
    add("rule", rule.name().to_owned());
    // Parameters of one rule are noise in the links of the others.
    for parameter in rule.parameters() {
        add(parameter.name(), settings.parameter(*parameter).to_string());
    }
    if *drafter != Drafter::Model {
        add("drafter", drafter.name().to_owned());
    }
    add("temperature", temperature.to_string());
    add("top_k", top_k.to_string());
    add("top_p", top_p.to_string());
    add("seed", seed.to_string());
    add("max_tokens", max_tokens.to_string());
    pairs
}

/// Settings from pairs. Keys of other parts of the page are left alone.
///
/// # Errors
///
/// A clause that names the first key at fault.
pub fn read(pairs: &[(String, String)]) -> Result<Settings, String> {
    if let Some(version) = value(pairs, "v").filter(|version| *version != VERSION) {
        return Err(tr!(
            "it has version {found}, this page reads {known}",
            found = shorten(version),
            known = VERSION
        ));
    }
    let mut settings = Settings::default();
    for (key, value) in pairs {
        let bad = |_| cannot_be(key, value);
        match key.as_str() {
            "pair" => settings.pair.clone_from(value),
            "prompt" => settings.prompt.clone_from(value),
            "gamma" => settings.gamma = value.parse().map_err(|_| bad(()))?,
            "auto" => {
                settings.auto_gamma = match value.as_str() {
                    "1" => true,
                    "0" => false,
                    _ => return Err(bad(())),
                }
            }
            "rule" => {
                settings.rule = Rule::named(value).ok_or(()).map_err(bad)?;
            }
            "lenience" => settings.lenience = value.parse().map_err(|_| bad(()))?,
            "epsilon" => settings.epsilon = value.parse().map_err(|_| bad(()))?,
            "delta" => settings.delta = value.parse().map_err(|_| bad(()))?,
            "drafter" => {
                settings.drafter = Drafter::named(value).ok_or(()).map_err(bad)?;
            }
            "temperature" => settings.temperature = value.parse().map_err(|_| bad(()))?,
            "top_k" => settings.top_k = value.parse().map_err(|_| bad(()))?,
            "top_p" => settings.top_p = value.parse().map_err(|_| bad(()))?,
            "seed" => settings.seed = value.parse().map_err(|_| bad(()))?,
            "max_tokens" => settings.max_tokens = value.parse().map_err(|_| bad(()))?,
            _ => {}
        }
    }
    settings
        .check()
        .map_err(|error| format!("{}: {}", error.field, language::of_engine(&error.sentence)))?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read_all(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let owned: Pairs = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        read(&owned)
    }

    #[test]
    fn a_link_sets_what_it_names_and_nothing_else() {
        let settings = read_all(&[
            ("v", "1"),
            ("gamma", "3"),
            ("prompt", "O\n"),
            ("auto", "1"),
            ("rule", "greedy"),
        ])
        .unwrap();
        let expected = Settings {
            gamma: 3,
            auto_gamma: true,
            prompt: "O\n".to_owned(),
            rule: Rule::Greedy,
            ..Settings::default()
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn every_setting_comes_back_from_its_link() {
        let mut named = BTreeSet::new();
        for rule in Rule::ALL {
            for drafter in Drafter::ALL {
                // Another value than the usual for every field.
                let all = Settings {
                    pair: "stories".to_owned(),
                    prompt: "ça & ça\n+ = %".to_owned(),
                    gamma: 7,
                    auto_gamma: true,
                    rule,
                    lenience: 0.25,
                    epsilon: 0.2,
                    delta: 0.6,
                    drafter,
                    temperature: 1.3,
                    top_k: 9,
                    top_p: 0.9,
                    seed: 77,
                    max_tokens: 31,
                };
                let pairs = print(&all);
                let text = super::super::query::print(&pairs);
                let read = read(&super::super::query::parse(&text));
                assert_eq!(read, Ok(all.as_used()));
                named.extend(pairs.into_iter().map(|(key, _)| key));
            }
        }
        assert_eq!(named, KEYS.map(str::to_owned).into());
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence_that_names_the_field() {
        for (key, value) in [
            ("gamma", "-1"),
            ("gamma", "99"),
            ("auto", "yes"),
            ("temperature", "NaN"),
            ("temperature", "inf"),
            ("top_p", "0"),
            ("seed", "1e400"),
            ("rule", "<script>"),
            ("lenience", "0"),
            ("epsilon", "2"),
            ("delta", "NaN"),
            ("drafter", "me"),
            ("pair", "../x"),
        ] {
            let sentence = read_all(&[(key, value)]).unwrap_err();
            assert!(sentence.contains(key), "{sentence}");
        }
        assert!(read_all(&[("v", "2")]).unwrap_err().contains("version"));
    }
}
