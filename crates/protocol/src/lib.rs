//! The words Dwell speaks, and nothing else.
//!
//! Ids, settings, commands, events and errors as plain types with serde and JSON Schema. Everybody in the
//! house uses these words; this room uses nobody, does no I/O and holds no logic beyond what a word means.
//! [`Event`] is the centre: it is both what the journal keeps and what clients are told, so nothing can be
//! streamed that was not written down.

mod agent;
mod ids;
mod time;

mod model;
mod models;
mod settings;
mod tag;
mod tool;

mod step;
mod turn;

mod archive;
mod interchange;
mod keeping;
mod memory;
mod recall;

mod approval;
mod desktop;
mod event;

mod client_tool;
mod command;
mod connections;
mod home;
mod usage;
mod view;

mod research;
mod upkeep;

mod problem;
mod text;
mod wire;

pub use agent::{AgentKind, MonitorId, WindowId};
pub use approval::{
    ApprovalAnswer, ApprovalPage, ApprovalRequest, ApprovalResolved, ApprovalView, Decision, SettledBy,
};
pub use archive::{ArchiveManifest, Imported, MemoryArchive, MemoryImport};
pub use client_tool::{ClientResult, ClientTool, Offer, ToolAnswer, ToolAnswered, ToolChoice, WaitingCall};
pub use command::{
    Accepted, AgentRef, CallOutcome, Cancel, CancelOutcome, Cancelled, ChatSend, Delete, Deleted, Early, End, Fork,
    Interrupt, List, OnBusy, Order, PlannerHints, ProviderSet, Resume, SessionList, SessionRef, Start, TurnRef,
    TurnResume, Update,
};
pub use connections::{ConnectionLimits, ConnectionStats, OwnerConnections};
pub use desktop::{
    Action, Actions, AgentView, AppAnswered, AppCommand, AppManifest, AppOutcome, AppReady, AppReadyAnswer,
    AppRegistered, AppRequest, AppRequested, AppResponse, Bounds, Chart, ChartKind, Choice, CommandSpec, Component,
    Content, DIDNT_WORK, DesktopView, Dialog, DialogAnswer, DialogAnswered, DialogForm, DialogReply, Holder,
    Interaction, Interactions, Keep, Layout, Manifest, MonitorRef, MonitorView, Notification, PromptReply,
    RenderFeedback, Rendered, Restore, RestoreMode, Restored, SelectOption, Series, StateKey, Toast, ToastActed,
    ToastAction, ToastButton, Tone, UserInteraction, Window, WindowAct, WindowAction, WindowAgent, WindowAgentStatus,
    WindowMessage, WindowRequest, WindowState, beginning, did, user_did,
};
pub use event::{
    Body, CURRENT_FORMAT, Clarification, ClientRead, DoubtfulCall, Ended, EntityBase, Event, ForkOrigin, LiveProgress,
    LiveText, MemoryUsed, MemoryWritten, MessageAccepted, MessageQueued, MessageSteered, Progress, Question, Reset,
    Section, SettingsChanged, StageEntered, Started, StatusChanged, SummaryCreated, Text, Transition, UsedItem,
};
pub use home::{AreaView, EntityView, HomeChanged, HomeConnection, HomeKind, HomeView};
pub use ids::{
    AgentId, AppRequestId, ApprovalId, ArtifactId, ConnectionId, DialogId, FolderId, IdError, ItemId, MemoryId,
    OwnerId, PassageId, SessionId, SessionName, ToastId, TurnId, VaultId,
};
pub use interchange::{
    BadFormat, ExportFormat, ImportOrigin, ImportedSession, SessionExport, SessionImport, SessionManifest,
};
pub use keeping::{
    AddEntry, Audit, AwaitConsistency, Consistency, ContextPage, EntryPage, Example, Finding, Ingest, Ingested,
    MemoryPage, Missing, NewMemory, NewVault, PutContext, Said, VaultPage,
};
pub use memory::{Context, Entry, Fact, Level, Memory, Source, Vault};
pub use model::{ModelOverrides, ModelSettings, ReasoningEffort, StopReason};
pub use models::{FigureSource, FigureValue, ModelFigure, ModelPage, ModelServerKind, ModelView, ProviderView};
pub use problem::{Code, Problem};
pub use recall::{
    FORGOTTEN, Forgotten, Found, Grouping, Item, MemoryCorrect, MemoryForget, MemoryGet, MemorySearch, MemorySet,
    MemorySnapshot, Scope, Score, SearchMode,
};
pub use research::{
    AddFolder, ChunkStatus, Contradiction, FolderView, LibraryHit, LibraryHits, LibrarySearch, LibraryView, Passage,
    PassagePage, Research, ResearchChunk, ResearchDone, ResearchStarted, ShownArtifact, SourceKind, Swept, Trouble,
};
pub use settings::{Budgets, OnRestart, Policy, Settings};
pub use step::{CallStatus, Observed, ObservedKind, Plan, PlannedCall, Step, StepError, Summary, ToolCall, ToolResult};
pub use tag::{Tag, TagError, Tags};
pub use text::ends;
pub use time::Timestamp;
pub use tool::{
    ArtifactPage, ArtifactView, Cost, Effect, LeftOutTool, Origin, Safety, ToolPage, ToolServerView, ToolView,
};
pub use turn::{
    BY_CALL, BY_RULES, Citation, DirectCall, Image, Request, Response, Stage, TurnError, TurnStatus, Usage, Via, WayIn,
};
pub use upkeep::{BackupStatus, ClockDoubt};
pub use usage::{LibraryUsage, OwnerUsage, ServerUsage, Share};
pub use view::{
    AgentLimits, ConfigPage, EventPage, JournalStats, ModelStats, Percentiles, RetentionStats, ServerStats,
    SessionPage, SessionStatus, SessionView, SettingView, Stats, ToolStats, TurnPage, TurnStats, TurnView, WindowView,
};
pub use wire::{
    Answer, ClientBody, ClientEnvelope, Empty, Live, Notice, NoticeBody, RequestId, ServerMessage, SessionSend,
    SessionUpdate,
};
