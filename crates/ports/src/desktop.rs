//! The port to the desktop of a session.

use std::time::Duration;

use async_trait::async_trait;
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, DesktopView, DialogAnswer, DialogForm, MonitorId, TurnId, WindowId,
};

use crate::tool_failure::ToolFailure;

/// A question to the user.
#[derive(Debug, Clone, PartialEq)]
pub struct UserQuestion {
    /// The window it is about.
    pub window_id: Option<WindowId>,
    /// The title of the dialog.
    pub title: String,
    /// The question.
    pub text: String,
    /// The form of the answer.
    pub form: DialogForm,
    /// How long to wait for the answer.
    pub timeout: Duration,
}

/// The session's desktop, as far as a tool can reach it. An operation whose key was used before is
/// not done again: it returns the first result.
#[async_trait]
pub trait DesktopPort: Send + Sync + 'static {
    /// The agent that calls.
    fn agent_id(&self) -> &AgentId;

    /// The monitor it works on.
    fn monitor_id(&self) -> MonitorId;

    /// The current desktop with all its monitors.
    async fn view(&self) -> Result<DesktopView, ToolFailure>;

    /// Performs actions on the monitor of the calling agent; they are durable when this returns.
    /// The error says why not: the window does not exist, is locked by another agent or the user,
    /// or a limit is reached.
    async fn act(&self, key: &str, actions: Vec<Action>) -> Result<(), ToolFailure>;

    /// Repeats the actions of an earlier turn, as far as the session has them, and returns them.
    async fn replay(&self, key: &str, turn_id: TurnId) -> Result<Vec<Action>, ToolFailure>;

    /// Asks the user and waits for the answer.
    async fn ask(&self, key: &str, question: UserQuestion) -> Result<DialogAnswer, ToolFailure>;

    /// Sends a request to the app in a window and waits for the answer.
    async fn ask_app(&self, key: &str, window_id: WindowId, request: AppRequest) -> Result<AppOutcome, ToolFailure>;
}
