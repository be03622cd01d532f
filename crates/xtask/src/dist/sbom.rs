//! The bill of materials, in the format CycloneDX 1.5: the packages that are linked into the
//! program, those that the page is made of, and which depends on which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::release::{Release, digest};
use super::third_party;
use crate::licences::policy::Policy;
use crate::metadata;

const PAGE_LOCK: &str = "web/package-lock.json";

pub fn write(release: &Release) -> Result<Vec<PathBuf>> {
    let bill = bill(release)?;
    let name = format!("dwell-{}-linux-{}.cdx.json", release.version, release.arch.name());
    Ok(vec![release.write(&name, format!("{bill:#}\n").as_bytes())?])
}

fn bill(release: &Release) -> Result<Value> {
    let sums = checksums(&release.read_text("Cargo.lock")?)?;
    let policy = Policy::read(&release.root)?;
    let mut components = Vec::new();
    for package in third_party::packages(release)? {
        let version = package.version.to_string();
        let reference = format!("pkg:cargo/{}@{version}", package.name);
        let mut component = json!({
            "type": "library", "bom-ref": reference, "purl": reference, "name": package.name, "version": version,
            "licenses": [{ "expression": third_party::expression(&package, &policy) }],
        });
        if let Some(sum) = sums.get(&(package.name, version)) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        components.push(component);
    }
    components.extend(page_components(&release.read_text(PAGE_LOCK)?)?);
    let program = format!("pkg:generic/dwell@{}", release.version);
    let dependencies = dependencies(release, &program)?;
    let made_at = release.timestamp()?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": serial_number(&format!("{program} {} {made_at}", release.arch.name())),
        "version": 1,
        "metadata": {
            "timestamp": made_at,
            "component": {
                "type": "application", "bom-ref": program, "purl": program, "name": "dwell",
                "version": release.version, "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// A number that is the same for the same release.
fn serial_number(seed: &str) -> String {
    let digits = digest(seed.as_bytes());
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default().to_owned();
    // Version 8 is for numbers that are made in one's own way.
    format!("urn:uuid:{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

#[derive(Deserialize)]
struct CargoLock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>> {
    let lock: CargoLock = toml::from_str(lock).context("failed to read Cargo.lock")?;
    let sums =
        lock.package.into_iter().filter_map(|package| Some(((package.name, package.version), package.checksum?)));
    Ok(sums.collect())
}

/// Who depends on whom. Our own crates are parts of the program and not components: what they
/// depend on, the program depends on.
fn dependencies(release: &Release, program: &str) -> Result<Vec<Value>> {
    let platform = format!("{}-unknown-linux-gnu", release.arch.name());
    let found = metadata::of_program(&release.root, &platform)?;
    let references: BTreeMap<&str, String> = found
        .packages
        .iter()
        .filter(|package| package.source.is_some())
        .map(|package| (package.id.as_str(), format!("pkg:cargo/{}@{}", package.name, package.version)))
        .collect();
    let ours: BTreeSet<&str> =
        found.packages.iter().filter(|package| package.source.is_none()).map(|package| package.id.as_str()).collect();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in found.resolve.iter().flat_map(|resolve| &resolve.nodes) {
        let from = match references.get(node.id.as_str()) {
            Some(reference) => reference.as_str(),
            None if ours.contains(node.id.as_str()) => program,
            None => continue,
        };
        let needed = node.dependencies.iter().filter_map(|id| references.get(id.as_str()));
        graph.entry(from).or_default().extend(needed.map(String::as_str));
    }
    Ok(graph.iter().map(|(from, to)| json!({ "ref": from, "dependsOn": to })).collect())
}

/// What the page is made of, from npm's lock file: everything but tools.
fn page_components(lock: &str) -> Result<Vec<Value>> {
    let lock: Value = serde_json::from_str(lock).with_context(|| format!("failed to read {PAGE_LOCK}"))?;
    let packages = lock["packages"].as_object().with_context(|| format!("{PAGE_LOCK} lists no packages"))?;
    let mut components = Vec::new();
    for (path, package) in packages {
        let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
        let is_left_out = ["dev", "link", "optional", "peer"].iter().any(|mark| package[*mark] == true);
        let Some(version) = package["version"].as_str().filter(|_| !is_left_out) else { continue };
        let reference = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
        let mut component = json!({
            "type": "library", "bom-ref": reference, "purl": reference, "name": name, "version": version,
        });
        if let Some(licence) = package["license"].as_str() {
            component["licenses"] = json!([{ "expression": licence }]);
        }
        components.push(component);
    }
    Ok(components)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_have_their_form() {
        let number = serial_number("a");
        assert_eq!((number.len(), &number[23..24], &number[28..29]), (45, "8", "8"), "{number}");
        assert_ne!(number, serial_number("b"));
    }

    #[test]
    fn tools_are_not_part_of_the_page() {
        let lock = r#"{ "packages": {
            "": { "name": "x" }, "client": { "version": "1.0.0" },
            "node_modules/preact": { "version": "10.0.0", "license": "MIT" },
            "node_modules/a/node_modules/@b/c": { "version": "2.0.0" },
            "node_modules/eslint": { "version": "9.0.0", "dev": true } } }"#;
        let found: Vec<Value> = page_components(lock).unwrap().iter().map(|one| one["purl"].clone()).collect();
        assert_eq!(found, ["pkg:npm/preact@10.0.0", "pkg:npm/%40b/c@2.0.0"]);
    }

    #[test]
    fn checksums_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"00ff\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        let sums = checksums(lock).unwrap();
        assert_eq!(sums.len(), 1);
        assert_eq!(sums[&("a".to_owned(), "1.0.0".to_owned())], "00ff");
    }
}
