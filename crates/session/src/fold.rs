//! Turns as clients see them, computed from the journal.

use protocol::{
    Body, CallStatus, Event, MessageAccepted, Response, Stage, Step, Timestamp, Transition, TurnId, TurnStats,
    TurnStatus, TurnView, WaitingCall,
};

/// The turns in these events, in the order in which they were accepted. A turn whose
/// `message.accepted` is not among the events is left out.
pub fn fold_turns<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<TurnView> {
    let mut turns: Vec<TurnView> = Vec::new();
    for event in events {
        if let Body::MessageAccepted(accepted) = &event.body {
            turns.push(accepted_turn(event, accepted));
        } else if let Some(turn) = event.turn_id.and_then(|id| find(&mut turns, id)) {
            take_in(turn, event);
        }
    }
    turns
}

/// The newest turns are the ones that still have events to come, so the search starts at the end.
fn find(turns: &mut [TurnView], id: TurnId) -> Option<&mut TurnView> {
    turns.iter_mut().rev().find(|turn| turn.turn_id == id)
}

fn accepted_turn(event: &Event, accepted: &MessageAccepted) -> TurnView {
    TurnView {
        heartbeat_at: None,
        turn_id: accepted.turn_id,
        session_id: event.session_id,
        status: TurnStatus::Pending,
        agent_id: accepted.agent_id.clone(),
        request: accepted.request.clone(),
        text: String::new(),
        response: None,
        error: None,
        reason: None,
        question: None,
        calls_waiting: Vec::new(),
        steps: Vec::new(),
        stats: TurnStats::default(),
        tainted: false,
        attempts: 0,
        retry_of: accepted.retry_of,
        created_at: event.at,
        updated_at: event.at,
        last_seq: event.seq,
    }
}

fn take_in(turn: &mut TurnView, event: &Event) {
    turn.updated_at = event.at;
    turn.last_seq = event.seq;
    match &event.body {
        Body::MessageQueued(_) => turn.status = TurnStatus::Pending,
        Body::TurnStage(entered) if entered.stage == Stage::Receive => {
            turn.status = TurnStatus::Running;
            turn.attempts += 1;
        }
        Body::MemoryUsed(used) => turn.tainted |= used.tainted,
        Body::Step(step) => {
            turn.tainted |= matches!(step, Step::ToolResult(result) if !result.origin.is_trusted());
            count(&mut turn.stats, step);
            wait_for_client(&mut turn.calls_waiting, step);
            turn.steps.push(step.clone());
        }
        Body::ResearchDone(done) => turn.stats.usage = turn.stats.usage.plus(done.usage.unwrap_or_default()),
        Body::Text(range) => {
            turn.status = TurnStatus::Streaming;
            turn.stats.first_word_ms.get_or_insert(millis_since(turn.created_at, event.at));
            turn.text.push_str(&range.delta);
        }
        Body::ToolsChanged(offer) => turn.request.offer = offer.clone(),
        Body::Final(response) => answer(turn, response),
        Body::TurnStatus(change) => {
            turn.status = change.status.status();
            turn.reason.clone_from(&change.reason);
            turn.error.clone_from(&change.error);
            turn.question.clone_from(&change.question);
            if turn.status.is_final() {
                turn.stats.usage = change.usage.unwrap_or(turn.stats.usage);
                turn.stats.duration_ms = Some(millis_since(turn.created_at, event.at));
                turn.stats.errors += u32::from(turn.error.is_some());
            }
            if change.status == Transition::Resumed {
                turn.attempts = change.attempt.unwrap_or(turn.attempts + 1);
                let kept = usize::try_from(change.text_offset.unwrap_or(0)).unwrap_or(usize::MAX);
                turn.text = turn.text.chars().take(kept).collect();
            }
        }
        _ => {}
    }
}

/// A call of a client tool waits for the client, or for a tool worker, until it has a result.
fn wait_for_client(waiting: &mut Vec<WaitingCall>, step: &Step) {
    match step {
        Step::ToolCall(call) => waiting.extend(call.client_until.map(|until| WaitingCall {
            call_id: call.call_id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            until,
            served: call.served,
        })),
        Step::ToolResult(result) => waiting.retain(|call| call.call_id != result.call_id),
        _ => {}
    }
}

fn count(stats: &mut TurnStats, step: &Step) {
    match step {
        Step::Plan(plan) => {
            stats.rounds += 1;
            stats.usage = stats.usage.plus(plan.usage.unwrap_or_default());
        }
        Step::ToolCall(_) => stats.tool_calls += 1,
        Step::ToolResult(result) => stats.errors += u32::from(result.status == CallStatus::Error),
        Step::Error(_) => stats.errors += 1,
        Step::Retrieval(_) | Step::ObservedEvent(_) | Step::Summary(_) => {}
    }
}

fn millis_since(start: Timestamp, at: Timestamp) -> u64 {
    u64::try_from(at.since(start).as_millis()).unwrap_or(u64::MAX)
}

fn answer(turn: &mut TurnView, response: &Response) {
    // The answer's usage includes its rounds.
    turn.stats.usage = response.usage.unwrap_or(turn.stats.usage);
    turn.text.clone_from(&response.message);
    turn.response = Some(response.clone());
}
