//! Pages that make promises name the tests that verify them. A table with a last column `tests` has
//! at least one test in every row, as a link whose text is the test's name and whose target is its
//! file. This check finds tests that were renamed or removed.

use super::links::resolve;
use crate::tree::SourceFile;
use crate::violation::{Violation, line_where};

/// The pages that are checked; each has to exist.
const PAGES: [&str; 2] = ["docs/reliability.md", "docs/security.md"];
/// The heading of the column that names tests.
const COLUMN: &str = "tests";

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for page in PAGES {
        match files.iter().find(|file| file.path == page) {
            Some(page) => violations.extend(check_page(page, files)),
            None => violations.push(Violation::new(
                page,
                1,
                "is missing: it lists the promises and the tests that verify them",
            )),
        }
    }
    violations
}

pub(super) fn check_page(page: &SourceFile, files: &[SourceFile]) -> Vec<Violation> {
    let text = page.text();
    let mut violations = Vec::new();
    let mut rows = 0_usize;
    let mut names_tests = false;
    for (index, line) in text.lines().enumerate() {
        let line_number = index.saturating_add(1);
        for link in test_links(line) {
            if let Some(what) = objection(&page.path, &link, files) {
                violations.push(Violation::new(page.path.as_str(), line_number, what));
            }
        }
        let Some(last) = last_cell(line) else {
            names_tests = false;
            continue;
        };
        if last == COLUMN {
            names_tests = true;
        } else if names_tests && !is_ruler(last) {
            rows = rows.saturating_add(1);
            if test_links(last).is_empty() {
                let what = "names no test: link to one as [`name`](path), or move the row to what is not tested";
                violations.push(Violation::new(page.path.as_str(), line_number, what));
            }
        }
    }
    if rows == 0 {
        let line = line_where(&text, |line| line.starts_with('|'));
        let what = format!("has no table with a last column `{COLUMN}`: no test verifies its promises");
        violations.push(Violation::new(page.path.as_str(), line, what));
    }
    violations
}

/// The last cell of a table's row.
fn last_cell(line: &str) -> Option<&str> {
    line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').next_back().map(str::trim)
}

/// The line between a table's head and its rows.
fn is_ruler(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'))
}

#[derive(Debug, PartialEq, Eq)]
struct TestLink<'a> {
    name: &'a str,
    target: &'a str,
}

/// Links of the form [`name`](path to a file of tests).
fn test_links(line: &str) -> Vec<TestLink<'_>> {
    line.split("[`")
        .skip(1)
        .filter_map(|rest| {
            let (name, rest) = rest.split_once("`](")?;
            let (target, _) = rest.split_once(')')?;
            is_code(target).then_some(TestLink { name, target })
        })
        .collect()
}

fn is_code(target: &str) -> bool {
    [".rs", ".ts", ".py"].iter().any(|extension| target.ends_with(extension))
}

fn objection(page: &str, link: &TestLink<'_>, files: &[SourceFile]) -> Option<String> {
    let TestLink { name, target } = link;
    let file = resolve(page, target).and_then(|path| files.iter().find(|file| file.path == path));
    match file {
        None => Some(format!("names the test `{name}`, but there is no {target}")),
        Some(file) if has_test(file, name) => None,
        Some(_) => Some(format!("names the test `{name}`, but {target} has none of that name: was it renamed?")),
    }
}

pub(super) fn has_test(file: &SourceFile, name: &str) -> bool {
    let text = file.text();
    if file.path.ends_with(".rs") {
        // The contract's checks are plain functions, which a macro turns into a test for each
        // store. A function that is missing in the macro is dead code, which the compiler reports.
        let is_promise = file.path.contains("/contract/") && text.contains(&format!("async fn {name}("));
        return is_promise || has_rust_test(&text, name);
    }
    let declared = match file.path.ends_with(".py") {
        true => vec![format!("def {name}(")],
        false => ["'", "\"", "`"].map(|quote| format!("test({quote}{name}{quote}")).to_vec(),
    };
    declared.iter().any(|declared| text.contains(declared))
}

/// A function of that name with an attribute that makes it a test.
fn has_rust_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = format!("fn {name}(");
    let mut declarations = lines.iter().enumerate().filter(|(_, line)| line.contains(&declared));
    declarations.any(|(index, _)| {
        let above = lines.iter().take(index).rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        above.into_iter().any(|line| line.starts_with("#[test") || line.starts_with("#[tokio::test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    const TESTS: &str = "#[tokio::test]\nasync fn it_holds() {}\n\n/// Helps.\nfn helper() {}\n\n#[test]\n#[cfg(unix)]\nfn on_unix() {}\n";

    fn check_text(text: &str, expected: &[&str]) {
        let files = [
            SourceFile::new("docs/security.md", text),
            SourceFile::new(
                "docs/reliability.md",
                "| a | tests |\n|---|---|\n| b | [`it_holds`](../crates/a/tests/it/x.rs) |\n",
            ),
            SourceFile::new("crates/a/tests/it/x.rs", TESTS),
            SourceFile::new("web/e2e/y.test.ts", "test('a tab is closed', () => {});\n"),
        ];
        assert_violations(check(&files), expected);
    }

    #[test]
    fn rows_with_tests_are_fine() {
        check_text(
            "| a | tests |\n|---|:--|\n| b | [`on_unix`](../crates/a/tests/it/x.rs) |\n| c | [`a tab is closed`](../web/e2e/y.test.ts) |\n",
            &[],
        );
    }

    #[test]
    fn what_does_not_exist_is_found() {
        check_text(
            "| a | tests |\n|---|---|\n| b | [`gone`](../crates/a/tests/it/x.rs), [`x`](../crates/b.rs) |\n",
            &[
                "docs/security.md:3: names the test `gone`, but ../crates/a/tests/it/x.rs has none",
                "docs/security.md:3: names the test `x`, but there is no ../crates/b.rs",
            ],
        );
        check_text(
            "| a | tests |\n|---|---|\n| b | [`helper`](../crates/a/tests/it/x.rs) |\n",
            &["docs/security.md:3: names the test `helper`"],
        );
    }

    #[test]
    fn a_row_without_a_test_is_found_and_other_tables_are_left_alone() {
        check_text(
            "| a | tests |\n|---|---|\n| b | soon |\n\n| what | why |\n|---|---|\n| c | d |\n",
            &["docs/security.md:3: names no test"],
        );
    }

    #[test]
    fn a_page_without_such_a_table_promises_nothing() {
        check_text("# Security\n\nWe try.\n", &["docs/security.md:1: has no table"]);
        assert_violations(check(&[]), &["docs/reliability.md:1: is missing", "docs/security.md:1: is missing"]);
    }
}
