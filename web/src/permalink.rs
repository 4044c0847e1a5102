//! Settings in the address: `#v=1&pair=…&prompt=…`. Whatever is written there, the page starts.

use couplet_protocol::{BackendChoice, Drafter, Rule, Settings};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::UrlSearchParams;

use crate::projector;
use crate::store::Scene;

const VERSION: &str = "1";
const LONGEST: usize = 16_384;
/// Keys that name a setting.
const SETTINGS: [&str; 14] = [
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

/// What an address asks for.
pub struct Link {
    /// Settings; defaults where the address says nothing or nonsense.
    pub settings: Settings,
    /// Whether it names any setting: then it asks for that run.
    pub asks: bool,
    /// Whether it names the prompt; else the pair's own will do.
    pub names_prompt: bool,
    /// Which engine.
    pub backend: BackendChoice,
    /// Which part of the page.
    pub scene: Scene,
    /// A sentence about what could not be understood.
    pub trouble: Option<String>,
}

/// Reads the address of the page.
pub fn read() -> Link {
    let location = window().location();
    let query = pairs(&location.search().unwrap_or_default());
    let hash = location.hash().unwrap_or_default();
    let backend_of = |pairs: &[(String, String)]| {
        pairs
            .iter()
            .any(|(key, value)| key == "backend" && value == "cpu")
    };
    let usual = |backend, sentence: String| Link {
        settings: Settings::default(),
        asks: false,
        names_prompt: false,
        backend,
        scene: Scene::Stage,
        trouble: Some(sentence),
    };
    if hash.len() > LONGEST {
        let sentence = "The link is too long to be one of ours, so these are the usual settings.";
        return usual(choice(backend_of(&query)), sentence.to_owned());
    }
    let pairs = pairs(hash.trim_start_matches('#'));
    let backend = choice(backend_of(&query) || backend_of(&pairs));
    let scene = scene(&pairs);
    let names = |name: &str| pairs.iter().any(|(key, _)| key == name);
    match settings(&pairs) {
        Ok(settings) => Link {
            settings,
            asks: SETTINGS.iter().any(|name| names(name)),
            names_prompt: names("prompt"),
            backend,
            scene,
            trouble: None,
        },
        Err(sentence) => Link {
            scene,
            ..usual(
                backend,
                format!("The link could not be used: {sentence}. These are the usual settings."),
            )
        },
    }
}

/// Writes settings into the address without leaving the page.
pub fn write(settings: &Settings, scene: Scene) {
    let Ok(params) = UrlSearchParams::new() else {
        return;
    };
    params.append("v", VERSION);
    params.append("pair", &settings.pair);
    params.append("prompt", &settings.prompt);
    params.append("gamma", &settings.gamma.to_string());
    if settings.auto_gamma {
        params.append("auto", "1");
    }
    params.append("rule", settings.rule.name());
    // Parameters of one rule are noise in the links of the others.
    if settings.rule == Rule::Lenience {
        params.append("lenience", &settings.lenience.to_string());
    }
    if settings.rule == Rule::Typical {
        params.append("epsilon", &settings.epsilon.to_string());
        params.append("delta", &settings.delta.to_string());
    }
    if settings.drafter != Drafter::Model {
        params.append("drafter", settings.drafter.name());
    }
    params.append("temperature", &settings.temperature.to_string());
    params.append("top_k", &settings.top_k.to_string());
    params.append("top_p", &settings.top_p.to_string());
    params.append("seed", &settings.seed.to_string());
    params.append("max_tokens", &settings.max_tokens.to_string());
    let cpu = read().backend == BackendChoice::Cpu;
    let query_has_it = window()
        .location()
        .search()
        .is_ok_and(|search| search.contains("backend=cpu"));
    if cpu && !query_has_it {
        params.append("backend", "cpu");
    }
    if scene != Scene::Stage {
        params.append("scene", scene.name());
    }
    if projector::is_on() {
        params.append(projector::KEY, "1");
    }
    let hash = format!("#{}", String::from(params.to_string()));
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&hash));
    }
}

/// Puts the scene into the address as a step that the browser's Back button undoes.
pub fn write_scene(scene: Scene) {
    let hash = window().location().hash().unwrap_or_default();
    let Ok(params) = UrlSearchParams::new_with_str(hash.trim_start_matches('#')) else {
        return;
    };
    match scene {
        Scene::Stage => params.delete("scene"),
        _ => params.set("scene", scene.name()),
    }
    let hash = format!("#{}", String::from(params.to_string()));
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&hash));
    }
}

fn choice(cpu: bool) -> BackendChoice {
    if cpu {
        BackendChoice::Cpu
    } else {
        BackendChoice::Auto
    }
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let Ok(params) = UrlSearchParams::new_with_str(text) else {
        return Vec::new();
    };
    let entries = js_sys::Array::from(&params);
    entries
        .iter()
        .filter_map(|entry| {
            let entry = js_sys::Array::from(&entry);
            Some((entry.get(0).as_string()?, entry.get(1).as_string()?))
        })
        .collect()
}

/// The scene that the pairs name; the Stage if they name none that there is.
fn scene(pairs: &[(String, String)]) -> Scene {
    let named = |scene: &Scene| {
        pairs
            .iter()
            .any(|(key, value)| key == "scene" && value == scene.name())
    };
    Scene::ALL.into_iter().find(named).unwrap_or_default()
}

/// Settings from key-value pairs. Keys of other parts of the page are left alone.
fn settings(pairs: &[(String, String)]) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for (key, value) in pairs {
        let bad = |_| format!("{key} cannot be “{}”", shorten(value));
        match key.as_str() {
            "v" if value != VERSION => {
                return Err(format!(
                    "it has version {}, this page reads 1",
                    shorten(value)
                ));
            }
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
                let rule = Rule::ALL.into_iter().find(|rule| rule.name() == value);
                settings.rule = rule.ok_or(()).map_err(bad)?;
            }
            "lenience" => settings.lenience = value.parse().map_err(|_| bad(()))?,
            "epsilon" => settings.epsilon = value.parse().map_err(|_| bad(()))?,
            "delta" => settings.delta = value.parse().map_err(|_| bad(()))?,
            "drafter" => {
                let drafter = Drafter::ALL.into_iter().find(|it| it.name() == value);
                settings.drafter = drafter.ok_or(()).map_err(bad)?;
            }
            "temperature" => settings.temperature = value.parse().map_err(|_| bad(()))?,
            "top_k" => settings.top_k = value.parse().map_err(|_| bad(()))?,
            "top_p" => settings.top_p = value.parse().map_err(|_| bad(()))?,
            "seed" => settings.seed = value.parse().map_err(|_| bad(()))?,
            "max_tokens" => settings.max_tokens = value.parse().map_err(|_| bad(()))?,
            _ => {}
        }
    }
    settings.check().map_err(|error| error.to_string())?;
    Ok(settings)
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(24).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let owned: Vec<(String, String)> = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        settings(&owned)
    }

    #[test]
    fn a_link_sets_what_it_names_and_nothing_else() {
        let settings = read(&[
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
    fn a_scene_is_one_of_ours_or_the_stage() {
        let scene_of = |value: &str| scene(&[("scene".to_owned(), value.to_owned())]);
        for known in Scene::ALL {
            assert_eq!(scene_of(known.name()), known);
        }
        assert_eq!(scene_of("../x"), Scene::Stage);
        assert_eq!(scene(&[]), Scene::Stage);
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
            let sentence = read(&[(key, value)]).unwrap_err();
            assert!(sentence.contains(key), "{sentence}");
        }
        assert!(read(&[("v", "2")]).unwrap_err().contains("version"));
    }
}
