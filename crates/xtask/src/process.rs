//! Running other programs, with failures as sentences.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// Runs to the end; output goes to the terminal.
///
/// # Errors
/// If the program cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|error| not_started(command, error))?;
    succeeded(command, status)
}

/// Like [`run`], but stops the program after `limit`.
///
/// # Errors
/// As [`run`], and if the limit passes.
pub fn run_limited(command: &mut Command, limit: Duration) -> Result<()> {
    let mut child = command
        .spawn()
        .map_err(|error| not_started(command, error))?;
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return succeeded(command, status);
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            bail!(
                "`{}` was not done after {} s",
                describe(command),
                limit.as_secs()
            );
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Runs to the end and returns what the program wrote to its standard output.
///
/// # Errors
/// If the program cannot be started, does not succeed or writes something else than UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| not_started(command, error))?;
    succeeded(command, output.status)?;
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` wrote something that is not text", describe(command)))
}

/// Where the program `name` lies on the search path.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // On Windows npm is a script.
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd"]
    } else {
        &[""]
    };
    std::env::split_paths(&path)
        .flat_map(|folder| {
            endings
                .iter()
                .map(move |ending| folder.join(format!("{name}{ending}")))
        })
        .find(|candidate| candidate.is_file())
}

/// The search path with `folders` before everything else.
///
/// # Errors
/// If a folder's name holds the character that separates folders.
pub fn path_with<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.into_iter().map(Path::to_path_buf);
    std::env::join_paths(folders.chain(std::env::split_paths(&path)))
        .context("move the project: its folder's name cannot be part of a search path")
}

/// The command as a person would type it.
pub fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(
        command
            .get_args()
            .map(|argument| argument.to_string_lossy()),
    );
    words.join(" ")
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    bail!("`{}` ended with {status}", describe(command))
}

fn not_started(command: &Command, error: std::io::Error) -> anyhow::Error {
    let program = command.get_program().to_string_lossy().into_owned();
    if error.kind() == ErrorKind::NotFound {
        anyhow::anyhow!("`{program}` is not installed, or not on the search path")
    } else {
        anyhow::Error::new(error).context(format!("`{program}` could not be started"))
    }
}
