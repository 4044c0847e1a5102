//! `cargo xtask bars` and `cargo xtask pictures`: what the page is held to, measured, and how it
//! looks, in `docs`.

use std::process::Command;

use anyhow::Result;

use crate::repo::Repo;
use crate::{build, node, process, static_server, test};

/// The built page on a server, and the browser to look at it with.
struct Visit {
    chromium: std::path::PathBuf,
    url: String,
}

impl Visit {
    fn prepare(repo: &Repo) -> Result<Self> {
        let chromium = test::ensure_chromium()?;
        // A build takes minutes, and without these would be for nothing.
        node::command()?;
        node::install(&repo.path("web/e2e"))?;
        build::run(repo)?;
        let url = static_server::start(repo.dist(), test::SUB_PATH)?;
        Ok(Self { chromium, url })
    }

    /// A script of `web/e2e`, told where the page is.
    fn node(&self, repo: &Repo, script: &str) -> Result<Command> {
        let mut node = node::command()?;
        node.current_dir(repo.root())
            .arg(repo.path("web/e2e").join(script))
            .arg(&self.url)
            .env("CHROMIUM", &self.chromium);
        Ok(node)
    }
}

/// Builds the page, measures it in Chromium and writes the table in `docs/bars.md`.
///
/// # Errors
/// If something cannot be built or installed, or the measuring fails as a whole.
pub fn run(repo: &Repo) -> Result<()> {
    let visit = Visit::prepare(repo)?;
    let table = repo.path("docs/bars.md");
    process::run(visit.node(repo, "bars.mjs")?.arg(table))
}

/// Builds the page and takes its pictures anew: those that the README shows, and those that the
/// browser tests compare with.
///
/// # Errors
/// If something cannot be built or installed, or the page is not as the tests want it otherwise.
pub fn pictures(repo: &Repo) -> Result<()> {
    let visit = Visit::prepare(repo)?;
    let folder = repo.path("docs/pictures");
    process::run(visit.node(repo, "pictures.mjs")?.arg(folder))?;
    process::run(
        test::playwright(repo, &visit.url, &visit.chromium)?
            .args(["--grep", "at three sizes, light and dark"])
            .arg("--update-snapshots=all"),
    )
}
