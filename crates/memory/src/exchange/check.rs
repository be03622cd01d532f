//! Checks whether an archive can be imported, and says what is wrong with it.

use std::collections::{BTreeMap, HashSet};

use protocol::{ContextDocument, Entry, Fact, ItemId, Level, MemoryArchive, MemoryId, Timestamp};

use super::ExchangeError;

/// The longest title, description, role and key, in characters.
const TITLE_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 4_000;
const ROLE_CHARS_MAX: usize = 40;
const KEY_CHARS_MAX: usize = 1_000;
/// The longest text, in bytes.
const TEXT_BYTES_MAX: usize = 256 * 1024;
/// The most tags of an entry, and the longest tag in characters.
const TAGS_MAX: usize = 32;
const TAG_CHARS_MAX: usize = 200;

/// Checks an archive. `is_known` tells which items exist already: an archive may refer to those.
pub fn check(archive: &MemoryArchive, is_known: impl Fn(ItemId) -> bool) -> Result<(), ExchangeError> {
    if archive.format != MemoryArchive::FORMAT || archive.version == 0 || archive.version > MemoryArchive::VERSION {
        return Err(ExchangeError::Version {
            format: archive.format.chars().take(64).collect(),
            version: archive.version,
            expected: MemoryArchive::FORMAT,
            newest: MemoryArchive::VERSION,
        });
    }
    let memories = places(archive)?;
    let mut items = HashSet::new();
    let ids = archive.entries.iter().map(|it| it.entry_id).chain(archive.contexts.iter().map(|it| it.context_id));
    for id in ids.chain(archive.facts.iter().map(|it| it.fact_id)) {
        once(items.insert(id), || format!("the item {id}"))?;
    }
    let is_there = |id: ItemId| items.contains(&id) || is_known(id);
    archive.entries.iter().try_for_each(|it| entry(it, &memories, is_there))?;
    archive.facts.iter().try_for_each(|it| fact(it, is_there))?;
    let mut versions = HashSet::new();
    for context in &archive.contexts {
        let (id, version) = (context.memory_id, context.version);
        once(versions.insert((id, version)), || format!("version {version} of the document of memory {id}"))?;
        self::context(context, &memories)?;
    }
    Ok(())
}

/// Checks vaults and memories; returns the ids of the memories.
fn places(archive: &MemoryArchive) -> Result<HashSet<MemoryId>, ExchangeError> {
    let (mut vaults, mut titles) = (HashSet::new(), HashSet::new());
    for vault in &archive.vaults {
        let name = || format!("the vault {}", vault.vault_id);
        once(vaults.insert(vault.vault_id), name)?;
        once(titles.insert(vault.title.as_str()), || format!("the vault title `{}`", vault.title))?;
        title(&vault.title, &vault.description, name)?;
    }
    let (mut memories, mut titles) = (HashSet::new(), HashSet::new());
    for memory in &archive.memories {
        let name = || format!("the memory {}", memory.memory_id);
        once(memories.insert(memory.memory_id), name)?;
        once(titles.insert((memory.vault_id, memory.title.as_str())), || {
            format!("the memory title `{}`", memory.title)
        })?;
        title(&memory.title, &memory.description, name)?;
        refers(vaults.contains(&memory.vault_id), name, || format!("the vault {}", memory.vault_id))?;
    }
    Ok(memories)
}

fn entry(entry: &Entry, memories: &HashSet<MemoryId>, is_there: impl Fn(ItemId) -> bool) -> Result<(), ExchangeError> {
    let name = || format!("the entry {}", entry.entry_id);
    refers(memories.contains(&entry.memory_id), name, || format!("the memory {}", entry.memory_id))?;
    for id in [entry.corrects, entry.corrected_by, entry.source.item_id].into_iter().flatten() {
        refers(is_there(id), name, || format!("the item {id}"))?;
    }
    text(&entry.raw_entry, "raw_entry", name)?;
    text(&entry.summary, "summary", name)?;
    short(&entry.role, ROLE_CHARS_MAX, "role", name)?;
    text(entry.speaker.as_deref().unwrap_or_default(), "speaker", name)?;
    tags(&entry.tags, name)
}

fn tags(tags: &BTreeMap<String, String>, name: impl Fn() -> String) -> Result<(), ExchangeError> {
    let is_short = |text: &String| text.chars().count() <= TAG_CHARS_MAX;
    if tags.len() > TAGS_MAX || !tags.iter().all(|(key, value)| is_short(key) && is_short(value)) {
        let why = format!("an entry has at most {TAGS_MAX} tags of at most {TAG_CHARS_MAX} characters");
        return Err(ExchangeError::unfit(name(), why));
    }
    Ok(())
}

fn context(context: &ContextDocument, memories: &HashSet<MemoryId>) -> Result<(), ExchangeError> {
    let name = || format!("the context document {}", context.context_id);
    refers(memories.contains(&context.memory_id), name, || format!("the memory {}", context.memory_id))?;
    text(&context.content, "content", name)?;
    text(&context.written_by, "written_by", name)?;
    if context.version == 0 {
        return Err(ExchangeError::unfit(name(), "versions begin with 1"));
    }
    Ok(())
}

fn fact(fact: &Fact, is_there: impl Fn(ItemId) -> bool) -> Result<(), ExchangeError> {
    let name = || format!("the fact {}", fact.fact_id);
    for id in [fact.superseded_by, fact.source.item_id].into_iter().flatten() {
        refers(is_there(id), name, || format!("the item {id}"))?;
    }
    text(&fact.text, "text", name)?;
    text(&fact.value, "value", name)?;
    short(&fact.key, KEY_CHARS_MAX, "key", name)?;
    let is_before = |until: Timestamp| until < fact.valid_from;
    let why = if !matches!(fact.level, Level::Profile | Level::Fact) {
        "a fact has the level `profile` or `fact`"
    } else if fact.priority > 100 {
        "a priority is 0 to 100"
    } else if !(0.0..=1.0).contains(&fact.confidence) {
        "a confidence is 0 to 1"
    } else if fact.valid_until.is_some_and(is_before) {
        "it ends before it begins"
    } else {
        return Ok(());
    };
    Err(ExchangeError::unfit(name(), why))
}

fn once(is_new: bool, what: impl Fn() -> String) -> Result<(), ExchangeError> {
    if is_new { Ok(()) } else { Err(ExchangeError::Twice(what())) }
}

fn refers(is_there: bool, what: impl Fn() -> String, to: impl Fn() -> String) -> Result<(), ExchangeError> {
    if is_there { Ok(()) } else { Err(ExchangeError::Dangling { what: what(), to: to() }) }
}

fn title(title: &str, description: &str, name: impl Fn() -> String) -> Result<(), ExchangeError> {
    short(title, TITLE_CHARS_MAX, "title", &name)?;
    if title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(ExchangeError::unfit(name(), "a title has words and no control characters"));
    }
    if description.chars().count() > DESCRIPTION_CHARS_MAX {
        let why = format!("a description has at most {DESCRIPTION_CHARS_MAX} characters");
        return Err(ExchangeError::unfit(name(), why));
    }
    Ok(())
}

fn short(text: &str, max: usize, field: &str, name: impl Fn() -> String) -> Result<(), ExchangeError> {
    let length = text.chars().count();
    if (1..=max).contains(&length) {
        return Ok(());
    }
    Err(ExchangeError::unfit(name(), format!("`{field}` has 1 to {max} characters, here {length}")))
}

/// A text may be empty, since all of it may have been redacted.
fn text(text: &str, field: &str, name: impl Fn() -> String) -> Result<(), ExchangeError> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(ExchangeError::unfit(name(), format!("`{field}` has at most {TEXT_BYTES_MAX} bytes, here {}", text.len())))
}
