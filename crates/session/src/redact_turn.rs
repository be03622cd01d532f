//! Redacts a whole turn: removes the text of the request, the answer, the calls and the context.
//! The turn itself, its status and its usage stay. So do its desktop actions, since their result is
//! still on the desktop.

use protocol::{Body, FORGOTTEN, PlannedCall, Request, Step, TextDelta};
use serde_json::{Map, Value};

use crate::redact::MASK;

/// The redacted content of an event of such a turn.
pub(crate) fn without_words(body: &Body) -> Body {
    let mut body = body.clone();
    match &mut body {
        Body::MessageAccepted(accepted) => empty_request(&mut accepted.request),
        Body::MessageSteered(steered) => empty_request(&mut steered.request),
        Body::Text(text) | Body::Thinking(text) => mask(text),
        Body::Final(response) => {
            FORGOTTEN.clone_into(&mut response.message);
            response.reasoning_summary = None;
            response.citations.clear();
            response.suggestions.clear();
        }
        Body::Clarification(asked) => FORGOTTEN.clone_into(&mut asked.question),
        Body::TurnStage(stage) => {
            // The details contain names and numbers of the message. The turn's route contains no
            // user text and stays.
            if let Some(detail) = stage.detail.as_mut().and_then(Value::as_object_mut) {
                detail.remove("entities");
                detail.remove("slots");
            }
        }
        Body::MemoryUsed(used) => {
            used.items.iter_mut().for_each(|item| FORGOTTEN.clone_into(&mut item.text));
            used.entities.clear();
        }
        Body::Step(step) => empty_step(step),
        Body::ApprovalRequested(_) | Body::ResearchStarted(_) | Body::ResearchChunk(_) | Body::ResearchDone(_) => {
            return without_texts(body);
        }
        Body::ToolsChanged(offer) => offer.tools.clear(),
        Body::TurnStatus(change) => {
            if let Some(error) = &mut change.error {
                FORGOTTEN.clone_into(&mut error.message);
                error.details = None;
            }
            if let Some(question) = &mut change.question {
                FORGOTTEN.clone_into(&mut question.text);
                question.calls.iter_mut().for_each(|call| call.arguments = no_arguments());
            }
        }
        _ => {}
    }
    body
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

fn empty_request(request: &mut Request) {
    FORGOTTEN.clone_into(&mut request.message);
    request.images.clear();
    request.planner_hints = None;
    request.offer.tools.clear();
    request.served.clear();
    request.calls.iter_mut().for_each(|call| call.arguments.clear());
}

/// The number of characters stays, so that offsets stay valid.
fn mask(text: &mut TextDelta) {
    text.delta = text.delta.chars().map(|_| MASK).collect();
}

fn empty_call(call: &mut PlannedCall) {
    call.arguments = no_arguments();
    call.signatures.clear();
}

fn empty_step(step: &mut Step) {
    match step {
        Step::Plan(plan) => plan.calls.iter_mut().for_each(empty_call),
        Step::ToolCall(call) => call.arguments = no_arguments(),
        Step::ToolResult(result) => {
            FORGOTTEN.clone_into(&mut result.content);
            result.sources.clear();
        }
        Step::Retrieval(found) => *found = Value::Null,
        Step::ObservedEvent(observed) => FORGOTTEN.clone_into(&mut observed.message),
        Step::Summary(summary) => FORGOTTEN.clone_into(&mut summary.text),
        Step::Error(error) => FORGOTTEN.clone_into(&mut error.message),
    }
}

/// Removes every free text of the event. Ids and names of kinds stay, so that the event remains
/// valid.
fn without_texts(body: Body) -> Body {
    let Ok(whole) = serde_json::to_value(&body) else { return body };
    let mut places = Vec::new();
    crate::redact::places_of(&whole, String::new(), &mut places);
    places.retain(|place| !place.ends_with("_id") && !place.ends_with("/tool"));
    places.iter().fold(body, |left, place| {
        let Ok(mut value) = serde_json::to_value(&left) else { return left };
        let Some(text) = value.pointer_mut(place) else { return left };
        *text = Value::from(FORGOTTEN);
        serde_json::from_value(value).unwrap_or(left)
    })
}

#[cfg(test)]
mod tests {
    use protocol::{Effect, Response, StatusChanged, ToolCall, Transition, TurnError};
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_that_was_said_is_left() {
        let secret = "the hedgehog";
        let error = TurnError {
            code: "model_failed".to_owned(),
            message: format!("it did not like {secret}"),
            recoverable: true,
            details: Some(json!({ "said": secret })),
        };
        let call = ToolCall {
            call_id: "c1".to_owned(),
            tool: "note".to_owned(),
            arguments: json!({ "text": secret }),
            effect: Effect::Pure,
            key: "k".to_owned(),
            approval_id: None,
            client_until: None,
            served: false,
        };
        for body in [
            Body::Final(Response { suggestions: vec![secret.to_owned()], ..Response::text(secret, "m") }),
            Body::Text(TextDelta { offset: 3, delta: secret.to_owned() }),
            Body::Step(Step::ToolCall(call)),
            Body::Step(Step::Retrieval(json!([secret]))),
            Body::TurnStatus(StatusChanged { error: Some(error), ..StatusChanged::to(Transition::Failed) }),
        ] {
            let left = serde_json::to_string(&without_words(&body)).unwrap();
            assert!(!left.contains("hedgehog"), "{left}");
        }
    }

    #[test]
    fn streamed_text_keeps_its_length() {
        let body = Body::Text(TextDelta { offset: 0, delta: "größe".to_owned() });
        let Body::Text(left) = without_words(&body) else { panic!("it is still text") };
        assert_eq!(left.delta.chars().count(), 5);
    }
}
