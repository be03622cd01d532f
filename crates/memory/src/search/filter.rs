//! Whether a document fulfils a condition of a query.

use protocol::MemoryFilter;

use super::document::Document;

/// Whether the document fulfils the condition.
pub(super) fn admits(filter: &MemoryFilter, document: &Document) -> bool {
    let is = |text: &Option<String>, wanted: &str| text.as_deref().is_some_and(|text| same(text, wanted));
    match filter {
        MemoryFilter::And(all) => all.iter().all(|inner| admits(inner, document)),
        MemoryFilter::Or(any) => any.iter().any(|inner| admits(inner, document)),
        MemoryFilter::Not(inner) => !admits(inner, document),
        MemoryFilter::Level(level) => document.level == *level,
        MemoryFilter::Role(role) => document.role.as_ref() == Some(role),
        MemoryFilter::Tag(tag) => {
            let value = document.tags.get(&tag.name);
            value.is_some_and(|value| tag.value.as_ref().is_none_or(|wanted| value == wanted))
        }
        MemoryFilter::VaultId(id) => document.vault_id == Some(*id),
        MemoryFilter::MemoryId(id) => document.memory_id == Some(*id),
        MemoryFilter::Speaker(name) => {
            let is_part = |speaker: &str| speaker.split_whitespace().any(|word| same(word, name));
            is(&document.speaker, name) || document.speaker.as_deref().is_some_and(is_part)
        }
        MemoryFilter::Key(key) => is(&document.key, key),
        MemoryFilter::Subject(subject) => is(&document.subject, subject),
        MemoryFilter::After(after) => document.at >= *after,
        MemoryFilter::Before(before) => document.at < *before,
    }
}

/// Whether two texts are the same in any case.
fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
