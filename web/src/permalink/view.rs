//! What a link says about the page besides the run: which part is open, where the playhead stands,
//! what a teacher hid.

use couplet_playback::tr;
use couplet_protocol::{Branch, Settings};

use super::query::value;
use super::{Exhibits, Left, Pairs, cannot_be, exhibits};
use crate::store::{MarksShown, Notation, Scene, Selection};

/// Keys of this part of a link.
pub const KEYS: [&str; 13] = [
    "branch",
    "left",
    "scene",
    "at",
    "pick",
    "letters",
    "marks",
    "lesson",
    "step",
    "hide",
    "theme",
    "embed",
    "projector",
];

/// A control or panel that a teacher can hide. Its name stands in links and in the style sheet.
#[derive(Clone, Copy, Debug)]
pub struct Hideable {
    /// In links.
    pub name: &'static str,
    /// For people.
    pub title: fn() -> String,
}

const fn hideable(name: &'static str, title: fn() -> String) -> Hideable {
    Hideable { name, title }
}

/// Everything that can be hidden.
pub const HIDEABLE: [Hideable; 13] = [
    hideable("pair", || tr!("Pair")),
    hideable("prompt", || tr!("Prompt")),
    hideable("gamma", || tr!("Look-ahead γ")),
    hideable("drafter", || tr!("Drafter")),
    hideable("temperature", || tr!("Temperature")),
    hideable("filters", || tr!("Top-k and top-p")),
    hideable("tokens", || tr!("Number of tokens")),
    hideable("seed", || tr!("Seed")),
    hideable("rule", || tr!("Rule")),
    hideable("write", || tr!("The Write button")),
    hideable("inspector", || tr!("Distributions")),
    hideable("statistics", || tr!("Statistics")),
    hideable("scenes", || tr!("The other scenes")),
];

/// Colours that a link asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkTheme {
    /// Ink on paper.
    Light,
    /// Chalk on slate.
    Dark,
}

impl LinkTheme {
    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What a link says besides the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The part of the page that is open.
    pub scene: Scene,
    /// What of another run the run goes on from.
    pub branch: Option<Branch>,
    /// That other run, as [`Left::print`] writes it.
    pub left: Option<String>,
    /// Steps of the run after which the playhead stands.
    pub at: Option<usize>,
    /// The token that the inspector shows, where it is not the one under the playhead.
    pub pick: Option<Selection>,
    /// Letters for the distributions.
    pub letters: Notation,
    /// Which marks are drawn.
    pub marks: MarksShown,
    /// Name of the lesson.
    pub lesson: Option<String>,
    /// Step of the lesson, from 1.
    pub step: usize,
    /// What the other scenes show.
    pub exhibits: Exhibits,
    /// Names of what is hidden, each one of [`HIDEABLE`], in its order.
    pub hide: Vec<&'static str>,
    /// Colours.
    pub theme: Option<LinkTheme>,
    /// Whether the page stands in a frame of another one.
    pub embed: bool,
    /// Whether it is enlarged for a projector.
    pub projector: bool,
}

/// The largest step index that a link may name; more steps than any run has.
const MOST_STEPS: usize = 1_000_000;

/// Reads it; what cannot be understood is left out, and a clause says so.
pub fn read(pairs: &[(String, String)]) -> (View, Option<String>) {
    let mut view = View {
        step: 1,
        ..View::default()
    };
    let mut trouble = None;
    for key in KEYS.into_iter().chain(exhibits::KEYS) {
        if let Some(value) = value(pairs, key)
            && (read_one(&mut view, key, value).is_none()
                || exhibits::read_one(&mut view.exhibits, key, value).is_none())
        {
            trouble.get_or_insert_with(|| cannot_be(key, value));
        }
    }
    // What is no branch has left nothing.
    if view.branch.is_none() {
        view.left = None;
    }
    // A token is picked where the playhead stands.
    if view.at.is_none() {
        view.pick = None;
    }
    if view.lesson.is_none() {
        view.step = 1;
    }
    (view, trouble)
}

fn read_one(view: &mut View, key: &str, value: &str) -> Option<()> {
    let whole = |most: usize| value.parse::<usize>().ok().filter(|number| *number <= most);
    match key {
        "scene" => view.scene = Scene::ALL.into_iter().find(|it| it.name() == value)?,
        "branch" if value.is_empty() => view.branch = None,
        "branch" => view.branch = Some(branch(value)?),
        "left" => {
            Left::parse(value, &Settings::default())?;
            view.left = Some(value.to_owned());
        }
        "at" => view.at = Some(whole(MOST_STEPS)?),
        "pick" => view.pick = Some(pick(value)?),
        "letters" => view.letters = Notation::ALL.into_iter().find(|it| it.name() == value)?,
        "marks" => view.marks = MarksShown::ALL.into_iter().find(|it| it.name() == value)?,
        "lesson" => view.lesson = Some(name(value)?),
        "step" => view.step = whole(99).filter(|step| *step > 0)?,
        "hide" => {
            let names: Vec<&str> = value.split(['.', ',', ' ']).collect();
            let known = HIDEABLE.iter().map(|it| it.name);
            view.hide = known.filter(|name| names.contains(name)).collect();
            let all = names.iter().filter(|name| !name.is_empty());
            return (all.count() == view.hide.len()).then_some(());
        }
        "theme" => {
            let themes = [LinkTheme::Light, LinkTheme::Dark];
            view.theme = Some(themes.into_iter().find(|theme| theme.name() == value)?);
        }
        "embed" => view.embed = flag(value)?,
        "projector" => view.projector = flag(value)?,
        _ => {}
    }
    Some(())
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// A round and a column of it, both from 1, with a dot between them.
fn pick(value: &str) -> Option<Selection> {
    let (round, column) = value.split_once('.')?;
    let index = |number: &str| {
        let number = number.parse::<usize>().ok()?;
        number.checked_sub(1).filter(|index| *index < MOST_STEPS)
    };
    Some(Selection {
        round: index(round)?,
        column: index(column)?,
    })
}

/// A branch with tokens, kept ones or a forced one.
pub(super) fn branch(value: &str) -> Option<Branch> {
    Branch::parse(value).filter(|branch| !branch.is_empty())
}

/// A name of lower-case letters, digits and hyphens.
pub(super) fn name(value: &str) -> Option<String> {
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    ((1..=40).contains(&value.len()) && value.chars().all(plain)).then(|| value.to_owned())
}

/// As pairs; what is as usual is not named.
pub fn print(view: &View) -> Pairs {
    let mut pairs = Pairs::new();
    let mut add = |key: &str, value: String| pairs.push((key.to_owned(), value));
    if view.scene != Scene::default() {
        add("scene", view.scene.name().to_owned());
    }
    let branch = view.branch.as_ref().filter(|branch| !branch.is_empty());
    if let Some(text) = branch.and_then(Branch::print) {
        add("branch", text);
        if let Some(text) = &view.left {
            add("left", text.clone());
        }
    }
    if let Some(at) = view.at {
        add("at", at.to_string());
        if let Some(Selection { round, column }) = view.pick {
            add("pick", format!("{}.{}", round + 1, column + 1));
        }
    }
    if view.letters != Notation::default() {
        add("letters", view.letters.name().to_owned());
    }
    if view.marks != MarksShown::default() {
        add("marks", view.marks.name().to_owned());
    }
    if let Some(lesson) = &view.lesson {
        add("lesson", lesson.clone());
        add("step", view.step.to_string());
    }
    for (key, value) in exhibits::print(&view.exhibits) {
        add(&key, value);
    }
    if !view.hide.is_empty() {
        add("hide", view.hide.join("."));
    }
    if let Some(theme) = view.theme {
        add("theme", theme.name().to_owned());
    }
    if view.embed {
        add("embed", "1".to_owned());
    }
    if view.projector {
        add("projector", "1".to_owned());
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::{LiveTest, Sweep, query, settings};
    use super::*;
    use couplet_protocol::{Drafter, Mistake, Rule};

    fn read_text(text: &str) -> (View, Option<String>) {
        read(&query::parse(text))
    }

    #[test]
    fn everything_in_a_link_is_documented() {
        let page = include_str!("../../API.md");
        let section = |title: &str| {
            let (_, section) = page.split_once(&format!("\n## {title}\n")).unwrap();
            section.split_once("\n## ").unwrap().0
        };
        // The line that begins with a key.
        let row = |section: &'static str, key: &str| {
            let begins = format!("| `{key}`");
            let mut rows = section.lines().filter(|line| line.starts_with(&begins));
            rows.next().unwrap_or_else(|| panic!("{key} has no row"))
        };
        let (options, links) = (section("Options of `generate`"), section("Links"));

        for key in settings::KEYS {
            if key == "auto" {
                assert!(links.contains("`auto=1` for `auto_gamma`"));
            } else {
                row(options, key);
            }
        }
        for rule in Rule::ALL {
            row(options, &format!("\"{}\"", rule.name()));
        }
        for drafter in Drafter::ALL {
            let name = format!("`\"{}\"`", drafter.name());
            assert!(row(options, "drafter").contains(&name), "{name}");
        }
        let keys = KEYS.into_iter().chain(exhibits::KEYS);
        for name in keys.chain(HIDEABLE.map(|it| it.name)) {
            assert!(links.contains(&format!("`{name}`")), "{name}");
        }
        for scene in Scene::ALL {
            let name = format!("`{}`", scene.name());
            assert!(row(links, "scene").contains(&name), "{name}");
        }
        let of_couplings = crate::couplings::presets::PRESETS.map(|preset| preset.name);
        let of_proof = crate::proof::Preset::ALL.map(|preset| preset.name());
        for name in of_couplings.into_iter().chain(of_proof) {
            assert!(
                row(links, "example").contains(&format!("`{name}`")),
                "{name}"
            );
        }
        for mistake in Mistake::ALL {
            assert!(
                links.contains(&format!("`{}`", mistake.name())),
                "{mistake:?}"
            );
        }
        for letters in Notation::ALL {
            assert!(
                row(links, "letters").contains(&format!("`{}`", letters.name())),
                "{letters:?}"
            );
        }
        for marks in MarksShown::ALL {
            assert!(
                row(links, "letters").contains(&format!("`{}`", marks.name())),
                "{marks:?}"
            );
        }
        let words = include_str!("../lessons/words/en.json");
        let words: serde_json::Value = serde_json::from_str(words).unwrap();
        for lesson in words["lessons"].as_object().unwrap().keys() {
            assert!(
                row(links, "lesson").contains(&format!("`{lesson}`")),
                "{lesson}"
            );
        }
    }

    #[test]
    fn a_view_comes_back_from_its_link() {
        let view = View {
            scene: Scene::Proof,
            branch: Branch::parse("AAAB~AC"),
            left: Some("gamma=2&seed=88".to_owned()),
            at: Some(133),
            pick: Some(Selection {
                round: 20,
                column: 0,
            }),
            letters: Notation::Leviathan,
            marks: MarksShown::Last,
            lesson: Some("exact".to_owned()),
            step: 3,
            exhibits: Exhibits {
                example: Some("three".to_owned()),
                part: Some(2),
                own: Some("1,1;1,2;a b".to_owned()),
                throw: Some((88, 7)),
                test: Some(LiveTest {
                    rule: Rule::Typical,
                    gamma: 3,
                    seed: 9,
                }),
                mistakes: vec![Mistake::GreedyDraft, Mistake::RatioUpsideDown],
                terms: Some([80, 15, 0]),
                sweep: Some(Sweep {
                    longest: 4,
                    pairs: 50,
                    auto: false,
                }),
            },
            hide: vec!["seed", "rule"],
            theme: Some(LinkTheme::Dark),
            embed: true,
            projector: true,
        };
        let text = query::print(&print(&view));
        assert_eq!(read_text(&text), (view, None));
    }

    #[test]
    fn what_is_as_usual_is_not_named() {
        let (usual, trouble) = read_text("");
        assert_eq!((usual.pick, trouble), (None, None));
        assert_eq!(usual.letters, Notation::Words);
        assert_eq!(usual.marks, MarksShown::All);
        assert!(print(&usual).is_empty());
        // Without a place in the run there is nothing to pick from.
        assert_eq!(read_text("pick=2.1"), (usual.clone(), None));
        // A branch without tokens is none, and has left nothing.
        assert_eq!(read_text("branch=&left="), (usual, None));
        let empty = View {
            branch: Some(Branch::default()),
            left: Some(String::new()),
            step: 1,
            ..View::default()
        };
        assert!(print(&empty).is_empty());
    }

    #[test]
    fn nonsense_is_left_out_and_said() {
        for text in [
            "scene=../x",
            "at=-1",
            "at=99999999",
            "left=gamma%3D99",
            "pick=0.1",
            "pick=1.0",
            "pick=3",
            "pick=1.2.3",
            "pick=-1.1",
            "pick=18446744073709551616.1",
            "letters=greek",
            "marks=",
            "lesson=<b>",
            "step=0",
            "part=4",
            "hide=everything",
            "hide=seed.seed2",
            "theme=pink",
            "embed=yes",
            "example=%00",
            "own=1;1;a",
            "throw=1",
            "throw=1.x",
            "test=rejection",
            "test=rejection.0.1",
            "test=rejection.2.1.1",
            "test=magic.2.1",
            "mistakes=none",
            "mistakes=greedy_draft.x",
            "terms=1.2",
            "terms=1.2.201",
            "terms=101.2.1",
            "sweep=4.7",
            "sweep=0.7.1",
            "sweep=17.7.1",
            "sweep=4.4.1",
            "sweep=4.51.1",
            "sweep=4.7.2",
        ] {
            let (view, trouble) = read_text(text);
            let key = text.split('=').next().unwrap_or_default();
            assert!(
                trouble.is_some_and(|trouble| trouble.contains(key)),
                "{text}"
            );
            assert!(
                !view.embed && view.at.is_none() && view.lesson.is_none(),
                "{text}"
            );
        }
        assert_eq!(read_text("hide=seed.nonsense").0.hide, ["seed"]);
    }
}
