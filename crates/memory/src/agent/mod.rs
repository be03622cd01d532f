//! The memory agent: it reads conversations and keeps the long-term store up to date.
//!
//! [`control`] defines what may be done in which order, [`summarizer`] writes summaries,
//! [`conversation_event`] reads a session's events. All state between two messages is in the store:
//! entries since the last context document are due for the next one. So a crash at any point
//! neither loses nor duplicates anything.

pub mod control;
pub mod conversation_event;
pub mod echo;
mod ingest;
pub mod summarizer;

use std::{sync::Arc, time::Duration};

pub use ingest::IngestedMessages;

use control::{AgentTool, Control, Invoker, next};
use model::count;
use protocol::{ContextDocument, Entry, Fact, ItemId, MemoryId, Origin, OwnerId};
use summarizer::{Summarizer, SummaryInput};

use crate::long_term::{
    AddedEntry, Error, FollowerProgress, IdempotencyKey, LongTermMemory, NewContext, NewEntry, OwnerRecords,
};

/// A flush waits until earlier writes are stored, but not until they are embedded.
const PATIENCE: Duration = Duration::ZERO;
/// Bytes of a message whose tokens are counted; a longer message makes a summary due in any case.
const COUNTED_BYTES_MAX: usize = 64 * 1024;
/// The author of a context document that marks the restart of a conversation.
pub const STARTED_OVER: &str = "reset";
/// Entries returned when a conversation continues.
const RECENT: usize = 10;

/// The result of an invocation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InvocationResult {
    /// The tools that were called, in order.
    pub tools: Vec<AgentTool>,
    /// The entry that was written, and its facts.
    pub added: Option<AddedEntry>,
    /// The context document: the existing one at the start, the new one after a flush.
    pub context: Option<ContextDocument>,
    /// The newest entries, at the start.
    pub recent: Vec<Entry>,
}

/// The memory agent. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    long_term: LongTermMemory,
    summarizer: Arc<dyn Summarizer>,
    invoker: Invoker,
}

impl Agent {
    /// An agent for this long-term memory.
    pub fn new(long_term: LongTermMemory, summarizer: Arc<dyn Summarizer>, invoker: Invoker) -> Self {
        Self { long_term, summarizer, invoker }
    }

    /// Its long-term memory.
    pub const fn long_term(&self) -> &LongTermMemory {
        &self.long_term
    }

    /// Stores a message of a conversation, and summarizes the conversation when that is due.
    pub async fn process(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        message: NewEntry,
        idempotency_key: IdempotencyKey,
        reading: Option<FollowerProgress>,
    ) -> Result<InvocationResult, Error> {
        let control = self.control(owner, memory_id, &message).await?;
        self.invoke(owner, memory_id, control, Some((message, idempotency_key)), reading).await
    }

    /// The control state for the next message: it flushes where a summary is due.
    pub async fn control(&self, owner: &OwnerId, memory_id: MemoryId, message: &NewEntry) -> Result<Control, Error> {
        let (before, tokens_before) = self.due(owner, memory_id).await?;
        Ok(self.invoker.control(before, tokens_before + tokens_of(&message.raw_entry)))
    }

    /// Stores messages that a follower has read, in one write with its progress, and summarizes the
    /// conversation when that is due. Returns the follower's new progress.
    pub async fn follow(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        mut messages: Vec<NewEntry>,
        reading: FollowerProgress,
    ) -> Result<FollowerProgress, Error> {
        let (before, tokens_before) = self.due(owner, memory_id).await?;
        let summarized = || messages.iter().filter(|message| message.source.window_id.is_none());
        let tokens: u64 = summarized().map(|message| tokens_of(&message.raw_entry)).sum();
        let (count, earlier) = (summarized().count(), (before + summarized().count()).saturating_sub(1));
        let is_due =
            count > 0 && self.invoker.control(earlier, tokens_before + tokens) == Control::ProcessMessageAndFlush;
        for message in messages.iter_mut().filter(|message| message.summary.is_none()) {
            message.summary = self.summarizer.summary(&message.raw_entry, self.long_term.now()).await;
        }
        // A follower that crashes before the flush finds it due, even if no further message comes.
        let reading = reading.due(is_due);
        let added = self.long_term.add_entries(owner, memory_id, messages, Some(reading.clone())).await?;
        let reading = reading.again(added.facts);
        if !is_due || !self.is_overdue(owner, memory_id).await? {
            return Ok(reading);
        }
        let context = self.put(owner, memory_id, Some(reading.clone())).await?;
        Ok(reading.again(vec![context.context_id]).due(false))
    }

    /// Summarizes the conversation if it has entries since the last context document.
    pub async fn flush(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        reading: Option<FollowerProgress>,
    ) -> Result<InvocationResult, Error> {
        if self.due(owner, memory_id).await?.0 == 0 {
            if let Some(reading) = reading {
                self.long_term.read_on(owner, reading.due(false)).await?;
            }
            return Ok(InvocationResult::default());
        }
        self.invoke(owner, memory_id, Control::EndSession, None, reading).await
    }

    /// Whether a summary is due that was not written because of a crash.
    pub async fn is_overdue(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<bool, Error> {
        let (messages, tokens) = self.due(owner, memory_id).await?;
        Ok(messages >= self.invoker.cadence.messages || tokens >= self.invoker.cadence.tokens)
    }

    /// Messages and tokens since the last context document.
    async fn due(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<(usize, u64), Error> {
        self.long_term
            .read(owner, |owner_records| {
                let new = owner_records.unflushed(memory_id);
                (new.len(), new.iter().map(|entry| tokens_of(&entry.raw_entry)).sum())
            })
            .await
    }

    /// Runs a control state, tool by tool.
    pub async fn invoke(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        control: Control,
        message: Option<(NewEntry, IdempotencyKey)>,
        reading: Option<FollowerProgress>,
    ) -> Result<InvocationResult, Error> {
        let (mut invoked, mut message, mut reading) = (InvocationResult::default(), message, reading);
        while let Some(tool) = next(control, invoked.tools.last().copied()) {
            match tool {
                AgentTool::GetContext => match self.long_term.context(owner, memory_id, None).await {
                    Ok(context) => invoked.context = Some(context),
                    Err(Error::NoContext) => {}
                    Err(error) => return Err(error),
                },
                AgentTool::ListEntries => {
                    invoked.recent = self.long_term.entries(owner, memory_id, None, RECENT, false).await?;
                }
                AgentTool::AddEntry => {
                    let Some((new, idempotency_key)) = message.take() else {
                        return Err(Error::Invalid("there is no message to store".to_owned()));
                    };
                    // After a crash before the flush it is still due, even if no further message
                    // comes.
                    let is_due = control == Control::ProcessMessageAndFlush;
                    let read = reading.clone().map(|it| it.due(is_due));
                    let added = self.add(owner, memory_id, new, idempotency_key, read).await?;
                    // The next write has the same position, with the facts still to report.
                    reading = reading.map(|it| it.again(added.facts.iter().map(|fact| fact.fact_id).collect()));
                    invoked.added = Some(added);
                    // An entry that existed already makes nothing due.
                    if control == Control::ProcessMessageAndFlush && !self.is_overdue(owner, memory_id).await? {
                        invoked.tools.push(tool);
                        break;
                    }
                }
                AgentTool::AwaitConsistency => {
                    let state = self.long_term.await_consistency(owner, Some(memory_id), PATIENCE).await?;
                    if !state.durable {
                        return Err(Error::Unstored);
                    }
                }
                AgentTool::PutContext => {
                    invoked.context = Some(self.put(owner, memory_id, reading.take()).await?);
                }
            }
            invoked.tools.push(tool);
        }
        Ok(invoked)
    }

    async fn add(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        mut new: NewEntry,
        idempotency_key: IdempotencyKey,
        reading: Option<FollowerProgress>,
    ) -> Result<AddedEntry, Error> {
        if new.summary.is_none() {
            new.summary = self.summarizer.summary(&new.raw_entry, self.long_term.now()).await;
        }
        self.long_term.add_entry(owner, memory_id, new, idempotency_key, reading).await
    }

    async fn put(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        reading: Option<FollowerProgress>,
    ) -> Result<ContextDocument, Error> {
        let (previous, entries, facts) = self
            .long_term
            .read(owner, |owner_records| {
                let previous = owner_records.newest_context(memory_id).cloned();
                let entries: Vec<Entry> = owner_records.unflushed(memory_id).into_iter().cloned().collect();
                (previous, entries, facts_of(owner_records, memory_id))
            })
            .await?;
        let is_tainted = entries.iter().any(|entry| entry.origin == Origin::Untrusted)
            || previous.as_ref().is_some_and(|context| context.origin == Origin::Untrusted);
        let (entry_refs, fact_refs): (Vec<&Entry>, Vec<&Fact>) = (entries.iter().collect(), facts.iter().collect());
        let worded = self
            .summarizer
            .context(SummaryInput {
                previous: previous.as_ref().map(|context| context.content.as_str()),
                entries: &entry_refs,
                facts: &fact_refs,
                now: self.long_term.now(),
            })
            .await;
        let new = NewContext {
            content: worded.text,
            written_by: worded.by,
            conversation_time: None,
            origin: if is_tainted { Origin::Untrusted } else { Origin::Trusted },
        };
        self.long_term.put_context(owner, memory_id, new, IdempotencyKey::none(), reading).await
    }
}

impl Agent {
    /// Restarts the conversation: later summaries do not contain what came before.
    pub async fn start_over(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<(), Error> {
        let is_blank = self.long_term.read(owner, |owner_records| {
            owner_records.newest_context(memory_id).is_none_or(|context| context.written_by == STARTED_OVER)
        });
        if is_blank.await? {
            return Ok(());
        }
        let new = NewContext {
            content: "The conversation started over here.".to_owned(),
            written_by: STARTED_OVER.to_owned(),
            conversation_time: None,
            origin: Origin::Trusted,
        };
        self.long_term.put_context(owner, memory_id, new, IdempotencyKey::none(), None).await.map(drop)
    }
}

/// Tokens of a message, counted as far as the cadence of summaries needs.
fn tokens_of(message: &str) -> u64 {
    count(&message[..message.floor_char_boundary(COUNTED_BYTES_MAX)])
}

/// Facts stated in a memory since its last restart, including ended ones, oldest first.
fn facts_of(owner_records: &OwnerRecords, memory_id: MemoryId) -> Vec<Fact> {
    let is_here = |id: ItemId| owner_records.is_in(id, Some(memory_id));
    let over = owner_records.contexts(memory_id).filter(|context| context.written_by == STARTED_OVER);
    let over = over.map(|context| context.conversation_time).max();
    let is_since = |fact: &Fact| over.is_none_or(|over| fact.valid_from > over);
    // What was stated in a window must not outlive it in a summary; it is told beside it.
    let is_in_window = |fact: &Fact| fact.source.window_id.is_some();
    let stated = owner_records.facts().filter(|fact| fact.source.item_id.is_some_and(is_here) && is_since(fact));
    let stated = stated.filter(|fact| !is_in_window(fact));
    let mut facts: Vec<Fact> = stated.cloned().collect();
    facts.sort_by_key(|fact| (fact.valid_from, fact.fact_id));
    facts
}
