//! One session as the follower reads it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use memory::{
    agent::{
        Agent,
        echo::{REPEATS, repeats},
        reader::{Heard, hear},
    },
    room::{NewEntry, Reading},
};
use protocol::{
    Body, Event, ItemId, Level, Memory, MemoryId, MemoryWritten, Origin, OwnerId, SessionId, SummaryCreated, Timestamp,
    TurnId,
};
use session::{Command, Remembered};

use super::{NAME, Progress};
use crate::{Error, hub::Directory};

/// Events read at once.
const PAGE: usize = 256;

/// A session that is being read.
pub(super) struct Conversation {
    session_id: SessionId,
    owner: OwnerId,
    name: Option<String>,
    /// What happened before was said in the session this one was forked from.
    began_at: Timestamp,
    is_temporary: bool,
    memory: Option<Memory>,
    reading: Reading,
    position: u64,
    /// Turns that were read from their beginning.
    begun: BTreeSet<TurnId>,
    /// Turns that have read text which is anybody's.
    tainted: BTreeSet<TurnId>,
    /// What turns were told from memory, or stated.
    told: BTreeMap<TurnId, BTreeSet<ItemId>>,
    /// An answer whose turn has not ended yet.
    answer: Option<NewEntry>,
    /// What was said and is not written yet, and up to where it was read.
    said: Vec<NewEntry>,
    said_up_to: u64,
    /// Whether the bookmark is to say that nothing is left to be told, and does not yet.
    is_owing: bool,
}

impl Conversation {
    pub(super) async fn open(directory: &Arc<Directory>, agent: &Agent, session_id: SessionId) -> Result<Self, Error> {
        let first = directory.house.store.read(session_id, 0, 1).await?;
        let first = first.first().ok_or(Error::NoSession)?;
        let (Heard::Began { at, name, is_temporary }, Body::SessionStarted(started)) = (hear(first), &first.body)
        else {
            return Err(Error::NoSession);
        };
        let reading = agent.room().reading(NAME, session_id).await?;
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
            begun: BTreeSet::new(),
            tainted: BTreeSet::new(),
            told: BTreeMap::new(),
            answer: None,
            said: Vec::new(),
            said_up_to: position,
            is_owing: false,
        })
    }

    /// Up to which number it was read.
    pub(super) const fn position(&self) -> u64 {
        self.position
    }

    /// Reads the events that are at hand, or else to the end of what there is.
    pub(super) async fn read(
        &mut self,
        directory: &Arc<Directory>,
        agent: &Agent,
        events: Option<Vec<Arc<Event>>>,
    ) -> Result<Progress, Error> {
        if !self.is_temporary {
            self.catch_up(directory, agent).await?;
        }
        let is_next = |events: &Vec<Arc<Event>>| events.first().is_none_or(|first| first.seq <= self.position + 1);
        if let Some(events) = events.filter(is_next) {
            return self.take_all(directory, agent, events.iter().map(AsRef::as_ref)).await;
        }
        loop {
            let page = directory.house.store.read(self.session_id, self.position, PAGE).await;
            let page = match page {
                Err(journal::Error::NotFound) => return Ok(Progress::Done),
                page => page?,
            };
            let is_last = page.len() < PAGE;
            let progress = self.take_all(directory, agent, page.iter()).await?;
            if is_last {
                return Ok(progress);
            }
        }
    }

    /// Takes events in, and writes what they come to with how far they were read.
    async fn take_all(
        &mut self,
        directory: &Arc<Directory>,
        agent: &Agent,
        events: impl Iterator<Item = &Event>,
    ) -> Result<Progress, Error> {
        let mut is_quiet = false;
        for event in events.filter(|event| event.seq > self.position).collect::<Vec<_>>() {
            if !self.is_temporary {
                is_quiet = self.take(directory, agent, event).await?;
            }
            self.position = event.seq;
        }
        // What needs no more attention is not read again after a restart.
        if is_quiet && self.answer.is_none() {
            self.said_up_to = self.position;
        }
        self.write(directory, agent).await
    }

    /// Does what a crash kept from being done: a summary that was due, news that were not told.
    async fn catch_up(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<(), Error> {
        let room = agent.room();
        if self.memory.is_none() && self.reading.seq() > 0 {
            self.memory = room.read(&self.owner, |shelf| shelf.memory_of(self.session_id).cloned()).await?;
            if let Some(memory) = &self.memory
                && agent.is_overdue(&self.owner, memory.memory_id).await?
            {
                let again = self.reading.up_to(self.reading.seq());
                agent.flush(&self.owner, memory.memory_id, Some(again)).await?;
                self.look_up_bookmark(agent).await?;
            } else if self.reading.is_due() {
                // What was to be summed up was forgotten meanwhile.
                room.read_on(&self.owner, self.reading.up_to(self.reading.seq()).due(false)).await?;
                self.reading = room.reading(NAME, self.session_id).await?;
            }
        }
        self.tell(directory, agent).await
    }

    /// Takes an event in; whether nothing is left to do about it.
    async fn take(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<bool, Error> {
        let is_copied = event.at < self.began_at;
        self.note_told(event);
        if event.is_untrusted() {
            self.tainted.extend(event.turn_id);
        }
        if matches!(event.body, Body::MessageAccepted(_)) {
            self.begun.extend(event.turn_id);
        }
        match hear(event) {
            _ if is_copied => Ok(true),
            Heard::Said(entry) if matches!(event.body, Body::Final(_)) => {
                self.answer = Some(*entry);
                Ok(false)
            }
            Heard::Said(entry) => {
                self.say(*entry, event.seq);
                Ok(true)
            }
            Heard::Tainted => {
                self.tainted.extend(event.turn_id);
                Ok(false)
            }
            Heard::Over => {
                self.sum_up(directory, agent, event).await?;
                Ok(true)
            }
            Heard::Began { .. } => Ok(true),
            Heard::Nothing => self.take_rest(directory, agent, event).await,
        }
    }

    /// The end of a turn brings its answer; what the follower itself has told needs no attention.
    async fn take_rest(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<bool, Error> {
        match &event.body {
            Body::TurnStatus(change) if change.status.status().is_final() => {
                let is_tainted = self.end_turn(directory, event.turn_id).await?;
                let told = event.turn_id.and_then(|turn| self.told.remove(&turn)).unwrap_or_default();
                if let Some(mut answer) = self.answer.take() {
                    if repeats(&answer.raw_entry, &self.words_told(agent, told).await?) {
                        answer.tags.insert(REPEATS.to_owned(), "true".to_owned());
                    }
                    if is_tainted {
                        answer.origin = Origin::Untrusted;
                    }
                    self.say(answer, event.seq);
                }
                Ok(true)
            }
            Body::MemoryWritten(_) | Body::SummaryCreated(_) | Body::SessionUpdated(_) => Ok(true),
            _ => Ok(false),
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

    /// What a turn was told from memory, in words.
    async fn words_told(&self, agent: &Agent, ids: BTreeSet<ItemId>) -> Result<Vec<String>, Error> {
        let words = agent.room().read(&self.owner, |shelf| {
            let items = ids.iter().filter_map(|id| shelf.item(*id));
            items.flat_map(|item| [Some(item.text), item.key, item.value]).flatten().collect()
        });
        Ok(words.await?)
    }

    /// Whether a turn that has ended had read text which is anybody's.
    async fn end_turn(&mut self, directory: &Arc<Directory>, turn: Option<TurnId>) -> Result<bool, Error> {
        // An answer to no message is none of ours.
        let Some(turn) = turn else { return Ok(true) };
        let is_tainted = self.tainted.remove(&turn);
        if self.begun.remove(&turn) || is_tainted || self.answer.is_none() {
            return Ok(is_tainted);
        }
        // Its beginning lies before the bookmark: what was said meanwhile has moved it.
        let events = directory.house.store.turn(turn).await?;
        events.iter().for_each(|event| self.note_told(event));
        let is_asked = events.iter().any(|event| matches!(event.body, Body::MessageAccepted(_)));
        Ok(!is_asked || events.iter().any(Event::is_untrusted))
    }

    /// Notes what was said; it is written with what else was.
    fn say(&mut self, entry: NewEntry, seq: u64) {
        self.said_up_to = seq;
        match entry.check() {
            Ok(()) => self.said.push(entry),
            // Its words are empty or too many for one entry; they stay in the journal.
            Err(why) => tracing::info!(session = %self.session_id, seq, %why, "a message is no entry"),
        }
    }

    /// Writes what was said, and how far that was read, at once; then tells the session what came of it.
    async fn write(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<Progress, Error> {
        let said = std::mem::take(&mut self.said);
        let reading = self.reading.up_to(self.said_up_to.max(self.reading.seq()));
        if !said.is_empty() {
            let memory_id = self.memory(agent).await?.memory_id;
            self.reading = self.store(agent, memory_id, said, reading).await?;
            self.is_owing = false;
        } else if self.is_owing || reading.seq() > self.reading.seq() {
            agent.room().read_on(&self.owner, reading.clone()).await?;
            self.reading = reading.stored();
            self.is_owing = false;
        }
        self.tell(directory, agent).await?;
        Ok(if self.is_owing { Progress::Owing } else { Progress::Done })
    }

    async fn store(
        &self,
        agent: &Agent,
        memory_id: MemoryId,
        mut said: Vec<NewEntry>,
        reading: Reading,
    ) -> Result<Reading, Error> {
        match agent.follow(&self.owner, memory_id, said.clone(), reading.clone()).await {
            // There is no room for all of it, but there may be for some.
            Err(memory::room::Error::Full { .. }) if said.len() > 1 => {
                let last = said.pop();
                let begun = self.reading.up_to(self.reading.seq());
                let mut before = begun;
                for entry in said {
                    before = Box::pin(self.store(agent, memory_id, vec![entry], before)).await?;
                }
                let rest = before.up_to(reading.seq());
                Box::pin(self.store(agent, memory_id, last.into_iter().collect(), rest)).await
            }
            // What is said while memory is full is not remembered, and others are not held up by it.
            Err(error @ memory::room::Error::Full { .. }) => {
                tracing::info!(session = %self.session_id, %error, "a message is not remembered");
                agent.room().read_on(&self.owner, reading.clone()).await?;
                Ok(reading.stored())
            }
            stored => Ok(stored?),
        }
    }

    async fn sum_up(&mut self, directory: &Arc<Directory>, agent: &Agent, event: &Event) -> Result<(), Error> {
        self.write(directory, agent).await?;
        let memory_id = self.memory(agent).await?.memory_id;
        let is_reset = matches!(event.body, Body::SessionReset(_));
        // A reset is two writes, and each of them is one that is not made twice: it counts as read after both.
        let seq = if is_reset { self.reading.seq() } else { event.seq };
        agent.flush(&self.owner, memory_id, Some(self.reading.up_to(seq))).await?;
        self.look_up_bookmark(agent).await?;
        if is_reset {
            agent.start_over(&self.owner, memory_id).await?;
            agent.room().read_on(&self.owner, self.reading.up_to(event.seq)).await?;
            self.look_up_bookmark(agent).await?;
        }
        self.tell(directory, agent).await
    }

    async fn memory(&mut self, agent: &Agent) -> Result<&Memory, Error> {
        if self.memory.is_none() {
            let memory = agent.room().memory_of_session(&self.owner, self.session_id, self.name.as_deref()).await?;
            self.memory = Some(memory);
        }
        self.memory.as_ref().ok_or(Error::NoSession)
    }

    /// Where the bookmark is now.
    async fn look_up_bookmark(&mut self, agent: &Agent) -> Result<(), Error> {
        self.reading = agent.room().reading(NAME, self.session_id).await?;
        Ok(())
    }

    /// Tells the session what was written. The session knows what it was told, so telling it twice is telling it once.
    async fn tell(&mut self, directory: &Arc<Directory>, agent: &Agent) -> Result<(), Error> {
        if self.reading.untold_items().is_empty() {
            return Ok(());
        }
        let ids = self.reading.untold_items().to_vec();
        let session_id = self.session_id;
        let news: Vec<Remembered> =
            agent.room().read(&self.owner, |shelf| ids.iter().filter_map(|id| news(shelf, *id)).collect()).await?;
        match directory.command(&self.owner, session_id, Command::Remember(news)).await {
            Ok(_) | Err(Error::NoSession) => {}
            Err(error) => return Err(error),
        }
        // That it was told is noted with what is read next: telling it again would change nothing.
        self.reading = self.reading.told();
        self.is_owing = true;
        Ok(())
    }
}

/// What a session is told of an item.
fn news(shelf: &memory::room::Shelf, id: ItemId) -> Option<Remembered> {
    match shelf.record(id)? {
        // A fact that has another in its place is told by that one.
        journal::Record::Fact(fact) if fact.superseded_by.is_some() => None,
        journal::Record::Fact(fact) => Some(Remembered::Written(MemoryWritten {
            level: fact.level,
            key: fact.key.clone(),
            value: fact.is_current().then(|| fact.value.clone()),
            origin: fact.origin,
            id: Some(fact.fact_id),
            source: fact.source.turn_id,
        })),
        journal::Record::Context(context) => Some(Remembered::Summary(SummaryCreated {
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
