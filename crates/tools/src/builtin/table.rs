//! `table_save`: stores rows and columns as a CSV file.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{ArtifactId, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    artifact::{ArtifactSummary, name_with_ending},
    artifact_store::{ArtifactStore, NewArtifact},
};
use crate::tool::{CallContext, Declaration, Tool};

/// Columns of one table.
const COLUMNS_MAX: usize = 100;
/// Rows of one table.
const ROWS_MAX: usize = 100_000;

/// Stores tables.
pub(super) struct TableSave(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What it is called, as in `prices.csv`; `table.csv` if absent.
    #[serde(default)]
    name: Option<String>,
    /// The heads of the columns, at most 100.
    columns: Vec<String>,
    /// The rows, at most 100,000: a text, a number, true, false or null for each column.
    rows: Vec<Vec<Value>>,
}

#[async_trait]
impl Tool for TableSave {
    type Input = Input;
    type Output = ArtifactSummary;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "table_save",
            "Keeps rows and columns as a CSV file beside the conversation, where the user can open and download it. Use it when a \
             table is wanted as a file or is too long for an answer.",
        )
        .about(&["csv", "spreadsheet", "excel", "rows", "columns"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, ..declaration }
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<ArtifactSummary, ToolFailure> {
        let name = name_with_ending(input.name.as_deref(), "", "table", &[".csv"])?;
        let text = csv(&input.columns, &input.rows).map_err(ToolFailure::Invalid)?;
        self.0.keep(NewArtifact { name, media_type: "text/csv".to_owned(), bytes: text.into_bytes() }, context).await
    }

    fn origin(&self, output: &ArtifactSummary) -> Option<Origin> {
        Some(output.origin)
    }

    fn artifacts(&self, output: &ArtifactSummary) -> Vec<ArtifactId> {
        vec![output.artifact_id]
    }
}

/// The table as CSV by RFC 4180. The error names the row that is wrong.
fn csv(columns: &[String], rows: &[Vec<Value>]) -> Result<String, String> {
    if columns.is_empty() || columns.len() > COLUMNS_MAX {
        return Err(format!("`columns` has {}, and a table has 1 to {COLUMNS_MAX}", columns.len()));
    }
    if rows.len() > ROWS_MAX {
        return Err(format!("`rows` has {}, and a table has at most {ROWS_MAX}: save it in parts", rows.len()));
    }
    let mut text = String::new();
    line(&mut text, columns.iter().map(|head| words(head)));
    for (row, n) in rows.iter().zip(1usize..) {
        if row.len() != columns.len() {
            return Err(format!("row {n} has {} cells, and there are {} columns", row.len(), columns.len()));
        }
        let cells = row.iter().zip(columns).map(|(value, head)| {
            cell(value).ok_or_else(|| {
                format!("row {n}, column `{head}`: a cell is a text, a number, true, false or null, no list or object")
            })
        });
        line(&mut text, cells.collect::<Result<Vec<_>, _>>()?.into_iter());
    }
    Ok(text)
}

fn line(text: &mut String, cells: impl ExactSizeIterator<Item = String>) {
    // A row with a single empty cell would be an empty line, which parsers skip.
    let is_only = cells.len() == 1;
    for (n, cell) in cells.enumerate() {
        if n > 0 {
            text.push(',');
        }
        let is_plain = !cell.contains(['"', ',', '\r', '\n']) && cell.trim() == cell && !(is_only && cell.is_empty());
        if is_plain {
            text.push_str(&cell);
        } else {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        }
    }
    text.push_str("\r\n");
}

fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(is_so) => Some(is_so.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(words(text)),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A cell that no spreadsheet evaluates: text that would start a formula gets an apostrophe in
/// front.
fn words(text: &str) -> String {
    let begins_formula =
        text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    if begins_formula && !is_number(text) { format!("'{text}") } else { text.to_owned() }
}

/// A signed number is not a formula.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rows(value: Value) -> Vec<Vec<Value>> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn cells_are_written_as_the_standard_has_it() {
        let columns = ["name", "a, b", "is \"so\""].map(str::to_owned);
        let table =
            rows(json!([["Ada", 1, true], ["line\nbreak", -2.5, null], [" room ", 1e300, false], ["", "", "x"]]));
        let expected = "name,\"a, b\",\"is \"\"so\"\"\"\r\nAda,1,true\r\n\"line\nbreak\",-2.5,\r\n\" room \",1e+300,false\r\n,,x\r\n";
        assert_eq!(csv(&columns, &table).unwrap(), expected);
        assert_eq!(csv(&["one".to_owned()], &rows(json!([[null]]))).unwrap(), "one\r\n\"\"\r\n");
    }

    #[test]
    fn nothing_begins_a_formula() {
        let columns = ["=cmd".to_owned()];
        for (cell, expected) in [
            ("=1+1", "'=1+1"),
            ("+49 170", "'+49 170"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("-5", "-5"),
            ("+1.25", "+1.25"),
            ("-", "'-"),
            ("a=b", "a=b"),
        ] {
            let text = csv(&columns, &rows(json!([[cell]]))).unwrap();
            assert_eq!(text, format!("'=cmd\r\n{expected}\r\n"));
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_its_row() {
        let columns = ["a", "b"].map(str::to_owned);
        for (table, expected) in [
            (json!([[1, 2], [3]]), "row 2 has 1 cells, and there are 2 columns"),
            (json!([[1, 2, 3]]), "row 1 has 3 cells"),
            (json!([[1, []]]), "row 1, column `b`: a cell is a text"),
        ] {
            let error = csv(&columns, &rows(table)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(csv(&[], &[]).is_err());
        assert!(csv(&vec![String::new(); COLUMNS_MAX + 1], &[]).is_err());
        assert!(
            csv(&["a".to_owned()], &vec![vec![Value::Null]; ROWS_MAX + 1]).unwrap_err().contains("save it in parts")
        );
    }

    /// Parses the CSV by the standard.
    fn parsed(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            match (is_quoted, char) {
                (true, '"') if chars.peek() == Some(&'"') => cell.extend(chars.next()),
                (_, '"') => is_quoted = !is_quoted,
                (false, ',') => row.push(std::mem::take(&mut cell)),
                (false, '\r') => {
                    assert_eq!(chars.next(), Some('\n'));
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                (_, char) => cell.push(char),
            }
        }
        rows
    }

    proptest! {
        #[test]
        fn whatever_is_in_the_cells_is_read_back(table in prop::collection::vec(prop::collection::vec(".{0,8}|[=,\"\r\n'+]{0,4}", 3), 0..6)) {
            let columns = ["a", "b", "c"].map(str::to_owned);
            let values = table.iter().map(|row| row.iter().cloned().map(Value::String).collect()).collect::<Vec<_>>();
            let read = parsed(&csv(&columns, &values).unwrap());
            let expected = table.iter().map(|row| row.iter().map(|cell| words(cell)).collect::<Vec<_>>());
            prop_assert_eq!(&read[1..], &expected.collect::<Vec<_>>()[..]);
        }
    }
}
