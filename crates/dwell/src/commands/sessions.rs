//! `dwell sessions`: list, show, end, delete.

use std::io::IsTerminal;

use protocol::{DeletedSession, SessionId, SessionPage, SessionView, TurnPage};
use reqwest::Method;
use serde_json::json;

use super::confirm::confirm;
use crate::{cli::SessionsCommand, client::Client, command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config, command: SessionsCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        SessionsCommand::List { limit, status } => list(&client, limit, status.as_deref()).await,
        SessionsCommand::Show { session } => show(&client, find(&client, &session).await?).await,
        SessionsCommand::Delete { session, memories, yes } => delete(&client, &session, memories, yes).await,
        SessionsCommand::End { session, reason } => {
            end(&client, id_of(&client, &session).await?, reason.as_deref()).await
        }
    }
}

/// A session's id. It is used as given, since a session that cannot be read can still be ended or
/// deleted.
async fn id_of(client: &Client, session: &str) -> Result<SessionId, CommandError> {
    match session.parse() {
        Ok(id) => Ok(id),
        Err(_) => find(client, session).await.map(|found| found.session_id),
    }
}

/// A session by its id, or by the name that its client gave it.
pub(super) async fn find(client: &Client, text: &str) -> Result<SessionView, CommandError> {
    if let Ok(id) = text.parse::<SessionId>() {
        return client.get(&format!("/sessions/{id}")).await;
    }
    let mut cursor = String::new();
    loop {
        let page: SessionPage = client.get(&format!("/sessions?limit=200{cursor}")).await?;
        let mut named = page.data.into_iter();
        if let Some(found) = named.find(|session| session.key.as_ref().is_some_and(|key| key.as_str() == text)) {
            return Ok(found);
        }
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => {
                let hint = format!("there is no session `{text}`; `dwell sessions list` shows ids and names");
                return Err(CommandError::Failed(anyhow::anyhow!(hint)));
            }
        }
    }
}

async fn list(client: &Client, limit: u32, status: Option<&str>) -> Result<(), CommandError> {
    let status = status.map(|status| format!("&status={status}")).unwrap_or_default();
    let page: SessionPage = client.get(&format!("/sessions?limit={limit}{status}")).await?;
    if client.output.json {
        return print_json(&page);
    }
    if page.data.is_empty() {
        client.output.say("no sessions yet");
    }
    for session in &page.data {
        print_session(session);
    }
    Ok(())
}

fn print_session(session: &SessionView) {
    let name = session.key.as_ref().map(ToString::to_string).or_else(|| session.title.clone());
    let status = json!(session.status);
    println!(
        "{}  {:7}  {}  {:4} turns  {}",
        session.session_id,
        status.as_str().unwrap_or_default(),
        session.updated_at,
        session.stats.turns,
        one_line(&name.unwrap_or_default())
    );
}

async fn show(client: &Client, session: SessionView) -> Result<(), CommandError> {
    let id = session.session_id;
    let mut turns = Vec::new();
    let mut cursor = String::new();
    loop {
        let page: TurnPage = client.get(&format!("/sessions/{id}/turns?limit=100{cursor}")).await?;
        turns.extend(page.data);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    if client.output.json {
        return print_json(&json!({ "session": session, "turns": turns }));
    }
    print_session(&session);
    for turn in turns {
        println!("\n> {}", turn.request.message);
        if !turn.text.is_empty() {
            println!("{}", turn.text);
        }
        if turn.status != protocol::TurnStatus::Completed {
            let why = turn.error.map(|error| error.message).or(turn.reason).unwrap_or_default();
            println!("[{}] {why}", json!(turn.status).as_str().unwrap_or_default());
        }
    }
    Ok(())
}

async fn end(client: &Client, id: SessionId, reason: Option<&str>) -> Result<(), CommandError> {
    let query = reason.map(|reason| format!("?reason={}", encode(reason))).unwrap_or_default();
    let session: SessionView = client.call(Method::DELETE, &format!("/sessions/{id}{query}")).await?;
    client.output.done(&session, &format!("ended {id}"))
}

async fn delete(client: &Client, session: &str, memories: bool, yes: bool) -> Result<(), CommandError> {
    // Memories of a session that no longer exists can still be deleted.
    let id = id_of(client, session).await?;
    if !yes && std::io::stdin().is_terminal() && !confirm(&question(session, memories))? {
        client.output.say("nothing was deleted");
        return Ok(());
    }
    let query = format!("?forever=true{}", if memories { "&memories=true" } else { "" });
    let gone: DeletedSession = client.call(Method::DELETE, &format!("/sessions/{id}{query}")).await?;
    client.output.done(&gone, &gone_in_words(&gone))
}

fn question(session: &str, memories: bool) -> String {
    let memories = if memories { " and the memories from it" } else { "" };
    format!("permanently delete session {session} with all its messages{memories}? [y/N] ")
}

fn gone_in_words(gone: &DeletedSession) -> String {
    let DeletedSession { session_id, events, artifacts, memories, redacted_sessions } = gone;
    let redacted = if *redacted_sessions > 0 {
        format!(", and text from it in {redacted_sessions} other sessions")
    } else {
        String::new()
    };
    format!("deleted {session_id}: {events} events, {artifacts} artifacts, {memories} memories{redacted}")
}

/// Percent-encodes a text as part of a URL.
pub(super) fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_says_what_goes() {
        assert_eq!(question("kitchen", false), "permanently delete session kitchen with all its messages? [y/N] ");
        let both = "permanently delete session kitchen with all its messages and the memories from it? [y/N] ";
        assert_eq!(question("kitchen", true), both);
    }

    #[test]
    fn what_is_gone_is_counted() {
        let session_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        let mut gone = DeletedSession { session_id, events: 7, artifacts: 1, memories: 0, redacted_sessions: 0 };
        let begin = "deleted 01ARZ3NDEKTSV4RRFFQ69G5FAV: 7 events, 1 artifacts, 0 memories";
        assert_eq!(gone_in_words(&gone), begin);
        gone.redacted_sessions = 2;
        assert_eq!(gone_in_words(&gone), format!("{begin}, and text from it in 2 other sessions"));
    }
}
