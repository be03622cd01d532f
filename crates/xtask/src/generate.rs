//! The files that are derived from the code. The binary prints them itself, so what the manual says is what the binary does;
//! they are kept in the repository to be read there and to show in a review what a change does to the wire.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::tree;
use crate::violation::Violation;

struct Generated {
    subcommand: &'static str,
    path: &'static str,
}

const FILES: &[Generated] = &[
    Generated { subcommand: "wire-reference", path: "docs/wire.md" },
    Generated { subcommand: "openapi", path: "docs/openapi.json" },
];

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Compare, write nothing.
    check: bool,
    /// A `dwell` that is already built; without it cargo builds one.
    dwell: Option<PathBuf>,
}

impl Options {
    /// `None` for what is not understood.
    pub fn parse(flags: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            match *flag {
                "--check" => options.check = true,
                "--dwell" => options.dwell = Some(PathBuf::from(flags.next()?)),
                _ => return None,
            }
        }
        Some(options)
    }
}

pub fn run(options: &Options) -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let mut violations = Vec::new();
    for file in FILES {
        let wanted = print(options.dwell.as_deref(), file.subcommand, &root)?;
        let on_disk = root.join(file.path);
        if options.check {
            // A missing file is as stale as an old one.
            let kept = fs::read_to_string(&on_disk).unwrap_or_default();
            violations.extend(compare(file.path, &kept, &wanted));
        } else {
            fs::write(&on_disk, wanted).with_context(|| format!("failed to write {}", file.path))?;
            println!("wrote {}", file.path);
        }
    }
    Ok(violations)
}

/// What the binary prints for a subcommand.
fn print(dwell: Option<&Path>, subcommand: &str, root: &Path) -> Result<String> {
    let mut command = match dwell {
        Some(path) => Command::new(path),
        None => {
            let mut cargo = Command::new("cargo");
            cargo.args(["run", "--quiet", "--package", "dwell", "--"]).current_dir(root);
            cargo
        }
    };
    let output = command.arg(subcommand).output().with_context(|| format!("failed to start `dwell {subcommand}`"))?;
    ensure!(output.status.success(), "`dwell {subcommand}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    String::from_utf8(output.stdout).with_context(|| format!("`dwell {subcommand}` printed no text"))
}

/// Points at the first line that differs.
fn compare(path: &str, kept: &str, wanted: &str) -> Option<Violation> {
    if kept == wanted {
        return None;
    }
    let alike = kept.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
    let what = "is not what the code says any more: run cargo xtask generate";
    Some(Violation::new(path, alike.saturating_add(1), what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check(kept: &str, wanted: &str, expected: &[&str]) {
        let found = compare("docs/wire.md", kept, wanted);
        assert_violations(found.into_iter().collect(), expected);
    }

    #[test]
    fn differences_are_found() {
        check("a\nb\n", "a\nb\n", &[]);
        check(
            "a\nb\nc\n",
            "a\nB\nc\n",
            &["docs/wire.md:2: is not what the code says any more: run cargo xtask generate"],
        );
        check("a\n", "a\nb\n", &["docs/wire.md:2:"]);
        check("", "a\n", &["docs/wire.md:1:"]);
        check("a", "a\n", &["docs/wire.md:2:"]);
    }

    #[test]
    fn options_are_read() {
        let options = |check, dwell: Option<&str>| Options { check, dwell: dwell.map(PathBuf::from) };
        assert_eq!(Options::parse(&[]), Some(options(false, None)));
        assert_eq!(Options::parse(&["--check"]), Some(options(true, None)));
        assert_eq!(
            Options::parse(&["--dwell", "target/debug/dwell", "--check"]),
            Some(options(true, Some("target/debug/dwell")))
        );
        assert_eq!(Options::parse(&["--dwell"]), None);
        assert_eq!(Options::parse(&["--chekc"]), None);
    }
}
