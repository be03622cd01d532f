//! `dwell memory graph`: people, places and things with their facts.

use std::collections::BTreeMap;

use protocol::{EdgeState, GraphEdge, GraphNode, MemoryGraph, MemoryGraphQuery, NodeKind, Timestamp, VaultId};

use super::format::{day, short};
use crate::{
    client::Client,
    command_error::CommandError,
    commands::sessions::{encode, one_line},
    print_json,
};

/// The server's largest page.
const PAGE_MAX: u32 = 1_000;

/// The request that the arguments make.
pub(super) fn query(
    subject: Option<String>,
    as_of: Option<&str>,
    known_at: Option<&str>,
    include_ended: bool,
    vault_id: Option<VaultId>,
    limit: u32,
) -> Result<MemoryGraphQuery, CommandError> {
    Ok(MemoryGraphQuery {
        subject,
        vault_id,
        as_of: as_of.map(|text| read_time("--as-of", text)).transpose()?,
        known_at: known_at.map(|text| read_time("--known-at", text)).transpose()?,
        include_ended,
        limit: Some(limit),
        cursor: None,
    })
}

/// A time, or the end of a day.
fn read_time(option: &str, text: &str) -> Result<Timestamp, CommandError> {
    let is_day = text.len() == 10 && !text.contains(':');
    let whole = if is_day { format!("{text}T23:59:59.999Z") } else { text.to_owned() };
    whole.parse().map_err(|_| {
        CommandError::Usage(format!("{option}: `{text}` is no time; give `2026-05-03` or `2026-05-03T10:00:00Z`"))
    })
}

pub(super) async fn graph(client: &Client, asked: MemoryGraphQuery) -> Result<(), CommandError> {
    let graph = read(client, asked).await?;
    if client.output.json {
        return print_json(&graph);
    }
    if graph.edges.is_empty() {
        client.output.say("nothing is known");
    }
    for node in &graph.nodes {
        let facts: Vec<&GraphEdge> = graph.edges.iter().filter(|edge| edge.subject == node.id).collect();
        println!("{}", title(node));
        facts.iter().for_each(|edge| println!("  {}", line(edge)));
    }
    if graph.next_cursor.is_some() {
        client.output.remark("there are more; use --limit to show them");
    }
    Ok(())
}

/// All pages up to the limit, as one graph.
async fn read(client: &Client, mut asked: MemoryGraphQuery) -> Result<MemoryGraph, CommandError> {
    let mut left = asked.limit.unwrap_or(PAGE_MAX).max(1);
    let mut nodes: BTreeMap<(NodeKind, String, String), GraphNode> = BTreeMap::new();
    let mut edges = Vec::new();
    loop {
        asked.limit = Some(left.min(PAGE_MAX));
        let page: MemoryGraph = client.get(&path(&asked)).await?;
        left = left.saturating_sub(u32::try_from(page.edges.len()).unwrap_or(u32::MAX));
        edges.extend(page.edges);
        nodes.extend(page.nodes.into_iter().map(|node| ((node.kind, node.label.clone(), node.id.clone()), node)));
        // The next page is about the same time.
        (asked.as_of, asked.known_at) = (Some(page.as_of), Some(page.known_at));
        asked.cursor = page.next_cursor;
        if left == 0 || asked.cursor.is_none() {
            let (as_of, known_at) = (page.as_of, page.known_at);
            let nodes = nodes.into_values().collect();
            return Ok(MemoryGraph { as_of, known_at, nodes, edges, next_cursor: asked.cursor });
        }
    }
}

fn path(asked: &MemoryGraphQuery) -> String {
    let MemoryGraphQuery { subject, vault_id, as_of, known_at, include_ended, limit, cursor } = asked;
    let parts = [
        subject.as_deref().map(|subject| format!("subject={}", encode(subject))),
        vault_id.map(|id| format!("vault_id={id}")),
        as_of.map(|at| format!("as_of={}", encode(&at.to_string()))),
        known_at.map(|at| format!("known_at={}", encode(&at.to_string()))),
        include_ended.then(|| "include_ended=true".to_owned()),
        limit.map(|limit| format!("limit={limit}")),
        cursor.as_deref().map(|cursor| format!("cursor={}", encode(cursor))),
    ];
    format!("/memory/graph?{}", parts.into_iter().flatten().collect::<Vec<String>>().join("&"))
}

/// A node on one line: `Maria (person, sister)`.
fn title(node: &GraphNode) -> String {
    let kind = match node.kind {
        NodeKind::User => "you",
        NodeKind::Person => "person",
        NodeKind::Animal => "animal",
        NodeKind::Place => "place",
        NodeKind::Thing => "thing",
    };
    let names = node.aliases.iter().chain(&node.relation).filter(|name| **name != node.label);
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.dedup();
    let names: Vec<&str> = std::iter::once(kind).chain(names).collect();
    format!("{} ({})", one_line(&node.label), names.join(", "))
}

/// A fact on one line: `lives in: Ghent  (2026-01-03 to 2026-05-01, ended, said 2026-01-03)`.
fn line(edge: &GraphEdge) -> String {
    let until = edge.valid_until.map(|until| format!(" to {}", day(until))).unwrap_or_default();
    let since = if until.is_empty() { "since " } else { "" };
    let state = match edge.state {
        EdgeState::Holds => "",
        EdgeState::Doubtful => ", doubtful",
        EdgeState::Ended => ", ended",
        EdgeState::Corrected => ", corrected",
    };
    let times = format!("{since}{}{until}{state}, said {}", day(edge.valid_from), day(edge.said_at));
    let doubt = edge.doubt.as_ref().filter(|_| edge.state == EdgeState::Doubtful);
    let doubt = doubt.map(|doubt| format!("; later: {}", short(&one_line(&doubt.text)))).unwrap_or_default();
    format!("{}: {}  ({times}{doubt})", one_line(&edge.relation), short(&one_line(&edge.value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_meant_as_a_whole_and_what_is_no_time_is_refused() {
        assert_eq!(read_time("--as-of", "2026-05-03").unwrap().to_string(), "2026-05-03T23:59:59.999Z");
        assert_eq!(read_time("--as-of", "2026-05-03T10:00:00+02:00").unwrap().to_string(), "2026-05-03T08:00:00.000Z");
        assert!(read_time("--as-of", "yesterday").unwrap_err().to_string().contains("`yesterday` is no time"));
        assert!(read_time("--as-of", "2026-13-41").is_err());
    }
}
