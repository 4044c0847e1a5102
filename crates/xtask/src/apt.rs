//! Packages of Debian and its relatives.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::process;

/// Whether this system installs software with apt.
pub fn is_available() -> bool {
    process::find("apt-get").is_some() && process::find("dpkg-query").is_some()
}

/// Whether it is Debian itself, whose names for browsers and compilers not all of its relatives have.
pub fn is_debian() -> bool {
    let says = |text: String| {
        let id = text.lines().find_map(|line| line.strip_prefix("ID="));
        id.is_some_and(|id| id.trim_matches('"') == "debian")
    };
    is_available() && std::fs::read_to_string("/etc/os-release").is_ok_and(says)
}

/// Installs those of `packages` that are missing, saying that they are for `purpose`.
///
/// # Errors
/// Without the rights to install: a sentence with the command that does it.
pub fn ensure(purpose: &str, packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|package| !is_installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_root() {
        bail!(
            "{purpose} needs packages that are not installed: run `sudo apt-get install \
             --no-install-recommends {list}`, then this command again"
        );
    }
    println!("installing {list} with apt-get, for {purpose}");
    // Package lists may be stale without harm when the packages are found, so only the
    // installation decides.
    if let Err(error) = process::run(apt_get().args(["update", "-q"])) {
        println!("{error:#}; trying with the package lists as they are");
    }
    process::run(
        apt_get()
            .args(["install", "-q", "-y", "--no-install-recommends"])
            .args(&missing),
    )
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_installed(package: &str) -> bool {
    Command::new("dpkg-query")
        .args(["-W", "-f=${db:Status-Status}", package])
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success() && output.stdout == b"installed")
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
