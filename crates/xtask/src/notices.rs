//! `notices.txt` beside the page: whose software is compiled into it, and under which licences,
//! which want to be told along with every copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::MetadataCommand;
use spdx::{Expression, ParseMode, license_id};

use crate::process;
use crate::repo::Repo;
use crate::wasm_target::TRIPLE;

const FILE: &str = "notices.txt";
/// What the page is compiled from.
const PROGRAMS: [&str; 2] = ["couplet-web", "couplet-worker"];
/// How the names of the files begin that crates keep their licences in.
const LICENCE_FILES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// What no crate names, since the compiler brings it along.
const STANDARD_LIBRARY: &str = "Rust's standard library";

/// A crate that somebody else wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Foreign {
    name: String,
    version: String,
    licence: String,
    authors: String,
    /// The texts of its licences, as they come with it; of a choice with MIT, that one's alone.
    texts: Vec<String>,
}

/// Writes the notices into the folder of the page.
///
/// # Errors
/// If cargo does not say what the page is compiled from, or the file cannot be written.
pub fn write(repo: &Repo, folder: &Path) -> Result<()> {
    let text = text(&foreign(repo)?);
    fs::write(folder.join(FILE), text).with_context(|| format!("writing {FILE}"))
}

/// The crates of others that are compiled into the page, in the order of their names.
fn foreign(repo: &Repo) -> Result<BTreeSet<Foreign>> {
    let compiled = compiled(&tree(repo)?);
    let metadata = MetadataCommand::new()
        .current_dir(repo.root())
        .other_options(["--filter-platform", TRIPLE].map(str::to_owned))
        .exec()
        .context("what `cargo metadata` says of the workspace")?;
    let mut found = BTreeSet::new();
    for package in metadata.packages {
        let (name, version) = (package.name.to_string(), package.version.to_string());
        let key = (name, version);
        // What has no source lies in this checkout.
        if package.source.is_none() || !compiled.contains(&key) {
            continue;
        }
        let crate_folder = package.manifest_path.parent();
        let crate_folder = crate_folder.context("a crate without a folder")?;
        let licence = package.license.unwrap_or_default();
        let authors = package.authors.iter();
        // Without their addresses, which would only be of use to people who send spam.
        let authors = authors.map(|author| author.split(" <").next().unwrap_or(author));
        let (name, version) = key;
        found.insert(Foreign {
            name,
            version,
            authors: authors.collect::<Vec<_>>().join(", "),
            texts: licences(crate_folder.as_std_path(), &licence)?,
            licence,
        });
    }
    if found.is_empty() {
        bail!("`cargo tree` and `cargo metadata` name no crate in common");
    }
    found.insert(Foreign {
        name: STANDARD_LIBRARY.to_owned(),
        version: String::new(),
        licence: "MIT OR Apache-2.0".to_owned(),
        authors: "the contributors of the Rust project".to_owned(),
        texts: Vec::new(),
    });
    Ok(found)
}

fn tree(repo: &Repo) -> Result<String> {
    let mut tree = cargo(repo);
    tree.args([
        "tree",
        "--target",
        TRIPLE,
        "--edges",
        "normal,no-proc-macro",
    ]);
    tree.args(["--prefix", "none"]);
    for program in PROGRAMS {
        tree.args(["--package", program]);
    }
    process::output(&mut tree)
}

fn cargo(repo: &Repo) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(repo.root());
    cargo
}

/// Names and versions of what `cargo tree` prints, a crate on each line.
fn compiled(tree: &str) -> BTreeSet<(String, String)> {
    tree.lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            Some((name.to_owned(), version.to_owned()))
        })
        .collect()
}

/// The texts of the licences that lie in the folder of a crate, in the order of the files' names.
fn licences(crate_folder: &Path, expression: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(crate_folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if LICENCE_FILES.iter().any(|begin| name.starts_with(begin)) && entry.path().is_file() {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    let names: Vec<&str> = files.iter().map(|(name, _)| &name[..]).collect();
    let needed = needed(&names, expression);
    files
        .iter()
        .zip(needed)
        .filter(|(_, needed)| *needed)
        .map(|((_, file), _)| {
            let text = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        })
        .collect()
}

/// Which of a crate's files of licences, by their names in capitals, have to go along with a copy.
/// Who is given a choice with MIT and has its text needs none of the others', of which Apache's
/// is ten times as long and comes with every second crate.
fn needed(files: &[&str], expression: &str) -> Vec<bool> {
    let Some(licences) = parsed(expression) else {
        return vec![true; files.len()];
    };
    let mit = license_id("MIT");
    let is_choice = licences.evaluate(|one| one.license.id() == mit);
    let has_text = files.iter().any(|name| name.contains("MIT"));
    let others = names(&licences)
        .filter(|name| *name != "MIT")
        .filter_map(|name| name.split('-').next())
        .map(str::to_uppercase);
    let others: Vec<String> = others.collect();
    files
        .iter()
        .map(|file| !(is_choice && has_text && others.iter().any(|other| file.contains(other))))
        .collect()
}

/// An expression such as `MIT OR Apache-2.0`, or `MIT/Apache-2.0` as it once was; `None` if it is no
/// such expression.
fn parsed(expression: &str) -> Option<Expression> {
    Expression::parse_mode(expression, ParseMode::LAX).ok()
}

/// The names of the licences in an expression.
fn names(licences: &Expression) -> impl Iterator<Item = &'static str> {
    let ids = licences
        .requirements()
        .filter_map(|one| one.req.license.id());
    ids.map(|id| id.name)
}

/// The words of a text: most differ only in where their lines end.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// For every licence that a crate is under alone, the text that most such crates share but for the
/// lines that say whose copyright it is.
fn usual_texts(crates: &BTreeSet<Foreign>) -> BTreeMap<&str, String> {
    let mut candidates: BTreeMap<&str, BTreeMap<String, (usize, String)>> = BTreeMap::new();
    for one in crates {
        for text in &one.texts {
            // Other texts have a line with `Copyright` and no year, for others to fill in.
            let is_claim = |line: &&str| {
                line.trim_start().starts_with("Copyright") && line.contains(char::is_numeric)
            };
            let lines: Vec<&str> = text.lines().filter(|line| !is_claim(line)).collect();
            let text = lines.join("\n").replace("\n\n\n", "\n\n");
            let alike = candidates.entry(&one.licence).or_default();
            alike.entry(words(&text)).or_insert((0, text)).0 += 1;
        }
    }
    candidates
        .into_iter()
        .filter_map(|(licence, alike)| {
            let (_, text) = alike.into_values().max_by_key(|(count, _)| *count)?;
            Some((licence, text))
        })
        .collect()
}

/// The notices: all crates, then every text once with the crates that it comes with.
fn text(crates: &BTreeSet<Foreign>) -> String {
    let mut all = String::from(
        "The page is compiled from Couplet's own code, whose licence is in the file LICENSE,\n\
         and from the crates below. Their sources are at\n\
         https://crates.io/crates/NAME/VERSION, those of the standard library at\n\
         https://github.com/rust-lang/rust. Where no text comes with a crate, the usual one\n\
         of its licences is below, without a copyright line: the copyright is its authors'.\n\
         Where there is a choice with MIT, it is used under MIT, and that text is below.\n\
         The fonts have their licences in the file fonts/OFL.txt, the models theirs in the\n\
         file MODEL_CARD.md of each pair.\n\n",
    );
    let usual = usual_texts(crates);
    let mut texts: BTreeMap<String, (Vec<String>, &str)> = BTreeMap::new();
    for one in crates {
        let title = format!("{} {}", one.name, one.version);
        let title = title.trim_end();
        let by = if one.authors.is_empty() {
            String::new()
        } else {
            format!(", by {}", one.authors)
        };
        let alone = if one.texts.is_empty() {
            " (no text comes with it)"
        } else {
            ""
        };
        let _ = writeln!(all, "{title}: {}{by}{alone}", one.licence);
        let mut own: Vec<&String> = one.texts.iter().collect();
        if own.is_empty() {
            let licences = parsed(&one.licence);
            own.extend(
                licences
                    .iter()
                    .flat_map(names)
                    .filter_map(|name| usual.get(name)),
            );
        }
        for text in own {
            let (holders, _) = texts.entry(words(text)).or_insert((Vec::new(), text));
            holders.push(title.to_owned());
        }
    }
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort();
    for (holders, text) in texts {
        let _ = write!(
            all,
            "\n{}\n{}\n\n{}\n",
            "=".repeat(72),
            holders.join(", "),
            text.trim()
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, texts: &[&str]) -> Foreign {
        Foreign {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            authors: "Ada".into(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn a_line_of_the_tree_is_a_crate() {
        let tree = "couplet-web v0.1.0 (/somewhere)\nburn v0.21.0 (*)\n\nwgpu v29.0.4\n";
        let pair = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        let expect = [
            pair("couplet-web", "0.1.0"),
            pair("burn", "0.21.0"),
            pair("wgpu", "29.0.4"),
        ];
        assert_eq!(compiled(tree), BTreeSet::from(expect));
    }

    #[test]
    fn of_a_choice_with_mit_its_text_is_enough() {
        let files = ["COPYRIGHT", "LICENSE-APACHE", "LICENSE-MIT"];
        for choice in ["MIT OR Apache-2.0", "Apache-2.0/MIT"] {
            assert_eq!(needed(&files, choice), [true, false, true], "{choice}");
        }
        // Both are needed, or there is no choice, or its text is not there.
        for none in ["MIT AND Apache-2.0", "(MIT OR Zlib) AND Apache-2.0"] {
            assert_eq!(needed(&files, none), [true; 3], "{none}");
        }
        assert_eq!(needed(&files, "Whatever I OR MIT"), [true; 3]);
        assert_eq!(needed(&files[..2], "MIT OR Apache-2.0"), [true; 2]);
        assert_eq!(needed(&["LICENSE"], "MIT OR Apache-2.0"), [true]);
        assert_eq!(
            needed(&["LICENSE-MIT", "UNLICENSE"], "Unlicense OR MIT"),
            [true, false]
        );
    }

    #[test]
    fn a_text_that_two_crates_share_stands_once_and_names_both() {
        let crates = [
            one("a", &["Permission is\n  granted."]),
            one("b", &["Permission is granted.\n", "Another."]),
            Foreign {
                licence: "Unheard-Of".into(),
                ..one("c", &[])
            },
        ];
        let text = text(&BTreeSet::from(crates));
        assert_eq!(text.matches("granted.").count(), 1, "{text}");
        assert!(text.contains("\na 1.0.0, b 1.0.0\n"), "{text}");
        assert!(text.contains("\nb 1.0.0\n\nAnother.\n"), "{text}");
        assert!(
            text.contains("\nc 1.0.0: Unheard-Of, by Ada (no text comes with it)\n"),
            "{text}"
        );
    }

    #[test]
    fn a_crate_without_a_text_gets_the_usual_one_without_its_copyright() {
        let crates = [
            one("a", &["MIT\n\nCopyright (c) 2020 Ada\n\nGranted."]),
            one("b", &["MIT\n\nCopyright 2021 Bob\n\nGranted.", "Thanks."]),
            Foreign {
                licence: "(Apache-2.0 OR MIT) AND Zlib".into(),
                ..one("c", &[])
            },
        ];
        let text = text(&BTreeSet::from(crates));
        assert!(text.contains("\nc 1.0.0\n\nMIT\n\nGranted.\n"), "{text}");
        assert_eq!(text.matches("Granted.").count(), 3, "{text}");
    }

    #[test]
    fn the_page_names_what_it_is_compiled_from() {
        let crates = foreign(&Repo::locate().unwrap()).unwrap();
        for name in ["burn", "leptos", "tokenizers", "wasm-bindgen", "wgpu"] {
            assert!(crates.iter().any(|one| one.name == name), "{name}");
        }
        // Neither runs in a browser.
        for name in ["ash", "trunk", "couplet-web"] {
            assert!(!crates.iter().any(|one| one.name == name), "{name}");
        }
        let with_text = crates.iter().filter(|one| !one.texts.is_empty());
        assert!(with_text.count() * 2 > crates.len());
        assert!(crates.iter().any(|one| one.name == STANDARD_LIBRARY));
        let usual = usual_texts(&crates);
        for one in crates.iter().filter(|one| one.texts.is_empty()) {
            let licences = parsed(&one.licence);
            let found = licences
                .iter()
                .flat_map(names)
                .any(|name| usual.contains_key(name));
            assert!(found, "{} {}", one.name, one.licence);
        }
    }
}
