//! The page of features names a test in every cell of its tables, as a link whose fragment is the
//! test's name: `[yes](path/to/tests.rs#name)`. A feature that does not exist is `no`, with a
//! footnote. This check finds empty cells, and tests that were renamed or removed. Its table of
//! SDKs is checked like those of the pages with promises.

use super::links::resolve;
use super::proofs::{check_page, has_test};
use crate::tree::SourceFile;
use crate::violation::{Violation, line_where};

/// The page; it has to exist.
const PAGE: &str = "docs/how-to/features.md";
/// The first heading of a table whose cells are checked.
const COLUMN: &str = "feature";

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else {
        return vec![Violation::new(PAGE, 1, "is missing: it says which test shows which feature")];
    };
    let text = page.text();
    let (mut violations, mut cells, mut is_checked) = (Vec::new(), 0_usize, false);
    for (index, line) in text.lines().enumerate() {
        let Some((first, others)) = row(line) else {
            is_checked = false;
            continue;
        };
        if first == COLUMN {
            is_checked = true;
        } else if is_checked && !first.starts_with('-') {
            cells = cells.saturating_add(others.len());
            let found = others.iter().filter_map(|cell| objection(cell, files));
            violations
                .extend(found.map(|what| Violation::new(PAGE, index.saturating_add(1), format!("{first}: {what}"))));
        }
    }
    if cells == 0 {
        let line = line_where(&text, |line| line.starts_with('|'));
        violations.push(Violation::new(PAGE, line, format!("has no table with a first column `{COLUMN}`")));
    }
    violations.extend(check_page(page, files));
    violations
}

/// The first cell of a table's row, and the others.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut cells = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
    Some((cells.next()?, cells.collect()))
}

fn objection(cell: &str, files: &[SourceFile]) -> Option<String> {
    if cell.starts_with("no") {
        return None;
    }
    let link = cell.split_once("](").and_then(|(_, rest)| rest.split_once(')')).map(|(link, _)| link);
    let Some((target, name)) = link.and_then(|link| link.split_once('#')) else {
        return Some(format!("the cell `{cell}` names no test: link to one as [yes](path#name), or say no"));
    };
    let file = resolve(PAGE, target).and_then(|path| files.iter().find(|file| file.path == path));
    match file {
        None => Some(format!("names the test `{name}`, but there is no {target}")),
        Some(file) if has_test(file, name) => None,
        Some(_) => Some(format!("names the test `{name}`, but {target} has none of that name: was it renamed?")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_rows(rows: &str, expected: &[&str]) {
        let page = format!(
            "# What works\n\n| feature | one | two |\n|---|---|---|\n{rows}\n\n| SDK | tests |\n|---|---|\n\
             | a | [`it_holds`](../../crates/a/tests/it/x.rs) |\n"
        );
        let files = [
            SourceFile::new(PAGE, &page),
            SourceFile::new("crates/a/tests/it/x.rs", "#[tokio::test]\nasync fn it_holds() {}\n\nfn helper() {}\n"),
        ];
        assert_violations(check(&files), expected);
    }

    #[test]
    fn cells_with_a_test_or_a_no_are_fine() {
        check_rows("| chat | [yes](../../crates/a/tests/it/x.rs#it_holds) | no¹ |", &[]);
    }

    #[test]
    fn other_cells_are_found() {
        check_rows(
            "| chat | soon |  |\n| stream | [yes](../../crates/a/tests/it/x.rs#helper) | [yes](../../crates/b.rs#y) |",
            &[
                "docs/how-to/features.md:5: chat: the cell `` names no test",
                "docs/how-to/features.md:5: chat: the cell `soon` names no test",
                "docs/how-to/features.md:6: stream: names the test `helper`, but ../../crates/a/tests/it/x.rs has none",
                "docs/how-to/features.md:6: stream: names the test `y`, but there is no ../../crates/b.rs",
            ],
        );
    }

    #[test]
    fn a_page_without_a_table_is_found() {
        assert_violations(check(&[]), &["docs/how-to/features.md:1: is missing"]);
        assert_violations(
            check(&[SourceFile::new(PAGE, "# What works\n")]),
            &["docs/how-to/features.md:1: has no table", "docs/how-to/features.md:1: has no table"],
        );
    }
}
