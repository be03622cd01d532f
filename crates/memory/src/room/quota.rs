//! How much an owner may keep in memory. What is full refuses what adds to it; changing what is there and forgetting always
//! work.

use journal::{Change, OwnerTotals, Record};
use serde::Serialize;

use super::{error::Error, shelf::Shelf};

/// How much an owner may keep.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quota {
    pub(super) records_max: Option<u64>,
    pub(super) bytes_max: Option<u64>,
}

/// What changes add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Growth {
    records: u64,
    bytes: u64,
}

impl Growth {
    /// What changes add to what is there. What takes the place of something adds nothing.
    pub(super) fn of(changes: &[Change], shelf: &Shelf) -> Self {
        let sizes = changes.iter().filter_map(|change| match change {
            Change::Vault(vault) => Some(size(vault)),
            Change::Memory(memory) => Some(size(memory)),
            Change::Put(record) if shelf.record(record.id()).is_some() => None,
            Change::Put(Record::Entry(entry)) => Some(size(entry)),
            Change::Put(Record::Context(context)) => Some(size(context)),
            Change::Put(Record::Fact(fact)) => Some(size(fact)),
            _ => None,
        });
        sizes.fold(Self::default(), |all, bytes| Self { records: all.records + 1, bytes: all.bytes + bytes })
    }
}

impl Quota {
    /// Whether it can refuse these changes at all.
    pub(super) fn may_refuse(&self, growth: Growth) -> bool {
        growth != Growth::default() && (self.records_max.is_some() || self.bytes_max.is_some())
    }

    /// Refuses what does not fit beside what is there.
    pub(super) fn check(&self, totals: OwnerTotals, growth: Growth) -> Result<(), Error> {
        let is_over = |used: u64, more: u64, max: Option<u64>| max.filter(|max| used.saturating_add(more) > *max);
        if let Some(max) = is_over(totals.records, growth.records, self.records_max) {
            let setting = "quota.memory_records_max";
            return Err(Error::Full { what: "records", used: totals.records, max, setting });
        }
        if let Some(max) = is_over(totals.record_bytes, growth.bytes, self.bytes_max) {
            return Err(Error::Full {
                what: "bytes",
                used: totals.record_bytes,
                max,
                setting: "quota.memory_bytes_max",
            });
        }
        Ok(())
    }
}

/// Bytes of something as the store keeps it.
fn size(kept: &impl Serialize) -> u64 {
    serde_json::to_string(kept).map_or(0, |text| text.len() as u64)
}
