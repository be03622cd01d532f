//! Requests with results of the client's calls: they continue the turn that waits for them.

use std::collections::BTreeSet;

use engine::{ClientCalls, Exchange, Hub};
use protocol::{
    ChatSend, ClientResult, ClientToolOffer, Code, MessageTrust, OnBusy, OwnerId, Problem, Settings, Step, ToolAnswer,
    TurnView, Usage,
};

use super::{
    calls,
    conversation::{ChatRequest, StreamedTurn, TRANSPORTS, instruct},
    message::{ChatHistory, ClientToolResult},
};
use crate::{access::scopes, turn_stream::TurnStream};

/// Passes the results, and any text that accompanies them, to the turn, and follows it.
pub(super) async fn begin(hub: &Hub, owner: &OwnerId, asked: ChatRequest) -> Result<StreamedTurn, Problem> {
    let (turn, call_ids) = find(hub, owner, &asked).await?;
    check(hub, owner, &asked, &turn, &call_ids).await?;
    scopes::check_turn(asked.reads_only, &turn)?;
    let way = MessageTrust { reads_only: asked.reads_only, ..MessageTrust::default() };
    let ChatRequest { history, offer, response_schema, .. } = asked;
    // A client may hand over to another agent of its own, which answers in another form.
    let offer = ClientToolOffer { response_schema, ..offer };
    instruct(hub, owner, turn.session_id, &history).await?;
    let is_new = turn.client_calls().any(|call| call_ids.contains(&call.call_id));
    if is_new && !history.message.is_empty() {
        steer(hub, owner, &turn, &call_ids, &history, way).await?;
    }
    let result = |(call_id, result): (&String, ClientToolResult)| ClientResult {
        call_id: call_id.clone(),
        content: result.content,
        is_error: result.is_error,
    };
    let results = call_ids.iter().zip(history.results).map(result).collect();
    let answer = ToolAnswer { turn_id: turn.turn_id, results, offer: Some(offer) };
    let answered = hub.answer_calls(owner, answer).await?;
    let turn_stream = TurnStream::of(hub, owner, answered.session_id, turn.turn_id, answered.seq).await?;
    let (part, usage_before) = before(&turn, &call_ids);
    Ok(StreamedTurn { session_id: turn.session_id, turn_id: turn.turn_id, stream: turn_stream, part, usage_before })
}

/// Finds the turn and the calls of the results, in order: by call ids if there are any, otherwise
/// by the conversation.
async fn find(hub: &Hub, owner: &OwnerId, asked: &ChatRequest) -> Result<(TurnView, Vec<String>), Problem> {
    let results = &asked.history.results;
    if results.iter().all(|result| result.name.is_none()) {
        return recognise(hub, owner, asked).await;
    }
    let names: Vec<&str> = results.iter().map(|result| result.name.as_deref().unwrap_or_default()).collect();
    let places: Vec<_> = names.iter().filter_map(|name| calls::read(name)).collect();
    let turns: BTreeSet<_> = places.iter().map(|(turn_id, _)| *turn_id).collect();
    let [turn_id] = turns.into_iter().collect::<Vec<_>>()[..] else { return Err(unknown(&names)) };
    let turn = hub.turn(owner, turn_id).await?;
    let call_ids: Vec<String> = places.iter().filter_map(|(_, place)| calls::call_id(&turn, *place)).collect();
    if call_ids.len() == names.len() { Ok((turn, call_ids)) } else { Err(unknown(&names)) }
}

async fn recognise(hub: &Hub, owner: &OwnerId, asked: &ChatRequest) -> Result<(TurnView, Vec<String>), Problem> {
    let history = &asked.history;
    let session_id = match &asked.session {
        Some(session) => Some(hub.session(owner, session).await?.session_id),
        None => None,
    };
    let earlier = Exchange::pairs(&history.earlier);
    let handed = ClientCalls { earlier: &earlier, said: &history.said, tools: &history.tools };
    let found = hub.recognise_calls(owner, session_id, &TRANSPORTS, handed).await?;
    let (turn, call_ids) = found.ok_or_else(|| {
        let message = "no turn in this conversation has called these tools";
        Problem::new(Code::InvalidRequest, message, "Send the conversation unchanged, or send the message again.")
    })?;
    let order = order(&history.tools, &history.results).ok_or_else(|| {
        let (results, calls) = (history.results.len(), history.tools.len());
        let message = format!("{results} results do not match {calls} calls of `{}`", history.tools.join("`, `"));
        Problem::new(Code::InvalidRequest, message, "Send one result for each call, in order.")
    })?;
    Ok((turn, order.into_iter().map(|place| call_ids[place].clone()).collect()))
}

/// Which call each result belongs to: the first call of its tool without a result, or the first
/// call without a result if no tool is named.
fn order(tools: &[String], results: &[ClientToolResult]) -> Option<Vec<usize>> {
    let mut free: Vec<usize> = (0..tools.len()).collect();
    let mut order = Vec::with_capacity(results.len());
    for result in results {
        let fits = |place: &usize| result.tool.as_ref().is_none_or(|tool| *tool == tools[*place]);
        let at = free.iter().position(fits)?;
        order.push(free.remove(at));
    }
    Some(order)
}

/// Checks whether the turn waits for these results.
async fn check(
    hub: &Hub,
    owner: &OwnerId,
    asked: &ChatRequest,
    turn: &TurnView,
    call_ids: &[String],
) -> Result<(), Problem> {
    if let Some(session) = &asked.session
        && hub.session(owner, session).await?.session_id != turn.session_id
    {
        let message = "these calls were made in another session than the named one";
        return Err(Problem::new(Code::InvalidRequest, message, "Name the session in which they were made, or none."));
    }
    let view = hub.session(owner, &turn.session_id.into()).await?;
    let transport = view.settings.preferences.get(Settings::DOOR).and_then(|transport| transport.as_str());
    if asked.is_keyed && !transport.is_some_and(|transport| TRANSPORTS.contains(&transport)) {
        return Err(engine::Error::NoTurn.into());
    }
    let missing: Vec<String> = turn
        .client_calls()
        .filter(|call| !call_ids.contains(&call.call_id))
        .map(|call| {
            let name = calls::in_form_of(asked.transport, calls::name_of(turn, &call.call_id));
            format!("{name} (`{}`)", call.tool)
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("results of these calls are missing: {}", missing.join(", "));
    Err(Problem::new(Code::InvalidRequest, message, "Send a result for each call, also for failed ones.")
        .about(turn.turn_id))
}

/// Adds the text that accompanies the results to the turn; repeated requests add it once.
async fn steer(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
    call_ids: &[String],
    history: &ChatHistory,
    way: MessageTrust,
) -> Result<(), Problem> {
    let first = call_ids.first().map(|id| calls::name_of(turn, id)).unwrap_or_default();
    let send = ChatSend {
        images: history.images.clone(),
        on_busy: OnBusy::Steer,
        idempotency_key: Some(format!("beside:{first}")),
        way,
        ..ChatSend::text(history.message.clone())
    };
    hub.send(owner, &turn.session_id.into(), send).await?;
    Ok(())
}

/// How many calls the turn made up to these, and its usage by then.
fn before(turn: &TurnView, call_ids: &[String]) -> (usize, Usage) {
    let (mut part, mut usage, mut found) = (0, Usage::default(), (0, Usage::default()));
    for step in &turn.steps {
        let Step::Plan(plan) = step else { continue };
        part += plan.calls.len();
        usage = usage.plus(plan.usage.unwrap_or_default());
        if plan.calls.iter().any(|call| call_ids.contains(&call.call_id)) {
            found = (part, usage);
        }
    }
    found
}

fn unknown(names: &[&str]) -> Problem {
    let message = format!("no such calls were made here: {}", names.join(", "));
    Problem::new(Code::InvalidRequest, message, "Use the ids of the calls in the last answer.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(tools: &[Option<&str>]) -> Vec<ClientToolResult> {
        let result = |tool: &Option<&str>| ClientToolResult {
            name: None,
            tool: tool.map(str::to_owned),
            content: String::new(),
            is_error: false,
        };
        tools.iter().map(result).collect()
    }

    #[test]
    fn results_without_names_go_by_tool_and_order() {
        let tools: Vec<String> = ["a", "b", "a"].map(str::to_owned).into();
        assert_eq!(order(&tools, &results(&[None, None, None])), Some(vec![0, 1, 2]));
        assert_eq!(order(&tools, &results(&[Some("b"), Some("a"), Some("a")])), Some(vec![1, 0, 2]));
        assert_eq!(order(&tools, &results(&[Some("a"), None])), Some(vec![0, 1]));
        assert_eq!(order(&tools, &results(&[Some("c")])), None);
        assert_eq!(order(&tools, &results(&[None, None, None, None])), None);
    }
}
