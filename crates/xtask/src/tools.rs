//! trunk and wasm-bindgen, at the versions that this project is built with.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use crate::process;
use crate::repo::Repo;
use crate::steps::step;

/// Later versions of trunk ask for a newer compiler than the workspace does.
const TRUNK_VERSION: &str = "0.21.14";

/// A program from crates.io.
struct Tool<'a> {
    package: &'a str,
    program: &'a str,
    version: &'a str,
    default_features: bool,
    /// Its packages that do the work: they are optimised.
    busy: &'a [&'a str],
}

/// Sees to it that both tools are there.
///
/// # Errors
/// If one has to be compiled and cannot be.
pub fn ensure(repo: &Repo) -> Result<()> {
    let lock = fs::read_to_string(repo.path("Cargo.lock")).context("reading Cargo.lock")?;
    let wasm_bindgen = locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock names no wasm-bindgen: run `cargo generate-lockfile`")?;
    install(
        repo,
        &Tool {
            package: "wasm-bindgen-cli",
            program: "wasm-bindgen",
            version: wasm_bindgen,
            default_features: true,
            busy: &["walrus", "wasmparser", "wasm-bindgen-cli-support"],
        },
    )?;
    install(
        repo,
        &Tool {
            package: "trunk",
            program: "trunk",
            version: TRUNK_VERSION,
            // The defaults are TLS and a search for newer versions, both for downloads that
            // `--offline` rules out.
            default_features: false,
            busy: &[],
        },
    )
}

/// A trunk command that finds this project's tools first.
///
/// # Errors
/// If the project's folder cannot be part of a search path.
pub fn trunk(repo: &Repo) -> Result<Command> {
    let mut command = Command::new("trunk");
    // Trunk.toml's hook calls this very program.
    let this = std::env::current_exe().context("where this program lies")?;
    let tools = repo.tools().join("bin");
    let folders = [Some(tools.as_path()), this.parent()];
    command
        .current_dir(repo.root())
        .env("PATH", process::path_with(folders.into_iter().flatten())?)
        // Some environments set this to `1`, which trunk does not take for a yes.
        .env_remove("NO_COLOR");
    Ok(command)
}

fn install(repo: &Repo, tool: &Tool) -> Result<()> {
    let own = repo.tools().join("bin").join(tool.program);
    if has_version(&own, tool.version) || has_version(Path::new(tool.program), tool.version) {
        return Ok(());
    }
    step(&format!("{} {}", tool.package, tool.version), || {
        // The published lock file is what its authors tested, but not every registry mirror
        // has all versions that it names. That failure comes within a second, before anything
        // is compiled.
        process::run(cargo_install(repo, tool).arg("--locked")).or_else(|error| {
            println!("{error:#}; trying without its lock file");
            process::run(&mut cargo_install(repo, tool))
        })
    })
}

fn cargo_install(repo: &Repo, tool: &Tool) -> Command {
    let mut command = Command::new("cargo");
    command
        .current_dir(repo.root())
        .args(["install", tool.package])
        .arg(format!("--version=={}", tool.version))
        .arg("--root")
        .arg(repo.tools())
        .env("CARGO_TARGET_DIR", repo.path("target/tools"))
        // The release profiles of these tools ask for link-time optimisation of everything,
        // which takes several times as long to compile, for a second or two of each build.
        .env("CARGO_PROFILE_RELEASE_LTO", "false")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
    for package in tool.busy {
        let level = format!("profile.release.package.{package}.opt-level=1");
        command.args(["--config", &level]);
    }
    if !tool.default_features {
        command.arg("--no-default-features");
    }
    command
}

fn has_version(program: &Path, version: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| {
            output.status.success()
                && reported_version(&String::from_utf8_lossy(&output.stdout)) == Some(version)
        })
}

/// The version in `name 1.2.3` or `name 1.2.3 (details)`.
fn reported_version(text: &str) -> Option<&str> {
    text.split_whitespace().nth(1)
}

/// The version of `package` in the text of a Cargo.lock.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locked_version_is_that_of_the_whole_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.5\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "trunk"), None);
    }

    #[test]
    fn the_reported_version_is_the_second_word() {
        assert_eq!(reported_version("trunk 0.21.14\n"), Some("0.21.14"));
        assert_eq!(
            reported_version("wasm-bindgen 0.2.130 (0123abc)"),
            Some("0.2.130")
        );
        assert_eq!(reported_version(""), None);
    }
}
