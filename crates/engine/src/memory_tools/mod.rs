//! Tools by which agents look into memory and change it on the user's behalf: `memory_search`,
//! `memory_profile`, `memory_correct` and `memory_forget`.
//!
//! A model that has read untrusted text changes nothing here, an instruction becomes no line of the
//! profile, and forgetting is approved by the user, who sees what goes.

mod correct;
mod forget;
mod profile;
mod search;

use std::sync::{Arc, OnceLock, Weak};

pub(crate) use forget::confirmation;
use memory::language::instructions::is_instruction;
use ports::ToolFailure;
use protocol::{MemoryItem, Origin};
use schemars::JsonSchema;
use serde::Serialize;
use tools::{CallContext, Registry};

use crate::{
    Error,
    hub::{Hub, Services},
};

/// The way from the tools to the hub, which exists only after they are registered.
#[derive(Clone, Default)]
pub(crate) struct MemoryPort(Arc<OnceLock<Weak<Services>>>);

impl MemoryPort {
    /// Registers the tools. A name that is taken already stays with its tool.
    pub(crate) fn register(registry: &mut Registry) -> Self {
        let port = Self::default();
        let added = [
            registry.add(search::MemorySearchTool(port.clone())),
            registry.add(profile::MemoryProfileTool(port.clone())),
            registry.add(correct::MemoryCorrectTool(port.clone())),
            registry.add(forget::MemoryForgetTool(port.clone())),
        ];
        for error in added.into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "a tool of memory is not available");
        }
        port
    }

    /// Connects the tools to the services.
    pub(crate) fn connect(&self, services: &Arc<Services>) {
        // It is set once, when the hub opens.
        let _ = self.0.set(Arc::downgrade(services));
    }

    fn hub(&self) -> Result<Hub, ToolFailure> {
        let hub = self.0.get().and_then(Weak::upgrade).and_then(|services| services.hub());
        hub.ok_or_else(|| ToolFailure::Failed("memory is not available just now".to_owned()))
    }
}

/// An item of memory as a model sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KnownText {
    /// The id of the item.
    id: String,
    /// What is known.
    text: String,
    /// Since when it holds, or when it was said.
    since: String,
    /// Until when it held, if it no longer does.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// Whether the text is trusted: `trusted` or `untrusted`.
    origin: Origin,
}

impl From<MemoryItem> for KnownText {
    fn from(item: MemoryItem) -> Self {
        let text = match (item.key, item.value) {
            (Some(key), Some(value)) => format!("{key}: {value}"),
            _ => item.text,
        };
        Self {
            id: item.id.to_string(),
            text,
            since: item.valid_from.unwrap_or(item.at).to_string(),
            until: item.valid_until.map(|until| until.to_string()),
            origin: item.origin,
        }
    }
}

/// Refuses a call whose arguments may stem from untrusted text, and instructions.
fn check(context: &CallContext, texts: &[&str]) -> Result<(), ToolFailure> {
    if !context.origin.is_trusted() {
        let why = "this conversation holds untrusted text, so nothing is changed in what is known about the user; \
                   the user can say it in a message of their own";
        return Err(ToolFailure::Failed(why.to_owned()));
    }
    if texts.iter().any(|text| is_instruction(text)) {
        let why = "this is an instruction, and the profile holds facts; the user states wishes in their own messages";
        return Err(ToolFailure::Invalid(why.to_owned()));
    }
    Ok(())
}

fn failed(error: Error) -> ToolFailure {
    match error {
        Error::Invalid(why) => ToolFailure::Invalid(why),
        other => ToolFailure::Failed(other.to_string()),
    }
}
