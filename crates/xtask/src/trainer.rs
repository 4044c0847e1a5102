//! The trainer's commands, with their arguments untouched.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::repo::Repo;

/// Runs a command of the trainer in the folder that the caller stands in.
///
/// # Errors
/// If it cannot be built or does not succeed.
pub fn run(repo: &Repo, command: &str, arguments: Vec<OsString>) -> Result<()> {
    // What computes for hours is worth the minutes that it takes to optimise tensor code.
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let profile = match command {
        "train" | "evaluate" if !is_quick => "bench",
        _ => "dev",
    };
    process::run(
        Command::new("cargo")
            .args(["run", "--profile", profile])
            .args(["--package", "couplet-trainer", "--manifest-path"])
            .arg(repo.path("Cargo.toml"))
            .args(["--", command])
            .args(arguments),
    )
}
