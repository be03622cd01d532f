//! `window_open`: opens a window.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Action, Origin, WindowContent, WindowId, WindowState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, Declaration, Tool};

use super::{acts, bounds::RequestedBounds, content, naming, title, window_id, windows};

/// The tool `window_open`.
pub(super) struct WindowOpen;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenInput {
    /// Its name from now on: small letters, digits, `-`, `_`. Made from the title if absent.
    #[serde(default)]
    window_id: Option<String>,
    /// Its title.
    title: String,
    /// What it shows; `?` marks what may be left out. One of: {type:"markdown",text}
    /// {type:"text",text} {type:"html",html}: no scripts, styles, forms or pictures from elsewhere
    /// {type:"table",columns:[text],rows:[[text, number, bool or null per column]]}
    /// {type:"chart",kind:bar|line|area|pie|scatter,labels:[text],series:[{name,values:[number per
    /// label]}]} {type:"components",columns?:1-4,components:[...]} of {type:"text",text},
    /// {type:"button",label,action,tone?,parallel?},
    /// {type:"input",name,label?,value?,placeholder?,multiline?},
    /// {type:"select",name,label?,options:[text],value?}, {type:"checkbox",name,label,checked?},
    /// {type:"badge",text,tone?}, {type:"progress",percent,label?},
    /// {type:"image",source:"artifact:ID",alt}, {type:"form",name,components:[...]},
    /// {type:"columns",columns:[[...]]}; tone: plain|info|success|warning|danger. Pressing a button
    /// sends `action`, and its form's values, to the window's agent {type:"app",app,params?}: app
    /// `timer` (params {seconds,label}) or `notes` (a board of notes)
    #[schemars(with = "Map<String, Value>")]
    content: Value,
    /// From the left of a desktop 7680 wide and 4320 high.
    #[serde(default)]
    x: Option<f64>,
    /// From the top.
    #[serde(default)]
    y: Option<f64>,
    /// At least 400.
    #[serde(default)]
    width: Option<f64>,
    /// At least 300.
    #[serde(default)]
    height: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenOutput {
    /// The window's name.
    window_id: WindowId,
}

#[async_trait]
impl Tool for WindowOpen {
    type Input = OpenInput;
    type Output = OpenOutput;

    fn declaration(&self) -> Declaration {
        acts(
            "window_open",
            "Opens a window on the user's desktop: for what is better seen than read in the chat, such as a table, a chart, a \
             form or an app. Place and size are chosen if absent. Answers with the window's name.",
        )
        .about(&[
            "show", "display", "chart", "graph", "table", "form", "app", "desktop", "dashboard", "game", "timer", "clock",
            "calendar", "list", "board", "screen",
        ])
    }

    async fn call(&self, input: OpenInput, context: &CallContext) -> Result<OpenOutput, ToolFailure> {
        let title = title(&input.title)?;
        let content = content(input.content)?;
        let requested = RequestedBounds::read(input.x, input.y, input.width, input.height)?;
        let window_id = match &input.window_id {
            Some(name) => window_id("window_id", name)?,
            None => naming::window(&title, context.session_id, &context.key).ok_or_else(|| {
                ToolFailure::Invalid("`window_id`: no name can be made from the title: give one".to_owned())
            })?,
        };
        open(context, &window_id, title, content, requested, context.origin).await?;
        Ok(OpenOutput { window_id })
    }
}

/// Opens a window at free bounds.
pub(super) async fn open(
    context: &CallContext,
    window_id: &WindowId,
    title: String,
    content: WindowContent,
    requested: RequestedBounds,
    origin: Origin,
) -> Result<(), ToolFailure> {
    let windows = windows(context).await?;
    // When the call is run again, its own window is open already.
    let others =
        windows.iter().filter(|window| window.window_id != *window_id && window.state != WindowState::Minimized);
    let bounds = requested.bounds(&content, &others.map(|window| window.bounds).collect::<Vec<_>>());
    // The session decides which group the window joins.
    let open =
        Action::Create { window_id: window_id.clone(), group: None, title, bounds, content, origin, token: None };
    context.desktop.act(&context.key, vec![open]).await
}
