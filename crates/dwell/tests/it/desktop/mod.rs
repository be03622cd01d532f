//! The desktop: several agents and windows, as clients see them.

mod app;
mod apps;
mod background;
mod closed_windows;
mod concurrency;
mod connections;
mod dialogs;
mod groups;
mod kill;
mod locks;
mod monitors;
mod pitfalls;
mod reload;
mod reload_never;
mod reload_policy;
mod restart;
mod restoring;
mod taint;
mod windows;

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, RunningServer, Socket, ToolCall};

use crate::program;

/// A scripted model, the program, and a session with a client.
pub(crate) struct DesktopHarness {
    pub(crate) model: ModelServer,
    pub(crate) program: Program,
    pub(crate) server: RunningServer,
    pub(crate) rest: RestClient,
    pub(crate) session: String,
}

impl DesktopHarness {
    pub(crate) async fn start() -> Self {
        Self::start_with(|program| program).await
    }

    /// The same with other settings. Memory between sessions is off, because other tests cover it.
    pub(crate) async fn start_with(set: impl FnOnce(Program) -> Program) -> Self {
        let model = ModelServer::start().await;
        let program = set(program().with_model(&model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false"));
        let server = program.start().await;
        let rest = server.rest();
        let session = rest.session().await;
        Self { model, program, server, rest, session }
    }

    /// Kills the program and starts it again; the session stays the same.
    pub(crate) async fn restart(self) -> Self {
        let Self { model, program, server, session, .. } = self;
        server.kill().await;
        let server = program.start().await;
        let rest = server.rest();
        Self { model, program, server, rest, session }
    }

    /// A connection that follows the session from its beginning.
    pub(crate) async fn socket(&self) -> Socket {
        let mut socket = self.server.socket().await;
        socket.ask("session.resume", json!({ "session_id": self.session })).await.unwrap();
        socket
    }

    /// The current desktop.
    pub(crate) async fn desktop(&self) -> Value {
        self.rest.get(&format!("/api/v1/sessions/{}/desktop", self.session)).await.ok()
    }

    /// Sends a message to the main agent and waits for the end of its turn.
    pub(crate) async fn say(&self, message: &str) -> Value {
        self.told(json!({ "message": message })).await
    }

    /// The same with any fields.
    pub(crate) async fn told(&self, body: Value) -> Value {
        let accepted = self.send(body).await;
        self.rest.ended(accepted["turn_id"].as_str().unwrap()).await
    }

    /// Sends a message to the main agent and does not wait.
    pub(crate) async fn send(&self, body: Value) -> Value {
        self.rest.post(&format!("/api/v1/sessions/{}/turns", self.session), body).await.ok()
    }

    /// Sends a message to the agent of a window and does not wait.
    pub(crate) async fn tell(&self, window: &str, content: &str) -> Value {
        let path = format!("/api/v1/sessions/{}/windows/{window}/messages", self.session);
        self.rest.post(&path, json!({ "content": content })).await.ok()
    }

    /// Triggers an action in a window and does not wait.
    pub(crate) async fn press(&self, window: &str, act: Value) -> Value {
        self.rest.post(&format!("/api/v1/sessions/{}/windows/{window}/actions", self.session), act).await.ok()
    }

    /// Lets the main agent open a window.
    pub(crate) async fn open(&self, window: &str, content: Value) -> Value {
        self.model.push(opens(window, content));
        self.model.push(Reply::text(format!("Opened {window}.")));
        let turn = self.say(&format!("Please open the window named {window} for me.")).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        turn
    }

    /// Sends interactions of the user with the desktop.
    pub(crate) async fn does(&self, interactions: Value) -> Value {
        let path = format!("/api/v1/sessions/{}/interactions", self.session);
        self.rest.post(&path, json!({ "interactions": interactions })).await.ok()
    }

    /// An accepted turn, after it has ended or while it waits for the user.
    pub(crate) async fn ended(&self, accepted: &Value) -> Value {
        self.rest.ended(accepted["turn_id"].as_str().unwrap()).await
    }

    /// The current state of a turn.
    pub(crate) async fn turn(&self, accepted: &Value) -> Value {
        self.rest.get(&format!("/api/v1/turns/{}", accepted["turn_id"].as_str().unwrap())).await.ok()
    }

    /// Cancels a turn.
    pub(crate) async fn cancel(&self, accepted: &Value) {
        let turn_id = accepted["turn_id"].as_str().unwrap();
        self.rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    }

    /// Interrupts the turn that an agent works on.
    pub(crate) async fn interrupt(&self, agent_id: &Value) -> Value {
        let asked = json!({ "session_id": self.session, "agent_id": agent_id });
        self.server.socket().await.ask("agent.interrupt", asked).await.unwrap()
    }

    /// Sends a message to the main agent, for which the model gives these replies.
    pub(crate) async fn doing(&self, message: &str, rounds: impl IntoIterator<Item = Reply>) -> Value {
        rounds.into_iter().for_each(|round| self.model.push(round));
        self.say(message).await
    }

    /// The current state of a window.
    pub(crate) async fn window(&self, window: &str) -> Value {
        let desktop = self.desktop().await;
        let windows = desktop["windows"].as_array().unwrap();
        windows.iter().find(|it| it["window_id"] == window).cloned().unwrap_or(Value::Null)
    }
}

/// A model reply that opens a window.
pub(crate) fn opens(window: &str, content: Value) -> Reply {
    acts("window_open", json!({ "window_id": window, "title": format!("The {window}"), "content": content }))
}

/// A model reply that changes the content of a window.
pub(crate) fn shows(window: &str, text: &str) -> Reply {
    acts("window_change", json!({ "window_id": window, "content": { "type": "markdown", "text": text } }))
}

/// A model reply that calls a tool.
pub(crate) fn acts(tool: &str, arguments: Value) -> Reply {
    Reply::tool_calls([ToolCall::new("c1", tool, arguments)])
}

/// Whether a request begins a turn: it has no tool call yet.
pub(crate) fn is_first(request: &testkit::Request) -> bool {
    request.messages().last().is_some_and(|message| message["role"] == "user")
}

/// Everything in a request, as one text.
pub(crate) fn all(request: &testkit::Request) -> String {
    request.messages().iter().map(|message| message["content"].to_string()).collect()
}

/// A window with buttons.
pub(crate) fn buttons(actions: &[&str]) -> Value {
    let buttons: Vec<Value> =
        actions.iter().map(|action| json!({ "type": "button", "label": action, "action": action })).collect();
    json!({ "type": "components", "components": buttons })
}

/// A plain window.
pub(crate) fn markdown(text: &str) -> Value {
    json!({ "type": "markdown", "text": text })
}

/// The last user message of a request, with the notes below it.
pub(crate) fn asked(request: &testkit::Request) -> String {
    let mut users = request.messages().iter().filter(|message| message["role"] == "user");
    users.next_back().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}
