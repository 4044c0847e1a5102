//! Python and packages of its own for a script, below `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;
use crate::steps::step;

/// The oldest Python that the pinned packages run on.
const OLDEST_PYTHON: (u32, u32) = (3, 11);

/// Sees to it that `folder` is a virtual environment with what `requirements` lists, and
/// returns its Python. `before` may install some of it in another way; it is given that Python
/// and the text of the file.
///
/// # Errors
/// If there is no Python that is new enough, or the packages cannot be had.
pub fn environment(
    folder: &Path,
    requirements: &Path,
    before: impl FnOnce(&Path, &str) -> Result<()>,
) -> Result<PathBuf> {
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("{} cannot be read", requirements.display()))?;
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    // Written last: an environment without it was interrupted.
    let installed = folder.join("installed-requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted)
        // Python itself may have been replaced or removed since.
        && version(&python).is_ok()
    {
        return Ok(python);
    }
    step(
        &format!("Python environment in {}", folder.display()),
        || {
            process::run(
                Command::new(system_python()?)
                    .args(["-m", "venv", "--clear"])
                    .arg(folder),
            )
            .context(
                "Python cannot make a virtual environment: install its modules `venv` and \
             `ensurepip` (on Debian and Ubuntu, the package python3-venv)",
            )
        },
    )?;
    before(&python, &wanted)?;
    step(
        &format!("the packages in {}", requirements.display()),
        || {
            process::run(pip_install(&python).arg("--requirement").arg(requirements)).context(
                "pip could not install the packages, its message is above: check that the network \
             or a mirror (PIP_INDEX_URL) is reachable and that there is room on the disk",
            )
        },
    )?;
    fs::write(&installed, wanted)
        .with_context(|| format!("{} cannot be written", installed.display()))?;
    Ok(python)
}

/// `pip install` of that Python, still without packages.
pub fn pip_install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--disable-pip-version-check"]);
    command
}

/// A Python that is new enough.
fn system_python() -> Result<PathBuf> {
    let (major, minor) = OLDEST_PYTHON;
    let python = ["python3", "python"]
        .iter()
        .find_map(|name| process::find(name))
        .with_context(|| {
            format!(
                "Python is not installed, or not on the search path: install Python \
                 {major}.{minor} or newer, with venv (on Debian and Ubuntu, the packages \
                 python3 and python3-venv)"
            )
        })?;
    let found = version(&python)?;
    if found < OLDEST_PYTHON {
        bail!(
            "{} is Python {}.{}, but {major}.{minor} or newer is needed: install one and put \
             it first on the search path",
            python.display(),
            found.0,
            found.1
        );
    }
    Ok(python)
}

fn version(python: &Path) -> Result<(u32, u32)> {
    let script = "import sys; print(sys.version_info.major, sys.version_info.minor)";
    let text = process::output(Command::new(python).args(["-c", script]))?;
    parse_version(&text).with_context(|| format!("{} does not tell its version", python.display()))
}

/// Reads `3 11`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("3 12\n"), Some((3, 12)));
        assert_eq!(parse_version("Python"), None);
    }
}
