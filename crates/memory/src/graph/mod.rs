//! People, places and things, and the facts that join them.
//!
//! A graph is derived from facts each time and never stored, so forgetting and correcting facts
//! needs nothing here. It has two times: [`timeline`] looks at facts as they were known at one time
//! and says which of them were true at another. [`reading`] splits a fact into whom it is about,
//! the attribute and the value. [`entities`] finds the person, place or thing behind each name:
//! "Maria" and "my sister" are one once a fact says so. Everything is a pure function.

mod entities;
mod reading;
#[cfg(test)]
mod tests;
mod timeline;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use protocol::{EdgeState, Fact, GraphEdge, GraphNode, NodeKind, Timestamp};

use self::{entities::Entities, reading::FactReading, timeline::FactAsKnown};

/// A fact, and when it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidFact {
    /// The fact.
    pub fact: Fact,
    /// When it was said.
    pub said_at: Timestamp,
}

/// The two times at which facts are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphTimes {
    /// What was true at this time.
    pub as_of: Timestamp,
    /// As it was known at this time.
    pub known_at: Timestamp,
}

/// A graph, with all of its edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// Its nodes by their ids.
    pub nodes: BTreeMap<String, GraphNode>,
    /// Its edges, those stored last first.
    pub edges: Vec<GraphEdge>,
}

impl Graph {
    /// The graph of facts at two times.
    pub fn of(facts: &[SaidFact], times: GraphTimes, include_ended: bool) -> Self {
        let known = timeline::as_known(facts, times.known_at);
        let readings: Vec<FactReading> = known.iter().map(|known| reading::read(&known.fact)).collect();
        let mut entities = Entities::of(&known, &readings, times.as_of);
        let mut edges = Vec::new();
        for (known, reading) in known.iter().zip(&readings) {
            let Some(state) = known.state(times.as_of) else { continue };
            // Also of facts that are left out, so that a node keeps its id whatever is asked for.
            let (subject, objects) = entities.ends(known, reading);
            if include_ended || matches!(state, EdgeState::Holds | EdgeState::Doubtful) {
                edges.extend(objects.into_iter().map(|object| edge(known, reading, state, &subject, object)));
            }
        }
        edges.sort_by(|a, b| b.fact_id.cmp(&a.fact_id).then_with(|| a.object.cmp(&b.object)));
        let mut graph = Self { nodes: entities.into_nodes(), edges };
        graph.count();
        graph
    }

    /// The node with this id or name: "Maria", "sister", "my sister". The user is also "me".
    pub fn find(&self, name: &str) -> Option<&GraphNode> {
        let wanted = words::plain_name(name);
        if let Some(node) = self.nodes.get(name.trim()).or_else(|| self.nodes.get(&wanted)) {
            return Some(node);
        }
        if words::is_user(&wanted) {
            return self.nodes.values().find(|node| node.kind == NodeKind::User);
        }
        let relation = words::relation(&wanted);
        let is_named = |node: &&GraphNode| {
            let names = std::iter::once(&node.label).chain(&node.aliases).map(|name| name.to_lowercase());
            names.into_iter().any(|name| name == wanted || relation.as_ref() == Some(&name))
        };
        let first_name = |node: &&GraphNode| {
            node.label.to_lowercase().split_whitespace().next().is_some_and(|first| first == wanted)
        };
        // The newest bearer of a name has it: "my boss" is the present one.
        let found = self.nodes.values().filter(is_named).max_by_key(|node| self.newest(&node.id));
        found.or_else(|| self.nodes.values().find(first_name))
    }

    /// Keeps the edges of one node, and the nodes at their ends.
    pub fn retain_subject(&mut self, id: &str) {
        self.edges.retain(|edge| edge.subject == id || edge.object.as_deref() == Some(id));
        let ends = self.edges.iter().flat_map(|edge| std::iter::once(&edge.subject).chain(&edge.object));
        let ends: BTreeSet<&String> = ends.collect();
        self.nodes.retain(|id, _| ends.contains(id));
    }

    /// When the newest edge to or from a node began, and whether one holds.
    fn newest(&self, id: &str) -> Option<(bool, Timestamp)> {
        let edges = self.edges.iter().filter(|edge| edge.subject == id || edge.object.as_deref() == Some(id));
        edges.map(|edge| (edge.state <= EdgeState::Doubtful, edge.valid_from)).max()
    }

    /// Counts the facts of each node, and drops nodes without any.
    fn count(&mut self) {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for edge in &self.edges {
            *counts.entry(&edge.subject).or_default() += 1;
            if let Some(object) = edge.object.as_deref().filter(|object| *object != edge.subject) {
                *counts.entry(object).or_default() += 1;
            }
        }
        self.nodes.retain(|id, node| {
            node.facts = counts.get(id.as_str()).copied().unwrap_or(0);
            node.facts > 0
        });
    }
}

fn edge(
    known: &FactAsKnown,
    reading: &FactReading,
    state: EdgeState,
    subject: &str,
    object: Option<String>,
) -> GraphEdge {
    let fact = &known.fact;
    GraphEdge {
        fact_id: fact.fact_id,
        subject: subject.to_owned(),
        relation: reading.attribute.clone(),
        object,
        value: fact.value.clone(),
        text: fact.text.clone(),
        state,
        valid_from: fact.valid_from,
        valid_until: fact.valid_until,
        said_at: known.said_at,
        known_from: fact.stored_at,
        known_until: known.known_until,
        superseded_by: fact.superseded_by,
        doubt: fact.doubt.clone(),
        level: fact.level,
        confidence: fact.confidence,
        source: fact.source.clone(),
        origin: fact.origin,
    }
}
