//! Lists and search.

use protocol::{Level, MemorySearch, MemorySnapshot, SearchMode, SessionRef};
use reqwest::Method;
use serde_json::json;

use super::format;
use crate::{client::Client, command_error::CommandError, commands::sessions::encode, print_json};

/// The server's largest page.
const PAGE_MAX: u32 = 100;

pub(super) async fn list(client: &Client, levels: &[Level], history: bool, limit: u32) -> Result<(), CommandError> {
    let names: Vec<&str> = levels.iter().map(|level| level.as_str()).collect();
    let mut all = MemorySnapshot::default();
    let mut left = limit;
    while left > 0 {
        let cursor = all.next_cursor.take().map(|cursor| format!("&cursor={}", encode(&cursor))).unwrap_or_default();
        let (level, size) = (names.join(","), left.min(PAGE_MAX));
        let path = format!("/memories?level={level}&history={history}&limit={size}{cursor}");
        let page: MemorySnapshot = client.get(&path).await?;
        left = left.saturating_sub(u32::try_from(page.items.len()).unwrap_or(u32::MAX));
        all.items.extend(page.items);
        all.notices = page.notices;
        all.next_cursor = page.next_cursor;
        if all.next_cursor.is_none() {
            break;
        }
    }
    if client.output.json {
        return print_json(&all);
    }
    if all.items.is_empty() {
        client.output.say("no memories yet");
    }
    all.items.iter().for_each(|found| println!("{}", format::item(&found.item)));
    if all.next_cursor.is_some() {
        client.output.remark("there are more; use --limit to show them");
    }
    Ok(())
}

/// What to search for, and where.
pub(super) struct SearchArgs {
    pub(super) words: Vec<String>,
    pub(super) session: Option<String>,
    pub(super) mode: SearchMode,
    pub(super) limit: u32,
}

pub(super) async fn search(client: &Client, asked: SearchArgs, scores: bool) -> Result<(), CommandError> {
    let SearchArgs { words, session, mode, limit } = asked;
    let session = session.map(|text| read_session(&text)).transpose()?.unwrap_or_default();
    let search = MemorySearch { query: words.join(" "), session, mode, limit: Some(limit), ..MemorySearch::default() };
    let found: MemorySnapshot = client.call_with(Method::POST, "/memories/search", &json!(search)).await?;
    if client.output.json {
        return print_json(&found);
    }
    found.notices.iter().for_each(|notice| client.output.remark(notice));
    if found.items.is_empty() {
        client.output.say("no results");
    }
    for found in &found.items {
        println!("{:.3}  {}", found.score.total, format::item(&found.item));
        if scores {
            println!("       {}", format::parts(&found.score));
        }
    }
    Ok(())
}

/// A session by its id, or by its name.
fn read_session(text: &str) -> Result<SessionRef, CommandError> {
    if let Ok(id) = text.parse::<protocol::SessionId>() {
        return Ok(id.into());
    }
    let name = text.parse().map_err(|error| CommandError::Usage(format!("--session: {error}")))?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}
