//! The manifest of a memory archive: written on export, checked on import.

use std::collections::BTreeMap;

use protocol::{ArchiveManifest, MemoryArchive, OwnerId};
use serde::Serialize;

use super::super::{
    Hub,
    manifest::{LineDigests, damaged, difference},
};
use crate::Error;

/// The purpose of the signature of an archive.
const KIND: &str = "memory";

/// The result of checking an archive.
pub(super) struct ArchiveCheck {
    /// The damage found, if it is accepted.
    pub(super) damage: Vec<String>,
    /// Whether this server wrote it for this owner, and it was not changed since.
    pub(super) is_own: bool,
}

impl Hub {
    /// The archive with its manifest.
    pub(super) fn with_manifest(&self, owner: &OwnerId, mut archive: MemoryArchive) -> MemoryArchive {
        let items = items(&archive);
        let LineDigests { each, digest } = LineDigests::of(items.iter().map(|item| item.text.as_str()));
        let key = self.services().options.export_key.as_ref();
        archive.manifest = Some(ArchiveManifest {
            counts: counts(&archive),
            marks: each,
            signature: key.and_then(|key| key.sign(KIND, owner, &digest)),
            digest,
        });
        archive
    }

    /// Compares an archive with its manifest. An archive without a manifest is accepted as it is,
    /// and is untrusted.
    pub(super) fn check_archive(
        &self,
        owner: &OwnerId,
        archive: &mut MemoryArchive,
        accepts_damage: bool,
    ) -> Result<ArchiveCheck, Error> {
        let Some(told) = archive.manifest.take() else { return Ok(ArchiveCheck { damage: Vec::new(), is_own: false }) };
        let items = items(archive);
        let found = LineDigests::of(items.iter().map(|item| item.text.as_str()));
        let marks = LineDigests { each: told.marks, digest: told.digest.clone() };
        let name = |at: usize| items.get(at).map_or_else(|| "its end".to_owned(), |item| item.name.clone());
        let Some(what) = difference(&marks, &found, name) else {
            let key = self.services().options.export_key.as_ref();
            let is_own = key
                .zip(told.signature)
                .is_some_and(|(key, signature)| key.verifies(KIND, owner, &told.digest, &signature));
            return Ok(ArchiveCheck { damage: Vec::new(), is_own });
        };
        let found = counts(archive);
        let missing = told.counts.iter().filter_map(|(kind, told)| {
            let found = found.get(kind).copied().unwrap_or_default();
            (found != *told).then(|| format!("{found} of {told} {kind}"))
        });
        let missing: Vec<String> = missing.collect();
        let what = if missing.is_empty() { what } else { format!("{what}; there are {}", missing.join(", ")) };
        if accepts_damage { Ok(ArchiveCheck { damage: vec![what], is_own: false }) } else { Err(damaged(&what)) }
    }
}

/// An item of an archive: its name and its text.
struct ArchiveItem {
    name: String,
    text: String,
}

fn items(archive: &MemoryArchive) -> Vec<ArchiveItem> {
    // The time of writing is not included: the same memory gives the same manifest.
    let MemoryArchive { format, version, vaults, memories, entries, contexts, facts, .. } = archive;
    let mut items = vec![ArchiveItem { name: "its head".to_owned(), text: written(&(format, version)) }];
    items.extend(vaults.iter().map(|it| item("the vault", &it.vault_id.to_string(), it)));
    items.extend(memories.iter().map(|it| item("the memory", &it.memory_id.to_string(), it)));
    items.extend(entries.iter().map(|it| item("the entry", &it.entry_id.to_string(), it)));
    items.extend(contexts.iter().map(|it| item("the context document", &it.context_id.to_string(), it)));
    items.extend(facts.iter().map(|it| item("the fact", &it.fact_id.to_string(), it)));
    items
}

fn item<T: Serialize>(kind: &str, id: &str, value: &T) -> ArchiveItem {
    ArchiveItem { name: format!("{kind} {id}"), text: written(value) }
}

/// Plain data always serializes, with its fields in a fixed order.
fn written<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn counts(archive: &MemoryArchive) -> BTreeMap<String, u64> {
    let counts = [
        ("vaults", archive.vaults.len()),
        ("memories", archive.memories.len()),
        ("entries", archive.entries.len()),
        ("contexts", archive.contexts.len()),
        ("facts", archive.facts.len()),
    ];
    counts.into_iter().map(|(kind, count)| (kind.to_owned(), count as u64)).collect()
}
