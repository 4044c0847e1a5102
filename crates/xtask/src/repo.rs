//! Where things lie in the checkout.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The root folder of the checkout.
pub struct Repo {
    root: PathBuf,
}

impl Repo {
    /// Finds the checkout that this binary was run from.
    ///
    /// # Errors
    /// If that folder no longer holds the project.
    pub fn locate() -> Result<Self> {
        // `cargo run` sets the variable; a binary started by hand remembers where it was built.
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        match manifest_dir.ancestors().nth(2) {
            Some(root) if root.join("Cargo.lock").is_file() => Ok(Self { root: root.into() }),
            _ => bail!(
                "no project around {}: start this as `cargo xtask` inside the checkout",
                manifest_dir.display()
            ),
        }
    }

    /// The root folder, absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `relative` below the root folder.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Tools and libraries that only this checkout uses.
    pub fn tools(&self) -> PathBuf {
        self.path(".tools")
    }

    /// The built page.
    pub fn dist(&self) -> PathBuf {
        self.path("dist")
    }
}
