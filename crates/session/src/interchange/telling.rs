//! From a session's events to messages.

use protocol::{AgentKind, Body, CallStatus, Event, Settings, Timestamp, TurnId};
use serde_json::Value;

use super::{
    About, Answered, Called, Conversation, Message, Role,
    taking::{IMPORTED, joined},
};
use crate::{
    ending::Ending,
    open_turn::OpenTurn,
    recent::RecentTurn,
    state::State,
    thread::{Entry, Round},
};

/// A turn that has ended.
struct Ended {
    turn: OpenTurn,
    at: Timestamp,
}

impl Conversation {
    /// What was said to the main agents and what they did and answered, since the conversation last started over. A turn
    /// that has not ended is left out, and so is one that was asked again. None if these are not a session's events.
    pub fn told(events: &[Event]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let mut state = State::begin(first)?;
        let (mut ended, mut summary) = (Vec::<Ended>::new(), None);
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
                    ended.extend(turn.map(|turn| Ended { turn: turn.clone(), at: event.at }));
                }
                _ => {}
            }
            state.apply(event);
        }
        // Turns are told in the order in which they were asked.
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

/// What the client asks of every answer, and what was said before the conversation came here.
fn before(settings: &Settings) -> Vec<Message> {
    let text = |value: &Value| value.as_str().map(str::trim).unwrap_or_default().to_owned();
    let instructions = settings.preferences.get(Settings::INSTRUCTIONS).map(text).filter(|text| !text.is_empty());
    let system = instructions.map(|text| Message::text(Role::System, text, About::default()));
    let earlier = settings.preferences.get(Settings::EARLIER).and_then(Value::as_array).into_iter().flatten();
    let earlier = earlier.filter_map(|message| {
        let role = match message["role"].as_str()? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        Some(Message::text(role, message["content"].as_str()?, About::default()))
    });
    system.into_iter().chain(earlier).collect()
}

fn messages_of(ended: Ended) -> Vec<Message> {
    let Ended { turn, at } = ended;
    let (turn_id, images, asked_at) = (turn.id, turn.request.images.clone(), turn.accepted_at);
    let response = turn.response.clone();
    let model = response.as_ref().map(|response| response.model.clone()).filter(|model| model != IMPORTED);
    let about = |at| About { at: Some(at), turn_id: Some(turn_id), ..About::default() };
    let by_agent = || About { model: model.clone(), ..about(at) };
    // The file says what was said, and no more.
    let recent = RecentTurn::of(turn, Ending::default());
    let asked = Message { images, ..Message::text(Role::User, recent.message, about(asked_at)) };
    let mut messages = vec![asked];
    for entry in recent.thread.entries() {
        match entry {
            Entry::Steered(text) => messages.push(Message::text(Role::User, text, about(at))),
            Entry::Round(round) => {
                round_messages(round, turn_id, at, &by_agent)
                    .into_iter()
                    .for_each(|message| add(&mut messages, message));
            }
        }
    }
    if !recent.answer.is_empty() {
        let usage = response.and_then(|response| response.usage);
        let answered = About { usage, ..by_agent() };
        add(&mut messages, Message::text(Role::Assistant, recent.answer, answered));
    }
    messages
}

/// Adds a message. Words of an agent that nothing came between are one message: many programs take no other.
fn add(messages: &mut Vec<Message>, message: Message) {
    match messages.last_mut() {
        Some(last) if message.role == Role::Assistant && last.role == Role::Assistant && last.calls.is_empty() => {
            let text = joined(std::mem::take(&mut last.text), message.text);
            *last = Message { text, ..message };
        }
        _ => messages.push(message),
    }
}

fn round_messages(round: &Round, turn_id: TurnId, at: Timestamp, by_agent: &impl Fn() -> About) -> Vec<Message> {
    if round.calls.is_empty() && round.text.is_empty() {
        return Vec::new();
    }
    let called = round.calls.iter().map(|call| Called {
        id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
        arguments: call.planned.arguments.clone(),
    });
    let said = Message { calls: called.collect(), ..Message::text(Role::Assistant, &round.text, by_agent()) };
    let results = round.calls.iter().map(|call| {
        let (content, is_error) = match &call.result {
            Some(result) => (result.content.as_str(), is_failure(result.status)),
            // A turn that has ended has none; half of a pair would be refused elsewhere.
            None => ("There is no result.", true),
        };
        let about = About { at: Some(at), turn_id: Some(turn_id), ..About::default() };
        let (call_id, tool) = (call.planned.call_id.clone(), Some(call.planned.tool.clone()));
        Message { answers: Some(Answered { call_id, tool, is_error }), ..Message::text(Role::Tool, content, about) }
    });
    std::iter::once(said).chain(results).collect()
}

const fn is_failure(status: CallStatus) -> bool {
    matches!(status, CallStatus::Error | CallStatus::Denied | CallStatus::Cancelled)
}
