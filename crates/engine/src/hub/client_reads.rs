//! What clients have read through direct calls, and how that taints their later calls.
//!
//! It is recorded in the session of direct calls before a client receives the text, so neither
//! reconnecting nor a restart undoes it.

use std::time::Duration;

use protocol::{ClientRead, Origin, OwnerId, SessionName, SessionRef, Timestamp};
use session::{Command, EVERY_CLIENT};

use super::Hub;
use crate::Error;

/// The session of direct calls that name no session.
pub(super) const DIRECT: &str = "mcp";
/// Characters of a client's name that count.
const NAME_CHARS_MAX: usize = 64;
/// The name of a client that gives none.
const UNNAMED: &str = "unnamed";
/// After this time another read of a client is recorded again.
const AGAIN_AFTER: Duration = Duration::from_secs(10 * 60);

impl Hub {
    /// The origin of a client's calls: untrusted for a while after it has read untrusted text.
    pub async fn client_origin(&self, owner: &OwnerId, client: &str) -> Result<Origin, Error> {
        let last = self.last_read(owner, client).await?;
        let lasts = self.services().options.client_taint;
        let is_over = |at: Timestamp| lasts.is_some_and(|lasts| self.now().since(at) >= lasts);
        Ok(Origin::untrusted_if(last.is_some_and(|at| !is_over(at))))
    }

    /// A client is about to receive untrusted text.
    pub async fn client_reads(&self, owner: &OwnerId, client: &str, what: &str) -> Result<(), Error> {
        let lasts = self.services().options.client_taint.unwrap_or(Duration::MAX);
        let again_after = AGAIN_AFTER.min(lasts / 2);
        if self.last_read(owner, client).await?.is_some_and(|at| self.now().since(at) < again_after) {
            return Ok(());
        }
        let id = self.find(owner, &direct(), true).await?;
        let read = ClientRead { client: named(client), what: self.redact(what.chars().take(200).collect()) };
        self.command(owner, id, Command::ClientRead(read)).await.map(drop)
    }

    async fn last_read(&self, owner: &OwnerId, client: &str) -> Result<Option<Timestamp>, Error> {
        let view = match self.session(owner, &direct()).await {
            Err(Error::NoSession) => return Ok(None),
            view => view?,
        };
        let at = |name: &str| view.read_by.get(name).copied();
        Ok(at(&named(client)).max(at(EVERY_CLIENT)))
    }
}

fn direct() -> SessionRef {
    SessionRef { session_id: None, conversation_id: SessionName::try_from(DIRECT.to_owned()).ok() }
}

/// The normalized name of a client: limited in length, without line breaks.
pub fn named(client: &str) -> String {
    let name: String = client.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    if name.is_empty() || name == EVERY_CLIENT { UNNAMED.to_owned() } else { name }
}
