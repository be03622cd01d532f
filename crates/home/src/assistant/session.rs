//! One connection from being let in to its end: the only one that reads and writes the socket.

use std::collections::{HashMap, VecDeque};

use serde_json::{json, value::RawValue};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    chores::{Chores, Read},
    fault::understood,
    inventory::Inventory,
    link::{Link, Request, Wanted},
    shared::Shared,
    socket::Socket,
    wire::{Command, EntitiesEvent, Envelope, News, Outgoing, envelopes},
};
use crate::{
    house::{EntityId, HouseError, State},
    index::Registry,
};

/// What Home Assistant tells of by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    /// How everything stands.
    Entities,
    /// How one entity stands of which a change was told and nothing before.
    Entity,
    /// That what there is has changed.
    Inventory,
    /// That what it offers has changed.
    Services,
}

const EVENTS: &[(&str, Topic)] = &[
    ("entity_registry_updated", Topic::Inventory),
    ("device_registry_updated", Topic::Inventory),
    ("area_registry_updated", Topic::Inventory),
    ("floor_registry_updated", Topic::Inventory),
    ("core_config_updated", Topic::Inventory),
    ("service_registered", Topic::Services),
    ("service_removed", Topic::Services),
];

/// Why a connection has ended.
pub(super) enum End {
    /// It was wanted so.
    Closed,
    /// It broke.
    Broken(String),
}

/// What is left of a connection.
pub(super) struct Remains {
    pub(super) end: End,
    /// Questions that may be asked again.
    pub(super) requests: Vec<Request>,
    /// Whether everything was read on it.
    pub(super) was_read: bool,
}

/// One connection.
pub(super) struct Session<'a> {
    shared: &'a Shared,
    socket: Socket,
    last_id: u64,
    queue: VecDeque<Request>,
    pending: HashMap<u64, Request>,
    topics: HashMap<u64, Topic>,
    /// Commands to which nobody waits for an answer.
    asides: Vec<(Command, Option<Topic>)>,
    chores: Chores,
    /// How everything stands, as long as it is not known what there is.
    early: Option<HashMap<EntityId, State>>,
    has_states: bool,
    inventory: Option<Box<Inventory>>,
    furnished: Option<Registry>,
    beat_at: Instant,
    is_asked_for_life: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(shared: &'a Shared, socket: Socket, requests: Vec<Request>) -> Self {
        let now = Instant::now();
        Self {
            shared,
            socket,
            last_id: 0,
            queue: requests.into(),
            pending: HashMap::new(),
            topics: HashMap::new(),
            asides: Vec::new(),
            chores: Chores::new(now, &shared.settings.patience),
            early: Some(HashMap::new()),
            has_states: false,
            inventory: None,
            furnished: None,
            beat_at: now + shared.settings.patience.heartbeat,
            is_asked_for_life: false,
        }
    }

    /// Lives until it ends.
    pub(super) async fn run(mut self, requests: &mut mpsc::Receiver<Request>) -> Remains {
        let (own, mut own_requests) = Link::new(&self.shared.settings.patience);
        let end = loop {
            if let Err(end) = self.step(requests, &own, &mut own_requests).await {
                break end;
            }
        };
        let why = match &end {
            End::Closed => super::link::CLOSED,
            End::Broken(why) => why,
        };
        // What the chores have asked ends with them.
        self.chores.stop();
        let sent = self.pending.into_values().filter(|request| !request.is_forsaken());
        let mut left: Vec<Request> = sent.filter_map(|request| request.broken(why)).collect();
        left.extend(self.queue);
        if matches!(end, End::Closed) {
            self.socket.close().await;
        }
        Remains { end, requests: left, was_read: self.furnished.is_some() }
    }

    async fn step(
        &mut self,
        requests: &mut mpsc::Receiver<Request>,
        own: &Link,
        own_requests: &mut mpsc::Receiver<Request>,
    ) -> Result<(), End> {
        if self.last_id == 0 {
            self.begin();
        }
        self.send_waiting().await?;
        let moment = self.next_moment();
        tokio::select! {
            () = self.shared.closing.cancelled() => return Err(End::Closed),
            text = self.socket.next() => {
                let text = text.map_err(End::Broken)?;
                self.beat_at = Instant::now() + self.shared.settings.patience.heartbeat;
                self.is_asked_for_life = false;
                self.hear(&text)?;
            }
            request = requests.recv() => self.queue.push_back(request.ok_or(End::Closed)?),
            Some(request) = own_requests.recv() => self.queue.push_back(request),
            read = self.chores.read() => self.take(read)?,
            () = sleep_until(moment) => self.on_time(own)?,
        }
        Ok(())
    }

    /// What is said first.
    fn begin(&mut self) {
        let features = json!({"coalesce_messages": 1}).as_object().cloned().unwrap_or_default();
        self.asides.push((Command::SupportedFeatures { features }, None));
        for (event_type, topic) in EVENTS {
            self.asides.push((Command::SubscribeEvents { event_type }, Some(*topic)));
        }
        self.asides.push((Command::SubscribeEntities { entity_ids: Vec::new() }, Some(Topic::Entities)));
    }

    async fn send_waiting(&mut self) -> Result<(), End> {
        for (command, topic) in std::mem::take(&mut self.asides) {
            let id = self.send(&command).await?;
            if let Some(topic) = topic {
                self.topics.insert(id, topic);
            }
        }
        while let Some(mut request) = self.queue.pop_front() {
            if request.is_forsaken() {
                continue;
            }
            request.sent = request.sent.saturating_add(1);
            let command = request.command.clone();
            // From here on it counts as sent: a write that fails may have got through all the same.
            self.pending.insert(self.last_id + 1, request);
            self.send(&command).await?;
        }
        Ok(())
    }

    async fn send(&mut self, command: &Command) -> Result<u64, End> {
        self.last_id += 1;
        let outgoing = Outgoing { id: self.last_id, command };
        let text = serde_json::to_string(&outgoing).map_err(|error| End::Broken(error.to_string()))?;
        self.socket.send(text).await.map_err(End::Broken)?;
        Ok(self.last_id)
    }

    fn hear(&mut self, text: &str) -> Result<(), End> {
        let messages = envelopes(text).map_err(|error| {
            tracing::warn!(%error, "Home Assistant sent what cannot be read");
            End::Broken("it sent what cannot be read".to_owned())
        })?;
        for message in messages {
            match message {
                Envelope { kind: "event", id, event: Some(event), .. } => self.happen(id, event),
                Envelope { kind: "result", .. } => self.settle(message)?,
                // A `pong`, or what a later version says unasked.
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes an answer to whoever asked.
    fn settle(&mut self, message: Envelope<'_>) -> Result<(), End> {
        let is_done = message.success.unwrap_or(message.error.is_none());
        if let Some(topic) = self.topics.get(&message.id).copied() {
            if !is_done {
                self.topics.remove(&message.id);
                tracing::debug!(?topic, error = ?message.error, "Home Assistant does not tell of it");
                if topic == Topic::Entities {
                    return Err(End::Broken("it does not tell how things stand".to_owned()));
                }
            }
            return Ok(());
        }
        let Some(request) = self.pending.remove(&message.id) else { return Ok(()) };
        if !is_done {
            let error = understood(&message.error.unwrap_or_default(), request.command.acts());
            request.answer(Err(error));
        } else if request.wanted == Wanted::FirstEvent {
            self.pending.insert(message.id, request);
        } else {
            request.answer(Ok(message.result.map(ToOwned::to_owned)));
        }
        Ok(())
    }

    fn happen(&mut self, id: u64, event: &RawValue) {
        let patience = &self.shared.settings.patience;
        match self.topics.get(&id) {
            Some(Topic::Inventory) => self.chores.inventory.touch(Instant::now(), patience.settle),
            Some(Topic::Services) => self.chores.services.touch(Instant::now(), patience.settle),
            Some(Topic::Entities) => {
                self.hear_states(event);
                self.has_states = true;
                self.furnish();
            }
            Some(Topic::Entity) => {
                self.hear_states(event);
                self.topics.remove(&id);
                self.asides.push((Command::Unsubscribe { subscription: id }, None));
            }
            None => {
                if let Some(request) = self.pending.remove(&id) {
                    request.answer(Ok(Some(event.to_owned())));
                }
                // Whoever wanted it has it, or has left.
                self.asides.push((Command::Unsubscribe { subscription: id }, None));
            }
        }
    }

    fn hear_states(&mut self, event: &RawValue) {
        let event = match EntitiesEvent::read(event) {
            Ok(event) => event,
            Err(error) => return tracing::warn!(%error, "Home Assistant told a state that cannot be read"),
        };
        let index = &self.shared.index;
        let news = match &self.early {
            Some(early) => event.news(|id| early.get(id).cloned()),
            None => event.news(|id| index.state(id).map(|state| State::clone(&state))),
        };
        let mut changed = Vec::new();
        let mut gone = Vec::new();
        for news in news {
            match (news, &mut self.early) {
                (News::Stands(state), Some(early)) => drop(early.insert(state.entity_id.clone(), state)),
                (News::Gone(id), Some(early)) => drop(early.remove(&id)),
                (News::Stands(state), None) => changed.push(state),
                (News::Gone(id), None) => gone.push(id),
                (News::Unfounded(id), _) => {
                    let command = Command::SubscribeEntities { entity_ids: vec![id] };
                    self.asides.push((command, Some(Topic::Entity)));
                }
            }
        }
        // What the registry does not list is not told of as new, and whether it is exposed is not known by itself.
        if changed.iter().any(|state| index.get(&state.entity_id).is_none()) {
            self.chores.inventory.touch(Instant::now(), self.shared.settings.patience.settle);
        }
        if !changed.is_empty() {
            index.update(changed);
        }
        if !gone.is_empty() {
            index.remove(&gone);
        }
    }

    /// Takes what a chore has read.
    fn take(&mut self, read: Result<Read, HouseError>) -> Result<(), End> {
        match read {
            Ok(Read::Inventory(inventory)) => {
                self.inventory = Some(inventory);
                self.furnish();
            }
            Ok(Read::Services(table)) => *self.shared.services() = table,
            // Without it there is nothing to go on with; afterwards what is known does until it is tried again.
            Err(error) if self.furnished.is_none() => {
                return Err(End::Broken(format!("what there is could not be read: {error}")));
            }
            Err(error) => tracing::warn!(%error, "Home Assistant could not be read again"),
        }
        Ok(())
    }

    /// Once it is known both what there is and how it stands, everybody may know.
    fn furnish(&mut self) {
        if !self.has_states {
            return;
        }
        let Some(inventory) = self.inventory.take() else { return };
        let index = &self.shared.index;
        let registry = match &self.early {
            Some(early) => inventory.furnish(early.values()),
            None => {
                let states: Vec<_> = index.all().into_iter().filter_map(|standing| standing.state).collect();
                inventory.furnish(states.iter().map(AsRef::as_ref))
            }
        };
        if self.furnished.as_ref() != Some(&registry) {
            index.furnish(registry.clone());
            self.furnished = Some(registry);
        }
        if self.early.is_some() {
            inventory.explain();
        }
        self.shared.configured(inventory.config);
        if let Some(early) = self.early.take() {
            index.set_states(early.into_values());
            self.shared.connected();
        }
    }

    fn next_moment(&self) -> Instant {
        let deadline = self.pending.values().map(|request| request.deadline).min();
        [deadline, self.chores.due()].into_iter().flatten().fold(self.beat_at, Instant::min)
    }

    fn on_time(&mut self, own: &Link) -> Result<(), End> {
        let now = Instant::now();
        for (_, request) in self.pending.extract_if(|_, request| request.deadline <= now) {
            request.expire();
        }
        self.chores.begin(now, own, self.shared.settings.exposed_only);
        if self.beat_at <= now {
            if self.is_asked_for_life {
                return Err(End::Broken("it has fallen silent".to_owned()));
            }
            self.is_asked_for_life = true;
            self.beat_at = now + self.shared.settings.patience.answer.min(self.shared.settings.patience.heartbeat);
            self.asides.push((Command::Ping, None));
        }
        Ok(())
    }
}
