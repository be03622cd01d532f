//! Following a session: the stored events, then the new ones.

use std::sync::Arc;

use futures::Stream;
use protocol::{Event, SessionId};
use tokio::sync::broadcast::error::RecvError;

use crate::{Error, Journal};

/// Events read at a time.
const PAGE: usize = 256;

/// All events after a number: first those in the journal, then each new one once it is committed.
/// The cursor counts all events. A commit message only triggers a read, so a missed message is
/// harmless.
pub fn follow<J: Journal + ?Sized>(
    journal: Arc<J>,
    session_id: SessionId,
    after: u64,
) -> impl Stream<Item = Result<Event, Error>> + Send {
    async_stream::try_stream! {
        // Listening starts before reading, so that nothing is committed unseen in between.
        let mut commits = journal.commits();
        let mut cursor = after;
        loop {
            loop {
                let page = journal.read(session_id, cursor, PAGE).await?;
                let is_last = page.len() < PAGE;
                for event in page {
                    cursor = event.seq;
                    yield event;
                }
                if is_last {
                    break;
                }
            }
            loop {
                match commits.recv().await {
                    Ok(commit) if commit.session_id == session_id && commit.head > cursor => break,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return,
                }
            }
        }
    }
}
