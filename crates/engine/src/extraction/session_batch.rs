//! One batch: the new messages of one session, one call of the model, one write.

use std::{sync::Arc, time::Duration};

use memory::{
    agent::conversation_event::{ANSWERED_BY, BY_REFLEX},
    extraction::{ExtractionFailure, ExtractionMaterial, ExtractionMessage, extract, is_sent},
    long_term::{FollowerProgress, OwnerRecords, SpentTokens},
};
use model::{Model, Prompt, count_prompt};
use protocol::{Body, Entry, Event, ItemId, Level, MemorySearch, OwnerId, SessionId, Timestamp};
use session::{Command, MemoryUpdate};

use super::{BatchOutcome, ExtractionFollower, ExtractionModel, NAME};
use crate::{
    Error,
    follower::{self, news},
};

/// The purpose of the calls in the statistics.
const PURPOSE: &str = "extraction";
/// Messages of the user in one call.
const MESSAGES_MAX: usize = 12;
/// Characters of these messages.
const CHARS_MAX: usize = 16_000;
/// Messages that are older when they are first read are left to the rules: those of imports, and
/// those from before the model was turned on.
const AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Facts that a search finds for a message.
const NEAR_MAX: u32 = 8;
/// Events read at once.
const PAGE: usize = 256;
/// How long to wait for the memory follower.
const PATIENCE: Duration = Duration::from_secs(10);

/// Messages that are read together.
struct MessageBatch {
    messages: Vec<ExtractionMessage>,
    /// The event up to which they were read.
    up_to: u64,
    /// Whether more messages follow.
    has_more: bool,
}

impl ExtractionFollower {
    /// Reads the next messages of a session.
    pub(super) async fn read(&self, session_id: SessionId, seq: u64, is_last: bool) -> Result<BatchOutcome, Error> {
        if seq > 0 && !self.follower.wait_for(session_id, seq, PATIENCE).await {
            return Ok(BatchOutcome::Later(PATIENCE));
        }
        let store = &self.directory.services.store;
        let first = store.read(session_id, 0, 1).await.or_else(|error| match error {
            journal::Error::NotFound => Ok(Vec::new()),
            error => Err(error),
        })?;
        let Some(Event { body: Body::SessionStarted(started), .. }) = first.first() else {
            return Err(Error::NoSession);
        };
        let owner = started.owner.clone();
        let reading = self.long_term().reading(NAME, session_id).await?;
        let reading = self.tell(&owner, session_id, reading).await?;
        if seq == 0 {
            self.wait_for_last_message(session_id).await?;
        }
        let stored = self.long_term().reading(follower::NAME, session_id).await?.seq();
        if stored <= reading.seq() {
            return Ok(BatchOutcome::Done);
        }
        let now = self.long_term().now();
        let batch = self
            .long_term()
            .read(&owner, |records| MessageBatch::select(records, session_id, reading.seq(), stored, now))
            .await?;
        let model = match batch.messages.is_empty() {
            true => None,
            false => self.model(session_id, reading.seq(), stored).await?,
        };
        let Some(model) = model else {
            self.long_term().read_on(&owner, reading.up_to(batch.up_to)).await?;
            return Ok(if batch.has_more { BatchOutcome::More } else { BatchOutcome::Done });
        };
        self.run(&owner, session_id, batch, reading, model, is_last).await
    }

    /// Waits until the memory follower has stored all messages of a session: after a restart no
    /// event would announce them.
    async fn wait_for_last_message(&self, session_id: SessionId) -> Result<(), Error> {
        let mut position = self.long_term().reading(follower::NAME, session_id).await?.seq();
        let mut last = None;
        loop {
            let page = self.directory.services.store.read(session_id, position, PAGE).await?;
            let Some(newest) = page.last() else { break };
            position = newest.seq;
            let is_message = |event: &&Event| matches!(event.body, Body::MessageAccepted(_) | Body::MessageSteered(_));
            last = page.iter().rfind(is_message).map(|event| event.seq).or(last);
        }
        if let Some(seq) = last {
            self.follower.wait_for(session_id, seq, PATIENCE).await;
        }
        Ok(())
    }

    async fn run(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        batch: MessageBatch,
        reading: FollowerProgress,
        model: Arc<dyn Model>,
        is_last: bool,
    ) -> Result<BatchOutcome, Error> {
        let done = if batch.has_more { BatchOutcome::More } else { BatchOutcome::Done };
        let (material, prompt) = self.material(owner, batch.messages, model.as_ref()).await?;
        let messages = material.entries().count();
        if self.budgets().is_unread(owner) {
            let spent = self.long_term().spent_tokens(owner, NAME).await?;
            self.budgets().load(owner, spent);
        }
        let wait = self.budgets().wait(owner, count_prompt(&prompt).total, self.long_term().now());
        self.counters.note_budget(owner, wait.is_some());
        if let Some(wait) = wait {
            return Ok(BatchOutcome::Later(wait));
        }
        let result = extract(model.as_ref(), prompt).await;
        self.count(owner, model.name(), &result.calls).await;
        let reading = reading.up_to(batch.up_to);
        match result.operations {
            Ok(operations) => {
                let applied = self.long_term().apply_extracted(
                    owner,
                    material,
                    operations,
                    model.name().to_owned(),
                    reading.clone(),
                );
                let facts = match applied.await {
                    // Like messages that arrive while memory is full, it is not remembered.
                    Err(error @ memory::long_term::Error::Full { .. }) => {
                        tracing::info!(session = %session_id, %error, "extracted facts are not remembered");
                        self.long_term().read_on(owner, reading).await?;
                        return Ok(done);
                    }
                    applied => applied?,
                };
                self.counters.succeeded(owner, messages, &facts);
                self.tell(owner, session_id, reading.untold(facts.changed).stored()).await?;
                Ok(done)
            }
            Err(failure) => {
                self.note_failure(session_id, model.name(), &failure);
                if !is_last {
                    return Ok(BatchOutcome::Failed);
                }
                self.counters.gave_up(messages);
                self.long_term().read_on(owner, reading).await?;
                Ok(done)
            }
        }
    }

    /// The messages with the facts that they may concern, as far as the model's window holds them.
    async fn material(
        &self,
        owner: &OwnerId,
        messages: Vec<ExtractionMessage>,
        model: &dyn Model,
    ) -> Result<(ExtractionMaterial, Prompt), Error> {
        let now = self.long_term().now();
        let mut near: Vec<ItemId> = Vec::new();
        for message in messages.iter().filter(|message| !message.is_context) {
            let asked = MemorySearch {
                query: message.entry.raw_entry.clone(),
                levels: vec![Level::Profile, Level::Fact],
                limit: Some(NEAR_MAX),
                ..MemorySearch::default()
            };
            let found = self.long_term().search(owner, &asked, None).await?;
            near.extend(found.items.iter().map(|hit| hit.item.id));
        }
        let gather = |records: &OwnerRecords| ExtractionMaterial::gather(records, messages, &near, now);
        let mut material = self.long_term().read(owner, gather).await?;
        loop {
            let prompt = material.prompt(&self.options.instructions, now);
            let is_fit = count_prompt(&prompt).total <= model.traits().context_tokens_max / 2;
            if is_fit || material.known.is_empty() {
                return Ok((material, prompt));
            }
            let half = material.known.len() / 2;
            material.known.truncate(half);
        }
    }

    async fn count(&self, owner: &OwnerId, model: &str, calls: &[Option<protocol::Usage>]) {
        self.counters.called(calls.len());
        let mut tokens = 0;
        for usage in calls {
            self.directory.services.counters.side_call(PURPOSE, model, *usage);
            tokens += usage.map_or(0, |usage| usage.input_tokens + usage.output_tokens);
        }
        let spent = SpentTokens { at: self.long_term().now(), tokens };
        self.budgets().spend(owner, spent);
        if tokens == 0 || !self.budgets().is_limited() {
            return;
        }
        // Without it only a restart would forget the tokens, so the facts are stored all the same.
        if let Err(error) = self.long_term().add_spent(owner, NAME, spent).await {
            tracing::warn!(%error, "failed to store the tokens that the memory model has spent");
        }
    }

    fn note_failure(&self, session_id: SessionId, model: &str, failure: &ExtractionFailure) {
        let why = self.directory.services.redactor.redact(&failure.to_string()).into_owned();
        tracing::warn!(session = %session_id, model, why, "the model extracted no facts");
        self.counters.failed(why, self.long_term().now());
    }

    /// The model for a session's new messages; none if no language model answers there.
    async fn model(&self, session_id: SessionId, after: u64, up_to: u64) -> Result<Option<Arc<dyn Model>>, Error> {
        let models = &self.directory.services.models;
        let name = match &self.options.model {
            ExtractionModel::Off => return Ok(None),
            ExtractionModel::Named(name) => Some(name.clone()),
            ExtractionModel::OfSession => match self.answering(session_id, after, up_to).await? {
                // No turn was answered: it failed or still runs. The default model would answer.
                None => Some(String::new()),
                // A name without a provider is not a language model's, but a reflex's or a call's.
                Some(name) => Some(name).filter(|name| name.contains('/')),
            },
        };
        let model = name.map(|name| models.by_name(Some(&name)));
        Ok(model.filter(|model| model.traits().understands))
    }

    /// What answered the turns between two events: the last language model, or else the last other.
    async fn answering(&self, session_id: SessionId, after: u64, up_to: u64) -> Result<Option<String>, Error> {
        let (mut position, mut answering) = (after, None::<String>);
        while position < up_to {
            let page = self.directory.services.store.read(session_id, position, PAGE).await?;
            let Some(last) = page.last() else { break };
            position = last.seq;
            for event in page.iter().filter(|event| event.seq <= up_to) {
                if let Body::Final(response) = &event.body
                    && (response.model.contains('/') || answering.is_none())
                {
                    answering = Some(response.model.clone());
                }
            }
        }
        Ok(answering)
    }

    /// Reports the facts to the session, which ignores repeated reports.
    async fn tell(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        reading: FollowerProgress,
    ) -> Result<FollowerProgress, Error> {
        if reading.untold_items().is_empty() {
            return Ok(reading);
        }
        let ids = reading.untold_items().to_vec();
        let news: Vec<MemoryUpdate> =
            self.long_term().read(owner, |records| ids.iter().filter_map(|id| news(records, *id)).collect()).await?;
        match self.directory.command(owner, session_id, Command::Remember(news)).await {
            Ok(_) | Err(Error::NoSession) => {}
            Err(error) => return Err(error),
        }
        let told = reading.told();
        self.long_term().read_on(owner, told.clone()).await?;
        Ok(told)
    }
}

impl MessageBatch {
    /// The next messages of a session after an event, with the assistant's words between them.
    fn select(records: &OwnerRecords, session_id: SessionId, after: u64, stored: u64, now: Timestamp) -> Self {
        let seq = |entry: &Entry| entry.source.seq.unwrap_or(0);
        let mut entries: Vec<&Entry> = match records.memory_of(session_id) {
            Some(memory) => records
                .entries(memory.memory_id)
                .rev()
                .filter(|entry| entry.source.session_id == Some(session_id))
                .take_while(|entry| seq(entry) > after)
                .filter(|entry| seq(entry) <= stored)
                .collect(),
            None => Vec::new(),
        };
        entries.sort_by_key(|entry| seq(entry));
        let (mut messages, mut count, mut chars) = (Vec::new(), 0, 0);
        // The first message may answer a question of the assistant.
        let mut context = records.memory_of(session_id).and_then(|memory| {
            let mut earlier = records.entries(memory.memory_id).rev().filter(|entry| seq(entry) <= after);
            earlier.next().filter(|entry| entry.role == "assistant" && entry.origin.is_trusted())
        });
        for entry in entries {
            if entry.role == "assistant" {
                context = Some(entry).filter(|entry| entry.origin.is_trusted());
                continue;
            }
            // A command to a device needs no model, and neither does memory for it.
            let is_by_reflex = entry.tags.get(ANSWERED_BY).is_some_and(|by| by == BY_REFLEX);
            if is_by_reflex || !is_sent(entry) || now.since(entry.conversation_time) > AGE_MAX {
                continue;
            }
            count += 1;
            chars += entry.raw_entry.chars().count();
            if count > 1 && (count > MESSAGES_MAX || chars > CHARS_MAX) {
                let up_to = seq(entry) - 1;
                return Self { messages, up_to, has_more: true };
            }
            let context = context.take().map(|entry| ExtractionMessage { entry: entry.clone(), is_context: true });
            messages.extend(context);
            messages.push(ExtractionMessage { entry: entry.clone(), is_context: false });
        }
        Self { messages, up_to: stored, has_more: false }
    }
}
