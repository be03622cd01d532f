//! Fixtures that answer with the input they need, as the 2026-07-28 version of the protocol does.
//! The library seals the state that the client keeps for them.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
        ElicitRequestParams, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequest, InputRequests,
        InputRequiredResult, InputResponses, ListRootsRequest, Prompt, PromptMessage, RequestStateCodec, Role,
        SamplingMessage, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::content::{plain, text};

const PREFIX: &str = "test_input_required_result_";

pub(super) fn tools() -> Vec<Tool> {
    [
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_input_required_result_tampered_state",
        "test_input_required_result_capabilities",
        "test_streaming_elicitation",
    ]
    .into_iter()
    .map(plain)
    .collect()
}

fn codec() -> RequestStateCodec {
    RequestStateCodec::new_unchecked(b"a key that nobody outside of this test knows".to_vec())
}

/// A form for the client's user, under a name.
pub(super) fn form(name: &str, message: &str, field: &str, kind: &str) -> (String, InputRequest) {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    let requested_schema = serde_json::from_value(schema).unwrap();
    let message = message.to_owned();
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    (name.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form)))
}

fn sampled(name: &str, words: &str) -> (String, InputRequest) {
    let asked = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(words)], 100);
    (name.to_owned(), InputRequest::CreateMessage(CreateMessageRequest::new(asked)))
}

fn roots(name: &str) -> (String, InputRequest) {
    (name.to_owned(), InputRequest::ListRoots(ListRootsRequest::default()))
}

/// The client's response under a name, if it is a valid answer.
pub(super) fn said<'a>(responses: Option<&'a InputResponses>, name: &str) -> Option<&'a Value> {
    responses.and_then(|all| all.get(name)).filter(|said| said.is_object())
}

fn field(said: &Value, pointer: &str) -> String {
    said.pointer(pointer).and_then(Value::as_str).unwrap_or("?").to_owned()
}

fn needs(asked: impl IntoIterator<Item = (String, InputRequest)>, state: Option<&Value>) -> CallToolResponse {
    let asked: InputRequests = asked.into_iter().collect();
    let state = state.map(|state| codec().seal_json(state).unwrap());
    InputRequiredResult::new(Some(asked), state).into()
}

pub(super) fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let responses = request.input_responses.as_ref();
    let opened = match request.request_state.as_deref() {
        None => None,
        Some(sealed) => Some(
            codec()
                .open_json::<Value>(sealed)
                .map_err(|_| ErrorData::invalid_params("the request state is not one that was given", None))?,
        ),
    };
    let name = || form("user_name", "What is your name?", "name", "string");
    Ok(match request.name.strip_prefix(PREFIX).unwrap_or(&request.name) {
        "elicitation" => match said(responses, "user_name") {
            Some(said) => text(format!("Hello, {}!", field(said, "/content/name"))).into(),
            None => needs([name()], None),
        },
        "sampling" => match said(responses, "capital_question") {
            Some(said) => text(field(said, "/content/text")).into(),
            None => needs([sampled("capital_question", "What is the capital of France?")], None),
        },
        "list_roots" => match said(responses, "client_roots") {
            Some(said) => text(said["roots"].to_string()).into(),
            None => needs([roots("client_roots")], None),
        },
        "request_state" | "tampered_state" => match opened {
            Some(_) => text("state-ok").into(),
            None => needs([form("confirm", "Please confirm", "ok", "boolean")], Some(&json!({ "at": 1 }))),
        },
        "multiple_inputs" => {
            let is_whole = ["user_name", "greeting", "client_roots"].iter().all(|it| said(responses, it).is_some());
            if is_whole && opened.is_some() {
                text("all is here").into()
            } else {
                let asked = [name(), sampled("greeting", "Generate a greeting"), roots("client_roots")];
                needs(asked, Some(&json!({ "at": 1 })))
            }
        }
        "multi_round" => match opened.as_ref().and_then(|state| state["round"].as_u64()) {
            None => needs([form("step1", "What is your name?", "name", "string")], Some(&json!({ "round": 1 }))),
            Some(1) => {
                needs([form("step2", "Which colour do you like?", "color", "string")], Some(&json!({ "round": 2 })))
            }
            Some(_) => text("all rounds are over").into(),
        },
        "capabilities" if responses.is_some() => text("asked only what the client can").into(),
        "capabilities" => {
            let declared = context.meta.client_capabilities().unwrap_or_default();
            let mut asked = Vec::new();
            if declared.elicitation.is_some() {
                asked.push(name());
            }
            if declared.sampling.is_some() {
                asked.push(sampled("greeting", "Generate a greeting"));
            }
            if declared.roots.is_some() {
                asked.push(roots("client_roots"));
            }
            if asked.is_empty() { text("nothing to ask").into() } else { needs(asked, None) }
        }
        _ => needs([form("streaming_elicitation", "Provide a value", "value", "string")], None),
    })
}

pub(super) fn prompt() -> Prompt {
    Prompt::new("test_input_required_result_prompt", Some("A prompt that needs something first."), None)
}

pub(super) fn get_prompt(request: &GetPromptRequestParams) -> GetPromptResponse {
    match said(request.input_responses.as_ref(), "user_context") {
        Some(said) => {
            let words = format!("Context: {}", field(said, "/content/context"));
            GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)]).into()
        }
        None => {
            let asked = form("user_context", "Which context?", "context", "string");
            InputRequiredResult::from_input_requests([asked].into_iter().collect()).into()
        }
    }
}
