//! Many agents and one desktop, as clients meet them.

mod app;
mod apps;
mod background;
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
use testkit::{ModelServer, Program, Reply, Rest, Running, Socket, ToolCall};

use crate::program;

/// A model that follows a script, the program, and a session with a client.
pub(crate) struct Desk {
    pub(crate) model: ModelServer,
    pub(crate) program: Program,
    pub(crate) server: Running,
    pub(crate) rest: Rest,
    pub(crate) session: String,
}

impl Desk {
    pub(crate) async fn start() -> Self {
        Self::start_with(|program| program).await
    }

    /// The same with something set. Nothing is remembered between sessions: that is tested elsewhere.
    pub(crate) async fn start_with(set: impl FnOnce(Program) -> Program) -> Self {
        let model = ModelServer::start().await;
        let program = set(program().with_model(&model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false"));
        let server = program.start().await;
        let rest = server.rest();
        let session = rest.session().await;
        Self { model, program, server, rest, session }
    }

    /// The program is killed and started again; the session is the same.
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

    /// The desktop as it stands.
    pub(crate) async fn desktop(&self) -> Value {
        self.rest.get(&format!("/api/v1/sessions/{}/desktop", self.session)).await.ok()
    }

    /// Says something to the main agent and waits for the end.
    pub(crate) async fn say(&self, message: &str) -> Value {
        self.told(json!({ "message": message })).await
    }

    /// The same in some way.
    pub(crate) async fn told(&self, body: Value) -> Value {
        let accepted = self.send(body).await;
        self.rest.ended(accepted["turn_id"].as_str().unwrap()).await
    }

    /// Says something to the main agent and does not wait.
    pub(crate) async fn send(&self, body: Value) -> Value {
        self.rest.post(&format!("/api/v1/sessions/{}/turns", self.session), body).await.ok()
    }

    /// Says something to the agent of a window and does not wait.
    pub(crate) async fn tell(&self, window: &str, content: &str) -> Value {
        let path = format!("/api/v1/sessions/{}/windows/{window}/messages", self.session);
        self.rest.post(&path, json!({ "content": content })).await.ok()
    }

    /// Presses something in a window and does not wait.
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

    /// What the user does on the desktop.
    pub(crate) async fn does(&self, interactions: Value) -> Value {
        let path = format!("/api/v1/sessions/{}/interactions", self.session);
        self.rest.post(&path, json!({ "interactions": interactions })).await.ok()
    }

    /// What has come of something that was accepted, once it has ended or waits for somebody.
    pub(crate) async fn ended(&self, accepted: &Value) -> Value {
        self.rest.ended(accepted["turn_id"].as_str().unwrap()).await
    }

    /// A turn as it stands.
    pub(crate) async fn turn(&self, accepted: &Value) -> Value {
        self.rest.get(&format!("/api/v1/turns/{}", accepted["turn_id"].as_str().unwrap())).await.ok()
    }

    /// Cancels a turn.
    pub(crate) async fn cancel(&self, accepted: &Value) {
        let turn_id = accepted["turn_id"].as_str().unwrap();
        self.rest.post(&format!("/api/v1/turns/{turn_id}/cancel"), json!({})).await.ok();
    }

    /// Stops what an agent works on.
    pub(crate) async fn interrupt(&self, agent_id: &Value) -> Value {
        let asked = json!({ "session_id": self.session, "agent_id": agent_id });
        self.server.socket().await.ask("agent.interrupt", asked).await.unwrap()
    }

    /// Says something to the main agent, which answers by these rounds.
    pub(crate) async fn doing(&self, message: &str, rounds: impl IntoIterator<Item = Reply>) -> Value {
        rounds.into_iter().for_each(|round| self.model.push(round));
        self.say(message).await
    }

    /// A window as it stands.
    pub(crate) async fn window(&self, window: &str) -> Value {
        let desktop = self.desktop().await;
        let windows = desktop["windows"].as_array().unwrap();
        windows.iter().find(|it| it["window_id"] == window).cloned().unwrap_or(Value::Null)
    }
}

/// A round of the model in which it opens a window.
pub(crate) fn opens(window: &str, content: Value) -> Reply {
    acts("window_open", json!({ "window_id": window, "title": format!("The {window}"), "content": content }))
}

/// A round of the model in which it changes what a window shows.
pub(crate) fn shows(window: &str, text: &str) -> Reply {
    acts("window_change", json!({ "window_id": window, "content": { "type": "markdown", "text": text } }))
}

/// A round of the model in which it calls a tool.
pub(crate) fn acts(tool: &str, arguments: Value) -> Reply {
    Reply::tool_calls([ToolCall::new("c1", tool, arguments)])
}

/// Whether a request begins a turn: nothing has been called in it.
pub(crate) fn is_first(request: &testkit::Request) -> bool {
    request.messages().last().is_some_and(|message| message["role"] == "user")
}

/// All that a request tells, as one text.
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

/// What the model is told with the last message of the user: the message and what stands beside it.
pub(crate) fn asked(request: &testkit::Request) -> String {
    let mut users = request.messages().iter().filter(|message| message["role"] == "user");
    users.next_back().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}
