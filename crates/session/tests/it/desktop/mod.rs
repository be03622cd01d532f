//! Windows, dialogs, apps and monitors, tested through commands and events.

mod acting;
mod apps;
mod asking;
mod interleaving;
mod properties;
mod user;

use protocol::{
    Action, AgentId, Body, Bounds, MessageAccepted, MonitorId, Origin, Request, Stage, StageEntered, ToastId, Window,
    WindowContent, WindowId, WindowRequest,
};
use serde_json::json;
use session::{Command, CommandOutcome, EventDraft, Refusal, TurnReport};
use ulid::Ulid;

use crate::test_session::{TestSession, turn};

pub(super) fn test_session() -> TestSession {
    let mut session = TestSession::begin(protocol::Settings::default());
    session.send(1, "go").unwrap();
    session
}

pub(super) fn id(name: &str) -> WindowId {
    name.parse().unwrap()
}

pub(super) fn monitor(name: &str) -> MonitorId {
    name.parse().unwrap()
}

pub(super) fn toast_id(n: u8) -> ToastId {
    ToastId::new(Ulid::from_parts(3, u128::from(n)))
}

pub(super) fn text(text: &str) -> WindowContent {
    WindowContent::Text { text: text.to_owned() }
}

pub(super) const BOUNDS: Bounds = Bounds { x: 10, y: 20, width: 300, height: 200 };

pub(super) fn create(name: &str) -> Action {
    Action::Create {
        window_id: id(name),
        group: None,
        title: format!("Window {name}"),
        bounds: BOUNDS,
        content: text("hello"),
        origin: Origin::Trusted,
        token: None,
    }
}

pub(super) fn create_app(name: &str, token: Option<&str>) -> Action {
    Action::Create {
        window_id: id(name),
        group: None,
        title: "Board".to_owned(),
        bounds: BOUNDS,
        content: WindowContent::App { app: "notes".to_owned(), params: json!(null) },
        origin: Origin::Trusted,
        token: token.map(str::to_owned),
    }
}

pub(super) fn show(name: &str, content: WindowContent, origin: Origin) -> Action {
    Action::Content { window_id: id(name), content, origin, token: None }
}

impl TestSession {
    /// The agent of turn `n` performs actions, under a key of its own.
    pub(super) fn act(&mut self, n: u8, actions: Vec<Action>) -> Result<CommandOutcome, Refusal> {
        let key = format!("key {}", self.journal.len());
        self.try_report(n, TurnReport::Act { key, actions, replay_of: None })
    }

    pub(super) fn try_report(&mut self, n: u8, report: TurnReport) -> Result<CommandOutcome, Refusal> {
        self.run(Command::Report { turn_id: turn(n), report })
    }

    /// An agent starts turn `n`.
    pub(super) fn take_up(&mut self, n: u8, agent_id: AgentId, window: Option<&str>) {
        let window = window.map(|name| WindowRequest { window_id: id(name), act: None });
        let request = Request { monitor_id: agent_id.monitor(), window, ..Request::text("go") };
        let accepted = MessageAccepted {
            turn_id: turn(n),
            agent_id: agent_id.clone(),
            request,
            idempotency_key: None,
            retry_of: None,
            answers: None,
        };
        let begun = StageEntered { stage: Stage::Receive, detail: None };
        for body in [Body::MessageAccepted(accepted), Body::TurnStage(begun)] {
            let draft = EventDraft { turn: Some((turn(n), agent_id.clone())), body };
            let event = draft.number(self.state.id, self.state.head + 1, self.now);
            self.state.apply(&event);
            self.journal.push(event);
        }
        self.effects.push(session::Effect::Run(turn(n)));
    }

    pub(super) fn window(&self, name: &str) -> &Window {
        self.state.desktop.window(&id(name)).unwrap()
    }

    /// The names of the windows, from the back to the front.
    pub(super) fn stack(&self) -> Vec<&str> {
        self.state.desktop.windows().map(|window| window.window_id.as_str()).collect()
    }
}
