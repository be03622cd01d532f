//! Trust: which text in a session is untrusted, which client calls it taints, and which clients
//! have read it.

use protocol::{MessageChannel, Origin, Request, Settings, Timestamp};

use crate::{limits::READERS_MAX, recent::RecentTurn, state::State};

/// Stands for all clients that are not recorded individually.
pub const EVERY_CLIENT: &str = "*";

impl State {
    /// Whether calls that a client makes itself are tainted by untrusted text that the client
    /// knows. A person on the page decides alone; for an MCP client the session knows what it has
    /// read.
    pub(crate) fn taints_calls(&self, request: &Request) -> bool {
        !request.calls.is_empty() && request.via == MessageChannel::Token && self.is_tainted()
    }

    /// Whether a turn's context would contain untrusted text if it contained everything.
    fn is_tainted(&self) -> bool {
        let is_untrusted = |origin: Origin| !origin.is_trusted();
        self.tape.turns().any(|turn: &RecentTurn| turn.is_tainted)
            || self.pins.values().any(|pin| is_untrusted(pin.origin))
            || self.timeline.iter().any(|entry| is_untrusted(entry.origin))
            || self.desktop.windows().any(|window| is_untrusted(window.origin))
            || self.open.values().any(|turn| is_untrusted(turn.origin()))
            || self.settings.imported.contains(Settings::INSTRUCTIONS)
            || self.settings.preferences.contains_key(Settings::EARLIER)
    }

    /// The origin of the title and the preferences.
    pub(crate) fn words_origin(&self) -> Origin {
        let is_title_untrusted =
            !self.settings.preferences.contains_key(Settings::TITLE) && !self.title_origin.is_trusted();
        Origin::untrusted_if(is_title_untrusted || !self.settings.imported.is_empty())
    }

    /// A client has read untrusted text. If there are too many clients, the oldest are replaced by
    /// the entry for all clients, so that none is forgotten.
    pub(crate) fn note_reading(&mut self, client: &str, at: Timestamp) {
        self.read_by.insert(client.to_owned(), at);
        while self.read_by.len() > READERS_MAX {
            let named = self.read_by.iter().filter(|(client, _)| *client != EVERY_CLIENT);
            let Some((oldest, at)) = named.min_by_key(|(_, at)| **at).map(|(client, at)| (client.clone(), *at)) else {
                return;
            };
            self.read_by.remove(&oldest);
            let every = self.read_by.entry(EVERY_CLIENT.to_owned()).or_insert(at);
            *every = at.max(*every);
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Body, Event, OwnerId, SessionId, SessionStart};
    use ulid::Ulid;

    use super::*;

    #[test]
    fn many_clients_do_not_displace_the_record_of_a_reader() {
        let owner: OwnerId = "ada".parse().expect("a name");
        let first: Event =
            crate::start(SessionId::new(Ulid::nil()), owner, SessionStart::default(), Timestamp::from_millis(0))
                .expect("a session");
        assert!(matches!(first.body, Body::SessionStarted(_)));
        let mut state = State::begin(&first).expect("a session");
        for number in 0..200_i64 {
            state.note_reading(&format!("client {number}"), Timestamp::from_millis(number));
        }
        assert_eq!(state.read_by.len(), READERS_MAX);
        assert!(state.read_by.contains_key("client 199") && !state.read_by.contains_key("client 0"));
        assert_eq!(state.read_by[EVERY_CLIENT], Timestamp::from_millis(200 - READERS_MAX as i64));
    }
}
