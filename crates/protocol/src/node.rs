//! The nodes of a cluster, as the operator sees them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A node that uses the same database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    /// Its id.
    pub node_id: String,
    /// The version of its program.
    pub version: String,
    /// Whether it answers this request.
    pub is_this: bool,
    /// Whether it serves owners, hands them over before it ends, or is gone.
    pub status: NodeStatus,
    /// Where it takes requests of other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// When it was started.
    pub started_at: Timestamp,
    /// Milliseconds until its lease ends unless it is renewed; 0 if it has ended.
    pub lease_left_ms: u64,
    /// The owners that it serves.
    pub owners: u64,
    /// The sessions that it has loaded.
    pub sessions: u64,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It serves owners.
    Serving,
    /// It hands its owners over, and ends.
    Leaving,
    /// Its lease has ended.
    Gone,
}

impl NodeStatus {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::Leaving => "leaving",
            Self::Gone => "gone",
        }
    }
}

/// The nodes that use the same database; none if the journal is in a data folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodePage {
    /// The nodes, by id.
    pub data: Vec<NodeView>,
}
