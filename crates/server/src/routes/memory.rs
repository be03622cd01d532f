//! The routes of memory.

use axum::{
    Extension,
    http::Method,
    routing::{delete, get, post, put},
};
use protocol::{
    AddEntry, Audit, AwaitConsistency, Consistency, Context, ContextPage, Entry, EntryPage, Fact, Forgotten, Imported,
    Ingest, Ingested, Item, Memory, MemoryArchive, MemoryForget, MemoryImport, MemoryPage, MemorySearch,
    MemorySnapshot, NewMemory, NewVault, PutContext, Vault, VaultPage,
};

use super::{LIST, Query, Route, route};
use crate::{
    limits::ARCHIVE_BYTES_MAX,
    rest::{BodyMax, memory, vaults},
};

const WHICH: Query = &[
    ("query", "string", "what is looked for, in plain words; without it the newest come first"),
    ("scope", "string", "`user`, `conversation` or `both`"),
    ("session_id", "string", "the conversation it is about"),
    ("conversation_id", "string", "the same by the client's own name"),
    ("level", "string", "only these, with commas between them: `pin`, `profile`, `fact`, `entry`, `context`"),
    ("key", "string", "only what is kept under this key, with its history"),
    ("history", "boolean", "whether what no longer holds is listed too"),
    ("limit", "integer", "how many at most, 8 unless told, 100 at most"),
    ("cursor", "string", "where to go on, from `next_cursor`"),
];
const ENTRIES: Query = &[("order", "string", "`newest` first unless it says `oldest`"), LIST[0], LIST[1]];

/// The profile.
pub(super) fn of_profile() -> Vec<Route> {
    const ONE: &str = "/api/v1/profile/{key}";
    vec![
        route(Method::GET, "/api/v1/profile", "The lines of the profile that hold, the most important first.", || {
            get(memory::profile)
        })
        .answers::<memory::FactPage>(200),
        route(Method::GET, ONE, "All that was ever stated under a key, newest first.", || get(memory::profile_history))
            .answers::<memory::FactPage>(200),
        route(
            Method::PUT,
            ONE,
            "Sets a line of the profile; what was there before stays as history. `Idempotency-Key` is honoured.",
            || put(memory::set),
        )
        .takes::<memory::Line>()
        .answers::<Fact>(200),
        route(Method::DELETE, ONE, "Forgets all that is kept under a key, with its history.", || {
            delete(memory::forget_key)
        })
        .answers::<Forgotten>(200),
    ]
}

/// What is remembered, of whichever kind.
pub(super) fn of_memory() -> Vec<Route> {
    const ALL: &str = "/api/v1/memories";
    const ONE: &str = "/api/v1/memories/{item_id}";
    vec![
        route(Method::GET, ALL, "What memory holds, newest first; with `query`, what fits it, best first.", || {
            get(memory::list)
        })
        .query(WHICH)
        .answers::<MemorySnapshot>(200),
        route(Method::POST, "/api/v1/memories/search", "What fits a question, with every part of the score.", || {
            post(memory::search)
        })
        .takes::<MemorySearch>()
        .answers::<MemorySnapshot>(200),
        route(
            Method::POST,
            "/api/v1/memories/forget",
            "Forgets, everywhere; answered once it is gone. `Idempotency-Key` is honoured.",
            || post(memory::forget),
        )
        .takes::<MemoryForget>()
        .answers::<Forgotten>(200),
        route(
            Method::POST,
            "/api/v1/memories/await_consistency",
            "Waits until what was said and written before can be found, or says what cannot.",
            || post(memory::await_consistency),
        )
        .takes::<AwaitConsistency>()
        .answers::<Consistency>(200),
        route(
            Method::POST,
            "/api/v1/memories/ingest",
            "Takes in a conversation that happened elsewhere; what is there already is left alone. `Idempotency-Key` is honoured.",
            || post(memory::ingest).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .takes::<Ingest>()
        .answers::<Ingested>(200),
        route(Method::GET, "/api/v1/memories/export", "All that memory holds, as an archive.", || get(memory::export))
            .answers::<MemoryArchive>(200),
        route(
            Method::POST,
            "/api/v1/memories/import",
            "Takes in an archive, or what another program wrote; what is there already is left alone. `Idempotency-Key` is honoured.",
            || post(memory::import).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .takes::<MemoryImport>()
        .answers::<Imported>(200),
        route(
            Method::GET,
            "/api/v1/memories/audit",
            "Looks memory through: duplicates, contradictions, what is stale, what looks like a secret.",
            || get(memory::audit),
        )
        .answers::<Audit>(200),
        route(Method::GET, ONE, "Something memory holds.", || get(memory::item)).answers::<Item>(200),
        route(Method::DELETE, ONE, "Forgets an item with the words it comes from.", || delete(memory::forget_item))
            .answers::<Forgotten>(200),
        route(
            Method::POST,
            "/api/v1/memories/{item_id}/correct",
            "Puts right what is wrong; the old item stays readable as history. `Idempotency-Key` is honoured.",
            || post(memory::correct),
        )
        .takes::<memory::Right>()
        .answers::<Item>(200),
    ]
}

/// Vaults, and what stands in them.
pub(super) fn of_vaults() -> Vec<Route> {
    const ALL: &str = "/api/v1/vaults";
    const MEMORIES: &str = "/api/v1/vaults/{vault_id}/memories";
    const MEMORY: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}";
    const ENTRIES_OF: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries";
    const CONTEXTS: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts";
    vec![
        route(Method::GET, ALL, "The owner's vaults, oldest first.", || get(vaults::list))
            .query(LIST)
            .answers::<VaultPage>(200),
        route(Method::POST, ALL, "Makes a vault. `Idempotency-Key` is honoured.", || post(vaults::create))
            .takes::<NewVault>()
            .answers::<Vault>(201),
        route(Method::GET, "/api/v1/vaults/{vault_id}", "A vault.", || get(vaults::get)).answers::<Vault>(200),
        route(Method::GET, MEMORIES, "The memories of a vault, oldest first.", || get(vaults::memories))
            .query(LIST)
            .answers::<MemoryPage>(200),
        route(Method::POST, MEMORIES, "Makes a memory in a vault. `Idempotency-Key` is honoured.", || {
            post(vaults::create_memory)
        })
        .takes::<NewMemory>()
        .answers::<Memory>(201),
        route(Method::GET, MEMORY, "A memory.", || get(vaults::memory)).answers::<Memory>(200),
        route(Method::DELETE, MEMORY, "Forgets a memory with all that is in it.", || delete(vaults::forget))
            .answers::<Forgotten>(200),
        route(Method::GET, ENTRIES_OF, "The entries of a memory by when they happened.", || get(vaults::entries))
            .query(ENTRIES)
            .answers::<EntryPage>(200),
        route(Method::POST, ENTRIES_OF, "Writes an entry. `Idempotency-Key` is honoured.", || post(vaults::add_entry))
            .takes::<AddEntry>()
            .answers::<Entry>(201),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries/{entry_id}",
            "An entry, word for word.",
            || get(vaults::entry),
        )
        .answers::<Entry>(200),
        route(Method::GET, CONTEXTS, "All versions of a memory's context document, oldest first.", || {
            get(vaults::contexts)
        })
        .answers::<ContextPage>(200),
        route(
            Method::POST,
            CONTEXTS,
            "Writes the next version of a memory's context document. `Idempotency-Key` is honoured.",
            || post(vaults::put_context),
        )
        .takes::<PutContext>()
        .answers::<Context>(201),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/latest",
            "The newest version of a memory's context document.",
            || get(vaults::latest_context),
        )
        .answers::<Context>(200),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/{version}",
            "One version of a memory's context document.",
            || get(vaults::context),
        )
        .answers::<Context>(200),
    ]
}
