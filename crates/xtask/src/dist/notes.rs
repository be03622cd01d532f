//! The release notes: what the changelog says of this version.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::release::Release;

const CHANGELOG: &str = "CHANGELOG.md";

pub fn write(release: &Release) -> Result<Vec<PathBuf>> {
    let changelog = release.read_text(CHANGELOG)?;
    let notes = section(&changelog, &release.version)
        .with_context(|| format!("{CHANGELOG} has no section `## {}`", release.version))?;
    let text = format!("# Dwell {}\n\n{notes}\n", release.version);
    Ok(vec![release.write(&format!("dwell-{}-notes.md", release.version), text.as_bytes())?])
}

/// The text below the heading of a version; a remark may follow the version there.
fn section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let begins = changelog.match_indices("## ").filter(|(at, _)| *at == 0 || changelog[..*at].ends_with('\n'));
    let mut begins = begins.map(|(at, _)| at).peekable();
    while let Some(at) = begins.next() {
        let section = &changelog[at..begins.peek().copied().unwrap_or(changelog.len())];
        let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
        if heading["## ".len()..].split_whitespace().next() == Some(version) {
            return Some(text.trim());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_its_own_part_of_the_changelog() {
        let changelog = "# Changes\n\n## 0.2.0 (unreleased)\n\nNew.\n\n### Inner\n\nMore.\n\n## 0.1.0\n\nOld.\n";
        assert_eq!(section(changelog, "0.2.0"), Some("New.\n\n### Inner\n\nMore."));
        assert_eq!(section(changelog, "0.1.0"), Some("Old."));
        assert_eq!(section(changelog, "0.1"), None);
    }
}
