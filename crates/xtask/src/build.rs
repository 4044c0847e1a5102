//! `cargo xtask build`: the page in `dist/`, and what it weighs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::repo::Repo;
use crate::steps::step;
use crate::wasm_target::{self, TRIPLE};
use crate::{files, process, tools};

const MEGABYTE: u64 = 1_000_000;

/// Builds the release page, then prints its sizes.
///
/// # Errors
/// If something is missing and cannot be installed, or the build fails.
pub fn run(repo: &Repo) -> Result<()> {
    let mut trunk = trunk(repo)?;
    trunk.args(["build", "--release", "--offline"]);
    step("page", || process::run(&mut trunk))?;
    let compressor = Compressor::find();
    let files = measure(&repo.dist(), compressor.as_ref())?;
    print!(
        "{}",
        table(&files, compressor.as_ref().map(Compressor::name))
    );
    if compressor.is_none() {
        println!("install `brotli` or `gzip` to see too how much of that a visitor downloads");
    }
    Ok(())
}

/// Installs what a build needs; returns trunk, set up to build with it.
///
/// # Errors
/// If something is missing and cannot be installed.
pub fn trunk(repo: &Repo) -> Result<Command> {
    let wasm = wasm_target::ensure(repo)?;
    tools::ensure(repo)?;
    // trunk tells cargo to stay off the network, so everything is fetched before.
    let host = host_triple()?;
    process::run(
        Command::new("cargo")
            .current_dir(repo.root())
            .args(["fetch", "--quiet", "--target", TRIPLE, "--target", &host]),
    )
    .context("fetching the crates that the page is built from")?;
    let mut trunk = tools::trunk(repo)?;
    wasm.apply(&mut trunk);
    Ok(trunk)
}

fn host_triple() -> Result<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("`rustc -vV` names no host")
}

/// What a file of the page belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The worker with the models' code.
    Engine,
    /// The same for browsers that do not know relaxed SIMD: instead of the other.
    PlainEngine,
    /// What the page loads before the engine.
    Shell,
    /// One pair of models, by its folder.
    Pair(String),
    /// Fetched on demand, or not at all.
    Other,
}

impl Part {
    /// The largest transfer to aim for, in bytes.
    fn aim(&self) -> Option<u64> {
        match self {
            Self::Engine | Self::PlainEngine => Some(3 * MEGABYTE),
            Self::Shell => Some(MEGABYTE),
            Self::Pair(_) => Some(8 * MEGABYTE),
            Self::Other => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Engine => "engine".into(),
            Self::PlainEngine => "engine without relaxed SIMD".into(),
            Self::Shell => "shell".into(),
            Self::Pair(folder) => format!("pair {folder}"),
            Self::Other => "other".into(),
        }
    }
}

/// One file of the built page.
struct Weighed {
    /// Relative to `dist`, with `/`.
    path: String,
    part: Part,
    raw: u64,
    /// What a host sends; raw where there is no program to tell.
    compressed: u64,
}

/// Whether hosts send a file as it is.
fn is_dense(path: &str) -> bool {
    path.ends_with(".woff2") || path.ends_with(".safetensors")
}

/// The folders that hold a pair of models: those with weights in them, or with a folder
/// `target` or `draft` that has.
fn pair_folders(paths: &[String]) -> Vec<String> {
    let mut folders: Vec<String> = paths
        .iter()
        .filter(|path| path.ends_with(".safetensors"))
        .filter_map(|path| {
            let (folder, _) = path.rsplit_once('/')?;
            let pair = folder
                .strip_suffix("/target")
                .or_else(|| folder.strip_suffix("/draft"))
                .or_else(|| folder.strip_suffix("/draft-plain"));
            Some(pair.unwrap_or(folder).to_owned())
        })
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

fn part(path: &str, pairs: &[String]) -> Part {
    let pair = pairs.iter().find(|folder| {
        path.strip_prefix(folder.as_str())
            .is_some_and(|rest| rest.starts_with('/'))
    });
    if let Some(folder) = pair {
        // For people and for comparisons: the page downloads none of it.
        let beside =
            path.ends_with(".md") || path.ends_with(".svg") || path.contains("/draft-plain/");
        return if beside {
            Part::Other
        } else {
            Part::Pair(folder.clone())
        };
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    if matches!(file, "couplet-worker.js" | "couplet-worker_bg.wasm") {
        return Part::PlainEngine;
    }
    if file.starts_with("couplet-worker") {
        return Part::Engine;
    }
    match extension {
        "html" | "css" | "js" | "mjs" | "wasm" | "woff" | "woff2" | "ttf" | "otf" | "svg"
        | "ico" | "png" => Part::Shell,
        _ => Part::Other,
    }
}

fn measure(dist: &Path, compressor: Option<&Compressor>) -> Result<Vec<Weighed>> {
    let paths = files::below(dist)?;
    let pairs = pair_folders(&paths);
    paths
        .into_iter()
        .map(|path| {
            let file = dist.join(&path);
            let raw = fs::metadata(&file)?.len();
            Ok(Weighed {
                part: part(&path, &pairs),
                raw,
                compressed: match compressor.filter(|_| !is_dense(&path)) {
                    Some(compressor) => compressor.size(&file)?,
                    None => raw,
                },
                path,
            })
        })
        .collect()
}

/// A program that compresses to its standard output.
struct Compressor {
    program: PathBuf,
    arguments: &'static [&'static str],
    name: &'static str,
}

impl Compressor {
    fn find() -> Option<Self> {
        // The highest level of brotli takes minutes for the engine and saves a tenth.
        let known: [(&str, &[&str], &str); 2] = [
            ("brotli", &["--stdout", "--quality=9"], "brotli 9"),
            ("gzip", &["--stdout", "--best"], "gzip 9"),
        ];
        known.into_iter().find_map(|(program, arguments, name)| {
            process::find(program).map(|program| Self {
                program,
                arguments,
                name,
            })
        })
    }

    fn name(&self) -> &'static str {
        self.name
    }

    /// The size of the compressed file, in bytes.
    fn size(&self, file: &Path) -> Result<u64> {
        let mut child = Command::new(&self.program)
            .args(self.arguments)
            .stdin(File::open(file)?)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut size = 0;
        if let Some(mut output) = child.stdout.take() {
            size = io::copy(&mut output, &mut io::sink())?;
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("compressing {} ended with {status}", file.display());
        }
        Ok(size)
    }
}

/// One row per file and one per part, sizes in bytes; compressed ones where something compresses.
fn table(files: &[Weighed], compressor: Option<&str>) -> String {
    let mut parts: BTreeMap<&Part, (u64, u64)> = BTreeMap::new();
    for file in files {
        let (raw, compressed) = parts.entry(&file.part).or_default();
        *raw += file.raw;
        *compressed += file.compressed;
    }
    let width = files
        .iter()
        .map(|file| file.path.len())
        .chain(parts.keys().map(|part| part.name().len()))
        .max()
        .unwrap_or(0);
    let row = |name: &str, raw: &str, compressed: &str| {
        let compressed = match compressor {
            Some(_) => format!("  {compressed:>12}"),
            None => String::new(),
        };
        format!("{name:width$}  {raw:>12}{compressed}")
    };
    let mut text = format!(
        "\n{}\n",
        row("bytes", "raw", compressor.unwrap_or_default())
    );
    for (part, (raw, compressed)) in parts {
        for file in files.iter().filter(|file| file.part == *part) {
            text += &row(&file.path, &grouped(file.raw), &grouped(file.compressed));
            text += "\n";
        }
        // Hosts send brotli, and of gzip's sizes it would be too much to ask.
        let brotli = compressor.is_some_and(|name| name.starts_with("brotli"));
        let judged = part.aim().filter(|_| brotli);
        let verdict = judged.map_or_else(String::new, |aim| {
            let word = if compressed <= aim { "within" } else { "OVER" };
            format!("  {word} the aim of {} MB compressed", aim / MEGABYTE)
        });
        text += &row(&part.name(), &grouped(raw), &grouped(compressed));
        text += &format!("{verdict}\n\n");
    }
    text
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_parts() {
        let paths = [
            "assets/tales/target/model.safetensors",
            "assets/tales/draft/model.safetensors",
            "assets/plays/target.safetensors",
        ]
        .map(str::to_owned);
        let pairs = pair_folders(&paths);
        assert_eq!(pairs, ["assets/plays", "assets/tales"]);
        let check = |path: &str, expect: Part| assert_eq!(part(path, &pairs), expect, "{path}");
        check(
            "assets/tales/tokenizer.json",
            Part::Pair("assets/tales".into()),
        );
        check("assets/tales/draft-plain/config.json", Part::Other);
        check("assets/tales/MODEL_CARD.md", Part::Other);
        check("assets/talesofold.json", Part::Other);
        check("couplet-worker-relaxed_bg.wasm", Part::Engine);
        check("couplet-worker_bg.wasm", Part::PlainEngine);
        check("couplet-worker_loader.js", Part::Engine);
        check("couplet-web-0123_bg.wasm", Part::Shell);
        check("assets/fonts/text.woff2", Part::Shell);
        check("words/fr.json", Part::Other);
        check("assets/traces/tales.json", Part::Other);
    }

    #[test]
    fn the_table_sums_parts_and_judges_them() {
        let weighed = |path: &str, part, raw, compressed| Weighed {
            path: path.into(),
            part,
            raw,
            compressed,
        };
        let files = [
            weighed("a.js", Part::Shell, 2_000_000, 600_000),
            weighed("b.css", Part::Shell, 1_000_000, 500_000),
            weighed("couplet-worker-relaxed.js", Part::Engine, 10, 5),
        ];
        assert!(!table(&files, Some("gzip 9")).contains("aim"));
        assert!(!table(&files, None).contains("1,100,000"));
        let text = table(&files, Some("brotli 9"));
        let row = |name: &str| {
            let row = text.lines().find(|line| line.starts_with(name)).unwrap();
            row.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            row("shell"),
            "shell 3,000,000 1,100,000 OVER the aim of 1 MB compressed"
        );
        assert_eq!(
            row("engine"),
            "engine 10 5 within the aim of 3 MB compressed"
        );
    }

    #[test]
    fn letters_and_weights_are_sent_as_they_are() {
        let folder = std::env::temp_dir().join(format!("xtask-weigh-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["a.woff2", "b.safetensors", "c.js"] {
            fs::write(folder.join(name), [0; 1000]).unwrap();
        }
        let sizes = |compressor: Option<&Compressor>| -> Vec<u64> {
            let files = measure(&folder, compressor).unwrap();
            files.iter().map(|file| file.compressed).collect()
        };
        assert_eq!(sizes(None), [1000; 3]);
        if let Some(compressor) = Compressor::find() {
            let sizes = sizes(Some(&compressor));
            assert!(sizes[..2] == [1000; 2] && sizes[2] < 1000, "{sizes:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        let check = |number, expect| assert_eq!(grouped(number), expect);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(1_234_567, "1,234,567");
    }
}
