//! `app_query` and `app_command`: read a value from the app in a window, or send it a command.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{AppCommand, AppOutcome, AppRequest, Manifest, Origin, Safety, Window, WindowContent, WindowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, Declaration, Tool};

use super::{acts, window_id, windows};

/// The number of characters quoted of an app's error.
const SAID_CHARS_MAX: usize = 500;

/// The tool `app_query`.
pub(super) struct AppQuery;

/// The tool `app_command`.
pub(super) struct AppCommandTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryInput {
    /// The app's window.
    window_id: String,
    /// The state key.
    key: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandInput {
    /// The app's window.
    window_id: String,
    /// The command.
    command: String,
    /// Its arguments.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    arguments: Option<Value>,
}

/// The answer of an app.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AppOutput {
    /// The answer.
    value: Value,
    #[serde(skip)]
    origin: Origin,
}

#[async_trait]
impl Tool for AppQuery {
    type Input = QueryInput;
    type Output = AppOutput;

    fn declaration(&self) -> Declaration {
        let description = "Reads a value from the app in a window. `desktop_look` lists the keys.";
        // The text of an app's error is untrusted; an answer carries its own origin.
        let origin = Origin::Untrusted;
        Declaration { safety: Safety::Observes, parallel: true, origin, ..acts("app_query", description) }
    }

    async fn call(&self, input: QueryInput, context: &CallContext) -> Result<AppOutput, ToolFailure> {
        let window_id = window_id("window_id", &input.window_id)?;
        let asked = AppWindow::find(window_id, context).await?;
        if let Some(manifest) = asked.manifest() {
            let keys = manifest.state.iter().map(|state| state.key.as_str());
            known("key", &input.key, keys)?;
        }
        asked.ask(AppRequest::Query { key: input.key }, context).await
    }

    fn origin(&self, output: &AppOutput) -> Option<Origin> {
        Some(output.origin)
    }
}

#[async_trait]
impl Tool for AppCommandTool {
    type Input = CommandInput;
    type Output = AppOutput;

    fn declaration(&self) -> Declaration {
        let description = "Sends a command to the app in a window. `desktop_look` lists commands and their arguments.";
        Declaration { origin: Origin::Untrusted, ..acts("app_command", description) }
    }

    async fn call(&self, input: CommandInput, context: &CallContext) -> Result<AppOutput, ToolFailure> {
        let window_id = window_id("window_id", &input.window_id)?;
        let arguments = match input.arguments {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments @ Value::Object(_)) => arguments,
            Some(_) => return Err(ToolFailure::Invalid("`arguments` has to be an object".to_owned())),
        };
        let asked = AppWindow::find(window_id, context).await?;
        if let Some(manifest) = asked.manifest() {
            let names = manifest.commands.iter().map(|command| command.name.as_str());
            known("command", &input.command, names)?;
        }
        let command = AppCommand { name: input.command, arguments };
        asked.ask(AppRequest::Command(command), context).await
    }

    fn origin(&self, output: &AppOutput) -> Option<Origin> {
        Some(output.origin)
    }
}

/// The window of the app. A closed window is accepted: the call may be run a second time, and then
/// the desktop still has the answer.
struct AppWindow {
    window_id: WindowId,
    window: Option<Window>,
}

impl AppWindow {
    async fn find(window_id: WindowId, context: &CallContext) -> Result<Self, ToolFailure> {
        let window = windows(context).await?.into_iter().find(|window| window.window_id == window_id);
        match &window {
            Some(Window { content: WindowContent::App { .. }, .. }) | None => Ok(Self { window_id, window }),
            Some(window) => Err(ToolFailure::Invalid(format!(
                "`window_id`: there is no app in `{window_id}`, it shows {}",
                window.content.kind()
            ))),
        }
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.window.as_ref()?.app.as_ref()?.manifest.as_ref()
    }

    /// The origin of an app's answer: that of the window's content. Bundled apps add nothing
    /// untrusted.
    fn origin(&self) -> Origin {
        self.window.as_ref().map_or(Origin::Untrusted, |window| window.origin)
    }

    async fn ask(self, request: AppRequest, context: &CallContext) -> Result<AppOutput, ToolFailure> {
        let (window_id, origin) = (&self.window_id, self.origin());
        let is_command = matches!(request, AppRequest::Command(_));
        match context.desktop.ask_app(&context.key, window_id.clone(), request).await? {
            AppOutcome::Ok(value) => Ok(AppOutput { value, origin }),
            AppOutcome::Error(why) => {
                let why: String = why.chars().take(SAID_CHARS_MAX).collect();
                Err(ToolFailure::Failed(format!("the app in `{window_id}` refused: {why}")))
            }
            AppOutcome::TimedOut => {
                let perhaps =
                    if is_command { "; it may have done it: query its state before trying again" } else { "" };
                let why = format!(
                    "the app in `{window_id}` did not answer within 5 s; perhaps no client has it open{perhaps}"
                );
                Err(ToolFailure::Failed(why))
            }
            AppOutcome::Gone => Err(ToolFailure::Failed(format!("`{window_id}` was closed before its app answered"))),
        }
    }
}

fn known<'a>(
    field: &str,
    requested: &str,
    mut names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ToolFailure> {
    let all = names.clone();
    if names.any(|name| name == requested) {
        return Ok(());
    }
    let requested: String = requested.chars().take(64).collect();
    let all = all.collect::<Vec<_>>().join(", ");
    Err(ToolFailure::Invalid(format!("`{field}`: the app has no `{requested}`; it has {all}")))
}
