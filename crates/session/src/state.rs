//! The state of a session, computed from its events.

use std::collections::{BTreeMap, VecDeque};

use protocol::{
    AgentId, AgentKind, ApprovalRequest, Body, CallStatus, EntityBase, Event, ForkOrigin, ImportOrigin, ItemId, Level,
    MemoryWritten, MessageAccepted, MessageSteered, MonitorId, Origin, OwnerId, SessionId, SessionName, SessionStarted,
    SessionStatus, SessionView, Settings, Stage, Stats, StatusChanged, Step, Timestamp, Transition, TurnId, TurnStatus,
};
use serde::{Deserialize, Serialize};

use schedule::Schedules;

use crate::{
    across_turns::{self, ModelSwitch, OpenQuestion, Pins, SavedApprovals},
    alerts::Alerts,
    desktop::Desktop,
    ending::TurnEnding,
    idempotency::{IdempotencyKeys, KeyEntry, RequestFingerprint},
    limits::{BEGINNING_CHARS_MAX, TITLE_CHARS_MAX, TOLD_MAX},
    open_turn::OpenTurn,
    queues::TurnQueues,
    recent::RecentTurn,
    replay_cache::ReplayCache,
    tape::Tape,
    thread::ThreadCall,
    timeline::{Timeline, TimelineEntry},
};

/// The state of a session. Its size does not grow with the session: ended turns are in the journal
/// only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The session.
    pub id: SessionId,
    /// Its owner.
    pub owner: OwnerId,
    /// The client's own name for it.
    pub key: Option<SessionName>,
    /// Where it was forked from.
    pub forked_from: Option<ForkOrigin>,
    /// Where it was imported from.
    #[serde(default)]
    pub imported: Option<ImportOrigin>,
    /// Whether it accepts messages.
    pub status: SessionStatus,
    /// Its settings.
    pub settings: Settings,
    /// Increases with every accepted message and every change of settings or status.
    pub version: u64,
    /// The sequence number of the newest event.
    pub head: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// The time of the last event. After expiry, the time of the last event before it.
    pub updated_at: Timestamp,
    /// When it ended or expired.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// What it has used.
    pub stats: Stats,
    /// The beginning of its first message.
    pub title: Option<String>,
    /// Whether it is removed after its turn.
    pub temporary: bool,
    /// Decisions that are saved for the rest of the session.
    pub standing: SavedApprovals,
    /// Texts in the prompt of every turn.
    pub pins: Pins,
    /// A question that the next message answers.
    pub question: Option<OpenQuestion>,
    /// A change of the model after which no turn has been answered yet.
    pub switched: Option<ModelSwitch>,
    pub(crate) open: BTreeMap<TurnId, OpenTurn>,
    pub(crate) lines: TurnQueues,
    pub(crate) running: BTreeMap<AgentId, TurnId>,
    pub(crate) tape: Tape,
    pub(crate) timeline: Timeline,
    pub(crate) reload: ReplayCache,
    pub(crate) keys: IdempotencyKeys,
    /// Recent reports of followers, so that each is recorded once.
    pub(crate) told: VecDeque<ItemId>,
    /// The same for ended items and summaries. They are kept apart, since a follower that is far
    /// behind reports many of them at once, which must not displace the others.
    #[serde(default)]
    pub(crate) told_ended: VecDeque<ItemId>,
    #[serde(default)]
    pub(crate) told_summaries: VecDeque<ItemId>,
    /// When the conversation was last reset.
    pub started_over_at: Option<Timestamp>,
    /// The desktop.
    pub desktop: Desktop,
    /// The entities of the home that every turn gets as context.
    #[serde(default)]
    pub entities: Option<EntityBase>,
    /// What begins by itself.
    #[serde(default)]
    pub schedules: Schedules,
    /// What needs a person.
    #[serde(default)]
    pub alerts: Alerts,
    /// The origin of the title.
    pub(crate) title_origin: Origin,
    /// Whether any text in the session, written or read, was untrusted.
    pub(crate) has_untrusted: bool,
    /// Clients that have read untrusted text with calls of their own, and when.
    pub(crate) read_by: BTreeMap<String, Timestamp>,
}

impl State {
    /// The state after a session's first event; `None` if that is not a start.
    pub fn begin(first: &Event) -> Option<Self> {
        let Body::SessionStarted(SessionStarted { owner, key, settings, forked_from, imported, temporary }) =
            &first.body
        else {
            return None;
        };
        Some(Self {
            id: first.session_id,
            owner: owner.clone(),
            key: key.clone(),
            forked_from: *forked_from,
            imported: imported.clone(),
            status: SessionStatus::Active,
            settings: settings.clone(),
            version: 1,
            head: first.seq,
            created_at: first.at,
            updated_at: first.at,
            ended_at: None,
            stats: Stats::default(),
            title: None,
            temporary: *temporary,
            standing: SavedApprovals::default(),
            pins: Pins::new(),
            question: None,
            switched: None,
            open: BTreeMap::new(),
            lines: TurnQueues::default(),
            running: BTreeMap::new(),
            tape: Tape::default(),
            timeline: Timeline::default(),
            reload: ReplayCache::default(),
            keys: IdempotencyKeys::default(),
            told: VecDeque::new(),
            told_ended: VecDeque::new(),
            told_summaries: VecDeque::new(),
            started_over_at: None,
            desktop: Desktop::default(),
            entities: None,
            schedules: Schedules::default(),
            alerts: Alerts::default(),
            title_origin: Origin::Trusted,
            has_untrusted: first.is_untrusted(),
            read_by: BTreeMap::new(),
        })
    }

    /// The turns that agents are running.
    pub fn running(&self) -> impl Iterator<Item = &OpenTurn> {
        self.running.values().filter_map(|id| self.open.get(id))
    }

    /// The turn with that id, if an agent is running it.
    pub fn running_turn(&self, id: TurnId) -> Option<&OpenTurn> {
        self.open.get(&id).filter(|turn| self.running.get(&turn.agent_id) == Some(&id))
    }

    /// The turn that an agent is running.
    pub(crate) fn turn_of(&self, agent_id: &AgentId) -> Option<&OpenTurn> {
        self.running.get(agent_id).and_then(|id| self.open.get(id))
    }

    /// The turns in an agent's queue, in order.
    pub(crate) fn waiting_for(&self, agent_id: &AgentId) -> impl Iterator<Item = &OpenTurn> {
        self.lines.of(agent_id).filter_map(|id| self.open.get(&id))
    }

    /// A turn that has not ended.
    pub fn open_turn(&self, id: TurnId) -> Option<&OpenTurn> {
        self.open.get(&id)
    }

    /// All turns that have not ended, oldest first.
    pub fn open_turns(&self) -> impl Iterator<Item = &OpenTurn> {
        self.open.values()
    }

    /// Whether some turn makes progress by itself, without waiting for input.
    pub fn is_moving(&self) -> bool {
        !self.running.is_empty() || !self.lines.is_empty() || self.schedules.open_runs().next().is_some()
    }

    /// Whether the server has to load the session after a restart: a turn is unfinished, or the
    /// session is to be removed.
    pub fn needs_recovery(&self) -> bool {
        self.temporary || self.is_moving() || self.alerts.is_under_way()
    }

    /// When the session has to be woken for a schedule or an alert.
    pub fn wake_at(&self) -> Option<Timestamp> {
        if self.status != SessionStatus::Active {
            return self.alerts.due_at();
        }
        self.schedules.first_due_at().into_iter().chain(self.alerts.due_at()).min()
    }

    /// The last ended turns of the primary monitor's main agent, oldest first.
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &RecentTurn> {
        self.tape.main(&MonitorId::primary())
    }

    /// The recent turns in an agent's context, oldest first.
    pub fn recent_of(&self, agent_id: &AgentId) -> Vec<RecentTurn> {
        let group = agent_id.group();
        let window = group.as_ref().and_then(|group| self.desktop.group(group).next()).map(|window| &window.window_id);
        self.tape.told_to(agent_id, window, &self.desktop)
    }

    /// The recent turns in a turn's context, oldest first.
    pub fn recent_for(&self, turn: &OpenTurn) -> Vec<RecentTurn> {
        let window = turn.request.window.as_ref().map(|window| &window.window_id);
        let mut recent = self.tape.told_to(&turn.agent_id, window, &self.desktop);
        if turn.request.background {
            // It is about the conversation as it was: what is said while it works belongs to the
            // conversation after it.
            recent.retain(|earlier| earlier.turn_id < turn.id);
        }
        recent
    }

    /// The cache of earlier turns that can be replayed.
    pub const fn replay_cache(&self) -> &ReplayCache {
        &self.reload
    }

    /// What the main agents have not read yet, oldest first.
    pub fn timeline(&self) -> impl Iterator<Item = &TimelineEntry> {
        self.timeline.iter()
    }

    /// The timeline entries given to a turn, oldest first.
    pub fn timeline_of(&self, turn_id: TurnId) -> impl Iterator<Item = &TimelineEntry> {
        self.timeline.of(turn_id)
    }

    /// Whether this summary was recorded before.
    pub(crate) fn was_told_summary(&self, id: ItemId) -> bool {
        self.told_summaries.contains(&id)
    }

    /// Whether this change of memory was recorded before: an item that was stated, or that has
    /// ended.
    pub(crate) fn was_told_written(&self, written: &MemoryWritten) -> bool {
        let told = if written.value.is_some() { &self.told } else { &self.told_ended };
        written.id.is_some_and(|id| told.contains(&id))
    }

    fn hear_of(told: &mut VecDeque<ItemId>, id: Option<ItemId>) {
        told.extend(id);
        while told.len() > TOLD_MAX {
            told.pop_front();
        }
    }

    /// The open approval requests, oldest turn first.
    pub fn approvals(&self) -> impl Iterator<Item = &ApprovalRequest> {
        let calls = self.open.values().flat_map(|turn| turn.thread.calls());
        calls.filter(|call| call.is_undecided()).filter_map(ThreadCall::open_question)
    }

    /// The earliest deadline of the open questions to the user, to an app or to a client.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        let approvals = self.approvals().map(|request| request.expires_at);
        let handed_out = self.running().flat_map(|turn| turn.thread.calls()).filter(|call| call.awaits_client());
        approvals.chain(self.desktop.next_expiry()).chain(handed_out.filter_map(ThreadCall::client_until)).min()
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
            ended_at: self.ended_at,
            settings: self.settings.clone(),
            stats: self.stats,
            open_turns: self.open.keys().copied().collect(),
            title: self.given_title().or_else(|| self.title.clone()),
            forked_from: self.forked_from,
            imported: self.imported.clone(),
            origin: self.words_origin(),
            tainted: self.has_untrusted,
            read_by: self.read_by.clone(),
        }
    }

    /// The title from the settings. An imported one was not checked, so it is cut to its limit.
    fn given_title(&self) -> Option<String> {
        let given = self.settings.preferences.get(Settings::TITLE)?.as_str()?.trim();
        (!given.is_empty()).then(|| given.chars().take(TITLE_CHARS_MAX).collect())
    }

    /// Applies an event. Total: an event that makes no sense here changes nothing but the head.
    pub fn apply(&mut self, event: &Event) {
        self.head = event.seq;
        // Expiry and later bookkeeping are no activity: lists keep showing the time of the last
        // one.
        let is_expiry = matches!(&event.body, Body::SessionEnded(ended) if ended.expired);
        if self.status != SessionStatus::Expired && !is_expiry {
            self.updated_at = event.at;
        }
        self.has_untrusted |= event.is_untrusted();
        match &event.body {
            // The first event created this state and never occurs again.
            Body::SessionStarted(_) => {}
            Body::SessionUpdated(change) => {
                if change.settings.model != self.settings.model && !self.tape.is_empty() {
                    let from = self.settings.model.clone();
                    self.switched = Some(ModelSwitch { from, seq: event.seq });
                }
                self.settings = change.settings.clone();
                self.version += 1;
            }
            Body::SessionReset(_) => {
                self.tape.clear();
                self.timeline.clear();
                self.reload.clear();
                self.pins.clear();
                (self.question, self.switched) = (None, None);
                self.started_over_at = Some(event.at);
                self.entities = None;
                self.read_by.clear();
                self.version += 1;
            }
            Body::SessionEnded(ended) => {
                self.status = if ended.expired { SessionStatus::Expired } else { SessionStatus::Ended };
                self.ended_at = Some(event.at);
                self.version += 1;
            }
            Body::SummaryCreated(summary) => Self::hear_of(&mut self.told_summaries, Some(summary.id)),
            Body::MemoryWritten(written) => {
                let has_ended = written.value.is_none();
                Self::hear_of(if has_ended { &mut self.told_ended } else { &mut self.told }, written.id);
                // Other levels are stored in the memory; the session only records that they were
                // written.
                if written.level == Level::Pin {
                    across_turns::pin(&mut self.pins, written, event.at, event.turn_id);
                }
            }
            Body::Actions(_)
            | Body::Interacted(_)
            | Body::RenderFailed(_)
            | Body::DialogAnswered(_)
            | Body::ToastActed(_)
            | Body::AppReady(_)
            | Body::AppRequested(_)
            | Body::AppAnswered(_)
            | Body::SessionRestored(_) => {
                self.note_desktop(event);
                self.apply_desktop(event);
            }
            Body::ClientRead(read) => self.note_reading(&read.client, event.at),
            Body::WindowAgent(change) => self.change_window_agent(change),
            Body::MessageAccepted(accepted) => self.accept(accepted, event.seq, event.at),
            Body::MessageSteered(steered) => self.steer(steered, event.seq, event.at),
            Body::Schedule(happened) => self.schedules.apply(happened, event.at),
            Body::Alert(happened) => self.alerts.apply(happened),
            body => {
                if let Some(turn_id) = event.turn_id {
                    self.apply_to_turn(turn_id, body, event);
                }
            }
        }
    }

    fn accept(&mut self, accepted: &MessageAccepted, seq: u64, at: Timestamp) {
        let id = accepted.turn_id;
        if let Some(key) = &accepted.idempotency_key {
            let fingerprint = RequestFingerprint::of(&accepted.request, accepted.retry_of);
            let agent_id = accepted.agent_id.clone();
            self.keys.insert(KeyEntry { key: key.clone(), fingerprint, turn_id: id, agent_id, seq, at });
        }
        if let Some(earlier) = accepted.retry_of {
            self.tape.forget_attempts(earlier);
        }
        if accepted.request.window.is_none() && self.title.is_none() {
            self.title = Some(accepted.request.message.chars().take(BEGINNING_CHARS_MAX).collect());
            self.title_origin = accepted.request.origin;
        }
        self.version += 1;
        self.stats.turns += 1;
        self.question.take_if(|question| accepted.answers == Some(question.turn_id));
        let mut turn = OpenTurn::accepted(accepted, seq, at);
        // The text of an act comes from the window, so it has the origin of the window's content.
        let window = accepted.request.window.as_ref().and_then(|window| self.desktop.window(&window.window_id));
        turn.was_tainted_once = window.is_some_and(|window| window.origin == Origin::Untrusted);
        // The client that makes calls in a session knows what was said in it.
        turn.was_told_tainted = turn.was_tainted_once || self.taints_calls(&accepted.request);
        self.open.insert(id, turn);
        // An agent for a single turn starts at once; the others have a queue.
        if matches!(accepted.agent_id.kind(), Some(AgentKind::Main | AgentKind::Window)) {
            self.lines.join(&accepted.agent_id, id);
        }
    }

    fn steer(&mut self, steered: &MessageSteered, seq: u64, at: Timestamp) {
        if let Some(key) = &steered.idempotency_key {
            let fingerprint = RequestFingerprint::of(&steered.request, None);
            let agent_id = self.open.get(&steered.turn_id).map_or_else(AgentId::main, |turn| turn.agent_id.clone());
            self.keys.insert(KeyEntry { key: key.clone(), fingerprint, turn_id: steered.turn_id, agent_id, seq, at });
        }
        self.version += 1;
        if let Some(turn) = self.open.get_mut(&steered.turn_id) {
            turn.thread.steer(&steered.request.message);
            turn.request.origin = turn.request.origin.and(steered.request.origin);
        }
    }

    fn apply_to_turn(&mut self, id: TurnId, body: &Body, event: &Event) {
        let Some(turn) = self.open.get_mut(&id) else { return };
        match body {
            Body::MessageQueued(_) => {
                turn.status = TurnStatus::Pending;
                self.lines.join(&turn.agent_id, id);
            }
            Body::TurnStage(entered) if entered.stage == Stage::Receive => {
                turn.attempts += 1;
                turn.status = TurnStatus::Running;
                turn.windows_digest = self.desktop.digest(&turn.agent_id.monitor());
                if turn.agent_id.is_main() {
                    self.timeline.give(id, &turn.agent_id.monitor());
                }
                self.take_up(id);
            }
            Body::Step(step) => {
                turn.take_in(step);
                count_step(&mut self.stats, step);
            }
            Body::ApprovalRequested(request) => turn.thread.ask(request),
            Body::ApprovalResolved(resolved) => {
                turn.thread.decide(resolved.approval_id, resolved.decision);
                let asked = turn.thread.calls().filter_map(|call| call.asked.as_ref());
                let request = asked.map(|asked| &asked.request).find(|asked| asked.approval_id == resolved.approval_id);
                if let Some(request) = request {
                    self.standing.take_in(request, resolved.decision);
                }
            }
            Body::MemoryUsed(used) => {
                turn.was_told = true;
                turn.told_tokens = used.tokens;
                turn.was_told_tainted |= used.tainted;
                turn.was_tainted_once |= used.tainted_once;
                turn.known_digest.clone_from(&used.digest);
            }
            Body::ResearchDone(done) => turn.usage = turn.usage.plus(done.usage.unwrap_or_default()),
            Body::ToolsChanged(offer) => turn.request.offer = offer.clone(),
            Body::EntityBase(base) => self.entities = Some(base.clone()),
            Body::Clarification(asked) => {
                self.question = Some(OpenQuestion {
                    turn_id: id,
                    message: turn.request.message.clone(),
                    question: asked.question.clone(),
                });
            }
            Body::Text(range) => turn.append(range, event.at),
            Body::Thinking(range) => turn.thinking_chars += range.delta.chars().count() as u64,
            Body::Final(response) => {
                self.stats.count(response.usage.unwrap_or_default());
                turn.response = Some(response.clone());
            }
            Body::TurnStatus(change) => self.change_status(id, change, event),
            _ => {}
        }
    }

    fn change_status(&mut self, id: TurnId, change: &StatusChanged, event: &Event) {
        let Some(turn) = self.open.get_mut(&id) else { return };
        turn.is_pausing = change.status == Transition::Pausing;
        if turn.is_pausing {
            return;
        }
        turn.status = change.status.status();
        match change.status {
            Transition::Resumed => {
                turn.attempts = change.attempt.unwrap_or(turn.attempts + 1);
                turn.cut_text(change.text_offset.unwrap_or(0));
                self.take_up(id);
            }
            // Its agent waits with it and starts no other turn.
            Transition::Waiting if turn.awaits_person() => {}
            _ => {
                self.running.retain(|_, running| *running != id);
                self.lines.leave(id);
                if turn.status.is_final() {
                    self.close(id, change, event);
                }
            }
        }
    }

    fn take_up(&mut self, id: TurnId) {
        self.lines.leave(id);
        if let Some(turn) = self.open.get(&id) {
            self.running.insert(turn.agent_id.clone(), id);
        }
    }

    fn close(&mut self, id: TurnId, change: &StatusChanged, event: &Event) {
        let Some(turn) = self.open.remove(&id) else { return };
        self.settle_timeline(&turn, change.status, event);
        match change.status {
            Transition::Completed => self.stats.completed += 1,
            Transition::Cancelled => self.stats.cancelled += 1,
            _ => {
                self.stats.failed += 1;
                self.stats.errors += 1;
            }
        }
        if turn.response.is_some() {
            // A turn from before the change does not count as an answer of the new model.
            self.switched.take_if(|switched| turn.agent_id.is_main() && turn.accepted_seq > switched.seq);
        } else {
            // An answer's usage includes its rounds; without an answer they are counted here.
            self.stats.count(change.usage.unwrap_or(turn.usage));
        }
        // A turn of a closed window is not in later contexts.
        let window = turn.request.window.as_ref().map(|window| &window.window_id);
        if window.is_none_or(|window_id| self.desktop.window(window_id).is_some()) {
            let ending = TurnEnding::of(change, turn.response.as_ref());
            self.tape.add(turn, ending);
        }
    }
}

fn count_step(stats: &mut Stats, step: &Step) {
    stats.steps += 1;
    match step {
        Step::ToolCall(_) => stats.tool_calls += 1,
        Step::ToolResult(result) => stats.errors += u64::from(result.status == CallStatus::Error),
        Step::Error(_) => stats.errors += 1,
        _ => {}
    }
}
