//! Connections in the server's statistics.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OwnerId;

/// Numbers of connections, streams and MCP sessions, and their limits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConnectionStats {
    /// Open TCP connections.
    pub open: u64,
    /// Open TCP connections that have not presented a valid credential.
    pub anonymous: u64,
    /// Connections refused since the start because a limit was reached.
    pub refused: u64,
    /// Connections without a credential that were closed since the start in favour of newer ones.
    pub displaced: u64,
    /// Connections closed since the start because no data arrived in time.
    pub timed_out: u64,
    /// Open WebSockets and event streams.
    pub streams: u64,
    /// Open MCP sessions.
    pub mcp_sessions: u64,
    /// The limits.
    pub limits: ConnectionLimits,
    /// Numbers per owner. The operator sees all owners, every other owner sees only its own.
    pub owners: BTreeMap<OwnerId, OwnerConnections>,
}

/// Limits of connections, streams and MCP sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConnectionLimits {
    /// Maximum number of TCP connections.
    pub connections: u64,
    /// Maximum number of connections that have not presented a valid credential.
    pub anonymous_connections: u64,
    /// Maximum number of connections from one peer address.
    pub peer_connections: u64,
    /// Maximum number of connections of one owner.
    pub owner_connections: u64,
    /// Maximum number of WebSockets and event streams.
    pub streams: u64,
    /// Maximum number of WebSockets and event streams of one owner.
    pub owner_streams: u64,
    /// Maximum number of MCP sessions.
    pub mcp_sessions: u64,
    /// Maximum number of MCP sessions of one owner.
    pub owner_mcp_sessions: u64,
}

/// Open connections of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OwnerConnections {
    /// TCP connections, without those through a trusted proxy.
    pub connections: u64,
    /// WebSockets and event streams.
    pub streams: u64,
    /// MCP sessions.
    pub mcp_sessions: u64,
}
