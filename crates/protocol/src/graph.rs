//! People, places and things that memory knows, joined by facts: a view that is derived from facts
//! and has two times, when something was true and when it was known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Doubt, ItemId, ItemSource, Level, Origin, Timestamp, VaultId};

/// `memory.graph`: people, places and things with their facts. The answer is a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryGraphQuery {
    /// Only facts about this person, place or thing, by any of its names: `Maria`, `sister` or `my
    /// sister`. `me` is the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = crate::patterns::NOT_BLANK))]
    pub subject: Option<String>,
    /// Facts of this vault. Default: what the user said in conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault_id: Option<VaultId>,
    /// Only what was true at this time. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Timestamp>,
    /// Only what was known at this time, as it was known then. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_at: Option<Timestamp>,
    /// Whether facts that had ended by `as_of`, or were corrected, are included. Default: false.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub include_ended: bool,
    /// Maximum number of edges: 1 to 1,000. Default: 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// People, places and things, and the facts that join them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryGraph {
    /// The time at which the facts are true.
    pub as_of: Timestamp,
    /// The time at which they are known.
    pub known_at: Timestamp,
    /// The nodes of the edges on this page, the user first.
    pub nodes: Vec<GraphNode>,
    /// The facts, those stored last first.
    pub edges: Vec<GraphEdge>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// The user.
    User,
    /// A person.
    Person,
    /// An animal.
    Animal,
    /// A place.
    Place,
    /// Anything else: a company, a car.
    Thing,
}

/// A person, a place or a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphNode {
    /// Id of the node, for example `person:maria`. It is made of the name, so it changes when a
    /// name becomes known.
    pub id: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// The name to show.
    pub label: String,
    /// Other names of the same: `sister` of Maria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it is to the user, for example `sister` or `car`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// Number of facts about it in the whole graph.
    pub facts: u32,
}

/// The state of a fact at the time that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeState {
    /// It holds.
    Holds,
    /// It may no longer hold: see `doubt`.
    Doubtful,
    /// It held, and is over.
    Ended,
    /// It was wrong, and was corrected.
    Corrected,
}

/// A fact as an edge: from whom or what it is about to its value, with the two times of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// The fact.
    pub fact_id: ItemId,
    /// Id of the node that it is about.
    pub subject: String,
    /// The attribute, for example `lives in`.
    pub relation: String,
    /// Id of the node that is its value, if the value is a person, a place or a thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The stated value.
    pub value: String,
    /// The statement as it was made.
    pub text: String,
    /// Its state at the time that is looked at.
    pub state: EdgeState,
    /// Since when it is true.
    pub valid_from: Timestamp,
    /// Until when it was true, as far as was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// When it was said.
    pub said_at: Timestamp,
    /// Since when it is known.
    pub known_from: Timestamp,
    /// When it became known that it is over or wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_until: Option<Timestamp>,
    /// The fact that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// Why it may no longer hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// `profile` or `fact`.
    pub level: Level,
    /// Confidence in the fact, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub confidence: f32,
    /// Where it was said.
    #[serde(default)]
    pub source: ItemSource,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
}
