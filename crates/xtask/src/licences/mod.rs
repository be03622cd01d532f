//! Checks of dependencies: their licences, duplicate versions, and sources.
//!
//! Written here instead of using a tool: `cargo-deny` (0.14) panics on the metadata of current
//! cargo versions and does not know newer licences such as Unicode-3.0.

pub mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use semver::Version;

use self::policy::{POLICY, Policy};
use crate::metadata::{self, Metadata, Package};
use crate::tree;
use crate::violation::{Violation, line_where};

const LOCK: &str = "Cargo.lock";

pub fn run() -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let policy = Policy::read(&root)?;
    let found = metadata::of_dependencies(&root, policy.platforms())?;
    let lock = fs::read_to_string(root.join(LOCK)).with_context(|| format!("failed to read {LOCK}"))?;
    Ok(check(&found, &policy, &lock, &root))
}

/// All external packages are checked, whether they are linked into the product or only into tests
/// and tools.
pub fn check(found: &Metadata, policy: &Policy, lock: &str, root: &Path) -> Vec<Violation> {
    let foreign: Vec<&Package> = found.packages.iter().filter(|package| !is_ours(package, root)).collect();
    let mut violations = Vec::new();
    for package in &foreign {
        let objections = [source_objection(package), licence_objection(package, policy)];
        let line = lock_line(lock, &package.name, &package.version);
        violations.extend(objections.into_iter().flatten().map(|what| Violation::new(LOCK, line, what)));
    }
    violations.extend(check_duplicates(&foreign, policy, lock));
    violations.extend(policy.unused_clarifications(&foreign));
    violations.sort();
    violations
}

fn is_ours(package: &Package, root: &Path) -> bool {
    package.source.is_none() && Path::new(&package.manifest_path).starts_with(root)
}

/// Packages must come from the common registry: a version there cannot change or disappear, but a
/// branch or a folder can.
fn source_objection(package: &Package) -> Option<String> {
    // In two halves: no file here names a registry.
    let common = ["registry+https://github.com/rust-lang/crates", ".io-index"].concat();
    if package.source.as_deref() == Some(common.as_str()) {
        return None;
    }
    let source = package.source.as_deref().unwrap_or("a folder");
    Some(format!("{} {} comes from {source}: depend on a published version", package.name, package.version))
}

fn licence_objection(package: &Package, policy: &Policy) -> Option<String> {
    let Package { name, version, .. } = package;
    let expression = policy.clarified(name).or(package.license.as_deref());
    let Some(expression) = expression else {
        return Some(format!("{name} {version} names no licence: look for one and add a [[clarify]] to {POLICY}"));
    };
    match policy.allows(expression) {
        Ok(true) => None,
        Ok(false) => {
            Some(format!("{name} {version} is licensed as `{expression}`, which {POLICY} does not allow: replace it"))
        }
        Err(reason) => Some(format!("{name} {version} has the licence `{expression}`: {reason}")),
    }
}

/// Two incompatible versions of a crate are compiled twice and their types are incompatible, so
/// each duplicate needs a reason.
fn check_duplicates(packages: &[&Package], policy: &Policy, lock: &str) -> Vec<Violation> {
    let mut lines_by_name: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        let line = compatibility_line(&package.version);
        lines_by_name.entry(&package.name).or_default().insert(line);
    }
    lines_by_name.retain(|_, lines| lines.len() > 1);

    let mut violations = Vec::new();
    for (name, lines) in &lines_by_name {
        let listed = policy.duplicate(name);
        if listed.is_none_or(|listed| *lines != listed.versions) {
            let lines: Vec<String> = lines.iter().map(|line| format!("{line:?}")).collect();
            let what = format!(
                "{name} is linked in several versions: update the crate that depends on the old one, or list it in {POLICY} with versions = [{}]",
                lines.join(", ")
            );
            let line = line_where(lock, |line| line == format!("name = \"{name}\""));
            violations.push(Violation::new(LOCK, line, what));
        }
    }
    violations.extend(policy.unused_duplicates(|name| lines_by_name.contains_key(name)));
    violations
}

/// The part of a version that compatible versions share: `1` of 1.2.3, `0.2` of 0.2.3. Cargo links
/// one version of each line.
fn compatibility_line(version: &Version) -> String {
    match (version.major, version.minor, version.patch) {
        (0, 0, patch) => format!("0.0.{patch}"),
        (0, minor, _) => format!("0.{minor}"),
        (major, _, _) => major.to_string(),
    }
}

/// The line of this package in the lock file: its name and, in the next line, its version.
pub fn lock_line(lock: &str, name: &str, version: &Version) -> usize {
    let wanted = [format!("name = \"{name}\""), format!("version = \"{version}\"")];
    let lines: Vec<&str> = lock.lines().collect();
    lines.windows(2).position(|pair| pair == wanted).map_or(1, |index| index.saturating_add(1))
}

#[cfg(test)]
mod tests;
