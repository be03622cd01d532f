//! `app_query` and `app_command`: the app in a window is asked, or told.

use async_trait::async_trait;
use protocol::{AppCommand, AppOutcome, AppRequest, Content, Manifest, Origin, Safety, Window, WindowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Context, Declaration, Failure, Tool};

use super::{acts, window_id, windows};

/// How much of what an app says is told when it says no.
const SAID_CHARS_MAX: usize = 500;

/// Asks how something stands.
pub(super) struct AppQuery;

/// Tells it to do something.
pub(super) struct AppDo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryInput {
    /// The app's window.
    window_id: String,
    /// What of its state.
    key: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandInput {
    /// The app's window.
    window_id: String,
    /// What it is to do.
    command: String,
    /// With what.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    arguments: Option<Value>,
}

/// What an app answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Said {
    /// The answer.
    value: Value,
    #[serde(skip)]
    origin: Origin,
}

#[async_trait]
impl Tool for AppQuery {
    type Input = QueryInput;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        let description = "Asks the app in a window how something stands. `desktop_look` tells the keys.";
        // What an app says of its failure is its own words; an answer says itself whose it is.
        let origin = Origin::Untrusted;
        Declaration { safety: Safety::Observes, parallel: true, origin, ..acts("app_query", description) }
    }

    async fn call(&self, input: QueryInput, context: &Context) -> Result<Said, Failure> {
        let window_id = window_id("window_id", &input.window_id)?;
        let asked = Asked::find(window_id, context).await?;
        if let Some(manifest) = asked.manifest() {
            let keys = manifest.state.iter().map(|state| state.key.as_str());
            known("key", &input.key, keys)?;
        }
        asked.ask(AppRequest::Query { key: input.key }, context).await
    }

    fn origin(&self, output: &Said) -> Option<Origin> {
        Some(output.origin)
    }
}

#[async_trait]
impl Tool for AppDo {
    type Input = CommandInput;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        let description =
            "Tells the app in a window to do something. `desktop_look` tells its commands and their arguments.";
        Declaration { origin: Origin::Untrusted, ..acts("app_command", description) }
    }

    async fn call(&self, input: CommandInput, context: &Context) -> Result<Said, Failure> {
        let window_id = window_id("window_id", &input.window_id)?;
        let arguments = match input.arguments {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments @ Value::Object(_)) => arguments,
            Some(_) => return Err(Failure::Invalid("`arguments` has to be an object".to_owned())),
        };
        let asked = Asked::find(window_id, context).await?;
        if let Some(manifest) = asked.manifest() {
            let names = manifest.commands.iter().map(|command| command.name.as_str());
            known("command", &input.command, names)?;
        }
        let command = AppCommand { name: input.command, arguments };
        asked.ask(AppRequest::Command(command), context).await
    }

    fn origin(&self, output: &Said) -> Option<Origin> {
        Some(output.origin)
    }
}

/// The window whose app is asked. One that is gone is asked all the same: the call may be run a second time, and then
/// the desktop still knows the answer.
struct Asked {
    window_id: WindowId,
    window: Option<Window>,
}

impl Asked {
    async fn find(window_id: WindowId, context: &Context) -> Result<Self, Failure> {
        let window = windows(context).await?.into_iter().find(|window| window.window_id == window_id);
        match &window {
            Some(Window { content: Content::App { .. }, .. }) | None => Ok(Self { window_id, window }),
            Some(window) => Err(Failure::Invalid(format!(
                "`window_id`: there is no app in `{window_id}`, it shows {}",
                window.content.kind()
            ))),
        }
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.window.as_ref()?.app.as_ref()?.manifest.as_ref()
    }

    /// What an app says comes of what it was told; the apps that come with us add nothing of strangers.
    fn origin(&self) -> Origin {
        self.window.as_ref().map_or(Origin::Untrusted, |window| window.origin)
    }

    async fn ask(self, request: AppRequest, context: &Context) -> Result<Said, Failure> {
        let (window_id, origin) = (&self.window_id, self.origin());
        let is_command = matches!(request, AppRequest::Command(_));
        match context.desktop.ask_app(&context.key, window_id.clone(), request).await? {
            AppOutcome::Ok(value) => Ok(Said { value, origin }),
            AppOutcome::Error(why) => {
                let why: String = why.chars().take(SAID_CHARS_MAX).collect();
                Err(Failure::Failed(format!("the app in `{window_id}` said no: {why}")))
            }
            AppOutcome::TimedOut => {
                let perhaps =
                    if is_command { "; it may have done it: ask how it stands before trying again" } else { "" };
                let why =
                    format!("the app in `{window_id}` did not answer within 5 s; perhaps nobody has it open{perhaps}");
                Err(Failure::Failed(why))
            }
            AppOutcome::Gone => Err(Failure::Failed(format!("`{window_id}` was closed before its app answered"))),
        }
    }
}

fn known<'a>(field: &str, wanted: &str, mut names: impl Iterator<Item = &'a str> + Clone) -> Result<(), Failure> {
    let all = names.clone();
    if names.any(|name| name == wanted) {
        return Ok(());
    }
    let wanted: String = wanted.chars().take(64).collect();
    let all = all.collect::<Vec<_>>().join(", ");
    Err(Failure::Invalid(format!("`{field}`: the app has no `{wanted}`; it has {all}")))
}
