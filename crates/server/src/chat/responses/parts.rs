//! The parts of a turn: each is one response. A part ends with calls of the client's functions, and
//! their results begin the next one. Parts are read from the journal; nothing is stored for them.

use engine::{Error, Hub};
use protocol::{
    Body, CallStatus, Event, FORGOTTEN, OwnerId, Request, Step, Timestamp, ToolResult, TurnId, TurnView, Usage,
};

use super::{
    super::calls::{self, OutgoingCall},
    ids::ResponseId,
};

/// Events that are read at once.
const PAGE: usize = 1_000;

/// One response's part of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnPart {
    /// How many calls the turn made before it.
    pub(super) part: usize,
    /// The number of the last event before it.
    pub(super) after: u64,
    /// When it began.
    pub(super) at: Option<Timestamp>,
    /// The messages that began it, or came with the results.
    pub(super) messages: Vec<Request>,
    /// The results that began it: ids of the calls for clients, and texts.
    pub(super) results: Vec<(String, String)>,
    /// Its text.
    pub(super) text: String,
    /// The client's calls that ended it.
    pub(super) calls: Vec<OutgoingCall>,
    /// The turn's usage before it.
    pub(super) usage_before: Usage,
    /// The turn's usage by its calls; of the last part, all that is known from rounds with calls.
    pub(super) usage_after: Usage,
}

/// A turn with its parts.
pub(super) struct TurnParts {
    pub(super) turn: TurnView,
    pub(super) parts: Vec<TurnPart>,
}

impl TurnParts {
    /// Reads a turn.
    pub(super) async fn read(hub: &Hub, owner: &OwnerId, turn_id: TurnId) -> Result<Self, Error> {
        // Events first: a turn that goes on meanwhile is then newer than its parts, never older.
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = hub.turn_events(owner, turn_id, after, Some(PAGE)).await?;
            let is_last = page.next_cursor.is_none() || page.data.is_empty();
            events.extend(page.data);
            if is_last {
                break;
            }
        }
        let turn = hub.turn(owner, turn_id).await?;
        // Of a deleted turn only an empty one is left.
        if turn.request.message == FORGOTTEN {
            return Err(Error::NoTurn);
        }
        let parts = parts(&turn, &events);
        Ok(Self { turn, parts })
    }

    /// The part that a response is, and whether it is the last.
    pub(super) fn find(&self, id: ResponseId) -> Option<(&TurnPart, bool)> {
        let index = self.parts.iter().position(|part| part.part == id.part)?;
        Some((&self.parts[index], index + 1 == self.parts.len()))
    }

    /// The id of the newest response.
    pub(super) fn last(&self) -> ResponseId {
        ResponseId { turn_id: self.turn.turn_id, part: self.parts.last().map_or(0, |part| part.part) }
    }

    /// A call of the client's functions.
    pub(super) fn call(&self, name: &str) -> Option<&OutgoingCall> {
        self.parts.iter().flat_map(|part| &part.calls).find(|call| call.name == name)
    }

    /// The result of such a call.
    pub(super) fn result(&self, name: &str) -> Option<&str> {
        let results = self.parts.iter().flat_map(|part| &part.results);
        results.into_iter().find(|(id, _)| id == name).map(|(_, text)| text.as_str())
    }
}

/// What is known of a turn while its events are read.
struct PartReader<'a> {
    turn: &'a TurnView,
    parts: Vec<TurnPart>,
    text: String,
    /// The number of characters of the text before the current part.
    text_before: usize,
    calls_made: usize,
    usage: Usage,
    /// The client's calls without results.
    open: Vec<String>,
    /// What the next part begins with.
    next: TurnPart,
}

fn parts(turn: &TurnView, events: &[Event]) -> Vec<TurnPart> {
    let first = TurnPart { at: Some(turn.created_at), ..TurnPart::default() };
    let mut reader = PartReader {
        turn,
        parts: vec![first],
        text: String::new(),
        text_before: 0,
        calls_made: 0,
        usage: Usage::default(),
        open: Vec::new(),
        next: TurnPart::default(),
    };
    for event in events {
        reader.read(event);
    }
    reader.end_part();
    reader.parts
}

impl PartReader<'_> {
    fn read(&mut self, event: &Event) {
        match &event.body {
            Body::MessageAccepted(accepted) => self.add_message(&accepted.request, false),
            Body::MessageSteered(steered) => self.add_message(&steered.request, !self.open.is_empty()),
            Body::Text(range) => {
                // A turn that is resumed writes some of its text again.
                let known = usize::try_from(range.offset).unwrap_or(usize::MAX);
                self.text = self.text.chars().take(known).chain(range.delta.chars()).collect();
            }
            Body::Step(Step::Plan(plan)) => {
                self.calls_made += plan.calls.len();
                self.usage = self.usage.plus(plan.usage.unwrap_or_default());
            }
            Body::Step(Step::ToolCall(call)) if call.client_until.is_some() && !call.served => {
                let name = calls::name_of(self.turn, &call.call_id);
                self.open.push(call.call_id.clone());
                let call = OutgoingCall { name, tool: call.tool.clone(), arguments: call.arguments.clone() };
                if let Some(part) = self.parts.last_mut() {
                    part.calls.push(call);
                }
            }
            Body::Step(Step::ToolResult(result)) => self.take_result(result, event),
            _ => {}
        }
    }

    fn add_message(&mut self, request: &Request, is_beside_results: bool) {
        let part = if is_beside_results { Some(&mut self.next) } else { self.parts.last_mut() };
        if let Some(part) = part {
            part.messages.push(request.clone());
        }
    }

    fn take_result(&mut self, result: &ToolResult, event: &Event) {
        let Some(index) = self.open.iter().position(|id| *id == result.call_id) else { return };
        self.open.remove(index);
        // A turn that ends while it waits has no further part.
        if result.status == CallStatus::Cancelled {
            return;
        }
        self.next.results.push((calls::name_of(self.turn, &result.call_id), result.content.clone()));
        if self.open.is_empty() {
            self.end_part();
            let (part, usage_before) = (self.calls_made, self.usage);
            let next = std::mem::take(&mut self.next);
            self.parts.push(TurnPart { part, usage_before, after: event.seq, at: Some(event.at), ..next });
            self.text_before = self.text.chars().count();
        }
    }

    fn end_part(&mut self) {
        let is_continued = self.parts.len() > 1;
        let text: String = self.text.chars().skip(self.text_before).collect();
        if let Some(part) = self.parts.last_mut() {
            // As in the stream: a later part does not begin with the line break before it.
            part.text = if is_continued { text.trim_start_matches('\n').to_owned() } else { text };
            part.usage_after = self.usage;
        }
    }
}
