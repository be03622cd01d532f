//! `window_open`: something new to see.

use async_trait::async_trait;
use protocol::{Action, Content, Origin, WindowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Context, Declaration, Failure, Tool};

use super::{acts, bounds::Wanted, content, naming, title, window_id, windows};

/// Opens a window.
pub(super) struct WindowOpen;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenInput {
    /// Its name from now on: small letters, digits, `-`, `_`. Made from the title if absent.
    #[serde(default)]
    window_id: Option<String>,
    /// What stands above it.
    title: String,
    /// What it shows; `?` marks what may be left out. One of:
    /// {type:"markdown",text}
    /// {type:"text",text}
    /// {type:"html",html}: no scripts, styles, forms or pictures from elsewhere
    /// {type:"table",columns:[text],rows:[[text, number, bool or null per column]]}
    /// {type:"chart",kind:bar|line|area|pie|scatter,labels:[text],series:[{name,values:[number per label]}]}
    /// {type:"components",columns?:1-4,components:[...]} of {type:"text",text}, {type:"button",label,action,tone?,parallel?},
    /// {type:"input",name,label?,value?,placeholder?,multiline?}, {type:"select",name,label?,options:[text],value?},
    /// {type:"checkbox",name,label,checked?}, {type:"badge",text,tone?}, {type:"progress",percent,label?},
    /// {type:"image",source:"artifact:ID",alt}, {type:"form",name,components:[...]}, {type:"columns",columns:[[...]]};
    /// tone: plain|info|success|warning|danger. Pressing a button sends `action`, and its form's values, to the window's agent
    /// {type:"app",app,params?}: app `timer` (params {seconds,label}) or `notes` (a board of notes)
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
pub(super) struct Opened {
    /// The window's name.
    window_id: WindowId,
}

#[async_trait]
impl Tool for WindowOpen {
    type Input = OpenInput;
    type Output = Opened;

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

    async fn call(&self, input: OpenInput, context: &Context) -> Result<Opened, Failure> {
        let title = title(&input.title)?;
        let content = content(input.content)?;
        let wanted = Wanted::read(input.x, input.y, input.width, input.height)?;
        let window_id = match &input.window_id {
            Some(name) => window_id("window_id", name)?,
            None => naming::window(&title, context.session_id, &context.key).ok_or_else(|| {
                Failure::Invalid("`window_id`: no name can be made from the title: give one".to_owned())
            })?,
        };
        open(context, &window_id, title, content, wanted, context.origin).await?;
        Ok(Opened { window_id })
    }
}

/// Opens a window where there is room for it.
pub(super) async fn open(
    context: &Context,
    window_id: &WindowId,
    title: String,
    content: Content,
    wanted: Wanted,
    origin: Origin,
) -> Result<(), Failure> {
    let windows = windows(context).await?;
    // Its own window is there already when the call is run again.
    let others = windows.iter().filter(|window| window.window_id != *window_id).count();
    let bounds = wanted.bounds(&content, others);
    // The session knows best which group it joins.
    let open =
        Action::Create { window_id: window_id.clone(), group: None, title, bounds, content, origin, token: None };
    context.desktop.act(&context.key, vec![open]).await
}
