//! The memory agent's control states for clients that run conversations of their own.

use memory::{
    agent::control::Control,
    long_term::{AddedEntry, NewEntry},
};
use protocol::{ControlMessage, ControlRequest, ControlResult, ItemSource, MemoryId, Origin, OwnerId, VaultId};

use super::super::Hub;
use crate::Error;

impl Hub {
    /// Runs the memory agent once, in a control state. The message has at most the given trust.
    pub async fn control_memory(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        asked: ControlRequest,
        trust: Origin,
    ) -> Result<ControlResult, Error> {
        let memory = self.memory(owner, vault_id, memory_id).await?;
        let keyed = self.keyed(asked.idempotency_key.as_deref(), &("control", memory_id, &asked))?;
        if memory.session_id.is_some() && asked.control != Some(Control::StartSession) {
            let why = "this memory follows a session, whose messages the server processes itself; only \
                       `start_session` is for clients";
            return Err(Error::Invalid(why.to_owned()));
        }
        let agent = self.follower().agent();
        let takes_message = !matches!(asked.control, Some(Control::StartSession | Control::EndSession));
        let new = match (asked.message, takes_message) {
            (Some(message), true) => Some(self.new_message(message, trust)),
            (None, false) => None,
            (None, true) => return Err(Error::Invalid("give the `message` to process".to_owned())),
            (Some(_), false) => {
                return Err(Error::Invalid("`start_session` and `end_session` take no `message`".to_owned()));
            }
        };
        let (control, invoked) = match (asked.control, new) {
            (Some(Control::EndSession), None) => (Control::EndSession, agent.flush(owner, memory_id, None).await?),
            (Some(control), new) => {
                let message = new.map(|new| (new, keyed));
                (control, agent.invoke(owner, memory_id, control, message, None).await?)
            }
            (None, Some(new)) => {
                let control = agent.control(owner, memory_id, &new).await?;
                (control, agent.invoke(owner, memory_id, control, Some((new, keyed)), None).await?)
            }
            (None, None) => return Err(Error::Invalid("give the `message` to process".to_owned())),
        };
        let (entry, facts) = invoked.added.map(|AddedEntry { entry, facts, .. }| (entry, facts)).unzip();
        Ok(ControlResult {
            control,
            tools: invoked.tools,
            entry,
            facts: facts.unwrap_or_default(),
            context: invoked.context,
            recent: invoked.recent,
        })
    }

    fn new_message(&self, message: ControlMessage, trust: Origin) -> NewEntry {
        let ControlMessage { role, content, speaker, at, origin } = message;
        NewEntry {
            speaker,
            conversation_time: at.map(|at| at.min(self.now())),
            source: ItemSource { imported_from: Some("client".to_owned()), ..ItemSource::default() },
            origin: origin.unwrap_or_default().and(trust),
            ..NewEntry::said(&role, self.redact(content))
        }
    }
}
