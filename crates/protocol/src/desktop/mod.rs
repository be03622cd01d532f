//! The desktop of a session: windows and their content, dialogs and notifications, and apps in
//! windows.

mod action;
mod app;
mod component;
mod content;
mod describe;
mod dialog;
mod input;
mod view;
mod window;

pub use action::{Action, Actions, SessionRestored};
pub use app::{
    AppAnswered, AppCommand, AppManifest, AppOutcome, AppReady, AppReadyAnswer, AppRegistered, AppRequest,
    AppRequested, AppResponse, CommandSpec, Manifest, ReplayMode, StateKey,
};
pub use component::{Component, Layout, SelectOption, Tone};
pub use content::{Chart, ChartKind, Series, WindowContent};
pub use describe::{beginning, describe_actions, describe_interaction};
pub use dialog::{
    DIDNT_WORK, Dialog, DialogAnswer, DialogAnswered, DialogChoice, DialogForm, DialogReply, Notification, PromptReply,
    Toast, ToastActed, ToastAction, ToastButton,
};
pub use input::{
    Interaction, Interactions, MonitorRef, RenderFailure, RenderFeedback, UserInteraction, WindowAction, WindowMessage,
    WindowPress, WindowRequest,
};
pub use view::{AgentView, DesktopView, MonitorView, RestoreMode, SessionRestore};
pub use window::{Bounds, LockHolder, Window, WindowAgent, WindowAgentStatus, WindowState};
