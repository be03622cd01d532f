//! What is known about a session: the sum of its events.

use std::collections::{BTreeMap, VecDeque};

use protocol::{
    AgentId, Body, Event, ForkOrigin, MessageAccepted, OwnerId, SessionId, SessionName, SessionStatus, SessionView,
    Settings, Stage, Started, Stats, StatusChanged, StepKind, Timestamp, Transition, TurnId, TurnStatus,
};
use serde::{Deserialize, Serialize};

use crate::{
    keys::{Entry, Fingerprint, Keys},
    limits::{RECENT_MESSAGES_MAX, TITLE_CHARS_MAX},
    open_turn::OpenTurn,
};

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Assistant,
}

/// A message of an ended turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentMessage {
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The turn that one tried again.
    pub retry_of: Option<TurnId>,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// What is known about a session. Its size does not grow with the session: ended turns live in the journal only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The session.
    pub id: SessionId,
    /// Whose it is.
    pub owner: OwnerId,
    /// The client's own name for it.
    pub key: Option<SessionName>,
    /// Where it was forked from.
    pub forked_from: Option<ForkOrigin>,
    /// Whether it takes messages.
    pub status: SessionStatus,
    /// What it is set to.
    pub settings: Settings,
    /// Grows with every accepted message and every change of settings or status.
    pub version: u64,
    /// The number of the newest event.
    pub head: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened.
    pub updated_at: Timestamp,
    /// What it has used.
    pub stats: Stats,
    /// The beginning of its first message.
    pub title: Option<String>,
    pub(crate) open: BTreeMap<TurnId, OpenTurn>,
    pub(crate) queue: VecDeque<TurnId>,
    pub(crate) running: Option<TurnId>,
    pub(crate) recent: VecDeque<RecentMessage>,
    pub(crate) keys: Keys,
}

impl State {
    /// The state after a session's first event; none if that is not a start.
    pub fn begin(first: &Event) -> Option<Self> {
        let Body::SessionStarted(Started { owner, key, settings, forked_from }) = &first.body else { return None };
        Some(Self {
            id: first.session_id,
            owner: owner.clone(),
            key: key.clone(),
            forked_from: *forked_from,
            status: SessionStatus::Active,
            settings: settings.clone(),
            version: 1,
            head: first.seq,
            created_at: first.at,
            updated_at: first.at,
            stats: Stats::default(),
            title: None,
            open: BTreeMap::new(),
            queue: VecDeque::new(),
            running: None,
            recent: VecDeque::new(),
            keys: Keys::default(),
        })
    }

    /// The turn the agent works on.
    pub fn running(&self) -> Option<&OpenTurn> {
        self.running.and_then(|id| self.open.get(&id))
    }

    /// A turn that has not ended.
    pub fn open_turn(&self, id: TurnId) -> Option<&OpenTurn> {
        self.open.get(&id)
    }

    /// All turns that have not ended, oldest first.
    pub fn open_turns(&self) -> impl Iterator<Item = &OpenTurn> {
        self.open.values()
    }

    /// Whether some turn goes on by itself (as opposed to waiting for somebody).
    pub fn is_moving(&self) -> bool {
        self.running.is_some() || !self.queue.is_empty()
    }

    /// The last messages of ended turns, oldest first.
    pub fn recent(&self) -> impl Iterator<Item = &RecentMessage> {
        self.recent.iter()
    }

    /// The session as clients see it.
    pub fn view(&self) -> SessionView {
        SessionView {
            session_id: self.id,
            owner: self.owner.clone(),
            key: self.key.clone(),
            status: self.status,
            version: self.version,
            last_seq: self.head,
            created_at: self.created_at,
            updated_at: self.updated_at,
            settings: self.settings.clone(),
            stats: self.stats,
            open_turns: self.open.keys().copied().collect(),
            title: self.title.clone(),
            forked_from: self.forked_from,
        }
    }

    /// Takes an event in. Total: an event that makes no sense here changes nothing but the head.
    pub fn apply(&mut self, event: &Event) {
        self.head = event.seq;
        self.updated_at = event.at;
        match &event.body {
            // Number 1 made this state; it never comes again.
            Body::SessionStarted(_) => {}
            Body::SessionUpdated(change) => {
                self.settings = change.settings.clone();
                self.version += 1;
            }
            Body::SessionReset(_) => {
                self.recent.clear();
                self.version += 1;
            }
            Body::SessionEnded(_) => {
                self.status = SessionStatus::Ended;
                self.version += 1;
            }
            Body::MessageAccepted(accepted) => self.accept(accepted, event.seq, event.at),
            body => {
                if let Some(turn_id) = event.turn_id {
                    self.apply_to_turn(turn_id, body);
                }
            }
        }
    }

    fn accept(&mut self, accepted: &MessageAccepted, seq: u64, at: Timestamp) {
        let id = accepted.turn_id;
        if let Some(key) = &accepted.idempotency_key {
            let fingerprint = Fingerprint::of(&accepted.request, accepted.retry_of);
            self.keys.insert(Entry { key: key.clone(), fingerprint, turn_id: id, seq, at });
        }
        if let Some(earlier) = accepted.retry_of {
            // The words are asked again, so earlier attempts must not stand in the context beside them.
            self.recent.retain(|message| message.turn_id != earlier && message.retry_of != Some(earlier));
        }
        self.title.get_or_insert_with(|| accepted.request.message.chars().take(TITLE_CHARS_MAX).collect());
        self.version += 1;
        self.stats.turns += 1;
        self.open.insert(id, open_turn(accepted, seq, at));
        self.queue.push_back(id);
    }

    fn apply_to_turn(&mut self, id: TurnId, body: &Body) {
        let Some(turn) = self.open.get_mut(&id) else { return };
        match body {
            Body::MessageQueued(_) => {
                turn.status = TurnStatus::Pending;
                if !self.queue.contains(&id) {
                    self.queue.push_back(id);
                }
            }
            Body::TurnStage(entered) if entered.stage == Stage::Receive => {
                turn.attempts += 1;
                turn.status = TurnStatus::Running;
                self.take_up(id);
            }
            Body::Step(step) => {
                self.stats.steps += 1;
                self.stats.tool_calls += u64::from(step.kind == StepKind::ToolCall);
            }
            Body::Text(range) => turn.append(range),
            Body::Final(response) => {
                let usage = response.usage.unwrap_or_default();
                self.stats.input_tokens += usage.input_tokens;
                self.stats.output_tokens += usage.output_tokens;
                turn.response = Some(response.clone());
            }
            Body::TurnStatus(change) => self.change_status(id, change),
            _ => {}
        }
    }

    fn change_status(&mut self, id: TurnId, change: &StatusChanged) {
        let Some(turn) = self.open.get_mut(&id) else { return };
        turn.status = change.status.status();
        if change.status == Transition::Resumed {
            turn.attempts = change.attempt.unwrap_or(turn.attempts + 1);
            turn.cut_text(change.text_offset.unwrap_or(0));
            self.take_up(id);
            return;
        }
        self.running = self.running.filter(|running| *running != id);
        self.queue.retain(|queued| *queued != id);
        if turn.status.is_final() {
            self.close(id, change.status);
        }
    }

    fn take_up(&mut self, id: TurnId) {
        self.queue.retain(|queued| *queued != id);
        self.running = Some(id);
    }

    fn close(&mut self, id: TurnId, end: Transition) {
        let Some(turn) = self.open.remove(&id) else { return };
        match end {
            Transition::Completed => self.stats.completed += 1,
            Transition::Cancelled => self.stats.cancelled += 1,
            _ => self.stats.failed += 1,
        }
        let answer = turn.response.map_or(turn.text, |response| response.message);
        for (role, text) in [(Role::User, turn.request.message), (Role::Assistant, answer)] {
            if !text.is_empty() {
                self.recent.push_back(RecentMessage { turn_id: id, retry_of: turn.retry_of, role, text });
            }
        }
        while self.recent.len() > RECENT_MESSAGES_MAX {
            self.recent.pop_front();
        }
    }
}

fn open_turn(accepted: &MessageAccepted, seq: u64, at: Timestamp) -> OpenTurn {
    OpenTurn {
        id: accepted.turn_id,
        agent_id: AgentId::clone(&accepted.agent_id),
        request: accepted.request.clone(),
        status: TurnStatus::Pending,
        accepted_at: at,
        accepted_seq: seq,
        attempts: 0,
        text: String::new(),
        text_chars: 0,
        retry_of: accepted.retry_of,
        response: None,
    }
}
