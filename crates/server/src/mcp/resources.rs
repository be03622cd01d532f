//! Sessions as resources: `session://{id}` is the session's current state, `session://{id}/events`
//! its newest events.

use protocol::{Origin, SessionId, SessionList, SessionStatus};
use rmcp::{
    ErrorData,
    model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

use super::{McpHandler, error::McpError};

/// The scheme of session URIs.
const SCHEME: &str = "session://";
/// The suffix of the URI of a session's events.
const EVENTS: &str = "/events";
/// Most events that are shown.
const EVENTS_MAX: u64 = 200;
/// Sessions on a page.
const PAGE: u32 = 50;
const JSON: &str = "application/json";

/// The resource that a URI names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionResource {
    /// A session.
    Session(SessionId),
    /// Its events.
    Events(SessionId),
}

impl SessionResource {
    pub(super) fn read(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        match rest.strip_suffix(EVENTS) {
            Some(id) => id.parse().ok().map(Self::Events),
            None => rest.parse().ok().map(Self::Session),
        }
    }

    pub(super) const fn session_id(self) -> SessionId {
        match self {
            Self::Session(id) | Self::Events(id) => id,
        }
    }
}

/// The URI templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("session://{session_id}", "session")
            .with_description("A session: settings, usage, open turns.")
            .with_mime_type(JSON),
        ResourceTemplate::new("session://{session_id}/events", "session events")
            .with_description("The newest events of a session's journal, in order.")
            .with_mime_type(JSON),
    ]
}

/// The sessions, newest activity first, and the origin of their titles.
pub(super) async fn list(mcp: &McpHandler, cursor: Option<String>) -> Result<(ListResourcesResult, Origin), McpError> {
    let page =
        mcp.hub.sessions(&mcp.owner, &SessionList { cursor, limit: Some(PAGE), ..SessionList::default() }).await?;
    let resources = page.data.iter().map(|view| {
        let title = view.title.clone().or_else(|| view.key.as_ref().map(|key| key.as_str().to_owned()));
        let is_over = view.status != SessionStatus::Active;
        let over = if is_over { ", over" } else { "" };
        Resource::new(format!("{SCHEME}{}", view.session_id), title.unwrap_or_else(|| "session".to_owned()))
            .with_description(format!("{} turns, last at {}{over}", view.stats.turns, view.updated_at))
            .with_mime_type(JSON)
    });
    let mut listed = ListResourcesResult::with_all_items(resources.collect());
    listed.next_cursor = page.next_cursor;
    Ok((listed, page.data.iter().fold(Origin::Trusted, |origin, view| origin.and(view.origin))))
}

/// Reads a resource, and returns the origin of its text.
pub(super) async fn read(mcp: &McpHandler, uri: &str) -> Result<(ReadResourceResult, Origin), McpError> {
    let named = SessionResource::read(uri).ok_or_else(|| not_found(uri))?;
    let session = named.session_id().into();
    let view = match mcp.hub.session(&mcp.owner, &session).await {
        Ok(view) => view,
        Err(engine::Error::NoSession) => return Err(not_found(uri).into()),
        Err(error) => return Err(error.into()),
    };
    let origin = match named {
        SessionResource::Session(_) => view.origin,
        // An answer may contain text that was read long before.
        SessionResource::Events(_) => Origin::untrusted_if(view.tainted),
    };
    let value = match named {
        SessionResource::Session(_) => json!({ "session": view }),
        SessionResource::Events(_) => {
            let after = view.last_seq.saturating_sub(EVENTS_MAX);
            let page = mcp.hub.events(&mcp.owner, &session, after, usize::try_from(EVENTS_MAX).ok()).await?;
            json!({ "events": page.data, "last_seq": page.last_seq })
        }
    };
    let text = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(JSON.to_owned()),
        text: value.to_string(),
        meta: None,
    };
    Ok((ReadResourceResult::new(vec![text]), origin))
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(json!({ "uri": uri })))
}

/// Ids of sessions with this prefix, for completion.
pub(super) async fn complete(mcp: &McpHandler, begun: &str) -> Result<Vec<String>, McpError> {
    let page = mcp.hub.sessions(&mcp.owner, &SessionList { limit: Some(100), ..SessionList::default() }).await?;
    let ids = page.data.iter().map(|view| view.session_id.to_string());
    Ok(ids.filter(|id| id.starts_with(&begun.to_ascii_uppercase())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let id: SessionId = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        assert_eq!(SessionResource::read("session://01ARZ3NDEKTSV4RRFFQ69G5FAV"), Some(SessionResource::Session(id)));
        assert_eq!(
            SessionResource::read("session://01ARZ3NDEKTSV4RRFFQ69G5FAV/events"),
            Some(SessionResource::Events(id))
        );
        for other in ["session://", "session://nobody", "file:///etc/passwd", "01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
            assert_eq!(SessionResource::read(other), None, "{other}");
        }
    }
}
