//! Export: from a session's events to messages.

use std::collections::BTreeMap;

use protocol::{AgentKind, Body, CallStatus, Event, Settings, Step, Timestamp, TurnId, Usage};
use serde_json::Value;

use super::{
    AnsweredCall, Conversation, Message, MessageCall, MessageMeta, Role,
    import::{IMPORTED, joined},
};
use crate::{
    ending::TurnEnding,
    open_turn::OpenTurn,
    recent::RecentTurn,
    state::State,
    thread::{Round, ThreadEntry},
};

/// A turn that has ended.
struct EndedTurn {
    turn: OpenTurn,
    at: Timestamp,
    rounds: PlannedRounds,
}

/// The rounds with calls of a turn.
#[derive(Default)]
struct PlannedRounds {
    usages: Vec<Option<Usage>>,
    /// The model of the last one.
    model: Option<String>,
}

impl Conversation {
    /// The messages to the main agents, with their calls and answers, since the conversation was
    /// last reset. Turns that have not ended and turns that were retried are left out. `None` if
    /// these are not the events of a session.
    pub fn from_events(events: &[Event]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let mut state = State::begin(first)?;
        let (mut ended, mut summary) = (Vec::<EndedTurn>::new(), None);
        let mut planned: BTreeMap<TurnId, PlannedRounds> = BTreeMap::new();
        for event in rest {
            match &event.body {
                Body::SessionReset(_) => (ended, summary) = (Vec::new(), None),
                Body::SummaryCreated(created) => summary = Some(created.value.clone()),
                Body::MessageAccepted(accepted) => {
                    if let Some(earlier) = accepted.retry_of {
                        ended.retain(|it| it.turn.id != earlier && it.turn.retry_of != Some(earlier));
                    }
                }
                Body::TurnStatus(change) if change.status.status().is_final() => {
                    let turn = event.turn_id.and_then(|id| state.open_turn(id)).filter(|turn| is_main(turn));
                    let rounds = event.turn_id.and_then(|id| planned.remove(&id)).unwrap_or_default();
                    ended.extend(turn.map(|turn| EndedTurn { turn: turn.clone(), at: event.at, rounds }));
                }
                Body::Step(Step::Plan(plan)) => {
                    if let Some(id) = event.turn_id {
                        let rounds = planned.entry(id).or_default();
                        rounds.usages.push(plan.usage);
                        rounds.model = plan.model.clone().or(rounds.model.take());
                    }
                }
                _ => {}
            }
            state.apply(event);
        }
        // Turns are exported in the order in which they were accepted.
        ended.sort_by_key(|it| it.turn.accepted_seq);
        let mut messages = before(&state.settings);
        messages.extend(ended.into_iter().flat_map(messages_of));
        let reserved = [Settings::INSTRUCTIONS, Settings::EARLIER, Settings::DOOR];
        let mut values = state.settings.preferences.clone();
        values.retain(|key, _| !reserved.contains(&key.as_str()));
        Some(Self {
            session_id: Some(state.id),
            name: state.key.clone(),
            created_at: Some(state.created_at),
            updated_at: Some(state.updated_at),
            last_seq: state.head,
            model: state.settings.model.clone(),
            summary,
            values,
            messages,
        })
    }
}

fn is_main(turn: &OpenTurn) -> bool {
    turn.request.window.is_none() && turn.agent_id.kind() == Some(AgentKind::Main)
}

/// The client's instructions and the messages from before the conversation was imported.
fn before(settings: &Settings) -> Vec<Message> {
    let text = |value: &Value| value.as_str().map(str::trim).unwrap_or_default().to_owned();
    let instructions = settings.preferences.get(Settings::INSTRUCTIONS).map(text).filter(|text| !text.is_empty());
    let system = instructions.map(|text| Message::text(Role::System, text, MessageMeta::default()));
    let earlier = settings.preferences.get(Settings::EARLIER).and_then(Value::as_array).into_iter().flatten();
    let earlier = earlier.filter_map(|message| {
        let role = match message["role"].as_str()? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        Some(Message::text(role, message["content"].as_str()?, MessageMeta::default()))
    });
    system.into_iter().chain(earlier).collect()
}

fn messages_of(ended: EndedTurn) -> Vec<Message> {
    let EndedTurn { turn, at, rounds: PlannedRounds { usages, model: planner } } = ended;
    let (turn_id, images, asked_at) = (turn.id, turn.request.images.clone(), turn.accepted_at);
    let response = turn.response.clone();
    // A turn without an answer still has the calls of a model.
    let model = response.as_ref().map(|response| response.model.clone()).or(planner).filter(|model| model != IMPORTED);
    let about = |at| MessageMeta { at: Some(at), turn_id: Some(turn_id), ..MessageMeta::default() };
    let by_agent = || MessageMeta { model: model.clone(), ..about(at) };
    // The file contains only the text, without notes on how the turn ended.
    let recent = RecentTurn::of(turn, TurnEnding::default());
    let asked = Message { images, ..Message::text(Role::User, recent.message, about(asked_at)) };
    let mut messages = vec![asked];
    let rounds = recent.thread.entries().iter().filter(|entry| matches!(entry, ThreadEntry::Round(_))).count();
    // Rounds that are no longer in the thread were paid too: then only the whole turn is counted.
    let mut usages = if usages.len() == rounds { usages } else { vec![None; rounds] }.into_iter();
    let mut counted = Usage::default();
    for entry in recent.thread.entries() {
        match entry {
            ThreadEntry::Steered(text) => messages.push(Message::text(Role::User, text, about(at))),
            ThreadEntry::Round(round) => {
                let usage = usages.next().flatten();
                for message in round_messages(round, turn_id, at, &|| MessageMeta { usage, ..by_agent() }) {
                    counted = counted.plus(message.about.usage.unwrap_or_default());
                    add(&mut messages, message);
                }
            }
        }
    }
    if !recent.answer.is_empty() {
        let usage = response.and_then(|response| response.usage).map(|usage| usage.since(counted));
        let answered = MessageMeta { usage, ..by_agent() };
        add(&mut messages, Message::text(Role::Assistant, recent.answer, answered));
    }
    messages
}

/// Adds a message. Consecutive texts of an agent are joined, since many programs accept only
/// alternating roles.
fn add(messages: &mut Vec<Message>, message: Message) {
    match messages.last_mut() {
        Some(last) if message.role == Role::Assistant && last.role == Role::Assistant && last.calls.is_empty() => {
            let text = joined(std::mem::take(&mut last.text), message.text);
            let about = message.about.with_usage_of(last.about.usage);
            *last = Message { text, about, ..message };
        }
        _ => messages.push(message),
    }
}

fn round_messages(round: &Round, turn_id: TurnId, at: Timestamp, by_agent: &impl Fn() -> MessageMeta) -> Vec<Message> {
    if round.calls.is_empty() && round.text.is_empty() {
        return Vec::new();
    }
    let called = round.calls.iter().map(|call| MessageCall {
        id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
        arguments: call.planned.arguments.clone(),
    });
    let said = Message { calls: called.collect(), ..Message::text(Role::Assistant, &round.text, by_agent()) };
    let results = round.calls.iter().map(|call| {
        let (content, is_error) = match &call.result {
            Some(result) => (result.content.as_str(), is_failure(result.status)),
            // An ended turn has no open calls, but other programs refuse a call without a result.
            None => ("There is no result.", true),
        };
        let about = MessageMeta { at: Some(at), turn_id: Some(turn_id), ..MessageMeta::default() };
        let (call_id, tool) = (call.planned.call_id.clone(), Some(call.planned.tool.clone()));
        Message { answers: Some(AnsweredCall { call_id, tool, is_error }), ..Message::text(Role::Tool, content, about) }
    });
    std::iter::once(said).chain(results).collect()
}

const fn is_failure(status: CallStatus) -> bool {
    matches!(status, CallStatus::Error | CallStatus::Denied | CallStatus::Cancelled)
}
