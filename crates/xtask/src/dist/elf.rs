//! What a Linux program says about itself: its processor, and whether it needs shared libraries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::arch::Arch;
use super::entry::ArchiveEntry;

const MAGIC: &[u8] = b"\x7fELF\x02\x01";
/// Program headers: where their table begins, the size of an entry, how many there are.
const TABLE_AT: usize = 0x20;
const ENTRY_BYTES_AT: usize = 0x36;
const ENTRIES_AT: usize = 0x38;
const MACHINE_AT: usize = 0x12;
/// The header that names the loader of shared libraries.
const INTERPRETER: u32 = 3;

pub fn arch(program: &[u8]) -> Result<Arch> {
    ensure!(program.starts_with(MAGIC), "it has no 64-bit ELF header");
    match number::<2>(program, MACHINE_AT)? {
        0x3e => Ok(Arch::X86_64),
        0xb7 => Ok(Arch::Aarch64),
        other => bail!("it is for another processor ({other:#x})"),
    }
}

/// Whether it runs without any other file.
pub fn is_static(program: &[u8]) -> Result<bool> {
    let table = usize::try_from(number::<8>(program, TABLE_AT)?)?;
    let entry = usize::try_from(number::<2>(program, ENTRY_BYTES_AT)?)?;
    for index in 0..usize::try_from(number::<2>(program, ENTRIES_AT)?)? {
        let at = index.checked_mul(entry).and_then(|at| at.checked_add(table)).context("its headers are damaged")?;
        if number::<4>(program, at)? == u64::from(INTERPRETER) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A little-endian number of some bytes.
fn number<const BYTES: usize>(program: &[u8], at: usize) -> Result<u64> {
    let bytes = at.checked_add(BYTES).and_then(|end| program.get(at..end)).context("it is cut off")?;
    Ok(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
}

/// The shared libraries of a program that is not static, to be packed at the paths where the loader
/// looks for them. They come from this machine: good for a test, not for a release.
pub fn libraries(program: &Path) -> Result<Vec<ArchiveEntry>> {
    let output = Command::new("ldd").arg(program).output().context("failed to start ldd")?;
    ensure!(output.status.success(), "ldd failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let paths: BTreeSet<PathBuf> = listed.lines().filter_map(library_path).map(PathBuf::from).collect();
    paths
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
            Ok(ArchiveEntry::program(path.display().to_string().trim_start_matches('/'), bytes))
        })
        .collect()
}

/// The path in a line of ldd: `name => /path (0x…)`, or `/path (0x…)` for the loader.
fn library_path(line: &str) -> Option<&str> {
    let line = line.trim();
    let path = line.split_once("=> ").map_or(line, |(_, path)| path);
    path.split_once(" (").map(|(path, _)| path).filter(|path| path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with these program headers, by kind.
    fn program(machine: u16, kinds: &[u32]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.resize(64, 0);
        bytes[MACHINE_AT..MACHINE_AT + 2].copy_from_slice(&machine.to_le_bytes());
        bytes[TABLE_AT] = 64;
        bytes[ENTRY_BYTES_AT] = 56;
        bytes[ENTRIES_AT] = u8::try_from(kinds.len()).unwrap();
        for kind in kinds {
            bytes.extend(kind.to_le_bytes());
            bytes.resize(bytes.len() + 52, 0);
        }
        bytes
    }

    #[test]
    fn a_program_that_names_a_loader_is_not_static() {
        assert_eq!(arch(&program(0x3e, &[])).unwrap(), Arch::X86_64);
        assert_eq!(arch(&program(0xb7, &[])).unwrap(), Arch::Aarch64);
        assert!(arch(&program(8, &[])).is_err() && arch(b"#!/bin/sh").is_err());
        assert!(is_static(&program(0x3e, &[1, 1, 2])).unwrap());
        assert!(!is_static(&program(0x3e, &[1, INTERPRETER])).unwrap());
        assert!(is_static(&program(0x3e, &[1, 1])[..100]).is_err(), "it is cut off");
    }

    #[test]
    fn paths_are_read_from_ldd() {
        assert_eq!(library_path("\tlibc.so.6 => /lib/libc.so.6 (0x00007f)"), Some("/lib/libc.so.6"));
        assert_eq!(library_path("\t/lib64/ld-linux.so.2 (0x00007f)"), Some("/lib64/ld-linux.so.2"));
        assert_eq!(library_path("\tlinux-vdso.so.1 (0x00007f)"), None);
        assert_eq!(library_path("\tstatically linked"), None);
    }
}
