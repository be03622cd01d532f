//! One authenticated connection until its end. Only the session reads and writes the socket, also
//! for the other nodes that use it.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::{json, value::RawValue};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

use super::{
    command_sender::{CommandRequest, CommandSender, ReplyKind},
    inventory::Inventory,
    refresh::{RefreshedData, Refresher},
    relay::Relay,
    route::{ActPermit, HomeRoute, LEASE_ENDED},
    shared::SharedConnection,
    socket::HassSocket,
    wire::{EntitiesEvent, EntityUpdate, Envelope, FiredEvent, HassCommand, OutgoingMessage, envelopes},
    wire_error::to_home_error,
};
use crate::{
    index::HomeRegistry,
    port::{EntityId, EntityState, HomeError},
};

/// A subscription to Home Assistant's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    /// The states of all entities.
    Entities,
    /// The state of one entity for which a change came without a base.
    Entity,
    /// Changes of the registries.
    Inventory,
    /// Changes of the services.
    Services,
    /// Events that schedules wait for.
    Event,
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

/// Why a connection ended.
pub(super) enum CloseReason {
    /// It was closed on purpose.
    Closed,
    /// It broke.
    Broken(String),
}

/// What remains of a closed session.
pub(super) struct ClosedSession {
    pub(super) end: CloseReason,
    /// Queries that may be sent again.
    pub(super) requests: Vec<CommandRequest>,
    /// Whether everything was read during the session.
    pub(super) was_read: bool,
}

/// One connection.
pub(super) struct HassSession<'a> {
    shared: &'a SharedConnection,
    socket: HassSocket,
    last_id: u64,
    queue: VecDeque<CommandRequest>,
    pending: HashMap<u64, CommandRequest>,
    topics: HashMap<u64, Topic>,
    /// Commands whose results are not awaited.
    unawaited: Vec<(HassCommand, Option<Topic>)>,
    chores: Refresher,
    /// The states, until the registries are known.
    early: Option<HashMap<EntityId, EntityState>>,
    has_states: bool,
    inventory: Option<Box<Inventory>>,
    registry: Option<HomeRegistry>,
    /// The types of events that schedules wait for, and those that are subscribed to.
    wanted: watch::Receiver<BTreeSet<String>>,
    subscribed: BTreeSet<String>,
    beat_at: Instant,
    is_asked_for_life: bool,
    /// Whether the connection may be used, if it is this node's own.
    permit: Option<ActPermit>,
    /// A connection by another way than this one ends.
    routes: watch::Receiver<HomeRoute>,
    /// The other nodes that use it.
    relay: Relay,
}

impl<'a> HassSession<'a> {
    /// A connection by the last route that was seen. With a permit it is this node's own.
    pub(super) fn new(
        shared: &'a SharedConnection,
        socket: HassSocket,
        permit: Option<ActPermit>,
        routes: watch::Receiver<HomeRoute>,
        requests: Vec<CommandRequest>,
    ) -> Self {
        let now = Instant::now();
        let (door, relay) = Relay::new(shared.version());
        shared.set_relay_door(permit.is_some().then_some(door));
        Self {
            shared,
            socket,
            last_id: 0,
            queue: requests.into(),
            pending: HashMap::new(),
            topics: HashMap::new(),
            unawaited: Vec::new(),
            chores: Refresher::new(now, &shared.settings.patience),
            early: Some(HashMap::new()),
            has_states: false,
            inventory: None,
            registry: None,
            wanted: shared.wanted_events(),
            subscribed: BTreeSet::new(),
            beat_at: now + shared.settings.patience.heartbeat,
            is_asked_for_life: false,
            permit,
            routes,
            relay,
        }
    }

    /// Runs until the connection ends.
    pub(super) async fn run(mut self, requests: &mut mpsc::Receiver<CommandRequest>) -> ClosedSession {
        let (own, mut own_requests) = CommandSender::new(&self.shared.settings.patience);
        let end = loop {
            if let Err(end) = self.step(requests, &own, &mut own_requests).await {
                break end;
            }
        };
        let why = match &end {
            CloseReason::Closed => super::command_sender::CLOSED,
            CloseReason::Broken(why) => why,
        };
        self.shared.set_relay_door(None);
        // Requests of a refresh end with it.
        self.chores.stop();
        let sent = self.pending.into_values().filter(|request| !request.is_abandoned());
        let mut left: Vec<CommandRequest> = sent.filter_map(|request| request.broken(why)).collect();
        left.extend(self.queue);
        if matches!(end, CloseReason::Closed) {
            self.socket.close().await;
        }
        ClosedSession { end, requests: left, was_read: self.registry.is_some() }
    }

    async fn step(
        &mut self,
        requests: &mut mpsc::Receiver<CommandRequest>,
        own: &CommandSender,
        own_requests: &mut mpsc::Receiver<CommandRequest>,
    ) -> Result<(), CloseReason> {
        if self.last_id == 0 {
            self.begin();
        }
        self.send_waiting().await?;
        let moment = self.next_moment();
        tokio::select! {
            () = self.shared.closing.cancelled() => return Err(CloseReason::Closed),
            text = self.socket.next() => {
                let text = text.map_err(CloseReason::Broken)?;
                self.beat_at = Instant::now() + self.shared.settings.patience.heartbeat;
                self.is_asked_for_life = false;
                self.hear(&text)?;
            }
            request = requests.recv() => self.queue.push_back(request.ok_or(CloseReason::Closed)?),
            Some(request) = own_requests.recv() => self.queue.push_back(request),
            read = self.chores.read() => self.take(read)?,
            () = self.relay.take() => {}
            Ok(()) = self.routes.changed() => {
                return Err(CloseReason::Broken("the connection to it moves between nodes".to_owned()));
            }
            // The sender is shared with this connection.
            _ = self.wanted.changed() => self.subscribe(),
            () = sleep_until(moment) => self.on_time(own)?,
        }
        Ok(())
    }

    /// Queues the first commands.
    fn begin(&mut self) {
        let features = json!({"coalesce_messages": 1}).as_object().cloned().unwrap_or_default();
        self.unawaited.push((HassCommand::SupportedFeatures { features }, None));
        for (event_type, topic) in EVENTS {
            self.unawaited.push((HassCommand::SubscribeEvents { event_type: (*event_type).to_owned() }, Some(*topic)));
        }
        self.unawaited.push((HassCommand::SubscribeEntities { entity_ids: Vec::new() }, Some(Topic::Entities)));
        self.subscribe();
    }

    /// Subscribes to the events that schedules wait for. What is no longer wanted comes until the
    /// connection ends, and is ignored.
    fn subscribe(&mut self) {
        let wanted = self.wanted.borrow_and_update().clone();
        for event_type in wanted {
            if self.subscribed.insert(event_type.clone()) {
                self.unawaited.push((HassCommand::SubscribeEvents { event_type }, Some(Topic::Event)));
            }
        }
    }

    async fn send_waiting(&mut self) -> Result<(), CloseReason> {
        // Before anything counts as sent.
        self.check_permit()?;
        for (command, topic) in std::mem::take(&mut self.unawaited) {
            let id = self.send(&command).await?;
            if let Some(topic) = topic {
                self.topics.insert(id, topic);
            }
        }
        while let Some(mut request) = self.queue.pop_front() {
            if request.is_abandoned() {
                continue;
            }
            request.sent = request.sent.saturating_add(1);
            let command = request.command.clone();
            // From here on it counts as sent: a failed write may have arrived all the same.
            self.pending.insert(self.last_id + 1, request);
            self.send(&command).await?;
        }
        while let Some(text) = self.relay.next_command(self.last_id + 1) {
            self.send_text(text).await?;
        }
        Ok(())
    }

    async fn send(&mut self, command: &HassCommand) -> Result<u64, CloseReason> {
        let outgoing = OutgoingMessage { id: self.last_id + 1, command };
        let text = serde_json::to_string(&outgoing).map_err(|error| CloseReason::Broken(error.to_string()))?;
        self.send_text(text).await
    }

    /// Sends a message with the next id, and returns that.
    async fn send_text(&mut self, text: String) -> Result<u64, CloseReason> {
        self.check_permit()?;
        self.last_id += 1;
        self.socket.send(text).await.map_err(CloseReason::Broken)?;
        Ok(self.last_id)
    }

    /// A node that was suspended does not know yet that another one has the connection.
    fn check_permit(&self) -> Result<(), CloseReason> {
        match &self.permit {
            Some(permit) if !permit.may_act() => Err(CloseReason::Broken(LEASE_ENDED.to_owned())),
            _ => Ok(()),
        }
    }

    fn hear(&mut self, text: &str) -> Result<(), CloseReason> {
        let messages = envelopes(text).map_err(|error| {
            tracing::warn!(%error, "Home Assistant sent a message that cannot be parsed");
            CloseReason::Broken("it sent a message that cannot be parsed".to_owned())
        })?;
        for (message, whole) in messages {
            if self.relay.pass_on(message.id, message.kind, message.is_done(), whole) {
                continue;
            }
            match message {
                Envelope { kind: "event", id, event: Some(event), .. } => self.happen(id, event),
                Envelope { kind: "result", .. } => self.settle(message)?,
                // A `pong`, or a message type of a later version.
                _ => {}
            }
        }
        Ok(())
    }

    /// Passes a result on to its caller.
    fn settle(&mut self, message: Envelope<'_>) -> Result<(), CloseReason> {
        let is_done = message.is_done();
        if let Some(topic) = self.topics.get(&message.id).copied() {
            if !is_done {
                self.topics.remove(&message.id);
                tracing::debug!(?topic, error = ?message.error, "Home Assistant refused a subscription");
                if topic == Topic::Event {
                    tracing::warn!(
                        error = ?message.error,
                        "Home Assistant refuses an event that a schedule waits for; its user has to be an administrator"
                    );
                }
                if topic == Topic::Entities {
                    return Err(CloseReason::Broken("it does not send its states".to_owned()));
                }
            }
            return Ok(());
        }
        let Some(request) = self.pending.remove(&message.id) else { return Ok(()) };
        if !is_done {
            let error = to_home_error(&message.error.unwrap_or_default(), request.command.acts());
            request.answer(Err(error));
        } else if request.wanted == ReplyKind::FirstEvent {
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
                self.unawaited.push((HassCommand::Unsubscribe { subscription: id }, None));
            }
            Some(Topic::Event) => match FiredEvent::read(event) {
                Ok(event) if self.wanted.borrow().contains(&event.event_type) => {
                    self.shared.index.happen(event.into());
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "Home Assistant sent an event that cannot be parsed"),
            },
            None => {
                if let Some(request) = self.pending.remove(&id) {
                    request.answer(Ok(Some(event.to_owned())));
                }
                // The caller has the event, or no longer waits.
                self.unawaited.push((HassCommand::Unsubscribe { subscription: id }, None));
            }
        }
    }

    fn hear_states(&mut self, event: &RawValue) {
        let event = match EntitiesEvent::read(event) {
            Ok(event) => event,
            Err(error) => return tracing::warn!(%error, "Home Assistant sent a state that cannot be parsed"),
        };
        let index = &self.shared.index;
        let news = match &self.early {
            Some(early) => event.updates(|id| early.get(id).cloned()),
            None => event.updates(|id| index.state(id).map(|state| EntityState::clone(&state))),
        };
        let mut changed = Vec::new();
        let mut gone = Vec::new();
        for news in news {
            match (news, &mut self.early) {
                (EntityUpdate::Current(state), Some(early)) => drop(early.insert(state.entity_id.clone(), state)),
                (EntityUpdate::Removed(id), Some(early)) => drop(early.remove(&id)),
                (EntityUpdate::Current(state), None) => changed.push(state),
                (EntityUpdate::Removed(id), None) => gone.push(id),
                (EntityUpdate::MissingBase(id), _) => {
                    let command = HassCommand::SubscribeEntities { entity_ids: vec![id] };
                    self.unawaited.push((command, Some(Topic::Entity)));
                }
            }
        }
        // For entities outside the registry there is no event for new ones, and their exposure has
        // to be read.
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

    /// Applies refreshed data.
    fn take(&mut self, read: Result<RefreshedData, HomeError>) -> Result<(), CloseReason> {
        match read {
            Ok(RefreshedData::Inventory(inventory)) => {
                self.inventory = Some(inventory);
                self.furnish();
            }
            Ok(RefreshedData::Services(table)) => *self.shared.services() = table,
            // The first read must succeed; later the known data stays until the next attempt.
            Err(error) if self.registry.is_none() => {
                return Err(CloseReason::Broken(format!("the registries could not be read: {error}")));
            }
            Err(error) => tracing::warn!(%error, "the data of Home Assistant could not be refreshed"),
        }
        Ok(())
    }

    /// Publishes the index once both the registries and the states are known.
    fn furnish(&mut self) {
        if !self.has_states {
            return;
        }
        let Some(inventory) = self.inventory.take() else { return };
        let index = &self.shared.index;
        let registry = match &self.early {
            Some(early) => inventory.furnish(early.values()),
            None => {
                let states: Vec<_> = index.all().into_iter().filter_map(|snapshot| snapshot.state).collect();
                inventory.furnish(states.iter().map(AsRef::as_ref))
            }
        };
        if self.registry.as_ref() != Some(&registry) {
            index.furnish(registry.clone());
            self.registry = Some(registry);
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

    fn on_time(&mut self, own: &CommandSender) -> Result<(), CloseReason> {
        let now = Instant::now();
        for (_, request) in self.pending.extract_if(|_, request| request.deadline <= now) {
            request.expire();
        }
        self.chores.begin(now, own, self.shared.settings.exposed_only);
        if self.beat_at <= now {
            if self.is_asked_for_life {
                return Err(CloseReason::Broken("it has stopped answering".to_owned()));
            }
            self.is_asked_for_life = true;
            self.beat_at = now + self.shared.settings.patience.answer.min(self.shared.settings.patience.heartbeat);
            self.unawaited.push((HassCommand::Ping, None));
        }
        Ok(())
    }
}
