//! `cargo xtask tidy`: rules about the project that a compiler does not know.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

use crate::process;
use crate::repo::Repo;
use crate::sayings;
use crate::test::Tally;

/// A rule's verdict: a sentence that names the offenders, if there are any.
type Verdict = Result<(), String>;

/// Checks every rule and prints a line for each.
///
/// # Errors
/// If the facts cannot be collected.
pub fn run(repo: &Repo) -> Result<Tally> {
    let graph = Graph::of(repo)?;
    let shaders = file_names(repo, "shaders", ".wgsl")?;
    let twins = file_names(repo, "crates/kernels/src/cpu", ".rs")?;
    let texts = texts(repo)?;
    let architecture = fs::read_to_string(repo.path("ARCHITECTURE.md")).unwrap_or_default();

    let rules: [(&str, Verdict); 6] = [
        (
            "the page links neither models nor kernels nor engine",
            graph.never_links(
                "couplet-web",
                &[
                    "burn*",
                    "couplet-model",
                    "couplet-kernels",
                    "couplet-engine",
                ],
            ),
        ),
        (
            "speculation is pure mathematics",
            graph.never_links("couplet-speculation", &["burn*", "wgpu*", "web-sys"]),
        ),
        (
            "every shader but one has a twin on the CPU",
            every_shader_has_a_twin(&shaders, &twins),
        ),
        (
            "no file names folders of one machine",
            no_machine_paths(&texts),
        ),
        (
            "every crate has a row in ARCHITECTURE.md",
            every_crate_has_a_row(&graph.members(), &architecture),
        ),
        (
            "every language says all that the page says",
            every_language_is_complete(&texts),
        ),
    ];
    let mut tally = Tally::default();
    for (rule, verdict) in rules {
        match &verdict {
            Ok(()) => println!("tidy: ok: {rule}"),
            Err(sentence) => println!("tidy: FAILED: {rule}: {sentence}"),
        }
        tally += Tally::one(verdict.is_ok());
    }
    Ok(tally)
}

/// A crate of the workspace.
struct Member {
    name: String,
    /// Relative to the root, with `/`.
    folder: String,
}

/// Which packages link which, on any platform; neither for tests nor for build scripts only.
struct Graph(Metadata);

impl Graph {
    fn of(repo: &Repo) -> Result<Self> {
        let metadata = MetadataCommand::new().current_dir(repo.root()).exec();
        metadata
            .map(Self)
            .context("what `cargo metadata` says of the workspace")
    }

    fn members(&self) -> Vec<Member> {
        let root = &self.0.workspace_root;
        let member = |package: &cargo_metadata::Package| {
            let folder = package.manifest_path.parent()?.strip_prefix(root).ok()?;
            Some(Member {
                name: package.name.to_string(),
                folder: folder.as_str().replace('\\', "/"),
            })
        };
        let members = self.0.workspace_packages();
        members.into_iter().filter_map(member).collect()
    }

    /// What a package links.
    fn links(&self, package: &PackageId) -> impl Iterator<Item = &PackageId> {
        let nodes = self.0.resolve.iter().flat_map(|resolve| &resolve.nodes);
        nodes
            .filter(move |node| node.id == *package)
            .flat_map(|node| &node.deps)
            .filter(|it| {
                it.dep_kinds
                    .iter()
                    .any(|it| it.kind == DependencyKind::Normal)
            })
            .map(|it| &it.pkg)
    }

    /// `member` reaches no package that a pattern names; a pattern may end in `*`.
    fn never_links(&self, member: &str, patterns: &[&str]) -> Verdict {
        let members = self.0.workspace_packages();
        let Some(start) = members.into_iter().find(|it| *it.name == member) else {
            return Err(format!("the workspace has no crate {member}"));
        };
        // Each entry is a way from the member to a package.
        let mut ways = vec![vec![&start.id]];
        let mut seen = BTreeSet::from([&start.id]);
        while let Some(way) = ways.pop() {
            for linked in way.last().into_iter().flat_map(|last| self.links(last)) {
                if !seen.insert(linked) {
                    continue;
                }
                let longer: Vec<&PackageId> = way.iter().copied().chain([linked]).collect();
                let name = &self.0[linked].name;
                if patterns.iter().any(|pattern| matches(pattern, name)) {
                    let way: Vec<&str> = longer.iter().map(|id| &**self.0[*id].name).collect();
                    return Err(format!("{name} is linked: {}", way.join(" → ")));
                }
                ways.push(longer);
            }
        }
        Ok(())
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// The names of the files directly in `folder`, without their `ending`; none if there is no
/// such folder.
fn file_names(repo: &Repo, folder: &str, ending: &str) -> Result<BTreeSet<String>> {
    let Ok(entries) = fs::read_dir(repo.path(folder)) else {
        return Ok(BTreeSet::new());
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(name) = name.to_string_lossy().strip_suffix(ending) {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Puts other kernels together, and is compared with those.
const WITHOUT_TWIN: &str = "draft_block";

fn every_shader_has_a_twin(shaders: &BTreeSet<String>, twins: &BTreeSet<String>) -> Verdict {
    if shaders.is_empty() {
        return Err("there is no shader in shaders/".into());
    }
    let alone: Vec<String> = shaders
        .difference(twins)
        .filter(|name| *name != WITHOUT_TWIN)
        .map(|name| format!("shaders/{name}.wgsl has no crates/kernels/src/cpu/{name}.rs"))
        .collect();
    verdict(alone)
}

/// Every text file of the repository outside of `assets/`, by path.
fn texts(repo: &Repo) -> Result<Vec<(String, String)>> {
    // Files that are about to be committed count too.
    let list = process::output(Command::new("git").current_dir(repo.root()).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))
    .context("the tidy rules read the files that git knows, so they run in a git checkout")?;
    Ok(list
        .split('\0')
        .filter(|path| !path.is_empty() && !path.starts_with("assets/"))
        // A file that is deleted but still in git's index, or is not text, has nothing to say.
        .filter_map(|path| Some((path.to_owned(), fs::read_to_string(repo.path(path)).ok()?)))
        .collect())
}

/// What the lessons say in English.
const LESSONS: &str = "web/src/lessons/words/en.json";

/// Holds what the page, its lessons and the engine say against the files of `web/words`.
fn every_language_is_complete(texts: &[(String, String)]) -> Verdict {
    let sources = |folders: &[&str]| -> Vec<&str> {
        texts
            .iter()
            .filter(|(path, _)| path.ends_with(".rs") && !path.contains("/tests/"))
            .filter(|(path, _)| folders.iter().any(|folder| path.starts_with(folder)))
            .map(|(_, text)| text.as_str())
            .collect()
    };
    let page = sources(&["web/src/", "crates/playback/"]);
    let engine = sources(&["web/src/", "crates/"]);
    let scripts: Vec<&str> = texts
        .iter()
        .filter(|(path, _)| path.starts_with("crates/worker/") && path.ends_with(".js"))
        .map(|(_, text)| text.as_str())
        .collect();
    let lessons = texts.iter().find(|(path, _)| path == LESSONS);
    let lessons = lessons.map_or("", |(_, text)| text.as_str());
    let offences: Vec<String> = texts
        .iter()
        .filter(|(path, _)| path.starts_with("web/words/"))
        .flat_map(|(path, text)| {
            let verdicts = [
                sayings::complete(&page, &engine, &scripts, text),
                sayings::has_lessons(lessons, text),
            ];
            let offences = verdicts.into_iter().filter_map(Result::err);
            offences.map(move |offence| format!("{path}: {offence}"))
        })
        .collect();
    verdict(offences)
}

/// Where people's own folders lie, which exist on one machine only. Put together from pieces, so
/// that this file passes its own rule.
const MACHINE_PATHS: [&str; 5] = [
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "root/"),
    concat!("/", "tmp/"),
    concat!("C:", "\\Users"),
];

fn no_machine_paths(texts: &[(String, String)]) -> Verdict {
    let mut offences = Vec::new();
    for (path, text) in texts {
        for (number, line) in text.lines().enumerate() {
            if let Some(found) = MACHINE_PATHS.iter().find(|needle| has_path(line, needle)) {
                offences.push(format!("{path}:{} mentions {found}", number + 1));
            }
        }
    }
    verdict(offences)
}

/// Whether `line` holds `needle` as the start of a path, not as the middle of a longer one or
/// of a URL.
fn has_path(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-*}".contains(before))
    })
}

fn every_crate_has_a_row(members: &[Member], architecture: &str) -> Verdict {
    if architecture.is_empty() {
        return Err("there is no ARCHITECTURE.md".into());
    }
    // The words of the first cell of every table row.
    let rows: BTreeSet<&str> = architecture
        .lines()
        .filter_map(|line| line.trim().strip_prefix('|')?.split('|').next())
        .flat_map(|cell| cell.split(|c: char| !(c.is_alphanumeric() || "-_/".contains(c))))
        .map(|word| word.trim_matches('/'))
        .collect();
    let missing: Vec<String> = members
        .iter()
        .filter(|member| {
            let short = member.folder.rsplit('/').next().unwrap_or_default();
            ![&member.name, &member.folder, short]
                .iter()
                .any(|name| rows.contains(name))
        })
        .map(|member| format!("{} ({}/) has none", member.name, member.folder))
        .collect();
    verdict(missing)
}

/// Fails with all `offences`, if there are any.
fn verdict(offences: Vec<String>) -> Verdict {
    if offences.is_empty() {
        Ok(())
    } else {
        Err(offences.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn links_are_followed_and_named() {
        let graph = Graph::of(&Repo::locate().unwrap()).unwrap();
        let check = |member: &str, patterns: &[&str], expect: Verdict| {
            assert_eq!(graph.never_links(member, patterns), expect);
        };
        check("couplet-playback", &["burn*", "web"], Ok(()));
        check(
            "couplet-playback",
            &["burn*", "statrs"],
            Err("statrs is linked: couplet-playback → couplet-speculation → statrs".into()),
        );
        // Only its tests use it.
        check("couplet-speculation", &["proptest"], Ok(()));
        assert!(graph.never_links("couplet-none", &[]).is_err());
        let folders: Vec<String> = graph.members().into_iter().map(|it| it.folder).collect();
        assert!(folders.contains(&"web".into()) && folders.contains(&"crates/xtask".into()));
    }

    #[test]
    fn shaders_without_twin_are_named() {
        assert_eq!(
            every_shader_has_a_twin(&set(&["draw"]), &set(&["draw", "mod"])),
            Ok(())
        );
        assert_eq!(
            every_shader_has_a_twin(&set(&["draw", "embed"]), &set(&["draw"])),
            Err("shaders/embed.wgsl has no crates/kernels/src/cpu/embed.rs".into())
        );
        assert!(every_shader_has_a_twin(&set(&[]), &set(&[])).is_err());
    }

    #[test]
    fn machine_paths_are_found_and_urls_are_not() {
        let check = |line: String, expect: bool| {
            let texts = [("a.md".to_owned(), format!("fine\n{line}\n"))];
            assert_eq!(no_machine_paths(&texts).is_err(), expect, "{line}");
        };
        for (root, rest) in [
            ("/", "home/ada/couplet"),
            ("file:///", "Users/ada"),
            ("C:/", "Users/Ada"),
            ("C:\\", "Users\\Ada"),
            ("/", "root/.cargo"),
            ("/", "tmp/log"),
        ] {
            check(format!("see {root}{rest}"), true);
            check(format!("(\"{root}{rest}\")"), true);
        }
        for page in ["home/page", "root/page", "tmp/page"] {
            check(format!("https://example.org/{page}"), false);
            check(format!("./pages/{page}"), false);
        }
    }

    #[test]
    fn crates_are_looked_up_in_table_rows() {
        let member = |name: &str, folder: &str| Member {
            name: name.into(),
            folder: folder.into(),
        };
        let members = [
            member("couplet-web", "web"),
            member("xtask", "crates/xtask"),
        ];
        let check = |text: &str, expect| assert_eq!(every_crate_has_a_row(&members, text), expect);
        check(
            "| `web/` | the page |\n| [`crates/xtask`](x) | commands |",
            Ok(()),
        );
        check(
            "xtask in prose\n| `couplet-web` | draws what xtask serves |",
            Err("xtask (crates/xtask/) has none".into()),
        );
        assert!(every_crate_has_a_row(&members, "").is_err());
    }
}
