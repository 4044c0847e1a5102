//! `notices.txt` beside the page: whose software is compiled into it, and under which licences,
//! which want to be told along with every copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

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

/// A crate that somebody else wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Foreign {
    name: String,
    version: String,
    licence: String,
    authors: String,
    /// The texts of its licences, as they come with it.
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
    let metadata: Value = serde_json::from_str(&process::output(cargo(repo).args([
        "metadata",
        "--format-version=1",
        "--filter-platform",
        TRIPLE,
    ]))?)
    .context("what `cargo metadata` says")?;
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let mut found = BTreeSet::new();
    for package in packages {
        let word = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        // What has no source lies in this checkout.
        if package["source"].is_null() || !compiled.contains(&(word("name"), word("version"))) {
            continue;
        }
        let manifest = word("manifest_path");
        let crate_folder = Path::new(&manifest)
            .parent()
            .context("a crate without a folder")?;
        let authors = package["authors"].as_array().map(Vec::as_slice);
        let authors = authors.unwrap_or_default().iter().filter_map(Value::as_str);
        // Without their addresses, which would only be of use to people who send spam.
        let authors = authors.map(|author| author.split(" <").next().unwrap_or(author));
        found.insert(Foreign {
            name: word("name"),
            version: word("version"),
            licence: word("license"),
            authors: authors.collect::<Vec<_>>().join(", "),
            texts: licences(crate_folder)?,
        });
    }
    if found.is_empty() {
        bail!("`cargo tree` and `cargo metadata` name no crate in common");
    }
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
fn licences(crate_folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(crate_folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if LICENCE_FILES.iter().any(|begin| name.starts_with(begin)) && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    files
        .iter()
        .map(|file| {
            let text = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        })
        .collect()
}

/// The notices: all crates, then every text once with the crates that it comes with.
fn text(crates: &BTreeSet<Foreign>) -> String {
    let mut all = String::from(
        "The page is compiled from Couplet's own code, whose licence is in the file LICENSE, and from the\n\
         crates below. Their sources are at https://crates.io/crates/NAME/VERSION. The fonts have their\n\
         licences in the file fonts/OFL.txt, the models theirs in the file MODEL_CARD.md of each pair.\n\n",
    );
    let mut texts: BTreeMap<String, (Vec<String>, &str)> = BTreeMap::new();
    for one in crates {
        let title = format!("{} {}", one.name, one.version);
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
        for text in &one.texts {
            // Most differ in where their lines end.
            let words: Vec<&str> = text.split_whitespace().collect();
            let (holders, _) = texts.entry(words.join(" ")).or_insert((Vec::new(), text));
            holders.push(title.clone());
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
    fn a_text_that_two_crates_share_stands_once_and_names_both() {
        let crates = [
            one("a", &["Permission is\n  granted."]),
            one("b", &["Permission is granted.\n", "Another."]),
            one("c", &[]),
        ];
        let text = text(&BTreeSet::from(crates));
        assert_eq!(text.matches("granted.").count(), 1, "{text}");
        assert!(text.contains("\na 1.0.0, b 1.0.0\n"), "{text}");
        assert!(text.contains("\nb 1.0.0\n\nAnother.\n"), "{text}");
        assert!(
            text.contains("\nc 1.0.0: MIT, by Ada (no text comes with it)\n"),
            "{text}"
        );
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
    }
}
