//! `desktop_look`: what is open, and what it shows.

use async_trait::async_trait;
use protocol::{
    AgentId, Bounds, Content, Effect, Holder, Manifest, MonitorId, Origin, Safety, Window, WindowId, WindowState,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Declaration, Failure, Tool};

use super::{no_such_window, window_id};

/// Looks at the desktop.
pub(super) struct DesktopLook;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LookInput {
    /// One window, with its content.
    #[serde(default)]
    window_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Looked {
    /// The monitor.
    monitor_id: MonitorId,
    /// The window in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused: Option<WindowId>,
    /// The windows, from the back to the front.
    windows: Vec<Seen>,
    #[serde(skip)]
    origin: Origin,
}

/// A window as a model sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct Seen {
    window_id: WindowId,
    title: String,
    kind: &'static str,
    bounds: Bounds,
    show: WindowState,
    /// `user`, or an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    locked_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_by: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<SeenApp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Value>,
}

/// An app as a model sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct SeenApp {
    name: String,
    /// Whether it is loaded somewhere and has said what it can do.
    ready: bool,
    /// What `app_command` takes: names, or all about them where one window is looked at.
    commands: Vec<Value>,
    /// What `app_query` takes.
    state: Vec<Value>,
}

#[async_trait]
impl Tool for DesktopLook {
    type Input = LookInput;
    type Output = Looked;

    fn declaration(&self) -> Declaration {
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            parallel: true,
            needs_desktop: true,
            ..Declaration::new(
                "desktop_look",
                "Lists the windows on this monitor; with `window_id`, one of them with its content and what its app can do.",
            )
        }
    }

    async fn call(&self, input: LookInput, context: &Context) -> Result<Looked, Failure> {
        let wanted = input.window_id.as_deref().map(|name| window_id("window_id", name)).transpose()?;
        let monitor_id = context.desktop.monitor_id();
        let view = context.desktop.view().await?;
        let focused = view.monitors.into_iter().find(|monitor| monitor.monitor_id == monitor_id);
        let mut windows = view.windows;
        windows.retain(|window| window.monitor_id == monitor_id);
        if let Some(wanted) = &wanted {
            if windows.iter().all(|window| window.window_id != *wanted) {
                return Err(no_such_window(wanted, &windows));
            }
            windows.retain(|window| window.window_id == *wanted);
        }
        let is_trusted = windows.iter().all(|window| window.origin == Origin::Trusted);
        let origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        let windows = windows.into_iter().map(|window| seen(window, wanted.is_some())).collect::<Result<_, _>>()?;
        Ok(Looked { monitor_id, focused: focused.and_then(|monitor| monitor.focused), windows, origin })
    }

    fn origin(&self, output: &Looked) -> Option<Origin> {
        Some(output.origin)
    }
}

fn seen(window: Window, closely: bool) -> Result<Seen, Failure> {
    let app = match &window.content {
        Content::App { app, .. } => {
            let manifest = window.app.and_then(|app| app.manifest);
            let ready = manifest.is_some();
            let (commands, state) =
                manifest.map_or_else(|| Ok(Default::default()), |manifest| told(manifest, closely))?;
            Some(SeenApp { name: app.clone(), ready, commands, state })
        }
        _ => None,
    };
    Ok(Seen {
        window_id: window.window_id,
        title: window.title,
        kind: window.content.kind(),
        bounds: window.bounds,
        show: window.state,
        locked_by: window.locked_by.map(|holder| match holder {
            Holder::User => "user".to_owned(),
            Holder::Agent(agent_id) => agent_id.to_string(),
        }),
        opened_by: window.opened_by,
        app,
        content: if closely { Some(value(&window.content)?) } else { None },
    })
}

/// Commands and state of an app: by name, or closely with all about them.
fn told(manifest: Manifest, closely: bool) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let Manifest { commands, state, .. } = manifest;
    if !closely {
        let commands = commands.into_iter().map(|command| command.name.into());
        return Ok((commands.collect(), state.into_iter().map(|state| state.key.into()).collect()));
    }
    let commands = commands.iter().map(|command| {
        let mut told = value(command)?;
        if let Some(fields) = told.as_object_mut() {
            // How it is kept is the server's business.
            fields.retain(|name, _| name != "keep" && name != "slot");
        }
        Ok(told)
    });
    let commands = commands.collect::<Result<_, Failure>>()?;
    Ok((commands, state.iter().map(value).collect::<Result<_, _>>()?))
}

fn value(of: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(of).map_err(|error| Failure::Failed(format!("the window cannot be told: {error}")))
}
