//! The manual pages and the completions of shells, which the program itself prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::arch::Arch;
use super::elf;
use super::entry::{ArchiveEntry, gzip};
use super::release::{ProgramFile, Release};

/// A shell, and where its completions go below the prefix.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/dwell"),
    ("zsh", "share/zsh/vendor-completions/_dwell"),
    ("fish", "share/fish/vendor_completions.d/dwell.fish"),
];

/// The files below a prefix: `share/man/man1/…` and the completions. None if neither the program
/// nor one that was built here runs on this machine.
pub fn files(release: &Release, program: &ProgramFile, prefix: &str) -> Result<Vec<ArchiveEntry>> {
    let Some(runnable) = runnable(release, program) else {
        println!("no manual pages and completions: build the program for this machine, too, to have them");
        return Ok(Vec::new());
    };
    let folder = release.target.join("manual");
    // What an earlier version had is not packed again.
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("failed to empty {}", folder.display()))?;
    }
    let to = folder.to_str().context("the target folder has a name that is no text")?;
    print(&runnable, &["man", "--to", to])?;
    let mut files = Vec::new();
    for page in fs::read_dir(&folder).with_context(|| format!("failed to read {}", folder.display()))? {
        let path = page?.path();
        let name = path.file_name().and_then(|name| name.to_str()).context("a page has no name")?;
        let bytes = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        files.push(ArchiveEntry::file(format!("{prefix}share/man/man1/{name}.gz"), gzip(&bytes)?));
    }
    ensure!(!files.is_empty(), "`dwell man` wrote no pages");
    for (shell, path) in COMPLETIONS {
        files.push(ArchiveEntry::file(format!("{prefix}{path}"), print(&runnable, &["completions", shell])?));
    }
    Ok(files)
}

/// The program, or another build of it that this machine can run.
fn runnable(release: &Release, program: &ProgramFile) -> Option<PathBuf> {
    let own = Arch::of_this_machine();
    if elf::arch(&program.bytes).ok() == own {
        return Some(program.path.clone());
    }
    let built = ["release/dwell", "debug/dwell"].map(|path| release.target.join(path));
    built.into_iter().find(|path| path.exists())
}

fn print(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("HOME", "/nonexistent");
    let output = command.output().with_context(|| format!("failed to start {}", program.display()))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`dwell {}` failed: {}", arguments.join(" "), error.trim());
    Ok(output.stdout)
}
