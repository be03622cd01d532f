//! Stores many messages of a conversation at once, and summarizes them once.

use protocol::{MemoryId, OwnerId};

use super::Agent;
use crate::long_term::{Error, NewEntry};

/// Messages in one write.
const BATCH: usize = 100;

/// What an import of messages has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestedMessages {
    /// Messages that were not known.
    pub new: usize,
    /// Whether the conversation was summarized.
    pub is_summarized: bool,
}

impl Agent {
    /// Stores messages of a conversation. However many there are, they are summarized once, after
    /// the last: summaries in between would only be replaced by it.
    pub async fn ingest(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        mut messages: Vec<NewEntry>,
    ) -> Result<IngestedMessages, Error> {
        // A model that summarizes each of thousands of messages would take hours.
        if messages.len() <= self.invoker.cadence.messages {
            for message in messages.iter_mut().filter(|message| message.summary.is_none()) {
                message.summary = self.summarizer.summary(&message.raw_entry, self.long_term.now()).await;
            }
        }
        let mut new = 0;
        while !messages.is_empty() {
            let rest = messages.split_off(BATCH.min(messages.len()));
            new += self.long_term.add_entries(owner, memory_id, messages, None).await?.count;
            messages = rest;
        }
        // Also for the messages of an earlier import that was cut off before this.
        let is_summarized = self.is_overdue(owner, memory_id).await?;
        if is_summarized {
            self.put(owner, memory_id, None).await?;
        }
        Ok(IngestedMessages { new, is_summarized })
    }
}
