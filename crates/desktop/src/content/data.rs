//! Checks tables and charts.

use protocol::{Chart, ChartKind};
use serde_json::Value;

use super::{LABEL_CHARS_MAX, fits};

/// Columns of a table.
const COLUMNS_MAX: usize = 32;
/// Rows of a table.
const ROWS_MAX: usize = 1_000;
/// The longest text in a cell.
const CELL_CHARS_MAX: usize = 2_000;
/// Series of a chart.
const SERIES_MAX: usize = 16;
/// Labels of a chart.
const LABELS_MAX: usize = 500;

/// Checks a table.
pub(super) fn table(columns: &[String], rows: &[Vec<Value>]) -> Result<(), String> {
    if !(1..=COLUMNS_MAX).contains(&columns.len()) {
        return Err(format!("content.columns: there are {}, and a table has 1 to {COLUMNS_MAX}", columns.len()));
    }
    if rows.len() > ROWS_MAX {
        return Err(format!("content.rows: there are {}, and a table has at most {ROWS_MAX}", rows.len()));
    }
    for (n, head) in columns.iter().enumerate() {
        fits(&format!("content.columns[{n}]"), head, LABEL_CHARS_MAX)?;
    }
    for (n, row) in rows.iter().enumerate() {
        if row.len() != columns.len() {
            return Err(format!(
                "content.rows[{n}]: has {} cells, and there are {} columns: put null where there is nothing",
                row.len(),
                columns.len()
            ));
        }
        for (m, cell) in row.iter().enumerate() {
            match cell {
                Value::String(text) => fits(&format!("content.rows[{n}][{m}]"), text, CELL_CHARS_MAX)?,
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
                Value::Array(_) | Value::Object(_) => {
                    return Err(format!("content.rows[{n}][{m}]: a cell is a text, a number, true, false or null"));
                }
            }
        }
    }
    Ok(())
}

/// Checks a chart.
pub(super) fn chart(chart: &Chart) -> Result<(), String> {
    let (labels, series) = (&chart.labels, &chart.series);
    if !(1..=SERIES_MAX).contains(&series.len()) {
        return Err(format!("content.series: there are {}, and a chart has 1 to {SERIES_MAX}", series.len()));
    }
    if labels.len() > LABELS_MAX {
        return Err(format!("content.labels: there are {}, and a chart has at most {LABELS_MAX}", labels.len()));
    }
    for (n, label) in labels.iter().enumerate() {
        fits(&format!("content.labels[{n}]"), label, LABEL_CHARS_MAX)?;
    }
    for (n, row) in series.iter().enumerate() {
        fits(&format!("content.series[{n}].name"), &row.name, LABEL_CHARS_MAX)?;
        if row.values.len() != labels.len() {
            return Err(format!(
                "content.series[{n}].values: there are {}, and there are {} labels: give one number for each",
                row.values.len(),
                labels.len()
            ));
        }
        if let Some(m) = row.values.iter().position(|value| !value.is_finite()) {
            return Err(format!("content.series[{n}].values[{m}]: has to be a finite number"));
        }
    }
    if chart.kind == ChartKind::Pie {
        pie(chart)?;
    }
    Ok(())
}

/// The slices of a pie cannot be negative.
fn pie(chart: &Chart) -> Result<(), String> {
    let [whole] = chart.series.as_slice() else {
        return Err(format!("content.series: there are {}, and a pie has one", chart.series.len()));
    };
    match whole.values.iter().position(|value| *value < 0.0) {
        Some(m) => Err(format!("content.series[0].values[{m}]: is negative, and a pie's shares are not")),
        None => Ok(()),
    }
}
