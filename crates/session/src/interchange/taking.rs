//! From messages to the events of a new session, as if it had all happened here. Nothing is run by it.

use protocol::{
    AgentId, Body, CallStatus, Effect, Event, ImportOrigin, MessageAccepted, Origin, OwnerId, Plan, PlannedCall,
    Request, Response, SessionId, SessionName, Settings, SettingsChanged, Stage, StageEntered, Started, StatusChanged,
    Step, Text, Timestamp, ToolCall, ToolResult, Transition, TurnId,
};
use serde_json::{Value, json};

use super::{About, Called, Conversation, Message, Role, Unreadable};
use crate::{
    adopt::distrust_settings,
    limits::{IMAGES_MAX, MESSAGE_BYTES_MAX},
};

/// Messages of a conversation that is taken in.
pub const MESSAGES_MAX: usize = 20_000;
/// Bytes of one message.
pub const TEXT_BYTES_MAX: usize = MESSAGE_BYTES_MAX;
/// Who answered, where nobody is named; and why turns stand where they stand.
pub(super) const IMPORTED: &str = "imported";
/// What stands in for a result that was not told.
const NO_RESULT: &str = "The conversation was taken in from elsewhere, and what came of this call is not in it.";
/// What stands in for the words of a message that is a picture alone.
const PICTURE: &str = "(a picture)";

/// What a new session is made with.
pub struct Import<F> {
    /// Its id.
    pub session_id: SessionId,
    /// Whose it is.
    pub owner: OwnerId,
    /// The client's own name for it.
    pub name: Option<SessionName>,
    /// Where it comes from.
    pub origin: ImportOrigin,
    /// The present moment: nothing happened later.
    pub now: Timestamp,
    /// Draws ids, each larger than the ones before.
    pub new_turn_id: F,
}

impl Conversation {
    /// The events of a new session in which all of this was said: every message of a user is a turn that has ended, with
    /// the calls that follow it. They happened when the messages say, as far as they say so.
    pub fn into_events<F: FnMut() -> TurnId>(self, import: Import<F>) -> Result<Vec<Event>, Unreadable> {
        if self.messages.is_empty() {
            return Err(Unreadable::NoMessages("there are no messages in it".to_owned()));
        }
        if self.messages.len() > MESSAGES_MAX {
            let why = format!("it has {} messages, and at most {MESSAGES_MAX} are taken", self.messages.len());
            return Err(Unreadable::NoMessages(why));
        }
        let Self { values, messages, .. } = self;
        let first_at = messages.iter().filter_map(|message| message.about.at).min();
        let mut sorted = Sorted::default();
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
            let why = format!("what is said before the first message of a user has more than {TEXT_BYTES_MAX} bytes");
            return Err(Unreadable::NoMessages(why));
        }
        if !instructions.is_empty() {
            settings.preferences.insert(Settings::INSTRUCTIONS.to_owned(), json!(instructions));
        }
        if !sorted.earlier.is_empty() {
            settings.preferences.insert(Settings::EARLIER.to_owned(), json!(sorted.earlier));
        }
        distrust_settings(&mut settings);
        let mut writer = Writer { session_id, now, at: first_at.unwrap_or(now).min(now), events: Vec::new() };
        let started = Started {
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
        // What it is set to holds from now on; this is also when it was last touched.
        writer.push(None, Some(now), Body::SessionUpdated(SettingsChanged { settings }));
        Ok(writer.events)
    }
}

/// A turn that is put together.
struct Turn {
    request: Request,
    at: Option<Timestamp>,
    rounds: Vec<Round>,
    answer: String,
    answered: About,
}

/// What a call answered: its words, whether it failed, and when.
type Answered = (String, bool, Option<Timestamp>);

/// Words of an agent and what it called with them.
struct Round {
    text: String,
    calls: Vec<(Called, Option<Answered>)>,
    about: About,
}

/// What was said, in its places.
#[derive(Default)]
struct Sorted {
    instructions: Vec<String>,
    /// What an agent said before any user did.
    earlier: Vec<Value>,
    earlier_bytes: usize,
    turns: Vec<Turn>,
}

impl Sorted {
    fn take(&mut self, index: usize, message: Message) -> Result<(), Unreadable> {
        if message.text.len() > TEXT_BYTES_MAX {
            return Err(Unreadable::at(index, format!("it has more than {TEXT_BYTES_MAX} bytes")));
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

    fn begin(&mut self, index: usize, message: Message) -> Result<(), Unreadable> {
        if message.images.len() > IMAGES_MAX {
            return Err(Unreadable::at(index, format!("it has more than {IMAGES_MAX} pictures")));
        }
        let is_silent = message.text.trim().is_empty();
        if is_silent && message.images.is_empty() {
            return Err(Unreadable::at(index, "a user's message says nothing"));
        }
        let text = if is_silent { PICTURE.to_owned() } else { message.text };
        self.turns.push(Turn {
            // Whoever wrote the file wrote this too.
            request: Request { images: message.images, origin: Origin::Untrusted, ..Request::text(text) },
            at: message.about.at,
            rounds: Vec::new(),
            answer: String::new(),
            answered: About::default(),
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
            turn.answered = About { usage: about.usage.or(turn.answered.usage), ..about };
        } else {
            // What was said before calling again belongs to the round that called.
            let text = joined(std::mem::take(&mut turn.answer), text);
            let calls = calls.into_iter().map(|call| (call, None)).collect();
            turn.answered.usage = about.usage.or(turn.answered.usage);
            turn.rounds.push(Round { text, calls, about });
        }
    }

    fn answer(&mut self, index: usize, message: Message) -> Result<(), Unreadable> {
        let Some(answers) = message.answers else {
            return Err(Unreadable::at(index, "a tool's message answers a call"));
        };
        let Some(turn) = self.turns.last_mut() else {
            // What an agent did before any user spoke is told in its words.
            return Ok(());
        };
        let open = turn.rounds.last_mut().into_iter().flat_map(|round| &mut round.calls);
        let call = open.into_iter().find(|(call, result)| call.id == answers.call_id && result.is_none());
        let Some((_, result)) = call.filter(|_| turn.answer.is_empty()) else {
            let id: String = answers.call_id.chars().take(100).collect();
            return Err(Unreadable::at(index, format!("it answers the call `{id}`, which is not open there")));
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

struct Writer {
    session_id: SessionId,
    now: Timestamp,
    /// When the last of the events happened, for those of which nothing is known.
    at: Timestamp,
    events: Vec<Event>,
}

impl Writer {
    fn push(&mut self, turn_id: Option<TurnId>, at: Option<Timestamp>, body: Body) {
        // Times in a journal never go backwards, whatever the messages say.
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

    fn turn(&mut self, id: TurnId, turn: Turn) {
        let Turn { request, at, rounds, answer, answered } = turn;
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

    /// Text of a later round begins on a line of its own.
    fn say(&mut self, turn_id: Option<TurnId>, at: Option<Timestamp>, said: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let delta = if said.is_empty() { text.to_owned() } else { format!("\n\n{text}") };
        let offset = said.chars().count() as u64;
        said.push_str(&delta);
        self.push(turn_id, at, Body::Text(Text { offset, delta }));
    }

    fn round(&mut self, turn_id: Option<TurnId>, number: u32, round: Round) {
        let Round { calls, about, .. } = round;
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
            ..Plan::default()
        };
        self.push(turn_id, about.at, Body::Step(Step::Plan(plan)));
        for (call, result) in calls {
            // A call without a result may never have begun.
            if result.is_some() {
                let begun = ToolCall {
                    call_id: call.id.clone(),
                    tool: call.tool.clone(),
                    arguments: call.arguments,
                    effect: Effect::default(),
                    key: String::new(),
                    approval_id: None,
                    client_until: None,
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
