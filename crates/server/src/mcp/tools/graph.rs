//! The tool that shows people, places and things with their facts over time.

use protocol::{MemoryGraph, MemoryGraphQuery, Origin};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use serde_json::Value;

use super::{ToolDefinition, ToolImpact, done, read};
use crate::mcp::{McpHandler, error::McpError};

pub(super) fn tools() -> Vec<ToolDefinition> {
    vec![ToolDefinition::new::<MemoryGraphQuery, MemoryGraph>(
        "memory_graph",
        ToolImpact::Looks,
        "Shows the people, places and things that are known, with their facts: what was true at `as_of`, as it was \
         known at `known_at`. `subject` takes any name: `Maria`, `my sister`, `me`.",
    )]
}

/// Calls the tool.
pub(super) async fn call(
    mcp: &McpHandler,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let asked: MemoryGraphQuery = read(arguments)?;
    let graph = mcp.hub.memory_graph(&mcp.owner, &asked).await?;
    let origin = graph.edges.iter().map(|edge| edge.origin).fold(Origin::Trusted, Origin::and);
    mcp.shows(context, origin, name).await?;
    done(&graph)
}
