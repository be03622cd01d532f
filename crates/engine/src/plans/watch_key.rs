//! What schedules wait for outside of their session, as the catalog keeps it.

use std::{fmt, str::FromStr};

use protocol::{OwnerId, SessionId};

/// What a schedule waits for outside of its session. The catalog keeps it as a text; an id of an
/// entity is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchKey {
    /// An entity of the home.
    Entity(String),
    /// Events of the home of this type.
    Event(String),
    /// Turns of this owner, of one session or of any.
    Turns { owner: OwnerId, session: Option<SessionId> },
}

const EVENT: &str = "event:";
const TURNS: &str = "turns:";
const ANY: &str = "any";

impl fmt::Display for WatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(id) => f.write_str(id),
            Self::Event(event_type) => write!(f, "{EVENT}{event_type}"),
            Self::Turns { owner, session: None } => write!(f, "{TURNS}{ANY}:{owner}"),
            Self::Turns { owner, session: Some(id) } => write!(f, "{TURNS}{id}:{owner}"),
        }
    }
}

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadKey;

impl FromStr for WatchKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        if let Some(event_type) = text.strip_prefix(EVENT) {
            return Ok(Self::Event(event_type.to_owned()));
        }
        let Some(turns) = text.strip_prefix(TURNS) else { return Ok(Self::Entity(text.to_owned())) };
        let (session, owner) = turns.split_once(':').ok_or(BadKey)?;
        let session = if session == ANY { None } else { Some(session.parse().map_err(|_| BadKey)?) };
        Ok(Self::Turns { owner: owner.parse().map_err(|_| BadKey)?, session })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let owner: OwnerId = "ada".parse().unwrap();
        for (key, text) in [
            (WatchKey::Entity("light.kitchen".to_owned()), "light.kitchen"),
            (WatchKey::Event("zha_event".to_owned()), "event:zha_event"),
            (WatchKey::Turns { owner: owner.clone(), session: None }, "turns:any:ada"),
            (
                WatchKey::Turns { owner, session: Some(SessionId::from_bytes([0; 16])) },
                "turns:00000000000000000000000000:ada",
            ),
        ] {
            assert_eq!((key.to_string().as_str(), text.parse()), (text, Ok(key)));
        }
        assert_eq!("turns:ada".parse::<WatchKey>(), Err(BadKey));
    }
}
