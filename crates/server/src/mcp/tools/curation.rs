//! Tools that change what is known: the profile, corrections, forgetting, titles, and the memory
//! agent's control states.
//!
//! A model chooses the arguments of a tool. So a client that has read untrusted text changes
//! nothing here, an instruction becomes no line of the profile, and what would be forgotten is
//! shown before it goes.

use engine::is_instruction;
use protocol::{
    Code, ControlRequest, ControlResult, Fact, ForgetResult, ItemId, Memory, MemoryCorrect, MemoryForget, MemoryGet,
    MemoryId, MemoryItem, MemorySearch, MemorySet, MemoryTitleUpdate, Origin, Problem, TitleUpdate, Vault, VaultId,
    VaultUpdate,
};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolDefinition, ToolImpact, done, read};
use crate::mcp::{McpHandler, error::McpError};

/// Items that a preview shows.
const PREVIEW_MAX: u32 = 50;

pub(super) fn tools() -> Vec<ToolDefinition> {
    vec![
        ToolDefinition::new::<NoArguments, Profile>(
            "get_profile",
            ToolImpact::Looks,
            "Shows what is known about the user: the lines of the profile, the most important first.",
        ),
        ToolDefinition::new::<MemorySet, Fact>(
            "set_profile",
            ToolImpact::Adds,
            "Sets a line of the user's profile, as `diet`: `vegan`. Only for what the user has said; the earlier \
             value stays as history.",
        ),
        ToolDefinition::new::<MemoryCorrect, MemoryItem>(
            "correct",
            ToolImpact::Adds,
            "Corrects a fact or an entry by its id, when the user says that it is wrong. The old text stays as history.",
        ),
        ToolDefinition::new::<Forget, ForgetPreview>(
            "forget",
            ToolImpact::Ends,
            "Forgets items for good, everywhere. First give a `query`, a `key` or `ids` to see what would go; then show \
             that to the user, and call again with those `ids` and `confirm`: true.",
        ),
        ToolDefinition::new::<VaultUpdate, Vault>(
            "update_vault",
            ToolImpact::Adds,
            "Changes the title or the description of a vault.",
        ),
        ToolDefinition::new::<DeleteVault, ForgetPreview>(
            "delete_vault",
            ToolImpact::Ends,
            "Forgets a vault with everything in it. Without `confirm`: true it only shows what would go.",
        ),
        ToolDefinition::new::<MemoryTitleUpdate, Memory>(
            "update_memory",
            ToolImpact::Adds,
            "Changes the title or the description of a memory.",
        ),
        ToolDefinition::new::<DeleteMemory, ForgetPreview>(
            "delete_memory",
            ToolImpact::Ends,
            "Forgets a memory with everything in it. Without `confirm`: true it only shows what would go.",
        ),
        ToolDefinition::new::<ControlMemory, ControlResult>(
            "control_memory",
            ToolImpact::Adds,
            "Runs the memory agent for a conversation of your own: `start_session` reads the summary and the newest \
             entries, a message is stored and summarized when due, `end_session` writes the summary.",
        ),
    ]
}

/// There are no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

/// The profile.
#[derive(Debug, Serialize, JsonSchema)]
struct Profile {
    /// Its lines, the most important first.
    data: Vec<Fact>,
}

/// What to forget.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Forget {
    /// These items.
    ids: Vec<ItemId>,
    /// All values of this key of the profile, to look at.
    key: Option<String>,
    /// What a search finds, to look at.
    query: Option<String>,
    /// Whether the user has seen what goes and agrees. Only with `ids`.
    confirm: bool,
}

/// A vault to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteVault {
    /// The vault.
    vault_id: VaultId,
    /// Whether the user has seen what goes and agrees.
    #[serde(default)]
    confirm: bool,
}

/// A memory to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteMemory {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// Whether the user has seen what goes and agrees.
    #[serde(default)]
    confirm: bool,
}

/// What would be forgotten, or what was.
#[derive(Debug, Serialize, JsonSchema)]
struct ForgetPreview {
    /// Whether it is gone. If not, call again with these `ids` and `confirm`: true.
    forgotten: bool,
    /// What would go, at most 50 items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<MemoryItem>,
    /// What went.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ForgetResult>,
}

/// A control state of the memory agent.
#[derive(Debug, Deserialize, JsonSchema)]
struct ControlMemory {
    /// The vault.
    vault_id: VaultId,
    /// The memory.
    memory_id: MemoryId,
    /// The request.
    #[serde(flatten)]
    request: ControlRequest,
}

/// Calls one of these tools.
pub(super) async fn call(
    mcp: &McpHandler,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    match name {
        "get_profile" => {
            let NoArguments {} = read(arguments)?;
            done(&Profile { data: hub.profile(owner).await? })
        }
        "set_profile" => {
            let asked: MemorySet = read(arguments)?;
            check(mcp, context, &[&asked.key, &asked.value]).await?;
            done(&hub.memory_set(owner, asked).await?)
        }
        "correct" => {
            let asked: MemoryCorrect = read(arguments)?;
            check(mcp, context, &[&asked.text]).await?;
            done(&hub.memory_correct(owner, asked).await?)
        }
        "forget" => forget(mcp, read(arguments)?, context).await,
        "update_vault" => {
            let VaultUpdate { vault_id, title, description } = read(arguments)?;
            let origin = mcp.way(context).await?.origin;
            done(&hub.update_vault(owner, vault_id, TitleUpdate { title, description }, origin).await?)
        }
        "update_memory" => {
            let MemoryTitleUpdate { vault_id, memory_id, title, description } = read(arguments)?;
            let (origin, update) = (mcp.way(context).await?.origin, TitleUpdate { title, description });
            done(&hub.update_memory(owner, vault_id, memory_id, update, origin).await?)
        }
        "delete_vault" => {
            let DeleteVault { vault_id, confirm } = read(arguments)?;
            hub.vault(owner, vault_id).await?;
            let search = MemorySearch { vault_id: Some(vault_id), ..MemorySearch::default() };
            let asked = MemoryForget { vault_id: Some(vault_id), ..MemoryForget::default() };
            forget_all(mcp, search, asked, confirm, context).await
        }
        "delete_memory" => {
            let DeleteMemory { vault_id, memory_id, confirm } = read(arguments)?;
            hub.memory(owner, vault_id, memory_id).await?;
            let search = MemorySearch { memory_id: Some(memory_id), ..MemorySearch::default() };
            let asked = MemoryForget { memory_id: Some(memory_id), ..MemoryForget::default() };
            forget_all(mcp, search, asked, confirm, context).await
        }
        _ => {
            let ControlMemory { vault_id, memory_id, request } = read(arguments)?;
            let ran = hub.control_memory(owner, vault_id, memory_id, request, Origin::Untrusted).await?;
            let shown = ran.context.iter().map(|context| context.origin);
            let shown = shown.chain(ran.recent.iter().map(|entry| entry.origin)).fold(Origin::Trusted, Origin::and);
            mcp.shows(context, shown, name).await?;
            done(&ran)
        }
    }
}

/// Shows what would be forgotten, or forgets what was shown.
async fn forget(
    mcp: &McpHandler,
    asked: Forget,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    let Forget { ids, key, query, confirm } = asked;
    let invalid = |why: &str| Problem::new(Code::InvalidRequest, why, "See the tool's input schema.");
    if confirm {
        if ids.is_empty() || key.is_some() || query.is_some() {
            return Err(invalid("`confirm` goes with the `ids` that the user has seen, and with nothing else").into());
        }
        check(mcp, context, &[]).await?;
        let result = hub.memory_forget(owner, &MemoryForget { ids, ..MemoryForget::default() }).await?;
        return done(&ForgetPreview { forgotten: true, items: Vec::new(), result: Some(result) });
    }
    let items = match (ids.is_empty(), key, query) {
        (false, None, None) => {
            let mut items = Vec::new();
            for id in ids.into_iter().take(PREVIEW_MAX as usize) {
                items.push(hub.memory_item(owner, id).await?);
            }
            items
        }
        (true, Some(key), None) => {
            let found = hub.memory_get(owner, &MemoryGet { key: Some(key), ..MemoryGet::default() }).await?;
            found.items.into_iter().map(|found| found.item).collect()
        }
        (true, None, Some(query)) => {
            let search = MemorySearch { query, limit: Some(PREVIEW_MAX), ..MemorySearch::default() };
            hub.memory_search(owner, &search).await?.items.into_iter().map(|found| found.item).collect()
        }
        _ => return Err(invalid("give `query`, `key` or `ids`, one of them").into()),
    };
    preview(mcp, items, context).await
}

/// Shows what is in a vault or a memory, or forgets it.
async fn forget_all(
    mcp: &McpHandler,
    search: MemorySearch,
    asked: MemoryForget,
    confirm: bool,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    if confirm {
        check(mcp, context, &[]).await?;
        let result = mcp.hub.memory_forget(&mcp.owner, &asked).await?;
        return done(&ForgetPreview { forgotten: true, items: Vec::new(), result: Some(result) });
    }
    let items = mcp.hub.memory_contents(&mcp.owner, search.vault_id, search.memory_id, PREVIEW_MAX as usize).await?;
    preview(mcp, items, context).await
}

async fn preview(
    mcp: &McpHandler,
    items: Vec<MemoryItem>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let origin = items.iter().map(|item| item.origin).fold(Origin::Trusted, Origin::and);
    mcp.shows(context, origin, "forget").await?;
    done(&ForgetPreview { forgotten: false, items, result: None })
}

/// Refuses a client that has read untrusted text, and instructions.
async fn check(mcp: &McpHandler, context: &RequestContext<RoleServer>, texts: &[&str]) -> Result<(), McpError> {
    if !mcp.way(context).await?.origin.is_trusted() {
        let message = "this client has read untrusted text, so it cannot change what is known about the user";
        let hint = "The user can: in a chat, on the page, or with `dwell memory`.";
        return Err(Problem::new(Code::PolicyDenied, message, hint).into());
    }
    if texts.iter().any(|text| is_instruction(text)) {
        let message = "this is an instruction, and the profile holds facts";
        let hint = "Only a message of the user can state how answers shall be.";
        return Err(Problem::new(Code::PolicyDenied, message, hint).into());
    }
    Ok(())
}
