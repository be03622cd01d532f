//! The memory agent: it reads conversations and keeps the long-term store up to date.
//!
//! [`control`] says what may be done in which order, [`words`] who puts it into words, [`reader`] what a session's events
//! have to say to it. Everything the agent needs to know between two messages is in the store: what was said since the
//! last context document is due for the next one. So a crash at any point loses nothing and doubles nothing.

pub mod control;
pub mod echo;
pub mod reader;
pub mod words;

use std::{sync::Arc, time::Duration};

use control::{Control, Invoker, Tool, next};
use model::count;
use protocol::{Context, Entry, Fact, ItemId, MemoryId, Origin, OwnerId};
use words::{Material, Words};

use crate::room::{Added, Error, Keyed, NewContext, NewEntry, Reading, Room, Shelf};

/// A flush waits until what was written is stored, and no longer: what it means need not be looked at for that.
const PATIENCE: Duration = Duration::ZERO;
/// Bytes of a message that are counted: more than that makes a summary due in any case.
const COUNTED_BYTES_MAX: usize = 64 * 1024;
/// Who writes the document that says that a conversation started over.
pub const STARTED_OVER: &str = "reset";
/// Entries that a conversation which goes on is told.
const RECENT: usize = 10;

/// What an invocation came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Invoked {
    /// What was called, in order.
    pub tools: Vec<Tool>,
    /// The entry that was written, and the facts with it.
    pub added: Option<Added>,
    /// The context document: that of before at the start, the new one after a flush.
    pub context: Option<Context>,
    /// The newest entries, at the start.
    pub recent: Vec<Entry>,
}

/// The memory agent. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    room: Room,
    words: Arc<dyn Words>,
    invoker: Invoker,
}

impl Agent {
    /// An agent that works in this room.
    pub fn new(room: Room, words: Arc<dyn Words>, invoker: Invoker) -> Self {
        Self { room, words, invoker }
    }

    /// The room it works in.
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// Stores a message of a conversation, and sums the conversation up when that is due.
    pub async fn process(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        message: NewEntry,
        keyed: Keyed,
        reading: Option<Reading>,
    ) -> Result<Invoked, Error> {
        let tokens = tokens_of(&message.raw_entry);
        let (before, tokens_before) = self.due(owner, memory_id).await?;
        let control = self.invoker.control(before, tokens_before + tokens);
        self.invoke(owner, memory_id, control, Some((message, keyed)), reading).await
    }

    /// Stores messages that a follower has read, in one write with how far it has read, and sums the conversation up when that
    /// is due. Gives where the follower is then.
    pub async fn follow(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        mut messages: Vec<NewEntry>,
        reading: Reading,
    ) -> Result<Reading, Error> {
        let (before, tokens_before) = self.due(owner, memory_id).await?;
        let tokens: u64 = messages.iter().map(|message| tokens_of(&message.raw_entry)).sum();
        let earlier = (before + messages.len()).saturating_sub(1);
        let is_due = self.invoker.control(earlier, tokens_before + tokens) == Control::ProcessMessageAndFlush;
        for message in messages.iter_mut().filter(|message| message.summary.is_none()) {
            message.summary = self.words.summary(&message.raw_entry, self.room.now()).await;
        }
        // A follower that is cut off before the flush finds it due, also if nothing more is said.
        let reading = reading.due(is_due);
        let added = self.room.add_entries(owner, memory_id, messages, Some(reading.clone())).await?;
        let reading = reading.again(added.facts);
        if !is_due || !self.is_overdue(owner, memory_id).await? {
            return Ok(reading);
        }
        let context = self.put(owner, memory_id, Some(reading.clone())).await?;
        Ok(reading.again(vec![context.context_id]).due(false))
    }

    /// Sums the conversation up if something was said since the last time. Nothing else happens.
    pub async fn flush(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        reading: Option<Reading>,
    ) -> Result<Invoked, Error> {
        if self.due(owner, memory_id).await?.0 == 0 {
            if let Some(reading) = reading {
                self.room.read_on(owner, reading.due(false)).await?;
            }
            return Ok(Invoked::default());
        }
        self.invoke(owner, memory_id, Control::EndSession, None, reading).await
    }

    /// Whether a summary is due that a crash kept from being written.
    pub async fn is_overdue(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<bool, Error> {
        let (messages, tokens) = self.due(owner, memory_id).await?;
        Ok(messages >= self.invoker.cadence.messages || tokens >= self.invoker.cadence.tokens)
    }

    /// Messages and tokens since the last context document.
    async fn due(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<(usize, u64), Error> {
        self.room
            .read(owner, |shelf| {
                let new = shelf.unflushed(memory_id);
                (new.len(), new.iter().map(|entry| tokens_of(&entry.raw_entry)).sum())
            })
            .await
    }

    /// Does what the control state says, tool by tool.
    pub async fn invoke(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        control: Control,
        message: Option<(NewEntry, Keyed)>,
        reading: Option<Reading>,
    ) -> Result<Invoked, Error> {
        let (mut invoked, mut message, mut reading) = (Invoked::default(), message, reading);
        while let Some(tool) = next(control, invoked.tools.last().copied()) {
            match tool {
                Tool::GetContext => match self.room.context(owner, memory_id, None).await {
                    Ok(context) => invoked.context = Some(context),
                    Err(Error::NoContext) => {}
                    Err(error) => return Err(error),
                },
                Tool::ListEntries => {
                    invoked.recent = self.room.entries(owner, memory_id, None, RECENT, false).await?;
                }
                Tool::AddEntry => {
                    let Some((new, keyed)) = message.take() else {
                        return Err(Error::Invalid("there is no message to store".to_owned()));
                    };
                    // Whoever is cut off before the flush finds it due, also if nothing more is said.
                    let is_due = control == Control::ProcessMessageAndFlush;
                    let read = reading.clone().map(|it| it.due(is_due));
                    let added = self.add(owner, memory_id, new, keyed, read).await?;
                    // What is written next is at the same place, and has the facts still to tell.
                    reading = reading.map(|it| it.again(added.facts.iter().map(|fact| fact.fact_id).collect()));
                    invoked.added = Some(added);
                    // What was there already makes nothing due.
                    if control == Control::ProcessMessageAndFlush && !self.is_overdue(owner, memory_id).await? {
                        invoked.tools.push(tool);
                        break;
                    }
                }
                Tool::AwaitConsistency => {
                    let state = self.room.await_consistency(owner, Some(memory_id), PATIENCE).await?;
                    if !state.durable {
                        return Err(Error::Unstored);
                    }
                }
                Tool::PutContext => {
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
        keyed: Keyed,
        reading: Option<Reading>,
    ) -> Result<Added, Error> {
        if new.summary.is_none() {
            new.summary = self.words.summary(&new.raw_entry, self.room.now()).await;
        }
        self.room.add_entry(owner, memory_id, new, keyed, reading).await
    }

    async fn put(&self, owner: &OwnerId, memory_id: MemoryId, reading: Option<Reading>) -> Result<Context, Error> {
        let (previous, entries, facts) = self
            .room
            .read(owner, |shelf| {
                let previous = shelf.newest_context(memory_id).cloned();
                let entries: Vec<Entry> = shelf.unflushed(memory_id).into_iter().cloned().collect();
                (previous, entries, facts_of(shelf, memory_id))
            })
            .await?;
        let is_tainted = entries.iter().any(|entry| entry.origin == Origin::Untrusted)
            || previous.as_ref().is_some_and(|context| context.origin == Origin::Untrusted);
        let (entry_refs, fact_refs): (Vec<&Entry>, Vec<&Fact>) = (entries.iter().collect(), facts.iter().collect());
        let worded = self
            .words
            .context(Material {
                previous: previous.as_ref().map(|context| context.content.as_str()),
                entries: &entry_refs,
                facts: &fact_refs,
                now: self.room.now(),
            })
            .await;
        let new = NewContext {
            content: worded.text,
            written_by: worded.by,
            conversation_time: None,
            origin: if is_tainted { Origin::Untrusted } else { Origin::Trusted },
        };
        self.room.put_context(owner, memory_id, new, Keyed::none(), reading).await
    }
}

impl Agent {
    /// The conversation starts over: what it comes to from now on owes nothing to what was said before.
    pub async fn start_over(&self, owner: &OwnerId, memory_id: MemoryId) -> Result<(), Error> {
        let is_blank = self.room.read(owner, |shelf| {
            shelf.newest_context(memory_id).is_none_or(|context| context.written_by == STARTED_OVER)
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
        self.room.put_context(owner, memory_id, new, Keyed::none(), None).await.map(drop)
    }
}

/// Tokens of a message, as far as it matters when the next summary is due.
fn tokens_of(message: &str) -> u64 {
    count(&message[..message.floor_char_boundary(COUNTED_BYTES_MAX)])
}

/// What was stated in a memory since it started over, also what no longer holds, oldest first.
fn facts_of(shelf: &Shelf, memory_id: MemoryId) -> Vec<Fact> {
    let is_here = |id: ItemId| shelf.is_in(id, Some(memory_id));
    let over = shelf.contexts(memory_id).filter(|context| context.written_by == STARTED_OVER);
    let over = over.map(|context| context.conversation_time).max();
    let is_since = |fact: &Fact| over.is_none_or(|over| fact.valid_from > over);
    let stated = shelf.facts().filter(|fact| fact.source.item_id.is_some_and(is_here) && is_since(fact));
    let mut facts: Vec<Fact> = stated.cloned().collect();
    facts.sort_by_key(|fact| (fact.valid_from, fact.fact_id));
    facts
}
