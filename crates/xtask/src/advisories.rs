//! Known vulnerabilities in our dependencies, from the RustSec database. It is downloaded each
//! time, because an old copy may miss new advisories. If the download fails, the check is skipped
//! with a message.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use semver::VersionReq;
use serde::Deserialize;

use crate::licences::lock_line;
use crate::licences::policy::{POLICY, Policy};
use crate::metadata::{self, Package};
use crate::tree;
use crate::violation::Violation;

const DATABASE: &str = "https://github.com/RustSec/advisory-db/archive/refs/heads/main.tar.gz";
const DOWNLOAD_SECONDS_MAX: &str = "60";

/// The head of an advisory's file.
#[derive(Deserialize)]
struct Advisory {
    advisory: AdvisoryHead,
    versions: Versions,
}

#[derive(Deserialize)]
struct AdvisoryHead {
    id: String,
    package: String,
    /// Set for advisories that are not vulnerabilities, such as an unmaintained package.
    informational: Option<String>,
    withdrawn: Option<String>,
}

#[derive(Deserialize)]
struct Versions {
    patched: Vec<VersionReq>,
    #[serde(default)]
    unaffected: Vec<VersionReq>,
}

pub fn run() -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let policy = Policy::read(&root)?;
    let found = metadata::of_dependencies(&root, policy.platforms())?;
    let database = match download(Path::new(&found.target_directory)) {
        Ok(database) => database,
        Err(error) => {
            println!("advisories: SKIPPED, nothing was checked: {error:#}");
            return Ok(Vec::new());
        }
    };
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("failed to read Cargo.lock")?;
    let mut violations = Vec::new();
    for package in found.packages.iter().filter(|package| package.source.is_some()) {
        for advisory in advisories_for(&database, &package.name)? {
            if let Some(what) = objection(&advisory, package, &policy) {
                let line = lock_line(&lock, &package.name, &package.version);
                violations.push(Violation::new("Cargo.lock", line, what));
            }
        }
    }
    println!("advisories: {} packages checked", found.packages.len());
    Ok(violations)
}

/// Downloads and unpacks the database; returns its folder.
fn download(target: &Path) -> Result<PathBuf> {
    let into = target.join("advisories");
    let archive = target.join("advisories.tar.gz");
    // Advisories are renamed and withdrawn, so an old copy is removed first. It may not exist.
    let _ = fs::remove_dir_all(&into);
    fs::create_dir_all(&into).context("failed to create a folder for the database")?;
    let curl = ["--fail", "--silent", "--show-error", "--location", "--max-time", DOWNLOAD_SECONDS_MAX];
    succeed(Command::new("curl").args(curl).arg("--output").arg(&archive).arg(DATABASE))?;
    succeed(
        Command::new("tar")
            .args(["--extract", "--gzip", "--strip-components=1", "--file"])
            .arg(&archive)
            .arg("--directory")
            .arg(&into),
    )?;
    Ok(into)
}

fn succeed(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("failed to start {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn advisories_for(database: &Path, package: &str) -> Result<Vec<Advisory>> {
    // Packages without advisories have no folder.
    let Ok(entries) = fs::read_dir(database.join("crates").join(package)) else {
        return Ok(Vec::new());
    };
    let mut advisories = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
        advisories.push(parse(&text).with_context(|| format!("failed to parse {}", path.display()))?);
    }
    Ok(advisories)
}

/// An advisory is a Markdown file that begins with a block of TOML.
fn parse(text: &str) -> Result<Advisory> {
    let head = text
        .split_once("```toml")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(head, _)| head)
        .context("it has no TOML block")?;
    Ok(toml::from_str(head)?)
}

/// What is wrong with a package; `None` if the advisory does not concern it.
fn objection(advisory: &Advisory, package: &Package, policy: &Policy) -> Option<String> {
    let AdvisoryHead { id, package: name, informational, withdrawn } = &advisory.advisory;
    let version = &package.version;
    let is_safe = |wanted: &VersionReq| wanted.matches(version);
    let versions = &advisory.versions;
    let concerns_us = *name == package.name
        && informational.is_none()
        && withdrawn.is_none()
        && !versions.patched.iter().chain(&versions.unaffected).any(is_safe)
        && !policy.ignores(id);
    concerns_us.then(|| {
        let patched: Vec<String> = versions.patched.iter().map(VersionReq::to_string).collect();
        let remedy = match patched.as_slice() {
            [] => "no version is, replace it".to_owned(),
            patched => format!("update to {}", patched.join(" or ")),
        };
        format!("{name} {version} is vulnerable ({id}): {remedy}, or add an [[ignore]] to {POLICY}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVISORY: &str = r#"```toml
[advisory]
id = "RUSTSEC-2021-0128"
package = "lite"
date = "2021-12-07"

[affected.functions]
"lite::Connection::hook" = [">= 0.25.0, < 0.25.4"]

[versions]
patched = [">= 0.26.2", "0.25.4"]
unaffected = ["< 0.25.0"]
```

# Lifetimes

```rust
let text = "```toml";
```
"#;

    fn check(advisory: &str, name: &str, version: &str, expected: Option<&str>) {
        check_with("", advisory, name, version, expected);
    }

    fn check_with(exceptions: &str, advisory: &str, name: &str, version: &str, expected: Option<&str>) {
        let policy = Policy::parse(format!("platforms = []\nallow = []\n{exceptions}")).unwrap();
        let package = Package {
            id: String::new(),
            name: name.to_owned(),
            version: version.parse().unwrap(),
            license: None,
            source: None,
            manifest_path: String::new(),
            dependencies: Vec::new(),
        };
        let found = objection(&parse(advisory).unwrap(), &package, &policy);
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) if found.starts_with(expected) => {}
            (found, expected) => panic!("{name} {version}: found {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn vulnerable_versions_are_found() {
        let expected = "lite 0.26.1 is vulnerable (RUSTSEC-2021-0128): update to >=0.26.2 or ^0.25.4";
        check(ADVISORY, "lite", "0.26.1", Some(expected));
        check(ADVISORY, "lite", "0.25.0", Some("lite 0.25.0 is vulnerable"));
        let unpatched = ADVISORY.replace("[\">= 0.26.2\", \"0.25.4\"]", "[]");
        check(&unpatched, "lite", "9.0.0", Some("lite 9.0.0 is vulnerable (RUSTSEC-2021-0128): no version is"));
    }

    #[test]
    fn other_versions_are_not() {
        for version in ["0.24.9", "0.25.4", "0.25.9", "0.26.2", "1.0.0"] {
            check(ADVISORY, "lite", version, None);
        }
        check(ADVISORY, "heavy", "0.26.1", None);
    }

    #[test]
    fn what_is_no_vulnerability_is_passed_over() {
        let withdrawn = ADVISORY.replace("date =", "withdrawn = \"2022-01-01\"\ndate =");
        check(&withdrawn, "lite", "0.26.1", None);
        let unmaintained = ADVISORY.replace("date =", "informational = \"unmaintained\"\ndate =");
        check(&unmaintained, "lite", "0.26.1", None);
        let ignore = "[[ignore]]\nid = \"RUSTSEC-2021-0128\"\nreason = \"no hooks here\"\n";
        check_with(ignore, ADVISORY, "lite", "0.26.1", None);
    }

    #[test]
    fn what_is_no_advisory_is_an_error() {
        assert!(parse("# Title").is_err());
        assert!(parse("```toml\n[advisory]\n```").is_err());
    }
}
