//! Every crate is called by a word that the glossary explains, and the glossary stays short enough
//! to be read.

use crate::tree::{Crate, SourceFile};
use crate::violation::Violation;

const GLOSSARY: &str = "docs/glossary.md";
const ENTRIES_MAX: usize = 30;
/// The program itself, and what only developers of it meet.
const WITHOUT: &[&str] = &["bench", "dwell", "fuzz", "testkit", "xtask"];

pub fn check(crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    let Some(glossary) = files.iter().find(|file| file.path == GLOSSARY) else {
        return vec![Violation::new(GLOSSARY, 1, "there is no glossary")];
    };
    let text = glossary.text();
    let entries: Vec<String> = text.lines().filter_map(entry).collect();
    let mut violations: Vec<Violation> = crates
        .iter()
        .filter(|krate| {
            !WITHOUT.contains(&krate.name.as_str()) && !entries.iter().any(|entry| names(entry, &krate.name))
        })
        .map(|krate| {
            Violation::new(GLOSSARY, 1, format!("the crate `{}` has no entry that explains its name", krate.name))
        })
        .collect();
    if entries.len() > ENTRIES_MAX {
        violations.push(Violation::new(GLOSSARY, 1, format!("{} entries: keep to {ENTRIES_MAX}", entries.len())));
    }
    violations
}

/// The words that a row of the table explains: `| **session**, **turn** | … |`.
fn entry(line: &str) -> Option<String> {
    let cell = line.strip_prefix("| **")?;
    cell.split_once(" | ").map(|(words, _)| words.to_lowercase())
}

/// Whether an entry explains the crate's name; `simulated_home` is "simulated home".
fn names(entry: &str, krate: &str) -> bool {
    let words: Vec<&str> = entry.split(|letter: char| !letter.is_alphanumeric()).collect();
    let name: Vec<&str> = krate.split('_').collect();
    words.windows(name.len()).any(|words| words == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(names: &[&str], text: &str, expected: &[&str]) {
        let crates: Vec<Crate> = names
            .iter()
            .map(|name| Crate {
                name: (*name).to_owned(),
                dir: format!("crates/{name}"),
                manifest: String::new(),
                dependencies: Vec::new(),
            })
            .collect();
        assert_violations(check(&crates, &[SourceFile::new(GLOSSARY, text)]), expected);
    }

    #[test]
    fn every_crate_has_an_entry() {
        check_text(&["journal", "xtask"], "# Glossary\n\n| **event**, **journal** | what happened |\n", &[]);
        check_text(&["simulated_home"], "| **home**, **simulated home** | lights |\n", &[]);
        check_text(&["simulated_home"], "| **home** | lights |\n", &["docs/glossary.md:1: the crate `simulated_home`"]);
        check_text(&["journal"], "# Glossary\n", &["docs/glossary.md:1: the crate `journal`"]);
    }

    #[test]
    fn the_glossary_is_short() {
        let text: String = (0..31).map(|number| format!("| **word {number}** | a word |\n")).collect();
        check_text(&[], &text, &["docs/glossary.md:1: 31 entries"]);
    }
}
