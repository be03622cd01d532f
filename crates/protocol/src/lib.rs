//! Types of Dwell's protocol: ids, settings, commands, events and errors.
//!
//! They are plain types with serde and JSON Schema. Every other crate depends on this one. It
//! depends on none of them, does no I/O and holds no logic beyond parsing and validation. [`Event`]
//! is the central type: the journal stores it and clients receive it. The server therefore cannot
//! stream an event that it has not stored.

mod agent;
mod alert;
mod ids;
mod node;
mod time;

mod model;
mod model_setup;
mod models;
pub mod patterns;
mod settings;
mod tag;
mod tool;

mod step;
mod turn;

mod archive;
mod graph;
mod interchange;
mod memory;
mod memory_filter;
mod memory_model;
mod recall;
mod values;
mod vaults;

mod approval;
mod desktop;
mod event;

mod client_tool;
mod command;
mod connections;
mod control;
mod home;
mod tool_worker;
mod usage;
mod view;

mod background;
mod log;
mod maintenance;
mod push;
mod research;
mod response_schema;
mod schedule;

mod problem;
mod text;
mod token;
mod wire;

pub use agent::{AgentKind, MonitorId, WindowId};
pub use alert::{Alert, AlertEvent, AlertKind, AlertList, AlertPage, AlertRef, AlertView, DeliveryView};
pub use approval::{
    ApprovalAnswer, ApprovalDecision, ApprovalPage, ApprovalRequest, ApprovalResolved, ApprovalView, SettledBy,
};
pub use archive::{ArchiveManifest, MemoryArchive, MemoryImport, MemoryImportResult};
pub use background::{BackgroundList, BackgroundPage, BackgroundView, PauseResult};
pub use client_tool::{ClientResult, ClientTool, ClientToolOffer, ToolAnswer, ToolAnswered, ToolChoice, WaitingCall};
pub use command::{
    AgentRef, CallOutcome, Cancel, CancelOutcome, CancelResult, ChatSend, DeletedSession, EarlyAnswer, Interrupt,
    OnBusy, Order, PageRequest, PlannerHints, ProviderSet, SessionDelete, SessionEnd, SessionFork, SessionList,
    SessionRef, SessionResume, SessionStart, TurnAccepted, TurnRef, TurnResume, Update,
};
pub use connections::{ConnectionLimits, ConnectionStats, OwnerConnections};
pub use control::{AgentTool, ControlMessage, ControlRequest, ControlResult, ControlState};
pub use desktop::{
    Action, Actions, AgentView, AppAnswered, AppCommand, AppManifest, AppOutcome, AppReady, AppReadyAnswer,
    AppRegistered, AppRequest, AppRequested, AppResponse, Bounds, Chart, ChartKind, CommandSpec, Component, DIDNT_WORK,
    DesktopView, Dialog, DialogAnswer, DialogAnswered, DialogChoice, DialogForm, DialogReply, Interaction,
    Interactions, Layout, LockHolder, Manifest, MonitorRef, MonitorView, Notification, PromptReply, RenderFailure,
    RenderFeedback, ReplayMode, RestoreMode, SelectOption, Series, SessionRestore, SessionRestored, StateKey, Toast,
    ToastActed, ToastAction, ToastButton, Tone, UserInteraction, Window, WindowAction, WindowAgent, WindowAgentStatus,
    WindowContent, WindowMessage, WindowPress, WindowRequest, WindowState, beginning, describe_actions,
    describe_interaction,
};
pub use event::{
    Body, CURRENT_FORMAT, Clarification, ClientRead, DoubtfulCall, EntityBase, Event, ForkOrigin, LiveProgress,
    LiveText, MemoryUsed, MemoryWritten, MessageAccepted, MessageQueued, MessageSteered, OutcomeQuestion, Progress,
    Section, SessionEnded, SessionReset, SessionStarted, SettingsChanged, StageEntered, StatusChanged, SummaryCreated,
    TextDelta, Transition, UsedItem,
};
pub use graph::{EdgeState, GraphEdge, GraphNode, MemoryGraph, MemoryGraphQuery, NodeKind};
pub use home::{AreaView, EntityView, HomeChanged, HomeConnection, HomeKind, HomeView};
pub use ids::{
    AgentId, AlertId, AppRequestId, ApprovalId, ArtifactId, ConnectionId, DialogId, FolderId, IdError, ItemId,
    MemoryId, OwnerId, PassageId, ScheduleId, SessionId, SessionName, ToastId, TokenId, TurnId, VaultId,
};
pub use interchange::{
    BadFormat, ExportFormat, ImportOrigin, ImportedSession, SessionExport, SessionImport, SessionManifest,
};
pub use log::{LogLevel, LogLine, LogPage};
pub use maintenance::{BackupStatus, ClockDoubt};
pub use memory::{ContextDocument, Doubt, Entry, Fact, ItemSource, Level, Memory, Vault};
pub use memory_filter::{MemoryFilter, TagCondition};
pub use memory_model::{MemoryModelState, MemoryModelStats};
pub use model::{ModelOverrides, ModelSettings, ReasoningEffort, StopReason};
pub use model_setup::{
    DefaultModelPut, ModelsChanged, OverriddenSetting, ProviderKey, ProviderName, ProviderPut, ProviderTried,
    ProviderTry, UnknownProvider,
};
pub use models::{FigureSource, FigureValue, ModelFigure, ModelPage, ModelServerKind, ModelView, ProviderView};
pub use node::{NodePage, NodeStatus, NodeView};
pub use problem::{Code, Problem};
pub use push::{PushDevice, PushKeys, PushSubscribe, PushView};
pub use recall::{
    FORGOTTEN, ForgetResult, Grouping, MemoryCorrect, MemoryForget, MemoryGet, MemoryHit, MemoryItem, MemorySearch,
    MemorySet, MemorySnapshot, Score, SearchMode, SearchScope,
};
pub use research::{
    AddFolder, ChunkStatus, Contradiction, FolderView, LibraryHit, LibraryHits, LibrarySearch, LibraryView, Passage,
    PassagePage, ResearchChunk, ResearchDone, ResearchEvent, ResearchStarted, ShownArtifact, SourceKind, SweepResult,
    UnreadableDocument,
};
pub use response_schema::ResponseSchema;
pub use schedule::{
    CatchUp, EndReason, HookAnswer, HookView, LocalTime, MissReason, RunCause, RunKey, RunLimits, RunOutcome, RunView,
    ScheduleChange, ScheduleCreate, ScheduleDo, ScheduleEvent, ScheduleList, SchedulePage, SchedulePreview,
    ScheduleRef, ScheduleSpec, ScheduleStatus, ScheduleStep, ScheduleTimes, ScheduleUpdate, ScheduleView,
    ScheduledAction, Trigger, When,
};
pub use settings::{BackgroundBudgets, Budgets, OnRestart, Policy, Settings};
pub use step::{
    CallStatus, Observation, ObservationKind, Plan, PlannedCall, Step, StepError, Summary, ToolCall, ToolResult,
};
pub use tag::{Tag, TagError, Tags};
pub use text::ends;
pub use time::Timestamp;
pub use token::{BadScope, IssuedToken, Scope, TokenPage, TokenSpec, TokenView};
pub use tool::{
    ArtifactPage, ArtifactView, Cost, Effect, LeftOutTool, Origin, Safety, ToolPage, ToolServerView, ToolView,
};
pub use tool_worker::{
    ProgressTaken, ServedCall, ServedCallCancel, ServedCallProgress, ServedEffect, ServedTool, ToolServe, ToolServing,
};
pub use turn::{
    BY_CALL, BY_RULES, Citation, DirectCall, Image, MessageChannel, MessageTrust, Request, Response, Stage, TurnError,
    TurnStatus, Usage,
};
pub use usage::{LibraryUsage, OwnerUsage, QuotaUsage, ServerUsage};
pub use values::{
    PutValue, StoredValue, ValueKey, ValueList, ValueOrder, ValuePage, ValueRead, ValueWrite, ValueWriteResult,
};
pub use vaults::{
    AddEntry, Audit, AwaitConsistency, Consistency, ContextPage, EntryPage, Example, Finding, Ingest, IngestMessage,
    IngestResult, MemoryPage, MemoryTitleUpdate, MissingItem, NewMemory, NewVault, PutContext, TitleUpdate, VaultPage,
    VaultUpdate,
};
pub use view::{
    AgentLimits, ConfigPage, ContextWindowView, EventPage, JournalStats, ModelStats, Percentiles, RetentionStats,
    ServerStats, SessionPage, SessionStatus, SessionView, SettingView, Stats, ToolStats, TurnPage, TurnStats, TurnView,
};
pub use wire::{
    ClientBody, ClientEnvelope, LiveUpdate, NoData, Notice, NoticeBody, RequestId, ServerAnswer, ServerMessage,
    SessionSend, SessionUpdate,
};
