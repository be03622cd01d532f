//! What the server's statistics say of connections.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OwnerId;

/// How many connections, streams and MCP sessions there are, and what bounds them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConnectionStats {
    /// TCP connections that are open.
    pub open: u64,
    /// Those of them that have not presented a valid credential.
    pub anonymous: u64,
    /// Connections refused since the start, because a limit was reached.
    pub refused: u64,
    /// Connections without a credential that were closed since the start to make room for newer ones.
    pub displaced: u64,
    /// Connections closed since the start because nothing came in time.
    pub timed_out: u64,
    /// WebSockets and event streams that are open.
    pub streams: u64,
    /// MCP sessions that are open.
    pub mcp_sessions: u64,
    /// What bounds all that.
    pub limits: ConnectionLimits,
    /// The share of each owner. The operator sees all of them, any other owner sees its own.
    pub owners: BTreeMap<OwnerId, OwnerConnections>,
}

/// What bounds connections, streams and MCP sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConnectionLimits {
    /// TCP connections at once.
    pub connections: u64,
    /// Connections at once that have not presented a valid credential.
    pub anonymous_connections: u64,
    /// Connections at once from one peer address.
    pub peer_connections: u64,
    /// Connections at once of one owner.
    pub owner_connections: u64,
    /// WebSockets and event streams at once.
    pub streams: u64,
    /// WebSockets and event streams at once of one owner.
    pub owner_streams: u64,
    /// MCP sessions at once.
    pub mcp_sessions: u64,
    /// MCP sessions at once of one owner.
    pub owner_mcp_sessions: u64,
}

/// What one owner has open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OwnerConnections {
    /// TCP connections, apart from those through a trusted proxy.
    pub connections: u64,
    /// WebSockets and event streams.
    pub streams: u64,
    /// MCP sessions.
    pub mcp_sessions: u64,
}
