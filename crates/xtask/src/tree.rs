//! The workspace as the checks see it: every file that git tracks or would track, in memory, and
//! our own crates. Checks are pure functions of this, so a test can pass a few lines instead of a
//! checkout.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::metadata::{self, Dependency};

/// Larger files are not read, and are a violation themselves.
pub const FILE_BYTES_MAX: u64 = 1024 * 1024;

pub struct SourceTree {
    pub files: Vec<SourceFile>,
    pub crates: Vec<Crate>,
}

pub struct SourceFile {
    /// Relative to the root, with forward slashes.
    pub path: String,
    pub size: u64,
    /// Empty if the file is larger than [`FILE_BYTES_MAX`].
    pub bytes: Vec<u8>,
}

pub struct Crate {
    pub name: String,
    /// Relative to the root.
    pub dir: String,
    /// The text of its Cargo.toml, to find lines in it.
    pub manifest: String,
    pub dependencies: Vec<Dependency>,
}

/// The workspace of the current folder. It may not be the one that this binary was built from:
/// checkouts that share a target folder share the binary.
pub fn root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("failed to find the current folder")?;
    let root = here.ancestors().find(|dir| dir.join("crates/xtask/Cargo.toml").is_file());
    root.map(Path::to_path_buf).context("this is not a folder of the workspace")
}

impl SourceTree {
    pub fn read(root: &Path) -> Result<Self> {
        Ok(Self {
            files: kept_paths(root)?
                .into_iter()
                .filter_map(|path| SourceFile::read(root, path).transpose())
                .collect::<Result<_>>()?,
            crates: read_crates(root)?,
        })
    }
}

impl SourceFile {
    #[cfg(test)]
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), size: text.len() as u64, bytes: text.as_bytes().to_vec() }
    }

    /// `None` for paths that git lists but that are not files: deleted and not yet committed, a
    /// link, a submodule.
    fn read(root: &Path, path: String) -> Result<Option<Self>> {
        let on_disk = root.join(&path);
        let size = match fs::symlink_metadata(&on_disk) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            _ => return Ok(None),
        };
        let bytes = if size > FILE_BYTES_MAX {
            Vec::new()
        } else {
            fs::read(&on_disk).with_context(|| format!("failed to read {path}"))?
        };
        Ok(Some(Self { path, size, bytes }))
    }

    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Rust that a person wrote.
    pub fn is_our_rust(&self) -> bool {
        self.path.ends_with(".rs") && !self.is_generated()
    }

    /// Generators mark their files in the first lines.
    fn is_generated(&self) -> bool {
        let marker = concat!("@", "generated");
        self.text().lines().take(5).any(|line| line.contains(marker))
    }

    /// Whether all of it is test code, by the names this workspace uses.
    pub fn is_test(&self) -> bool {
        let path = format!("/{}", self.path);
        path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
    }
}

/// The files that git tracks or would track: tracked files and new ones that are not ignored.
fn kept_paths(root: &Path) -> Result<Vec<String>> {
    // The checkout may belong to another user (a container's volume); listing names is harmless in
    // that case.
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .args(["--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("failed to start git, which lists the files")?;
    ensure!(output.status.success(), "failed to list files: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(parse_paths(&output.stdout))
}

/// A file with merge conflicts is listed once per side.
fn parse_paths(output: &[u8]) -> Vec<String> {
    let mut paths: Vec<String> = String::from_utf8_lossy(output).split_terminator('\0').map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn read_crates(root: &Path) -> Result<Vec<Crate>> {
    let packages = metadata::of_workspace(root)?.packages;
    packages
        .into_iter()
        .map(|package| {
            let manifest_path = Path::new(&package.manifest_path);
            let manifest = fs::read_to_string(manifest_path)
                .with_context(|| format!("failed to read {}", package.manifest_path))?;
            let dir = manifest_path.parent().unwrap_or(manifest_path);
            let dir = dir.strip_prefix(root).unwrap_or(dir);
            Ok(Crate {
                name: package.name,
                dir: dir.to_string_lossy().into_owned(),
                manifest,
                dependencies: package.dependencies,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_listed_once() {
        assert_eq!(parse_paths(b"b\0a b\0b\0"), ["a b", "b"]);
        assert_eq!(parse_paths(b""), Vec::<String>::new());
    }

    #[test]
    fn tests_are_known_by_their_names() {
        let is_test = |path: &str| SourceFile::new(path, "").is_test();
        assert!(is_test("crates/dwell/tests/it/main.rs"));
        assert!(is_test("crates/session/src/decide/tests.rs"));
        assert!(is_test("tests/a.rs"));
        assert!(!is_test("crates/testkit/src/lib.rs"));
        assert!(!is_test("crates/session/src/attests.rs"));
    }

    #[test]
    fn generated_rust_is_not_ours() {
        let generated = format!("// {}generated by a tool\nfn main() {{}}\n", '@');
        assert!(!SourceFile::new("a.rs", &generated).is_our_rust());
        assert!(SourceFile::new("a.rs", "fn main() {}\n").is_our_rust());
        assert!(!SourceFile::new("a.md", "text").is_our_rust());
    }
}
