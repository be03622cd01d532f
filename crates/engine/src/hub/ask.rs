//! Ask: one question, one answer, in a session that is removed afterwards.

use std::time::Duration;

use protocol::{ChatSend, OwnerId, SessionStart, TurnView};

use session::Command;

use super::Hub;
use crate::Error;

impl Hub {
    /// Asks in a session of its own. After `patience` the turn is returned as it is; it continues,
    /// and its session is removed once it has ended and was not requested for a while.
    pub async fn ask_once(&self, owner: &OwnerId, send: ChatSend, patience: Duration) -> Result<TurnView, Error> {
        let asked = SessionStart { temporary: true, ..SessionStart::default() };
        let session_id = self.start(owner, asked).await?.session_id;
        let turn = match self.send(owner, &session_id.into(), send).await {
            Ok(accepted) => self.wait(owner, accepted.turn_id, patience).await,
            Err(error) => Err(error),
        };
        if turn.as_ref().map_or(true, |turn| turn.status.is_final()) {
            // Ending the session removes it. If that fails, recovery removes it later.
            let _ = self.command(owner, session_id, Command::End { reason: None, version: None }).await;
        }
        turn
    }
}
