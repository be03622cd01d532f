//! Turns and their events, a page at a time.

use protocol::{Body, EventPage, Order, OwnerId, Passage, PassagePage, SessionRef, TurnId, TurnPage};
use session::fold_turns;

use super::{
    Hub,
    sessions::{EVENTS_DEFAULT, EVENTS_MAX},
};
use crate::Error;

/// Default and maximum number of turns on a page.
const TURNS_DEFAULT: usize = 20;
const TURNS_MAX: usize = 100;

impl Hub {
    /// A session's turns, from the oldest on or from the newest back. Only those on the page are
    /// read.
    pub async fn turns(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        order: Order,
        cursor: Option<&str>,
        limit: Option<usize>,
    ) -> Result<TurnPage, Error> {
        let session_id = self.session(owner, session).await?.session_id;
        let from = cursor.map(str::parse::<u64>).transpose();
        let from = from.map_err(|_| Error::Invalid("the cursor is invalid".to_owned()))?;
        let limit = limit.unwrap_or(TURNS_DEFAULT).clamp(1, TURNS_MAX);
        let store = &self.services().store;
        // One more than needed tells whether there is another page.
        let mut entries = store.turns(session_id, order, from, limit + 1).await?;
        let has_more = entries.len() > limit;
        entries.truncate(limit);
        let next_cursor = entries.last().filter(|_| has_more).map(|last| last.first_seq.to_string());
        let mut data = Vec::with_capacity(entries.len());
        for entry in entries {
            data.extend(fold_turns(&store.turn(entry.turn_id).await?));
        }
        Ok(TurnPage { data, next_cursor })
    }

    /// A page of a turn's events.
    pub async fn turn_events(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        after: u64,
        limit: Option<usize>,
    ) -> Result<EventPage, Error> {
        self.check_turn(owner, turn_id).await?;
        let limit = limit.unwrap_or(EVENTS_DEFAULT).clamp(1, EVENTS_MAX);
        let store = &self.services().store;
        let data = store.turn_events(turn_id, after, limit).await?;
        // Read after the events, so that it is never below the last of them.
        let last_seq = store.turn_place(turn_id).await?.ok_or(Error::NoTurn)?.last_seq;
        let next_cursor = data.last().map(|event| event.seq).filter(|last| *last < last_seq);
        Ok(EventPage { data, last_seq, next_cursor: next_cursor.map(|last| last.to_string()) })
    }

    /// The passages that a turn's research has stored: the targets of its marks and citations.
    pub async fn passages(&self, owner: &OwnerId, turn_id: TurnId) -> Result<PassagePage, Error> {
        self.check_turn(owner, turn_id).await?;
        let events = self.services().store.turn(turn_id).await?;
        let mut data: Vec<Passage> = Vec::new();
        for event in events {
            let Body::ResearchDone(done) = event.body else { continue };
            // A resumed turn may have searched twice.
            data.retain(|known| done.passages.iter().all(|passage| passage.mark != known.mark));
            data.extend(done.passages);
        }
        Ok(PassagePage { data })
    }
}
