//! Tool workers: clients that serve tools to every session of their owner.

use protocol::{
    ClientToolOffer, ConnectionId, Cost, OwnerId, Progress, ProgressTaken, Safety, ServedCallProgress, ServedTool,
    ToolAnswer, ToolServe, ToolServing, ToolView,
};
use session::{CLIENT_TOOLS_BYTES_MAX, CLIENT_TOOLS_MAX, REMARK_CHARS_MAX, check_offer};
use tools::SessionRules;

use super::Hub;
use crate::{
    Error,
    live::Mail,
    tool_workers::{WorkerFeed, WorkerTool},
};

/// The longest name of a worker.
const WORKER_CHARS_MAX: usize = 64;

impl Hub {
    /// Serves tools over a connection to all sessions of its owner. The feed is new: it is absent
    /// if the connection has one, or serves nothing.
    pub fn serve_tools(
        &self,
        owner: &OwnerId,
        connection_id: ConnectionId,
        asked: ToolServe,
    ) -> Result<(ToolServing, Option<WorkerFeed>), Error> {
        let ToolServe { tools, worker } = asked;
        if let Some(name) = &worker {
            let is_plain = !name.trim().is_empty() && !name.chars().any(char::is_control);
            if !is_plain || name.chars().count() > WORKER_CHARS_MAX {
                let message = format!("the name of a worker has 1 to {WORKER_CHARS_MAX} characters on one line");
                return Err(Error::Invalid(message));
            }
        }
        let offer = ClientToolOffer {
            tools: tools.iter().map(ServedTool::as_client_tool).collect(),
            ..ClientToolOffer::default()
        };
        check_offer(&offer).map_err(session::Refusal::from)?;
        for tool in &tools {
            self.check_tool_name(&tool.name)?;
        }
        let redacted = self.redact_tools(offer.tools);
        let tools = tools.into_iter().zip(redacted).map(|(tool, shown)| ServedTool {
            description: shown.description,
            input_schema: shown.input_schema,
            ..tool
        });
        let worker = worker.map(|name| self.redact(name));
        let served = self.services().tool_workers.serve(owner, connection_id, worker, tools.collect());
        served.map_err(|fault| Error::Invalid(fault.to_string()))
    }

    /// Notes that a connection answers calls itself, so that it is not told that they are answered.
    pub fn note_worker_answer(&self, owner: &OwnerId, connection_id: ConnectionId, answer: &ToolAnswer) {
        let call_ids = answer.results.iter().map(|result| result.call_id.as_str());
        self.services().tool_workers.note_answer(owner, connection_id, answer.turn_id, call_ids);
    }

    /// Shows the progress of a call that a connection runs to those who follow the session.
    pub async fn tool_progress(
        &self,
        owner: &OwnerId,
        connection_id: ConnectionId,
        asked: ServedCallProgress,
    ) -> Result<ProgressTaken, Error> {
        let ServedCallProgress { turn_id, call_id, message, progress } = asked;
        if progress.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Error::Invalid("`progress` is a number from 0 to 1".to_owned()));
        }
        let found = self.services().tool_workers.progress_of(owner, connection_id, turn_id, &call_id);
        let (session_id, tool, may_show) = found.ok_or_else(|| {
            Error::Invalid(
                "this connection has no such call; it was answered, cancelled or never sent to it".to_owned(),
            )
        })?;
        if may_show {
            let message = self.redact(message.chars().take(REMARK_CHARS_MAX).collect());
            let data = Progress { call_id, tool, status: "running".to_owned(), message, progress };
            self.directory.post(session_id, Mail::Progress { turn_id, progress: data }).await?;
        }
        Ok(ProgressTaken { shown: may_show })
    }

    /// The tools of an owner's workers for a new turn, as many as fit beside `beside` others. One
    /// whose name a built-in tool has taken meanwhile is left out.
    pub(super) fn served_tools(&self, owner: &OwnerId, beside: usize) -> Vec<ServedTool> {
        let tools = self.services().tool_workers.tools(owner).into_iter().map(|found| found.tool);
        let allowed = tools.filter(|tool| self.check_tool_name(&tool.name).is_ok());
        let mut bytes = 0;
        let fits = |tool: &ServedTool| {
            // Plain data always serializes.
            bytes += serde_json::to_string(tool).map_or(CLIENT_TOOLS_BYTES_MAX, |json| json.len());
            bytes <= CLIENT_TOOLS_BYTES_MAX
        };
        allowed.take(CLIENT_TOOLS_MAX.saturating_sub(beside)).take_while(fits).collect()
    }

    /// The tools of an owner's workers as clients see them.
    pub fn worker_tools(&self, owner: &OwnerId) -> Vec<ToolView> {
        let services = self.services();
        let millis = u64::try_from(services.options.client_wait.as_millis()).unwrap_or(u64::MAX);
        let view = |WorkerTool { tool, worker, is_away }: WorkerTool| {
            let is_denied = tools::is_denied(&tool.name, &services.rules, &SessionRules::default(), false);
            ToolView {
                name: tool.name,
                description: tool.description,
                input_schema: tool.input_schema,
                output_schema: None,
                effect: tool.effect.into(),
                safety: Safety::Acts,
                cost: Cost::Free,
                parallel: true,
                timeout_ms: millis,
                calls_per_minute_max: None,
                enabled: !is_denied,
                disabled_because: is_denied.then(|| "the server's policy denies it".to_owned()),
                server: None,
                away_because: is_away.then(|| "its worker is not connected".to_owned()),
                worker: Some(worker),
            }
        };
        services.tool_workers.tools(owner).into_iter().map(view).collect()
    }
}
