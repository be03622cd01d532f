//! Removes what an archive could claim in its own favour: trusted origins, and times in the future.

use protocol::{MemoryArchive, Origin, Timestamp};

/// Marks everything in an archive as untrusted: the author of the file also wrote its origins.
pub(crate) fn distrust(archive: &mut MemoryArchive) {
    archive.vaults.iter_mut().for_each(|vault| vault.origin = Origin::Untrusted);
    archive.memories.iter_mut().for_each(|memory| memory.origin = Origin::Untrusted);
    archive.entries.iter_mut().for_each(|entry| entry.origin = Origin::Untrusted);
    archive.contexts.iter_mut().for_each(|context| context.origin = Origin::Untrusted);
    archive.facts.iter_mut().for_each(|fact| fact.origin = Origin::Untrusted);
}

/// Caps all times at now: an item from the future would rank as new for ever.
pub(crate) fn not_in_future(archive: &mut MemoryArchive, now: Timestamp) {
    let clamp = |at: &mut Timestamp| *at = (*at).min(now);
    archive.vaults.iter_mut().for_each(|vault| clamp(&mut vault.created_at));
    archive.memories.iter_mut().for_each(|memory| clamp(&mut memory.created_at));
    for entry in &mut archive.entries {
        clamp(&mut entry.conversation_time);
        clamp(&mut entry.stored_at);
    }
    for context in &mut archive.contexts {
        clamp(&mut context.conversation_time);
        clamp(&mut context.stored_at);
    }
    for fact in &mut archive.facts {
        clamp(&mut fact.valid_from);
        clamp(&mut fact.stored_at);
    }
}
