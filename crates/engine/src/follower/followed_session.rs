//! One session as the follower reads it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use memory::{
    agent::{
        Agent,
        conversation_event::{ANSWERED_BY, BY_REFLEX, ConversationEvent, read_event},
        echo::{REPEATS, repeats},
    },
    long_term::{FollowerProgress, NewEntry},
};
use protocol::{
    Action, Body, Event, ItemId, Level, Memory, MemoryId, MemoryWritten, Origin, OwnerId, SessionId, SummaryCreated,
    Timestamp, TurnId, WindowId,
};
use session::{Command, MemoryUpdate};

use super::{NAME, ReadProgress};
use crate::{Error, hub::Directory};

/// Events read at once.
const PAGE: usize = 256;

/// A session that is being read.
pub(super) struct FollowedSession {
    session_id: SessionId,
    owner: OwnerId,
    name: Option<String>,
    /// Events before this time were copied from the session that this one was forked from.
    began_at: Timestamp,
    is_temporary: bool,
    memory: Option<Memory>,
    reading: FollowerProgress,
    position: u64,
    /// Turns that were read from their start, with the window in which each runs.
    begun: BTreeMap<TurnId, Option<WindowId>>,
    /// Turns that have read untrusted text.
    tainted: BTreeSet<TurnId>,
    /// Items from memory that turns had in their context, or stated.
    told: BTreeMap<TurnId, BTreeSet<ItemId>>,
    /// An answer whose turn has not ended yet.
    answer: Option<NewEntry>,
    /// Messages that were read but not written yet.
    said: Vec<NewEntry>,
    said_up_to: u64,
    /// Whether the bookmark still has to record that nothing is left to report.
    is_owing: bool,
}

impl FollowedSession {
    pub(super) async fn open(directory: &Arc<Directory>, agent: &Agent, session_id: SessionId) -> Result<Self, Error> {
        let first = directory.services.store.read(session_id, 0, 1).await?;
        let first = first.first().ok_or(Error::NoSession)?;
        let (ConversationEvent::Began { at, name, is_temporary }, Body::SessionStarted(started)) =
            (read_event(first), &first.body)
        else {
            return Err(Error::NoSession);
        };
        let reading = agent.long_term().reading(NAME, session_id).await?;
        let position = reading.seq();
        Ok(Self {
            session_id,
            owner: started.owner.clone(),
            name,
            began_at: at,
            is_temporary,
            memory: None,
            reading,
            position,
            begun: BTreeMap::new(),
            tainted: BTreeSet::new(),
            told: BTreeMap::new(),
            answer: None,
            said: Vec::new(),
            said_up_to: position,
            is_owing: false,
        })
    }

    /// The sequence number up to which the session was read.
    pub(super) const fn position(&self) -> u64 {
        self.position
    }

    /// Reads the given events, or the journal to its end.
    pub(super) async fn read(
        &mut self,
        directory: &Arc<Directory>,
        agent: &Agent,
        events: Option<Vec<Arc<Event>>>,
    ) -> Result<ReadProgress, Error> {
        if !self.is_temporary {
            self.catch_up(directory, agent).await?;
        }
        let is_next = |events: &Vec<Arc<Event>>| events.first().is_none_or(|first| first.seq <= self.position + 1);
        if let Some(events) = events.filter(is_next) {
            return self.take_all(directory, agent, events.iter().map(AsRef::as_ref)).await;
        }
        loop {
            let page = directory.services.store.read(self.session_id, self.position, PAGE).await;
            let page = match page {
                Err(journal::Error::NotFound) => return Ok(ReadProgress::Done),
                page => page?,
            };
            let is_last = page.len() < PAGE;
            let progress = self.take_all(directory, agent, page.iter()).await?;
            if is_last {
                return Ok(progress);
            }
        }
    }

    /// Processes events, and writes the result together with the new position.
    async fn take_all(
        &mut self,
        directory: &Arc<Directory>,
        agent: &Agent,
        events: impl Iterator<Item = &Event>,
    ) -> Result<ReadProgress, Error> {
        let mut is_quiet = false;
        for event in events.filter(|event| event.seq > self.position).collect::<Vec<_>>() {
            if !self.is_temporary {
                is_quiet = self.take(directory, agent, event).await?;
            }
            self.position = event.seq;
        }
        // Events that need no further attention are not read again after a restart.
        if is_quiet && self.answer.is_none() {
            self.said_up_to = self.position;
        }
        self.write(directory, agent).await
    }

    /// Does what a crash has prevented: a due summary, unreported memories.
    async fn catch_up(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<(), Error> {
        let space = agent.long_term();
        if self.memory.is_none() && self.reading.seq() > 0 {
            self.memory = space.read(&self.owner, |records| records.memory_of(self.session_id).cloned()).await?;
            if let Some(memory) = &self.memory
                && agent.is_overdue(&self.owner, memory.memory_id).await?
            {
                let again = self.reading.up_to(self.reading.seq());
                agent.flush(&self.owner, memory.memory_id, Some(again)).await?;
                self.look_up_bookmark(agent).await?;
            } else if self.reading.is_due() {
                // The text to summarize was forgotten meanwhile.
                space.read_on(&self.owner, self.reading.up_to(self.reading.seq()).due(false)).await?;
                self.reading = space.reading(NAME, self.session_id).await?;
            }
        }
        self.tell(directory, agent).await
    }

    /// Processes an event. Returns whether nothing is left to do about it.
    async fn take(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<bool, Error> {
        let is_copied = event.at < self.began_at;
        self.note_told(event);
        if event.is_untrusted() {
            self.tainted.extend(event.turn_id);
        }
        if let (Body::MessageAccepted(accepted), Some(turn_id)) = (&event.body, event.turn_id) {
            let window = accepted.request.window.as_ref().map(|window| window.window_id.clone());
            self.begun.insert(turn_id, window);
        }
        match read_event(event) {
            _ if is_copied => Ok(true),
            ConversationEvent::Said(mut entry) if matches!(event.body, Body::Final(_)) => {
                if matches!(&event.body, Body::Final(response) if response.model == BY_REFLEX) {
                    self.note_reflex(&mut entry, event.turn_id);
                }
                self.answer = Some(*entry);
                Ok(false)
            }
            ConversationEvent::Said(mut entry) => {
                if matches!(event.body, Body::MessageSteered(_)) {
                    entry.source.window_id = self.window_of(directory, event.turn_id).await?;
                }
                self.say(*entry, event.seq);
                Ok(true)
            }
            ConversationEvent::Tainted => {
                self.tainted.extend(event.turn_id);
                Ok(false)
            }
            ConversationEvent::Over => {
                self.sum_up(directory, agent, event).await?;
                Ok(true)
            }
            ConversationEvent::Began { .. } => Ok(true),
            ConversationEvent::Nothing => self.take_rest(directory, agent, event).await,
        }
    }

    /// The end of a turn completes its answer; events that the follower itself has caused need no
    /// attention.
    async fn take_rest(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<bool, Error> {
        match &event.body {
            Body::TurnStatus(change) if change.status.status().is_final() => {
                let (is_tainted, window_id) = self.end_turn(directory, event.turn_id).await?;
                let told = event.turn_id.and_then(|turn| self.told.remove(&turn)).unwrap_or_default();
                if let Some(mut answer) = self.answer.take() {
                    if repeats(&answer.raw_entry, &self.words_told(agent, told).await?) {
                        answer.tags.insert(REPEATS.to_owned(), "true".to_owned());
                    }
                    if is_tainted {
                        answer.origin = Origin::Untrusted;
                    }
                    answer.source.window_id = window_id;
                    self.say(answer, event.seq);
                }
                Ok(true)
            }
            Body::MemoryWritten(_) | Body::SummaryCreated(_) | Body::SessionUpdated(_) => Ok(true),
            body if may_close_windows(body) => {
                // What was said before must be stored to be marked.
                self.write(directory, agent).await?;
                self.mark_closed_windows(directory, agent).await?;
                Ok(self.answer.is_none())
            }
            _ => Ok(false),
        }
    }

    /// Marks the answer of a reflex, and the message of its turn unless that is written already.
    fn note_reflex(&mut self, answer: &mut NewEntry, turn_id: Option<TurnId>) {
        let said = self.said.iter_mut().filter(|entry| entry.source.turn_id == turn_id);
        for entry in said.chain([answer]) {
            entry.tags.insert(ANSWERED_BY.to_owned(), BY_REFLEX.to_owned());
        }
    }

    fn note_told(&mut self, event: &Event) {
        let Some(turn_id) = event.turn_id else { return };
        match &event.body {
            Body::MemoryUsed(used) => {
                let ids = used.items.iter().filter_map(|item| item.id);
                self.told.entry(turn_id).or_default().extend(ids);
            }
            Body::MemoryWritten(written) => self.told.entry(turn_id).or_default().extend(written.id),
            _ => {}
        }
    }

    /// The texts of memory items that a turn had in its context.
    async fn words_told(&self, agent: &Agent, ids: BTreeSet<ItemId>) -> Result<Vec<String>, Error> {
        let words = agent.long_term().read(&self.owner, |records| {
            let items = ids.iter().filter_map(|id| records.item(*id));
            items.flat_map(|item| [Some(item.text), item.key, item.value]).flatten().collect()
        });
        Ok(words.await?)
    }

    /// Whether a turn that has ended had read untrusted text, and the window in which it ran.
    async fn end_turn(
        &mut self,
        directory: &Arc<Directory>,
        turn: Option<TurnId>,
    ) -> Result<(bool, Option<WindowId>), Error> {
        // An answer without a message is not recorded.
        let Some(turn) = turn else { return Ok((true, None)) };
        let is_tainted = self.tainted.remove(&turn);
        if let Some(window_id) = self.begun.remove(&turn) {
            return Ok((is_tainted, window_id));
        }
        if self.answer.is_none() {
            return Ok((is_tainted, None));
        }
        // Its start is before the bookmark, which later messages have moved.
        let events = directory.services.store.turn(turn).await?;
        events.iter().for_each(|event| self.note_told(event));
        let is_asked = events.iter().any(|event| matches!(event.body, Body::MessageAccepted(_)));
        Ok((is_tainted || !is_asked || events.iter().any(Event::is_untrusted), window_in(&events)))
    }

    /// The window in which a turn runs.
    async fn window_of(&self, directory: &Arc<Directory>, turn: Option<TurnId>) -> Result<Option<WindowId>, Error> {
        let Some(turn) = turn else { return Ok(None) };
        match self.begun.get(&turn) {
            Some(window_id) => Ok(window_id.clone()),
            None => Ok(window_in(&directory.services.store.turn(turn).await?)),
        }
    }

    /// Marks what was said in windows that are closed by now. Repeating it changes nothing.
    async fn mark_closed_windows(&self, directory: &Arc<Directory>, agent: &Agent) -> Result<(), Error> {
        match directory.open_windows(&self.owner, self.session_id).await {
            Ok(open) => {
                agent.long_term().mark_closed_windows(&self.owner, self.session_id, open).await?;
                Ok(())
            }
            Err(Error::NoSession) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Adds a message, which is written together with the others.
    fn say(&mut self, entry: NewEntry, seq: u64) {
        self.said_up_to = seq;
        match entry.check() {
            Ok(()) => self.said.push(entry),
            // The text is empty or too large for one entry; it stays in the journal.
            Err(why) => tracing::info!(session = %self.session_id, seq, %why, "a message cannot become an entry"),
        }
    }

    /// Writes the messages and the new position in one transaction; then reports the result to the
    /// session.
    async fn write(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<ReadProgress, Error> {
        let said = std::mem::take(&mut self.said);
        let reading = self.reading.up_to(self.said_up_to.max(self.reading.seq()));
        if !said.is_empty() {
            let memory_id = self.memory(agent).await?.memory_id;
            // A turn may end after its window was closed.
            let is_in_window = said.iter().any(|entry| entry.source.window_id.is_some());
            self.reading = self.store(agent, memory_id, said, reading).await?;
            self.is_owing = false;
            if is_in_window {
                self.mark_closed_windows(directory, agent).await?;
            }
        } else if self.is_owing || reading.seq() > self.reading.seq() {
            agent.long_term().read_on(&self.owner, reading.clone()).await?;
            self.reading = reading.stored();
            self.is_owing = false;
        }
        self.tell(directory, agent).await?;
        Ok(if self.is_owing { ReadProgress::Owing } else { ReadProgress::Done })
    }

    async fn store(
        &self,
        agent: &Agent,
        memory_id: MemoryId,
        mut said: Vec<NewEntry>,
        reading: FollowerProgress,
    ) -> Result<FollowerProgress, Error> {
        match agent.follow(&self.owner, memory_id, said.clone(), reading.clone()).await {
            // There is not enough space for all of it, but perhaps for some.
            Err(memory::long_term::Error::Full { .. }) if said.len() > 1 => {
                let last = said.pop();
                let mut before = self.reading.up_to(self.reading.seq());
                for entry in said {
                    before = Box::pin(self.store(agent, memory_id, vec![entry], before)).await?;
                }
                let rest = before.up_to(reading.seq());
                Box::pin(self.store(agent, memory_id, last.into_iter().collect(), rest)).await
            }
            // Messages that arrive while memory is full are not remembered, so that the other
            // sessions do not wait.
            Err(error @ memory::long_term::Error::Full { .. }) => {
                tracing::info!(session = %self.session_id, %error, "a message is not remembered");
                agent.long_term().read_on(&self.owner, reading.clone()).await?;
                Ok(reading.stored())
            }
            stored => Ok(stored?),
        }
    }

    async fn sum_up(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<(), Error> {
        self.write(directory, agent).await?;
        let memory_id = self.memory(agent).await?.memory_id;
        let is_reset = matches!(event.body, Body::SessionReset(_));
        // A reset is two idempotent writes: it counts as read after both.
        let seq = if is_reset { self.reading.seq() } else { event.seq };
        agent.flush(&self.owner, memory_id, Some(self.reading.up_to(seq))).await?;
        self.look_up_bookmark(agent).await?;
        if is_reset {
            agent.start_over(&self.owner, memory_id).await?;
            agent.long_term().read_on(&self.owner, self.reading.up_to(event.seq)).await?;
            self.look_up_bookmark(agent).await?;
        }
        self.tell(directory, agent).await
    }

    async fn memory(&mut self, agent: &Agent) -> Result<&Memory, Error> {
        if self.memory.is_none() {
            let memory =
                agent.long_term().memory_of_session(&self.owner, self.session_id, self.name.as_deref()).await?;
            self.memory = Some(memory);
        }
        self.memory.as_ref().ok_or(Error::NoSession)
    }

    /// Reads the current bookmark.
    async fn look_up_bookmark(&mut self, agent: &Agent) -> Result<(), Error> {
        self.reading = agent.long_term().reading(NAME, self.session_id).await?;
        Ok(())
    }

    /// Reports the written memories to the session. The session ignores repeated reports.
    async fn tell(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<(), Error> {
        if self.reading.untold_items().is_empty() {
            return Ok(());
        }
        let ids = self.reading.untold_items().to_vec();
        let session_id = self.session_id;
        let news: Vec<MemoryUpdate> = agent
            .long_term()
            .read(&self.owner, |records| ids.iter().filter_map(|id| news(records, *id)).collect())
            .await?;
        match directory.command(&self.owner, session_id, Command::Remember(news)).await {
            Ok(_) | Err(Error::NoSession) => {}
            Err(error) => return Err(error),
        }
        // The report is recorded with the next write: repeating it would change nothing.
        self.reading = self.reading.told();
        self.is_owing = true;
        Ok(())
    }
}

/// The report about an item.
pub(crate) fn news(records: &memory::long_term::OwnerRecords, id: ItemId) -> Option<MemoryUpdate> {
    match records.record(id)? {
        // A superseded fact is reported by the fact that replaced it.
        journal::Record::Fact(fact) if fact.superseded_by.is_some() => None,
        journal::Record::Fact(fact) => Some(MemoryUpdate::Written(MemoryWritten {
            level: fact.level,
            key: fact.key.clone(),
            value: fact.is_current().then(|| fact.value.clone()),
            origin: fact.origin,
            id: Some(fact.fact_id),
            source: fact.source.turn_id,
        })),
        journal::Record::Context(context) => Some(MemoryUpdate::Summary(SummaryCreated {
            id: context.context_id,
            level: Level::Context,
            memory_id: context.memory_id,
            version: context.version,
            value: context.content.clone(),
            written_by: context.written_by.clone(),
            origin: context.origin,
        })),
        journal::Record::Entry(_) => None,
    }
}

/// Whether an event may close windows.
fn may_close_windows(body: &Body) -> bool {
    match body {
        Body::Actions(done) => {
            done.actions.iter().any(|action| matches!(action, Action::Close { .. } | Action::RemoveMonitor { .. }))
        }
        Body::SessionRestored(_) => true,
        _ => false,
    }
}

/// The window of a turn, given its events.
fn window_in(events: &[Event]) -> Option<WindowId> {
    events.iter().find_map(|event| match &event.body {
        Body::MessageAccepted(accepted) => Some(accepted.request.window.as_ref()?.window_id.clone()),
        _ => None,
    })
}
