//! Tables of aligned text.

use std::fmt;

/// Rows under a heading; the first column is left-aligned, the others right-aligned.
pub(crate) struct Table(Vec<Vec<String>>);

impl Table {
    pub(crate) fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self(vec![heading.map(str::to_owned).to_vec()])
    }

    #[must_use]
    pub(crate) fn row<const N: usize>(mut self, cells: [String; N]) -> Self {
        self.0.push(cells.to_vec());
        self
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.0.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.0 {
            let cells = row.iter().zip(&widths).enumerate();
            let line: Vec<String> = cells
                .map(|(column, (cell, width))| match column {
                    0 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            writeln!(f, "{}", line.join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// A number with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A measured number, without insignificant digits.
pub(crate) fn rounded(number: f64) -> String {
    let whole = number.round() as u64;
    match number {
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => grouped(whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let table = Table::new(["what", "n"]).row(["a".to_owned(), "1,000".to_owned()]);
        assert_eq!(table.to_string(), "what      n\na     1,000\n");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.123, 9.876, 12.34, 6543.2].map(rounded), ["0.12", "9.88", "12.3", "6,543"]);
    }
}
