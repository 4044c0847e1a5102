//! Which files a folder holds.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// All files below a folder, relative to it, with `/`, in order.
///
/// # Errors
/// If a folder cannot be read.
pub fn below(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    walk(folder, "", &mut paths)?;
    paths.sort();
    Ok(paths)
}

fn walk(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
