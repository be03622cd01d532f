//! Client tools: checks what a client offers, and takes the results of their calls.

use protocol::{
    Body, CallStatus, ClientResult, ClientTool, ClientToolOffer, Origin, OwnerId, SessionId, Step, ToolAnswer,
    ToolAnswered, ToolResult, TurnId, TurnView,
};
use session::{Command, CommandOutcome, Refusal};
use tools::is_ruled;

use super::Hub;
use crate::{
    Error,
    large_results::{self, ResultSource},
};

/// Stands for an empty result, which many models do not accept.
const NOTHING_SAID: &str = "(The client returned no text.)";

impl Hub {
    /// Takes the results of calls that the client has run. The answer means that they are durable.
    /// Idempotent.
    pub async fn answer_calls(&self, owner: &OwnerId, asked: ToolAnswer) -> Result<ToolAnswered, Error> {
        let ToolAnswer { turn_id, results, offer } = asked;
        let turn = self.turn(owner, turn_id).await?;
        if results.is_empty() {
            return Err(Error::Invalid("there are no results".to_owned()));
        }
        let call_ids: Vec<String> = results.iter().map(|result| result.call_id.clone()).collect();
        if turn.status.is_final() {
            return self.told_before(&turn, &call_ids).await;
        }
        let offer = match offer {
            Some(offer) => {
                let offer = ClientToolOffer { tools: self.redact_tools(offer.tools), ..offer };
                self.check_offer(owner, turn.session_id, &offer, turn.request.model.as_deref()).await?;
                let model = turn.request.model.as_deref();
                self.check_response_schema(owner, turn.session_id, offer.response_schema.as_ref(), model).await?;
                Some(offer)
            }
            None => None,
        };
        let mut told = Vec::with_capacity(results.len());
        for result in results {
            told.push(self.taken_in(owner, &turn, result).await);
        }
        let command = Command::AnswerCalls { turn_id, results: told, offer };
        match self.command(owner, turn.session_id, command).await {
            Ok(CommandOutcome::Told { agent_id, seq, still, is_new }) => {
                let seq = if is_new { seq } else { self.told_at(turn_id, &call_ids).await? };
                let session_id = turn.session_id;
                Ok(ToolAnswered { session_id, turn_id, agent_id, seq, calls_waiting: still, duplicate: !is_new })
            }
            // The session core answers with that or a refusal and nothing else.
            Ok(_) => Err(Error::Invalid("the results were not accepted".to_owned())),
            Err(Error::Refused(Refusal::AlreadyFinal)) => {
                let turn = self.turn(owner, turn_id).await?;
                self.told_before(&turn, &call_ids).await
            }
            Err(error) => Err(error),
        }
    }

    /// A result as the model reads it: redacted, and short enough for the conversation. Its origin
    /// is unknown, so it is untrusted.
    async fn taken_in(&self, owner: &OwnerId, turn: &TurnView, result: ClientResult) -> ToolResult {
        let ClientResult { call_id, content, is_error } = result;
        let content = self.redact(content);
        let content = if content.trim().is_empty() { NOTHING_SAID.to_owned() } else { content };
        let (tool, content, artifact_id) = match turn.calls_waiting.iter().find(|call| call.call_id == call_id) {
            Some(call) => {
                let (session_id, turn_id) = (turn.session_id, turn.turn_id);
                let maker = ResultSource { session_id, turn_id, owner, tool: &call.tool };
                let (content, artifact_id) =
                    large_results::keep(self.services(), maker, content, Origin::Untrusted).await;
                (call.tool.clone(), content, artifact_id)
            }
            // A repeated or unknown result: nothing is stored.
            None => (String::new(), content, None),
        };
        let status = if is_error { CallStatus::Error } else { CallStatus::Ok };
        let (origin, sources, duration_ms) = (Origin::Untrusted, Vec::new(), None);
        ToolResult { call_id, tool, status, content, origin, artifact_id, sources, duration_ms }
    }

    /// Results that were recorded before the turn ended count as duplicates; others are too late.
    async fn told_before(&self, turn: &TurnView, call_ids: &[String]) -> Result<ToolAnswered, Error> {
        let is_handed = |id: &&String| {
            let mut steps = turn.steps.iter();
            steps
                .any(|step| matches!(step, Step::ToolCall(call) if call.call_id == **id && call.client_until.is_some()))
        };
        let unknown: Vec<String> = call_ids.iter().filter(|id| !is_handed(id)).cloned().collect();
        if !unknown.is_empty() {
            return Err(Refusal::UnknownCalls { calls: unknown }.into());
        }
        let was_told = |id: &String| {
            let told = turn.steps.iter().rev().find_map(|step| match step {
                Step::ToolResult(result) if result.call_id == *id => Some(result.status),
                _ => None,
            });
            told.is_some_and(|status| status != CallStatus::Cancelled)
        };
        if !call_ids.iter().all(was_told) {
            return Err(Refusal::AlreadyFinal.into());
        }
        Ok(ToolAnswered {
            session_id: turn.session_id,
            turn_id: turn.turn_id,
            agent_id: turn.agent_id.clone(),
            seq: self.told_at(turn.turn_id, call_ids).await?,
            calls_waiting: Vec::new(),
            duplicate: true,
        })
    }

    /// The sequence number of the last of these results.
    async fn told_at(&self, turn_id: TurnId, call_ids: &[String]) -> Result<u64, Error> {
        let events = self.services().store.turn(turn_id).await?;
        let told = events.iter().filter(
            |event| matches!(&event.body, Body::Step(Step::ToolResult(result)) if call_ids.contains(&result.call_id)),
        );
        Ok(told.map(|event| event.seq).max().unwrap_or(0))
    }

    /// Checks whether a client may offer these tools. A client tool may have the name of a server
    /// tool only if no policy depends on that name, so that a call of one is not taken for a call
    /// of the other.
    pub(super) async fn check_offer(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        offer: &ClientToolOffer,
        model: Option<&str>,
    ) -> Result<(), Error> {
        let services = self.services();
        for ClientTool { name, .. } in &offer.tools {
            self.check_tool_name(name)?;
        }
        if !offer.tool_choice.is_forced() {
            return Ok(());
        }
        let settings = self.view(owner, session_id).await?.settings;
        let asked = model.or(settings.model.as_deref());
        let Ok(chain) = services.models.find_in(asked, &settings.model_overrides, settings.budgets.context_tokens)
        else {
            return Ok(());
        };
        match chain.first().filter(|model| !model.takes_choice()) {
            Some(model) => Err(Error::Invalid(format!(
                "the model `{}` cannot be made to call a tool; leave `tool_choice` at `auto`, or choose another model",
                model.name()
            ))),
            None => Ok(()),
        }
    }

    /// Refuses the name of a built-in tool that policy rules apply to.
    pub(super) fn check_tool_name(&self, name: &str) -> Result<(), Error> {
        let services = self.services();
        let Some(entry) = services.tools.get(name) else { return Ok(()) };
        if !entry.declaration.safety.reaches_out() && !is_ruled(name, &services.rules) {
            return Ok(());
        }
        Err(Error::Invalid(format!(
            "the client's tool `{name}` has the name of a built-in tool that policy rules apply to; give it another name"
        )))
    }

    /// Secrets never reach the journal or the model.
    pub(super) fn redact_tools(&self, tools: Vec<ClientTool>) -> Vec<ClientTool> {
        let redacted = |tool: ClientTool| ClientTool {
            description: self.redact(tool.description),
            input_schema: self.services().redactor.redact_json(tool.input_schema),
            ..tool
        };
        tools.into_iter().map(redacted).collect()
    }
}
