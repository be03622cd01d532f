//! Rows as both stores read and write them, and their digest.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The type of a column. Every column may also be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A signed integer of 64 bits: numbers, and times in milliseconds.
    Integer,
    /// True or false.
    Truth,
    /// Text in UTF-8.
    Text,
    /// Bytes: ids, checksums, contents.
    Bytes,
}

/// What a row has in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cell {
    /// Nothing.
    Null,
    /// An integer.
    Integer(i64),
    /// True or false.
    Truth(bool),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The cells of a row, in the order of the table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow(pub(crate) Vec<Cell>);

impl Cell {
    /// Its bytes, as far as they count for how much is held in memory.
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Null | Self::Integer(_) | Self::Truth(_) => size_of::<i64>(),
        }
    }
}

impl TableRow {
    /// Its size in memory.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(Cell::size).sum()
    }

    /// The cells of the key.
    pub(crate) fn key(&self, columns: usize) -> Vec<Cell> {
        self.0.iter().take(columns).cloned().collect()
    }
}

/// The digest of a table's rows, in the order of their keys.
#[derive(Default)]
pub(super) struct RowDigest {
    hash: Sha256,
    pub(super) rows: u64,
}

impl RowDigest {
    /// Adds a row. Each cell is preceded by its type and its length, so that cells cannot run into
    /// each other.
    pub(super) fn add(&mut self, row: &TableRow) {
        self.rows += 1;
        for cell in &row.0 {
            match cell {
                Cell::Null => self.part(0, &[]),
                Cell::Integer(number) => self.part(1, &number.to_be_bytes()),
                Cell::Truth(truth) => self.part(2, &[u8::from(*truth)]),
                Cell::Text(text) => self.part(3, text.as_bytes()),
                Cell::Bytes(bytes) => self.part(4, bytes),
            }
        }
    }

    fn part(&mut self, kind: u8, bytes: &[u8]) {
        self.hash.update([kind]);
        self.hash.update((bytes.len() as u64).to_be_bytes());
        self.hash.update(bytes);
    }

    /// The digest in hexadecimal.
    pub(super) fn text(self) -> String {
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[Vec<Cell>]) -> String {
        let mut digest = RowDigest::default();
        rows.iter().for_each(|cells| digest.add(&TableRow(cells.clone())));
        digest.text()
    }

    #[test]
    fn every_cell_counts_with_its_type_and_its_place() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let all = [
            digest(&[]),
            digest(&[vec![text("a"), text("b")]]),
            digest(&[vec![text("ab"), text("")]]),
            digest(&[vec![text("ab"), Cell::Null]]),
            digest(&[vec![Cell::Bytes(b"a".to_vec()), text("b")]]),
            digest(&[vec![Cell::Integer(1), Cell::Truth(true)]]),
            digest(&[vec![Cell::Integer(1), Cell::Integer(1)]]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "number {at}");
        }
    }

    #[test]
    fn a_position_reads_back() {
        let key = vec![Cell::Integer(-4), Cell::Bytes(vec![0, 255]), Cell::Text("é".to_owned()), Cell::Null];
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Cell>>(&text).unwrap(), key);
    }
}
