//! The standard library for `wasm32-unknown-unknown`, fetched by rustup or built from the
//! sources that Debian ships.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::repo::Repo;
use crate::steps::step;
use crate::{apt, process};

/// The target triple of page and worker.
pub const TRIPLE: &str = "wasm32-unknown-unknown";

/// Long enough for a slow line; a machine without one fails at once.
const RUSTUP_LIMIT: Duration = Duration::from_secs(300);

/// Debian's compiler for web browsers and the sources of its standard library.
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-19";

/// The compiler's flags for [`TRIPLE`], for cargo.
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// A compiler that can build for [`TRIPLE`].
pub enum WasmToolchain {
    /// The compiler on the search path has the library.
    Default,
    /// Debian's compiler with a library of our own.
    Debian {
        /// Holds `lib/rustlib/wasm32-unknown-unknown/lib`.
        sysroot: PathBuf,
    },
}

impl WasmToolchain {
    /// Sets what `cargo`, called by `command` directly or not, needs to use this compiler.
    pub fn apply(&self, command: &mut Command) {
        // Cargo joins the flags of a target's variable with those that `.cargo/config.toml`
        // gives by `cfg`, and keeps both from build scripts and procedural macros, which
        // find the host's library in the compiler's own sysroot.
        let set = std::env::var(FLAGS).ok();
        let mut flags: Vec<String> = set.into_iter().chain(anonymous_sources()).collect();
        if let Self::Debian { sysroot } = self {
            flags.push(format!("--sysroot={}", sysroot.display()));
            flags.push("-Clinker-flavor=wasm-ld".to_owned());
            command
                .env("RUSTC", DEBIAN_RUSTC)
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
        }
        command.env(FLAGS, flags.join(" "));
    }

    /// Whether clippy can check wasm code: it only knows the libraries of the compiler that
    /// it was built with.
    pub fn has_clippy(&self) -> bool {
        matches!(self, Self::Default)
    }
}

/// Flags by which places in a crate's source, which panics name, do not tell where on this machine
/// it lies: visitors need not know, and the same sources give the same page elsewhere.
fn anonymous_sources() -> Vec<String> {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = || Some(std::env::home_dir()?.join(".cargo"));
    let Some(cargo_home) = cargo_home.or_else(home) else {
        return Vec::new();
    };
    // One for each registry, or mirror of it, that crates came from.
    let registries = fs::read_dir(cargo_home.join("registry/src"));
    let mut flags: Vec<String> = registries
        .into_iter()
        .flatten()
        .flatten()
        .map(|registry| {
            format!(
                "--remap-path-prefix={}=crates.io",
                registry.path().display()
            )
        })
        .collect();
    // Flags in environment variables are split at white space.
    if flags.iter().any(|flag| flag.contains(char::is_whitespace)) {
        println!(
            "the page's modules will name the folder {}: set CARGO_HOME to one without spaces \
             before you publish them",
            cargo_home.display()
        );
        return Vec::new();
    }
    // In another order they would have everything compiled anew.
    flags.sort();
    flags
}

/// Finds a compiler for [`TRIPLE`], completing one where needed.
///
/// # Errors
/// A sentence that says what to install by hand.
pub fn ensure(repo: &Repo) -> Result<WasmToolchain> {
    let distribution = std::env::var("COUPLET_WASM_STD").is_ok_and(|value| value == "distribution");
    let sysroot = repo.tools().join("sysroot");
    if !distribution {
        if default_compiler_has_library() {
            return Ok(WasmToolchain::Default);
        }
        // Where rustup failed once it would fail again, perhaps after minutes.
        let built = is_current(&sysroot).unwrap_or(false);
        if !built && add_with_rustup() {
            return Ok(WasmToolchain::Default);
        }
    }
    if !apt::is_debian() {
        bail!(
            "no Rust standard library for {TRIPLE}: install Rust from https://rustup.rs and run \
             `rustup target add {TRIPLE}`"
        );
    }
    debian(repo, sysroot)
}

/// Whether rustup could complete the compiler on the search path; says so where not.
fn add_with_rustup() -> bool {
    if process::find("rustup").is_none() {
        return false;
    }
    let added = step("wasm standard library (rustup)", || {
        process::run_limited(
            Command::new("rustup").args(["target", "add", TRIPLE]),
            RUSTUP_LIMIT,
        )
    });
    if let Err(error) = added {
        println!("{error:#}");
        return false;
    }
    let complete = default_compiler_has_library();
    if !complete {
        println!("rustup added the library to a toolchain that is not in use");
    }
    complete
}

fn default_compiler_has_library() -> bool {
    process::output(Command::new("rustc").args(["--print", "sysroot"]))
        .is_ok_and(|sysroot| library(Path::new(sysroot.trim())).is_dir())
}

/// The folder of the library inside a sysroot.
fn library(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TRIPLE).join("lib")
}

/// The file in a sysroot that names the compiler which built it.
fn stamp(sysroot: &Path) -> PathBuf {
    sysroot.join("compiler")
}

fn debian_compiler() -> Result<String> {
    process::output(Command::new(DEBIAN_RUSTC).arg("-vV"))
}

/// Whether `sysroot` was built by Debian's compiler as it is now: a compiler reads only
/// libraries that it built itself.
fn is_current(sysroot: &Path) -> Result<bool> {
    Ok(match fs::read_to_string(stamp(sysroot)) {
        Ok(built_with) => built_with == debian_compiler()?,
        Err(_) => false,
    })
}

fn debian(repo: &Repo, sysroot: PathBuf) -> Result<WasmToolchain> {
    apt::ensure("the wasm standard library", &DEBIAN_PACKAGES).context(
        "rustup could not provide the wasm standard library, so it is to come from Debian",
    )?;
    // Flags in environment variables are split at white space.
    if sysroot.to_string_lossy().contains(char::is_whitespace) {
        bail!(
            "move the project to a folder whose path has no spaces: {} cannot be given to the \
             compiler",
            sysroot.display()
        );
    }
    if !is_current(&sysroot)? {
        step(
            "wasm standard library (built from Debian's sources)",
            || {
                let built = build_library(&repo.path("target/wasm-std"))?;
                install_library(&built, &library(&sysroot))?;
                fs::write(stamp(&sysroot), debian_compiler()?)?;
                Ok(())
            },
        )?;
    }
    Ok(WasmToolchain::Debian { sysroot })
}

/// Builds std for the sake of an empty crate; returns the folder with the compiled libraries.
fn build_library(work: &Path) -> Result<PathBuf> {
    fs::create_dir_all(work.join("src"))?;
    fs::write(
        work.join("Cargo.toml"),
        "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [profile.release]\nopt-level = 3\npanic = \"abort\"\ncodegen-units = 1\n\n\
         [workspace]\n",
    )?;
    fs::write(work.join("src/lib.rs"), "#![no_std]\n")?;
    let target = work.join("target");
    // Old libraries beside new ones would be ambiguous to the compiler.
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    process::run(
        Command::new(DEBIAN_CARGO)
            .current_dir(work)
            .args(["build", "--release", "--target", TRIPLE])
            .arg("-Zbuild-std=std,panic_abort,test,proc_macro")
            // `build-std` is an unstable option of a stable compiler.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTC", DEBIAN_RUSTC)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
            // Link-time optimisation of dependents needs the bitcode of std. As a plain
            // RUSTFLAGS it also replaces the project's own flags, which std must not have.
            .env("RUSTFLAGS", "-Cembed-bitcode=yes"),
    )?;
    Ok(target.join(TRIPLE).join("release/deps"))
}

fn install_library(built: &Path, library: &Path) -> Result<()> {
    if library.exists() {
        fs::remove_dir_all(library)?;
    }
    fs::create_dir_all(library)?;
    let mut copied = 0;
    for entry in fs::read_dir(built)? {
        let entry = entry?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".rlib") && !text.starts_with("libempty-") {
            fs::copy(entry.path(), library.join(&name))?;
            copied += 1;
        }
    }
    if copied == 0 {
        bail!("building std left no libraries in {}", built.display());
    }
    Ok(())
}
