//! What an archive says of itself when it is taken out, and whether it is so when it comes in.

use std::collections::BTreeMap;

use protocol::{ArchiveManifest, MemoryArchive, OwnerId};
use serde::Serialize;

use super::super::{
    Hub,
    manifest::{Marks, damaged, difference},
};
use crate::Error;

/// What a signature of an archive is for.
const KIND: &str = "memory";

/// An archive that was looked at.
pub(super) struct Checked {
    /// What is wrong with it, where that is accepted.
    pub(super) damage: Vec<String>,
    /// Whether this server wrote it for this owner, and it is unchanged since.
    pub(super) is_own: bool,
}

impl Hub {
    /// The archive with what stands for it.
    pub(super) fn sealed(&self, owner: &OwnerId, mut archive: MemoryArchive) -> MemoryArchive {
        let items = items(&archive);
        let Marks { each, digest } = Marks::of(items.iter().map(|item| item.text.as_str()));
        let key = self.house().options.export_key.as_ref();
        archive.manifest = Some(ArchiveManifest {
            counts: counts(&archive),
            marks: each,
            signature: key.and_then(|key| key.sign(KIND, owner, &digest)),
            digest,
        });
        archive
    }

    /// Holds an archive against what it says of itself. One that says nothing is taken as it is, and is nobody's.
    pub(super) fn check_archive(
        &self,
        owner: &OwnerId,
        archive: &mut MemoryArchive,
        accepts_damage: bool,
    ) -> Result<Checked, Error> {
        let Some(told) = archive.manifest.take() else { return Ok(Checked { damage: Vec::new(), is_own: false }) };
        let items = items(archive);
        let found = Marks::of(items.iter().map(|item| item.text.as_str()));
        let marks = Marks { each: told.marks, digest: told.digest.clone() };
        let name = |at: usize| items.get(at).map_or_else(|| "its end".to_owned(), |item| item.name.clone());
        let Some(what) = difference(&marks, &found, name) else {
            let key = self.house().options.export_key.as_ref();
            let is_own = key
                .zip(told.signature)
                .is_some_and(|(key, signature)| key.verifies(KIND, owner, &told.digest, &signature));
            return Ok(Checked { damage: Vec::new(), is_own });
        };
        let found = counts(archive);
        let missing = told.counts.iter().filter_map(|(kind, told)| {
            let found = found.get(kind).copied().unwrap_or_default();
            (found != *told).then(|| format!("{found} of {told} {kind}"))
        });
        let missing: Vec<String> = missing.collect();
        let what = if missing.is_empty() { what } else { format!("{what}; there are {}", missing.join(", ")) };
        if accepts_damage { Ok(Checked { damage: vec![what], is_own: false }) } else { Err(damaged(&what)) }
    }
}

/// Something in an archive: what it is called, and its text.
struct Item {
    name: String,
    text: String,
}

fn items(archive: &MemoryArchive) -> Vec<Item> {
    // When it was written is no part of it: the same memory gives the same manifest.
    let MemoryArchive { format, version, vaults, memories, entries, contexts, facts, .. } = archive;
    let mut items = vec![Item { name: "its head".to_owned(), text: written(&(format, version)) }];
    items.extend(vaults.iter().map(|it| item("the vault", &it.vault_id.to_string(), it)));
    items.extend(memories.iter().map(|it| item("the memory", &it.memory_id.to_string(), it)));
    items.extend(entries.iter().map(|it| item("the entry", &it.entry_id.to_string(), it)));
    items.extend(contexts.iter().map(|it| item("the context document", &it.context_id.to_string(), it)));
    items.extend(facts.iter().map(|it| item("the fact", &it.fact_id.to_string(), it)));
    items
}

fn item<T: Serialize>(kind: &str, id: &str, value: &T) -> Item {
    Item { name: format!("{kind} {id}"), text: written(value) }
}

/// Plain data: it always serialises, with its fields in a fixed order.
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
