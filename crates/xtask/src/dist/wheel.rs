//! The Python wheel: the client of `clients/python`, and the program as a script, so that `pip
//! install` puts both where Python and the shell find them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::arch::Arch;
use super::entry::ArchiveEntry;
use super::release::{ProgramFile, Release};
use super::third_party;
use super::zip::zip;

const CLIENT: &str = "clients/python";
/// Extras that are for the client's own tests.
const OWN_EXTRAS: [&str; 2] = ["dev", "langgraph-test"];

#[derive(Deserialize)]
struct PyProject {
    project: Project,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Project {
    description: String,
    requires_python: String,
    license: String,
    #[serde(default)]
    dependencies: Vec<String>,
    #[serde(default)]
    optional_dependencies: std::collections::BTreeMap<String, Vec<String>>,
}

pub fn write(release: &Release, program: &ProgramFile) -> Result<Vec<PathBuf>> {
    let pyproject: PyProject = toml::from_str(&release.read_text(&format!("{CLIENT}/pyproject.toml"))?)
        .context("failed to read the client's pyproject.toml")?;
    let name = format!("dwell-{}", release.version);
    let tag = platforms(release.arch);
    let mut files = Vec::new();
    collect(&release.root.join(CLIENT).join("src/dwell"), "dwell", &mut files)?;
    files.push(ArchiveEntry::program(format!("{name}.data/scripts/dwell"), program.bytes.clone()));
    let readme = release.read_text(&format!("{CLIENT}/README.md"))?;
    let info = format!("{name}.dist-info");
    files.push(ArchiveEntry::file(format!("{info}/METADATA"), metadata(&release.version, &pyproject.project, &readme)));
    files.push(ArchiveEntry::file(format!("{info}/WHEEL"), wheel_file(&tag)));
    for (file, bytes) in third_party::licence_files(release)? {
        files.push(ArchiveEntry::file(format!("{info}/licenses/{file}"), bytes));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // The list is the last file, and does not list itself.
    let record = format!("{info}/RECORD");
    let listed = format!("{}{record},,\n", files.iter().map(record_line).collect::<String>());
    files.push(ArchiveEntry::file(record, listed));
    let packed = zip(&files, release.is_stored)?;
    Ok(vec![release.write(&format!("{name}-py3-none-{tag}.whl"), &packed)?])
}

/// A static program runs on every Linux; these names are the oldest ones that every pip knows.
fn platforms(arch: Arch) -> String {
    let name = arch.name();
    format!("manylinux_2_17_{name}.manylinux2014_{name}.musllinux_1_1_{name}")
}

/// The files of a package, without what Python left there.
fn collect(folder: &Path, path: &str, files: &mut Vec<ArchiveEntry>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("failed to read {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{path}/{name}");
        if entry.path().is_dir() && name != "__pycache__" {
            collect(&entry.path(), &path, files)?;
        } else if entry.path().is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("failed to read {path}"))?;
            files.push(ArchiveEntry::file(path, bytes));
        }
    }
    Ok(())
}

fn metadata(version: &str, project: &Project, readme: &str) -> String {
    let mut text = format!(
        "Metadata-Version: 2.1\nName: dwell\nVersion: {version}\nSummary: {}\nLicense: {}\nRequires-Python: {}\n",
        project.description, project.license, project.requires_python
    );
    for requirement in &project.dependencies {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Requires-Dist: {requirement}");
    }
    let extras = project.optional_dependencies.iter().filter(|(extra, _)| !OWN_EXTRAS.contains(&extra.as_str()));
    for (extra, requirements) in extras {
        let _ = writeln!(text, "Provides-Extra: {extra}");
        for requirement in requirements {
            let _ = writeln!(text, "Requires-Dist: {requirement}; extra == \"{extra}\"");
        }
    }
    text + "Description-Content-Type: text/markdown\n\n" + readme
}

fn wheel_file(tag: &str) -> String {
    let tags: String = tag.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: dwell\nRoot-Is-Purelib: false\n{tags}")
}

fn record_line(entry: &ArchiveEntry) -> String {
    let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(entry.bytes()));
    format!("{},sha256={hash},{}\n", entry.path, entry.bytes().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_names_what_users_need() {
        let text = "[project]\ndescription = \"A client\"\nrequires-python = \">=3.11\"\nlicense = \"MIT\"\n\
                    dependencies = [\"websockets>=15\"]\n\
                    optional-dependencies = { dev = [\"ruff\"], langgraph = [\"langgraph>=1\"] }\n";
        let read: PyProject = toml::from_str(text).unwrap();
        let said = metadata("1.2.3", &read.project, "# Read me");
        assert!(said.contains("Requires-Dist: websockets>=15\n"));
        assert!(said.contains("Provides-Extra: langgraph\nRequires-Dist: langgraph>=1; extra == \"langgraph\"\n"));
        assert!(!said.contains("ruff") && said.ends_with("\n\n# Read me"), "{said}");
    }

    #[test]
    fn a_record_has_digest_and_size() {
        let line = record_line(&ArchiveEntry::file("a", "abc"));
        assert_eq!(line, "a,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n");
    }
}
