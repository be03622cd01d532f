//! The graph of an owner's facts, page by page.

use journal::Record;
use protocol::{Fact, GraphEdge, GraphNode, ItemId, MemoryGraph, MemoryGraphQuery, OwnerId, Timestamp, VaultId};

use super::{CONVERSATIONS, Error, LongTermMemory, OwnerRecords};
use crate::graph::{Graph, GraphTimes, SaidFact};

/// The default and the largest number of edges.
const LIMIT_DEFAULT: u32 = 200;
const LIMIT_MAX: u32 = 1_000;
/// The longest name of a subject, in characters.
const SUBJECT_CHARS_MAX: usize = 200;

impl LongTermMemory {
    /// People, places and things with their facts, as they were true at one time and known at
    /// another.
    pub async fn graph(&self, owner: &OwnerId, asked: &MemoryGraphQuery) -> Result<MemoryGraph, Error> {
        let subject = subject(asked)?;
        let after = asked.cursor.as_deref().map(EdgeCursor::decode).transpose()?;
        let vault_id = match asked.vault_id {
            // What is said in conversations belongs to no vault, although one holds them.
            Some(id) if self.vault(owner, id).await?.title == CONVERSATIONS => None,
            vault_id => vault_id,
        };
        let now = self.now();
        let times = GraphTimes { as_of: asked.as_of.unwrap_or(now), known_at: asked.known_at.unwrap_or(now) };
        let graph = self.read_offloaded(owner, |owner_records| {
            let facts: Vec<SaidFact> = owner_records.said_facts(vault_id, now).collect();
            let mut graph = Graph::of(&facts, times, asked.include_ended);
            if let Some(subject) = subject {
                match graph.find(subject).map(|node| node.id.clone()) {
                    Some(id) => graph.retain_subject(&id),
                    None => graph = Graph::default(),
                }
            }
            graph
        });
        let limit = asked.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize;
        Ok(page(graph.await?, times, after, limit))
    }
}

impl OwnerRecords {
    /// The facts of a vault, or those of conversations, with the time at which each was said.
    fn said_facts(&self, vault_id: Option<VaultId>, now: Timestamp) -> impl Iterator<Item = SaidFact> {
        let is_kept = move |fact: &&Fact| fact.expires_at.is_none_or(|at| at > now);
        let facts = self.facts().filter(move |fact| self.vault_of(fact) == vault_id).filter(is_kept);
        facts.map(|fact| SaidFact { said_at: self.said_at(fact), fact: self.with_doubt(fact) })
    }

    /// When a fact was said: the time of its entry. What was set without one was said when it was
    /// stored.
    fn said_at(&self, fact: &Fact) -> Timestamp {
        match fact.source.item_id.and_then(|id| self.record(id)) {
            Some(Record::Entry(entry)) => entry.conversation_time,
            _ => fact.stored_at,
        }
    }
}

fn subject(asked: &MemoryGraphQuery) -> Result<Option<&str>, Error> {
    let Some(subject) = asked.subject.as_deref() else { return Ok(None) };
    if subject.trim().is_empty() {
        return Err(Error::Invalid("`subject` is empty: give a name, or leave it out".to_owned()));
    }
    if subject.chars().count() > SUBJECT_CHARS_MAX {
        return Err(Error::Invalid(format!(
            "`subject` is too long: a name has at most {SUBJECT_CHARS_MAX} characters"
        )));
    }
    Ok(Some(subject))
}

/// The edges of a page, and the nodes at their ends.
fn page(mut graph: Graph, times: GraphTimes, after: Option<EdgeCursor>, limit: usize) -> MemoryGraph {
    let start = after.map_or(0, |cursor| cursor.position(&graph.edges));
    let end = graph.edges.len().min(start + limit);
    let next_cursor = (end < graph.edges.len()).then(|| EdgeCursor::after(&graph.edges[..end]).encode());
    let edges: Vec<GraphEdge> = graph.edges.drain(start..end).collect();
    let mut nodes: Vec<GraphNode> = Vec::new();
    for id in edges.iter().flat_map(|edge| std::iter::once(&edge.subject).chain(&edge.object)) {
        nodes.extend(graph.nodes.remove(id));
    }
    nodes.sort_by(|a, b| (a.kind, &a.label, &a.id).cmp(&(b.kind, &b.label, &b.id)));
    MemoryGraph { as_of: times.as_of, known_at: times.known_at, nodes, edges, next_cursor }
}

/// The end of a page: how many edges of a fact were on it, since one fact can have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EdgeCursor {
    fact_id: ItemId,
    count: usize,
}

impl EdgeCursor {
    /// The cursor after these edges.
    fn after(edges: &[GraphEdge]) -> Self {
        let fact_id = edges.last().map_or(ItemId::from_bytes([u8::MAX; 16]), |edge| edge.fact_id);
        let count = edges.iter().rev().take_while(|edge| edge.fact_id == fact_id).count();
        Self { fact_id, count }
    }

    fn encode(self) -> String {
        format!("{}.{}", self.count, self.fact_id)
    }

    fn decode(text: &str) -> Result<Self, Error> {
        let cursor = text
            .split_once('.')
            .and_then(|(count, id)| Some(Self { fact_id: id.parse().ok()?, count: count.parse().ok()? }));
        cursor.ok_or_else(|| Error::Invalid("the cursor is not valid: use `next_cursor` of a graph".to_owned()))
    }

    /// Where the next page starts. Edges are in the order of their facts, newest first.
    fn position(self, edges: &[GraphEdge]) -> usize {
        let before = edges.partition_point(|edge| edge.fact_id > self.fact_id);
        let same = edges[before..].iter().take_while(|edge| edge.fact_id == self.fact_id).count();
        before + same.min(self.count)
    }
}
