//! A turn asks the user a question on the desktop, and the user answers.

use protocol::{
    Action, Actions, Body, Dialog, DialogAnswer, DialogAnswered, DialogForm, DialogId, SettledBy, StatusChanged,
    Timestamp, Transition, TurnId,
};

use super::{check_active, desktop};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    desktop::{DesktopActor, check_answer},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

/// A turn asks a question. Idempotent by the id of the dialog.
pub(super) fn ask(state: &State, turn: &OpenTurn, dialog: Dialog) -> Result<CommandDecision, Refusal> {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    if turn.doings.dialogs.contains_key(&dialog.dialog_id) {
        return Ok(decision);
    }
    check_active(state)?;
    let monitor_id = turn.agent_id.monitor();
    // The turn and the monitor are taken from the state, not from the tool that built the question.
    let dialog = Dialog { turn_id: turn.id, monitor_id: monitor_id.clone(), ..dialog };
    let is_prompt = matches!(dialog.form, DialogForm::Fields(_));
    let actions = vec![if is_prompt { Action::Prompt(dialog) } else { Action::Dialog(dialog) }];
    state.desktop.check(DesktopActor::Agent(&turn.agent_id), &monitor_id, &actions).map_err(Refusal::alone)?;
    decision.turn_event(turn, Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }));
    if !turn.awaits_person() {
        decision.turn_event(turn, waiting_for_answer());
    }
    Ok(decision)
}

/// The turn and its agent wait.
pub(super) fn waiting_for_answer() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("dialog"))
}

pub(super) fn answer(
    state: &State,
    id: DialogId,
    answer: DialogAnswer,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    // After the deadline the question counts as closed, even if no event has closed it yet.
    let dialog = state.desktop.dialog(id).filter(|dialog| dialog.expires_at > now).ok_or(Refusal::DialogSettled)?;
    if !state.open.contains_key(&dialog.turn_id) {
        return Err(Refusal::DialogSettled);
    }
    check_answer(&dialog.form, &answer)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    settle(state, &mut decision, &[dialog], &answer, SettledBy::Owner, now);
    Ok(decision)
}

/// A dialog without an answer at its deadline is settled as unanswered.
pub(super) fn expire(state: &State, decision: &mut CommandDecision, now: Timestamp) {
    let expired: Vec<&Dialog> = state.desktop.dialogs().filter(|dialog| dialog.expires_at <= now).collect();
    settle(state, decision, &expired, &DialogAnswer::Unanswered, SettledBy::Expiry, now);
}

fn settle(
    state: &State,
    decision: &mut CommandDecision,
    settled: &[&Dialog],
    answer: &DialogAnswer,
    by: SettledBy,
    now: Timestamp,
) {
    for dialog in settled {
        let body = Body::DialogAnswered(DialogAnswered { dialog_id: dialog.dialog_id, answer: answer.clone(), by });
        match state.open.get(&dialog.turn_id) {
            Some(turn) => decision.turn_event(turn, body),
            // No turn waits for it, but it must leave the desktop.
            None => decision.session_event(body),
        }
    }
    for turn in state.running().filter(|turn| settled.iter().any(|dialog| dialog.turn_id == turn.id)) {
        let is_settled = |id: &DialogId| settled.iter().any(|dialog| dialog.dialog_id == *id);
        let mut open = turn.doings.dialogs.iter().filter(|(_, answer)| answer.is_none());
        // An approval request with the same deadline is settled by the same command.
        let questions = turn.thread.calls().filter(|call| call.is_undecided()).filter_map(|call| call.open_question());
        let awaits_approval = match by {
            SettledBy::Expiry => questions.into_iter().any(|request| request.expires_at > now),
            _ => turn.awaits_approval(),
        };
        if open.all(|(id, _)| is_settled(id))
            && !awaits_approval
            && !turn.awaits_client()
            && !goes_on(decision, turn.id)
        {
            decision.turn_event(turn, Body::TurnStatus(turn.continued("answered")));
        }
        desktop::nudge(state, decision, turn.id);
    }
}

/// Whether this decision already continues the turn.
fn goes_on(decision: &CommandDecision, turn_id: TurnId) -> bool {
    decision.events.iter().any(|draft| {
        let is_resumed = matches!(&draft.body, Body::TurnStatus(change) if change.status == Transition::Resumed);
        is_resumed && draft.turn.as_ref().is_some_and(|(id, _)| *id == turn_id)
    })
}
