//! The routes of memory.

use axum::{
    Extension,
    http::Method,
    routing::{delete, get, patch, post, put},
};
use protocol::{
    AddEntry, Audit, AwaitConsistency, Consistency, ContextDocument, ContextPage, ControlRequest, ControlResult, Entry,
    EntryPage, Fact, ForgetResult, Ingest, IngestResult, Memory, MemoryArchive, MemoryForget, MemoryGraph,
    MemoryImport, MemoryImportResult, MemoryItem, MemoryPage, MemorySearch, MemorySnapshot, NewMemory, NewVault,
    PutContext, TitleUpdate, Vault, VaultPage,
};

use super::{LIST, Route, RouteQuery, U32, route};
use crate::{
    limits::ARCHIVE_BYTES_MAX,
    rest::{BodyMax, memory, vaults},
};

const WHICH: RouteQuery = &[
    ("query", "text", "the search text; without it, the newest come first"),
    ("scope", "user|conversation|both", "`user`, `conversation` or `both`"),
    ("session_id", "id", "the session that it is about"),
    ("conversation_id", "name 1-200", "the same by the client's own name"),
    ("level", "levels", "only these levels, separated by commas: `pin`, `profile`, `fact`, `entry`, `context`"),
    ("key", "string", "only this key, with its history"),
    ("history", "boolean", "include items that are no longer valid"),
    ("limit", U32, "maximum number: 8 by default, up to 100"),
    ("cursor", "cursor", "continue from this `next_cursor`"),
];
const GRAPH: RouteQuery = &[
    ("subject", "text 1-200", "only facts about this person, place or thing, by any of its names; `me` is the user"),
    ("vault_id", "id", "facts of this vault; without it, what the user said in conversations"),
    ("as_of", "time", "only what was true at this time; without it, now"),
    ("known_at", "time", "only what was known at this time, as it was known then; without it, now"),
    ("include_ended", "boolean", "include facts that had ended, or were corrected"),
    ("limit", U32, "maximum number of edges: 200 by default, up to 1,000"),
    ("cursor", "cursor", "continue from this `next_cursor`"),
];
const ENTRIES: RouteQuery =
    &[("order", "newest|oldest", "`newest` first (default) or `oldest` first"), LIST[0], LIST[1]];

/// The profile.
pub(super) fn of_profile() -> Vec<Route> {
    const ONE: &str = "/api/v1/profile/{key}";
    vec![
        route(Method::GET, "/api/v1/profile", "The valid entries of the profile, highest priority first.", || {
            get(memory::profile)
        })
        .answers::<memory::FactPage>(200),
        route(Method::GET, ONE, "Every value that a key has had, newest first.", || get(memory::profile_history))
            .answers::<memory::FactPage>(200),
        route(
            Method::PUT,
            ONE,
            "Sets an entry of the profile; earlier values stay as history. `Idempotency-Key` is honoured.",
            || put(memory::set),
        )
        .takes::<memory::ProfileBody>()
        .answers::<Fact>(200),
        route(Method::DELETE, ONE, "Forgets a key of the profile, with its history.", || delete(memory::forget_key))
            .answers::<ForgetResult>(200),
    ]
}

/// Memory items of all levels.
pub(super) fn of_memory() -> Vec<Route> {
    const ALL: &str = "/api/v1/memories";
    const ONE: &str = "/api/v1/memories/{item_id}";
    vec![
        route(Method::GET, ALL, "The items of memory, newest first; with `query`, the matches, best first.", || {
            get(memory::list)
        })
        .query(WHICH)
        .answers::<MemorySnapshot>(200),
        route(Method::POST, "/api/v1/memories/search", "Searches memory, with all parts of each score.", || {
            post(memory::search)
        })
        .takes::<MemorySearch>()
        .answers::<MemorySnapshot>(200),
        route(
            Method::GET,
            "/api/v1/memory/graph",
            "People, places and things with their facts, as true at one time and known at another.",
            || get(memory::graph),
        )
        .query(GRAPH)
        .answers::<MemoryGraph>(200),
        route(
            Method::POST,
            "/api/v1/memories/forget",
            "Forgets items everywhere; answered once they are gone. `Idempotency-Key` is honoured.",
            || post(memory::forget),
        )
        .takes::<MemoryForget>()
        .answers::<ForgetResult>(200),
        route(
            Method::POST,
            "/api/v1/memories/await_consistency",
            "Waits until everything written so far can be found, or lists what cannot.",
            || post(memory::await_consistency),
        )
        .takes::<AwaitConsistency>()
        .answers::<Consistency>(200),
        route(
            Method::POST,
            "/api/v1/memories/ingest",
            "Imports a conversation from elsewhere; known messages are skipped. `Idempotency-Key` is honoured.",
            || post(memory::ingest).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .takes::<Ingest>()
        .answers::<IngestResult>(200),
        route(Method::GET, "/api/v1/memories/export", "Exports all of memory as an archive.", || get(memory::export))
            .answers::<MemoryArchive>(200),
        route(
            Method::POST,
            "/api/v1/memories/import",
            "Imports an archive, or another program's export; known items are skipped. `Idempotency-Key` is honoured.",
            || post(memory::import).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .takes::<MemoryImport>()
        .answers::<MemoryImportResult>(200),
        route(
            Method::GET,
            "/api/v1/memories/audit",
            "Audits memory for duplicates, contradictions, stale entries and secrets.",
            || get(memory::audit),
        )
        .answers::<Audit>(200),
        route(Method::GET, ONE, "An item of memory.", || get(memory::item)).answers::<MemoryItem>(200),
        route(Method::DELETE, ONE, "Forgets an item with the text that it comes from.", || delete(memory::forget_item))
            .answers::<ForgetResult>(200),
        route(
            Method::POST,
            "/api/v1/memories/{item_id}/correct",
            "Corrects an item; the old one stays readable as history. `Idempotency-Key` is honoured.",
            || post(memory::correct),
        )
        .takes::<memory::CorrectionBody>()
        .answers::<MemoryItem>(200),
    ]
}

/// Vaults and their contents.
pub(super) fn of_vaults() -> Vec<Route> {
    let mut routes = of_vaults_and_memories();
    routes.extend(of_memory_contents());
    routes
}

/// Vaults and their memories.
fn of_vaults_and_memories() -> Vec<Route> {
    const ALL: &str = "/api/v1/vaults";
    const VAULT: &str = "/api/v1/vaults/{vault_id}";
    const MEMORIES: &str = "/api/v1/vaults/{vault_id}/memories";
    const MEMORY: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}";
    vec![
        route(Method::GET, ALL, "The owner's vaults, oldest first.", || get(vaults::list))
            .query(LIST)
            .answers::<VaultPage>(200),
        route(Method::POST, ALL, "Creates a vault. `Idempotency-Key` is honoured.", || post(vaults::create))
            .takes::<NewVault>()
            .answers::<Vault>(201),
        route(Method::GET, VAULT, "A vault.", || get(vaults::get)).answers::<Vault>(200),
        route(Method::PATCH, VAULT, "Changes the title or the description of a vault.", || patch(vaults::update))
            .takes::<TitleUpdate>()
            .answers::<Vault>(200),
        route(Method::DELETE, VAULT, "Forgets a vault with its memories and everything in them.", || {
            delete(vaults::remove)
        })
        .answers::<ForgetResult>(200),
        route(Method::GET, MEMORIES, "The memories of a vault, oldest first.", || get(vaults::memories))
            .query(LIST)
            .answers::<MemoryPage>(200),
        route(Method::POST, MEMORIES, "Creates a memory in a vault. `Idempotency-Key` is honoured.", || {
            post(vaults::create_memory)
        })
        .takes::<NewMemory>()
        .answers::<Memory>(201),
        route(Method::GET, MEMORY, "A memory.", || get(vaults::memory)).answers::<Memory>(200),
        route(Method::PATCH, MEMORY, "Changes the title or the description of a memory.", || {
            patch(vaults::update_memory)
        })
        .takes::<TitleUpdate>()
        .answers::<Memory>(200),
        route(Method::DELETE, MEMORY, "Forgets a memory with everything in it.", || delete(vaults::forget))
            .answers::<ForgetResult>(200),
        route(
            Method::POST,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/control",
            "Runs the memory agent in a control state: starts, processes a message, flushes, ends. \
             `Idempotency-Key` is honoured.",
            || post(vaults::control),
        )
        .takes::<ControlRequest>()
        .answers::<ControlResult>(200),
    ]
}

/// What is in a memory.
fn of_memory_contents() -> Vec<Route> {
    const ENTRIES_OF: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries";
    const CONTEXTS: &str = "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts";
    vec![
        route(Method::GET, ENTRIES_OF, "The entries of a memory, ordered by time.", || get(vaults::entries))
            .query(ENTRIES)
            .answers::<EntryPage>(200),
        route(Method::POST, ENTRIES_OF, "Adds an entry. `Idempotency-Key` is honoured.", || post(vaults::add_entry))
            .takes::<AddEntry>()
            .answers::<Entry>(201),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries/{entry_id}",
            "An entry, verbatim.",
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
        .answers::<ContextDocument>(201),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/latest",
            "The newest version of a memory's context document.",
            || get(vaults::latest_context),
        )
        .answers::<ContextDocument>(200),
        route(
            Method::GET,
            "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/{version}",
            "One version of a memory's context document.",
            || get(vaults::context),
        )
        .answers::<ContextDocument>(200),
    ]
}
