//! Node.js, on which the scripts that drive browsers run, and its packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;

/// The oldest Node.js that the scripts run on.
const OLDEST_NODE: (u32, u32) = (20, 11);

/// Node.js, still without a script.
///
/// # Errors
/// If there is none that is new enough.
pub fn command() -> Result<Command> {
    let (major, minor) = OLDEST_NODE;
    let node = find("node")?;
    let text = process::output(Command::new(&node).arg("--version"))?;
    let found = parse_version(&text)
        .with_context(|| format!("{} does not tell its version", node.display()))?;
    if found < OLDEST_NODE {
        bail!(
            "{} is Node.js {}.{}, but {major}.{minor} or newer is needed: install one from \
             https://nodejs.org and put it first on the search path",
            node.display(),
            found.0,
            found.1
        );
    }
    Ok(Command::new(node))
}

/// Installs what the `package-lock.json` in a folder names.
///
/// # Errors
/// If there is no npm or something cannot be had.
pub fn install(folder: &Path) -> Result<()> {
    process::run(Command::new(find("npm")?).current_dir(folder).args([
        "ci",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))
}

fn find(program: &str) -> Result<PathBuf> {
    let (major, minor) = OLDEST_NODE;
    process::find(program).with_context(|| {
        format!(
            "{program} is missing: install Node.js {major}.{minor} or newer from \
             https://nodejs.org"
        )
    })
}

/// Reads `v20.11.1`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("v20.11.1\n"), Some((20, 11)));
        assert!(parse_version("v20.9.0\n") < Some(OLDEST_NODE));
        assert_eq!(parse_version("node"), None);
    }
}
