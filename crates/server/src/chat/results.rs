//! A client comes again with what came of its calls: the turn that waits for them goes on.

use std::collections::BTreeSet;

use engine::{Exchange, Handed, Hub};
use protocol::{ChatSend, ClientResult, Code, OnBusy, OwnerId, Problem, Settings, Step, ToolAnswer, TurnView, Usage};

use super::{
    calls,
    conversation::{Asked, Begun, DOORS, instruct},
    message::{Told, ToldResult},
};
use crate::telling::Telling;

/// Tells the turn what came of its calls, and what was said with them. What comes of it is the answer.
pub(super) async fn begin(hub: &Hub, owner: &OwnerId, asked: Asked) -> Result<Begun, Problem> {
    let (turn, call_ids) = find(hub, owner, &asked).await?;
    check(hub, owner, &asked, &turn, &call_ids).await?;
    let Asked { told, offer, .. } = asked;
    instruct(hub, owner, turn.session_id, &told).await?;
    let is_new = turn.calls_waiting.iter().any(|call| call_ids.contains(&call.call_id));
    if is_new && !told.message.is_empty() {
        steer(hub, owner, &turn, &call_ids, &told).await?;
    }
    let result = |(call_id, result): (&String, ToldResult)| ClientResult {
        call_id: call_id.clone(),
        content: result.content,
        is_error: false,
    };
    let results = call_ids.iter().zip(told.results).map(result).collect();
    let answer = ToolAnswer { turn_id: turn.turn_id, results, offer: Some(offer) };
    let answered = hub.answer_calls(owner, answer).await?;
    let telling = Telling::of(hub, owner, answered.session_id, turn.turn_id, answered.seq).await?;
    let (part, usage_before) = before(&turn, &call_ids);
    Ok(Begun { session_id: turn.session_id, turn_id: turn.turn_id, telling, part, usage_before })
}

/// The turn, and the calls that the results are of, in their order: by the names of the calls where they are told, else by
/// the conversation.
async fn find(hub: &Hub, owner: &OwnerId, asked: &Asked) -> Result<(TurnView, Vec<String>), Problem> {
    let results = &asked.told.results;
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

async fn recognise(hub: &Hub, owner: &OwnerId, asked: &Asked) -> Result<(TurnView, Vec<String>), Problem> {
    let told = &asked.told;
    let session_id = match &asked.session {
        Some(session) => Some(hub.session(owner, session).await?.session_id),
        None => None,
    };
    let earlier = Exchange::pairs(&told.earlier);
    let handed = Handed { earlier: &earlier, said: &told.said, tools: &told.tools };
    let found = hub.recognise_calls(owner, session_id, &DOORS, handed).await?;
    let (turn, call_ids) = found.ok_or_else(|| {
        let message = "no turn is known that has called these tools in this conversation";
        Problem::new(Code::InvalidRequest, message, "Tell the conversation as it was, or say it again.")
    })?;
    let order = order(&told.tools, &told.results).ok_or_else(|| {
        let (results, calls) = (told.results.len(), told.tools.len());
        let message = format!("{results} results do not fit {calls} calls of `{}`", told.tools.join("`, `"));
        Problem::new(Code::InvalidRequest, message, "Tell one result for each call, in their order.")
    })?;
    Ok((turn, order.into_iter().map(|place| call_ids[place].clone()).collect()))
}

/// Which call each result is of: the first of its tool that has none yet, or the first at all where no tool is named.
fn order(tools: &[String], results: &[ToldResult]) -> Option<Vec<usize>> {
    let mut free: Vec<usize> = (0..tools.len()).collect();
    let mut order = Vec::with_capacity(results.len());
    for result in results {
        let fits = |place: &usize| result.tool.as_ref().is_none_or(|tool| *tool == tools[*place]);
        let at = free.iter().position(fits)?;
        order.push(free.remove(at));
    }
    Some(order)
}

/// Looks whether these results are what is waited for.
async fn check(hub: &Hub, owner: &OwnerId, asked: &Asked, turn: &TurnView, call_ids: &[String]) -> Result<(), Problem> {
    if let Some(session) = &asked.session
        && hub.session(owner, session).await?.session_id != turn.session_id
    {
        let message = "these calls were made in another session than the one that is named";
        return Err(Problem::new(Code::InvalidRequest, message, "Name the session in which they were made, or none."));
    }
    let view = hub.session(owner, &turn.session_id.into()).await?;
    let door = view.settings.preferences.get(Settings::DOOR).and_then(|door| door.as_str());
    if asked.is_keyed && !door.is_some_and(|door| DOORS.contains(&door)) {
        return Err(engine::Error::NoTurn.into());
    }
    let missing: Vec<String> = turn
        .calls_waiting
        .iter()
        .filter(|call| !call_ids.contains(&call.call_id))
        .map(|call| format!("{} (`{}`)", calls::name_of(turn, &call.call_id), call.tool))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("there are no results of these calls: {}", missing.join(", "));
    Err(Problem::new(Code::InvalidRequest, message, "Tell a result for each call, also where it failed.")
        .about(turn.turn_id))
}

/// What is said beside the results goes into the turn; told again, it is said once.
async fn steer(hub: &Hub, owner: &OwnerId, turn: &TurnView, call_ids: &[String], told: &Told) -> Result<(), Problem> {
    let first = call_ids.first().map(|id| calls::name_of(turn, id)).unwrap_or_default();
    let send = ChatSend {
        images: told.images.clone(),
        on_busy: OnBusy::Steer,
        idempotency_key: Some(format!("beside:{first}")),
        ..ChatSend::text(told.message.clone())
    };
    hub.send(owner, &turn.session_id.into(), send).await?;
    Ok(())
}

/// How many calls the turn has made up to these, and what it had taken by then.
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
    Problem::new(Code::InvalidRequest, message, "Answer with the ids of the calls that the last answer asked for.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(tools: &[Option<&str>]) -> Vec<ToldResult> {
        let result =
            |tool: &Option<&str>| ToldResult { name: None, tool: tool.map(str::to_owned), content: String::new() };
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
