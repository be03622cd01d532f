//! The words Dwell speaks, and nothing else.
//!
//! Ids, settings, commands, events and errors as plain types with serde and JSON Schema. Everybody in the
//! house uses these words; this room uses nobody, does no I/O and holds no logic beyond what a word means.
//! [`Event`] is the centre: it is both what the journal keeps and what clients are told, so nothing can be
//! streamed that was not written down.

mod ids;
mod time;

mod settings;
mod turn;

mod event;

mod command;
mod view;

mod problem;
mod wire;

pub use command::{
    Accepted, Cancel, CancelOutcome, Cancelled, ChatSend, End, Fork, List, OnBusy, PlannerHints, Resume, SessionRef,
    Start, TurnRef, Update,
};
pub use event::{
    Body, CURRENT_FORMAT, Ended, Event, ForkOrigin, LiveText, MessageAccepted, MessageQueued, Reset, SettingsChanged,
    StageEntered, Started, StatusChanged, Text, Transition,
};
pub use ids::{AgentId, ConnectionId, IdError, OwnerId, SessionId, SessionName, TurnId};
pub use problem::{Code, Problem};
pub use settings::{Budgets, OnRestart, Policy, Settings};
pub use time::Timestamp;
pub use turn::{Request, Response, Stage, Step, StepKind, TurnError, TurnStatus, Usage};
pub use view::{EventPage, SessionPage, SessionStatus, SessionView, Stats, TurnPage, TurnView};
pub use wire::{
    Answer, ClientBody, ClientEnvelope, Empty, Live, Notice, NoticeBody, RequestId, ServerMessage, SessionSend,
    SessionUpdate,
};
