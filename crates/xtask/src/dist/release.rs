//! What all artifacts of a release have in common: version, platform, folder, time.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::arch::Arch;
use super::elf;
use super::options::DistOptions;
use crate::metadata;

/// The program that artifacts are made of.
pub struct ProgramFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Whether it needs no shared libraries. Only tests pack others.
    pub is_static: bool,
}

pub struct Release {
    pub root: PathBuf,
    pub version: String,
    pub arch: Arch,
    /// The folder for artifacts.
    pub to: PathBuf,
    /// Cargo's folder.
    pub target: PathBuf,
    /// The time of every file in an artifact, in seconds since 1970: that of the commit.
    pub time: u64,
    pub is_stored: bool,
    /// The text about licences, once it was put together.
    pub licences: OnceCell<String>,
}

impl Release {
    pub fn open(root: PathBuf, options: &DistOptions) -> Result<Self> {
        let workspace = metadata::of_workspace(&root)?;
        let program = workspace.packages.iter().find(|package| package.name == "dwell");
        let version = program.context("the workspace has no package `dwell`")?.version.to_string();
        let version = options.version.clone().unwrap_or(version);
        ensure!(is_plain_version(&version), "`{version}` is not a version: three numbers, as 1.2.3");
        let target = PathBuf::from(workspace.target_directory);
        let to = options.to.clone().unwrap_or_else(|| target.join("artifacts"));
        fs::create_dir_all(&to).with_context(|| format!("failed to make {}", to.display()))?;
        let time = commit_time(&root);
        Ok(Self {
            root,
            version,
            arch: options.arch,
            to,
            target,
            time,
            is_stored: options.is_stored,
            licences: OnceCell::new(),
        })
    }

    /// A program to pack, after a look at what it is.
    pub fn program(&self, path: &Path) -> Result<ProgramFile> {
        let bytes = fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
        let arch = elf::arch(&bytes).with_context(|| format!("{} is not a Linux program", path.display()))?;
        ensure!(
            arch == self.arch,
            "{} is for {}: say --arch {}, or name another program",
            path.display(),
            arch.name(),
            arch.name()
        );
        let is_static = elf::is_static(&bytes).with_context(|| format!("{} is damaged", path.display()))?;
        Ok(ProgramFile { path: path.to_path_buf(), bytes, is_static })
    }

    /// The time of the release, as formats of JSON write it.
    pub fn timestamp(&self) -> Result<String> {
        Ok(jiff::Timestamp::from_second(i64::try_from(self.time)?)?.to_string())
    }

    /// A file of the repository.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        fs::read(self.root.join(path)).with_context(|| format!("failed to read {path}"))
    }

    pub fn read_text(&self, path: &str) -> Result<String> {
        String::from_utf8(self.read(path)?).with_context(|| format!("{path} is not text"))
    }

    /// Writes an artifact.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.to.join(name);
        fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(path)
    }
}

/// The formats order versions differently as soon as there is more than numbers in them.
fn is_plain_version(version: &str) -> bool {
    let parts: Vec<&str> = version.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The time of the newest commit; without git, all files are from 1980, the earliest a zip can say.
fn commit_time(root: &Path) -> u64 {
    const EARLIEST: u64 = 315_532_800;
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "log", "-1", "--format=%ct"]).current_dir(root);
    let said = git.output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    said.and_then(|text| text.trim().parse().ok()).unwrap_or(EARLIEST).max(EARLIEST)
}

/// SHA-256 in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers() {
        assert!(is_plain_version("0.1.0") && is_plain_version("10.20.30"));
        for wrong in ["", "1.2", "1.2.3.4", "1.2.x", "1..3", "1.2.3-rc1"] {
            assert!(!is_plain_version(wrong), "{wrong}");
        }
    }
}
