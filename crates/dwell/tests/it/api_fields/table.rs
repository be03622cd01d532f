//! The tables of fields in the documentation: `| field | what it becomes |`, below the heading of
//! an API.

use std::{fs, path::Path};

/// What becomes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldRule {
    /// It has an effect.
    Honoured,
    /// It has none, and the header `x-dwell-ignored` names it.
    Ignored,
    /// The request fails, and the error names it.
    Refused,
}

/// The table of an API, by the page below `docs/` and the heading above the table. Fields of parts
/// have the part's name in front: `options.seed`. A row may name several fields.
pub(crate) fn field_table(page: &str, heading: &str) -> Vec<(String, FieldRule)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = read(&text, heading);
    assert!(!rows.is_empty(), "{page} has no table of fields below the heading `{heading}`");
    rows
}

fn read(text: &str, heading: &str) -> Vec<(String, FieldRule)> {
    let is_heading = |line: &&str| line.trim_start_matches('#').trim() == heading && line.starts_with('#');
    let section = text.lines().skip_while(|line| !is_heading(line)).skip(1).take_while(|line| !line.starts_with('#'));
    section.filter_map(row).flatten().collect()
}

/// The fields of a row. A row that names something else than fields has none.
fn row(line: &str) -> Option<Vec<(String, FieldRule)>> {
    let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
    let names = cells.next()?.split(", ").map(|name| name.strip_prefix('`')?.strip_suffix('`'));
    let fields: Vec<&str> = names.collect::<Option<_>>()?;
    let rule = match cells.next()?.split(|letter: char| !letter.is_alphanumeric()).next()? {
        "ignored" => FieldRule::Ignored,
        "refused" => FieldRule::Refused,
        _ => FieldRule::Honoured,
    };
    Some(fields.into_iter().map(|field| (field.to_owned(), rule)).collect())
}

#[test]
fn tables_are_read_by_their_heading() {
    let text = "# APIs\n\n## One\n\n| field | what it becomes |\n|---|---|\n| `a` | the `b` of a turn |\n| `c.d` | \
                ignored: why |\n\n## Two\n\n| field | what it becomes |\n|---|---|\n| `e`, `f` | refused, unless 1 |\n";
    let honoured = ("a".to_owned(), FieldRule::Honoured);
    assert_eq!(read(text, "One"), [honoured, ("c.d".to_owned(), FieldRule::Ignored)]);
    assert_eq!(read(text, "Two"), ["e", "f"].map(|field| (field.to_owned(), FieldRule::Refused)));
    assert_eq!(read(text, "Three"), []);
}
