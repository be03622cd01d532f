//! The desktop of a session: windows and what is in them, what is asked and announced, the apps that run in windows.

mod action;
mod app;
mod asking;
mod component;
mod content;
mod input;
mod view;
mod window;
mod words;

pub use action::{Action, Actions, Restored};
pub use app::{
    AppAnswered, AppCommand, AppManifest, AppOutcome, AppReady, AppReadyAnswer, AppRegistered, AppRequest,
    AppRequested, AppResponse, CommandSpec, Keep, Manifest, StateKey,
};
pub use asking::{
    Choice, DIDNT_WORK, Dialog, DialogAnswer, DialogAnswered, DialogForm, DialogReply, Notification, PromptReply,
    Toast, ToastActed, ToastAction, ToastButton,
};
pub use component::{Component, Layout, SelectOption, Tone};
pub use content::{Chart, ChartKind, Content, Series};
pub use input::{
    Interaction, Interactions, MonitorRef, RenderFeedback, Rendered, UserInteraction, WindowAct, WindowAction,
    WindowMessage, WindowRequest,
};
pub use view::{AgentView, DesktopView, MonitorView, Restore, RestoreMode};
pub use window::{Bounds, Holder, Window, WindowAgent, WindowAgentStatus, WindowState};
pub use words::{beginning, did, user_did};
