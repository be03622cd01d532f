//! Cargo's metadata of the workspace, as far as the checks need it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use semver::Version;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub target_directory: String,
    /// Which package depends on which; only where dependencies were asked for.
    pub resolve: Option<DependencyGraph>,
}

#[derive(Debug, Deserialize)]
pub struct DependencyGraph {
    pub nodes: Vec<DependencyNode>,
}

/// A package by its id, with the ids of what it depends on.
#[derive(Debug, Deserialize)]
pub struct DependencyNode {
    pub id: String,
    pub dependencies: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: Version,
    pub license: Option<String>,
    /// Where it comes from; `None` for a folder on this machine.
    pub source: Option<String>,
    pub manifest_path: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// Its name in the manifest, if that differs.
    pub rename: Option<String>,
    /// `None` for an ordinary dependency, else `dev` or `build`.
    pub kind: Option<String>,
}

/// Only our own crates. This needs no network, so it runs offline first.
pub fn of_workspace(root: &Path) -> Result<Metadata> {
    ask(root, &["--no-deps", "--offline"]).or_else(|_| ask(root, &["--no-deps"]))
}

/// Everything that is linked on one of `platforms`, including tests and tools.
pub fn of_dependencies(root: &Path, platforms: &[String]) -> Result<Metadata> {
    let mut args = vec!["--locked", "--all-features"];
    let mut linked = BTreeSet::new();
    for platform in platforms {
        args.extend(["--filter-platform", platform]);
        linked.extend(linked_on(root, platform)?);
    }
    let mut metadata = ask(root, &args)?;
    // Metadata includes packages of unused features; the tree contains what is compiled.
    metadata.packages.retain(|package| linked.contains(&(package.name.clone(), package.version.clone())));
    Ok(metadata)
}

/// Everything that is linked into the program on a platform, and our own crates.
pub fn of_program(root: &Path, platform: &str) -> Result<Metadata> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p}", "--target", platform])
        .args(["--package", "dwell", "--edges", "normal"])
        .current_dir(root);
    let linked = parse_tree(&answer(&mut cargo)?);
    let mut metadata = ask(root, &["--locked", "--filter-platform", platform])?;
    metadata.packages.retain(|package| linked.contains(&(package.name.clone(), package.version.clone())));
    Ok(metadata)
}

fn linked_on(root: &Path, platform: &str) -> Result<BTreeSet<(String, Version)>> {
    let edges = ["--workspace", "--all-features", "--edges", "normal,build,dev"];
    let mut cargo = Command::new("cargo");
    cargo
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p}", "--target", platform])
        .args(edges)
        .current_dir(root);
    Ok(parse_tree(&answer(&mut cargo)?))
}

/// Parses lines of `name v1.2.3`, which may have a remark at the end.
fn parse_tree(output: &str) -> BTreeSet<(String, Version)> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let version = words.next()?.strip_prefix('v')?;
        Some((name.to_owned(), Version::parse(version).ok()?))
    };
    output.lines().filter_map(package).collect()
}

fn ask(root: &Path, args: &[&str]) -> Result<Metadata> {
    let mut cargo = Command::new("cargo");
    let output = answer(cargo.args(["metadata", "--format-version", "1"]).args(args).current_dir(root))?;
    serde_json::from_str(&output).context("failed to parse cargo metadata")
}

fn answer(cargo: &mut Command) -> Result<String> {
    let output = cargo.output().context("failed to start cargo")?;
    ensure!(output.status.success(), "cargo failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    String::from_utf8(output.stdout).context("failed to read cargo's answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_a_set_of_packages() {
        let output = "dwell v0.1.0 (/somewhere/dwell)\nserde v1.0.229\nserde_derive v1.0.229 (proc-macro)\n\nserde v1.0.229 (*)\n";
        let found = parse_tree(output);
        let found: Vec<String> = found.iter().map(|(name, version)| format!("{name} {version}")).collect();
        assert_eq!(found, ["dwell 0.1.0", "serde 1.0.229", "serde_derive 1.0.229"]);
    }
}
