//! `cargo xtask test`: every check, each counted, all of them run.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::repo::Repo;
use crate::steps::step;
use crate::wasm_target::{self, TRIPLE};
use crate::{apt, build, node, process, static_server, tidy};

/// The page, whose unit tests run natively too.
const PAGE: &str = "couplet-web";

/// Only builds for the browser.
const WORKER: &str = "couplet-worker";

/// Where the browser tests find the page: not at the root, since a visitor may not either.
pub const SUB_PATH: &str = "/any/sub/path/";

/// How many checks passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// A single check.
    pub fn one(passed: bool) -> Self {
        Self {
            passed: passed.into(),
            failed: (!passed).into(),
        }
    }

    /// Counts a failure that no check reported, such as tests that do not compile.
    fn with_outcome(mut self, succeeded: bool) -> Self {
        if !succeeded && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Prints the summary, always the last line, and turns it into an exit code.
pub fn report(tally: Tally) -> ExitCode {
    println!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs every stage, whatever became of those before.
pub fn run(repo: &Repo) -> Tally {
    let mut total = Tally::default();
    let mut stage = |name: &str, work: &dyn Fn() -> Result<Tally>| {
        let tally = step(name, work).unwrap_or_else(|error| {
            println!("{error:#}");
            Tally::one(false)
        });
        println!("{name}: {} passed, {} failed\n", tally.passed, tally.failed);
        total += tally;
        tally.failed == 0
    };
    stage("format", &|| {
        single(cargo(repo).args(["fmt", "--all", "--check"]))
    });
    stage("lints of the page", &|| page_lints(repo));
    stage("lints and unit tests", &|| {
        ensure_vulkan()?;
        // All of them at once, the page too: apart, cargo would choose other features of what both are
        // built from, and compile that twice.
        unit_tests(cargo(repo).args(["test", "--workspace", "--exclude", WORKER]))
    });
    stage("tidy", &|| tidy::run(repo));
    stage("the bench's arithmetic and drawing", &|| {
        let tests = repo.path("web/bench/bench.test.mjs");
        single(node::command()?.arg("--test").arg(tests))
    });
    let built = stage("build", &|| build::run(repo).map(|()| Tally::one(true)));
    stage("browser tests", &|| {
        if !built {
            bail!("not run, since there is no page to test");
        }
        browser_tests(repo)
    });
    total
}

fn cargo(repo: &Repo) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(repo.root());
    command
}

/// A command that is one check.
fn single(command: &mut Command) -> Result<Tally> {
    process::run(command).map(|()| Tally::one(true))
}

fn page_lints(repo: &Repo) -> Result<Tally> {
    let wasm = wasm_target::ensure(repo)?;
    // Debian's compiler comes without clippy, and rustup's clippy cannot read the library that
    // it built. The build with trunk then is the only check of the page.
    if !wasm.has_clippy() {
        println!("skipped: there is no clippy for the compiler that builds wasm here");
        return Ok(Tally::default());
    }
    // Not the worker: clippy would have burn compiled for wasm a second time, for the lints of
    // that one crate. The profile is trunk's, so that both share procedural macros.
    single(cargo(repo).args([
        "clippy",
        "--profile",
        "page",
        "--target",
        TRIPLE,
        "--package",
        PAGE,
        "--",
        "-D",
        "warnings",
    ]))
}

fn unit_tests(command: &mut Command) -> Result<Tally> {
    command.arg("--no-fail-fast");
    // Clippy in the compiler's place: `cargo clippy` would compile every dependency a second
    // time, only to look at our own crates.
    if process::find("clippy-driver").is_some() {
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env(
            "CLIPPY_ARGS",
            "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
        );
    }
    let (tally, succeeded) = counted(command)?;
    Ok(tally.with_outcome(succeeded))
}

fn browser_tests(repo: &Repo) -> Result<Tally> {
    let chromium = ensure_chromium()?;
    node::install(&repo.path("web/e2e"))?;
    let url = static_server::start(repo.dist(), SUB_PATH)?;
    // Where there is no Firefox, its tests say that they are skipped; one that is named has to be there.
    let firefox = match ensure_firefox() {
        Ok(firefox) => Some(firefox),
        Err(why) if std::env::var_os("FIREFOX").is_some() => return Err(why),
        Err(why) => {
            println!("{why:#}");
            None
        }
    };
    let mut total = Tally::default();
    // One after the other: what measures must not be measured beside anything else.
    for project in ["page", "measured"] {
        let report = repo.path(&format!("target/e2e/{project}.json"));
        // What an earlier run left would count for one that could not start.
        if report.exists() {
            fs::remove_file(&report)?;
        }
        let mut tests = playwright(repo, &url, &chromium)?;
        tests
            .arg(format!("--project={project}"))
            .arg("--reporter=list,json")
            .env("PLAYWRIGHT_JSON_OUTPUT_FILE", &report);
        match &firefox {
            Some(firefox) => tests.env("FIREFOX", firefox),
            None => tests.env_remove("FIREFOX"),
        };
        let succeeded = tests
            .status()
            .with_context(|| format!("`{}` could not be started", process::describe(&tests)))?
            .success();
        let text = fs::read_to_string(&report).context("the browser tests left no report")?;
        total += playwright_summary(&text)?.with_outcome(succeeded);
    }
    Ok(total)
}

/// The runner of the browser tests, for a page that is served at an address.
///
/// # Errors
/// If there is no Node.js that is new enough.
pub fn playwright(repo: &Repo, url: &str, chromium: &Path) -> Result<Command> {
    let mut node = node::command()?;
    node.current_dir(repo.path("web/e2e"))
        .arg("node_modules/@playwright/test/cli.js")
        .arg("test")
        .env("BASE_URL", url)
        .env("CHROMIUM", chromium);
    Ok(node)
}

/// Runs `cargo test`, passing its output on, and adds up its summaries. Returns the sum and whether
/// the command succeeded.
fn counted(command: &mut Command) -> Result<(Tally, bool)> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{}` could not be started", process::describe(command)))?;
    let mut tally = Tally::default();
    let output = child.stdout.take().context("no output to read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if let Some(found) = libtest_summary(&line) {
            tally += found;
        }
    }
    Ok((tally, child.wait()?.success()))
}

/// Reads `test result: ok. 3 passed; 1 failed; …`.
fn libtest_summary(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = counts.split("; ");
    Some(Tally {
        passed: number_before(counts.next()?, " passed")?,
        failed: number_before(counts.next()?, " failed")?,
    })
}

/// Reads the report that Playwright writes as JSON.
///
/// # Errors
/// If the text is another.
fn playwright_summary(text: &str) -> Result<Tally> {
    let unreadable = "the browser tests' report is unreadable";
    let report: serde_json::Value = serde_json::from_str(text).context(unreadable)?;
    let count = |what| report["stats"][what].as_u64().context(unreadable);
    Ok(Tally {
        passed: count("expected")?,
        failed: count("unexpected")? + count("flaky")?,
    })
}

fn number_before(text: &str, word: &str) -> Option<u64> {
    text.strip_suffix(word)?.parse().ok()
}

/// The browser that tests and the bench use.
///
/// # Errors
/// If there is none and none can be installed.
pub fn ensure_chromium() -> Result<PathBuf> {
    let names = ["chromium", "google-chrome", "chromium-browser"];
    ensure_browser("Chromium or Chrome", "CHROMIUM", &names, "chromium")
}

/// The other browser.
///
/// # Errors
/// If there is none and none can be installed.
pub fn ensure_firefox() -> Result<PathBuf> {
    ensure_browser(
        "Firefox",
        "FIREFOX",
        &["firefox", "firefox-esr"],
        "firefox-esr",
    )
}

/// A browser by what it is called on the search path, in Debian and in the environment.
fn ensure_browser(name: &str, variable: &str, programs: &[&str], package: &str) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        let path = PathBuf::from(path);
        if path.is_file() {
            return Ok(path);
        }
        bail!("{variable} names {}, which is not a file", path.display());
    }
    let find = || programs.iter().find_map(|program| process::find(program));
    if let Some(path) = find() {
        return Ok(path);
    }
    if apt::is_debian() {
        apt::ensure("the browser tests", &[package])?;
    }
    find().with_context(|| {
        format!(
            "no {name} on the search path: install one, or name it in the environment \
             variable {variable}"
        )
    })
}

/// Sees to it that tests can open a GPU, be it one made of software.
fn ensure_vulkan() -> Result<()> {
    // Other systems come with a graphics interface of their own.
    let without = std::env::var_os("COUPLET_WITHOUT_GPU").is_some();
    if !cfg!(target_os = "linux") || without || has_vulkan() {
        return Ok(());
    }
    if apt::is_available() {
        return apt::ensure("the GPU tests", &["libvulkan1", "mesa-vulkan-drivers"]);
    }
    bail!(
        "the GPU tests need a Vulkan driver: install your graphics card's, or Mesa's software \
         one (lavapipe, in a package such as mesa-vulkan-drivers or vulkan-swrast), or set \
         COUPLET_WITHOUT_GPU=1 to go without them"
    )
}

/// Whether a Vulkan driver is installed: all of them register by such a file.
fn has_vulkan() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"];
    let folders = [
        "/usr/share/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
        "/etc/vulkan/icd.d",
    ];
    named.iter().any(|name| std::env::var_os(name).is_some())
        || folders.iter().any(|folder| {
            Path::new(folder)
                .read_dir()
                .is_ok_and(|mut entries| entries.next().is_some())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_summaries_are_read() {
        let check = |line, expect: Option<(u64, u64)>| {
            let expect = expect.map(|(passed, failed)| Tally { passed, failed });
            assert_eq!(libtest_summary(line), expect, "{line}");
        };
        check(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; \
             finished in 0.02s",
            Some((12, 0)),
        );
        check(
            "test result: FAILED. 3 passed; 2 failed; 0 ignored",
            Some((3, 2)),
        );
        check("test tests::one ... ok", None);
    }

    #[test]
    fn reports_of_the_browser_tests_are_read() {
        let report = r#"{
            "suites": [],
            "stats": { "duration": 1.5, "expected": 4, "skipped": 3, "unexpected": 1, "flaky": 2 }
        }"#;
        let expect = Tally {
            passed: 4,
            failed: 3,
        };
        assert_eq!(playwright_summary(report).unwrap(), expect);
        assert!(playwright_summary("4 passed, 1 failed").is_err());
        assert!(playwright_summary(r#"{ "stats": { "expected": 4 } }"#).is_err());
    }

    #[test]
    fn a_command_that_fails_without_a_failed_test_counts_as_one() {
        let tally = Tally {
            passed: 3,
            failed: 0,
        };
        assert_eq!(tally.with_outcome(true), tally);
        assert_eq!(
            tally.with_outcome(false),
            Tally {
                passed: 3,
                failed: 1
            }
        );
        let tally = Tally {
            passed: 3,
            failed: 2,
        };
        assert_eq!(tally.with_outcome(false), tally);
    }
}
