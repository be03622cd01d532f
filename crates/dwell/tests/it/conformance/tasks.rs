//! Fixtures that are tasks. They are tools in Dwell's registry, so the tasks are Dwell's own: turns
//! in the journal.

use async_trait::async_trait;
use ports::{ToolFailure, UserQuestion};
use protocol::{Component, DialogForm, Effect, Origin, Safety};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, ClientCapabilities, InputRequiredResult, Tool as Declared},
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::McpHandler;
use std::time::Duration;
use tools::{CallContext, Declaration, Registry, Tool};

use super::{
    content::{object, plain},
    rounds::{form, said},
};

/// A model whose provider cannot be reached.
pub(super) const BROKEN_MODEL: &str = "openai/broken";
/// Fixtures that need a client with the tasks capability.
const ONLY_AS_TASKS: [&str; 4] = ["failing_job", "confirm_delete", "multi_input", "test_tool_with_task"];

/// Fixtures that are not in the registry.
pub(super) fn wrapped() -> Vec<Declared> {
    vec![plain("protocol_error_job"), plain("test_tool_with_task")]
}

pub(super) fn is_fixture(name: &str) -> bool {
    ONLY_AS_TASKS.contains(&name) || wrapped().iter().any(|tool| tool.name == name)
}

pub(super) async fn call(
    mcp: &McpHandler,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let knows_tasks = context.client_capabilities().is_some_and(|declared| declared.supports_tasks());
    if ONLY_AS_TASKS.contains(&request.name.as_ref()) && !knows_tasks {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    let instead = match request.name.as_ref() {
        // A turn that fails: its model cannot be reached.
        "protocol_error_job" => {
            let arguments = json!({ "session_id": "broken", "message": "Hello", "model": BROKEN_MODEL });
            CallToolRequestParams::new("send_message").with_arguments(object(arguments))
        }
        "test_tool_with_task" => match said(request.input_responses.as_ref(), "user_name") {
            None => {
                let asked = form("user_name", "What is your name?", "name", "string");
                return Ok(InputRequiredResult::from_input_requests([asked].into_iter().collect()).into());
            }
            Some(said) => {
                let name = said.pointer("/content/name").and_then(Value::as_str).unwrap_or("you");
                CallToolRequestParams::new("greet_later").with_arguments(object(json!({ "name": name })))
            }
        },
        _ => request,
    };
    mcp.call_tool(instead, context).await
}

/// Adds the fixtures to the registry.
pub(super) fn add(registry: &mut Registry) {
    registry.add(Greet).unwrap();
    registry.add(GreetLater).unwrap();
    registry.add(SlowCompute).unwrap();
    registry.add(FailingJob).unwrap();
    registry.add(ConfirmDelete).unwrap();
    registry.add(MultiInput).unwrap();
}

/// The declaration of a fixture that takes a while and changes its session.
fn keeps(name: &str) -> Declaration {
    let declaration = Declaration::new(name, format!("The suite's fixture {name}."));
    let (effect, safety, origin) = (Effect::Idempotent, Safety::Keeps, Origin::Trusted);
    Declaration { effect, safety, origin, parallel: true, timeout: Duration::from_secs(120), ..declaration }
}

#[derive(Serialize, JsonSchema)]
struct WordsOutput {
    words: String,
}

fn words(words: impl Into<String>) -> Result<WordsOutput, ToolFailure> {
    Ok(WordsOutput { words: words.into() })
}

#[derive(Deserialize, JsonSchema)]
struct EmptyInput {}

#[derive(Deserialize, JsonSchema)]
struct NameInput {
    name: String,
}

struct Greet;

#[async_trait]
impl Tool for Greet {
    type Input = NameInput;
    type Output = String;

    fn declaration(&self) -> Declaration {
        Declaration::new("greet", "The suite's fixture greet.").computes()
    }

    async fn call(&self, input: NameInput, _: &CallContext) -> Result<String, ToolFailure> {
        Ok(format!("Hello, {}!", input.name))
    }
}

struct GreetLater;

#[async_trait]
impl Tool for GreetLater {
    type Input = NameInput;
    type Output = WordsOutput;

    fn declaration(&self) -> Declaration {
        keeps("greet_later")
    }

    async fn call(&self, input: NameInput, _: &CallContext) -> Result<WordsOutput, ToolFailure> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        words(format!("Hello, {}!", input.name))
    }
}

#[derive(Deserialize, JsonSchema)]
struct SlowInput {
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    label: String,
}

struct SlowCompute;

#[async_trait]
impl Tool for SlowCompute {
    type Input = SlowInput;
    type Output = WordsOutput;

    fn declaration(&self) -> Declaration {
        keeps("slow_compute")
    }

    async fn call(&self, input: SlowInput, _: &CallContext) -> Result<WordsOutput, ToolFailure> {
        tokio::time::sleep(Duration::from_secs_f64(input.seconds)).await;
        words(format!("{} took {} s", input.label, input.seconds))
    }
}

struct FailingJob;

#[async_trait]
impl Tool for FailingJob {
    type Input = EmptyInput;
    type Output = WordsOutput;

    fn declaration(&self) -> Declaration {
        keeps("failing_job")
    }

    async fn call(&self, _: EmptyInput, _: &CallContext) -> Result<WordsOutput, ToolFailure> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Err(ToolFailure::Failed("it was meant to fail".to_owned()))
    }
}

#[derive(Deserialize, JsonSchema)]
struct FileInput {
    filename: String,
}

struct ConfirmDelete;

#[async_trait]
impl Tool for ConfirmDelete {
    type Input = FileInput;
    type Output = WordsOutput;

    fn declaration(&self) -> Declaration {
        keeps("confirm_delete")
    }

    async fn confirm(&self, _: &FileInput) -> Option<String> {
        Some("deleting is confirmed each time".to_owned())
    }

    async fn call(&self, input: FileInput, _: &CallContext) -> Result<WordsOutput, ToolFailure> {
        words(format!("{} is deleted", input.filename))
    }
}

struct MultiInput;

#[async_trait]
impl Tool for MultiInput {
    type Input = EmptyInput;
    type Output = WordsOutput;

    fn declaration(&self) -> Declaration {
        keeps("multi_input")
    }

    async fn call(&self, _: EmptyInput, context: &CallContext) -> Result<WordsOutput, ToolFailure> {
        let asking = |title: &str| UserQuestion {
            window_id: None,
            title: title.to_owned(),
            text: String::new(),
            form: DialogForm::Fields(vec![
                Component::Input {
                    name: "name".to_owned(),
                    label: "Name".to_owned(),
                    value: String::new(),
                    placeholder: String::new(),
                    multiline: false,
                },
                Component::Checkbox { name: "confirm".to_owned(), label: "Sure".to_owned(), checked: false },
            ]),
            timeout: Duration::from_secs(60),
        };
        let (one, two) = (format!("{}-one", context.key), format!("{}-two", context.key));
        let asked =
            tokio::join!(context.desktop.ask(&one, asking("First")), context.desktop.ask(&two, asking("Second")));
        words(format!("{:?} {:?}", asked.0?, asked.1?))
    }
}
