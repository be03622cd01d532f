//! Limits the length of files and functions: a file is one idea, a function fits on a screen.
//! Longer ones are listed in the ratchet file with their length, which may only go down.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::measure;
use crate::tree::SourceFile;
use crate::violation::{Violation, line_where};

pub const RATCHET: &str = "crates/xtask/ratchet.toml";

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 80;
/// Tests are linear stories and may be longer.
const TEST_FUNCTION_LINES_MAX: usize = 120;

/// The ratchet file: files and functions over the limit, with their length.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeRatchet {
    files: BTreeMap<String, usize>,
    functions: BTreeMap<String, usize>,
}

/// A file or function over its limit.
struct SizeExcess {
    path: String,
    line: usize,
    lines: usize,
    lines_max: usize,
}

pub fn check(files: &[SourceFile], ratchet_text: &str) -> Result<Vec<Violation>> {
    let ratchet: SizeRatchet = toml::from_str(ratchet_text).with_context(|| format!("failed to read {RATCHET}"))?;
    let sources = || files.iter().filter(|file| file.is_our_rust());

    let long_files = sources().filter_map(long_file).collect();
    let mut violations = compare(&long_files, &ratchet.files, ratchet_text);

    let mut all_long_functions = BTreeMap::new();
    for file in sources() {
        match long_functions(file) {
            Ok(found) => keep_longest(&mut all_long_functions, found),
            Err(violation) => violations.push(violation),
        }
    }
    violations.extend(compare(&all_long_functions, &ratchet.functions, ratchet_text));
    Ok(violations)
}

fn long_file(file: &SourceFile) -> Option<(String, SizeExcess)> {
    let lines = file.text().lines().count();
    (lines > FILE_LINES_MAX).then(|| {
        let too_long = SizeExcess { path: file.path.clone(), line: 1, lines, lines_max: FILE_LINES_MAX };
        (file.path.clone(), too_long)
    })
}

fn long_functions(file: &SourceFile) -> Result<Vec<(String, SizeExcess)>, Violation> {
    let functions = measure::functions(&file.text(), file.is_test()).map_err(|error| {
        let line = error.span().start().line.max(1);
        Violation::new(file.path.as_str(), line, format!("cannot be parsed as Rust: {error}"))
    })?;
    let too_long = functions.into_iter().filter_map(|function| {
        let lines_max = if function.is_test { TEST_FUNCTION_LINES_MAX } else { FUNCTION_LINES_MAX };
        (function.lines > lines_max).then(|| {
            let key = format!("{}::{}", file.path, function.name);
            let too_long =
                SizeExcess { path: file.path.clone(), line: function.line, lines: function.lines, lines_max };
            (key, too_long)
        })
    });
    Ok(too_long.collect())
}

/// Two functions can have the same name (`From` for two types); the longer one counts.
fn keep_longest(all: &mut BTreeMap<String, SizeExcess>, found: Vec<(String, SizeExcess)>) {
    for (key, too_long) in found {
        match all.get(&key) {
            Some(known) if known.lines >= too_long.lines => {}
            _ => {
                all.insert(key, too_long);
            }
        }
    }
}

/// Everything over its limit must be listed with its exact length, and nothing else may be listed.
fn compare(
    found: &BTreeMap<String, SizeExcess>,
    listed: &BTreeMap<String, usize>,
    ratchet_text: &str,
) -> Vec<Violation> {
    let in_ratchet = |key: &str, what: String| {
        let line = line_where(ratchet_text, |line| line.starts_with(&format!("\"{key}\"")));
        Violation::new(RATCHET, line, what)
    };
    let mut violations = Vec::new();
    for (key, too_long) in found {
        let lines = too_long.lines;
        match listed.get(key) {
            None => violations.push(too_long.unlisted(key)),
            Some(was) if lines > *was => violations.push(too_long.grown(key, *was)),
            Some(was) if lines < *was => {
                let what = format!("{key} has {lines} lines now, not {was}: ratchet down to {lines}");
                violations.push(in_ratchet(key, what));
            }
            Some(_) => {}
        }
    }
    for key in listed.keys().filter(|key| !found.contains_key(*key)) {
        violations.push(in_ratchet(key, format!("{key} is not too long any more: remove this line")));
    }
    violations
}

impl SizeExcess {
    fn unlisted(&self, key: &str) -> Violation {
        let Self { lines, lines_max, .. } = self;
        self.violation(format!("{key} has {lines} lines, at most {lines_max} are allowed: split it"))
    }

    fn grown(&self, key: &str, was: usize) -> Violation {
        let lines = self.lines;
        self.violation(format!("{key} grew from {was} to {lines} lines: split it, the ratchet only goes down"))
    }

    fn violation(&self, what: String) -> Violation {
        Violation::new(self.path.as_str(), self.line, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    const EMPTY: &str = "[files]\n[functions]\n";

    fn check_file(file: &SourceFile, ratchet: &str, expected: &[&str]) {
        assert_violations(check(std::slice::from_ref(file), ratchet).unwrap(), expected);
    }

    fn file_of(lines: usize) -> SourceFile {
        SourceFile::new("src/a.rs", &"// why\n".repeat(lines))
    }

    fn function_of(head: &str, lines: usize) -> SourceFile {
        SourceFile::new("src/a.rs", &format!("{head} {{\n{}}}\n", "// why\n".repeat(lines)))
    }

    #[test]
    fn long_files_are_found() {
        check_file(&file_of(600), EMPTY, &[]);
        check_file(&file_of(601), EMPTY, &["src/a.rs:1: src/a.rs has 601 lines, at most 600 are allowed: split it"]);
    }

    #[test]
    fn long_functions_are_found() {
        check_file(&function_of("fn a()", 80), EMPTY, &[]);
        check_file(&function_of("fn a()", 81), EMPTY, &["src/a.rs:1: src/a.rs::a has 81 lines, at most 80"]);
        check_file(&function_of("#[test]\nfn a()", 120), EMPTY, &[]);
        check_file(
            &function_of("#[test]\nfn a()", 121),
            EMPTY,
            &["src/a.rs:2: src/a.rs::a has 121 lines, at most 120"],
        );
    }

    #[test]
    fn generated_and_foreign_files_are_left_alone() {
        let generated = format!("// {}generated\n{}", '@', "// x\n".repeat(700));
        check_file(&SourceFile::new("src/a.rs", &generated), EMPTY, &[]);
        check_file(&SourceFile::new("a.md", &"x\n".repeat(700)), EMPTY, &[]);
    }

    #[test]
    fn the_ratchet_only_goes_down() {
        let listed = "[files]\n\"src/a.rs\" = 700\n[functions]\n";
        check_file(&file_of(700), listed, &[]);
        check_file(&file_of(701), listed, &["src/a.rs:1: src/a.rs grew from 700 to 701 lines"]);
        check_file(
            &file_of(650),
            listed,
            &["crates/xtask/ratchet.toml:2: src/a.rs has 650 lines now, not 700: ratchet down to 650"],
        );
        check_file(&file_of(500), listed, &["crates/xtask/ratchet.toml:2: src/a.rs is not too long any more: remove"]);
        check_file(
            &SourceFile::new("src/b.rs", ""),
            listed,
            &["crates/xtask/ratchet.toml:2: src/a.rs is not too long any more: remove"],
        );
    }

    #[test]
    fn the_ratchet_knows_functions() {
        let listed = "[files]\n[functions]\n\"src/a.rs::a\" = 90\n";
        check_file(&function_of("fn a()", 90), listed, &[]);
        check_file(&function_of("fn a()", 91), listed, &["src/a.rs:1: src/a.rs::a grew from 90"]);
        check_file(
            &function_of("fn b()", 90),
            listed,
            &["crates/xtask/ratchet.toml:3: src/a.rs::a is not", "src/a.rs:1: src/a.rs::b has 90"],
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        check_file(&SourceFile::new("src/a.rs", "\nfn a( {"), EMPTY, &["src/a.rs:2: cannot be parsed as Rust"]);
        assert!(check(&[], "[file]\n").is_err());
    }
}
