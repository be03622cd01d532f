//! `SHA256SUMS` of everything in the folder of artifacts, and `install.sh` beside it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::release::{Release, digest};

const SUMS: &str = "SHA256SUMS";
const INSTALLER: &str = "install.sh";

pub fn write(release: &Release) -> Result<Vec<PathBuf>> {
    let installer = release.write(INSTALLER, &release.read(INSTALLER)?)?;
    let entries = fs::read_dir(&release.to).with_context(|| format!("failed to read {}", release.to.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("failed to read {}", release.to.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && name != SUMS {
            names.push(name);
        }
    }
    names.sort();
    let mut lines = String::new();
    for name in names {
        let bytes = fs::read(release.to.join(&name)).with_context(|| format!("failed to read {name}"))?;
        lines += &format!("{}  {name}\n", digest(&bytes));
    }
    Ok(vec![installer, release.write(SUMS, lines.as_bytes())?])
}
