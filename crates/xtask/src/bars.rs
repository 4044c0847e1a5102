//! `cargo xtask bars`: what the page is held to, measured, and the table in `docs/bars.md`.

use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{build, process, static_server, test};

/// Builds the page, measures it in Chromium and writes the table.
///
/// # Errors
/// If something cannot be built or installed, or the measuring fails as a whole.
pub fn run(repo: &Repo) -> Result<()> {
    let chromium = test::ensure_chromium()?;
    build::run(repo)?;
    let folder = repo.path("web/e2e");
    test::npm_install(&folder)?;
    let url = static_server::start(repo.dist(), test::SUB_PATH)?;
    process::run(
        Command::new("node")
            .current_dir(repo.root())
            .arg(folder.join("bars.mjs"))
            .arg(url)
            .arg(repo.path("docs/bars.md"))
            .env("CHROMIUM", chromium),
    )
}
