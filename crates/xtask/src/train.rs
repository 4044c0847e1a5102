//! `cargo xtask train`: the trainer, with its arguments untouched.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::repo::Repo;

/// Runs the trainer in the folder that the caller stands in.
///
/// # Errors
/// If it cannot be built or does not succeed.
pub fn run(repo: &Repo, arguments: Vec<OsString>) -> Result<()> {
    process::run(
        Command::new("cargo")
            .args(["run", "--package", "couplet-trainer", "--manifest-path"])
            .arg(repo.path("Cargo.toml"))
            .arg("--")
            .args(arguments),
    )
}
