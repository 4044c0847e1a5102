//! The state of the page in its address: `#v=1&pair=…&prompt=…&at=…`. Whatever is written there,
//! the page starts.

mod exhibits;
mod left;
pub mod query;
mod settings;
mod view;

use std::cell::Cell;

use couplet_playback::tr;
use couplet_protocol::{BackendChoice, Branch, Settings};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::History;

use crate::errors::Said;
use crate::words::cut_to;
pub use exhibits::{Exhibits, LiveTest, MOST_TOKENS, OwnPair, Sweep};
pub use left::Left;
pub use view::{HIDEABLE, LinkTheme, View};

/// Keys and values of an address, in order.
pub type Pairs = Vec<(String, String)>;

const VERSION: &str = "1";
/// The only device that an address names.
const CPU: &str = "cpu";
/// The longest text after `#` that is read.
const LONGEST: usize = 16_384;
/// The longest address that is given away, in bytes: mail and chat programs cut longer ones.
pub const LONGEST_LINK: usize = 2_048;

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Settings; defaults where the address says nothing or nonsense.
    pub settings: Settings,
    /// Whether it names any setting: then it asks for that run.
    pub asks: bool,
    /// Whether it names the prompt; else the pair's own will do.
    pub names_prompt: bool,
    /// Which engine.
    pub backend: BackendChoice,
    /// What else it says.
    pub view: View,
    /// A sentence about what could not be understood.
    pub trouble: Option<String>,
}

/// Reads the address of the page.
pub fn read() -> Link {
    let location = window().location();
    let hash = location.hash().unwrap_or_default();
    understand(&location.search().unwrap_or_default(), &hash)
}

/// What the two parts of an address say, `?…` and `#…`.
pub fn understand(search: &str, hash: &str) -> Link {
    let query = query::parse(search.trim_start_matches('?'));
    let too_long = hash.len() > LONGEST;
    let pairs = if too_long {
        Pairs::new()
    } else {
        query::parse(hash.trim_start_matches('#'))
    };
    let devices = [&query, &pairs].map(|said| query::value(said, "backend"));
    let backend = match devices.contains(&Some(CPU)) {
        true => BackendChoice::Cpu,
        false => BackendChoice::Auto,
    };
    let (view, odd) = view::read(&pairs);
    let odd = odd.or_else(|| {
        let odd = devices.into_iter().flatten().find(|name| *name != CPU)?;
        Some(cannot_be("backend", odd))
    });
    let names = |name: &str| pairs.iter().any(|(key, _)| key == name);
    let link = Link {
        settings: Settings::default(),
        asks: false,
        names_prompt: false,
        backend,
        view,
        trouble: None,
    };
    if too_long {
        let sentence =
            tr!("The link is too long to be one of ours, so these are the usual settings.");
        return Link {
            trouble: Some(sentence),
            ..link
        };
    }
    match settings::read(&pairs) {
        Ok(settings) => Link {
            settings,
            asks: settings::KEYS.iter().any(|name| names(name)),
            names_prompt: names("prompt"),
            trouble: odd.map(|clause| tr!("A part of the link was left out: {clause}.", clause)),
            ..link
        },
        Err(clause) => Link {
            // A playhead and a branch belong to the run that was meant.
            view: View {
                at: None,
                pick: None,
                branch: None,
                left: None,
                ..link.view
            },
            trouble: Some(tr!(
                "The link could not be used ({clause}). These are the usual settings.",
                clause
            )),
            ..link
        },
    }
}

/// What stands after `#` for a run and a view of it.
pub fn hash(settings: Option<&Settings>, view: &View, backend: BackendChoice) -> String {
    let mut pairs = vec![("v".to_owned(), VERSION.to_owned())];
    pairs.extend(settings.into_iter().flat_map(settings::print));
    if backend == BackendChoice::Cpu {
        pairs.push(("backend".to_owned(), CPU.to_owned()));
    }
    pairs.extend(view::print(view));
    format!("#{}", query::print(&pairs))
}

/// The same without the prompt: whoever opens it gets the one that suits the pair.
pub fn without_prompt(hash: &str) -> String {
    let mut pairs = query::parse(hash.trim_start_matches('#'));
    pairs.retain(|(key, _)| key != "prompt");
    format!("#{}", query::print(&pairs))
}

/// The page's address with another text after `#`.
pub fn address(hash: &str) -> String {
    let search = window().location().search().unwrap_or_default();
    address_with(&without_device(&search, |name| name != CPU), hash)
}

/// The same for whoever computes with another device.
pub fn address_elsewhere(hash: &str) -> String {
    let search = window().location().search().unwrap_or_default();
    address_with(&without_device(&search, |_| true), hash)
}

fn address_with(search: &str, hash: &str) -> String {
    let location = window().location();
    let part = |part: Result<String, JsValue>| part.unwrap_or_default();
    format!(
        "{}{}{search}{hash}",
        part(location.origin()),
        part(location.pathname())
    )
}

/// What stands between `?` and `#` without the choice of a device of such a name.
fn without_device(search: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let mut pairs = query::parse(search.trim_start_matches('?'));
    pairs.retain(|(key, name)| key != "backend" || !is_left_out(name));
    match query::print(&pairs) {
        none if none.is_empty() => none,
        some => format!("?{some}"),
    }
}

/// Writes a run into the address without leaving the page. The playhead of another run goes.
pub fn write(settings: &Settings, branch: Option<&Branch>) {
    let link = read();
    let view = View {
        at: None,
        pick: None,
        branch: branch.cloned(),
        left: None,
        ..link.view
    };
    replace(&readable(settings, &view, in_hash(link.backend)));
}

/// What stands after `#` for a run; without the run where its prompt is so long that nobody would
/// read the address.
fn readable(settings: &Settings, view: &View, backend: BackendChoice) -> String {
    let whole = hash(Some(settings), view, backend);
    if whole.len() <= LONGEST {
        return whole;
    }
    let view = View {
        at: None,
        pick: None,
        branch: None,
        left: None,
        ..view.clone()
    };
    hash(None, &view, backend)
}

/// Changes what the address says besides the settings; `step` makes it a step that the browser's
/// Back button undoes.
pub fn write_view(step: bool, change: impl FnOnce(&mut View)) {
    let link = read();
    let mut view = link.view.clone();
    change(&mut view);
    if view == link.view {
        return;
    }
    let settings = link.asks.then_some(&link.settings);
    let mut hash = hash(settings, &view, in_hash(link.backend));
    if !link.names_prompt {
        hash = without_prompt(&hash);
    }
    // What a link asks for when it is opened, a lesson's scene say, is no step of anybody's.
    if step && is_claimed() {
        if let Some(history) = own_history() {
            let _ = history.push_state_with_url(&mark(&history), "", Some(&hash));
        }
    } else {
        replace(&hash);
    }
}

/// Whether the address asks for another run than the one with these settings and this branch.
pub fn names_another(settings: &Settings, branch: &Option<Branch>) -> bool {
    let link = read();
    link.asks && (settings.as_used() != link.settings || *branch != link.view.branch)
}

/// Writes settings and a view into the address.
pub fn write_all(settings: &Settings, change: impl FnOnce(&mut View)) {
    let link = read();
    let mut view = link.view.clone();
    change(&mut view);
    if view != link.view || !link.asks || settings.as_used() != link.settings {
        replace(&readable(settings, &view, in_hash(link.backend)));
    }
}

/// The backend as far as the part before `#` does not say it already.
pub fn in_hash(backend: BackendChoice) -> BackendChoice {
    let search = window().location().search().unwrap_or_default();
    let said = query::parse(search.trim_start_matches('?'));
    if query::value(&said, "backend") == Some(CPU) {
        BackendChoice::Auto
    } else {
        backend
    }
}

thread_local! {
    /// Marks the entries of the browser's history that come of the link that the page was opened
    /// with; none before [`claim`].
    static MARK: Cell<Option<f64>> = const { Cell::new(None) };
}

/// What the history's entries are to be marked with.
fn mark(history: &History) -> JsValue {
    match MARK.get() {
        Some(mark) => mark.into(),
        None => history.state().unwrap_or(JsValue::NULL),
    }
}

/// The browser's history, unless another link was put into the address line: that stands there until
/// the page is gone.
fn own_history() -> Option<History> {
    let history = window().history().ok()?;
    let state = history.state().unwrap_or(JsValue::NULL);
    (!is_claimed() || !is_of_another_link(&state)).then_some(history)
}

fn replace(hash: &str) {
    if let Some(history) = own_history() {
        let _ = history.replace_state_with_url(&mark(&history), "", Some(hash));
    }
}

/// Marks the entry that the page was opened with as one of its own; loaded anew, it has its mark
/// already.
pub fn claim() {
    if let Ok(history) = window().history() {
        let before = history.state().ok().and_then(|state| state.as_f64());
        MARK.set(Some(before.unwrap_or_else(js_sys::Math::random)));
        let _ = history.replace_state(&mark(&history), "");
    }
}

/// Whether the entry that the page is opened with was one of its own before: then it is loaded anew.
/// To be asked before [`claim`].
pub fn is_marked() -> bool {
    let state = window().history().and_then(|history| history.state());
    state.is_ok_and(|state| state.as_f64().is_some())
}

/// Whether an entry of the browser's history is about another link than the page is: one without a
/// mark has just been put into the address line, and one with another mark was, before this one.
pub fn is_of_another_link(state: &JsValue) -> bool {
    state.as_f64() != MARK.get()
}

fn is_claimed() -> bool {
    MARK.get().is_some()
}

/// Takes the language out of the address: whoever chooses one has it again when the page is loaded
/// anew.
pub fn forget_language() {
    let location = window().location();
    let part = |part: Result<String, JsValue>| part.unwrap_or_default();
    let search = part(location.search());
    let mut pairs = query::parse(search.trim_start_matches('?'));
    let count = pairs.len();
    pairs.retain(|(key, _)| !["language", "lang"].contains(&key.as_str()));
    if pairs.len() < count {
        let mark = if pairs.is_empty() { "" } else { "?" };
        let (path, hash) = (part(location.pathname()), part(location.hash()));
        replace(&format!("{path}{mark}{}{hash}", query::print(&pairs)));
    }
}

/// What could not be understood of the page's address as it is now.
pub fn said_trouble() -> Said {
    let location = window().location();
    let search = location.search().unwrap_or_default();
    let hash = location.hash().unwrap_or_default();
    Said::new(move || understand(&search, &hash).trouble.unwrap_or_default())
}

/// A sentence about a part of the page's address that its scene or lesson has no use for.
pub fn left_out(key: &'static str) -> Said {
    let hash = window().location().hash().unwrap_or_default();
    let pairs = query::parse(hash.trim_start_matches('#'));
    let value = query::value(&pairs, key).unwrap_or_default().to_owned();
    Said::new(move || {
        let clause = cannot_be(key, &value);
        tr!("A part of the link was left out: {clause}.", clause)
    })
}

/// A clause about a value that a key cannot have.
pub fn cannot_be(key: &str, value: &str) -> String {
    tr!("{key} cannot be “{value}”", key, value = shorten(value))
}

/// The beginning of a text that stands in a link, for a sentence about it.
pub fn shorten(text: &str) -> String {
    cut_to(text, 25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_for_others_leaves_the_device_to_them() {
        let without_device = |search| without_device(search, |_| true);
        assert_eq!(without_device(""), "");
        assert_eq!(without_device("?backend=cpu"), "");
        assert_eq!(without_device("?language=de&backend=cpu"), "?language=de");
    }

    #[test]
    fn a_device_that_there_is_not_is_told_and_given_to_nobody() {
        for (search, hash) in [
            ("?backend=CPU", ""),
            ("", "#backend=quantum"),
            ("?backend", ""),
        ] {
            let link = understand(search, hash);
            assert_eq!(link.backend, BackendChoice::Auto);
            let trouble = link.trouble.unwrap_or_default();
            assert!(trouble.contains("backend cannot be “"), "{trouble}");
        }
        assert_eq!(understand("?backend=cpu", "#backend=cpu").trouble, None);
        let search = "?backend=CPU&language=de&backend=cpu";
        let kept = without_device(search, |name| name != CPU);
        assert_eq!(kept, "?language=de&backend=cpu");
    }

    #[test]
    fn links_of_the_first_page_still_mean_the_same() {
        let link = understand(
            "?backend=cpu",
            "#v=1&pair=stories&prompt=Once+upon%2C&gamma=3&rule=typical&epsilon=0.2&delta=0.1&temperature=0.7&top_k=5&top_p=0.9&seed=9&max_tokens=40&scene=proof",
        );
        let settings = Settings {
            pair: "stories".to_owned(),
            prompt: "Once upon,".to_owned(),
            gamma: 3,
            rule: couplet_protocol::Rule::Typical,
            epsilon: 0.2,
            delta: 0.1,
            temperature: 0.7,
            top_k: 5,
            top_p: 0.9,
            seed: 9,
            max_tokens: 40,
            ..Settings::default()
        };
        assert_eq!(link.settings, settings);
        assert_eq!(link.view.scene, crate::store::Scene::Proof);
        assert!(link.asks && link.names_prompt && link.trouble.is_none());
        assert_eq!(link.backend, BackendChoice::Cpu);
    }

    #[test]
    fn a_whole_state_comes_back_from_its_link_in_two_kilobytes() {
        let settings = Settings {
            prompt: "é\n".repeat(100),
            ..Settings::default()
        };
        let view = View {
            at: Some(42),
            pick: Some(crate::store::Selection {
                round: 999,
                column: 15,
            }),
            letters: crate::store::Notation::Leviathan,
            marks: crate::store::MarksShown::Clean,
            hide: HIDEABLE.iter().map(|it| it.name).collect(),
            step: 1,
            ..View::default()
        };
        let text = hash(Some(&settings), &view, BackendChoice::Cpu);
        assert!(text.len() < LONGEST_LINK, "{}", text.len());
        let link = understand("", &text);
        assert_eq!(
            (link.settings, link.view, link.trouble),
            (settings, view, None)
        );
    }

    #[test]
    fn a_prompt_that_is_not_known_is_left_out() {
        let settings = Settings {
            pair: "stories".to_owned(),
            ..Settings::default()
        };
        let view = View {
            step: 1,
            ..View::default()
        };
        let text = hash(Some(&settings), &view, BackendChoice::Auto);
        let link = understand("", &without_prompt(&text));
        assert_eq!((link.settings, link.names_prompt), (settings, false));
    }

    #[test]
    fn no_address_is_written_that_the_page_would_not_read() {
        let settings = Settings {
            prompt: "ж".repeat(4000),
            ..Settings::default()
        };
        let view = View {
            at: Some(42),
            ..View::default()
        };
        let link = understand("", &readable(&settings, &view, BackendChoice::Auto));
        assert_eq!((link.asks, link.view.at, link.trouble), (false, None, None));
    }

    /// Thousands of odd links: none may panic, and each is used or gets a sentence.
    #[test]
    fn no_odd_link_does_harm() {
        let mut state = 1_u64;
        let mut next = |most: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % most
        };
        let keys: Vec<&str> = settings::KEYS
            .into_iter()
            .chain(view::KEYS)
            .chain(exhibits::KEYS)
            .chain(["v", "backend", "%", "", "__proto__"])
            .collect();
        let odd = [
            "",
            "1",
            "0",
            "-1",
            "NaN",
            "inf",
            "1e999",
            "%",
            "%E2%28%A1",
            "%00",
            "\u{202e}",
            "🖋".repeat(40).leak(),
            "<script>alert(1)</script>",
            "../../etc",
            "18446744073709551616",
            "cpu",
            "rejection",
            "seed.rule",
            "+",
            "=",
            "==",
            "#",
            "null",
            "[object Object]",
            "9".repeat(400).leak(),
        ];
        for _ in 0..20_000 {
            let mut text = String::from("#");
            for _ in 0..next(7) {
                text.push_str(keys[next(keys.len())]);
                if next(9) > 0 {
                    text.push('=');
                }
                text.push_str(odd[next(odd.len())]);
                text.push(['&', ';', '&', '&'][next(4)]);
            }
            let link = understand("", &text);
            assert!(link.settings.check().is_ok(), "{text}");
            if let Some(sentence) = &link.trouble {
                assert!(
                    sentence.ends_with('.') && sentence.chars().count() < 300,
                    "{sentence}"
                );
            }
            // What it means can be written down and read again.
            let print = |link: &Link| {
                let settings = link.asks.then_some(&link.settings);
                hash(settings, &link.view, link.backend)
            };
            let again = understand("", &print(&link));
            assert_eq!(print(&again), print(&link), "{text}");
            assert_eq!((again.view, again.trouble), (link.view, None), "{text}");
        }
    }
}
