//! Memory tools: vaults, memories, entries, context documents, and search.

use protocol::{
    AddEntry, AwaitConsistency, Consistency, ContextDocument, Entry, EntryPage, ItemId, Memory, MemoryId, MemoryPage,
    MemorySearch, MemorySnapshot, NewMemory, NewVault, Origin, PageRequest, PutContext, Vault, VaultId, VaultPage,
};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{ToolDefinition, ToolImpact, done, read};
use crate::mcp::{McpHandler, error::McpError};

pub(super) fn tools() -> Vec<ToolDefinition> {
    vec![
        ToolDefinition::new::<CreateVault, Vault>(
            "create_vault",
            ToolImpact::Adds,
            "Creates a vault for memories that belong together.",
        ),
        ToolDefinition::new::<PageRequest, VaultPage>(
            "list_vaults",
            ToolImpact::Looks,
            "Lists the vaults, oldest first.",
        ),
        ToolDefinition::new::<CreateMemory, Memory>(
            "create_memory",
            ToolImpact::Adds,
            "Creates a memory in a vault, for one conversation or subject.",
        ),
        ToolDefinition::new::<VaultPageArgs, MemoryPage>(
            "list_memories",
            ToolImpact::Looks,
            "Lists the memories of a vault, oldest first.",
        ),
        ToolDefinition::new::<NewEntry, Entry>(
            "add_entry",
            ToolImpact::Adds,
            "Adds an entry to a memory: the exact text and a summary. See the prompt `entry_capture`.",
        ),
        ToolDefinition::new::<ListEntries, EntryPage>(
            "list_entries",
            ToolImpact::Looks,
            "Lists the entries of a memory, newest first.",
        ),
        ToolDefinition::new::<EntryArgs, Entry>(
            "get_entry",
            ToolImpact::Looks,
            "Shows an entry, with its corrections.",
        ),
        ToolDefinition::new::<NewContext, ContextDocument>(
            "put_context",
            ToolImpact::Adds,
            "Writes the next version of a memory's context document: all that matters for later. See the \
             prompt `context`.",
        ),
        ToolDefinition::new::<ContextArgs, ContextDocument>(
            "get_context",
            ToolImpact::Looks,
            "Shows a memory's context document, by default the newest version.",
        ),
        ToolDefinition::new::<MemorySearch, MemorySnapshot>(
            "search_memories",
            ToolImpact::Looks,
            "Searches memories by words and embeddings, with all parts of each score.",
        ),
        ToolDefinition::new::<AwaitConsistency, Consistency>(
            "await_consistency",
            ToolImpact::Looks,
            "Waits until everything written so far is durable and searchable, or lists what is not.",
        ),
    ]
}

/// A vault to create.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateVault {
    /// The vault.
    #[serde(flatten)]
    vault: NewVaultFields,
    /// The same key gives the same vault, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// The fields of a new vault or memory.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewVaultFields {
    /// Its title.
    title: String,
    /// What it is for.
    #[serde(default)]
    description: String,
}

/// A memory to create.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateMemory {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    #[serde(flatten)]
    memory: NewVaultFields,
    /// The same key gives the same memory, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// Which vault.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VaultPageArgs {
    /// The vault.
    vault_id: VaultId,
    /// Continue from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
    /// At most this many: 50 by default, up to 200.
    #[serde(default)]
    limit: Option<u32>,
}

/// An entry to add.
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

/// The fields of a new entry.
#[derive(Debug, Deserialize, JsonSchema)]
struct AddEntryFields {
    /// The exact text.
    raw_entry: String,
    /// Its summary; made from the text if absent.
    #[serde(default)]
    summary: Option<String>,
    /// Who said it, `user` by default.
    #[serde(default)]
    role: Option<String>,
    /// The speaker's name.
    #[serde(default)]
    speaker: Option<String>,
    /// Free labels.
    #[serde(default)]
    tags: std::collections::BTreeMap<String, String>,
    /// When it happened; now by default.
    #[serde(default)]
    conversation_time: Option<protocol::Timestamp>,
    /// Seconds after which it expires.
    #[serde(default)]
    ttl_s: Option<u64>,
    /// The same key gives the same entry, for 24 hours.
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
    /// Continue from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
    /// At most this many: 50 by default, up to 200.
    #[serde(default)]
    limit: Option<u32>,
}

/// Which entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntryArgs {
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
    /// The same key gives the same version, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// Which context document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContextArgs {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The version, by default the newest.
    #[serde(default)]
    version: Option<u32>,
}

pub(super) async fn call(
    mcp: &McpHandler,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
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
            let VaultPageArgs { vault_id, cursor, limit } = read(arguments)?;
            let page = hub.memories(owner, vault_id, &PageRequest { cursor, limit }).await?;
            mcp.shows(context, all(page.data.iter().map(|memory| memory.origin)), name).await?;
            done(&page)
        }
        "add_entry" => {
            let NewEntry { vault_id, memory_id, entry } = read(arguments)?;
            let AddEntryFields { raw_entry, summary, role, speaker, tags, conversation_time, ttl_s, idempotency_key } =
                entry;
            let entry = AddEntry {
                raw_entry,
                summary,
                role,
                speaker,
                tags,
                conversation_time,
                ttl_s,
                idempotency_key,
                origin: None,
            };
            // A model writes it, from whatever it has read.
            done(&hub.add_entry(owner, vault_id, memory_id, entry, Origin::Untrusted).await?)
        }
        "list_entries" => {
            let ListEntries { vault_id, memory_id, oldest_first, cursor, limit } = read(arguments)?;
            let page = hub.entries(owner, vault_id, memory_id, &PageRequest { cursor, limit }, oldest_first).await?;
            mcp.shows(context, all(page.data.iter().map(|entry| entry.origin)), name).await?;
            done(&page)
        }
        "get_entry" => {
            let EntryArgs { vault_id, memory_id, entry_id } = read(arguments)?;
            let entry = hub.entry(owner, vault_id, memory_id, entry_id).await?;
            mcp.shows(context, entry.origin, name).await?;
            done(&entry)
        }
        "put_context" => {
            let NewContext { vault_id, memory_id, content, idempotency_key } = read(arguments)?;
            let content = PutContext { content, origin: None };
            let key = idempotency_key.as_deref();
            done(&hub.put_context(owner, vault_id, memory_id, content, Origin::Untrusted, key).await?)
        }
        "get_context" => {
            let ContextArgs { vault_id, memory_id, version } = read(arguments)?;
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

/// The origin of a list whose items have these origins.
fn all(origins: impl Iterator<Item = Origin>) -> Origin {
    origins.fold(Origin::Trusted, Origin::and)
}
