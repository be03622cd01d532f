//! Lists turns: of one session, or of the sessions with the newest activity.

use protocol::{SessionPage, SessionView, TurnPage, TurnStatus, TurnView};
use serde_json::json;

use super::super::{
    local_time::local_time,
    sessions::{find, one_line},
};
use crate::{client::Client, command_error::CommandError, print_json};

/// Turns that are read at a time.
const PAGE: usize = 100;
/// Sessions whose turns are read for one list.
const SESSIONS_MAX: usize = 200;
/// Characters of a message that a list shows.
const MESSAGE_CHARS_MAX: usize = 60;

/// Which turns are listed.
pub(super) struct TurnFilter {
    pub(super) session: Option<String>,
    /// Any of these; none means all.
    pub(super) status: Vec<TurnStatus>,
    pub(super) limit: usize,
}

/// A turn, with the name of its session.
struct ListedTurn {
    turn: TurnView,
    session: String,
}

pub(super) async fn list(client: &Client, wanted: &TurnFilter) -> Result<(), CommandError> {
    let turns = match &wanted.session {
        Some(session) => of_session(client, &find(client, session).await?, wanted).await?,
        None => of_all(client, wanted).await?,
    };
    if client.output.json {
        let data: Vec<&TurnView> = turns.iter().map(|listed| &listed.turn).collect();
        return print_json(&json!({ "data": data }));
    }
    if turns.is_empty() {
        client.output.remark("no turns");
    }
    for listed in &turns {
        println!("{}", line(listed));
    }
    Ok(())
}

/// The newest turns of a session.
async fn of_session(
    client: &Client,
    session: &SessionView,
    wanted: &TurnFilter,
) -> Result<Vec<ListedTurn>, CommandError> {
    let name = session.key.as_ref().map_or_else(|| session.session_id.to_string(), ToString::to_string);
    let (mut turns, mut cursor) = (Vec::new(), String::new());
    // Nothing is left out unless a status is asked for, so no more than the limit is read then.
    let limit = if wanted.status.is_empty() { wanted.limit.min(PAGE) } else { PAGE };
    while turns.len() < wanted.limit {
        let path = format!("/sessions/{}/turns?order=newest&limit={limit}{cursor}", session.session_id);
        let page: TurnPage = client.get(&path).await?;
        let fits = |turn: &TurnView| wanted.status.is_empty() || wanted.status.contains(&turn.status);
        let found = page.data.into_iter().filter(fits);
        turns.extend(found.map(|turn| ListedTurn { turn, session: name.clone() }));
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    turns.truncate(wanted.limit);
    Ok(turns)
}

/// The newest turns of all sessions. A session's activity is at least as new as its turns, so those
/// with older activity than the turns found so far cannot have newer ones.
async fn of_all(client: &Client, wanted: &TurnFilter) -> Result<Vec<ListedTurn>, CommandError> {
    let mut turns: Vec<ListedTurn> = Vec::new();
    let mut cursor = String::new();
    let mut read = 0;
    'pages: while read < SESSIONS_MAX {
        let page: SessionPage = client.get(&format!("/sessions?limit=50{cursor}")).await?;
        for session in &page.data {
            let oldest = turns.get(wanted.limit.saturating_sub(1)).map(|listed| listed.turn.created_at);
            if oldest.is_some_and(|oldest| session.updated_at < oldest) {
                break 'pages;
            }
            turns.extend(of_session(client, session, wanted).await?);
            turns.sort_by_key(|listed| std::cmp::Reverse(listed.turn.created_at));
            turns.truncate(wanted.limit);
        }
        read += page.data.len();
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(turns),
        }
    }
    if read >= SESSIONS_MAX && turns.len() < wanted.limit {
        let words = format!("only the {SESSIONS_MAX} sessions with the newest activity were read; see --session");
        client.output.remark(&words);
    }
    Ok(turns)
}

fn line(listed: &ListedTurn) -> String {
    let ListedTurn { turn, session } = listed;
    let status = json!(turn.status);
    let message = one_line(&turn.request.message);
    let message = match message.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    };
    let status = status.as_str().unwrap_or_default();
    format!("{}  {}  {status:11}  {session}  {message}", turn.turn_id, local_time(turn.created_at))
}
