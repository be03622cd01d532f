//! The quota of an owner's memory. A full memory refuses what adds to it; changing and forgetting
//! items always work.

use journal::{Change, OwnerTotals, Record};
use serde::Serialize;

use super::{error::Error, owner_records::OwnerRecords};

/// The limits of one owner.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MemoryQuota {
    pub(super) records_max: Option<u64>,
    pub(super) bytes_max: Option<u64>,
}

/// Records and bytes that changes add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UsageIncrease {
    records: u64,
    bytes: u64,
}

impl UsageIncrease {
    /// What the changes add to the records. A replacement adds no record.
    pub(super) fn of(changes: &[Change], owner_records: &OwnerRecords) -> Self {
        let sizes = changes.iter().filter_map(|change| match change {
            Change::Vault(vault) => Some(size(vault)),
            Change::Memory(memory) => Some(size(memory)),
            Change::Put(record) if owner_records.record(record.id()).is_some() => None,
            Change::Put(Record::Entry(entry)) => Some(size(entry)),
            Change::Put(Record::Context(context)) => Some(size(context)),
            Change::Put(Record::Fact(fact)) => Some(size(fact)),
            _ => None,
        });
        sizes.fold(Self::default(), |all, bytes| Self { records: all.records + 1, bytes: all.bytes + bytes })
    }
}

impl MemoryQuota {
    /// Whether the quota could refuse these changes.
    pub(super) fn may_refuse(&self, growth: UsageIncrease) -> bool {
        growth != UsageIncrease::default() && (self.records_max.is_some() || self.bytes_max.is_some())
    }

    /// Refuses an increase that exceeds the quota.
    pub(super) fn check(&self, totals: OwnerTotals, growth: UsageIncrease) -> Result<(), Error> {
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

/// Bytes of a value as the store writes it.
fn size(kept: &impl Serialize) -> u64 {
    serde_json::to_string(kept).map_or(0, |text| text.len() as u64)
}
