//! A turn asks the user something on the desktop, and the answer.

use protocol::{
    Action, Actions, Body, Dialog, DialogAnswer, DialogAnswered, DialogForm, DialogId, SettledBy, StatusChanged,
    Timestamp, Transition, TurnId,
};

use super::{check_active, desk};
use crate::{
    decision::{Decision, Outcome},
    desktop::{Doer, check_answer},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

/// A turn asks. Asking again under the same id is asking once.
pub(super) fn ask(state: &State, turn: &OpenTurn, dialog: Dialog) -> Result<Decision, Refusal> {
    let mut decision = Decision::nothing(Outcome::Done);
    if turn.doings.dialogs.contains_key(&dialog.dialog_id) {
        return Ok(decision);
    }
    check_active(state)?;
    let monitor_id = turn.agent_id.monitor();
    // Who asks, and where, is known here better than by whoever has put the question together.
    let dialog = Dialog { turn_id: turn.id, monitor_id: monitor_id.clone(), ..dialog };
    let is_prompt = matches!(dialog.form, DialogForm::Fields(_));
    let actions = vec![if is_prompt { Action::Prompt(dialog) } else { Action::Dialog(dialog) }];
    state.desktop.check(Doer::Agent(&turn.agent_id), &monitor_id, &actions).map_err(Refusal::alone)?;
    decision.turn_event(turn, Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }));
    if !turn.awaits_person() {
        decision.turn_event(turn, waiting_for_answer());
    }
    Ok(decision)
}

/// The turn waits, and its agent with it.
pub(super) fn waiting_for_answer() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("dialog"))
}

pub(super) fn answer(state: &State, id: DialogId, answer: DialogAnswer, now: Timestamp) -> Result<Decision, Refusal> {
    check_active(state)?;
    // An answer that comes after the time is up finds the question closed, also when nobody has closed it yet.
    let dialog = state.desktop.dialog(id).filter(|dialog| dialog.expires_at > now).ok_or(Refusal::DialogSettled)?;
    if !state.open.contains_key(&dialog.turn_id) {
        return Err(Refusal::DialogSettled);
    }
    check_answer(&dialog.form, &answer)?;
    let mut decision = Decision::nothing(Outcome::Done);
    settle(state, &mut decision, &[dialog], &answer, SettledBy::Owner, now);
    Ok(decision)
}

/// Silence becomes an answer.
pub(super) fn expire(state: &State, decision: &mut Decision, now: Timestamp) {
    let expired: Vec<&Dialog> = state.desktop.dialogs().filter(|dialog| dialog.expires_at <= now).collect();
    settle(state, decision, &expired, &DialogAnswer::Unanswered, SettledBy::Expiry, now);
}

fn settle(
    state: &State,
    decision: &mut Decision,
    settled: &[&Dialog],
    answer: &DialogAnswer,
    by: SettledBy,
    now: Timestamp,
) {
    for dialog in settled {
        let body = Body::DialogAnswered(DialogAnswered { dialog_id: dialog.dialog_id, answer: answer.clone(), by });
        match state.open.get(&dialog.turn_id) {
            Some(turn) => decision.turn_event(turn, body),
            // Nobody waits for it, but it goes from the desktop.
            None => decision.session_event(body),
        }
    }
    for turn in state.running().filter(|turn| settled.iter().any(|dialog| dialog.turn_id == turn.id)) {
        let is_settled = |id: &DialogId| settled.iter().any(|dialog| dialog.dialog_id == *id);
        let mut open = turn.doings.dialogs.iter().filter(|(_, answer)| answer.is_none());
        // Where silence is the answer, it is so for approvals at the same moment.
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
        desk::nudge(state, decision, turn.id);
    }
}

/// Whether this decision lets the turn go on already.
fn goes_on(decision: &Decision, turn_id: TurnId) -> bool {
    decision.events.iter().any(|draft| {
        let is_resumed = matches!(&draft.body, Body::TurnStatus(change) if change.status == Transition::Resumed);
        is_resumed && draft.turn.as_ref().is_some_and(|(id, _)| *id == turn_id)
    })
}
