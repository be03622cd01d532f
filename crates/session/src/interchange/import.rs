//! Import: from messages to the events of a new session, as if the conversation had taken place
//! here. Nothing is executed.

use protocol::{
    AgentId, Body, CallStatus, Effect, Event, ImportOrigin, MessageAccepted, Origin, OwnerId, Plan, PlannedCall,
    Request, Response, SessionId, SessionName, SessionStarted, Settings, SettingsChanged, Stage, StageEntered,
    StatusChanged, Step, TextDelta, Timestamp, ToolCall, ToolResult, Transition, TurnId,
};
use serde_json::{Value, json};

use super::{Conversation, ImportError, Message, MessageCall, MessageMeta, Role};
use crate::{
    adopt::mark_settings_untrusted,
    limits::{IMAGES_MAX, MESSAGE_BYTES_MAX},
};

/// Maximum number of messages in an imported conversation.
pub const MESSAGES_MAX: usize = 20_000;
/// Maximum size of one message in bytes.
pub const TEXT_BYTES_MAX: usize = MESSAGE_BYTES_MAX;
/// The author of an answer if none is named, and the reason of the imported turns' status changes.
pub(super) const IMPORTED: &str = "imported";
/// Placeholder for a result that the conversation does not contain.
const NO_RESULT: &str = "The conversation was imported without the result of this call.";
/// Placeholder for the text of a message that contains only an image.
const PICTURE: &str = "(an image)";

/// Properties of the new session.
pub struct Import<F> {
    /// Its id.
    pub session_id: SessionId,
    /// Owner of the session.
    pub owner: OwnerId,
    /// The client's own name for it.
    pub name: Option<SessionName>,
    /// Where it comes from.
    pub origin: ImportOrigin,
    /// The current time; no imported event is later.
    pub now: Timestamp,
    /// Generates ids, each larger than the ones before.
    pub new_turn_id: F,
}

impl Conversation {
    /// The events of a new session with this conversation. Every user message becomes an ended turn
    /// with the calls that follow it. The events have the times of the messages, as far as these
    /// are known.
    pub fn into_events<F: FnMut() -> TurnId>(self, import: Import<F>) -> Result<Vec<Event>, ImportError> {
        if self.messages.is_empty() {
            return Err(ImportError::NoMessages("there are no messages in it".to_owned()));
        }
        if self.messages.len() > MESSAGES_MAX {
            let why = format!("it has {} messages; at most {MESSAGES_MAX} are allowed", self.messages.len());
            return Err(ImportError::NoMessages(why));
        }
        let Self { values, messages, .. } = self;
        let first_at = messages.iter().filter_map(|message| message.about.at).min();
        let mut sorted = SortedMessages::default();
        for (index, message) in messages.into_iter().enumerate() {
            sorted.take(index, message)?;
        }
        let Import { session_id, owner, name, origin, now, mut new_turn_id } = import;
        let mut settings = Settings { preferences: values, ..Settings::default() };
        for key in [Settings::INSTRUCTIONS, Settings::EARLIER, Settings::DOOR] {
            settings.preferences.remove(key);
        }
        let instructions = sorted.instructions.join("\n\n");
        if instructions.len() > TEXT_BYTES_MAX || sorted.earlier_bytes > TEXT_BYTES_MAX {
            let why = format!("the messages before the first user message have more than {TEXT_BYTES_MAX} bytes");
            return Err(ImportError::NoMessages(why));
        }
        if !instructions.is_empty() {
            settings.preferences.insert(Settings::INSTRUCTIONS.to_owned(), json!(instructions));
        }
        if !sorted.earlier.is_empty() {
            settings.preferences.insert(Settings::EARLIER.to_owned(), json!(sorted.earlier));
        }
        mark_settings_untrusted(&mut settings);
        let mut writer = EventWriter { session_id, now, at: first_at.unwrap_or(now).min(now), events: Vec::new() };
        let started = SessionStarted {
            owner,
            key: name,
            settings: settings.clone(),
            forked_from: None,
            imported: Some(origin),
            temporary: false,
        };
        writer.push(None, None, Body::SessionStarted(started));
        for turn in sorted.turns {
            writer.turn(new_turn_id(), turn);
        }
        // The settings apply from now on. The time of this event is also the session's last update.
        writer.push(None, Some(now), Body::SessionUpdated(SettingsChanged { settings }));
        Ok(writer.events)
    }
}

/// A turn that is being built from messages.
struct ImportedTurn {
    request: Request,
    at: Option<Timestamp>,
    rounds: Vec<ImportedRound>,
    answer: String,
    answered: MessageMeta,
}

/// The result of a call: its text, whether the call failed, and when it ended.
type ImportedAnswer = (String, bool, Option<Timestamp>);

/// Text of an agent and the calls it made with it.
struct ImportedRound {
    text: String,
    calls: Vec<(MessageCall, Option<ImportedAnswer>)>,
    about: MessageMeta,
}

/// The messages, sorted into turns.
#[derive(Default)]
struct SortedMessages {
    instructions: Vec<String>,
    /// What an agent wrote before the first user message.
    earlier: Vec<Value>,
    earlier_bytes: usize,
    turns: Vec<ImportedTurn>,
}

impl SortedMessages {
    fn take(&mut self, index: usize, message: Message) -> Result<(), ImportError> {
        if message.text.len() > TEXT_BYTES_MAX {
            return Err(ImportError::at(index, format!("it has more than {TEXT_BYTES_MAX} bytes")));
        }
        match message.role {
            Role::System => {
                let text = message.text.trim();
                self.instructions.extend((!text.is_empty()).then(|| text.to_owned()));
            }
            Role::User => self.begin(index, message)?,
            Role::Assistant => self.say(message),
            Role::Tool => self.answer(index, message)?,
        }
        Ok(())
    }

    fn begin(&mut self, index: usize, message: Message) -> Result<(), ImportError> {
        if message.images.len() > IMAGES_MAX {
            return Err(ImportError::at(index, format!("it has more than {IMAGES_MAX} images")));
        }
        let is_silent = message.text.trim().is_empty();
        if is_silent && message.images.is_empty() {
            return Err(ImportError::at(index, "a user message is empty"));
        }
        let text = if is_silent { PICTURE.to_owned() } else { message.text };
        self.turns.push(ImportedTurn {
            // The author of the file may have written this text too.
            request: Request { images: message.images, origin: Origin::Untrusted, ..Request::text(text) },
            at: message.about.at,
            rounds: Vec::new(),
            answer: String::new(),
            answered: MessageMeta::default(),
        });
        Ok(())
    }

    fn say(&mut self, message: Message) {
        let Message { mut text, calls, about, .. } = message;
        let Some(turn) = self.turns.last_mut() else {
            for call in &calls {
                text.push_str(&format!("{}[called `{}`]", if text.is_empty() { "" } else { "\n" }, call.tool));
            }
            self.earlier_bytes += text.len();
            self.earlier.extend((!text.is_empty()).then(|| json!({ "role": "assistant", "content": text })));
            return;
        };
        if calls.is_empty() {
            turn.answer = joined(std::mem::take(&mut turn.answer), text);
            turn.answered = about.with_usage_of(turn.answered.usage);
        } else {
            // Text before another call belongs to the round of that call.
            let text = joined(std::mem::take(&mut turn.answer), text);
            let calls = calls.into_iter().map(|call| (call, None)).collect();
            turn.answered = std::mem::take(&mut turn.answered).with_usage_of(about.usage);
            turn.rounds.push(ImportedRound { text, calls, about });
        }
    }

    fn answer(&mut self, index: usize, message: Message) -> Result<(), ImportError> {
        let Some(answers) = message.answers else {
            return Err(ImportError::at(index, "a tool's message answers a call"));
        };
        let Some(turn) = self.turns.last_mut() else {
            // Calls before the first user message are not imported; the agent's text covers them.
            return Ok(());
        };
        let open = turn.rounds.last_mut().into_iter().flat_map(|round| &mut round.calls);
        let call = open.into_iter().find(|(call, result)| call.id == answers.call_id && result.is_none());
        let Some((_, result)) = call.filter(|_| turn.answer.is_empty()) else {
            let id: String = answers.call_id.chars().take(100).collect();
            return Err(ImportError::at(index, format!("it answers the call `{id}`, which is not open there")));
        };
        *result = Some((message.text, answers.is_error, message.about.at));
        Ok(())
    }
}

pub(super) fn joined(before: String, text: String) -> String {
    match (before.is_empty(), text.is_empty()) {
        (true, _) => text,
        (_, true) => before,
        _ => format!("{before}\n\n{text}"),
    }
}

struct EventWriter {
    session_id: SessionId,
    now: Timestamp,
    /// The time of the last event, which also counts for events without a time.
    at: Timestamp,
    events: Vec<Event>,
}

impl EventWriter {
    fn push(&mut self, turn_id: Option<TurnId>, at: Option<Timestamp>, body: Body) {
        // Times in a journal never decrease, whatever the messages say.
        self.at = at.map_or(self.at, |at| at.min(self.now).max(self.at));
        self.events.push(Event {
            seq: self.events.len() as u64 + 1,
            session_id: self.session_id,
            turn_id,
            agent_id: turn_id.map(|_| AgentId::main()),
            at: self.at,
            body,
        });
    }

    fn turn(&mut self, id: TurnId, turn: ImportedTurn) {
        let ImportedTurn { request, at, rounds, answer, answered } = turn;
        let own = Some(id);
        self.push(
            own,
            at,
            Body::MessageAccepted(MessageAccepted {
                turn_id: id,
                agent_id: AgentId::main(),
                request,
                idempotency_key: None,
                retry_of: None,
                answers: None,
            }),
        );
        self.push(own, None, stage(Stage::Receive));
        let mut said = String::new();
        for (number, round) in rounds.into_iter().enumerate() {
            let at = round.about.at;
            self.say(own, at, &mut said, &round.text);
            self.round(own, u32::try_from(number + 1).unwrap_or(u32::MAX), round);
        }
        if answer.is_empty() {
            self.push(own, None, Body::TurnStatus(StatusChanged::to(Transition::Cancelled).because(IMPORTED)));
            return;
        }
        self.say(own, answered.at, &mut said, &answer);
        let model = answered.model.unwrap_or_else(|| IMPORTED.to_owned());
        self.push(own, answered.at, stage(Stage::Complete));
        self.push(own, None, Body::Final(Response { usage: answered.usage, ..Response::text(said, model) }));
        self.push(own, None, Body::TurnStatus(StatusChanged::to(Transition::Completed).because(IMPORTED)));
    }

    /// The text of a later round starts on a new line.
    fn say(&mut self, turn_id: Option<TurnId>, at: Option<Timestamp>, said: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let delta = if said.is_empty() { text.to_owned() } else { format!("\n\n{text}") };
        let offset = said.chars().count() as u64;
        said.push_str(&delta);
        self.push(turn_id, at, Body::Text(TextDelta { offset, delta }));
    }

    fn round(&mut self, turn_id: Option<TurnId>, number: u32, round: ImportedRound) {
        let ImportedRound { calls, about, .. } = round;
        let planned = calls.iter().map(|(call, _)| PlannedCall {
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            signatures: Vec::new(),
            looked_up: false,
        });
        let plan = Plan {
            round: number,
            calls: planned.collect(),
            model: Some(about.model.unwrap_or_else(|| IMPORTED.to_owned())),
            usage: about.usage,
            ..Plan::default()
        };
        self.push(turn_id, about.at, Body::Step(Step::Plan(plan)));
        for (call, result) in calls {
            // A call without a result may never have started.
            if result.is_some() {
                let begun = ToolCall {
                    call_id: call.id.clone(),
                    tool: call.tool.clone(),
                    arguments: call.arguments,
                    effect: Effect::default(),
                    key: String::new(),
                    approval_id: None,
                    client_until: None,
                    served: false,
                };
                self.push(turn_id, None, Body::Step(Step::ToolCall(begun)));
            }
            let (status, content, origin, at) = match result {
                Some((text, false, at)) => (CallStatus::Ok, text, Origin::Untrusted, at),
                Some((text, true, at)) => (CallStatus::Error, text, Origin::Untrusted, at),
                None => (CallStatus::Cancelled, NO_RESULT.to_owned(), Origin::Trusted, None),
            };
            let result = ToolResult {
                call_id: call.id,
                tool: call.tool,
                status,
                content,
                origin,
                artifact_id: None,
                sources: Vec::new(),
                duration_ms: None,
            };
            self.push(turn_id, at, Body::Step(Step::ToolResult(result)));
        }
    }
}

fn stage(stage: Stage) -> Body {
    Body::TurnStage(StageEntered { stage, detail: None })
}
