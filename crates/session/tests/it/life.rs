//! A session lived in memory: commands in, events out, the state kept beside them.

use protocol::{
    Body, ChatSend, Event, OwnerId, Response, SessionId, Settings, Start, Timestamp, TurnId, TurnStatus, TurnView,
    Usage,
};
use session::{Command, Decision, Effect, Outcome, Refusal, State, decide, fold_turns, start};
use ulid::Ulid;

pub(crate) struct Life {
    pub(crate) state: State,
    pub(crate) journal: Vec<Event>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) now: Timestamp,
}

pub(crate) fn turn(n: u8) -> TurnId {
    TurnId::new(Ulid::from_parts(1_000 + u64::from(n), u128::from(n)))
}

pub(crate) fn session_id(n: u8) -> SessionId {
    SessionId::new(Ulid::from_parts(1, u128::from(n)))
}

impl Life {
    pub(crate) fn begin(settings: Settings) -> Self {
        let owner: OwnerId = "ada".parse().unwrap();
        let now = Timestamp::from_millis(1_700_000_000_000);
        let asked = Start { policy: Some(settings.policy), budgets: Some(settings.budgets), ..Start::default() };
        let first = start(session_id(1), owner, asked, now).unwrap();
        Self { state: State::begin(&first).unwrap(), journal: vec![first], effects: Vec::new(), now }
    }

    /// Decides, numbers, applies: what the engine does around a commit.
    pub(crate) fn run(&mut self, command: Command) -> Result<Outcome, Refusal> {
        let Decision { events, effects, outcome } = decide(&self.state, command, self.now)?;
        for draft in events {
            let event = draft.number(self.state.id, self.state.head + 1, self.now);
            self.state.apply(&event);
            self.journal.push(event);
        }
        self.effects.extend(effects);
        Ok(outcome)
    }

    pub(crate) fn send(&mut self, n: u8, message: &str) -> Result<Outcome, Refusal> {
        self.run(Command::Send { turn_id: turn(n), send: ChatSend::text(message) })
    }

    pub(crate) fn finish(&mut self, n: u8, message: &str) -> Outcome {
        let usage = Some(Usage { input_tokens: 3, output_tokens: 2 });
        let response = Response { message: message.to_owned(), model: "m".to_owned(), usage };
        self.run(Command::Finish { turn_id: turn(n), response }).unwrap()
    }

    pub(crate) fn text(&mut self, n: u8, delta: &str) -> Outcome {
        self.run(Command::Text { turn_id: turn(n), delta: delta.to_owned() }).unwrap()
    }

    pub(crate) fn view(&self, n: u8) -> TurnView {
        fold_turns(&self.journal).into_iter().find(|view| view.turn_id == turn(n)).unwrap()
    }

    pub(crate) fn status(&self, n: u8) -> TurnStatus {
        self.view(n).status
    }

    /// The names of all events so far, for tables.
    pub(crate) fn names(&self) -> Vec<String> {
        self.journal.iter().map(|event| name(&event.body)).collect()
    }
}

pub(crate) fn name(body: &Body) -> String {
    let json = serde_json::to_value(body).unwrap();
    json["type"].as_str().unwrap().to_owned()
}
