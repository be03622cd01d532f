//! The questions of a waiting turn, as elicitations that a client can show to its user, and the
//! answers to them.

use std::collections::BTreeMap;

use engine::{Error, Hub};
use protocol::{
    ApprovalAnswer, ApprovalDecision, ApprovalRequest, CallOutcome, Component, Dialog, DialogForm, DialogReply,
    OutcomeQuestion as Doubt, OwnerId, PromptReply, TurnResume, TurnStatus, TurnView,
};
use rmcp::model::{ElicitRequestParams, ElicitationSchema, JsonObject};
use serde_json::{Value, json};

/// The field that allows a call.
const CONFIRM: &str = "confirm";
/// The field that makes the answer permanent for the session.
const REMEMBER: &str = "remember";
/// The field of a choice.
const CHOICE: &str = "choice";

/// A question that a turn waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TurnQuestion {
    /// Whether a call may run.
    Approval(Box<ApprovalRequest>),
    /// A question of an agent to the user.
    Dialog(Box<Dialog>),
    /// Whether calls took effect before the server stopped.
    Doubt(Doubt),
    /// Whether to continue, after the server has stopped several times during the turn.
    Interrupted,
}

/// The questions of a waiting turn, each under a name that is unique within the turn.
pub(super) async fn questions(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
) -> Result<BTreeMap<String, TurnQuestion>, Error> {
    if turn.status == TurnStatus::Interrupted {
        return Ok(BTreeMap::from([(format!("interrupted_{}", turn.attempts), TurnQuestion::Interrupted)]));
    }
    if turn.status != TurnStatus::Waiting {
        return Ok(BTreeMap::new());
    }
    let mut all = BTreeMap::new();
    if let Some(doubt) = &turn.question {
        let calls: Vec<&str> = doubt.calls.iter().map(|call| call.call_id.as_str()).collect();
        all.insert(format!("doubt_{}", calls.join("_")), TurnQuestion::Doubt(doubt.clone()));
    }
    for open in hub.approvals(owner, Some(&turn.session_id.into())).await?.data {
        if open.request.turn_id == turn.turn_id {
            all.insert(
                format!("approval_{}", open.request.approval_id),
                TurnQuestion::Approval(Box::new(open.request)),
            );
        }
    }
    for dialog in hub.desktop(owner, &turn.session_id.into()).await?.dialogs {
        if dialog.turn_id == turn.turn_id {
            all.insert(format!("dialog_{}", dialog.dialog_id), TurnQuestion::Dialog(Box::new(dialog)));
        }
    }
    Ok(all)
}

impl TurnQuestion {
    /// The question as a form to be filled in.
    pub(super) fn form(&self) -> ElicitRequestParams {
        let schema = ElicitationSchema::from_json_schema(self.schema());
        // The schemas built here are valid elicitation schemas; a test checks each kind.
        let requested_schema = schema.unwrap_or_else(|_| ElicitationSchema::new(BTreeMap::new()));
        ElicitRequestParams::FormElicitationParams { meta: None, message: self.message(), requested_schema }
    }

    /// The question as text: for a call, its complete arguments.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Approval(asked) => {
                let (tool, arguments) = (&asked.tool, &asked.arguments);
                format!("May Dwell call `{tool}` with {arguments}? {}.", capitalised(&asked.reason))
            }
            Self::Interrupted => "The server stopped during this turn. Continue?".to_owned(),
            Self::Dialog(dialog) if dialog.text.is_empty() => dialog.title.clone(),
            Self::Dialog(dialog) => dialog.text.clone(),
            Self::Doubt(doubt) => {
                let calls: Vec<String> =
                    doubt.calls.iter().map(|call| format!("`{}` with {}", call.tool, call.arguments)).collect();
                format!("{} ({})", doubt.text, calls.join("; "))
            }
        }
    }

    /// The question and how to answer it, for a client that cannot ask its user.
    pub(super) fn to_be_settled(&self) -> String {
        let how = match self {
            Self::Approval(asked) => {
                let id = asked.approval_id;
                format!("The owner allows it with `dwell approvals answer {id} once`, or denies it with `deny`.")
            }
            Self::Doubt(_) => "Call `resume` with the `outcome`: `happened` or `did_not_happen`.".to_owned(),
            Self::Interrupted => "Call `resume`.".to_owned(),
            Self::Dialog(_) => "It is answered on the session's desktop.".to_owned(),
        };
        format!("{} {how} Then call `await_continuation`.", self.message())
    }

    fn schema(&self) -> JsonObject {
        let (properties, required) = match self {
            Self::Approval(_) => {
                let remember = json!({
                    "type": "boolean", "title": "Remember the answer", "default": false,
                    "description": "For this session: the same call stays allowed, or the tool stays denied.",
                });
                let confirm = json!({ "type": "boolean", "title": "Allow this call" });
                (json!({ CONFIRM: confirm, REMEMBER: remember }), vec![CONFIRM.to_owned()])
            }
            Self::Interrupted => {
                let confirm = json!({ "type": "boolean", "title": "Continue" });
                (json!({ CONFIRM: confirm }), vec![CONFIRM.to_owned()])
            }
            Self::Doubt(_) => {
                let titles = json!([
                    { "const": "happened", "title": "It happened: do not repeat it" },
                    { "const": "did_not_happen", "title": "It did not happen: do it now" },
                ]);
                let outcome = json!({ "type": "string", "title": "Did it happen?", "oneOf": titles });
                (json!({ CHOICE: outcome }), vec![CHOICE.to_owned()])
            }
            Self::Dialog(dialog) => match &dialog.form {
                DialogForm::Choices(choices) => {
                    let titles: Vec<Value> =
                        choices.iter().map(|choice| json!({ "const": choice.value, "title": choice.label })).collect();
                    (json!({ CHOICE: { "type": "string", "oneOf": titles } }), vec![CHOICE.to_owned()])
                }
                DialogForm::Fields(components) => fields(components),
            },
        };
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        schema.as_object().cloned().unwrap_or_default()
    }
}

/// The fields of a form, except those that take no input.
fn fields(components: &[Component]) -> (Value, Vec<String>) {
    let (mut properties, mut required) = (JsonObject::new(), Vec::new());
    gather(components, &mut properties, &mut required);
    (Value::Object(properties), required)
}

fn gather(components: &[Component], properties: &mut JsonObject, required: &mut Vec<String>) {
    for component in components {
        match component {
            Component::Input { name, label, placeholder, value, .. } => {
                let field = json!({ "type": "string", "title": label, "description": placeholder, "default": value });
                properties.insert(name.clone(), field);
                required.push(name.clone());
            }
            Component::Select { name, label, options, .. } => {
                let titles: Vec<Value> =
                    options.iter().map(|option| json!({ "const": option.value, "title": option.label })).collect();
                properties.insert(name.clone(), json!({ "type": "string", "title": label, "oneOf": titles }));
            }
            Component::Checkbox { name, label, checked } => {
                properties.insert(name.clone(), json!({ "type": "boolean", "title": label, "default": checked }));
                required.push(name.clone());
            }
            Component::Form { components, .. } => gather(components, properties, required),
            Component::Columns { columns } => {
                columns.iter().for_each(|column| gather(column, properties, required));
            }
            _ => {}
        }
    }
}

/// The result of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerOutcome {
    /// It is settled.
    Settled,
    /// The user dismissed it: the question stays open.
    Dismissed,
    /// It does not fit the question.
    Invalid,
}

/// Applies an answer. A question that was settled meanwhile stays settled.
pub(super) async fn answer(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
    asked: &TurnQuestion,
    said: &Value,
) -> Result<AnswerOutcome, Error> {
    let accepted = match said.get("action").and_then(Value::as_str) {
        Some("accept") => true,
        Some("decline") => false,
        Some("cancel") => return Ok(AnswerOutcome::Dismissed),
        _ => return Ok(AnswerOutcome::Invalid),
    };
    let content = said.get("content").and_then(Value::as_object);
    let outcome = match asked {
        TurnQuestion::Approval(request) => {
            let Some(decision) = decision(accepted, content) else { return Ok(AnswerOutcome::Invalid) };
            let (approval_id, digest) = (request.approval_id, Some(request.digest.clone()));
            hub.answer_approval(owner, ApprovalAnswer { approval_id, decision, digest }).await
        }
        TurnQuestion::Interrupted => match decision(accepted, content) {
            None => return Ok(AnswerOutcome::Invalid),
            Some(said) if said.allows() => {
                let resume = TurnResume { turn_id: turn.turn_id, outcome: None, call_id: None };
                hub.resume_turn(owner, resume).await.map(drop)
            }
            Some(_) => hub.cancel_turn(owner, turn.turn_id, None).await.map(drop),
        },
        TurnQuestion::Doubt(_) => {
            if !accepted {
                return Ok(AnswerOutcome::Dismissed);
            }
            let outcome = content.and_then(|content| content.get(CHOICE)).cloned().unwrap_or_default();
            let Ok(outcome) = serde_json::from_value::<CallOutcome>(outcome) else { return Ok(AnswerOutcome::Invalid) };
            let resume = TurnResume { turn_id: turn.turn_id, outcome: Some(outcome), call_id: None };
            hub.resume_turn(owner, resume).await.map(drop)
        }
        TurnQuestion::Dialog(dialog) => reply(hub, owner, turn, dialog, content.filter(|_| accepted)).await,
    };
    match outcome {
        Ok(()) => Ok(AnswerOutcome::Settled),
        Err(Error::Refused(refusal)) if is_over(&refusal) => Ok(AnswerOutcome::Settled),
        Err(Error::Refused(_)) => Ok(AnswerOutcome::Invalid),
        Err(error) => Err(error),
    }
}

fn is_over(refusal: &engine::Refusal) -> bool {
    matches!(
        refusal,
        engine::Refusal::ApprovalSettled
            | engine::Refusal::DialogSettled
            | engine::Refusal::AlreadyFinal
            | engine::Refusal::NotInterrupted
    )
}

/// The decision on a call. Approval needs an explicit yes.
fn decision(accepted: bool, content: Option<&JsonObject>) -> Option<ApprovalDecision> {
    let flag = |name: &str| content.and_then(|content| content.get(name)).and_then(Value::as_bool);
    let lasts = flag(REMEMBER).unwrap_or(false);
    let allowed = if accepted { flag(CONFIRM)? } else { false };
    Some(match (allowed, lasts) {
        (true, false) => ApprovalDecision::Once,
        (true, true) => ApprovalDecision::Always,
        (false, false) => ApprovalDecision::Deny,
        (false, true) => ApprovalDecision::Never,
    })
}

async fn reply(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
    dialog: &Dialog,
    content: Option<&JsonObject>,
) -> Result<(), Error> {
    let (session, dialog_id) = (turn.session_id.into(), dialog.dialog_id);
    match &dialog.form {
        DialogForm::Choices(_) => {
            let choice = content.and_then(|content| content.get(CHOICE)).and_then(Value::as_str).map(str::to_owned);
            hub.answer_dialog(owner, DialogReply { session, dialog_id, choice }).await
        }
        DialogForm::Fields(_) => {
            let values =
                content.map(|content| content.iter().map(|(name, value)| (name.clone(), plain(value))).collect());
            hub.answer_prompt(owner, PromptReply { session, dialog_id, values }).await
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval() -> TurnQuestion {
        let request = json!({
            "approval_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "turn_id": "01ARZ3NDEKTSV4RRFFQ69G5FAW", "call_id": "c1",
            "tool": "call_service", "arguments": { "service": "unlock" }, "digest": "d", "safety": "acts",
            "effect": "at_most_once", "reason": "locks are confirmed each time", "expires_at": "2026-11-15T10:00:00Z",
        });
        TurnQuestion::Approval(Box::new(serde_json::from_value(request).unwrap()))
    }

    fn dialog(form: Value) -> TurnQuestion {
        let dialog = json!({
            "dialog_id": "01ARZ3NDEKTSV4RRFFQ69G5FAX", "turn_id": "01ARZ3NDEKTSV4RRFFQ69G5FAW", "title": "Trip", "text": "Where to?",
            "form": form, "expires_at": "2026-11-15T10:00:00Z",
        });
        TurnQuestion::Dialog(Box::new(serde_json::from_value(dialog).unwrap()))
    }

    #[test]
    fn every_kind_of_question_is_a_form_that_clients_know() {
        let fields = json!({ "fields": [
            { "type": "input", "name": "city", "label": "City" },
            { "type": "checkbox", "name": "train", "label": "By train" },
            { "type": "select", "name": "when", "options": [{ "value": "am", "label": "Morning" }] },
        ] });
        let choices =
            json!({ "choices": [{ "value": "rome", "label": "Rome" }, { "value": "oslo", "label": "Oslo" }] });
        let doubt = TurnQuestion::Doubt(Doubt { text: "Did it happen?".to_owned(), calls: Vec::new() });
        for asked in [approval(), dialog(fields), dialog(choices), doubt, TurnQuestion::Interrupted] {
            let written = asked.schema();
            let read = ElicitationSchema::from_json_schema(written.clone()).unwrap_or_else(|error| panic!("{error}"));
            let names = written["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            let known = serde_json::to_value(read).unwrap();
            assert_eq!(known["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn a_call_is_asked_about_exactly() {
        let expected = r#"May Dwell call `call_service` with {"service":"unlock"}? Locks are confirmed each time."#;
        assert_eq!(approval().message(), expected);
    }

    #[test]
    fn clients_that_cannot_ask_are_told_how_to_answer() {
        let words = approval().to_be_settled();
        assert!(words.starts_with(&approval().message()), "{words}");
        assert!(words.contains("`dwell approvals answer 01ARZ3NDEKTSV4RRFFQ69G5FAV once`"), "{words}");
    }

    #[test]
    fn only_an_explicit_yes_is_one() {
        let content = |value: Value| value.as_object().cloned();
        let said = |accepted, value| decision(accepted, content(value).as_ref());
        assert_eq!(said(true, json!({ "confirm": true })), Some(ApprovalDecision::Once));
        assert_eq!(said(true, json!({ "confirm": true, "remember": true })), Some(ApprovalDecision::Always));
        assert_eq!(said(true, json!({ "confirm": false })), Some(ApprovalDecision::Deny));
        assert_eq!(said(false, json!({ "confirm": true, "remember": true })), Some(ApprovalDecision::Never));
        assert_eq!(said(false, json!(null)), Some(ApprovalDecision::Deny));
        assert_eq!(said(true, json!({})), None);
        assert_eq!(said(true, json!({ "confirm": "yes" })), None);
    }
}
