//! `desktop_look`: lists the open windows and their content.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{
    AgentId, Bounds, Effect, LockHolder, Manifest, MonitorId, Origin, Safety, Window, WindowContent, WindowId,
    WindowState,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{CallContext, Declaration, Tool};

use super::{no_such_window, window_id};

/// The tool `desktop_look`.
pub(super) struct DesktopLook;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LookInput {
    /// One window, with its content.
    #[serde(default)]
    window_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LookOutput {
    /// The monitor.
    monitor_id: MonitorId,
    /// The window in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused: Option<WindowId>,
    /// The windows, from the back to the front.
    windows: Vec<WindowSummary>,
    #[serde(skip)]
    origin: Origin,
}

/// A window as a model sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct WindowSummary {
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
    app: Option<AppSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Value>,
}

/// An app as a model sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct AppSummary {
    name: String,
    /// Whether it is loaded and has sent its manifest.
    ready: bool,
    /// What `app_command` takes: names, or full details for a single window.
    commands: Vec<Value>,
    /// What `app_query` takes.
    state: Vec<Value>,
}

#[async_trait]
impl Tool for DesktopLook {
    type Input = LookInput;
    type Output = LookOutput;

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

    async fn call(&self, input: LookInput, context: &CallContext) -> Result<LookOutput, ToolFailure> {
        let requested = input.window_id.as_deref().map(|name| window_id("window_id", name)).transpose()?;
        let monitor_id = context.desktop.monitor_id();
        let view = context.desktop.view().await?;
        let focused = view.monitors.into_iter().find(|monitor| monitor.monitor_id == monitor_id);
        let mut windows = view.windows;
        windows.retain(|window| window.monitor_id == monitor_id);
        if let Some(requested) = &requested {
            if windows.iter().all(|window| window.window_id != *requested) {
                return Err(no_such_window(requested, &windows));
            }
            windows.retain(|window| window.window_id == *requested);
        }
        let is_trusted = windows.iter().all(|window| window.origin == Origin::Trusted);
        let origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        let windows = windows.into_iter().map(|window| seen(window, requested.is_some())).collect::<Result<_, _>>()?;
        Ok(LookOutput { monitor_id, focused: focused.and_then(|monitor| monitor.focused), windows, origin })
    }

    fn origin(&self, output: &LookOutput) -> Option<Origin> {
        Some(output.origin)
    }
}

fn seen(window: Window, closely: bool) -> Result<WindowSummary, ToolFailure> {
    let app = match &window.content {
        WindowContent::App { app, .. } => {
            let manifest = window.app.and_then(|app| app.manifest);
            let ready = manifest.is_some();
            let (commands, state) =
                manifest.map_or_else(|| Ok(Default::default()), |manifest| told(manifest, closely))?;
            Some(AppSummary { name: app.clone(), ready, commands, state })
        }
        _ => None,
    };
    Ok(WindowSummary {
        window_id: window.window_id,
        title: window.title,
        kind: window.content.kind(),
        bounds: window.bounds,
        show: window.state,
        locked_by: window.locked_by.map(|holder| match holder {
            LockHolder::User => "user".to_owned(),
            LockHolder::Agent(agent_id) => agent_id.to_string(),
        }),
        opened_by: window.opened_by,
        app,
        content: if closely { Some(value(&window.content)?) } else { None },
    })
}

/// Commands and state of an app: names only, or all details if `closely`.
fn told(manifest: Manifest, closely: bool) -> Result<(Vec<Value>, Vec<Value>), ToolFailure> {
    let Manifest { commands, state, .. } = manifest;
    if !closely {
        let commands = commands.into_iter().map(|command| command.name.into());
        return Ok((commands.collect(), state.into_iter().map(|state| state.key.into()).collect()));
    }
    let commands = commands.iter().map(|command| {
        let mut told = value(command)?;
        if let Some(fields) = told.as_object_mut() {
            // How state is stored concerns the server only.
            fields.retain(|name, _| name != "keep" && name != "slot");
        }
        Ok(told)
    });
    let commands = commands.collect::<Result<_, ToolFailure>>()?;
    Ok((commands, state.iter().map(value).collect::<Result<_, _>>()?))
}

fn value(of: &impl Serialize) -> Result<Value, ToolFailure> {
    serde_json::to_value(of).map_err(|error| ToolFailure::Failed(format!("the window cannot be serialized: {error}")))
}
