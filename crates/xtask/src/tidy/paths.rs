//! Pages name files that exist: a path from the root like `crates/journal/src/store.rs`, or the end
//! of one like `sqlite/start.rs`, in prose or in code.

use super::pages::pages;
use crate::tree::SourceFile;
use crate::violation::Violation;

/// How a path from the root begins.
const FOLDERS: [&str; 8] = ["crates/", "docs/", "web/", "clients/", "bench/", "examples/", ".ci/", ".github/"];

/// A history names files as they were then.
const HISTORY: &str = "CHANGELOG.md";

/// What a build makes, which is not there in a fresh checkout.
const BUILT: [&str; 3] = ["/node_modules", "/dist", "/target"];

/// Hosts that are called like sources.
const HOSTS: [&str; 2] = ["rustup.rs", "docs.rs"];

/// `exists` is asked for paths relative to the root.
pub fn check(files: &[SourceFile], exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for page in pages(files).filter(|page| page.path != HISTORY) {
        for (index, line) in page.text().lines().enumerate() {
            let is_known = |path: &str| match is_from_root(path) {
                true => exists(path),
                false => files.iter().any(|file| is_end(&file.path, path)),
            };
            for path in paths(line).into_iter().filter(|path| !is_known(path)) {
                let what = format!("names {path}, which does not exist: correct the path");
                violations.push(Violation::new(page.path.as_str(), index.saturating_add(1), what));
            }
        }
    }
    violations
}

/// The paths that a line mentions.
fn paths(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./*{}<>…".contains(c)));
    words
        .map(|word| word.trim_start_matches("./").trim_end_matches(['.', '/', '…']))
        .filter(|word| is_path(word))
        .collect()
}

fn is_path(word: &str) -> bool {
    let is_pattern = word.contains(['*', '{', '}', '<', '>', '…']) || word.split('/').any(is_placeholder);
    let is_host = word.starts_with('/') || HOSTS.contains(&word);
    let is_source = word.ends_with(".rs") && word.len() > 3 && !word.contains("..") && !is_host;
    (is_from_root(word) || is_source) && !is_pattern && !BUILT.iter().any(|built| word.contains(built))
}

fn is_from_root(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Whether a file's path ends with these parts.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `crates/NAME/src` stands for any of them.
fn is_placeholder(part: &str) -> bool {
    part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_page(path: &str, text: &str, expected: &[&str]) {
        let existing = ["docs/architecture.md", "crates/journal/src/store.rs", "clients/python"];
        let files = [SourceFile::new(path, text), SourceFile::new("crates/journal/src/sqlite/start.rs", "")];
        assert_violations(check(&files, |path| existing.contains(&path)), expected);
    }

    #[test]
    fn files_that_exist_may_be_named() {
        check_page("README.md", "See `crates/journal/src/store.rs`, docs/architecture.md.", &[]);
        check_page("README.md", "```sh\npip install ./clients/python/\n```", &[]);
        check_page("docs/a.md", "[a](../docs/architecture.md) https://example.com/docs/x", &[]);
    }

    #[test]
    fn files_that_do_not_exist_are_found() {
        check_page("README.md", "a\n`crates/journal/src/gone.rs`:", &["README.md:2: names crates/journal/src/gone.rs"]);
        check_page("docs/a.md", "docs/wire.md", &["docs/a.md:1: names docs/wire.md"]);
        check_page("CHANGELOG.md", "docs/wire.md", &[]);
    }

    #[test]
    fn a_source_may_be_named_by_the_end_of_its_path() {
        check_page(
            "docs/a.md",
            "`start.rs`, `sqlite/start.rs` and `journal/src/sqlite/start.rs`; https://rustup.rs",
            &[],
        );
        check_page("docs/a.md", "`log/start.rs`", &["docs/a.md:1: names log/start.rs"]);
        check_page("docs/a.md", "`tart.rs`", &["docs/a.md:1: names tart.rs"]);
    }

    #[test]
    fn patterns_and_what_is_built_are_left_alone() {
        check_page("README.md", "crates/*/src crates/{a,b}/c.rs crates/NAME/src docs/… crates/<name>/src", &[]);
        check_page("README.md", "web/desktop/dist/index.html web/node_modules/.bin", &[]);
    }
}
