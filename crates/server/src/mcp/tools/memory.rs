//! Memory: vaults, the memories in them, entries, context documents, and finding things again.

use protocol::{
    AddEntry, AwaitConsistency, Consistency, Context, Entry, EntryPage, ItemId, List, Memory, MemoryId, MemoryPage,
    MemorySearch, MemorySnapshot, NewMemory, NewVault, Origin, PutContext, Vault, VaultId, VaultPage,
};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Own, Touch, done, read};
use crate::mcp::{Mcp, trouble::Trouble};

pub(super) fn tools() -> Vec<Own> {
    vec![
        Own::new::<CreateVault, Vault>(
            "create_vault",
            Touch::Adds,
            "Makes a vault: a place for memories that belong together.",
        ),
        Own::new::<List, VaultPage>("list_vaults", Touch::Looks, "Lists the vaults, oldest first."),
        Own::new::<CreateMemory, Memory>(
            "create_memory",
            Touch::Adds,
            "Makes a memory in a vault: what is remembered of one conversation or subject.",
        ),
        Own::new::<InVault, MemoryPage>("list_memories", Touch::Looks, "Lists the memories of a vault, oldest first."),
        Own::new::<NewEntry, Entry>(
            "add_entry",
            Touch::Adds,
            "Writes what was said into a memory: the exact words, and a summary of them. See the prompt `entry_capture`.",
        ),
        Own::new::<ListEntries, EntryPage>(
            "list_entries",
            Touch::Looks,
            "Lists the entries of a memory, newest first.",
        ),
        Own::new::<WhichEntry, Entry>("get_entry", Touch::Looks, "Shows an entry, with what corrects it."),
        Own::new::<NewContext, Context>(
            "put_context",
            Touch::Adds,
            "Writes the next version of a memory's context document: all that matters, for whoever goes on later. See the \
             prompt `context`.",
        ),
        Own::new::<WhichContext, Context>(
            "get_context",
            Touch::Looks,
            "Shows a memory's context document, the newest version unless told.",
        ),
        Own::new::<MemorySearch, MemorySnapshot>(
            "search_memories",
            Touch::Looks,
            "Finds what is remembered by words and by meaning, with every part of the score.",
        ),
        Own::new::<AwaitConsistency, Consistency>(
            "await_consistency",
            Touch::Looks,
            "Waits until everything that was written before is on the disk and can be found, or says what is not.",
        ),
    ]
}

/// A vault to be made.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateVault {
    /// The vault.
    #[serde(flatten)]
    vault: NewVaultFields,
    /// Making it again with the same key gives the same vault, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// What is said of a new vault or memory.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewVaultFields {
    /// Its title.
    title: String,
    /// What it is for.
    #[serde(default)]
    description: String,
}

/// A memory to be made.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateMemory {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    #[serde(flatten)]
    memory: NewVaultFields,
    /// Making it again with the same key gives the same memory, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// Which vault.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InVault {
    /// The vault.
    vault_id: VaultId,
    /// Where to go on, from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
    /// At most this many, 50 unless told, 200 at most.
    #[serde(default)]
    limit: Option<u32>,
}

/// An entry to be written.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewEntry {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The entry.
    #[serde(flatten)]
    entry: AddEntryFields,
}

/// What is said of a new entry.
#[derive(Debug, Deserialize, JsonSchema)]
struct AddEntryFields {
    /// The exact words.
    raw_entry: String,
    /// What they come to; made from the words where it is absent.
    #[serde(default)]
    summary: Option<String>,
    /// Who said it, `user` unless told.
    #[serde(default)]
    role: Option<String>,
    /// The speaker's name.
    #[serde(default)]
    speaker: Option<String>,
    /// Free labels.
    #[serde(default)]
    tags: std::collections::BTreeMap<String, String>,
    /// When it happened; now unless told.
    #[serde(default)]
    conversation_time: Option<protocol::Timestamp>,
    /// Seconds after which it is forgotten by itself.
    #[serde(default)]
    ttl_s: Option<u64>,
    /// Writing it again with the same key gives the same entry, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// Which entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListEntries {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// Whether the oldest come first.
    #[serde(default)]
    oldest_first: bool,
    /// Where to go on, from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
    /// At most this many, 50 unless told, 200 at most.
    #[serde(default)]
    limit: Option<u32>,
}

/// Which entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhichEntry {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The entry.
    entry_id: ItemId,
}

/// The next version of a context document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewContext {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The text.
    content: String,
    /// Writing it again with the same key gives the same version, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// Which context document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhichContext {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The version, the newest unless told.
    #[serde(default)]
    version: Option<u32>,
}

pub(super) async fn call(
    mcp: &Mcp,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Trouble> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    match name {
        "create_vault" => {
            let CreateVault { vault: NewVaultFields { title, description }, idempotency_key } = read(arguments)?;
            let vault = NewVault { title, description };
            done(&hub.create_vault(owner, vault, mcp.way(context).await?.origin, idempotency_key.as_deref()).await?)
        }
        "list_vaults" => {
            let page = hub.vaults(owner, &read(arguments)?).await?;
            mcp.shows(context, all(page.data.iter().map(|vault| vault.origin)), name).await?;
            done(&page)
        }
        "create_memory" => {
            let CreateMemory { vault_id, memory: NewVaultFields { title, description }, idempotency_key } =
                read(arguments)?;
            let memory = NewMemory { title, description };
            done(
                &hub.create_memory(owner, vault_id, memory, mcp.way(context).await?.origin, idempotency_key.as_deref())
                    .await?,
            )
        }
        "list_memories" => {
            let InVault { vault_id, cursor, limit } = read(arguments)?;
            let page = hub.memories(owner, vault_id, &List { cursor, limit }).await?;
            mcp.shows(context, all(page.data.iter().map(|memory| memory.origin)), name).await?;
            done(&page)
        }
        "add_entry" => {
            let NewEntry { vault_id, memory_id, entry } = read(arguments)?;
            let AddEntryFields { raw_entry, summary, role, speaker, tags, conversation_time, ttl_s, idempotency_key } =
                entry;
            let entry = AddEntry { raw_entry, summary, role, speaker, tags, conversation_time, ttl_s, idempotency_key };
            done(&hub.add_entry(owner, vault_id, memory_id, entry, mcp.way(context).await?.origin).await?)
        }
        "list_entries" => {
            let ListEntries { vault_id, memory_id, oldest_first, cursor, limit } = read(arguments)?;
            let page = hub.entries(owner, vault_id, memory_id, &List { cursor, limit }, oldest_first).await?;
            mcp.shows(context, all(page.data.iter().map(|entry| entry.origin)), name).await?;
            done(&page)
        }
        "get_entry" => {
            let WhichEntry { vault_id, memory_id, entry_id } = read(arguments)?;
            let entry = hub.entry(owner, vault_id, memory_id, entry_id).await?;
            mcp.shows(context, entry.origin, name).await?;
            done(&entry)
        }
        "put_context" => {
            let NewContext { vault_id, memory_id, content, idempotency_key } = read(arguments)?;
            let content = PutContext { content };
            done(
                &hub.put_context(
                    owner,
                    vault_id,
                    memory_id,
                    content,
                    mcp.way(context).await?.origin,
                    idempotency_key.as_deref(),
                )
                .await?,
            )
        }
        "get_context" => {
            let WhichContext { vault_id, memory_id, version } = read(arguments)?;
            let document = hub.context(owner, vault_id, memory_id, version).await?;
            mcp.shows(context, document.origin, name).await?;
            done(&document)
        }
        "search_memories" => {
            let found = hub.memory_search(owner, &read(arguments)?).await?;
            mcp.shows(context, all(found.items.iter().map(|found| found.item.origin)), name).await?;
            done(&found)
        }
        _ => done(&hub.await_consistency(owner, &read(arguments)?).await?),
    }
}

/// Whose words a list is that is made of these.
fn all(origins: impl Iterator<Item = Origin>) -> Origin {
    origins.fold(Origin::Trusted, Origin::and)
}
