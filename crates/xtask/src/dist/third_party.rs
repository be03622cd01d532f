//! The licences of everything that is linked into the program, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use spdx::Expression;

use super::release::Release;
use crate::licences::policy::Policy;
use crate::metadata::{self, Package};

pub const FILE: &str = "THIRD-PARTY.txt";
/// What the page is made of; its build writes this.
const PAGE: &str = "web/desktop/dist/assets/licences.txt";
/// How the names of files with licences begin.
const BEGINNINGS: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
const TEXT_BYTES_MAX: u64 = 200_000;

pub fn write(release: &Release) -> Result<Vec<PathBuf>> {
    Ok(vec![release.write(&format!("dwell-{}-licences.txt", release.version), text(release)?.as_bytes())?])
}

/// The files that belong beside the program wherever it goes.
pub fn licence_files(release: &Release) -> Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        ("LICENSE-MIT", release.read("LICENSE-MIT")?),
        ("LICENSE-APACHE", release.read("LICENSE-APACHE")?),
        (FILE, text(release)?.into_bytes()),
    ])
}

/// Foreign packages that are linked into the program, by name.
pub fn packages(release: &Release) -> Result<Vec<Package>> {
    let platform = format!("{}-unknown-linux-gnu", release.arch.name());
    let mut packages = metadata::of_program(&release.root, &platform)?.packages;
    packages.retain(|package| package.source.is_some());
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(packages)
}

/// The licence of a package, as an SPDX expression.
pub fn expression(package: &Package, policy: &Policy) -> String {
    let said = policy.clarified(&package.name).or(package.license.as_deref()).unwrap_or("NOASSERTION");
    // Older manifests separate alternatives by a slash.
    said.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

fn text(release: &Release) -> Result<String> {
    if let Some(text) = release.licences.get() {
        return Ok(text.clone());
    }
    let policy = Policy::read(&release.root)?;
    let mut texts = NumberedTexts::default();
    let mut list = String::new();
    for package in packages(release)? {
        let expression = expression(&package, &policy);
        let folder = Path::new(&package.manifest_path).parent().context("a package is in no folder")?;
        let mut found = of_folder(folder)?;
        if found.is_empty() {
            found = of_expression(&expression);
        }
        let numbers: Vec<String> = found.into_iter().map(|text| texts.number(text).to_string()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{} {}: {expression} [{}]", package.name, package.version, numbers.join(", "));
    }
    let page = fs::read_to_string(release.root.join(PAGE)).unwrap_or_default();
    let text = format!(
        "Dwell contains the following packages of others. The numbers are those of the texts below.\n\n\
         {list}\n{}\nThe page\n\n{page}",
        texts.in_order()
    );
    let _ = release.licences.set(text.clone());
    Ok(text)
}

/// Texts that occur in many packages are printed once.
#[derive(Default)]
struct NumberedTexts(BTreeMap<String, usize>);

impl NumberedTexts {
    fn number(&mut self, text: String) -> usize {
        let next = self.0.len().saturating_add(1);
        *self.0.entry(text.trim().replace("\r\n", "\n")).or_insert(next)
    }

    fn in_order(&self) -> String {
        let ordered: BTreeMap<usize, &String> = self.0.iter().map(|(text, number)| (*number, text)).collect();
        ordered.iter().fold(String::new(), |mut all, (number, text)| {
            let _ = writeln!(all, "---- {number} ----\n\n{text}\n");
            all
        })
    }
}

/// The texts that a package brings.
fn of_folder(folder: &Path) -> Result<Vec<String>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("failed to read {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
            let is_small = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= TEXT_BYTES_MAX);
            is_small && BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        })
        .collect();
    paths.sort();
    // Files in other encodings are not texts of licences.
    Ok(paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect())
}

/// The texts of the licences that an expression names, for a package that brings none.
fn of_expression(expression: &str) -> Vec<String> {
    let Ok(parsed) = Expression::parse(expression) else { return Vec::new() };
    let names: BTreeSet<&str> =
        parsed.requirements().filter_map(|part| part.req.license.id()).map(|id| id.name).collect();
    names.into_iter().filter_map(spdx::license_id).map(|id| id.text().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_printed_once() {
        let mut texts = NumberedTexts::default();
        assert_eq!((texts.number("b".into()), texts.number("a".into()), texts.number("b\n".into())), (1, 2, 1));
        assert_eq!(texts.in_order(), "---- 1 ----\n\nb\n\n---- 2 ----\n\na\n\n");
    }

    #[test]
    fn an_expression_has_the_texts_of_its_licences() {
        let texts = of_expression("MIT OR Apache-2.0");
        assert_eq!(texts.len(), 2);
        assert!(texts.iter().any(|text| text.contains("Permission is hereby granted")));
        assert!(of_expression("nonsense of ours").is_empty());
    }
}
