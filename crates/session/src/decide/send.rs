//! `send`: a message becomes a new turn or steers the running one, exactly once.

use protocol::{
    AgentId, AgentKind, Body, ChatSend, MessageAccepted, MessageQueued, MessageSteered, OnBusy, StatusChanged,
    Timestamp, Transition, TurnId, WindowAgentStatus,
};

use super::{agent, check_active, check_version, monitor};
use crate::{
    decision::{CommandDecision, CommandOutcome, Effect, EventDraft},
    idempotency::RequestFingerprint,
    limits::{
        BACKGROUND_MAX, DIRECT_CALLS_MAX, EARLY_WAIT_MS_MAX, EPHEMERAL_MAX, IDEMPOTENCY_KEY_CHARS_MAX, IMAGES_MAX,
        MESSAGE_BYTES_MAX, QUEUE_MAX, STEERS_MAX, TAGS_MAX, TIME_BUDGET_MS_MAX,
    },
    offer::{self, OfferFault},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    send: &ChatSend,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    check_form(send)?;
    let accepted = MessageAccepted {
        turn_id,
        agent_id: AgentId::main_of(&send.monitor_id),
        request: send.request(),
        idempotency_key: send.idempotency_key.clone(),
        retry_of: None,
        // Work in the background is beside the conversation: it answers no question of it.
        answers: state.question.as_ref().filter(|_| !send.background).map(|question| question.turn_id),
    };
    if let Some(outcome) = repeat(state, &accepted, now)? {
        return Ok(CommandDecision::nothing(outcome));
    }
    check_active(state)?;
    check_version(state, send.version)?;
    check_model(state, send.model.as_ref())?;
    accept(state, accepted, send.on_busy)
}

/// Records the turn, then starts it, queues it or does what `on_busy` asks for if the agent is
/// busy.
pub(super) fn accept(state: &State, accepted: MessageAccepted, on_busy: OnBusy) -> Result<CommandDecision, Refusal> {
    // The first message to a monitor creates it.
    let decision = monitor::add(state, accepted.request.monitor_id.clone())?;
    if accepted.request.background {
        return in_background(decision, state, accepted);
    }
    if !agent::is_busy(state, &accepted.agent_id) {
        return Ok(begin(decision, state, accepted));
    }
    let running = state.turn_of(&accepted.agent_id);
    match on_busy {
        OnBusy::Queue => queue(decision, state, accepted),
        OnBusy::Reject => {
            let running = running.or_else(|| state.waiting_for(&accepted.agent_id).next());
            Err(Refusal::Busy { running: running.map_or(accepted.turn_id, |turn| turn.id) })
        }
        OnBusy::Steer => match running {
            // The running turn may do more than this message may ask for, so it is not steered.
            Some(turn) if accepted.request.reads_only && !turn.request.reads_only => queue(decision, state, accepted),
            Some(turn) => steer(state, turn, accepted),
            // Without a running turn there is nothing to steer.
            None => queue(decision, state, accepted),
        },
        OnBusy::Fork => fork(decision, state, accepted),
        OnBusy::Interrupt => {
            let mut decision = decision;
            let change = StatusChanged::to(Transition::Cancelled).because("interrupted by a newer message");
            let running: Vec<TurnId> = running.map(|turn| turn.id).into_iter().collect();
            agent::close(state, &mut decision, &running, &change);
            Ok(begin(decision, state, accepted))
        }
    }
}

/// Records the turn and starts it at once.
pub(super) fn begin(mut decision: CommandDecision, state: &State, accepted: MessageAccepted) -> CommandDecision {
    let (turn_id, agent_id) = (accepted.turn_id, accepted.agent_id.clone());
    let window_id = accepted.request.window.as_ref().map(|window| window.window_id.clone());
    write_down(&mut decision, state, accepted, None);
    for body in agent::taken_up(&agent_id, window_id.as_ref()) {
        decision.events.push(EventDraft { turn: Some((turn_id, agent_id.clone())), body });
    }
    decision.effects.push(Effect::Run(turn_id));
    decision
}

/// Records the turn and adds it to its agent's queue.
pub(super) fn queue(
    mut decision: CommandDecision,
    state: &State,
    accepted: MessageAccepted,
) -> Result<CommandDecision, Refusal> {
    let waiting = state.lines.len(&accepted.agent_id);
    if waiting >= QUEUE_MAX {
        return Err(Refusal::queue_full(&accepted.request.message));
    }
    let (turn_id, turn) = (accepted.turn_id, Some((accepted.turn_id, accepted.agent_id.clone())));
    let position = u32::try_from(waiting + 1).unwrap_or(u32::MAX);
    write_down(&mut decision, state, accepted, Some(position));
    decision.events.push(EventDraft { turn, body: Body::MessageQueued(MessageQueued { turn_id, position }) });
    Ok(decision)
}

fn fork(decision: CommandDecision, state: &State, mut accepted: MessageAccepted) -> Result<CommandDecision, Refusal> {
    if agent::count(state, AgentKind::Ephemeral) >= EPHEMERAL_MAX {
        return Err(Refusal::TooManyAgents);
    }
    accepted.agent_id = AgentId::ephemeral(accepted.turn_id, &accepted.request.monitor_id);
    Ok(begin(decision, state, accepted))
}

/// The work has an agent of its own. Whether it has to wait for others in the background is up to
/// the limits of the server.
fn in_background(
    decision: CommandDecision,
    state: &State,
    mut accepted: MessageAccepted,
) -> Result<CommandDecision, Refusal> {
    if state.open.values().filter(|turn| turn.request.background).count() >= BACKGROUND_MAX {
        return Err(Refusal::TooManyInBackground);
    }
    accepted.agent_id = AgentId::background(accepted.turn_id, &accepted.request.monitor_id);
    Ok(begin(decision, state, accepted))
}

fn steer(state: &State, turn: &OpenTurn, accepted: MessageAccepted) -> Result<CommandDecision, Refusal> {
    if !accepted.request.images.is_empty() {
        return Err(Refusal::SteerWithImages);
    }
    if !accepted.request.calls.is_empty() {
        return Err(Refusal::SteerWithCalls);
    }
    if !accepted.request.offer.tools.is_empty() {
        return Err(OfferFault::Steers.into());
    }
    if turn.thread.steers() as usize >= STEERS_MAX {
        return Err(Refusal::TooManySteers);
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    decision.outcome = CommandOutcome::Accepted {
        turn_id: turn.id,
        agent_id: turn.agent_id.clone(),
        seq: decision.next_seq(state),
        position: None,
        duplicate: false,
    };
    let MessageAccepted { mut request, idempotency_key, .. } = accepted;
    // The running turn has the tools that it was started with.
    request.served.clear();
    let steered = MessageSteered { turn_id: turn.id, request, idempotency_key };
    decision.turn_event(turn, Body::MessageSteered(steered));
    decision.effects.push(Effect::Nudge(turn.id));
    Ok(decision)
}

fn write_down(decision: &mut CommandDecision, state: &State, accepted: MessageAccepted, position: Option<u32>) {
    let (turn_id, agent_id) = (accepted.turn_id, accepted.agent_id.clone());
    let seq = decision.next_seq(state);
    let turn = Some((turn_id, agent_id.clone()));
    let window_id = accepted.request.window.as_ref().map(|window| window.window_id.clone());
    decision.events.push(EventDraft { turn: turn.clone(), body: Body::MessageAccepted(accepted) });
    if let Some(window_id) = window_id.filter(|_| agent_id.kind() == Some(AgentKind::Window))
        && !state.tape.has_agent(&agent_id)
    {
        let body = agent::window_agent(&window_id, &agent_id, WindowAgentStatus::Assigned);
        decision.events.push(EventDraft { turn, body });
    }
    decision.outcome = CommandOutcome::Accepted { turn_id, agent_id, seq, position, duplicate: false };
}

pub(super) fn check_message(message: &str) -> Result<(), Refusal> {
    if message.trim().is_empty() {
        return Err(Refusal::EmptyMessage);
    }
    if message.len() > MESSAGE_BYTES_MAX {
        return Err(Refusal::MessageTooLarge { bytes: message.len() });
    }
    Ok(())
}

fn check_form(send: &ChatSend) -> Result<(), Refusal> {
    check_message(&send.message)?;
    if send.time_budget_ms.is_some_and(|budget| budget == 0 || budget > TIME_BUDGET_MS_MAX) {
        return Err(Refusal::BadTimeBudget);
    }
    if send.early_wait_ms.is_some_and(|wait| wait == 0 || wait > EARLY_WAIT_MS_MAX) {
        return Err(Refusal::BadEarlyWait);
    }
    if send.max_steps == Some(0) {
        return Err(Refusal::NoSteps);
    }
    if send.images.len() > IMAGES_MAX {
        return Err(Refusal::TooManyImages);
    }
    check_calls(send)?;
    if send.tags.len() > TAGS_MAX || send.context_tags.len() > TAGS_MAX {
        return Err(Refusal::TooManyTags);
    }
    send.model_settings.check().map_err(|problem| Refusal::BadModelSettings { problem })?;
    offer::check(&send.offer())?;
    Ok(())
}

fn check_calls(send: &ChatSend) -> Result<(), Refusal> {
    if send.calls.len() > DIRECT_CALLS_MAX {
        return Err(Refusal::TooManyCalls);
    }
    // Arguments are plain data: they always serialise.
    let bytes = serde_json::to_vec(&send.calls).map_or(0, |written| written.len());
    if bytes > MESSAGE_BYTES_MAX {
        return Err(Refusal::CallsTooLarge);
    }
    Ok(())
}

/// A session with a fixed model does not allow another one for single turns either.
pub(super) fn check_model(state: &State, asked: Option<&String>) -> Result<(), Refusal> {
    let is_other = asked.is_some() && asked != state.settings.model.as_ref();
    if is_other && state.settings.policy.fixed_model { Err(Refusal::FixedModel) } else { Ok(()) }
}

/// The outcome of an earlier request with this key. A repeat is answered before any other check:
/// the client must learn the first outcome, also when the session has ended or moved on since.
pub(super) fn repeat(
    state: &State,
    accepted: &MessageAccepted,
    now: Timestamp,
) -> Result<Option<CommandOutcome>, Refusal> {
    let Some(key) = &accepted.idempotency_key else { return Ok(None) };
    if key.is_empty() || key.chars().count() > IDEMPOTENCY_KEY_CHARS_MAX {
        return Err(Refusal::BadKey);
    }
    let Some(known) = state.keys.get(key, now) else { return Ok(None) };
    if known.fingerprint != RequestFingerprint::of(&accepted.request, accepted.retry_of) {
        return Err(Refusal::KeyConflict { turn_id: known.turn_id });
    }
    Ok(Some(CommandOutcome::Accepted {
        turn_id: known.turn_id,
        agent_id: known.agent_id.clone(),
        seq: known.seq,
        position: None,
        duplicate: true,
    }))
}
