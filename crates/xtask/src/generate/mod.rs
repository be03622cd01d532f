//! The files that are derived from the code: the pages of docs/reference/ and the OpenAPI
//! description. The built program prints the facts and the pages are rendered here, so the
//! reference describes what the program does. The files are kept in the repository to be read
//! there, and to show in a review what a change does to the interface.

mod cli;
mod configuration;
mod errors;
mod events;
mod markdown;
mod program;
mod rest;
mod schema;
mod types;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use self::program::BuiltProgram;
use crate::tree;
use crate::violation::Violation;

/// Where the settings are described, each with its default.
const DEFAULTS: &str = "crates/dwell/src/config/defaults.toml";

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

/// A generated file: its path and its text.
struct GeneratedFile {
    path: &'static str,
    text: String,
}

pub fn run(options: &Options) -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let program = BuiltProgram::find(options.dwell.as_deref(), &root)?;
    let defaults = fs::read_to_string(root.join(DEFAULTS)).with_context(|| format!("failed to read {DEFAULTS}"))?;
    let mut violations = Vec::new();
    for GeneratedFile { path, text } in render(&program, &defaults)? {
        let on_disk = root.join(path);
        if options.check {
            // A missing file is as stale as an old one.
            let kept = fs::read_to_string(&on_disk).unwrap_or_default();
            violations.extend(compare(path, &kept, &text));
        } else {
            write(&on_disk, &text).with_context(|| format!("failed to write {path}"))?;
            println!("wrote {path}");
        }
    }
    Ok(violations)
}

fn render(program: &BuiltProgram, defaults: &str) -> Result<Vec<GeneratedFile>> {
    let openapi_text = program.print(&["openapi"])?;
    let openapi = serde_json::from_str(&openapi_text).context("`dwell openapi` printed no JSON")?;
    Ok(vec![
        GeneratedFile {
            path: "docs/reference/wire.md",
            text: markdown::wrap_prose(&program.print(&["wire-reference"])?),
        },
        GeneratedFile { path: "docs/reference/rest.md", text: rest::page(&openapi) },
        GeneratedFile { path: "docs/reference/events.md", text: events::page(&openapi) },
        GeneratedFile { path: "docs/reference/types.md", text: types::page(&openapi) },
        GeneratedFile { path: "docs/reference/errors.md", text: errors::page(&program.json(&["error-codes"])?)? },
        GeneratedFile {
            path: "docs/reference/configuration.md",
            text: configuration::page(defaults, &program.json(&["config", "--json"])?)?,
        },
        GeneratedFile { path: "docs/reference/cli.md", text: cli::page(&|arguments| program.print(arguments))? },
        GeneratedFile { path: "docs/openapi.json", text: openapi_text },
    ])
}

fn write(path: &std::path::Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)?;
    Ok(())
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
        let found = compare("docs/reference/wire.md", kept, wanted);
        assert_violations(found.into_iter().collect(), expected);
    }

    #[test]
    fn differences_are_found() {
        check("a\nb\n", "a\nb\n", &[]);
        check(
            "a\nb\nc\n",
            "a\nB\nc\n",
            &["docs/reference/wire.md:2: is not what the code says any more: run cargo xtask generate"],
        );
        check("a\n", "a\nb\n", &["docs/reference/wire.md:2:"]);
        check("", "a\n", &["docs/reference/wire.md:1:"]);
        check("a", "a\n", &["docs/reference/wire.md:2:"]);
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
