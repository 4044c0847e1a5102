//! `cargo xtask transformers`: the shipped pairs in Hugging Face's library, compared with what
//! this project's runtime computes.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::repo::Repo;
use crate::steps::step;
use crate::{process, python, trainer};

/// Where PyTorch's own builds without GPU support lie. On Linux, the build on PyPI brings
/// gigabytes of GPU libraries that nothing here uses; elsewhere it is this one already.
const CPU_BUILDS_OF_TORCH: &str = "https://download.pytorch.org/whl/cpu";

/// Compares every pair, or the one that `--pair` names.
///
/// # Errors
/// If an argument means nothing, Python or its packages cannot be had, or a pair differs.
pub fn run(repo: &Repo, arguments: Vec<OsString>) -> Result<()> {
    let pairs = chosen(parse_pair(arguments)?, all_pairs(repo)?)?;
    let scripts = repo.path("crates/model/python");
    let python = python::environment(
        &repo.path("target/transformers-venv"),
        &scripts.join("requirements.txt"),
        install_torch,
    )?;
    let mut differing = Vec::new();
    for pair in &pairs {
        let folder = repo.path("assets/pairs").join(pair);
        let reference = repo
            .path("target/transformers")
            .join(format!("{pair}.json"));
        let arguments = [
            "--pair-folder".into(),
            folder.clone().into_os_string(),
            "--out".into(),
            reference.clone().into_os_string(),
        ];
        step(&format!("{pair}: what this runtime computes"), || {
            trainer::run(repo, "reference", arguments.into())
        })?;
        let compared = step(&format!("{pair}: the same with transformers"), || {
            process::run(
                Command::new(&python)
                    .arg(scripts.join("check_pair.py"))
                    .arg(&folder)
                    .arg(&reference)
                    // Everything it needs is here: a question to the network could only wait.
                    .env("HF_HUB_OFFLINE", "1")
                    .env("PYTHONUTF8", "1"),
            )
        });
        if let Err(error) = compared {
            println!("{error:#}");
            differing.push(pair.as_str());
        }
    }
    if !differing.is_empty() {
        bail!("these pairs differ, see above: {}", differing.join(", "));
    }
    println!("transformers agrees on: {}", pairs.join(", "));
    Ok(())
}

/// The value of `--pair`, if there is one.
fn parse_pair(arguments: Vec<OsString>) -> Result<Option<String>> {
    use lexopt::prelude::*;
    let mut pair = None;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("pair") => pair = Some(parser.value()?.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(pair)
}

/// The folders of `assets/pairs` that hold a pair, in alphabetical order.
///
/// # Errors
/// If they cannot be read.
pub fn all_pairs(repo: &Repo) -> Result<Vec<String>> {
    let folder = repo.path("assets/pairs");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).context("assets/pairs cannot be read")? {
        let entry = entry?;
        if entry.path().join("model-card.json").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The pair of that name, or all of them.
///
/// # Errors
/// If there is none.
pub fn chosen(name: Option<String>, all: Vec<String>) -> Result<Vec<String>> {
    match name {
        Some(name) if all.contains(&name) => Ok(vec![name]),
        Some(name) => bail!("there is no pair `{name}`; there are: {}", all.join(", ")),
        None if all.is_empty() => bail!("assets/pairs holds no pair to compare"),
        None => Ok(all),
    }
}

/// PyTorch without what only GPUs need, where that is another build.
fn install_torch(python: &Path, requirements: &str) -> Result<()> {
    let torch = pinned(requirements, "torch").context("requirements.txt names no torch")?;
    if cfg!(target_os = "linux") {
        let cpu_build = step(&format!("{torch}, its CPU build"), || {
            process::run(
                python::pip_install(python)
                    // One attempt, and nothing else from there: PyPI has it all.
                    .args(["--retries", "0", "--no-deps", "--index-url"])
                    .args([CPU_BUILDS_OF_TORCH, torch]),
            )
        });
        if cpu_build.is_err() {
            println!("{CPU_BUILDS_OF_TORCH} is out of reach; the build on PyPI is several GB");
        }
    }
    Ok(())
}

/// The line of `requirements` that pins `package`, such as `torch==2.0.0`.
fn pinned<'a>(requirements: &'a str, package: &str) -> Option<&'a str> {
    requirements.lines().map(str::trim).find(|line| {
        line.strip_prefix(package)
            .is_some_and(|rest| rest.starts_with("=="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_chosen_by_name_or_all_of_them() {
        let choose = |name: Option<&str>, all: &[&str]| {
            let all = all.iter().map(|name| (*name).to_owned()).collect();
            chosen(name.map(str::to_owned), all)
        };
        assert_eq!(choose(None, &["a", "b"]).unwrap(), ["a", "b"]);
        assert_eq!(choose(Some("b"), &["a", "b"]).unwrap(), ["b"]);
        let message = choose(Some("c"), &["a", "b"]).unwrap_err().to_string();
        assert_eq!(message, "there is no pair `c`; there are: a, b");
        assert!(choose(None, &[]).is_err());
    }

    #[test]
    fn only_the_pair_is_an_argument() {
        assert_eq!(parse_pair(Vec::new()).unwrap(), None);
        let pair = parse_pair(vec!["--pair".into(), "stories".into()]).unwrap();
        assert_eq!(pair.as_deref(), Some("stories"));
        assert!(parse_pair(vec!["stories".into()]).is_err());
        assert!(parse_pair(vec!["--pair".into()]).is_err());
    }

    #[test]
    fn pins_are_read() {
        let requirements = "# torch==1\ntorchvision==3\ntorch==2.0.0\n";
        assert_eq!(pinned(requirements, "torch"), Some("torch==2.0.0"));
        assert_eq!(pinned(requirements, "numpy"), None);
    }
}
